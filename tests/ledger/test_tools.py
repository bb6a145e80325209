"""What the ledger knows of tools that tell something by their results, or bit by bit."""

from __future__ import annotations

import pytest

from palimpsest.ledger.render import render
from palimpsest.record.message import Message
from tests.ledger.noting import entry_of, noted
from tests.summarize.dialogues import assistant, call, result

SHOWN = "[File: /app/src/ferry.py (90 lines total)]\r\n1:x"


@pytest.mark.parametrize(
    "said, operation",
    [
        (SHOWN, "edited"),
        (f"Text replaced. Please review the changes.\r\n{SHOWN}", "edited"),
        (f"Your proposed edit has introduced new syntax error(s).\r\n{SHOWN}", "read"),
        ("The string was not found in the file.", "read"),
    ],
)
def test_an_edit_of_the_open_file_is_known_by_its_result(said: str, operation: str) -> None:
    edit = "edit 1:1\nprint(1)\nend_of_edit"
    ledger = noted(
        [
            assistant("", call("1", "bash", command="open src/ferry.py")),
            result("1", SHOWN),
            assistant("", call("2", "bash", command=edit)),
            result("2", said),
        ]
    )
    assert entry_of(ledger, "src/ferry.py").label == operation


def test_tasks_that_are_added_and_changed_one_by_one_are_a_list() -> None:
    def tasks(*more: Message) -> tuple[str, ...]:
        return noted([assistant("", *calls), *results, *more]).tasks

    subjects = ("Rename the berths", "Check the quay", "Ring the bell")
    calls = [
        call(str(place), "TaskCreate", subject=one, activeForm="Working")
        for place, one in enumerate(subjects, 1)
    ]
    results = [
        result(str(place), f"Task #{place} created successfully: {one}")
        for place, one in enumerate(subjects, 1)
    ]
    assert tasks() == tuple(f"[ ] #{place} {one}" for place, one in enumerate(subjects, 1))
    done = assistant("", call("4", "TaskUpdate", taskId="1", status="completed"))
    begun = assistant("", call("5", "TaskUpdate", taskId="2", status="in_progress"))
    gone = assistant("", call("6", "TaskUpdate", taskId="9", status="deleted"))
    assert tasks(done, begun, gone) == ("[>] #2 Check the quay", "[ ] #3 Ring the bell")
    text = render(noted([assistant("", *calls), *results, done]), 500)
    assert ("Check the quay" in text, "Rename the berths" in text, "taskId" in text) == (True, False, False)
