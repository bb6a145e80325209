"""The user's rules: of two that contradict each other the newest counts, and no other is lost."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.ledger.render import render
from palimpsest.summarize.ledger.rules import takes_back
from palimpsest.summarize.sections import parse
from tests.summarize.dialogues import assistant, condense, extracted, leaf, user
from tests.summarize.test_audit import asked, grounds


def rules_of(*said: str) -> list[str]:
    ledger = Ledger()
    for seq, text in enumerate(("Make the ferry board show tides.", *said), start=1):
        update(ledger, user(text), seq)
    return parse(render(ledger, 1_000, said=""))["Constraints"]


@pytest.mark.parametrize(
    "old, new",
    [
        ("Use tabs for indentation.", "No, use spaces for indentation after all."),
        ("use tabs", "no, use spaces"),
        ("Always deploy from the main branch.", "From now on always deploy from the release branch."),
        ("Never push to the main branch.", "Actually, you must push to the main branch."),
        ("Die Tests müssen vor dem Commit laufen.", "Nein, die Tests müssen erst nach dem Commit laufen."),
        ("必须使用制表符缩进。", "不，必须使用空格缩进。"),
        ("不要删除 data/ports.csv。", "不对，可以删除 data/ports.csv 了。"),
        ("Don't push to main without a review.", "Actually you may push to main without a review."),
    ],
)
def test_a_rule_that_is_taken_back_gives_way_to_the_newest(old: str, new: str) -> None:
    assert rules_of("Never edit data/ports.csv.", old, new) == ["Never edit data/ports.csv.", new]


@pytest.mark.parametrize(
    "first, second",
    [
        ("Always run the tests before a commit.", "Also always run the linter before a commit."),
        ("Never edit data/ports.csv.", "No, never guess a departure."),
        ("Use sqlite for the store.", "Use httpx for requests."),
        ("Never edit data/ports.csv.", "Actually, always write dates as ISO."),
        ("Always run the tests for streaming.", "No tests found for streaming functions."),
        ("Never edit data/ports.csv.", "No, you must read data/ports.csv first."),
    ],
)
def test_rules_that_do_not_contradict_each_other_stay_in_their_order(first: str, second: str) -> None:
    assert rules_of(first, second) == [first, second]


def test_a_rule_is_taken_back_across_others_where_that_is_said_twice() -> None:
    new = "No, use spaces for indentation after all."
    said = ("Use tabs for indentation.", "Prefer httpx over requests.", new)
    assert rules_of(*said) == ["Prefer httpx over requests.", new]


def test_what_counts_from_now_on_is_a_rule_in_chinese() -> None:
    assert rules_of("另外，以后所有日期都用 ISO 8601 格式。") == ["另外，以后所有日期都用 ISO 8601 格式。"]


def test_rules_stand_in_the_order_in_which_they_were_said() -> None:
    said = [f"Never touch dock {name}." for name in ("anna", "berta", "carla", "dora", "emma")]
    assert rules_of(*said) == said


def test_a_rule_that_is_the_last_request_of_its_part_is_a_rule_in_the_next_summary() -> None:
    told = [
        user("Make the board show tides."),
        assistant("I look at it now."),
        user("Never edit data/ports.csv."),
    ]
    first = extracted(leaf(told)).text
    later = extracted(
        leaf([user("Show colours too."), assistant("I add the colours now."), user("Go on.")])
    ).text
    assert "Never edit data/ports.csv." in parse(extracted(condense(first, later)).text)["Constraints"]
    assert "Never edit data/ports.csv." in grounds(leaf(told)).facts["Constraints"]


def test_a_model_does_not_bring_back_what_the_user_took_back() -> None:
    told = leaf(
        [
            user("Make the board show tides. Use tabs for indentation."),
            assistant("I indent the board with tabs."),
            user("No, use spaces for indentation after all."),
            assistant("I indent the board with spaces."),
            user("Go on with the board."),
        ]
    )
    reply = "## Goal\n- Make the board show tides\n## Constraints & preferences\n- {}\n## Progress\n- board indented"
    old, new = (reply.format(f"Use {what} for indentation") for what in ("tabs", "spaces"))
    assert "tabs" not in asked([old, old], grounds(told))[0].text.partition("## Progress")[0]
    assert asked([new], grounds(told))[0].text.startswith(new.partition("## Progress")[0])


def test_a_goal_says_the_rule_that_it_begins_with() -> None:
    ledger = Ledger()
    update(ledger, user("Please show the tides on the board. Never edit data/ports.csv."), 1)
    lines = parse(render(ledger, 1_000, said=""))
    assert lines["Constraints"] == ["Never edit data/ports.csv."]


def test_what_has_every_word_of_a_rule_is_not_taken_back_by_it() -> None:
    rule = "No, use spaces for indentation after all."
    assert not takes_back(rule, "Use spaces for indentation (changed from tabs).", next_to=True)
    assert takes_back(rule, "Use tabs for indentation.", next_to=True)
