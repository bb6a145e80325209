"""Rules in a few words, in several languages, and errands that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.spoken.cues import rule_weight
from palimpsest.summarize.spoken.remarks import is_remark
from tests.summarize.dialogues import holds

RULE = 0.5


@pytest.mark.parametrize(
    "text",
    [
        "Stay on Postgres 15.",
        "Bleib bei Java 17.",
        "Reste sur PHP 8.1.",
        "Quédate con la versión 2.",
        "Nur die Standardbibliothek.",
        "Only the standard library.",
        "標準ライブラリだけ使って。",
        "Commits in English.",
        "Die Kommentare bitte auf Deutsch.",
        "Los comentarios siempre en inglés.",
        "提交信息用英文",
        "コミットメッセージは英語で。",
        "发布之前先问我。",
        "改动控制在一个文件内。",
        "予算は一人5万円以内です。",
        "えびは食べられません。",
        "夜の移動は避けたいです。",
        "I'm allergic to shellfish.",
        "Ich esse kein Fleisch.",
        "我对花生过敏。",
        "Tests run with `make quay`.",
        "Tests laufen mit `uv run pytest -q`.",
        "Everything runs in docker.",
        "测试用 go test -race ./...",
        "Every public function gets a docstring.",
        "All new endpoints need a test.",
        "Test files go under tests/unit.",
        "Les figures vont dans figures/.",
        "prod stays plan-only",
        "纸质合同不用扫描。",
    ],
)
def test_a_rule_in_a_few_words_holds_on(text: str) -> None:
    assert holds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mach jetzt die Übersicht.",
        "Bitte schau dir src/gate.py an.",
        "请修复这个错误。",
        "テストを実行してください。",
        "We stay on track.",
        "Should the commits be in English?",
        "The letters are in English and in German, which was a surprise to all of us.",
        "昨天你问我之前的事。",
        "店は英語で大きく書かれた看板を出していた。",
        "Bleib dran!",
        "Every second request gets an error.",
        "All tests go through.",
        "The tests run with errors.",
        "测试用 pytest 跑失败了",
        "不用谢。",
        "这个不用担心",
        "Everything runs in circles?",
    ],
)
def test_an_errand_or_a_report_is_none(text: str) -> None:
    assert rule_weight(text) < RULE


@pytest.mark.parametrize(
    "text",
    ["Mach jetzt immer erst die Tests.", "请检查所有链接，每次都要。", "必ずテストを実行してください。"],
)
def test_what_says_how_often_holds_on(text: str) -> None:
    assert holds(text)


@given(st.text("commits in english之前先问我は英語で以内 \n.。0", max_size=150))
def test_any_text_is_judged(text: str) -> None:
    assert is_remark(text) in (True, False)


def test_a_long_text_is_judged_in_no_time() -> None:
    assert not is_remark("は" * 200_000)
    assert not any(is_remark(sign * 120) for sign in "は之前a 用写")
