"""How a tool call ended: its label, whether it failed, and the line that says why."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import cast

from palimpsest.lazy_regex import later
from palimpsest.record.message import ToolResult
from palimpsest.text.cut import clean, clip_words
from palimpsest.text.invisible_characters import readable
from palimpsest.toolcalls.call_actions import LINE_CHARS, PARSED_CHARS
from palimpsest.toolcalls.output_wrappers import EXIT, code_said, in_json, may_say, unwrapped

TAG = re.compile(r"</?[a-z_-]{1,30}>")
TIMED_OUT = re.compile(r"\W{0,8}(?:error: )?command timed out\b", re.IGNORECASE)
BROKEN = re.compile(
    r"^(?:\S{1,200}(?:\(\d{1,6},\d{1,6}\):|:\d{1,6}:\d{1,6} -) error TS\d{1,5}: |error\[E\d{4}\]: |"
    r"[\w./-]{1,200}\.go:\d{1,6}:\d{1,6}: |[\w./-]{1,200}:\d{1,6}:\d{1,6}: (?:fatal )?error: |FAIL\t\S)",
    re.MULTILINE,
)
"""Compiler errors, which show a failure wherever the output is cut."""
HIDING = re.compile(r"[|;\n]")
"""After one of these, the exit code may be that of another command."""
COUNTED = re.compile(
    r"(?<![\w.:/=#-])(?<!port )(?<! of )(\d{1,6})(?: (?:out )?of \d{1,6}| ?/ ?\d{1,6})? "
    r"(passed|passing|failed|failing|errors?(?! out\b)|skipped|xfailed)\b(?![\w/-]|\.\w)"
)
BEGINS = re.compile(r"(?:^|[.,;(|=\[+]|\s\s|\band|[A-Z]\w{2,20}:)\s{0,16}\Z")
"""What precedes a number that is a count."""
ANSI = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")
STRONG_ERROR = re.compile(
    r"^(?:E\s{1,8}|✗\s|❌\s?|\W{0,4})(?:[A-Za-z_][\w.]{0,80}(?:Error|Exception)\b|error(?:\[\w{1,12}\])?:|fatal:|"
    r"panic:|npm ERR!|FAILED\s|FAIL\s|(?:[\w./-]{1,120}:\d{1,6}(?::\d{1,6})?:?\s)(?:fatal )?error\b|"
    r"(?:fehler|erreur|errore|ошибка|错误|錯誤|エラー|오류)\s?[:：]|"
    r"\S{1,200}(?:\(\d{1,6},\d{1,6}\):|:\d{1,6}:\d{1,6} -) error\b|"
    r"[\w./-]{1,80}: (?:command not found|No such file|Permission denied))",
    re.I,
)
ENDED_BADLY = re.compile(
    r"(?:[A-Za-z_]\w{0,40}\.){0,8}\w{0,60}(?:Error|Exception)(?:: |$)|(?:error|fatal)(?:\[\w{1,12}\])?: |"
    r"npm (?:ERR!|error) |make(?:\[\d{1,3}\])?: \*\*\* |zsh: command not found: |"
    r"\S{0,20}sh: \d{1,4}: \S{1,80}: not found$|"
    r"\S[^:]{0,80}: (?:[^:]{1,200}: ){0,3}(?:command not found|No such file or directory|Permission denied)$"
)
SHOWING = re.compile(
    r"(?:cd [^;&|]{1,300}(?:&&|;)\s*)?(?:cat|head|tail|less|more|bat|grep|rg|ag|sed|awk|jq|journalctl|"
    r"git (?:log|show|diff|blame|grep)|(?:docker|kubectl)(?: compose)? logs|"
    r"find [^|;&\n]{1,300}\|\s{0,4}xargs(?: -\S{1,20}(?: \d{1,6})?){0,4} (?:grep|rg|cat|head|tail|sed))\b"
)
"""Commands that show text of other programs, with their failures."""
LOOKED = re.compile(
    r"(?:cd|ls|cat|pwd|head|tail|grep|rg|find|find_file|sed -n|wc|echo|tree|which|nl|sort|less|open|"
    r"xargs(?: -\S{1,20}(?: \d{1,6})?){0,4} (?:grep|rg|cat|head|tail|wc|ls)|"
    r"du|df|ps|stat|date|whoami|printenv|git (?:status|log|show|diff)|"
    r"kubectl (?:-n \S{1,60} )?(?:get|describe|logs|top)|"
    r"docker (?:ps|images|logs|inspect))(?![\w.-])"
)
SHOWN = re.compile(f"{SHOWING.pattern}|{LOOKED.pattern}")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
PARTS = re.compile(r"(?:&&|\|\|?|;)\s+")
WEAK_ERROR = re.compile(
    r"error|exception|failed|fatal|denied|not found|cannot|can't|refused|invalid|missing", re.I
)


_TESTS = (
    r"\[  FAILED  \] ",  # GoogleTest
    r"The following tests FAILED:|\d{1,3}% tests passed, [1-9]\d{0,6} tests? failed out of ",  # CTest
    r"Failed!  - Failed: ",  # dotnet test
    r"(?:\[\w{4,5}\] )?Tests run: \d{1,7}, Failures: (?:[1-9]|\d{1,7}, Errors: [1-9])",  # Maven, JUnit
    r"--- FAIL: |FAIL$|FAIL\t\S",  # go test
    r"(?:FAILURES|ERRORS)!$",  # PHPUnit
    r"\*\* (?:TEST|BUILD|ARCHIVE|ANALYZE|CLEAN) FAILED \*\*",  # xcodebuild
    r"Test Suite '[^\n]{1,120}' failed at |[ \t]{0,8}Executed \d{1,7} tests?, with [1-9]",  # XCTest
    r"\d{1,7} (?:tests?|examples?|runs|specs?)(?:, \d{1,7} \w{1,20}){0,3}?, [1-9]\d{0,6} (?:failures?|errors?)\b",
    r"FAILED \((?:failures|errors)=",  # unittest
    r"not ok \d{1,6}\b(?![^\n]{0,400}# (?:TODO|SKIP)\b)|# fail [1-9]",  # TAP
)
_BUILDS = (
    r"Build FAILED\.$|[ \t]{0,8}[1-9]\d{0,6} Error\(s\)$",  # MSBuild
    r"(?:\[\w{4,5}\] )?BUILD (?:FAILURE|FAILED)\b|FAILURE: Build failed ",  # Maven, Gradle, Ant
    r"ninja: build stopped: |Failed to compile\.?$|webpack [\d.]{1,12} compiled with [1-9]",
    r"(?:ERROR: )?failed to (?:solve|build): ",  # Docker
    r"ERROR: (?:Could not find a version that|No matching distribution|Could not build wheels|Failed building wheel)",
    r"\w[\w.+-]{0,30}: (?:fatal )?error: ",  # compilers, linkers, psql, argparse
    r"[\w./\\-]{1,200}\.(?:java|kt|kts|scala):\d{1,6}: error: |\S{1,200}\(\d{1,6},\d{1,6}\): error [A-Z]{1,4}\d{1,5}: ",
)
_PROGRAMS = (
    r" ! \[(?:remote )?rejected\]|error: failed to push some refs |CONFLICT \(|error: could not apply ",  # git
    r"[╷│] ?Error: ",  # Terraform
    r"\S{1,80} {1,20}: ok=\d{1,6} [^\n]{0,80}\b(?:failed|unreachable)=[1-9]",  # Ansible
    r"Error from server \(|(?:docker: )?Error response from daemon: ",
    r"(?:psql:\S{1,120} )?ERROR:  |ERROR \d{4} \(\w{5}\)",  # PostgreSQL, MySQL
    r"curl: \(\d{1,3}\) |ssh: connect to host |\S{1,80}: Permission denied \(publickey",
    r"\S{1,80}: The term '[^\n]{1,120}' is not recognized ",  # PowerShell
    r"'[^'\n]{1,120}' is not recognized as an internal or external command",
    r"Exception in thread \"|panic: |thread '[^'\n]{1,60}' (?:\(\d{1,9}\) )?panicked at |PHP (?:Parse|Fatal) error: ",
    r"\S{1,200}\.rb:\d{1,6}:in [^\n]{1,200}\([A-Z]\w{0,40}(?:::\w{1,40}){0,4}\)$",
    r"(?:Segmentation fault|Bus error|Illegal instruction|Aborted|Killed)(?: \(core dumped\))?$",
)
_FAILED = later("^(?:" + "|".join((*_TESTS, *_BUILDS, *_PROGRAMS)) + ")", re.MULTILINE)
_SIGNS = (
    *"fail Fail FAIL error Error ERROR rejected CONFLICT not curl ssh panic Exception".split(),
    *"fault stopped Killed Abort compiled Permission recognized instruction .rb: Executed unreachable".split(),
)
"""Every match contains one of these."""


def says_failed(text: str) -> str:
    """The first line in which a program says that it failed, "" for none."""
    found = _FAILED.search(text) if any(sign in text for sign in _SIGNS) else None
    return text[found.start() :].partition("\n")[0] if found else ""


DECLINED, STOPPED = "declined by the user", "stopped by the user"
_DECLINED = later(
    r"\W{0,8}(?:error: )?(?:"
    r"(?:exec command|command|apply_patch|patch|(?:the )?action|(?:the )?tool (?:call|use))? ?(?:was )?"
    r"(?:rejected|declined|denied) by (?:the )?user\b|"
    r"(?:the )?user (?:has )?(?:rejected|denied|declined|refused)\b|"
    r"(?:the )?user (?:doesn't want to (?:proceed|take this action)|chose (?:to skip|not to run))\b|"
    r"\[?operation cancell?ed\]? (?:reason: user|by (?:the )?user)|permission to run \S{1,60} denied by user|"
    r"cancell?ed by (?:the )?user\b|tool execution denied\b)",
    re.IGNORECASE,
)
"""The results that agents write when the user declines a call: Claude Code, Codex, Gemini CLI, Cline, opencode,
Goose."""
_STOPPED = later(
    r"\W{0,8}(?:error: )?(?:"
    r"(?:command |operation )?(?:was )?(?:aborted|interrupted|cancell?ed) by (?:the )?user (?:after|before)\b|"
    r"request interrupted by user|(?:command|operation) aborted(?:\W|$))",
    re.IGNORECASE,
)
"""The same when the user stops a call."""


def ended_by_user(text: str) -> str:
    """Whether the user declined or stopped a call, by the beginning of its result; "" for neither."""
    return STOPPED if _STOPPED.match(text) else DECLINED if _DECLINED.match(text) else ""


_REASON = later(
    r"\b(?:the user said|reason(?: given)?(?: by the user)?|feedback(?: from the user)?):\s{0,4}",
    re.IGNORECASE,
)
_NO_REASON = later(r"(?:the )?user (?:cancell?ed|rejected|denied|declined)\b", re.IGNORECASE)


def reason_given(text: str) -> str:
    """The user's reason for declining a call, as its result gives it; "" for none."""
    found = _REASON.search(text)
    reason = text[found.end() :] if found else ""
    return "" if _NO_REASON.match(reason) else reason


