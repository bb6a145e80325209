"""Rules that are set anew with another figure or place, and without the old one: the newest is in force alone."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.set_anew import newest_of, sets_anew
from tests.summarize.dialogues import held

FIRST = "Plan the harbour feast."


@pytest.mark.parametrize(
    "old, new",
    [
        ("函数不要超过 80 行，太长了我看不下去", "80 行有点死板，函数放宽到 120 行吧"),
        ("函数不要超过 80 行", "函数最多 120 行吧"),
        ("消费端的超时设成 3 秒", "超时还是改成 5 秒吧，3 秒太短了老是重试"),
        ("消费端的超时设成 3 秒", "超时改成 5 秒"),
        ("日志放在 /var/log 下面", "日志放到 /data/log 吧"),
        ("keep functions under 40 lines", "raise functions to 60 lines pls, 40 is too short"),
        ("keep functions below 40 lines please", "40 lines is too strict, 60 is fine"),
        ("höchstens 30 Gäste pro Schicht einplanen", "doch lieber 40 Gäste pro Schicht"),
        ("au maximum 40 lignes par fonction", "disons 60 lignes pour les fonctions"),
        ("máximo 40 líneas por función", "digamos 60 líneas, porque 40 líneas no alcanzan"),
        ("massimo 40 righe per funzione", "porta le funzioni a 60 righe"),
        ("no máximo 40 linhas por função", "muda as funções para 60 linhas"),
        ("maximaal 40 regels per functie", "nee, functies 60 regels"),
        ("maksymalnie 40 linii na funkcję", "jednak funkcje 60 linii"),
        ("максимум 40 строк на функцию", "нет, функции 60 строк"),
        ("関数は 40 行以内にして", "やっぱり関数は 60 行にして"),
        ("함수는 40 줄 이하로 해 주세요", "그냥 함수는 60 줄로 해 주세요"),
        ("use 4420 for the worker", "worker runs on 4433 not 4420"),
    ],
)
def test_a_figure_set_anew_is_in_force_alone(old: str, new: str) -> None:
    assert [newest_of(one) for one in held(FIRST, old, new)] == [new]


@pytest.mark.parametrize(
    "old, new",
    [
        ("max 40 lines per function", "make that 60 lines"),
        ("max 40 lines per function", "no, 60 lines"),
        ("höchstens 40 Zeilen pro Funktion", "sagen wir 60 Zeilen"),
        ("每个函数最多 40 行", "改成 60 行吧"),
        ("keep every file under 200 lines", "the 200 lines thing doesnt work out. lets say max 350 lines"),
    ],
)
def test_what_names_only_a_unit_stands_behind_the_rule_that_it_changes(old: str, new: str) -> None:
    assert held(FIRST, old, new) == [f"{old} → {new.rpartition('. ')[2]}"]


def test_what_is_changed_twice_is_in_force_as_it_was_said_last() -> None:
    said = (
        "keep functions below 40 lines please",
        "40 lines is too strict, 60 is fine",
        "actually lets make that 50 lines",
    )
    assert held(FIRST, *said) == [f"{said[0]} → {said[2]}"]
    said = "每批最多处理 100 条", "100 条太少了，每批改成 300 条", "每批还是 200 条吧，300 条数据库扛不住"
    assert held(FIRST, *said) == [said[2]]


@pytest.mark.parametrize(
    "old, new",
    [
        ("Quays at most 40 metres.", "Reduce it by 60 metres."),
        ("Quays at most 40 metres.", "Drop 60 metres of it."),
        ("Ovens at most 230 degrees.", "The oven is now 180 degrees."),
        ("Keep the tests under 10 minutes.", "It is now 12 minutes."),
        ("The berth must cost at most 120 euros per night.", "the berth is now 110 euros, book it"),
        ("Nie mehr als 40 Zeilen pro Funktion.", "Es sind jetzt 60 Zeilen."),
        ("Nie mehr als 40 Zeilen pro Funktion.", "Änder nur 3 Zeilen."),
        ("Jamais plus de 8 élèves par cours.", "Maintenant 9 élèves."),
        ("Nunca más de 8 alumnos por curso.", "Ahora son 9 alumnos."),
        ("每班不要超过12名学生。", "现在9名学生。"),
        ("每班不要超过12名学生。", "加到3名学生的名单里。"),
        ("函数不要超过40行。", "改3行就行。"),
        ("Functions must have at most 40 lines.", "Make that a function with 12 lines."),
    ],
)
def test_a_report_a_difference_and_one_deed_change_no_figure(old: str, new: str) -> None:
    assert old in held(FIRST, old, new)


def test_what_may_only_tell_stands_behind_the_rule() -> None:
    old, new = "Die Pause am Hafen dauert höchstens 20 Minuten.", "Mach jetzt mal 15 Minuten Pause."
    assert any(old in one for one in held(FIRST, old, new))


@pytest.mark.parametrize("told", ["The piers have 200 metres.", "piers: 200 metres"])
def test_an_unclear_change_takes_neither_a_rule_nor_what_was_told(told: str) -> None:
    said = held(FIRST, "Quays must have at most 40 metres.", told, "let's make that at most 60 metres")
    assert "Quays must have at most 40 metres." in said
    assert not any(" → " in one for one in said)


def test_what_is_changed_twice_with_its_reason_is_in_force_as_it_was_said_last() -> None:
    said = (
        "at most 30 guests per pier",
        "30 guests is too few, plan 45 guests per pier",
        "rather 40 guests per pier",
    )
    assert held(FIRST, *said) == [said[-1]]


def test_what_a_changed_rule_says_of_another_figure_stays() -> None:
    old = "port 4417 belongs to the billing people, use 4420 for the worker"
    new = "actually ops gave us another port, worker runs on 4433 not 4420"
    assert set(held(FIRST, old, new)) == {"port 4417 belongs to the billing people", new}


@pytest.mark.parametrize(
    "old, new",
    [
        ("keep functions under 40 lines", "actually tests can be 60 lines"),
        ("keep functions under 40 lines", "keep files under 60 lines"),
        ("keep functions under 40 lines", "should we make that 60 lines?"),
        ("keep functions under 40 lines", "Kim says let's make that 60 lines"),
        ("keep functions under 40 lines", "no, this function can have 60 lines"),
        ("at most 3 retries", "at least 1 retry"),
        ("max 5 guests per table", "ok we have 60 guests then"),
        ("maximal 40 Gäste pro Schicht", "jetzt haben 60 Gäste zugesagt"),
        ("函数不要超过 80 行", "先看 120 行吧"),
        ("函数不要超过 80 行", "测试文件可以放宽到 120 行"),
        ("超时不要超过 3 秒", "那我们等 5 秒吧"),
        ("日志放在 /var/log 下面", "把脚本放到 /opt/bin 吧"),
        ("never write to /var/log", "actually write to /data/log"),
        ("関数は 40 行以内にして", "テストは 60 行にして"),
        ("Never send more than 3 mails a day, and copy Ada on each.", "make that 5 mails a day"),
    ],
)
def test_a_figure_of_something_else_changes_none(old: str, new: str) -> None:
    assert old in held(FIRST, old, new)


def test_what_names_only_a_unit_changes_none_of_two_rules() -> None:
    rules = "Quays of at most 40 metres.", "Piers of at most 50 metres."
    assert held(FIRST, *rules, "make that 60 metres") == [*rules, "make that 60 metres"]
    assert held(FIRST, *rules, "ok make that 60 metres") == [*rules, "ok make that 60 metres"]


def test_of_two_rules_of_a_unit_the_one_named_just_before_is_meant() -> None:
    file, code = "keep every file under 200 lines pls, i hate scrolling", "keep functions under 40 lines"
    said = held(FIRST, file, code, "the 200 lines thing doesnt work out. lets say max 350 lines")
    assert said == [code, f"{file} → lets say max 350 lines"]


@pytest.mark.parametrize(
    "old, new",
    [
        ("Step 4: push the changes", "Step 11: push the changes"),
        ("I want to change both flights and add 2 checked bags", "I'd like to add 3 checked bags"),
        ("logs go to docs/a.md, always", "Successfully replaced logs in docs/CHANGELOG.md."),
    ],
)
def test_a_number_in_a_row_and_part_of_a_demand_change_none(old: str, new: str) -> None:
    assert not sets_anew(new, old)
