"""What a user cites is no wish of his, and what he puts under a heading of rules is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.sections import parse
from tests.summarize.dialogues import assistant, condense, extracted, held, leaf, user


def ruled(text: str) -> list[str]:
    """What of a message is noted as a rule."""
    ledger = Ledger()
    update(ledger, user(text), 1)
    return [entry.text for entry in ledger.of("rule").values()]


ORDERS = (
    "Always sound the horn.",
    "Never sail alone.",
    "Use the red buoys.",
    "禁止夜航。",
    "Fahre nie bei Nebel.",
)
LISTED = (
    "{lead}\n\n1. {one}\n2. {two}\n\n{asked}",
    "{lead}\n\n1. {one}\n\n2. {two}\n\n{asked}",
    "{lead}\n- {one}\n- {two}\n{asked}",
    "{lead}\n{one}\n{two}\n\n{asked}",
)


@given(
    st.sampled_from(LISTED),
    st.sampled_from(
        (
            "The old pilot left this on the desk:",
            "Auf dem Schild steht:",
            "船上写着：",
            "The log says:",
            "The crew's proposal, for a laugh:",
            "去年の担当者のメモです：",
        )
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
    "lead",
    [
        "Report from the lock desk:",
        "From letter 31:",
        "User feedback #7:",
        "alert text:",
        "Un client écrit :",
        "Reseña de un huésped:",
        "老先生说：",
    ],
)
def test_whose_words_are_quoted_is_said_in_many_ways(lead: str) -> None:
    assert not held(f"{lead} «Always sound the horn twice. Never sail alone.» Odd, no?")


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


@pytest.mark.parametrize(
    "lead",
    [
        "The normal tide:",
        "Fog under normal conditions:",
        "Race condition in these places:",
        "The lock rules are:",
        "Fix the lock rules that fail:",
        "The following rules fail:",
        "Abnormal depths:",
        "Normalize these columns:",
        "Conditional lights broken:",
        "Terms and conditions page:",
        "My wishlist for tomorrow:",
        "Die Regelung hat Fehler:",
        "Condiciones de venta en la web:",
        "灯塔要求：",
        "I looked at:",
    ],
)
def test_a_list_of_something_else_holds_no_rules(lead: str) -> None:
    assert not ruled(f"{lead}\n- open the lock\n- the sail")


@pytest.mark.parametrize(
    "lead",
    [
        "Some conditions for the whole survey:",
        "Before we sail, my wishes:",
        "Regeln fürs Boot:",
        "Mes consignes :",
        "Te dejo mis condiciones:",
        "Normas del puerto:",
        "Правила такие:",
        "我的要求：",
        "规矩如下：",
    ],
)
def test_a_list_under_the_name_of_rules_holds_them(lead: str) -> None:
    assert ruled(f"{lead}\n- open the lock\n- the sail") == ["open the lock", "the sail"]


@pytest.mark.parametrize(
    "lead, asked",
    [
        ("Hi! Today's work is the lock:", "What's your plan?"),
        ("Please keep to this:", "Is that clear?"),
        ("Paint the boat like this:", "Does that make sense?"),
        ("The crew decided:", "How far are you?"),
        ("Non-negotiables:", "Which option is best?"),
        ("TODO:\n- mend the mast", "Why is the lock shut?"),
        ("Vorgehen:", "Alles klar?"),
        ("Bitte beachten:", "Noch Fragen?"),
        ("À respecter :", "D'accord ?"),
        ("Ten en cuenta:", "¿Entendido?"),
        ("Учти:", "Понятно?"),
        ("注意：", "明白吗？"),
        ("要件：", "いいですか？"),
        ("As said before:", "Okay so far?"),
        ("What is left:", "Is that clear?"),
        ("In the docs:", "Is that clear?"),
        ("The customer's page:", "Is that clear?"),
        ("On a dit :", "D'accord ?"),
    ],
)
@pytest.mark.parametrize("form", LISTED)
def test_behind_a_colon_a_user_speaks_himself(form: str, lead: str, asked: str) -> None:
    assert set(ORDERS[:2]) <= set(held(form.format(lead=lead, one=ORDERS[0], two=ORDERS[1], asked=asked)))


def test_only_the_paragraph_below_is_somebody_elses() -> None:
    text = "The pilot wrote:\nNever sail alone.\nUse the red buoys.\n\nNever touch the crane.\n\nWhat do you think?"
    assert held(text) == ["Never touch the crane."]


@pytest.mark.parametrize(
    "text",
    [
        'Remember: "never restart the pumps in office hours".',
        "Important: 'do not call the pilot before Friday'",
        "规矩如下：“不要改航线，不要引入新的浮标”",
        "请记住：“没有我的同意不要开闸门放船”",
        "Merke dir: „Frag mich immer, bevor du etwas kaufst“",
        'I already wrote this: "never restart the pumps in office hours".',
        "Noter : « ne jamais partir en mer sans mon accord »",
    ],
)
def test_a_rule_in_quotation_marks_is_kept_whole(text: str) -> None:
    assert held(text) == [text]


def test_a_rule_in_quotation_marks_is_kept_whatever_stands_beside() -> None:
    policy = 'Policy: "No refunds above 100 euros without my approval.'
    assert policy in held(f'{policy}" Apply it always.')
    style = held('Your style guide: "Never use passive voice. Keep sentences short."  Now write the log.')
    assert style == ['Your style guide: "Never use passive voice.', "Keep sentences short."]
