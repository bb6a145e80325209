"""Sentences that bind without an order at their beginning, and those that only tell how things are."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message, Text
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.spoken.cues import rule_weight
from palimpsest.summarize.spoken.moment import tells_past
from palimpsest.summarize.spoken.remarks import remark_weight
from tests.summarize.dialogues import holds

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
    update(ledger, Message("user", (Text("The crane lifts nine tons, nothing heavier."),)), 1)
    for number in range(400):
        word = "".join(chr(97 + int(digit)) for digit in str(number))
        update(ledger, Message("user", (Text(f"Old boat {word} was so pretty yesterday."),)), number + 2)
    kept = [entry.text for entry in (*ledger.of("remark").values(), *ledger.of("rule").values())]
    assert "The crane lifts nine tons, nothing heavier." in kept
    assert len(kept) < 200
