"""What the user wants now: a new goal takes the place of the old one, and what was taken back is told as that."""

from __future__ import annotations

import pytest

from palimpsest.engine.compacting.replacement import with_goal
from palimpsest.summarize.ledger.codec import from_json, to_json
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.goals import new_goal
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.ledger.render import render
from palimpsest.summarize.sections import parse
from tests.summarize.dialogues import condense, extracted, leaf, user

FIRST = "Move the tide tables to the harbour's cloud before spring."


def noted(*said: str) -> Ledger:
    ledger = Ledger()
    for seq, text in enumerate(said, 1):
        update(ledger, user(text), seq)
    return ledger


@pytest.mark.parametrize(
    "first, said",
    [
        (FIRST, "Change of plan: forget the cloud. The goal now is to print the tide tables every month."),
        (FIRST, "New goal: sell the tide tables by Friday."),
        (FIRST, "Forget that, we now want to sell the tide tables instead of moving them."),
        (FIRST, "Forget about the cloud, what we want now is a printed leaflet."),
        (
            "Plan the regatta.",
            "The regatta is off, the club said no. Instead we are doing a rowing day in May.",
        ),
        ("Plane das Hafenfest.", "Das Hafenfest fällt aus. Stattdessen machen wir einen Laternenumzug."),
        ("Plane den Umzug.", "Neues Ziel: die Fähre bis März elektrisch machen."),
        ("Organise le festival.", "Le festival est annulé. À la place, on prépare une marche aux lanternes."),
        ("Organise le salon.", "Nouvel objectif : un calendrier des marées imprimable."),
        ("Ayuda con la feria.", "La feria se cancela. En su lugar haremos una caminata con faroles."),
        ("Ayuda con la grúa.", "Ahora el objetivo es reescribir el importador."),
        ("Pianifica il festival.", "Nuovo obiettivo: un calendario delle maree stampabile."),
        ("Продай кран.", "План изменился: забудь про кран. Теперь цель — переписать импорт."),
        ("策划音乐节。", "忘掉音乐节吧，我们改办灯笼游行。"),
        ("策划音乐节。", "新目标：六月前把吊车卖掉。"),
        ("移行を計画して。", "計画変更です。移行はやめて、今後の目標はインポーターの書き直しです。"),
        ("이전을 계획해 줘.", "새 목표: 6월 전에 크레인을 판다."),
    ],
)
def test_a_new_goal_stands_in_place_of_the_first(first: str, said: str) -> None:
    ledger = noted(first, said)
    assert ledger.goal
    assert ledger.goal in said
    assert parse(render(ledger, 1_000, said=""))["Goal"] == [ledger.goal]


@pytest.mark.parametrize(
    "said",
    [
        "Change of plan, the crane is fine after all, they mended it.",
        "Forget the table test for now. From now on we log in JSON.",
        "The table test is off by one. Now we need to fix the index.",
        "Forget the lint warning, run the tests instead.",
        "The meeting is cancelled. Instead we meet on Monday.",
        "The goal of this function is to parse dates.",
        "From now on answer in German.",
        "What is the goal now?",
        "Their new goal is to win the cup.",
        "Vergiss nicht, die Pumpe zu testen.",
        "别忘了测试。",
    ],
)
def test_a_step_a_question_and_others_goals_change_nothing(said: str) -> None:
    assert noted(FIRST, said).goal == ""


def test_a_goal_that_was_dropped_is_told_as_taken_back_where_a_summary_says_it() -> None:
    ledger = noted(FIRST, "New goal: print the tide tables every month.")
    text = render(
        ledger, 1_000, said=f"## Goal\n- {FIRST}\n## Notes\n- New goal: print the tide tables every month."
    )
    told = parse(text)
    assert told["Goal"] == ["New goal: print the tide tables every month."]
    assert told["Taken back by the user"] == [FIRST]
    assert "Taken back by the user" not in parse(render(ledger, 1_000, said="## Notes\n- All is well."))


def test_a_rule_that_was_taken_back_is_told_as_that_until_it_is_said_again() -> None:
    said = "## Constraints\n- No emojis in the mails."
    ledger = noted(FIRST, "No emojis in the mails.", "Emojis in the mails are fine again.")
    assert parse(render(ledger, 1_000, said=said))["Taken back by the user"] == ["No emojis in the mails."]
    update(ledger, user("No emojis in the mails."), 4)
    assert "Taken back by the user" not in parse(render(ledger, 1_000, said=said))


def test_a_ledger_keeps_its_goal_and_what_was_taken_back() -> None:
    ledger = noted(FIRST, "New goal: print the tide tables every month.")
    assert ledger.dropped
    assert from_json(to_json(ledger)) == ledger


def test_a_summary_and_one_made_of_it_say_the_new_goal() -> None:
    change = "The move is off. Forget the cloud, the goal now is to print the tide tables every month."
    made = extracted(leaf([user(FIRST), user(change)])).text
    assert parse(made)["Goal"] == [new_goal(change, FIRST)]
    first = extracted(leaf([user(FIRST), user("Look at the crane.")])).text
    assert parse(extracted(condense(first, made)).text)["Goal"] == [new_goal(change, FIRST)]
    assert FIRST not in parse(extracted(condense(first, made)).text).get("Constraints", ())


def test_a_condensed_summary_is_given_the_goal_that_was_said_in_its_part() -> None:
    ledger = noted(FIRST, "New goal: print the tide tables every month.")
    source = condense(f"## Goal\n- {FIRST}")
    assert with_goal(source, ledger, 2).goal == ledger.goal
    assert with_goal(source, ledger, 1).goal == ""
