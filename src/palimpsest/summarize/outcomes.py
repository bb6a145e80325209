"""How a tool call went, told from its result.

- Only the ends of a result are looked at: there stand exit codes, test counts and the error that matters.
- Where nobody reported an exit code (behind a pipe it is that of the last command), a command has failed whose output
  ends as programs and shells end when they give up, has errors in the forms of compilers, or says so in the form of a
  program that is known (`verdicts.py`). What only shows text is not judged by it: a log may end like that.
- A result that is a JSON object may say of itself that its call failed (`refusals.py`).
- A number counts only where it begins a part of its line, as test runners write it: not in "step 3 failed".
- An exit code is what was reported beside the output, else what a line of its own says at one of its ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest

from palimpsest.record.message import ToolResult
from palimpsest.summarize.envelope_patterns import EXIT
from palimpsest.summarize.envelopes import code_said, in_json, may_say, unwrapped
from palimpsest.summarize.outcome_patterns import (
    ANSI,
    BEGINS,
    BROKEN,
    COUNTED,
    ENDED_BADLY,
    HIDING,
    LOOKED,
    PARTS,
    QUOTED,
    SHOWING,
    SHOWN,
    STRONG_ERROR,
    TAG,
    TIMED_OUT,
    WEAK_ERROR,
)
from palimpsest.summarize.refusals import refusal
from palimpsest.summarize.toolcalls import LINE_CHARS
from palimpsest.summarize.verdicts import ended_by_user, reason_given, says_failed
from palimpsest.text.cut import clean, clip_words
from palimpsest.text.visible import told

RESULT_CHARS = 4_000
RESULT_TAIL_CHARS = 1_600
PRINTED_CHARS = 100

_COUNT_WORDS = (" pass", " fail", " error", " skip", " xfail")
_NOTHING = ("", "Error: (none)")
"""Lines that say of no error, the second where a tool reports each of its fields."""
_ERROR_WORDS = (
    *"error exception fatal panic npm fail denied refused invalid missing cannot can't fehler erreur".split(),
    *("not found", "no such"),
)
"""One of them, in any case, stands in whatever is taken for an error."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call went: `label` is "ok", "exit 2", "3 passed, 1 failed", "error", "declined by the user"; `error` is the
    line that says why, `printed` all that a command printed that went well, where that is one short line.
    """

    label: str
    failed: bool
    error: str = ""
    printed: str = ""


def outcome(result: ToolResult, command: str = "") -> Outcome:
    """How the call that `result` answers went; `command` is what it ran in a shell, if anything. Never raises."""
    if by_user := ended_by_user(_ends(result.text, RESULT_CHARS)):
        reason = clip_words(" ".join(reason_given(_ends(result.text, RESULT_CHARS)).split()), LINE_CHARS)
        return Outcome(
            by_user, failed=True, error=reason if command or not reason else f"{by_user}: {reason}"
        )
    shows = _only_shows(command)
    wrapped = unwrapped(result.text, command, shows=shows)
    text, code = _ends(wrapped.text, RESULT_CHARS), wrapped.code
    if code is None:
        code = code_said(text, shows=shows)
    hidden = code is None or (code == 0 and HIDING.search(command) is not None)
    tail = text[-RESULT_TAIL_CHARS:]
    counts = _counts(tail) if not shows and may_say(tail, _COUNT_WORDS) else {}
    bad_counts = any(
        kind.startswith(("fail", "error")) and not said.startswith("0 ") for kind, said in counts.items()
    )
    if code == 0 and bad_counts and not hidden and command:
        counts, bad_counts = {}, False
    gave_up = code is None and not counts and (_gave_up(command, text) or _timed_out(text))
    judged = command and not SHOWING.match(command) and not only_looks(command)
    verdict = says_failed(tail) if hidden and judged else ""
    broke = hidden and bool(judged) and bool(verdict or BROKEN.search(text))
    refused = "" if command else refusal(result.text)
    failed = result.is_error or bool(code) or bad_counts or gave_up or broke or bool(refused)
    if counts and (bad_counts or not failed):
        label = ", ".join(counts.values())
    elif code:
        label = ", ".join((*counts.values(), f"exit {code}"))
    else:
        label = ", ".join((*counts.values(), "error")) if failed else "ok"
    error = refused or error_line(text, failed=failed)
    error = error or clip_words(verdict.strip() or _last_line(text) * gave_up, LINE_CHARS)
    return Outcome(label, failed, error, _printed(text) if judged and label == "ok" else "")


def _counts(text: str) -> dict[str, str]:
    """What a run counted, by kind ("3 passed"): the last of each, or the sum where several lines count several kinds,
    as where each part of a program has its own tests.
    """
    lines = [{match[2]: match for match in _counted(line)} for line in text.splitlines()]
    whole = [line for line in lines if len(line) > 1]
    if len(whole) < 2:
        return {kind: match[0] for line in lines for kind, match in line.items()}
    kinds = dict.fromkeys(kind for line in whole for kind in line)
    return {kind: f"{sum(int(line[kind][1]) for line in whole if kind in line)} {kind}" for kind in kinds}


def _counted(line: str) -> list[re.Match[str]]:
    return [match for match in COUNTED.finditer(line) if BEGINS.search(line, 0, match.start())]


def _only_shows(command: str) -> bool:
    """Whether a command only shows what others wrote, in each of its parts."""
    if not SHOWING.match(command):
        return False
    return all(map(SHOWN.match, PARTS.split(QUOTED.sub("''", command))))


def _timed_out(text: str) -> bool:
    """Whether a text begins or ends with what is said of a command that took too long."""
    return bool(TIMED_OUT.match(text) or TIMED_OUT.match(_last_line(text)))


def only_looks(command: str) -> bool:
    """Whether a command does nothing but show something, in each of its parts."""
    return all(map(LOOKED.match, PARTS.split(command)))


def _gave_up(command: str, text: str) -> bool:
    """Whether an output is that of a command which failed, as far as its last line tells."""
    if not command or SHOWING.match(command):
        return False
    return ENDED_BADLY.match(_last_line(text)) is not None


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2][: LINE_CHARS * 2]


def result_ends(result: ToolResult, look_chars: int = RESULT_CHARS) -> str:
    """The first two and the last third of so many characters of a result, without terminal colours.

    The output alone of `{"output": ...}`; any other JSON text with its escapes undone.
    """
    reported = in_json(result.text)
    return _ends(reported.text if reported else result.text, look_chars)


def _ends(text: str, look_chars: int) -> str:
    """As `result_ends`, of a text."""
    text = told(text)
    if len(text) > look_chars:
        text = f"{text[: look_chars - look_chars // 3]}\n{text[-(look_chars // 3) :]}"
    return clean(ANSI.sub("", text) if "\x1b" in text else text)


def _printed(text: str) -> str:
    """What a command printed, where it is one short line, and not one in brackets that a tool puts for nothing."""
    line = text.strip()
    told = len(line) <= PRINTED_CHARS and len(line.splitlines()) == 1 and not line.startswith(("(", "<"))
    return line if told else ""


def error_line(text: str, *, failed: bool) -> str:
    """The line that says what went wrong, at most 200 characters; "" where none does.

    The last line in the form of an error (tracebacks end with it), with the one below where it ends in a colon; else,
    after a failure, the first that speaks of one.
    """
    if text.isascii() and not may_say(text.lower(), _ERROR_WORDS):
        return ""
    weak = ""
    strong = ""
    lines = [line for line in text.splitlines() if line.strip() not in _NOTHING]
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        if STRONG_ERROR.match(line[: LINE_CHARS * 2]):
            strong = f"{line} {below}" if line.rstrip().endswith(":") else line
        elif failed and not weak and WEAK_ERROR.search(line[:LINE_CHARS]) and not EXIT.match(line):
            weak = line
    return clip_words(" ".join(TAG.sub(" ", (strong or weak)[: LINE_CHARS * 2]).split()), LINE_CHARS)
