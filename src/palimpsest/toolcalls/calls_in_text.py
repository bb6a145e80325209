"""Calls that stand in the words of a message, and their results in the next: how agents work that have a shell and no
tools (SWE-agent, mini-SWE-agent).

Rules kept here:

- The pair decides: a command in a fence with nothing behind it, and a message in the place of the user's next that is
  what a shell shows. Each alone is an ordinary message: people are given commands, and paste what they print.
- What a shell shows is known by its frame: an exit code and an output in tags from the first sign on, or the folder
  and a prompt at the very end. What stands behind the last tag is said by the user.
- Of several fences the last is meant; one within another is part of it. A command may stand in tags as well.
- Where a source begins with what a shell shows, its call is in the part before, if other calls of the source stand so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from palimpsest.lazy_regex import later
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.summary_source import Entry, MessageEntry
from palimpsest.toolcalls.wrapper_patterns import CODE_TAG, PROMPT

SHELL = "bash"
"""The name of the tool that such a call is one of."""
COMMAND_CHARS = 20_000
"""A longer command is none that is kept until its result comes."""
MAX_FENCES = 200

_FENCE = later(r"^[ \t]{0,3}```([\w+.-]{0,40})[ \t]*\r?$", re.MULTILINE)
_OF_SHELL = later(r"(?:\w{1,20}_)?(?:bash|sh|shell|zsh|console|terminal)(?:_\w{1,20})?|")
_IN_TAGS = later(
    r"<execute_bash>([^<]{1,4000})</execute_bash>\Z|"
    r"(?:<function=\w{1,40}>\s{0,8})?<parameter=command>([^<]{1,4000})</parameter>\s{0,8}</function>\Z"
)
_TAGGED = later(rf"{CODE_TAG}|\s{{0,8}}<exception>")
_TAGS_END = later(
    r"</(?:returncode|output|output_head|output_tail|elided_chars|warning|exception|exception_info)>"
)
_HEADED = later(r"\s{0,8}OBSERVATION:[ \t]*\r?\n")
_SILENT = "Your command ran successfully and did not produce any output."


@dataclass(frozen=True, slots=True)
class Action:
    """What a text ends with that may be run: where its frame begins, the code, and the language the frame names."""

    start: int
    code: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a shell shows in a message: `output` without the prompt below it, and what the user says behind it."""

    output: str
    said: str = ""


def command_in(message: Message) -> str:
    """The command that a message of the assistant ends with, "" where it ends otherwise or calls tools itself."""
    action = action_in(message.text) if message.role == "assistant" and not message.calls else None
    if action is None or len(action.code) > COMMAND_CHARS or not _OF_SHELL.fullmatch(action.language):
        return ""
    return action.code


def action_in(text: str) -> Action | None:
    """What a text ends with that may be run: in the last of its fences, or in tags; None where it ends otherwise."""
    text = text.rstrip()
    if text.endswith(">") and (tagged := _IN_TAGS.search(text, max(0, len(text) - COMMAND_CHARS))):
        return Action(tagged.start(), (tagged[1] or tagged[2]).strip())
    opened: list[tuple[int, int, str]] = []
    for found in list(_FENCE.finditer(text))[-MAX_FENCES:] if text.endswith("```") else ():
        if found[1] or not opened:
            opened.append((found.start(), found.end(), found[1]))
            continue
        start, begin, language = opened.pop()
        if found.end() == len(text) and not opened:
            return Action(start, text[begin:-3].strip(), language)
    return None


def shown_in(message: Message) -> Shown | None:
    """What a shell shows in a message in the place of a user's; None where it is one of the user's own."""
    if message.role != "user" or message.results:
        return None
    text = message.text
    if _TAGGED.match(text[:80]):
        ends = [one.end() for one in _TAGS_END.finditer(text)]
        return Shown(text[: ends[-1]], text[ends[-1] :].strip()) if ends else Shown(text)
    prompt = PROMPT.search(text, max(0, len(text) - 1_000))
    headed = _HEADED.match(text)
    if prompt:
        return Shown(text[headed.end() if headed else 0 : prompt.start()])
    if headed or text.strip() == _SILENT:
        return Shown(text[headed.end() :] if headed else text)
    return None


def as_call(command: str, seq: int) -> ToolCall:
    """The command that the message at the position `seq` ends with, as the call of a tool."""
    return ToolCall(_call_id(seq), SHELL, json.dumps({"command": command}, ensure_ascii=False))


def _call_id(seq: int) -> str:
    return f"in the text of {seq}"


def with_calls(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries in which such calls and results are what tools are called with and answer."""
    made = list(entries)
    paired = False
    for place, (entry, below) in enumerate(pairwise(entries)):
        if not (isinstance(entry, MessageEntry) and isinstance(below, MessageEntry)):
            continue
        command = command_in(entry.message)
        shown = shown_in(below.message) if command else None
        if shown:
            paired = True
            made[place] = replace(made[place], message=_calling(entry.message, command, place))
            made[place + 1] = replace(below, message=as_shown(below.message, shown, place))
    first = next((one for one, entry in enumerate(entries) if isinstance(entry, MessageEntry)), 0)
    begun = made[first] if paired else None
    if isinstance(begun, MessageEntry) and (shown := shown_in(begun.message)):
        made[first] = replace(begun, message=as_shown(begun.message, shown, first - 1))
    return tuple(made)


def _calling(message: Message, command: str, place: int) -> Message:
    action = action_in(message.text)
    words = message.text[: action.start if action else 0].rstrip()
    others = tuple(one for one in message.parts if not isinstance(one, Text))
    said = (Text(words),) if words else ()
    return replace(message, parts=(*others, *said, as_call(command, place)))


def as_shown(message: Message, shown: Shown, seq: int) -> Message:
    """The message in which a shell shows something, as the result of the call in the message at the position `seq`."""
    others = tuple(one for one in message.parts if not isinstance(one, Text))
    said = (Text(shown.said),) if shown.said else ()
    role = "user" if said or others else "tool"
    return replace(
        message, role=role, parts=(ToolResult(_call_id(seq), (Text(shown.output),)), *others, *said)
    )
