"""Calls in the text of a message, and their results in the next, for agents with a shell but no tools (SWE-agent,
mini-SWE-agent).

- Only the pair counts: a command in a fence at the end of a message, and shell output in place of the next user
  message. Each alone is an ordinary message: people are given commands, and paste what they print.
- Shell output is recognised by its wrapper: an exit code and an output in tags from the first character on, or the
  folder and a prompt at the very end. What follows the last tag is said by the user.
- Of several fences the last one counts. A fence inside another is part of it. A command may be in tags as well.
- Where a source begins with shell output, its call is in the part before, if the source has other such calls.
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
from palimpsest.toolcalls.output_wrappers import CODE_TAG, PROMPT

SHELL = "bash"
"""The name of the tool in such a call."""
COMMAND_CHARS = 20_000
"""Longer commands are not kept until their results arrive."""
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
class TextCommand:
    """A command at the end of a text: where its fence begins, the code, and the language of the fence."""

    start: int
    code: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class ShellOutput:
    """Shell output in a message: `output` without the prompt below it, and what the user says after it."""

    output: str
    said: str = ""


def command_in(message: Message) -> str:
    """The shell command at the end of an assistant message, "" for none, or where it calls tools itself."""
    found = text_command(message.text) if message.role == "assistant" and not message.calls else None
    if found is None or len(found.code) > COMMAND_CHARS or not _OF_SHELL.fullmatch(found.language):
        return ""
    return found.code


def text_command(text: str) -> TextCommand | None:
    """The command at the end of a text, in the last of its fences or in tags."""
    text = text.rstrip()
    if text.endswith(">") and (tagged := _IN_TAGS.search(text, max(0, len(text) - COMMAND_CHARS))):
        return TextCommand(tagged.start(), (tagged[1] or tagged[2]).strip())
    opened: list[tuple[int, int, str]] = []
    for found in list(_FENCE.finditer(text))[-MAX_FENCES:] if text.endswith("```") else ():
        if found[1] or not opened:
            opened.append((found.start(), found.end(), found[1]))
            continue
        start, begin, language = opened.pop()
        if found.end() == len(text) and not opened:
            return TextCommand(start, text[begin:-3].strip(), language)
    return None


def shell_output(message: Message) -> ShellOutput | None:
    """The shell output in a message in place of a user's; None where it is the user's own."""
    if message.role != "user" or message.results:
        return None
    text = message.text
    if _TAGGED.match(text[:80]):
        ends = [one.end() for one in _TAGS_END.finditer(text)]
        return ShellOutput(text[: ends[-1]], text[ends[-1] :].strip()) if ends else ShellOutput(text)
    prompt = PROMPT.search(text, max(0, len(text) - 1_000))
    headed = _HEADED.match(text)
    if prompt:
        return ShellOutput(text[headed.end() if headed else 0 : prompt.start()])
    if headed or text.strip() == _SILENT:
        return ShellOutput(text[headed.end() :] if headed else text)
    return None


def as_call(command: str, seq: int) -> ToolCall:
    """The command at the end of the message at position `seq`, as a tool call."""
    return ToolCall(_call_id(seq), SHELL, json.dumps({"command": command}, ensure_ascii=False))


def _call_id(seq: int) -> str:
    return f"in the text of {seq}"


def with_calls(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries with such calls and results as tool calls and tool results."""
    made = list(entries)
    paired = False
    for place, (entry, below) in enumerate(pairwise(entries)):
        if not (isinstance(entry, MessageEntry) and isinstance(below, MessageEntry)):
            continue
        command = command_in(entry.message)
        output = shell_output(below.message) if command else None
        if output:
            paired = True
            made[place] = replace(made[place], message=_calling(entry.message, command, place))
            made[place + 1] = replace(below, message=as_result(below.message, output, place))
    first = next((one for one, entry in enumerate(entries) if isinstance(entry, MessageEntry)), 0)
    begun = made[first] if paired else None
    if isinstance(begun, MessageEntry) and (output := shell_output(begun.message)):
        made[first] = replace(begun, message=as_result(begun.message, output, first - 1))
    return tuple(made)


def _calling(message: Message, command: str, place: int) -> Message:
    found = text_command(message.text)
    words = message.text[: found.start if found else 0].rstrip()
    others = tuple(one for one in message.parts if not isinstance(one, Text))
    said = (Text(words),) if words else ()
    return replace(message, parts=(*others, *said, as_call(command, place)))


def as_result(message: Message, shell: ShellOutput, seq: int) -> Message:
    """The message with shell output as the result of the call in the message at position `seq`."""
    others = tuple(one for one in message.parts if not isinstance(one, Text))
    said = (Text(shell.said),) if shell.said else ()
    role = "user" if said or others else "tool"
    result = ToolResult(_call_id(seq), (Text(shell.output),))
    return replace(message, role=role, parts=(result, *others, *said))
