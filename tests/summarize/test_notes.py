"""What of results a summary tells where nobody said much: what says something by itself."""

from __future__ import annotations

from palimpsest.record.message import Message
from palimpsest.summarize.ledger.codec import from_json, to_json
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.sections import parse
from tests.summarize.dialogues import assistant, call, extracted, leaf, result, user


def test_where_little_was_said_lines_of_code_in_results_are_no_notes() -> None:
    shown = (
        "interface Berth {\n  order?: { [K in keyof T]?: string },\n  @param query - the berths to look for\n}\n"
        "pnpm-lock.yaml\nThe berths of the north quay are listed by their depth at low water.\n"
    )
    source = leaf(
        [
            user("Look at the berths and tell me what the file says of them."),
            assistant("", call("a", "Bash", command="head src/berths.ts")),
            result("a", shown),
        ]
    )
    notes = parse(extracted(source).text)["Notes"]
    assert notes == ["tool: The berths of the north quay are listed by their depth at low water."]


def test_an_error_that_ends_in_a_colon_is_told_with_the_line_below() -> None:
    source = leaf(
        [
            user("Start the task that lists the berths."),
            assistant("", call("a", "Task", description="list the berths")),
            result("a", "InputError: the call failed:\nThe parameter `prompt` is missing", error=True),
        ]
    )
    assert parse(extracted(source).text)["Errors"] == [
        "InputError: the call failed: The parameter `prompt` is missing"
    ]


TIDES = "/srv/ferry/src/tides.py"
REFUSED = result("b", "The text to replace was not found.", error=True)
LOOKS_AND_EDITS = [
    assistant("", call("a", "Read", file_path=TIDES)),
    result("a", "def tides(): ..."),
    assistant("", call("b", "Edit", file_path=TIDES, old_string="x", new_string="y")),
]


def marked(*told: Message) -> str:
    """What the ledger says was done to the file, kept and read back after each message."""
    ledger = Ledger()
    for seq, message in enumerate(told, start=1):
        ledger = from_json(to_json(update(ledger, message, seq)))
    return ledger.of("file")[TIDES].label


def test_an_edit_that_was_refused_is_none() -> None:
    assert marked(*LOOKS_AND_EDITS, REFUSED) == "read"
    assert marked(*LOOKS_AND_EDITS, result("b", "ok")) == "edited"


def test_of_two_edits_beside_each_other_one_that_went_well_is_enough() -> None:
    edits = [call(name, "Edit", file_path=TIDES, old_string=name, new_string="y") for name in "bc"]
    assert marked(assistant("", *edits), REFUSED, result("c", "ok")) == "edited"
    assert marked(assistant("", *edits), result("b", "ok"), result("c", "No.", error=True)) == "edited"