_REASONS = ("error", "code", "error_code", "errorcode", "message", "reason", "detail", "type")
"""Where such an object says why, in the order in which it is told."""
_ABOUT_ERRORS = frozenset(
    (*_REASONS, *"errors status status_code details hint ok success iserror request_id trace_id".split())
)
_BAD_STATES = frozenset(("error", "failed", "failure"))


def refusal(text: str) -> str:
    """Why a tool call failed, by its JSON result; "" for any other result."""
    if not text.lstrip().startswith("{") or len(text) > PARSED_CHARS:
        return ""
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return ""
    found = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    fields = {key.lower(): one for key, one in found.items()}
    denied = any(fields.get(key) is False for key in ("ok", "success")) or fields.get("iserror") is True
    status = fields.get("status")
    bad = isinstance(status, str) and status.lower() in _BAD_STATES
    about = fields.keys() <= _ABOUT_ERRORS and bool(fields.get("error") or fields.get("errors") or bad)
    if not (denied or about):
        return ""
    inner = fields.get("error")
    error = cast("dict[str, object]", inner) if isinstance(inner, dict) else fields
    said = [one for key in _REASONS if isinstance(one := error.get(key), str) and one.strip()]
    return clip_words(": ".join(" ".join(one.split()) for one in said) or text.strip(), LINE_CHARS)


