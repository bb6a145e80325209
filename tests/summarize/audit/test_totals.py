"""What the rows of a list come to may be told as their total; a rough number is held against names with figures too."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.identifiers import doubts
from palimpsest.summarize.audit.numbers.totals import totals_in

TALLY = Exact(
    "reading the quays\nquay NORTH-1: 4120 crates\nquay EAST-3: 2871 crates\nquay SOUTH-2: 1588 crates\n"
    "skipped WEST-9: no clock\nwrote out/tally.csv\n"
    "码头 甲-01: 412 箱\n码头 乙-03: 387 箱\n码头 丙-02: 458 箱\n写入 out/t.csv\n"
    "| lamp | 1200 | 31 |\n| buoy | 2400 | 17 |\n| bell | 1150 | 90 |\n"
    "lamp-ams-01 has 1,931 keepers and lamp-fra-02 22,408. Both are stable."
)


@pytest.mark.parametrize(
    "line",
    [
        "The three quays have 8579 crates in total.",
        "8,579 crates altogether.",
        "Zusammen sind es 8579 Kisten.",
        "Au total, 8579 caisses.",
        "En total son 8579 cajas.",
        "In tutto, insieme 8579 casse.",
        "Всего 8579 ящиков.",
        "甲、乙、丙三个码头一共 1257 箱。",
        "三つの埠頭で合計 1257 箱です。",
        "세 부두를 모두 합쳐 1257 상자.",
        "The lamps, buoys and bells are 4750 in all.",
        "Roughly 22,400 keepers for lamp-fra-02.",
        "It gave 1,931 for lamp-ams-01 and roughly 22,400 for lamp-fra-02.",
    ],
)
def test_a_total_or_a_rough_number_that_is_right_stays(line: str) -> None:
    assert doubts(line, TALLY) == []


@pytest.mark.parametrize(
    "line",
    [
        "The three quays have 8679 crates in total.",
        "The harbour has 8579 crates.",
        "甲、乙、丙三个码头一共 1357 箱。",
        "Roughly 21,900 keepers for lamp-fra-02.",
        "North and east have 6459 crates in total.",
    ],
)
def test_a_number_that_is_no_total_is_doubted(line: str) -> None:
    assert doubts(line, TALLY)


def test_a_list_that_stands_twice_in_a_row_is_added_up_once() -> None:
    assert {30.0, 60.0} <= totals_in("a 10\nb 20\na 10\nb 20")
    assert totals_in("only 10\n\nand 20 apart") == frozenset()
