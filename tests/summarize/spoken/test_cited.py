"""What a user cites is no wish of his, and what he puts under a heading of rules is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.sections import parse
from tests.summarize.dialogues import assistant, condense, extracted, held, leaf, user

ORDERS = (
    "Always sound the horn.",
    "Never sail alone.",
    "Use the red buoys.",
    "禁止夜航。",
    "Fahre nie bei Nebel.",
)
LISTED = (
    "{lead}\n\n1. {one}\n2. {two}\n\n{asked}",
    "{lead}\n- {one}\n- {two}\n{asked}",
    "{lead}\n{one}\n{two}\n\n{asked}",
)


@given(
    st.sampled_from(LISTED),
    st.sampled_from(
        ("The old pilot left this on the desk:", "Auf dem Schild steht:", "船上写着：", "The log says:")
    ),
    st.sampled_from(("Is that of any use?", "Was hältst du davon?", "你觉得怎么样？", "Thoughts?")),
    st.lists(st.sampled_from(ORDERS), min_size=2, max_size=2, unique=True),
)
def test_what_a_question_is_asked_about_binds_nobody(
    form: str, lead: str, asked: str, said: list[str]
) -> None:
    assert not set(said) & set(held(form.format(lead=lead, one=said[0], two=said[1], asked=asked)))


@given(
    st.sampled_from(LISTED),
    st.sampled_from(("My wishes:", "House rules:", "Unsere Regeln:", "我的要求：", "What I need:")),
    st.sampled_from(("What do you think?", "Can you start with the map?", "Go on.", "")),
    st.lists(st.sampled_from(ORDERS), min_size=2, max_size=2, unique=True),
)
def test_what_a_user_wishes_binds_whatever_he_asks_besides(
    form: str, lead: str, asked: str, said: list[str]
) -> None:
    assert set(said) <= set(held(form.format(lead=lead, one=said[0], two=said[1], asked=asked)))


@pytest.mark.parametrize("quotes", ['"{}"', "“{}”", "«{}»", "„{}“", "「{}」", "'{}'"])
def test_what_stands_in_quotation_marks_behind_a_colon_was_said_by_somebody_else(quotes: str) -> None:
    letter = "Always sound the horn twice. Never sail alone."
    assert not held(f"The harbour master wrote: {quotes.format(letter)} Odd, no?")
    assert "Never sail alone." in held(f"The flag: {quotes.format('Red')}. Never sail alone.")


@pytest.mark.parametrize(
    "text, said",
    [
        (
            "A few house rules:\n- berth plans on blue paper\n- Ida signs",
            ["berth plans on blue paper", "Ida signs"],
        ),
        (
            "Normas del puerto:\n- Firma como «Muelle Sur».\n- Boyas a Inés.",
            ["Firma como «Muelle Sur».", "Boyas a Inés."],
        ),
        ("Правила:\n1. лодки слева\n2. вёсла в сарай", ["лодки слева", "вёсла в сарай"]),
    ],
)
def test_each_item_of_a_list_of_rules_is_a_rule(text: str, said: list[str]) -> None:
    assert held(text) == said


@pytest.mark.parametrize(
    "request_",
    [
        "The old pilot left this on the desk:\n\n1. Always sound the horn.\n2. Never sail alone.\n\nIs it of any use?",
        "The harbour master wrote: 'Always sound the horn. Never sail alone.' What a letter.",
        "老船长说：“夜里一定要点灯，千万不能靠岸。”这个可以放进书里吗？",
    ],
)
def test_what_was_cited_in_a_request_binds_nobody_when_a_summary_is_read_again(request_: str) -> None:
    said = [user("Plan the harbour. Keep it short."), assistant("Yes."), user(request_), assistant("I see.")]
    again = extracted(condense(extracted(leaf(said)).text, "## Notes\n- assistant: Done."))
    assert "Keep it short." in again.text
    assert not [line for line in parse(again.text).get("Constraints", []) if "horn" in line or "点灯" in line]


def test_a_list_of_something_else_holds_no_rules() -> None:
    assert not held("I looked at:\n- the mast?\n- the sail?")
