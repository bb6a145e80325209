"""Lists of rules are known by the line above them, and by what most of their items are."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from tests.summarize.dialogues import user


def rules_of(lead: str, *items: str) -> list[str]:
    ledger = Ledger()
    update(ledger, user("Plan the harbour's season."), 1)
    update(ledger, user("\n".join((lead, *(f"{at}. {item}" for at, item in enumerate(items, 1))))), 2)
    return [entry.text for entry in ledger.of("rule").values()]


@pytest.mark.parametrize(
    "lead, items",
    [
        (
            "These hold for all mails:",
            ('sign as "Pier Crew"', "no emojis", "prices with VAT", "dates as 14 July"),
        ),
        ("Please mind in every letter:", ("first names", "two pages", "metric units")),
        ("Whatever you write for us:", ("plain words", "no jargon", "never blame the crew")),
        (
            "How I like my minutes:",
            ("bullet points", "never longer than a page", "names in bold", "deeds first"),
        ),
        ("Formatting:", ("always ISO dates", "never tabs", "names in italics")),
        ("Für alle Aushänge gilt:", ("Schriftgröße 14", "nie mehr als eine Seite", "Logo oben links")),
        ("À respecter pour les courriers :", ("signature de l'équipe", "pas d'émojis", "prix TTC")),
        ("Ten en cuenta para los correos:", ("firma del equipo", "sin emojis", "precios con IVA")),
        ("Для всех писем действует:", ("подпись команды", "никаких смайлов", "цены с НДС")),
        ("以下几点请注意：", ("署名用团队名", "不要用表情符号", "价格含税")),
        ("次の点を守ってください：", ("署名はチーム名", "絵文字は使わない", "価格は税込み")),
    ],
)
def test_all_items_of_a_list_of_rules_are_rules(lead: str, items: tuple[str, ...]) -> None:
    assert rules_of(lead, *items) == list(items)


@pytest.mark.parametrize(
    "lead, items",
    [
        ("Please do the following:", ("add a test for the pump", "rename the crane module", "fix the docs")),
        ("Today's agenda:", ("stage", "toilets", "posters")),
        ("We bought:", ("3 lamps", "no cables", "2 ropes")),
        ("Remember what we saw yesterday:", ("the pump leaked", "crane stuck")),
        ("接下来的任务：", ("修复水泵", "测试吊车", "更新文档")),
    ],
)
def test_work_and_what_was_seen_are_none(lead: str, items: tuple[str, ...]) -> None:
    assert rules_of(lead, *items) == []


@pytest.mark.parametrize(
    "lead, items",
    [
        (
            "a few things before you go on:",
            ("no lamps", "ropes lie next to the mast", "commit messages in lower case"),
        ),
        ("some notes:", ("never touch the anchor", "knots in bold")),
        ("before you start:", ("no flags", "single ropes", "two spaces")),
        ("Ein paar Sachen noch:", ("keine Emojis", "Preise mit MwSt", "Anrede mit Sie")),
        (
            "Noch ein paar Punkte, bevor du weitermachst:",
            ("nie ohne Rückfrage zusagen", "Betreff mit Aktenzeichen"),
        ),
        ("Quelques points avant de continuer :", ("pas d'émojis", "prix TTC")),
        ("Unas cosas antes de seguir:", ("sin emojis", "precios con IVA")),
        ("Algumas coisas antes de continuar:", ("nada de emojis", "datas por extenso")),
        ("Alcune cose prima di continuare:", ("niente emoji", "date per esteso")),
        ("Несколько моментов перед тем как продолжить:", ("никаких эмодзи", "цены с НДС")),
        ("Een paar dingen vooraf:", ("geen emoji", "datums voluit")),
        ("Kilka spraw zanim zaczniesz:", ("bez emoji", "ceny z VAT")),
        ("继续之前有几点：", ("不要放灯", "测试文件放在源文件旁边")),
        ("続ける前にいくつか：", ("絵文字は使わない", "価格は税込み")),
        ("시작하기 전에 몇 가지:", ("이모지 금지", "가격은 부가세 포함")),
    ],
)
def test_a_few_things_to_be_known_are_rules_where_one_of_them_bans_something(
    lead: str, items: tuple[str, ...]
) -> None:
    assert rules_of(lead, *items) == [*items]


@pytest.mark.parametrize(
    "lead, items",
    [
        ("a few things I found:", ("no lamps in quay/a.ts", "knots come loose", "the mast is odd")),
        ("what I have:", ("no money", "two boats", "one lamp")),
        ("a few things happened:", ("no wind", "the mast broke", "two guests left")),
        ("Ein paar Sachen sind kaputt:", ("kein Licht", "die Pumpe tropft")),
        ("before you start:", ("fix the lamp", "rename the mast")),
        ("几个问题：", ("没有声音", "灯闪", "保存不了")),
    ],
)
def test_a_few_things_that_were_found_or_are_to_be_done_are_none(lead: str, items: tuple[str, ...]) -> None:
    assert not {*rules_of(lead, *items)} - {items[0]}


@pytest.mark.parametrize(
    "lead, items",
    [
        (
            "A few things about the bug:",
            ("it happens on Safari", "it never happens on Chrome", "the log says nothing"),
        ),
        ("Two things before you go on:", ("the build is slow", "I never got the mail")),
        ("Two points:", ("The login does not work", "The logout never works")),
        ("Noch ein paar Punkte:", ("Der Login geht nicht", "Die Seite lädt nie")),
        (
            "A few notes on the crash:",
            ("it only crashes on Windows", "no stack trace is shown", "it never crashes in debug"),
        ),
        ("Zwei Dinge:", ("der Build ist langsam", "ich habe keine Mail bekommen")),
        ("Some points:", ("we do not have a license", "the server is not reachable")),
    ],
)
def test_items_that_state_what_is_or_was_are_none(lead: str, items: tuple[str, ...]) -> None:
    assert rules_of(lead, *items) == []


@pytest.mark.parametrize(
    "items",
    [
        ("commit messages in imperative, lower case", "no default exports", "specs live next to the file"),
        ("no emojis", "names are in bold", "dates must be ISO"),
        ("the chart is read-only, never touch it", "tabs"),
        ("never sail at night", "I want short answers"),
    ],
)
def test_items_that_demand_something_are_rules_though_they_speak_of_a_thing(items: tuple[str, ...]) -> None:
    assert rules_of("a few things before you go on:", *items) == [*items]


def test_what_is_stated_among_demands_is_none() -> None:
    items = "never sail at night", "the pump is slow", "ropes in the left locker"
    assert rules_of("Two points:", *items) == [items[0], items[2]]
