"""A beginning or an end of any id, account or telephone number, with signs or in words, becomes the whole."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.identifiers import doubts

UUID, PHONE, CARD = "3af5c019-7be2-4d61-8c4f-91e60d27ab5c", "0471 206 8813", "5204 7399 1180 6642"
ACCOUNT, INVOICE = "IT40S0542811101000000123456", "INV-2031-884719"
SAID = Exact(
    f"offer {UUID}, call {PHONE}, card {CARD}, account {ACCOUNT}, invoice {INVOICE}\nport 8443, 1250 rows in 2024"
)


def wholes(line: str) -> list[str]:
    return [one.right for one in doubts(f"- {line}", SAID)]


@pytest.mark.parametrize(
    "line, whole",
    [
        ("opzione che finisce in 27ab5c", UUID),
        ("die Option, die auf 27ab5c endet", UUID),
        ("l'offre qui finit par 27ab5c", UUID),
        ("la oferta acabada en 27ab5c", UUID),
        ("a oferta que começa com 3af5c0", UUID),
        ("de optie die eindigt op 27ab5c", UUID),
        ("oferta kończąca się na 27ab5c", UUID),
        ("вариант, который начинается с 3af5c0", UUID),
        ("以27ab5c结尾的选项", UUID),
        ("27ab5cで終わる番号", UUID),
        ("27ab5c로 끝나는 번호", UUID),
        ("the last four digits are 8813", PHONE),
        ("le ultime cifre 068813", PHONE),
        ("mit den Endziffern 6642", CARD),
        ("下6桁は806642です", CARD),
        ("后六位是123456", ACCOUNT),
        ("invoice ending in 884719", INVOICE),
    ],
)
def test_a_part_told_in_words_becomes_the_whole_in_any_language(line: str, whole: str) -> None:
    assert wholes(line) == [whole]


@pytest.mark.parametrize(
    "part, whole",
    [
        ("0471…8813", PHONE),
        ("0471 ... 8813", PHONE),
        ("0471***8813", PHONE),
        ("0471-xxx-8813", PHONE),
        ("0471 206 …", PHONE),
        ("**** **** **** 6642", CARD),
        ("•••• 6642", CARD),
        ("5204 XXXX XXXX 6642", CARD),
        ("IT40…3456", ACCOUNT),
        ("3af5c019 … 27ab5c", UUID),
        ("3af5c019(…)27ab5c", UUID),
    ],
)
@pytest.mark.parametrize("around", ["number {}, checked", "番号{}として登録", "번호 {}로 등록"])
def test_a_part_with_signs_becomes_the_whole_in_any_script(part: str, whole: str, around: str) -> None:
    found = doubts(f"- {around.format(part)}", SAID)
    assert (part, whole) in [(one.text, one.right) for one in found]
    assert max(found, key=lambda one: len(one.text)).text == part


@pytest.mark.parametrize(
    "line",
    [
        "all ids ending in 27ab5c",
        "tutti gli id che finiscono con 27ab5c",
        "the first 5204 rows of the table in 2024",
        "最后5204行",
        "the last 1250 rows",
        "wait ... 1250 rows",
        "2024 … 2031",
        "**1250** rows",
    ],
)
def test_what_is_a_part_of_nothing_stays(line: str) -> None:
    assert [one for one in wholes(line) if one] == []


def test_a_part_at_the_end_of_a_line_takes_nothing_of_the_next() -> None:
    found = doubts("## Commands\n- offer 3af5c019\n## Errors\n- 471 206", SAID)
    assert all("\n" not in one.text for one in found)
    assert [one.right for one in found if one.text == "3af5c019"] == [UUID]
