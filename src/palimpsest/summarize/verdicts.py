"""How test runners, builds and other programs say that they failed, wherever in their last lines that stands.

An exit code behind a pipe is that of the last command, and many tools report none at all; what such a program says of
itself is surer. Each form is a line of its own, as the program writes it: prose about a failure has other ones.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

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
"""One of them stands in whatever is found."""


def says_failed(text: str) -> str:
    """The first line in which a program says that it failed, "" where none does."""
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
"""How agents answer for a user who does not want a call: Claude Code, Codex, Gemini CLI, Cline, opencode, Goose ..."""
_STOPPED = later(
    r"\W{0,8}(?:error: )?(?:"
    r"(?:command |operation )?(?:was )?(?:aborted|interrupted|cancell?ed) by (?:the )?user (?:after|before)\b|"
    r"request interrupted by user|(?:command|operation) aborted(?:\W|$))",
    re.IGNORECASE,
)
"""... or stops."""


def ended_by_user(text: str) -> str:
    """Whether the user declined a call, or stopped it, as the beginning of its result says; "" for neither."""
    return STOPPED if _STOPPED.match(text) else DECLINED if _DECLINED.match(text) else ""


_REASON = later(
    r"\b(?:the user said|reason(?: given)?(?: by the user)?|feedback(?: from the user)?):\s{0,4}",
    re.IGNORECASE,
)
_NO_REASON = later(r"(?:the )?user (?:cancell?ed|rejected|denied|declined)\b", re.IGNORECASE)


def reason_given(text: str) -> str:
    """What a result says that the user said to a call that was declined; "" for nothing."""
    found = _REASON.search(text)
    reason = text[found.end() :] if found else ""
    return "" if _NO_REASON.match(reason) else reason
