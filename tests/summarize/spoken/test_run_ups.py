"""Small words before an order hide no rule: "anyway keep ...", "übrigens ...", "另外 ..."."""

from __future__ import annotations

import pytest

from palimpsest.summarize.spoken.cues import rule_weight
from tests.summarize.dialogues import holds

RULE = 0.5


@pytest.mark.parametrize(
    "said",
    [
        "anyway keep the lamp files under 200 lines pls, the last trip was hell.",
        "hm, and keep the knots short please",
        "anyways only use ropes, no chains",
        "right, one more thing: avoid flags in the stern",
        "well then keep trips small",
        "ps keep the log in english",
        "btw never sail to the quay directly",
        "und übrigens keine Emojis in den Mails verwenden",
        "na ja, also lass die Tabelle Gäste unverändert",
        "bon alors évite les anglicismes",
        "por cierto no uses emojis en los correos",
        "comunque usa sempre il tu con i clienti",
        "trouwens gebruik nooit emoji in de mails",
        "кстати, не трогай файл с ключами",
        "przy okazji nigdy nie zmieniaj nazw tabel",
        "另外单个文件不要超过 250 行",
        "ちなみにコメントは必ず日本語で書いてください",
        "그리고 항상 한국어로 답해 주세요",
    ],
)
def test_an_order_behind_small_words_is_a_rule(said: str) -> None:
    assert rule_weight(said) >= RULE
    assert holds(said)


@pytest.mark.parametrize(
    "said",
    [
        "anyway keep going",
        "btw the lamp files have 200 lines",
        "also run the tests again",
        "hm that never worked",
        "und dann trag das Angebot ein",
        "对了，昨天的测试没通过",
        "ちなみに昨日は動きませんでした",
        "кстати, не работает",
    ],
)
def test_what_is_no_rule_is_none_behind_them(said: str) -> None:
    assert rule_weight(said) < RULE
