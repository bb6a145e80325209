"""A summary that stands alone says what the user demanded before what tools printed, in whatever size."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.facts import Facts, add
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.sections import Section, parse
from palimpsest.summarize.sections import render as render_sections
from palimpsest.summarize.source import Source
from tests.summarize.dialogues import assistant, call, condense, extracted, leaf, quarter, result, user

FIRST = "Plan the summer of the harbour."
DEMANDS = (
    "die firma Brand kommt nicht in frage",
    "the harbour master never answers mails",
    "Never close the north gate before the evening ferry.",
    "At most 12 guests per boat.",
    "Sundays are for the crew only.",
    "一度に送るのは最大100件までにして。",
    "No emojis in any letter.",
    "retry max 3 times, then give up",
)
PRINTED: tuple[Section, ...] = ("Files", "Commands", "Errors", "Identifiers")


def source(said: Sequence[str], calls: int) -> Source:
    """A user's words, and tools that did things and printed ids."""
    messages = [user(FIRST), *(user(one) for one in said)]
    for number in range(calls):
        messages.append(
            assistant("", call(f"c{number}", "book_berth", berth=f"B-{number}9", boat=f"S-{number}4"))
        )
        messages.append(result(f"c{number}", f"src/berths/pier_{number}.py BERTH-{number}17"))
    return leaf([*messages, user("And now the letter.")])


@given(
    st.lists(st.sampled_from(DEMANDS), unique=True),
    st.integers(0, 10),
    st.integers(30, 400),
    st.integers(1, 400),
)
def test_nothing_that_tools_printed_stands_while_a_users_demand_would_fit_in_its_place(
    said: list[str], calls: int, target: int, more: int
) -> None:
    made = extracted(source(said, calls), target_tokens=target, limit_tokens=target + more)
    found = parse(made.text)
    freed = quarter(render_sections({section: found[section] for section in PRINTED if section in found}))
    left_out = [one for one in said if one not in made.text]
    assert [one for one in left_out if quarter(one) + 12 <= freed] == []


def test_a_target_that_is_too_small_for_the_users_demands_is_passed_as_far_as_the_limit_goes() -> None:
    text = extracted(source(DEMANDS, 8), target_tokens=60, limit_tokens=300).text
    assert [one for one in DEMANDS if one not in text] == []


def test_a_summary_of_itself_and_a_word_keeps_the_users_demands() -> None:
    text = extracted(source(DEMANDS, 8), target_tokens=200, limit_tokens=400).text
    for _ in range(5):
        again = condense(text, "## Last request of this part\n- go on with the gate")
        text = extracted(again, target_tokens=quarter(text) // 2, limit_tokens=quarter(text) + 40).text
    assert [one for one in DEMANDS if one not in text] == []


@pytest.mark.parametrize("owed, told", [(0, 0), (200, 3)])
def test_a_models_summary_that_stands_alone_is_given_the_demands_beyond_its_room(
    owed: int, told: int
) -> None:
    facts: Facts = {"Constraints": DEMANDS[:3], "Commands": ["`book_berth(berth=B-19)` -> ok"]}
    _, added = add(
        "## Goal\n- Plan.", facts, FORMS["sections"], room_tokens=4, count=quarter, owed_tokens=owed
    )
    assert list(added) == list(DEMANDS[:told])
