"""What asks for a nod behind an order makes no question of it; a question whether something is so stays one."""

from __future__ import annotations

import pytest

from palimpsest.summarize.spoken.nods import unnodded
from palimpsest.summarize.spoken.remarks import as_rule


@pytest.mark.parametrize(
    "text",
    [
        "dont touch the harbour folder ok?",
        "always use tabs, yes?",
        "never push to main got it?",
        "never push to main, right?",
        "Briefe an Gäste nie ohne meine Freigabe rausschicken ja?",
        "fass den Ordner plakate nicht an ja?",
        "schreib nie Prosa in die Commits, verstanden?",
        "ne touche pas au dossier quai d'accord ?",
        "ne touche pas au dossier quai, hein ?",
        "no toques la carpeta muelle, ¿vale?",
        "non toccare la cartella molo va bene?",
        "não mexa na pasta cais, tá?",
        "raak de map haven nooit aan, hè?",
        "nie ruszaj folderu port dobrze?",
        "не трогай папку port, ладно?",
        "别动 vendor 目录，行吗？",
        "不要推到 main 知道吗？",
        "docs フォルダは触らないで、いい？",
        "main には絶対に push しないでね？",
        "docs 폴더는 건드리지 마, 알았지?",
    ],
)
def test_an_order_that_asks_for_a_nod_is_a_rule(text: str) -> None:
    assert as_rule(text) >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        "is it ok?",
        "ist das so richtig?",
        "is it never ok?",
        "the tests never pass, right?",
        "so you never push to main, right?",
        "das war nie so, oder?",
        "on n'a jamais testé ça, hein ?",
        "¿no lo tocaste, verdad?",
        "это не работает, да?",
        "没有问题吧？",
        "あれは動かないよね？",
        "이거 안 되지?",
    ],
)
def test_a_question_whether_something_is_so_is_none(text: str) -> None:
    assert as_rule(text) < 0.5


def test_what_a_question_ends_in_stays() -> None:
    assert unnodded("why is the build never ok?") == "why is the build never ok?"
