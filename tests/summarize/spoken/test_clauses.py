"""What of a sentence says what it says, and how a condition is put in passing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.spoken.clauses import main_clause, unconditional
from palimpsest.summarize.spoken.cues import rule_weight
from palimpsest.summarize.spoken.remarks import LASTING_WEIGHT, as_rule, remark_weight
from tests.summarize.dialogues import holds, user

RULES = (
    "use tabs in the tide files",
    "never close the lock at noon",
    "keep the berth names",
    "stick to plain text",
)


@given(
    st.sampled_from(RULES),
    st.sampled_from(("before the tide turns", "so that we see it", "because it was wet")),
)
def test_a_main_clause_ends_where_its_reason_begins(rule: str, why: str) -> None:
    assert main_clause(f"{rule} {why}") == rule


@given(
    st.sampled_from(RULES),
    st.sampled_from(("ok and while you're at it", "If the crane moves", "wenn Nebel ist")),
)
def test_a_main_clause_begins_behind_its_condition(rule: str, given_: str) -> None:
    assert unconditional(f"{given_}, {rule}") == main_clause(f"{given_}, {rule}") == rule


@given(st.sampled_from(RULES), st.sampled_from((", ok?", ", right?", ", ja?", ", vale?", ", хорошо?")))
def test_what_asks_for_a_nod_makes_no_question_of_a_rule(rule: str, nod: str) -> None:
    assert rule_weight(f"{rule}{nod}") == rule_weight(f"{rule}.") > 0.5


@given(
    st.sampled_from(RULES[1:]),
    st.sampled_from(("Could you please ", "Can we ", "Würdest du bitte ")),
)
def test_a_polite_question_is_judged_by_what_it_asks_for(rule: str, asks: str) -> None:
    assert rule_weight(f"{asks}{rule}?") == rule_weight(f"{rule}.") > 0.5


@pytest.mark.parametrize(
    "text",
    [
        "Could you read the log?",
        "Kannst du die Karte zeigen?",
        "Can you use the north quay here?",
        "Would you prefer tabs?",
        "¿Puedes mirar el muelle?",
    ],
)
def test_a_polite_question_for_work_is_no_rule(text: str) -> None:
    assert rule_weight(text) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "can you avoid the crash?",
        "could you remember where we moored the boat?",
        "你能不能看一下所有浮标？",
        "all done, right?",
        "all tests pass, ok?",
        "you never pushed, right?",
    ],
)
def test_who_asks_for_a_nod_to_how_it_is_or_for_something_at_hand_gives_no_rule(text: str) -> None:
    assert as_rule(text) < 0.5


@pytest.mark.parametrize(
    "text",
    ["能不能都写测试？", "all depths in metres, ok?", "Could you avoid the word 'berth' in the letters?"],
)
def test_who_asks_for_all_to_be_so_does(text: str) -> None:
    assert as_rule(text) >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        "For now use sqlite",
        "for now keep everything in one file",
        "use the blue theme for now",
        "Leave this part alone.",
        "leave it as it is now",
        "keep the old tests this time too",
        "Keep the demo working this week.",
        "avoid the queue today",
        "Remember: tomorrow is the freeze",
        "Stick to the plan we made yesterday.",
        "stick with last week's design",
        "Use yesterday's export as the baseline",
        "keep today's backup",
        "use the staging database today and tomorrow",
    ],
)
def test_an_order_that_names_a_day_holds_until_it_is_lifted(text: str) -> None:
    assert as_rule(text) >= 0.5
    assert holds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Invoices go to the harbour office by mail now.",
        "The tide tables live in data/tides now.",
        "Die Fähre liefert ihre Zahlen jetzt als XML.",
        "Los avisos se mandan al puerto a partir de hoy.",
        "Los barcos grandes los lleva ahora Marta.",
        "Les quittances partent de Lise à partir de demain.",
        "浮标现在由林老师负责。",
        "The ferry runs to Lübeck from today.",
    ],
)
def test_how_something_is_done_from_now_on_holds_on(text: str) -> None:
    assert holds(text)


def test_what_holds_from_a_day_on_holds_on_longer_than_how_things_are() -> None:
    assert remark_weight("Los avisos se mandan al puerto a partir de hoy.") == LASTING_WEIGHT
    assert remark_weight("Los avisos se mandan al puerto.") < LASTING_WEIGHT


@pytest.mark.parametrize(
    "text",
    [
        "I have the tide table now.",
        "The build is green now.",
        "The harbour looks busy now.",
        "I can't find the berth number right now.",
        "Every now and then the import of the tides breaks.",
        "Boards: the screens at the quay time out at two seconds now and then.",
        "Das war heute.",
        "Lass die Fähre noch einmal fahren.",
    ],
)
def test_how_something_is_at_the_moment_does_not(text: str) -> None:
    assert not holds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tabs only.",
        "conventional commits",
        "Oxford comma.",
        "Sé breve.",
        "British spelling in the docs please",
        "every public lock gets a sign, ok?",
        "Say it when a berth is paid for by the club.",
    ],
)
def test_a_whole_message_of_two_words_holds_on(text: str) -> None:
    assert holds(text)


def test_two_words_beside_others_are_no_condition() -> None:
    assert not holds("Tide tables\n\nCan you read me the first one?\nTide tables")


@pytest.mark.parametrize(
    "text", ["水闸那一段能不能提前？", "船长问林师傅是不是本地人", "mach bitte einen Plan"]
)
def test_a_question_of_either_or_and_what_is_made_once_forbid_nothing(text: str) -> None:
    assert rule_weight(text) == 0.0


def test_a_thing_that_is_forgotten_by_name_takes_its_rule_along() -> None:
    ledger = Ledger()
    for seq, text in enumerate(("Tabs only.", "Forget the tabs thing, we moved to 4 spaces everywhere."), 1):
        update(ledger, user(text), seq)
    assert [entry.text for entry in (*ledger.of("rule").values(), *ledger.of("remark").values())] == [
        "Forget the tabs thing, we moved to 4 spaces everywhere."
    ]
