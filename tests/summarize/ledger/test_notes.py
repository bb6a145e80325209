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


LOGIN = [
    "The login page sends people back twice, even with the right password.",
    "In the check of the expiry seconds are compared with milliseconds, which the login then believes.",
    "After a restart the login worked again for an hour.",
    "The redirect behind the login drops the tenant from the address.",
    "Its form is fine, so the markup of the login stays as it is.",
    "A test for the login with a stale cookie is missing.",
]
BERTHS = [
    f"Berth {n} of the north quay was measured at low water, and the {word} tide left {n + 2} feet beneath its keel."
    for n, word in enumerate(
        ("morning", "evening", "spring", "neap", "early", "late", "high", "slack") * 5, 3
    )
]


def test_a_focus_gets_most_of_the_room_for_notes_and_what_is_left_goes_to_others() -> None:
    talk = [assistant(text) for text in BERTHS]
    for at, text in enumerate(LOGIN):
        talk.insert(at * 6, (user if at % 2 else assistant)(text))
    talk = [user("Measure the berths, please."), *talk, user("Go on with the next quay.")]
    source = leaf(talk, focus="the bug of the login")
    whole = extracted(source, target_tokens=300).text
    assert [text for text in LOGIN if text in whole] == LOGIN
    assert any("Berth" in note for note in parse(whole)["Notes"])
    few = parse(extracted(source, target_tokens=150).text)["Notes"]
    assert sum("login" in note for note in few) > len(few) / 2
