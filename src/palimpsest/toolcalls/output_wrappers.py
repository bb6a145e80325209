"""What a command printed and the exit code that was told beside it, out of a result in which an agent wrapped both.

Rules kept here:

- An envelope is a frame of lines that a tool writes around what a command prints: fields before it (`Exit code: 0`,
  `Output:`), fields or brackets behind it, tags or a JSON object around it. A frame is taken off only where it tells
  how the command ended, or stands at both ends: a program may print `Output:` itself.
- One line alone at an end that says an exit code, in many languages, is such a frame too; what only shows text may end
  with such a line of somebody else's: there only what a tool says counts.
- The outermost frame is taken off, and no other: what stands inside was printed.
- Only the ends of a text are looked at, whatever its length.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from palimpsest.toolcalls.wrapper_patterns import (
    ALONE_OUTPUT,
    CITED,
    DONE,
    ENDED,
    EXIT,
    EXIT_WITHIN,
    FIELDS,
    FOLDER,
    JSON,
    NOTE,
    OBSERVED,
    OUTPUT,
    PROMPT,
    REPORT,
    RUNS_ON,
    SHELL_ENDED,
    STREAM,
    STREAM_ENDS,
    STRING,
    TAGS,
)

PARSED_CHARS = 100_000
"""Longer JSON is not parsed."""
HEAD_CHARS, TAIL_CHARS = 4_000, 1_600
SAID_CHARS = 400
"""So near to an end a line stands that says an exit code."""
MAX_LINES = 10
"""Lines of a frame behind an output, blank ones with them."""

_CODE_WORDS = ("exit", "return", "code", "codice", "kod")

_REPORTED_END = {"Exit Code", "Process Group PGID"}

_CODE_KEYS = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "returnCode")


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command printed: `text`, which stands at `start` to `end` of the result (escaped there, where that is
    JSON); the exit `code` that was told beside it, None for none; `framed` says that anything was.
    """

    text: str
    start: int
    end: int
    code: int | None = None
    framed: bool = False


def unwrapped(text: str, command: str = "", *, shows: bool = False) -> Printed:
    """What a result says that a command printed, without what an agent wrote around it. `command` is what it ran, if
    known; `shows` that it only shows what others wrote. Never raises.
    """
    around = in_json(text) or _tagged(text) or _reported(text, command) or _headed(text)
    ended = around or _followed(text, shows=True) or _begun(text) or _followed(text, shows=shows)
    return ended or Printed(text, 0, len(text))


def in_json(text: str) -> Printed | None:
    """The output in a JSON object such as `{"output": ..., "metadata": {"exit_code": 0}}`; None for other text."""
    head = JSON.match(text) if len(text) <= PARSED_CHARS and text.lstrip()[:1] == "{" else None
    if head is None:
        return None
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    fields = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    output, metadata = fields.get(head[1]), fields.get("metadata")
    if not isinstance(output, str):
        return None
    said = cast("dict[str, object]", metadata) if isinstance(metadata, dict) else fields
    codes = (said[key] for key in _CODE_KEYS if key in said)
    code = next((one for one in codes if isinstance(one, int) and not isinstance(one, bool)), None)
    errors = fields.get("stderr")
    if isinstance(errors, str) and errors.strip():
        output = f"{output}\n{errors}"
    string = STRING.match(text, head.end())
    return Printed(output, head.end(), string.end() if string else len(text), code, framed=True)


def code_said(text: str, *, shows: bool) -> int | None:
    """The exit code that a text says: before the output, on its first line, or on the last that says one at its end.

    What only shows text may end with such a line of somebody else's: there only what a tool says counts.
    """
    head = text[:SAID_CHARS]
    ends = f"{head}\n{text[-SAID_CHARS:]}"
    if not _may_say_code(ends):
        return None
    parted = OUTPUT.search(head)
    said = list(EXIT.finditer(head[: parted.start()])) if parted else []
    first = EXIT.match(ends)
    last = [one for one in EXIT.finditer(ends, len(head) + 1) if not shows or ENDED.match(one[0])]
    found = said[-1] if said else first or (last[-1] if last else None)
    return int(found[1]) if found else None


