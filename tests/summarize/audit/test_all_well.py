"""That all is done, nothing is open and nothing failed is struck where nobody said so, and kept where it is so."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.deeds.acts import all_well
from tests.summarize.dialogues import assistant, call, leaf, result, user

FAILED = (
    user("Count the buoys, then paint gate 7."),
    assistant("I count.", call("1", "Bash", command="make count")),
    result("1", "make: *** [count] Error 2"),
    assistant("The count fails; the gate is still to be painted."),
)
WENT = (
    user("Count the buoys."),
    assistant("I count.", call("1", "Bash", command="make count")),
    result("1", "41 buoys"),
    assistant("41 buoys. Everything is done, nothing is left to do."),
)


@pytest.mark.parametrize(
    "line",
    [
        "All tasks are done.",
        "Work is complete.",
        "Nothing is open.",
        "No open tasks.",
        "Everything went smoothly.",
        "No errors.",
        "Alles ist erledigt.",
        "Keine offenen Punkte.",
        "Tout est terminé.",
        "Todas las tareas están hechas.",
        "所有任务已完成。",
        "作業はすべて完了した。",
        "一切顺利。",
    ],
)
def test_it_goes_where_nobody_said_so(line: str) -> None:
    assert list(all_well([f"- {line}"], leaf(FAILED))) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "Everything is done.",
        "Nothing is left to do.",
        "Everything went smoothly.",
        "All 41 buoys were counted.",
        "Nothing in the notes of today.",
        "No new errors in gate 7 since the paint dried.",
    ],
)
def test_it_stays_where_it_is_so_and_so_does_what_says_something_else(line: str) -> None:
    assert list(all_well([f"- {line}"], leaf(WENT))) == []
