"""What of results a summary tells where nobody said much: what says something by itself."""

from __future__ import annotations

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