def may_say(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words stands in a text, without which a pattern need not be tried."""
    return any(word in text for word in words)


def _may_say_code(text: str) -> bool:
    return may_say(text.lower(), _CODE_WORDS) or not text.isascii()


def _cut(text: str, start: int, end: int, code: int | None) -> Printed:
    end = max(start, end)
    return Printed(text[start:end], start, end, code, framed=True)


def _tagged(text: str) -> Printed | None:
    """An output in tags, with a code in one beside it."""
    if (head := TAGS.match(text)) is not None:
        end = text.rfind(f"</{head[3]}>", max(head.end(), len(text) - TAIL_CHARS))
        end = len(text) if end < 0 else end - (text[end - 1] == "\n")
        return _cut(text, head.end(), end, int(head[2]))
    head = STREAM.match(text)
    ended = STREAM_ENDS.search(text, max(head.end(), len(text) - TAIL_CHARS)) if head else None
    if head is None or ended is None or not (ended[1] or ended[2]):
        return None
    return _cut(text, head.end(), ended.start(), int(ended[3]) if ended[3] else None)


def _reported(text: str, command: str) -> Printed | None:
    """An output between the fields of Gemini CLI: before it the command or nothing, behind it how that ended."""
    if text.startswith("Command: "):
        known = len(command) if command and text.startswith(command, 9) else 0
        at = text.find("\nDirectory: ", 9 + known, 9 + known + HEAD_CHARS)
        head = FOLDER.match(text, at) if at >= 0 else None
    else:
        head = ALONE_OUTPUT.match(text)
    if head is None:
        return None
    end, code = len(text.rstrip()), None
    told: set[str] = set()
    for _ in range(MAX_LINES):
        begin = text.rfind("\n", max(head.end(), end - SAID_CHARS), end) + 1
        field = REPORT.fullmatch(text, begin, end) if begin else None
        name = field[0].partition(":")[0] if field else ""
        if field is None or name in told:
            break
        told.add(name)
        code = int(field[1]) if field[1] else code
        end = begin - 1
    return _cut(text, head.end(), end, code) if told & _REPORTED_END else None


def _headed(text: str) -> Printed | None:
    """An output behind lines of fields, of which one says an exit code or that the command still runs."""
    fields = FIELDS.match(text, 0, HEAD_CHARS)
    if fields is None:
        return None
    said = list(EXIT.finditer(fields[0])) or list(EXIT_WITHIN.finditer(fields[0]))
    if not said and not RUNS_ON.search(fields[0]):
        return None
    return _cut(text, fields.end(), len(text), int(said[-1][1]) if said else None)


def _begun(text: str) -> Printed | None:
    """An output behind a first line that says an exit code."""
    first = EXIT.match(text, 0, HEAD_CHARS) if _may_say_code(text[:SAID_CHARS]) else None
    if first is None or first.end() >= len(text):
        return None
    if cited := CITED.match(text, first.end()):
        end = text.rfind("\n```", cited.end() - 1)
        return _cut(text, cited.end(), end if end >= 0 else len(text), int(first[1]))
    return _cut(text, first.end() + 1, len(text), int(first[1]))


def _followed(text: str, *, shows: bool) -> Printed | None:
    """An output before lines that only a tool writes, or before one that says an exit code."""
    tail = max(0, len(text) - TAIL_CHARS)
    end, code = len(text), None
    if done := DONE.search(text, tail) or PROMPT.search(text, tail):
        end, code = done.start(), int(done[1]) if done.lastindex else None
    for _ in range(MAX_LINES):
        last = len(text[tail:end].rstrip()) + tail
        begin = text.rfind("\n", tail, last) + 1
        line = text[begin:last] if begin or not tail else ""
        shell = SHELL_ENDED.fullmatch(line)
        said = shell or (EXIT.match(line) if len(line) <= SAID_CHARS and _may_say_code(line) else None)
        if said and (shell or not shows or ENDED.match(line)) and (code is None or line.startswith("[")):
            code = int(said[1]) if code is None else code
        elif not line or not NOTE.fullmatch(line):
            break
        end = max(0, begin - 1)
    if end == len(text):
        return None
    observed = OBSERVED.match(text)
    return _cut(text, observed.end() if observed else 0, end, code)
