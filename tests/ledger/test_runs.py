"""What the ledger says of a command that ran more than once, and of what was forgotten."""

from __future__ import annotations

import json

import pytest

from palimpsest.ledger.codec import from_json, to_json
from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.scoring import command_text
from palimpsest.ledger.update import update
from palimpsest.record.forgetting import blank_for
from tests.summarize.dialogues import assistant, call, result, user


def _runs(*outputs: str) -> Ledger:
    ledger = Ledger()
    for seq, output in enumerate(outputs):
        update(ledger, assistant("", call(str(seq), "Bash", command="make quay")), 2 * seq + 1)
        update(ledger, result(str(seq), output), 2 * seq + 2)
    return ledger


@pytest.mark.parametrize(
    "outputs, told",
    [
        (("exit code 2", "exit code 2", "done"), "`make quay` -> ok (x3, 2 failed)"),
        (("done", "done"), "`make quay` -> ok (x2)"),
        (("exit code 2",), "`make quay` -> exit 2"),
    ],
)
def test_a_command_says_how_many_of_its_runs_failed(outputs: tuple[str, ...], told: str) -> None:
    entry = _runs(*outputs).of("command")["make quay"]
    line = command_text(entry, error_chars=0, runs=entry.runs)
    assert line == told


def test_failed_runs_are_kept_and_an_older_ledger_has_none() -> None:
    text = to_json(_runs("exit code 2"))
    assert from_json(text).of("command")["make quay"].failures == 1
    saved = json.loads(text)
    saved["tables"] = {kind: [row[:15] for row in rows] for kind, rows in saved["tables"].items()}
    assert from_json(json.dumps(saved)).of("command")["make quay"].failures == 0


def test_the_exit_code_that_is_reported_counts_whatever_the_output_says() -> None:
    said = {"output": "The tool must return exit code 0.\n" + "x\n" * 30, "metadata": {"exit_code": 2}}
    ledger = _runs(json.dumps(said))
    assert ledger.of("command")["make quay"].label == "exit 2"


def test_what_was_forgotten_is_no_request() -> None:
    messages = [
        blank_for(user("Move berth 7 to Ada Quay.")),
        assistant("It is moved."),
        user("Paint the buoys."),
    ]
    ledger = Ledger()
    for seq, message in enumerate(messages, start=1):
        update(ledger, message, seq)
    assert [entry.text for entry in ledger.of("request").values()] == ["Paint the buoys."]


@pytest.mark.parametrize(
    "error, told",
    [
        ("Error: no berth is left", "error: no berth is left"),
        ("fatal: no berth is left", "error: fatal: no berth is left"),
    ],
)
def test_that_a_command_ended_with_an_error_is_said_once(error: str, told: str) -> None:
    entry = _runs(error).of("command")["make quay"]
    assert command_text(entry) == f"`make quay` -> {told}"


def _told(command: str, printed: str) -> str:
    """A command as it ran and what it printed."""
    ledger = Ledger()
    called = assistant("", call("1", "Bash", command=command))
    for seq, message in enumerate((called, result("1", printed)), start=1):
        update(ledger, message, seq)
    return command_text(ledger.of("command")[command])


@pytest.mark.parametrize(
    "printed, told",
    [
        ("344\n", "ok: 344"),
        ("344\n345", "ok"),
        ("(no output)", "ok"),
        (f"quay {'berth ' * 20}", "ok"),
        ("exit code 2", "exit 2"),
    ],
)
def test_the_one_line_that_a_command_printed_is_its_outcome(printed: str, told: str) -> None:
    assert _told("python berths.py", printed) == f"`python berths.py` -> {told}"
