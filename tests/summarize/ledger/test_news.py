"""The newest word on a condition, and what is no word on one: stories, and reports by the hundred."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.lines import flat
from palimpsest.summarize.ledger.reading import update
from tests.summarize.dialogues import heard, held, lasting, user


@pytest.mark.parametrize(
    "said",
    [
        ("Answer in German.", "Answer in English from now on."),
        ("we don't use lodash here", "ok, lodash is fine now"),
        ("Our budget is 500 euros.", "Our budget is 700 euros now."),
        ("Finger weg von der Produktion.", "Die Produktion darfst du jetzt ändern."),
        ("No default exports.", "Default exports are fine.", "No default exports please."),
        ("Tabs please, no spaces.", "ok, tabs please, no spaces."),
    ],
)
def test_the_newest_word_on_a_condition_stands_last_of_what_is_said_of_it(said: tuple[str, ...]) -> None:
    lines = held("Build the harbour page.", *said)
    assert lines[-1].lower().endswith(said[-1].lower().removeprefix("ok, "))
    assert len(lines) == len({flat(line) for line in lines})


def test_many_reports_put_no_condition_out_of_the_window() -> None:
    rules = ("No default exports.", "Keine Emojis.", "Wir deployen nie freitags.")
    piers = [f"Pier {one}{other} has 0 berths for ferries." for one in "ABCDEFXY" for other in "aeiou"]
    found = held("Build the harbour page.", *rules, *piers)
    assert [rule for rule in rules if rule not in found] == []


def test_rules_that_were_typed_as_a_list_in_one_line_stand_as_they_were_typed() -> None:
    said = (
        "Please write the parser.",
        "Some more from me. * Always use tabs. * Never push to main.",
        "Never edit vendor/.",
    )
    rules, _ = lasting(heard(*said))
    assert rules[-3:] == ["* Always use tabs.", "* Never push to main.", "Never edit vendor/."]


def test_one_word_is_put_in_the_place_of_another_however_long_ago_the_rule_was_said() -> None:
    ledger = Ledger()
    said = ("Use tabs for indentation.", "Keep the maps offline.", "Actually, use spaces for indentation.")
    for seq, text in enumerate(said, 1):
        update(ledger, user(text), seq)
    assert [entry.text for entry in ledger.of("rule").values()] == list(said[1:])


def test_reports_in_figures_on_what_a_rule_is_about_are_no_rules() -> None:
    rule = "利用者の名前はログに書かないでください。"
    ledger = update(Ledger(), user(rule), 1)
    for seq in range(2, 20):
        update(ledger, user(f"出力の{seq * 37}行目は利用者{seq * 91}のカードが重複しています。"), seq)
    assert [entry.text for entry in ledger.of("rule").values()] == [rule]


@pytest.mark.parametrize(
    "rule, story",
    [
        ("Never merge into main without a review.", "I dropped the review thing into the chat."),
        ("Never scrap the old ledger without a backup.", "We dropped the ball on the old ledger thing."),
        ("Never exceed the upload limit of 2 MB.", "I ignore the upload limit, I just watch the logs."),
        ("No nuts in the cake.", "We cancelled the cake order thing with the bakery yesterday."),
        ("Always back up the audit policy file.", "I dropped the audit policy file by mistake!"),
        ("Keep the line limit of 100.", "nvm the line limit error, it was my editor"),
        ("Do not change the harbour schema.", "Ignore my harbour thing for now."),
        ("Do not change the harbour schema.", "Ignore my harbour thing."),
        ("Never delete log files.", "Forget the log thing I mentioned, it's another boat."),
        ("Never delete files.", "ignore that delete thing in the log"),
        ("Always write tests for the tides.", "Forget the tides thing for a minute."),
        ("No deploys in the freeze.", "We dropped the freeze rule last year and it was a disaster."),
    ],
)
def test_a_story_of_what_was_dropped_lifts_no_rule(rule: str, story: str) -> None:
    ledger = update(update(Ledger(), user(rule), 1), user(story), 2)
    assert rule in [entry.text for kind in ("rule", "remark") for entry in ledger.of(kind).values()]


def test_reports_that_say_no_leave_the_rules_their_room() -> None:
    rules = [
        "Never push to main.",
        "Always answer in German.",
        "Never moor at a pier that has no free berth.",
    ]
    ledger = Ledger()
    for seq, text in enumerate((*rules, *(f"Pier {one} has no free berth." for one in range(200))), 1):
        update(ledger, user(text), seq)
    assert [entry.text for entry in ledger.of("rule").values()][: len(rules)] == rules
    assert len(ledger.of("rule")) <= len(rules) + 3


def test_what_joins_the_rules_stands_where_it_was_said() -> None:
    said = (
        "Answer in German.",
        "Always answer customers in English.",
        "Now answer with the customer number first.",
    )
    ledger = Ledger()
    for seq, text in enumerate(said, 1):
        update(ledger, user(text), seq)
    assert [entry.text for entry in ledger.of("rule").values()] == list(said)


@pytest.mark.parametrize(
    "said, other",
    [
        (("quay 1 has 53 berths free", "You can write to the log now, the freeze is over."), 0),
        (("Máximo seis líneas por respuesta.", "Manda ya la respuesta de la 2231."), 1),
    ],
)
def test_news_and_errands_about_something_else_join_nothing(said: tuple[str, str], other: int) -> None:
    ledger = Ledger()
    for seq, text in enumerate(("Keep the log read-only until I say otherwise.", *said), 1):
        update(ledger, user(text), seq)
    assert said[other] not in [entry.text for entry in ledger.of("rule").values()]


@pytest.mark.parametrize(
    "before, after",
    [
        (
            "The budget must not exceed 86,000 euros.",
            "Actually the budget must not exceed 92,000 euros, we agreed.",
        ),
        ("Crates must not weigh more than 40 kg.", "Correction: crates must not weigh more than 35 kg."),
        (
            "Das Budget darf 86.000 Euro nicht überschreiten.",
            "Doch lieber: das Budget darf 92.000 Euro nicht überschreiten.",
        ),
    ],
)
def test_a_rule_said_again_with_another_number_takes_its_place(before: str, after: str) -> None:
    assert held(before, after) == [after]


def test_another_number_for_something_else_takes_nothing_back() -> None:
    before = "Crates must not weigh more than 40 kg."
    after = "Actually pallets must not weigh more than 350 kg."
    assert held(before, after) == [before, after]
