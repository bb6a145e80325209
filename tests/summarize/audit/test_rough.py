"""A number told as rough, or as a bound, stays where it is right; an exact one gets the source's form."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.identifiers import doubts

HELD = Exact(
    "checked 23817 crates in 4.87 s, 1263 wrong, largest file 486.2 MB\n"
    "geprüft 71264 Kisten, Dauer 38.6 s, Spitze 913 MB\n拉取 18640 条,用了 51.3 s\nテストは 5.42s"
)


@pytest.mark.parametrize(
    "line",
    [
        "The count checked about 23,800 crates in under 5 seconds.",
        "Nearly 24,000 crates were checked, over 1,200 were wrong.",
        "Roughly 1,260 crates were wrong, the largest file has about 490 MB.",
        "More than 23,000 crates were checked in about 4.9 s.",
        "Up to 24,000 crates were checked, ~1,300 were wrong.",
        "Rund 71.000 Kisten in knapp 39 s.",
        "Der Lauf prüfte über 71.000 Kisten in unter 40 s.",
        "Der Lauf brauchte gut 38 s und etwa 910 MB.",
        "Le fichier a environ 490 Mo, soit presque 490 MB.",
        "El archivo tiene unos 490 MB.",
        "拉取了约 18,600 条,用了不到 52 秒。",
        "用了大约 51 秒。",
        "用了大约51 秒。",
        "テストは約 5.4 秒でした。",
        "テストは 5.4 秒ほどでした。",
    ],
)
def test_a_rough_number_that_is_right_stays(line: str) -> None:
    assert doubts(line, HELD) == []


@pytest.mark.parametrize(
    "line, right",
    [
        ("The count checked 23,800 crates.", "23817"),
        ("The largest file has 490 MB.", "486.2 MB"),
        ("Der Lauf prüfte 71.000 Kisten.", "71264"),
        ("试运行用了 51 秒。", "51.3 s"),
        ("It has about 490 MB, so 490 MB are to be moved.", "486.2 MB"),
    ],
)
def test_a_rounded_number_that_stands_as_exact_gets_the_source_s_form(line: str, right: str) -> None:
    assert [right in one.right for one in doubts(line, HELD)] == [True]


@pytest.mark.parametrize(
    "line",
    [
        "The count checked about 31,000 crates.",
        "The largest file has about 700 MB.",
        "The count checked over 25,000 crates.",
        "The count ran in under 4.2 seconds.",
        "Der Lauf brauchte etwa 55 s.",
        "用了不到 42 秒。",
    ],
)
def test_a_rough_number_that_is_wrong_does_not_stay(line: str) -> None:
    assert len(doubts(line, HELD)) == 1


COUNTED = Exact(
    "1187 crates, 52 labels, tide 514 cm, p95 514 ms, 37.9 seconds, 310 MB\n"
    "1187 crates with 52 labels; the copy took 51.7 s for 18,412 rows\nberths=1640 cranes=31"
)


@pytest.mark.parametrize(
    "line",
    [
        "p95 is about 1000 ms.",
        "More than 1,000 labels were printed.",
        "Memory was almost 400 MB.",
        "It used under 1000 MB.",
        "It took less than 100 seconds.",
        "The copy took about 100 seconds.",
        "Up to 10,000 crates were lost.",
        "The copy took over 10,000 rows.",
        "About 1,200 labels were printed.",
        "Über 1,600 cranes.",
        "It took about 30 seconds.",
    ],
)
def test_a_rough_number_far_off_or_of_another_thing_does_not_stay(line: str) -> None:
    assert len(doubts(line, COUNTED)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "p95 is about 500 ms.",
        "More than 1,000 crates came.",
        "About 1,200 crates, over 300 MB.",
        "It took almost 40 seconds.",
        "The copy took about 50 seconds.",
        "Over 18,000 rows were taken.",
        "Some 1,600 berths.",
        "复制了超过 18,000 行。",
    ],
)
def test_a_rough_number_of_the_same_thing_stays(line: str) -> None:
    assert doubts(line, COUNTED) == []


HUGE = [
    "1" + ",000" * 110,
    "1" + ".000" * 110,
    "9" * 400,
    "1e999",
    "0." + "0" * 400 + "1",
    "１２３",
    "½",
    "٣٤٥",
    "1" + "0" * 309,
]


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize(
    "form", ["The counter shows {}.", "about {} crates", "over {} MB", "不到 {} 秒", "${} of {}"]
)
def test_no_number_is_too_long_or_too_odd_to_be_judged(form: str, number: str) -> None:
    line = form.replace("{}", number)
    assert all(one.text in line for one in doubts(line, HELD))
    assert doubts(line, Exact(line)) == []
