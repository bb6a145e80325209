"""Remarks and standing wishes: what is kept of what a user says in passing, what binds and what only tells."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.ledger.codec import from_json, to_json
from palimpsest.summarize.ledger.entries import MOST, Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.spoken.cues import rule_weight
from palimpsest.summarize.spoken.moment import tells_past
from palimpsest.summarize.spoken.remarks import is_remark, remark_weight
from tests.summarize.dialogues import holds, lasting, user

STANDING = (
    "Answer me in short sentences.",
    "All fares in Swiss francs please.",
    "Column names in English.",
    "Prices always including VAT.",
    "One berth per boat.",
    "Add no new dependencies.",
    "Write no file outside /srv/ferry.",
    "Nothing leaves this machine.",
    "No sailing before 10 am.",
    "The public API stays unchanged.",
    "The vendored tide tables are off-limits.",
    "Treat the log as read-only.",
    "Refunds over 50 euros need my approval.",
    "Ohne meine Freigabe wird nichts verschickt.",
    "Ask before you cancel a sailing.",
    "If a feed is late, tell me first.",
    "Falls ein Test fehlschlägt, sag mir Bescheid.",
    "Debug output goes to stderr, not stdout.",
    "At most 3 retries.",
    "The budget is 400 euros.",
    "Deadline: Friday noon.",
    "We support Python 3.11 and later.",
    "I'm lactose intolerant.",
    "My father can't climb stairs.",
    "Je suis végétarienne.",
    "所有注释都用中文。",
    "每次最多三个文件。",
)
NOT_STANDING = (
    "The budget is gone.",
    "The deadline was moved.",
    "All tests passed with warnings.",
    "Error in line 5.",
    "Thanks, that works for all ferries.",
    "Changes in three files.",
    "It stays as it is?",
    "Maximum recursion depth exceeded.",
    "Nothing happened.",
    "Ferries were late for every sailing.",
    "The captain says nothing.",
    "Fix the tide table in the harbour page.",
    "最多三天他就回来了。",
)
REMARKS = (
    "We have a dog with us.",
    "Our users are on old tablets.",
    "The harbour master reads only Italian.",
    "My train gets in around nine.",
    "Wir fahren mit zwei Kindern.",
    "我们带着一只狗。",
)
NO_REMARKS = (
    "Do you have a map?",
    "Fix the tide table.",
    "ok, now run the tests",
    "It fails again with the same error.",
    "Thanks, that was perfect.",
    "Yes.",
    "Dog on board:",
    "请修改这个文件。",
    "board.render(tides)",
)

BINDING = (
    "The harbour master has to sign every change of the berth plan.",
    "Everything with a crane goes through Ida first.",
    "Before you move a buoy, note its place.",
    "Berth 12 is rented, so keep it out of the plan.",
    "On Sundays there's no dredging.",
    "Den Kran darf nachts niemand bewegen.",
    "Bootsnamen gehören nicht in die Rechnung.",
    "Mehr als drei Boote dürfen nicht an einen Steg.",
    "Sonntags baggern wir nicht.",
    "Ohne Plakette kommt nichts ins Becken.",
    "Steg 4 ist gesperrt, den bitte nicht vergeben.",
    "Mir ist lieber, du rufst erst an.",
    "Las boyas no se mueven.",
    "Antes de mover una boya, apunta su sitio.",
    "El muelle 4 está cerrado, no lo asignes.",
    "Los domingos no se draga.",
    "Textos de 40 palabras como máximo.",
    "Chaque bouée doit être notée avant.",
    "Des phrases de vingt mots au maximum.",
    "Буи без меня не двигать.",
    "Причал 4 закрыт, не выдавай его.",
    "Прежде чем двигать буй, запиши его место.",
    "По воскресеньям не углубляем.",
    "Тексты не длиннее 40 слов.",
    "移动浮标之前先记下位置。",
    "说明最多四十个字。",
    "周日不疏浚。",
    "説明は最大40文字です。",
    "日曜は浚渫しません。",
)
TOLD = (
    "Before you ask, yes, I cleaned the crane.",
    "I have moved the boats already, so no need to wait.",
    "You can see the harbour but not the boats.",
    "Da darf nur eine Zahl stehen, es kommt aber Text.",
    "Mehr als drei Boote darf die Liste nicht haben, hat sie aber.",
    "On ne voit pas le port.",
    "La página no se recarga al guardar.",
    "页面都要加载三秒",
    "The page doesn't load on Sundays when it rains?",
    "Before we left, the tide was out.",
    "He ate two apples, no more.",
    "Die Seite wird nicht gefunden.",
    "Gestern waren höchstens zwanzig Boote da.",
    "Der Kran gehört nicht mir.",
    "No se ve nada en la pantalla.",
    "Ayer vinieron veinte barcos como mucho.",
    "Страница не открывается.",
    "Вчера пришло не больше двадцати лодок.",
    "昨天最多来了二十条船。",
    "昨日は最大20隻来ました。",
)


def ledger_of(*said: str) -> Ledger:
    ledger = Ledger()
    for seq, text in enumerate(("Make the ferry board show tides.", *said), start=1):
        update(ledger, user(text), seq)
    return ledger


@pytest.mark.parametrize("text", STANDING)
def test_a_standing_wish_in_a_few_words_holds_on(text: str) -> None:
    assert holds(text)


@pytest.mark.parametrize("text", NOT_STANDING)
def test_reports_errands_and_names_are_no_standing_wishes(text: str) -> None:
    assert rule_weight(text) < 0.5


@pytest.mark.parametrize("text", REMARKS)
def test_what_a_user_says_besides_is_kept_as_it_was_said(text: str) -> None:
    assert is_remark(text)
    assert lasting(ledger_of(text)) == ([], [text])


@pytest.mark.parametrize("text", NO_REMARKS)
def test_questions_errands_reports_courtesies_and_code_are_no_remarks(text: str) -> None:
    assert not is_remark(text)


def test_remarks_are_no_rules() -> None:
    ledger = ledger_of("We have a dog with us.", "Never sail after dark.")
    assert lasting(ledger) == (["Never sail after dark."], ["We have a dog with us."])


def test_of_many_remarks_the_newest_are_kept_and_they_take_no_rule_away() -> None:
    rules = [f"Never moor at pier {number}." for number in range(1, 9)]
    remarks = [
        f"Our cousin {a}{b}{c} lives on the island." for a, b, c in product("BDFGHJKL", "aeiou", "mnrst")
    ]
    ledger = ledger_of(*rules, *remarks)
    shown, told = lasting(ledger)
    assert shown == rules
    assert remarks[-1] in told
    assert len(ledger.of("remark")) < 2 * MOST["remark"]


def test_what_is_pasted_holds_no_remarks() -> None:
    ledger = ledger_of("Look:\n\n> We have a dog with us.\n\n```\nWe have a dog with us.\n```")
    assert not ledger.of("remark")


def test_remarks_are_kept_by_the_codec() -> None:
    ledger = ledger_of("We have a dog with us.")
    assert from_json(to_json(ledger)).of("remark").keys() == ledger.of("remark").keys()


@given(st.text(max_size=200))
def test_any_text_is_judged(text: str) -> None:
    assert is_remark(text) in (True, False)


@pytest.mark.parametrize("text", BINDING)
def test_what_must_or_may_not_be_holds_on_wherever_its_words_stand(text: str) -> None:
    assert holds(text)


@pytest.mark.parametrize("text", TOLD)
def test_how_things_are_or_were_binds_nobody(text: str) -> None:
    assert rule_weight(text) < 0.5


def test_what_says_no_holds_on_longer_than_what_tells_the_past() -> None:
    told = "We were at the harbour yesterday."
    assert tells_past(told)
    assert remark_weight("The big crane does not turn.") > remark_weight("The harbour is pretty.")
    assert remark_weight("The harbour is pretty.") > remark_weight(told)


def test_of_many_remarks_those_that_hold_on_stay_however_old_they_are() -> None:
    ledger = Ledger()
    update(ledger, user("The crane lifts nine tons, nothing heavier."), 1)
    for number in range(400):
        word = "".join(chr(97 + int(digit)) for digit in str(number))
        update(ledger, user(f"Old boat {word} was so pretty yesterday."), number + 2)
    kept = [entry.text for entry in (*ledger.of("remark").values(), *ledger.of("rule").values())]
    assert "The crane lifts nine tons, nothing heavier." in kept
    assert len(kept) < 200
