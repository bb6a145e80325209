"""How many parts a file has stands in brackets behind its name, and is no deed of its own."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.deeds.closest import told_as_done
from tests.summarize.dialogues import assistant, call, leaf, result, user

PATCH = "*** Begin Patch\n*** Add File: cutover/plan.md\n+1. Stop.\n+2. Wait.\n+3. Set.\n*** End Patch"
TALK = [
    user("Move the ledger to the new host. Write cutover/plan.md, in at most three steps."),
    assistant("I write the plan.", call("a", "apply_patch", input=PATCH)),
    result("a", "Success. Updated the following files:\nA cutover/plan.md"),
    assistant("Done."),
    user(
        "Please put the three steps of cutover/plan.md into the ticket, and add the drei Schritte and trois étapes."
    ),
]


@pytest.mark.parametrize(
    "line",
    [
        "Created: cutover/plan.md (three steps)",
        "Created: cutover/plan.md (3 steps)",
        "Created: `cutover/plan.md` (drei kurze Schritte)",
        "Created: cutover/plan.md (trois étapes)",
    ],
)
def test_a_count_behind_a_file_that_was_made_is_no_deed(line: str) -> None:
    assert not list(told_as_done([line], leaf(TALK)))


def test_a_deed_in_brackets_is_one() -> None:
    line = "Created: cutover/plan.md (three steps added for the way back)"
    assert list(told_as_done([line], leaf(TALK))) == [line]
