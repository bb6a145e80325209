"""The user's own words that a ledger had no room for."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.pieces import count_text
from palimpsest.record.message import Message, Text
from palimpsest.summarize.ledger.choose import LINE_TOKENS
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.ledger.render import render
from palimpsest.summarize.ledger.words import HEADING_TOKENS, with_words, worded
from palimpsest.summarize.sections import Section, parse
from palimpsest.summarize.sections import render as render_sections
from tests.summarize.dialogues import assistant, call, result

PLACES = "mole pier lock dock quay slip crane ramp yard gate shed buoy".split()
RULES = [f"Never close the {place} of the north harbour before the evening ferry." for place in PLACES]
REMARK = "The big dog of the harbour master is called Bosun."


def noted(*texts: str) -> Ledger:
    ledger = Ledger()
    for seq, text in enumerate(("Plan the summer of the harbour.", *texts), 1):
        update(ledger, Message("user", (Text(text),)), seq)
    return ledger


def written(ledger: Ledger, budget_tokens: int, room_tokens: int, said: str = "") -> str:
    text = render(ledger, budget_tokens, said=said)
    return with_words(text, ledger, room_tokens, said=said)


def test_every_rule_is_said_where_there_is_room_for_them_in_the_order_in_which_they_were_said() -> None:
    ledger = noted(*RULES)
    assert set(RULES) - set(parse(render(ledger, 200, said=""))["Constraints"])
    assert parse(written(ledger, 200, 400))["Constraints"] == RULES


def test_no_more_is_taken_than_the_room() -> None:
    ledger = noted(*RULES, REMARK)
    for room in (0, 5, 30, 90, 200):
        assert count_text(written(ledger, 200, room)) <= count_text(render(ledger, 200, said="")) + room


def test_nothing_is_said_twice_and_where_nothing_lacks_the_text_stays() -> None:
    ledger = noted(RULES[0])
    text = render(ledger, 400, said="")
    assert with_words(text, ledger, 500, said="") == text
    said = "\n".join(f"- {rule}" for rule in RULES)
    assert RULES[3] not in written(noted(*RULES), 200, 400, said)


def test_without_a_ledger_the_rules_stand_under_a_heading_of_their_own() -> None:
    assert with_words("", noted(RULES[0]), 100, said="") == f"## Constraints\n- {RULES[0]}"


def test_remarks_have_a_heading_of_their_own_behind_the_rules_and_before_files() -> None:
    ledger = noted(*RULES, REMARK)
    text = "## Goal\n- Plan the summer.\n## Files\n- ./: tides.csv"
    found = with_words(text, ledger, 600, said="")
    assert found.startswith(f"## Goal\n- Plan the summer.\n## Constraints\n- {RULES[0]}\n")
    assert found.endswith(f"- {RULES[-1]}\n## Also said by the user\n- {REMARK}\n## Files\n- ./: tides.csv")


def test_what_stands_verbatim_in_the_window_is_left_out() -> None:
    ledger = noted(*RULES)
    found = with_words("", ledger, 600, said="", shown=frozenset({2}))
    assert RULES[0] not in found
    assert RULES[1] in found


@given(
    st.lists(st.sampled_from((*RULES, REMARK, "Never wave.", "Dogs travel free, never cats.")), max_size=8)
)
def test_no_more_than_the_room_is_taken_whatever_was_said(said: list[str]) -> None:
    ledger, text = noted(*said), "## Files\n- ./: tides.csv"
    for room in range(0, 120, 3):
        assert count_text(with_words(text, ledger, room, said="")) <= count_text(text) + room


@given(
    st.lists(st.sampled_from((*RULES, REMARK, "Boats moor here.", "不要夜航。")), unique=True),
    st.integers(0, 400),
    st.sampled_from(("", "Tides\n\n- at noon", "## Files\n- ./: tides.csv")),
)
def test_the_room_is_kept_however_tokens_are_counted(said: list[str], room: int, text: str) -> None:
    ledger = noted(*said)
    for count in (len, lambda one: len(one.encode()), count_text):
        assert count(with_words(text, ledger, room, said="", count=count)) <= count(text) + room


LASTING = (
    "die firma Brand kommt nicht in frage",
    "Sundays are for the crew only.",
    "the harbour master never answers mails",
    "The gate opens before every ferry.",
)
PRINTED: tuple[Section, ...] = ("Files", "Commands", "Errors", "Identifiers")


def busy(said: Sequence[str], calls: int) -> Ledger:
    """What is noted of a user's words and of tools that print ids by the dozen."""
    ledger = noted(*said)
    for number in range(calls):
        ids = " ".join(f"BERTH-{number}{digit}7" for digit in range(9))
        update(ledger, assistant("", call(f"c{number}", "find_berth", berth=f"B-{number}9")), ledger.seq + 1)
        update(ledger, result(f"c{number}", f"src/berths/pier_{number}.py: {ids}"), ledger.seq + 1)
    return ledger


@given(
    st.lists(st.sampled_from((*RULES, REMARK, *LASTING)), unique=True),
    st.integers(0, 12),
    st.integers(1, 500),
    st.integers(0, 300),
)
def test_nothing_that_tools_printed_stands_while_a_users_demand_would_fit_in_its_place(
    said: list[str], calls: int, budget: int, words: int
) -> None:
    text = worded(busy(said, calls), budget, words, said="")
    assert count_text(text) <= budget + words
    told = parse(text)
    printed: dict[Section, Sequence[str]] = {section: told[section] for section in PRINTED if section in told}
    freed = count_text(render_sections(printed))
    left_out = [one for one in said if one != REMARK and one not in text]
    assert [one for one in left_out if count_text(one) + LINE_TOKENS + HEADING_TOKENS <= freed] == []


def test_a_users_demands_have_the_whole_of_a_small_ledger() -> None:
    ledger = busy((*RULES[:6], LASTING[0]), 12)
    assert {*RULES[:6], LASTING[0]} <= {
        line for lines in parse(worded(ledger, 150, 0, said="")).values() for line in lines
    }
    assert "BERTH" in worded(ledger, 600, 0, said="")
