"""What tools did that are neither a shell nor an editor: `cancel_booking(booking=N-12)` and how it went.

Rules kept here:

- Such a call is a deed like a command: who goes on must know what is booked, sent or changed, and with which values,
  or does it a second time.
- A tool that looks something up by its name has done nothing, and neither has a call without a value.
- The same call made again is one entry with its latest outcome.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from palimpsest.record.message import Message, ToolCall, ToolResult
from palimpsest.summarize.cut import clip_words
from palimpsest.summarize.outcomes import outcome
from palimpsest.summarize.toolcalls import decode

CALL_CHARS = 160
ERROR_CHARS = 80
ABOUT_CHARS = 60
"""What a call says in words up to here stands for what it is about."""
MAX_CALLS = 400
"""Different calls that are kept; the newest stay."""
MAX_WAITING = 64

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LOOKS_FIRST = frozenset(
    "get list find fetch read look lookup query view show describe think calculate check browse web glob expand recall "
    "wait sleep open todo ask exit count validate verify inspect".split()
)
_LOOKS = frozenset("search grep lookup output details plan".split())
"""Words of a tool's name that say that it only looks: as its first word, and anywhere."""
_PROGRAMS = frozenset(("code", "script", "expression", "source"))
"""Arguments that hold a program: what it did its result says, and no value of it is asked for again."""
_REFUSED = re.compile(r"[{\s]{0,8}\"?error\"?\s{0,4}[:=]\s{0,4}[\"']?([^\"'}\n]{1,240})", re.IGNORECASE)
_CALL = re.compile(r"[\w.:-]{1,80}\(\S.*\)")
_FIRST = re.compile(r"([\w.:-]{1,80}\([^,]+(?:, [^,]+)?), .+\)", re.DOTALL)


@dataclass(slots=True)
class Calls:
    """Calls as they are written, with their outcomes, the newest last. `waiting` are those without a result so far."""

    done: dict[str, str] = field(default_factory=dict[str, str])
    waiting: dict[str, str] = field(default_factory=dict[str, str])

    def note(self, message: Message) -> None:
        """Take a message's calls and results."""
        for call in message.calls:
            text = written(call)
            if text:
                self.waiting[call.id] = text
                if len(self.waiting) > MAX_WAITING:
                    del self.waiting[next(iter(self.waiting))]
        for part in message.parts:
            if isinstance(part, ToolResult) and (text := self.waiting.pop(part.call_id, "")):
                self.end(text, _ended(part))

    def end(self, text: str, label: str) -> None:
        """Note a call that has ended."""
        self.done.pop(text, None)
        self.done[text] = label
        if len(self.done) > MAX_CALLS:
            del self.done[next(iter(self.done))]


def written(call: ToolCall) -> str:
    """A call as one line, `name(key=value, ...)`; "" for one that runs a command, works on files, or only looks."""
    if _only_looks(call.name):
        return ""
    action = decode(call)
    if action.command or action.files or action.tasks is not None:
        return ""
    about = action.text.partition("\n")[0].replace("`", "").strip()
    shown = about if action.values and " " in about and len(about) <= ABOUT_CHARS else ""
    for key, value in action.values:
        if key.lower() in _PROGRAMS:
            continue
        pair = f"{key.replace('`', '')}={' '.join(value.replace('`', '').split())}"
        if pair in shown.split(", "):
            continue
        if len(call.name) + len(shown) + len(pair) > CALL_CHARS:
            shown += ", …"
            break
        shown += f", {pair}" if shown else pair
    return f"{call.name}({shown})" if shown else ""


def first_arguments(call: str) -> str:
    """A call as it is written, with its first two arguments."""
    return _FIRST.sub(r"\1, …)", call, count=1)


def is_call(command: str) -> bool:
    """Whether an entry among commands is a call of a tool."""
    return bool(_CALL.fullmatch(command))


def _only_looks(name: str) -> bool:
    own = re.split(r"__|[.:/]", name)[-1]
    words = [word.lower() for word in _WORD.findall(own)]
    return not words or words[0] in _LOOKS_FIRST or not _LOOKS.isdisjoint(words)


def _ended(result: ToolResult) -> str:
    refused = _REFUSED.match(result.text[: ERROR_CHARS * 4])
    ended = outcome(result)
    label, error = ("error", refused[1]) if refused else (ended.label, ended.error if ended.failed else "")
    return f"{label}: {clip_words(' '.join(error.split()), ERROR_CHARS)}" if error else label
