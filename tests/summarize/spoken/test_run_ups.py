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


@pytest.mark.parametrize(
    "said",
    [
        "trag das Angebot 8552/26 vom Zeltverleih ein",
        "rechne das nach",
        "leg die Liste für den Aufbau an",
        "stell den Plan für Samstag zusammen",
        "pass die Tabelle an",
        "vergleich die drei Angebote",
        "dann streich die zweite Band",
        "好，继续 tide 那部分",
        "把 mast.ts 改名为 stern.ts",
        "好，先跑一遍测试",
        "给 quay 加个超时",
        "vergleich Zelte Bauer mit Hütten Meier",
        "und weiter mit der Bühne",
        "现在先做 tide",
        "ja mach",
        "ok mach",
        "ja bitte",
        "好，就这么办",
        "네, 해주세요",
        "はい、お願いします",
        "oui vas-y",
        "pode fazer",
    ],
)
def test_an_errand_or_a_yes_is_neither_a_rule_nor_told(said: str) -> None:
    assert not holds(said)


@pytest.mark.parametrize(
    "said",
    [
        "Leg die Logs unter logs ab.",
        "Trag das Datum im ISO-Format ein.",
        "Pass die Doku bei Änderungen an.",
        "Füg Quellen am Ende an.",
        "Lad die Bilder lazy.",
        "Verschick die Mails erst abends.",
        "Übersetz die Namen ins Englische.",
        "把注释翻译成英文。",
        "把代码按功能拆成模块。",
        "跑一遍测试再提交。",
        "把金额换成分。",
        "把时间改成UTC显示。",
        "把日期换成ISO格式。",
        "接着用旧的命名规则。",
        "接着沿用原来的风格。",
    ],
)
def test_what_is_done_in_a_way_or_turned_into_something_is_told(said: str) -> None:
    assert holds(said)


@pytest.mark.parametrize(
    "said",
    [
        "trag die Angebote immer mit Nummer ein",
        "trag die Angebote mit Nummer ein",
        "Freitag die Zelte auf, Samstag ab",
        "wir bauen die Zelte am Freitag auf",
        "ja keine Zusagen ohne mich",
        "yes but never on fridays",
        "把金额都显示成元",
        "给所有接口加超时",
        "继续用旧的接口名，不要改",
        "好，以后都用中文",
        "先跑测试再提交",
    ],
)
def test_what_is_put_like_an_errand_and_holds_on_is_kept(said: str) -> None:
    assert holds(said)


@pytest.mark.parametrize(
    "text",
    [
        "对了手机号一定要脱敏再打印，上次被安全组点名了",
        "对了别动 deploy 目录",
        "记得手机号一定要脱敏",
        "那个部署前都要先问我",
        "quick note never push to main",
        "denk dran fass den Ordner plakate nicht an",
        "petite chose ne touche pas au dossier quai",
        "otra cosa no toques la carpeta muelle",
        "altra cosa non toccare la cartella molo",
        "outra coisa não mexa na pasta cais",
        "nog iets gebruik altijd tabs",
        "jeszcze jedno nie ruszaj folderu port",
        "ах да не трогай папку port",
        "念のため docs フォルダは触らないで",
        "참고로 배포 전에 꼭 물어봐",
        "demande-moi avant chaque déploiement",
    ],
)
def test_small_words_without_a_comma_hide_no_order(text: str) -> None:
    assert rule_weight(text) >= 0.5


@pytest.mark.parametrize(
    "text",
    ["对了昨天没有部署", "还有什么问题没解决", "I don't know how to go on", "I remember when we tied up"],
)
def test_small_words_before_a_tale_make_no_rule(text: str) -> None:
    assert rule_weight(text) < 0.5
