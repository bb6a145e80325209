"""What the user wants now: a new goal stands behind the first, and takes nothing back."""

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
        (FIRST, "Our new goal is to sell the tide tables by May."),
        (FIRST, "The goal has changed: print a leaflet."),
        (FIRST, "Ab jetzt ist das Ziel, einen Kalender zu drucken."),
        (FIRST, "Change of plan: build a printer for the tables instead."),
        (FIRST, "新しい目標：潮汐表を印刷する道具。"),
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
def test_a_new_goal_stands_behind_the_first(first: str, said: str) -> None:
    ledger = noted(first, said)
    assert ledger.goal
    assert ledger.goal in said
    assert parse(render(ledger, 1_000, said=""))["Goal"] == [first, ledger.goal]


@pytest.mark.parametrize(
    "said",
    [
        "The goal: a move without a pause, and on Saturday the switch to the new harbour.",
        "Our goal is a tide table for every berth.",
        "So, the goal here is to have no more gaps in the winter tables.",
        "The end goal is that all tables load in two seconds.",
        "Goal: one report for each harbour, with its tides.",
        "Ziel: ein Bericht für jeden Hafen mit Gezeiten.",
        "Das Ziel ist ein Bericht für jeden Hafen.",
        "Unser Ziel ist es, dass alle Tabellen in zwei Sekunden laden.",
        "L'objectif est d'avoir un rapport par port et par saison.",
        "Objectif : un rapport par port et par saison.",
        "El objetivo es tener un informe por puerto y temporada.",
        "Objetivo: un informe por puerto y temporada.",
        "L'obiettivo è di avere un rapporto per ogni porto.",
        "O objetivo é ter um relatório por porto e estação.",
        "Цель — собрать отчёт по каждому порту.",
        "目标是每个港口一份潮汐报告。",
        "这次的目标：每个港口一份潮汐报告。",
        "目的は港ごとの潮汐表を作ることです。",
        "最終的な目標は港ごとの報告書を毎月作成することです。",
        "목표는 항구마다 조석표를 만드는 것입니다.",
    ],
)
def test_what_is_called_the_goal_stands_behind_what_was_asked_for_first(said: str) -> None:
    ledger = noted(
        "Hi. Have a look at the tide tables first.", said, "The goal is to make this one test pass."
    )
    assert ledger.goal == said


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


@pytest.mark.parametrize(
    "said",
    [
        "Now the target compiles, great.",
        "Now the target tests fail with exit code 3.",
        "Now the goal is clear, thanks.",
        "The new target is defined in the Makefile as `make tides`.",
        "New target: 90 ms p99.",
        "The new plan is to sail on Monday.",
        "In the notes, the goal is now missing, please add it.",
        "The goal is now described in docs/goal.md.",
        "Our goal is now a bit smaller: skip the winter tables.",
        "Our aim is now reached on the test box.",
        "Now the objective function returns NaN.",
        "Neue Aufgabe: schau bitte kurz in die Pegel von gestern.",
        "Das Ziel ist jetzt im Makefile.",
        "新任务：先把昨天的潮汐看一下。",
        "今の目標は達成できましたか。",
        "今後の目標は資料に書いてあります。",
        "Новая задача: посмотри журнал за вчера.",
        "Nuevo objetivo: terminar antes de mayo.",
        "Nuevo objetivo: antes del lunes.",
        "Change of plan: Tuesday works better for me.",
        "The cloud and the tables are off. Instead we see a blank screen.",
        "I have dropped the index on tide_id. Now we wait for the vacuum.",
        "The tide tables are dropped when the program restarts. From now on, we log every one.",
        "Please drop the tables and recreate them. Now we can rerun the import.",
        "If the move is dropped, we use the fallback instead.",
        "Don't forget the tide tables. Now we need the tests.",
        "The cloud is dead right now. Now we need to restart it.",
        "Scrap that test, we now test it in the harbour instead.",
        "Forget harbour 15, we want harbour 16 instead.",
        "We've dropped the support of old tables. Now we move only new ones.",
        "Change of plans: we're moving on Thursday instead of Friday.",
        "Change of plan: do the spring tables first, then the rest.",
        'The note said "phase one is over. New goal: ship the crane."',
        "If that fails, our new goal is to ship it by hand.",
        "The goal is a bit unclear to me.",
        "But: the tables of Holm still fail after the last fix.",
        "but – the tests of the quay are still red today",
        "My goal was to finish the tables last week.",
        "El objetivo es menor que el del año pasado.",
        "Cel — dworzec w porcie, peron trzeci.",
        "The goal is fine.",
        "Is the goal to print every table?",
        "Their goal is a printed table.",
        "The goal of the function is to parse all dates.",
        "Das Ziel ist in docs/ziel.md beschrieben.",
        "目标文件是 tides.csv。",
        "目標は資料に書いてあります。",
    ],
)
def test_what_only_speaks_of_a_goal_or_drops_a_part_sets_none(said: str) -> None:
    assert noted(FIRST, said).goal == ""


