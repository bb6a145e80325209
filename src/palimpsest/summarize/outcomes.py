"""How a tool call went, told from its result.

- Only the ends of a result are looked at: there stand exit codes, test counts and the error that matters.
- Where nobody reported an exit code (behind a pipe it is that of the last command), a command has failed whose output
  ends as programs and shells end when they give up. What only shows text is not judged by it: a log may end like that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import cast

from palimpsest.record.message import ToolResult
from palimpsest.summarize.cut import clean, clip_words
from palimpsest.summarize.toolcalls import LINE_CHARS, PARSED_CHARS
from palimpsest.summarize.visible import told

RESULT_CHARS = 4_000
RESULT_TAIL_CHARS = 1_600

_TAG = re.compile(r"</?[a-z_-]{1,30}>")
_EXIT = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|exit_code|returncode|return code)\"?\W{0,3}(-?\d{1,3})\b",
    re.I,
)
_COUNTED = re.compile(
    r"(?<![\w.:/-])(\d{1,6}) (passed|passing|failed|failing|errors?|skipped|xfailed)\b(?![\w/-]|\.\w)"
)
_CODE_WORDS = ("exit", "return")
_REPORTED = '{"output"'
"""How a result begins that reports the exit code beside the output: it is put behind that, and the last counts."""
_COUNT_WORDS = (" pass", " fail", " error", " skip", " xfail")
_ANSI = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")
_STRONG_ERROR = re.compile(
    r"^(?:E\s{1,8}|✗\s|❌\s?|\W{0,4})(?:[A-Za-z_][\w.]{0,80}(?:Error|Exception)\b|error(?:\[\w{1,12}\])?:|fatal:|"
    r"panic:|npm ERR!|FAILED\s|FAIL\s|(?:[\w./-]{1,120}:\d{1,6}(?::\d{1,6})?:?\s)(?:fatal )?error\b|"
    r"[\w./-]{1,80}: (?:command not found|No such file|Permission denied))",
    re.I,
)
_ENDED_BADLY = re.compile(
    r"(?:[A-Za-z_]\w{0,40}\.){0,8}\w{0,60}(?:Error|Exception)(?:: |$)|(?:error|fatal)(?:\[\w{1,12}\])?: |"
    r"npm (?:ERR!|error) |make(?:\[\d{1,3}\])?: \*\*\* |zsh: command not found: |"
    r"\S{0,20}sh: \d{1,4}: \S{1,80}: not found$|"
    r"\S[^:]{0,80}: (?:[^:]{1,200}: ){0,3}(?:command not found|No such file or directory|Permission denied)$"
)
_ERROR_WORDS = (
    *"error exception fatal panic npm fail denied refused invalid missing cannot can't".split(),
    *("not found", "no such"),
)
"""One of them, in any case, stands in whatever is taken for an error."""
_SHOWING = re.compile(
    r"(?:cd [^;&|]{1,300}(?:&&|;)\s*)?(?:cat|head|tail|less|more|bat|grep|rg|ag|sed|awk|jq|journalctl|"
    r"git (?:log|show|diff|blame|grep)|(?:docker|kubectl)(?: compose)? logs)\b"
)
"""Commands that show what others wrote, failures included."""
_LOOKED = re.compile(
    r"(?:cd|ls|cat|pwd|head|tail|grep|rg|find|find_file|sed -n|wc|echo|tree|which|nl|sort|less|open|"
    r"du|df|ps|stat|date|whoami|printenv|git (?:status|log|show|diff)|"
    r"kubectl (?:-n \S{1,60} )?(?:get|describe|logs|top)|"
    r"docker (?:ps|images|logs|inspect))(?![\w.-])"
)
_PARTS = re.compile(r"\s*(?:&&|\|\|?|;)\s+")
_WEAK_ERROR = re.compile(
    r"error|exception|failed|fatal|denied|not found|cannot|can't|refused|invalid|missing", re.I
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call went: `label` is "ok", "exit 2", "3 passed, 1 failed", "error"; `error` the line that says why."""

    label: str
    failed: bool
    error: str = ""


