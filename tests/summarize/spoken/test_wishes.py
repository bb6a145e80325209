"""Wishes, preconditions and what follows from a reason are rules; errands are none, however they are put."""

from __future__ import annotations

import pytest

from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.spoken.remarks import as_rule


@pytest.mark.parametrize(
    "said",
    [
        "By the way, I'd rather you used tuples than lists for the berths.",
        "I'd rather have tuples than lists.",
        "As for the rows, I'd rather you used named tuples.",
        "Incidentally, I prefer enums to strings for the states.",
        "Übrigens, mir wären Tabellen lieber als Fließtext.",
        "Au fait, je préfère des tableaux à de longs paragraphes.",
        "Por cierto, preferiría tablas en vez de párrafos.",
        "Кстати, я бы предпочёл таблицы длинному тексту.",
        "对了，我更喜欢表格，不喜欢长段落。",
        "ちなみに、長い文章より表のほうがいいです。",
        "Two of the crew have a nut allergy, so nothing with nuts, ever.",
        "Oh and please no new masts without asking me first.",
        "Before deploying, Mara has to have a look at it.",
        "部署之前要让王倩看一下,她负责 wms-sh-05。",
        "上线后要通知仓库。",
        "배포 전에 민수에게 보여 줘야 합니다.",
        "Usa los nombres cortos, por favor.",
        "Mach nie ohne mich weiter.",
    ],
)
def test_what_is_to_hold_on_is_a_rule(said: str) -> None:
    assert as_rule(said) >= 0.5


@pytest.mark.parametrize(
    "said",
    [
        "Have a look at the buffer.",
        "Mira los permisos, por favor.",
        "Regarde les permis, s'il te plaît.",
        "Guarda i permessi, per favore.",
        "Посмотри разрешения, пожалуйста.",
        "Mach mit dem Export weiter.",
        "Yes, order #W1184420 was never delivered, please see where it is.",
        "My refund never came, could you look into it?",
        "Mon colis n'est jamais arrivé, regarde où il est s'il te plaît.",
        "I'd rather look at the pump first.",
        "Before lunch I have to call Ben.",
        "部署之前要多久?",
        "昨天部署之前王倩看过了。",
    ],
)
def test_an_errand_and_a_report_are_none(said: str) -> None:
    assert as_rule(said) < 0.5


@pytest.mark.parametrize(
    "said",
    [
        "Go on with anchor no. 48.",
        "Berth nos. 3 and 4 are free.",
        "Siehe S. 14 im Heft.",
        "Смотри стр. 12 плана.",
    ],
)
def test_a_word_that_is_shortened_before_a_number_ends_no_sentence(said: str) -> None:
    assert list(sentences(said)) == [said]


def test_other_words_before_a_number_end_theirs() -> None:
    assert list(sentences("It failed. 3 tests are red.")) == ["It failed.", "3 tests are red."]
