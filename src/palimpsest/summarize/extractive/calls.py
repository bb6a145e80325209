"""What tools did that are neither a shell nor an editor: `cancel_booking(booking=N-12)` and how it went.

Rules kept here:

- Such a call is a deed like a command: who goes on must know what is booked, sent or changed, and with which values,
  or does it a second time.
- A tool that looks something up by its name has done nothing, and neither has a call without a value.
- The same call made again is one entry with its latest outcome.
- Where there is no room for all arguments, those stay by which one call is told from another: which one was done counts
  more than how.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
SHARED_ARGUMENTS = 2
"""Arguments that all calls of a tool have, which are told of them."""

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
_ARGUMENT = re.compile(r", (?=[^\s=,()]{1,60}=|…$)")
_COUNTED = re.compile(r"(.*) \(x(\d{1,5})\)")
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
        """Note a call that has ended. Two counts of what several have in common are added."""
        before, now = _COUNTED.fullmatch(self.done.pop(text, "")), _COUNTED.fullmatch(label)
        if before and now and before[1] == now[1]:
            label = f"{now[1]} (x{int(before[2]) + int(now[2])})"
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


def in_short(calls: Mapping[str, str]) -> Iterator[tuple[str, str, int, bool]]:
    """(call, how it ended, how many there were, whether it stands for all of its tool) of calls without their details,
    in order: each with its first arguments where these tell it from the others of its tool; else what they all have
    once, with how many there were, and of each those of the others that tell it. What an earlier summary has so stays.
    """
    short = {text: text for text in calls if _is_short(text)}
    tools: dict[str, list[str]] = {}
    for text in calls:
        if text not in short:
            tools.setdefault(text.partition("(")[0], []).append(text)
    counted = dict[tuple[str, str], int]()
    for tool, made in tools.items():
        firsts = [_FIRST.sub(r"\1, …)", text, count=1) for text in made]
        if len(set(firsts)) == len(made):
            short |= zip(made, firsts, strict=True)
            continue
        shared, own = _parted(made)
        often = {label: n for label, n in Counter(calls[text] for text in made).items() if n > 1}
        for label, number in (often or {"": len(made)}).items():
            counted[f"{tool}({', '.join((*shared, '…'))})", label] = number
        short |= {text: f"{tool}({one})" for text, one in zip(made, own, strict=True)}
    for text, label in calls.items():
        if before := _COUNTED.fullmatch(label):
            counted[text, before[1]] = counted.get((text, before[1]), 0) + int(before[2])
    yield from ((text, label, number, True) for (text, label), number in counted.items())
    yield from (
        (short[text], label, 1, False) for text, label in calls.items() if not _COUNTED.fullmatch(label)
    )


def _is_short(call: str) -> bool:
    """Whether a call is one that was told without its details."""
    return call.endswith("…)") and len(_ARGUMENT.split(call)) <= SHARED_ARGUMENTS + 1


def _parted(calls: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments that all of several calls have, the first ones; and of each the others, up to those by which each
    is another one.
    """
    made = [_ARGUMENT.split(text.partition("(")[2][:-1]) for text in calls]
    shared = [one for one in made[0] if all(one in other for other in made)]
    others = [[one for one in arguments if one not in shared] for arguments in made]
    most = max(map(len, others))
    own = [tuple[str, ...]()]
    for size in range(1, most + 1):
        own = [tuple(one[:size]) for one in others]
        if len(set(own)) == len(own):
            break
    told = [
        ", ".join((*one, *(("…",) if len(one) < len(all_) else ())))
        for one, all_ in zip(own, made, strict=True)
    ]
    return shared[:SHARED_ARGUMENTS], told


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
