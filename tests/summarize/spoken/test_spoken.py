"""What each language must tell apart, and that its words have one home."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import palimpsest.summarize
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.spoken.remarks import as_rule
from tests.summarize.dialogues import held, holds, user

CONDITIONS = {
    "en": (
        "Never dredge berth 4 without me.",
        "everything goes into the log book",
        "Ah, and don't mention the tide prices.",
        "Buoys have to be lit, the last one was lost in the fog.",
        "Change of plan, the crane is fine after all, they mended it.",
    ),
    "de": (
        "Nie ohne mich baggern.",
        "Ach ja, keine Fahrten nach Einbruch der Dunkelheit, sonst wird es zu gefährlich.",
        "Zahlen höchstens vierstellig",
        "Finger weg vom Kran!",
    ),
    "fr": (
        "Ne drague jamais sans moi.",
        "Ah, et ne parle pas des tarifs.",
        "Pas de bateau à quai le soir, la grue a besoin de place.",
        "Finalement on tutoie les capitaines, le port a changé de règle.",
    ),
    "es": (
        "No dragues nunca sin mí.",
        "Ah, y no menciones los precios.",
        "las boyas siempre encendidas",
        "en el muelle 4 no se pesca",
    ),
    "ru": (
        "Никогда не углубляй без меня.",
        "ещё момент: перед каждым рейсом показывай план, без меня не выходи",
        "цены капитанам не называть",
    ),
    "zh": ("没有我不要疏浚。", "对了，潮汐价格不要提。", "航标统一用绿色", "最多三条船"),
    "ja": (
        "私なしで浚渫しないでください。",
        "記録は英語で書くようにして",
        "灯火は緑だけにしてください、赤はもう使っていません。",
    ),
}
MOMENTS = {
    "en": (
        "The captain said it was fine.",
        "is the crane up?",
        "There must be a mistake in the list.",
        "thanks a lot",
    ),
    "de": ("Muss man den Kran wirklich neu starten?", "Gestern lief alles.", "Mach weiter.", "Keine Ahnung."),
    "fr": ("Le capitaine n'a jamais répondu à mon mail.", "Il doit y avoir une fuite.", "continue"),
    "es": ("El capitán nunca contestó.", "Debe de haber una fuga.", "¿dónde está la grúa?"),
    "ru": ("Кран вчера упал.", "оно всегда падает", "спасибо"),
    "zh": ("昨天吊车又坏了", "继续", "这是什么？"),
    "ja": ("昨日クレーンが止まりました", "続けてください", "水漏れがあるに違いない"),
}
HEARS = ("ledger/*.py", "extractive/*.py", "pasted.py", "sentences.py")
"""Modules that hear users, and are to ask the home for words."""
WORD = re.compile(r"[а-яё]{3}|[äöüßéèñ]\w{2}|[\u4e00-\u9fff]")


def each(table: dict[str, tuple[str, ...]]) -> list[str]:
    return [text for texts in table.values() for text in texts]


@pytest.mark.parametrize("text", each(CONDITIONS))
def test_a_condition_holds_on_whatever_stands_beside_it(text: str) -> None:
    assert held("Plan the harbour's season.", text)[-1:] == [text]


@pytest.mark.parametrize("text", each(MOMENTS))
def test_what_is_of_the_moment_does_not(text: str) -> None:
    assert text not in held("Plan the harbour's season.", text)


def test_a_new_word_on_what_holds_is_heard_and_stands_behind_it() -> None:
    old, new = (
        "Never promise a berth before 14 days, and greet everybody.",
        "from today berths take 7 days, not 14 any more",
    )
    assert held(old, new) == [old, new]


def test_words_of_a_language_stand_in_one_home() -> None:
    root = Path(palimpsest.summarize.__file__).parent
    code = [
        (file, line)
        for glob in HEARS
        for file in root.glob(glob)
        for line in file.read_text("utf-8").splitlines()
    ]
    assert [(file.name, line) for file, line in code if 'r"' in line and WORD.search(line)] == []


def test_what_is_said_of_every_one_is_as_good_as_a_rule() -> None:
    assert as_rule("Each berth gets its own number.") >= 0.5 > as_rule("The berth has a number.")


@pytest.mark.parametrize(
    "text",
    [
        "be concise",
        "camels and commits en inglés",
        "Prefiero que preguntes dos veces.",
        "Mir ist lieber, du fragst zweimal.",
        "Sie müssen Tests schreiben.",
        "That file is generated, don't edit it.",
        "When you edit a file, make sure to keep its indentation!",
        "Ejecuta siempre make check antes de decir que has terminado.",
        "Что бы ни случилось, config/legacy.ini оставь как есть.",
        "I'm allergic to peanuts",
        "I'm lactose intolerant",
        "and every 10 questions give me a score so i know where i am",
        "删除文件前先问我",
    ],
)
def test_short_wishes_and_orders_with_a_reason_hold_on(text: str) -> None:
    assert holds(text)


@pytest.mark.parametrize(
    "rule, word",
    [
        ("No commits on Fridays.", "We dropped the Friday rule btw, commit whenever."),
        ("Use generic names only.", "nvm the generic names thing, the exam has both"),
    ],
)
def test_a_rule_that_was_dropped_by_its_topic_holds_no_longer(rule: str, word: str) -> None:
    ledger = update(update(Ledger(), user(rule), 1), user(word), 2)
    assert [one.text for one in ledger.of("rule").values()] == [word]
