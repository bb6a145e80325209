"""Standing wishes in a few words, and remarks: what is kept of what a user says in passing."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.pieces import count_text
from palimpsest.summarize.ledger.codec import from_json, to_json
from palimpsest.summarize.ledger.entries import MOST, Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.ledger.render import render
from palimpsest.summarize.ledger.words import REMARKS_SHARE, with_words
from palimpsest.summarize.sections import parse
from palimpsest.summarize.spoken.cues import rule_weight
from palimpsest.summarize.spoken.remarks import is_remark
from tests.summarize.dialogues import holds, user

STANDING = (
    "Answer me in short sentences.",
    "All fares in Swiss francs please.",
    "Column names in English.",
    "Prices always including VAT.",
    "One berth per boat.",
    "Add no new dependencies.",
    "Write no file outside /srv/ferry.",
    "Nothing leaves this machine.",
    "No sailing before 10 am.",
    "The public API stays unchanged.",
    "The vendored tide tables are off-limits.",
    "Treat the log as read-only.",
    "Refunds over 50 euros need my approval.",
    "Ohne meine Freigabe wird nichts verschickt.",
    "Ask before you cancel a sailing.",
    "If a feed is late, tell me first.",
    "Falls ein Test fehlschlägt, sag mir Bescheid.",
    "Debug output goes to stderr, not stdout.",
    "At most 3 retries.",
    "The budget is 400 euros.",
    "Deadline: Friday noon.",
    "We support Python 3.11 and later.",
    "I'm lactose intolerant.",
    "My father can't climb stairs.",
    "Je suis végétarienne.",
    "所有注释都用中文。",
    "每次最多三个文件。",
)
NOT_STANDING = (
    "The budget is gone.",
    "The deadline was moved.",
    "All tests passed with warnings.",
    "Error in line 5.",
    "Thanks, that works for all ferries.",
    "Changes in three files.",
    "It stays as it is?",
    "Maximum recursion depth exceeded.",
    "Nothing happened.",
    "Ferries were late for every sailing.",
    "The captain says nothing.",
    "Fix the tide table in the harbour page.",
    "最多三天他就回来了。",
)
REMARKS = (
    "We have a dog with us.",
    "Our users are on old tablets.",
    "The harbour master reads only Italian.",
    "My train gets in around nine.",
    "Wir fahren mit zwei Kindern.",
    "我们带着一只狗。",
)
NO_REMARKS = (
    "Do you have a map?",
    "Fix the tide table.",
    "ok, now run the tests",
    "It fails again with the same error.",
    "Thanks, that was perfect.",
    "Yes.",
    "Dog on board:",
    "请修改这个文件。",
    "board.render(tides)",
)


def ledger_of(*said: str) -> Ledger:
    ledger = Ledger()
    for seq, text in enumerate(("Make the ferry board show tides.", *said), start=1):
        update(ledger, user(text), seq)
    return ledger


def lasting(ledger: Ledger, room_tokens: int = 1_000, *, said: str = "") -> tuple[list[str], list[str]]:
    """The rules, and what else the user told, as a window has them."""
    found = parse(with_words(render(ledger, 1_000, said=said), ledger, room_tokens, said=said))
    return found.get("Constraints", []), found.get("Also said by the user", [])


@pytest.mark.parametrize("text", STANDING)
def test_a_standing_wish_in_a_few_words_holds_on(text: str) -> None:
    assert holds(text)


@pytest.mark.parametrize("text", NOT_STANDING)
def test_reports_errands_and_names_are_no_standing_wishes(text: str) -> None:
    assert rule_weight(text) < 0.5


@pytest.mark.parametrize("text", REMARKS)
def test_what_a_user_says_besides_is_kept_as_it_was_said(text: str) -> None:
    assert is_remark(text)
    assert lasting(ledger_of(text)) == ([], [text])


@pytest.mark.parametrize("text", NO_REMARKS)
def test_questions_errands_reports_courtesies_and_code_are_no_remarks(text: str) -> None:
    assert not is_remark(text)


def test_remarks_are_no_constraints_and_are_said_where_no_summary_says_them() -> None:
    ledger = ledger_of("We have a dog with us.", "Never sail after dark.")
    assert lasting(ledger) == (["Never sail after dark."], ["We have a dog with us."])
    assert lasting(ledger, said="The family: We have a dog with us.") == (["Never sail after dark."], [])


def test_many_remarks_take_a_small_part_and_leave_the_rules_whole() -> None:
    rules = [f"Never moor at pier {number}." for number in range(1, 9)]
    remarks = [
        f"Our cousin {a}{b}{c} lives on the island." for a, b, c in product("BDFGHJKL", "aeiou", "mnrst")
    ]
    ledger = ledger_of(*rules, *remarks)
    shown, told = lasting(ledger, 200)
    assert shown == rules
    assert 0 < sum(count_text(line) for line in told) < REMARKS_SHARE * 200
    assert remarks[-1] in told
    assert len(ledger.of("remark")) < 2 * MOST["remark"]


def test_what_is_pasted_holds_no_remarks() -> None:
    ledger = ledger_of("Look:\n\n> We have a dog with us.\n\n```\nWe have a dog with us.\n```")
    assert not ledger.of("remark")


def test_remarks_are_kept_by_the_codec() -> None:
    ledger = ledger_of("We have a dog with us.")
    assert from_json(to_json(ledger)).of("remark").keys() == ledger.of("remark").keys()


@given(st.text(max_size=200))
def test_any_text_is_judged(text: str) -> None:
    assert is_remark(text) in (True, False)
