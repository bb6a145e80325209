"""What a command printed, and how it ended, is read out of whatever an agent wraps around both."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.message import Text, ToolResult
from palimpsest.toolcalls.outcomes import Outcome, outcome
from palimpsest.toolcalls.output_wrappers import unwrapped

ENVELOPES = (
    "{}\n[The command completed with exit code CODE.]",
    (
        "{}\n[The command completed with exit code CODE.]\n[Current working directory: /w]\n"
        "[Python interpreter: /usr/bin/python]\n[Command finished with exit code CODE]"
    ),
    (
        "EXECUTION RESULT of [execute_bash]:\n{}\n[Python Interpreter: /usr/bin/python]\n"
        "[Command finished with exit code CODE]"
    ),
    "Chunk ID: 3f2a1b\nWall time: 0.05 seconds\nProcess exited with code CODE\nOriginal token count: 5\nOutput:\n{}",
    "Wall time: 0.05 seconds\nProcess exited with code CODE\nOutput:\n{}",
    "Exit code: CODE\nWall time: 0.1 seconds\nTotal output lines: 1\nOutput:\n\n{}",
    "Command executed in terminal within working directory '/w'. Exit code: CODE\nOutput:\n{}",
    (
        "Command: CMD\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: CODE\nSignal: (none)\n"
        "Background PIDs: (none)\nProcess Group PGID: 771"
    ),
    "Command: CMD\nDirectory: src\nStdout: {}\nStderr: (empty)\nError: (none)\nExit Code: CODE",
    "<returncode>CODE</returncode>\n<output>\n{}\n</output>",
    "<returncode>CODE</returncode>\n<output>{}</output>",
    "<bash-stdout>{}</bash-stdout><bash-stderr></bash-stderr><exit_code>CODE</exit_code>",
    "Exit code: CODE\n\nCommand output:\n\n```\n{}\n```\n\nCommand completed in 14 ms.",
    "{}\n<exited with exit code CODE>",
    "{}\n<shellId: 3 completed with exit code CODE>",
    "{}\n\n[Process exited with code CODE]",
    "{}///PROCESS-DONE:CODE:PROCESS-DONE///",
    "{}\nexit code CODE",
    "{}\n[Rückgabewert: CODE]",
    "{}\n退出码 CODE",
    "[終了コード: CODE]\n{}",
)
"""Around an output, with an exit code."""
WITHOUT_CODE = (
    "{}\n(Open file: n/a)\n(Current directory: /w)\nbash-$",
    "{}\n(Current directory: /w)\nbash-$ ",
    "{}\n[Jupyter current working directory: /w]\n[Jupyter Python interpreter: /usr/bin/python]",
    "{}\nShell cwd was reset to /w",
    "Output: {}\nProcess Group PGID: 771",
    "<bash-stdout>{}</bash-stdout><bash-stderr></bash-stderr>",
)
LOOKALIKES = (
    "Output: 344",
    "Output:\n344 rows",
    "Output: 344 rows\nError: (none)",
    "Command: quay\nDirectory: src\nOutput: 3",
    "Wall time: 3 s\nOutput:\n344",
    "rows\nOutput:\n344",
    "[tide: high]",
    "(Open file: n/a)\n(Current directory: /w)",
    "bash-$",
    "<output>344</output>",
    "<stdout>344</stdout>",
    '{"output": 344}',
    '{"result": ["344"]}',
    "Exit codes: 3 are listed",
    "OBSERVATION:\nlow water",
    "Process Group PGID: 77",
)


def _wrapped(envelope: str, printed: str, code: int = 0, command: str = "make quay") -> str:
    return envelope.replace("CODE", str(code)).replace("CMD", command).replace("{}", printed)


def _ended(text: str, command: str = "make quay") -> Outcome:
    return outcome(ToolResult("c1", (Text(text),)), command)


@pytest.mark.parametrize("envelope", [*ENVELOPES, *WITHOUT_CODE])
def test_what_a_command_printed_stands_in_its_outcome_without_its_envelope(envelope: str) -> None:
    text = _wrapped(envelope, "344 rows")
    assert _ended(text) == Outcome("ok", failed=False, printed="344 rows")
    found = unwrapped(text)
    assert text[found.start : found.end] == found.text
    assert found.text.rstrip("\n") == "344 rows"


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_a_failure_is_told_by_its_own_line_and_its_code(envelope: str) -> None:
    text = _wrapped(envelope, "building\nmake: *** [quay] Error 2", 2)
    assert _ended(text) == Outcome("exit 2", failed=True, error="make: *** [quay] Error 2")


@pytest.mark.parametrize("envelope", WITHOUT_CODE)
def test_without_a_code_the_last_line_of_the_output_tells_a_failure(envelope: str) -> None:
    text = _wrapped(envelope, "make: *** [quay] Error 2")
    assert _ended(text) == Outcome("error", failed=True, error="make: *** [quay] Error 2")


@pytest.mark.parametrize("text", LOOKALIKES)
def test_what_only_begins_or_ends_like_an_envelope_was_printed(text: str) -> None:
    found = unwrapped(text)
    assert (found.text, found.code, found.wrapped) == (text, None, False)


@pytest.mark.parametrize("inner", [*LOOKALIKES, "[1, 2]", "exit code 0\ndone", "<returncode>0</returncode>"])
@pytest.mark.parametrize("envelope", ENVELOPES[:12])
def test_what_stands_inside_an_envelope_was_printed(envelope: str, inner: str) -> None:
    assert unwrapped(_wrapped(envelope, inner, 3)).text == inner


@pytest.mark.parametrize(
    "fields, code",
    [
        ({"output": "344 rows\n", "metadata": {"exit_code": 4}}, 4),
        ({"stdout": "344 rows\n", "stderr": "", "exitCode": 4}, 4),
        ({"exit_code": 4, "stdout": "344 rows\n", "stderr": ""}, 4),
        ({"returncode": 4, "output": "344 rows\n"}, 4),
        ({"output": "344 rows\n"}, None),
        ({"output": "344 rows\n", "exit_code": True}, None),
    ],
)
def test_a_json_object_is_an_envelope(fields: dict[str, object], code: int | None) -> None:
    text = json.dumps(fields)
    found = unwrapped(text)
    assert (found.text, found.code) == ("344 rows\n", code)
    assert text[found.start : found.end] == "344 rows\\n"


def test_what_a_command_wrote_as_errors_is_read_too() -> None:
    text = json.dumps({"stdout": "", "stderr": "make: *** [quay] Error 2\n", "exitCode": 2})
    assert _ended(text).error == "make: *** [quay] Error 2"


def test_a_command_with_lines_like_fields_ends_where_it_does() -> None:
    command = "cat <<E\nDirectory: a\nOutput: b\nE"
    text = f"Command: {command}\nDirectory: src\nOutput: 344 rows\nError: (none)\nExit Code: 0"
    assert _ended(text.replace("cat", "tide"), command.replace("cat", "tide")).printed == "344 rows"


def test_why_a_command_did_not_begin_is_kept() -> None:
    text = "Command: make\nDirectory: (root)\nOutput: (empty)\nError: spawn make ENOENT\nExit Code: 127"
    assert _ended(text) == Outcome("exit 127", failed=True, error="Error: spawn make ENOENT")


def test_what_only_shows_text_ends_with_a_line_of_somebody_elses() -> None:
    shown = unwrapped("quay\nexit code 2", "cat quay.log", shows=True)
    assert (shown.text, shown.code) == ("quay\nexit code 2", None)
    told = unwrapped("quay\nexit code 2\n[The command completed with exit code 0.]", shows=True)
    assert (told.text, told.code) == ("quay\nexit code 2", 0)


@given(st.text(), st.sampled_from((*ENVELOPES, *WITHOUT_CODE, "{}")))
def test_an_output_is_a_part_of_its_result(printed: str, envelope: str) -> None:
    text = _wrapped(envelope, printed)
    found = unwrapped(text)
    assert 0 <= found.start <= found.end <= len(text)


@pytest.mark.parametrize(
    "unit", ["a", "\n", "[", "exit code 0\n", "Output:\n", "<output>", "a: b\n", '{"output": "\\']
)
@pytest.mark.parametrize("envelope", ["{}", ENVELOPES[1], ENVELOPES[3], ENVELOPES[7], ENVELOPES[9]])
def test_a_long_output_costs_no_more_than_its_ends(unit: str, envelope: str) -> None:
    text = _wrapped(envelope, unit * (2_000_000 // len(unit)))
    found = unwrapped(text)
    assert len(found.text) > 1_900_000