RESULT_CHARS = 4_000
RESULT_TAIL_CHARS = 1_600
PRINTED_CHARS = 100

_COUNT_WORDS = (" pass", " fail", " error", " skip", " xfail")
_NOTHING = ("", "Error: (none)")
"""Lines without an error; the second is from tools that report each of their fields."""
_ERROR_WORDS = (
    *"error exception fatal panic npm fail denied refused invalid missing cannot can't fehler erreur".split(),
    *("not found", "no such"),
)
"""Every error line contains one of these, in any case."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended. `label` is "ok", "exit 2", "3 passed, 1 failed", "error", "declined by the user".

    `error` is the line that says why; `printed` is the output of a successful command, if that is one short line.
    """

    label: str
    failed: bool
    error: str = ""
    printed: str = ""


def outcome(result: ToolResult, command: str = "") -> Outcome:
    """How the call of `result` ended; `command` is its shell command, if it has one. Never raises."""
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
    timed_out = bool(TIMED_OUT.match(text) or TIMED_OUT.match(_last_line(text)))
    gave_up = code is None and not counts and (_gave_up(command, text) or timed_out)
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
    """The counts of a test run by kind ("3 passed"): the last of each kind, or the sum if several lines have several
    kinds, because each part of a program has its own tests."""
    lines = [{match[2]: match for match in _counted(line)} for line in text.splitlines()]
    whole = [line for line in lines if len(line) > 1]
    if len(whole) < 2:
        return {kind: match[0] for line in lines for kind, match in line.items()}
    kinds = dict.fromkeys(kind for line in whole for kind in line)
    return {kind: f"{sum(int(line[kind][1]) for line in whole if kind in line)} {kind}" for kind in kinds}