def outcome(result: ToolResult, command: str = "") -> Outcome:
    """How the call that `result` answers went; `command` is what it ran in a shell, if anything. Never raises."""
    text = result_ends(result)
    ends = f"{text[:400]}\n{text[-400:]}"
    codes = list(_EXIT.finditer(ends)) if _may_say(ends.lower(), _CODE_WORDS) or not ends.isascii() else []
    code = codes[-1 if result.text.startswith(_REPORTED) else 0] if codes else None
    tail = text[-RESULT_TAIL_CHARS:]
    counted = _COUNTED.finditer(tail) if _may_say(tail, _COUNT_WORDS) else ()
    counts: dict[str, str] = {match[2]: match[0] for match in counted}
    bad_counts = any(
        kind.startswith(("fail", "error")) and not said.startswith("0 ") for kind, said in counts.items()
    )
    bad_code = bool(code and code[1] != "0")
    gave_up = code is None and not counts and _gave_up(command, text)
    failed = result.is_error or bad_code or bad_counts or gave_up
    if counts:
        label = ", ".join(counts.values())
    elif bad_code and code:
        label = f"exit {code[1]}"
    else:
        label = "error" if failed else "ok"
    error = error_line(text, failed=failed)
    return Outcome(label, failed, error or clip_words(_last_line(text) * gave_up, LINE_CHARS))


def only_looks(command: str) -> bool:
    """Whether a command does nothing but show something, in each of its parts."""
    return all(map(_LOOKED.match, _PARTS.split(command)))


def _gave_up(command: str, text: str) -> bool:
    """Whether an output is that of a command which failed, as far as its last line tells."""
    if not command or _SHOWING.match(command):
        return False
    return _ENDED_BADLY.match(_last_line(text)) is not None


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2][: LINE_CHARS * 2]


def result_ends(result: ToolResult, look_chars: int = RESULT_CHARS) -> str:
    """The first two and the last third of so many characters of a result, without terminal colours.

    The output alone of `{"output": ...}`; any other JSON text with its escapes undone.
    """
    text = result.text
    if text.startswith(_REPORTED) and len(text) <= PARSED_CHARS:
        try:
            value: object = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            output, metadata = fields.get("output"), fields.get("metadata")
            code = (
                cast("dict[str, object]", metadata).get("exit_code") if isinstance(metadata, dict) else None
            )
            if isinstance(output, str):
                text = f"{output}\nexit code {code}" if isinstance(code, int) else output
    text = told(text)
    if len(text) > look_chars:
        text = f"{text[: look_chars - look_chars // 3]}\n{text[-(look_chars // 3) :]}"
    return clean(_ANSI.sub("", text) if "\x1b" in text else text)


def _may_say(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words stands in a text, without which a pattern need not be tried."""
    return any(word in text for word in words)


def error_line(text: str, *, failed: bool) -> str:
    """The line that says what went wrong, at most 200 characters; "" where none does.

    The last line in the form of an error (tracebacks end with it), with the one below where it ends in a colon; else,
    after a failure, the first that speaks of one.
    """
    if text.isascii() and not _may_say(text.lower(), _ERROR_WORDS):
        return ""
    weak = ""
    strong = ""
    lines = [line for line in text.splitlines() if line.strip()]
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        if _STRONG_ERROR.match(line[: LINE_CHARS * 2]):
            strong = f"{line} {below}" if line.rstrip().endswith(":") else line
        elif failed and not weak and _WEAK_ERROR.search(line[:LINE_CHARS]) and not _EXIT.match(line):
            weak = line
    return clip_words(" ".join(_TAG.sub(" ", (strong or weak)[: LINE_CHARS * 2]).split()), LINE_CHARS)