@pytest.mark.parametrize("said", ["New goal: print the log.", "Change of plan: sell the old crane."])
def test_a_new_goal_takes_no_rule_and_nothing_else_back(said: str) -> None:
    rule = "Never commit without asking me."
    ledger = noted(f"{rule} Fix the login page.", said)
    text = f"## Goal\n- {rule} Fix the login page.\n"
    assert rule in [entry.text for entry in ledger.of("rule").values()]
    assert ledger.goal.startswith(said[:8])
    assert ledger.dropped == {}
    assert "Taken back by the user" not in parse(render(ledger, 1_000, said=text))


def test_a_goal_that_comes_again_is_not_told_as_taken_back() -> None:
    again = "New goal: plan the fair for June."
    ledger = noted("Plan the fair for June.", "New goal: plan a lantern walk in October.", again)
    text = render(ledger, 1_000, said="## Goal\n- Plan the fair for June.")
    assert parse(text) == {"Goal": [again]}


def test_a_rule_that_was_taken_back_is_told_as_that_until_it_is_said_again() -> None:
    said = "## Constraints\n- No emojis in the mails."
    ledger = noted(FIRST, "No emojis in the mails.", "Emojis in the mails are fine again.")
    assert parse(render(ledger, 1_000, said=said))["Taken back by the user"] == ["No emojis in the mails."]
    update(ledger, user("No emojis in the mails."), 4)
    assert "Taken back by the user" not in parse(render(ledger, 1_000, said=said))


def test_a_ledger_keeps_its_goal_and_what_was_taken_back() -> None:
    ledger = noted(
        FIRST, "No emojis in the mails.", "Emojis in the mails are fine again.", "New goal: sell the crane."
    )
    assert ledger.dropped
    assert ledger.goal
    assert from_json(to_json(ledger)) == ledger


def test_a_summary_and_one_made_of_it_say_the_new_goal_behind_the_first() -> None:
    change = "The move is off. Forget the cloud, the goal now is to print the tide tables every month."
    goals = [FIRST, new_goal(change, FIRST)]
    made = extracted(leaf([user(FIRST), user(change)])).text
    assert parse(made)["Goal"] == goals
    first = extracted(leaf([user(FIRST), user("Look at the crane.")])).text
    assert parse(extracted(condense(first, made)).text)["Goal"] == goals
    assert FIRST not in parse(extracted(condense(first, made)).text).get("Constraints", ())


def test_a_summary_has_the_newest_of_several_goals() -> None:
    newer = "New goal: sell the tide tables."
    made = extracted(
        leaf([user(FIRST), user("New goal: print the tide tables."), user("Look at the crane.")])
    ).text
    after = extracted(leaf([user(newer), user("Look at the pump.")])).text
    assert parse(extracted(condense(made, after)).text)["Goal"] == [FIRST, newer]


def test_a_condensed_summary_is_given_the_goal_that_was_said_in_its_part() -> None:
    ledger = noted(FIRST, "New goal: print the tide tables every month.")
    source = condense(f"## Goal\n- {FIRST}")
    given = with_goal(source, ledger, 2)
    assert (given.goal, given.newer_goal) == ("", ledger.goal)
    assert parse(extracted(given).text)["Goal"] == [FIRST, ledger.goal]
    assert with_goal(source, ledger, 1).newer_goal == ""
