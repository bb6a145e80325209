"""A goal that the user names as the new one: it is noted, and takes nothing back."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.codec import from_json, to_json
from palimpsest.summarize.ledger.render import render
from tests.summarize.dialogues import heard

FIRST = "Move the tide tables to the harbour's cloud before spring."


@pytest.mark.parametrize("said", ["New goal: print the log.", "Change of plan: sell the old crane."])
def test_a_new_goal_takes_no_rule_and_nothing_else_back(said: str) -> None:
    rule = "Never commit without asking me."
    ledger = heard(f"{rule} Fix the login page.", said)
    assert rule in [entry.text for entry in ledger.of("rule").values()]
    assert ledger.goal.startswith(said[:8])
    assert ledger.dropped == {}


def test_a_ledger_keeps_its_goal_and_what_was_taken_back() -> None:
    ledger = heard(
        FIRST, "No emojis in the mails.", "Emojis in the mails are fine again.", "New goal: sell the crane."
    )
    assert ledger.dropped
    assert ledger.goal
    assert from_json(to_json(ledger)) == ledger


def test_what_the_user_wants_and_forbids_is_not_repeated_beside_the_window() -> None:
    ledger = heard(FIRST, "Never commit without asking me.", "New goal: sell the crane.")
    assert render(ledger, 1_000, said="") == ""