def _counted(line: str) -> list[re.Match[str]]:
    return [match for match in COUNTED.finditer(line) if BEGINS.search(line, 0, match.start())]


def _only_shows(command: str) -> bool:
    """Whether a command only shows text of other programs, in each of its parts."""
    if not SHOWING.match(command):
        return False
    return all(map(SHOWN.match, PARTS.split(QUOTED.sub("''", command))))


def only_looks(command: str) -> bool:
    """Whether a command changes nothing, in each of its parts."""
    return all(map(LOOKED.match, PARTS.split(command)))


def _gave_up(command: str, text: str) -> bool:
    """Whether the last line of an output says that the command failed."""
    if not command or SHOWING.match(command):
        return False
    return ENDED_BADLY.match(_last_line(text)) is not None


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2][: LINE_CHARS * 2]


def result_ends(result: ToolResult, look_chars: int = RESULT_CHARS) -> str:
    """The first two thirds and the last third of so many characters of a result, without terminal colours.

    Of `{"output": ...}` only the output; of any other JSON text the unescaped text.
    """
    reported = in_json(result.text)
    return _ends(reported.text if reported else result.text, look_chars)


def _ends(text: str, look_chars: int) -> str:
    """The same of a text."""
    text = readable(text)
    if len(text) > look_chars:
        text = f"{text[: look_chars - look_chars // 3]}\n{text[-(look_chars // 3) :]}"
    return clean(ANSI.sub("", text) if "\x1b" in text else text)


def _printed(text: str) -> str:
    """The output if it is one short line, and not the brackets that a tool writes for an empty output."""
    line = text.strip()
    short = len(line) <= PRINTED_CHARS and len(line.splitlines()) == 1 and not line.startswith(("(", "<"))
    return line if short else ""


def error_line(text: str, *, failed: bool) -> str:
    """The line that says what went wrong, at most 200 characters; "" for none.

    It is the last line in the form of an error (tracebacks end with it), with the next line if it ends in a colon;
    else, after a failure, the first line that mentions an error."""
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
