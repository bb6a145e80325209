"""A line gives each row of a table its own figure."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.audit.belonging.exchanged import exchanged
from palimpsest.summarize.audit.belonging.tables import misread

PODS = "NAME CPU MEM\nstore-6f8c5d 88m 171Mi\nledger-6c9d7f 41m 203Mi\nquay-58bb4c 7m 64Mi\n"
RATES = "华东 0.034\n华南 0.051\n华北 0.028\n"


@pytest.mark.parametrize(
    "table, line, right",
    [
        (PODS, "- store uses 203Mi, ledger 171Mi", "- store uses 171Mi, ledger 203Mi"),
        (PODS, "- quay takes 41m of a core", "- quay takes 7m of a core"),
        (PODS, "- o ledger usa 64Mi e o quay 203Mi", "- o ledger usa 203Mi e o quay 64Mi"),
        (RATES, "- 退货率：华东 2.8%，华北 3.4%（最低）", "- 退货率：华东 3.4%，华北 2.8%（最低）"),
    ],
)
def test_a_figure_of_another_row_becomes_that_of_its_own(table: str, line: str, right: str) -> None:
    assert list(misread([line], table)) == [(line, right)]


@pytest.mark.parametrize(
    "text, line",
    [
        (PODS, "- store uses 171Mi, ledger 203Mi"),
        (PODS, "- store uses 32Mi less than ledger with 203Mi"),
        (PODS, "- the largest is 203Mi"),
        (PODS, "- store and ledger: 171Mi and 203Mi"),
        (f"{PODS}\nLater the store took 203Mi.", "- store takes 203Mi now"),
        (RATES, "- 华东 3.4%，华南 5.1%"),
        ("store-1 171Mi\n", "- store takes 203Mi"),
    ],
)
def test_what_is_the_rows_own_or_told_elsewhere_stays(text: str, line: str) -> None:
    assert not list(misread([line], text))


COVER = (
    "src/client.py  120  12  90%\nsrc/pool.py  45  30  33%\nsrc/http.py  80  8  90%\n"
    '{"file_path": "src/pool.py", "new_string": "MAX_RETRIES = 12"}\n'
    "grep -n retry src/pool.py\n120: retry(3)\n8: import retry\n"
    "It has eight callers and 80 tests, and the bug sat at line 120"
)
SLOW = "NAME LATENCY SHARE\nstore 120ms 12%\nledger 45ms 30%\nquay 12ms 8%\n"


@pytest.mark.parametrize(
    "text, line",
    [
        (COVER, "- Raised MAX_RETRIES in src/pool.py to 12"),
        (COVER, "- src/pool.py: MAX_RETRIES = 12"),
        (COVER, "- src/pool.py: bug at line 120"),
        (COVER, "- The pool has 80 tests"),
        (COVER, "- pool.py has 8 callers"),
        (COVER, "- src/pool.py imports retry in line 8"),
        (
            f'{SLOW}{{"file": "conf/ledger.toml", "put": "timeout = 120ms"}}',
            "- The ledger waits 120ms at most",
        ),
        (f"{SLOW}cat ledger.toml\n[http]\ntimeout = 120ms", "- The ledger waits 120ms at most"),
        (f"{SLOW}Then, once more:\n{SLOW.replace('45ms', '120ms')}", "- ledger has a latency of 120ms"),
        ("NAME READ WRITE\nstore 120ms 31ms\nledger 45ms 30ms\n", "- The ledger took 120ms"),
    ],
)
def test_a_number_that_counts_something_else_or_is_told_elsewhere_stays(text: str, line: str) -> None:
    assert not list(misread([line], text))


@pytest.mark.parametrize(
    "text, line, right",
    [
        (SLOW, "- ledger has a latency of 120ms", "- ledger has a latency of 45ms"),
        (SLOW, "- quay takes a share of 30%", "- quay takes a share of 8%"),
        ("NAME RETRIES\nstore 12\nledger 45\n", "- ledger: 12 retries", "- ledger: 45 retries"),
        ("store 12\nledger 45\n", "- ledger 12, store 45", "- ledger 45, store 12"),
    ],
)
def test_a_unit_a_header_or_an_exchange_shows_that_the_column_is_meant(
    text: str, line: str, right: str
) -> None:
    assert list(misread([line], text)) == [(line, right)]


def test_a_long_list_of_rows_is_no_table_and_is_read_fast() -> None:
    rows = [f"berth-{at} {at + 10}ms" for at in range(40_000)]
    taken_s: list[float] = []
    for number in (4_000, 40_000):
        begun_s = process_time()
        assert not list(misread(["- berth-7 takes 18ms"], "\n".join(rows[:number])))
        taken_s.append(process_time() - begun_s)
    assert taken_s[1] < 40 * (taken_s[0] + 0.02)


@given(st.lists(st.integers(10, 9_999), min_size=2, max_size=8, unique=True))
def test_every_row_told_rightly_stays_and_every_exchange_of_two_is_put_right(figures: list[int]) -> None:
    names = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath"][: len(figures)]
    table = "\n".join(f"{name} {figure}" for name, figure in zip(names, figures, strict=True))
    true = "; ".join(f"{name} has {figure}" for name, figure in zip(names, figures, strict=True))
    assert not list(misread([true], table))
    turned = [figures[1], figures[0], *figures[2:]]
    line = "; ".join(f"{name} has {figure}" for name, figure in zip(names, turned, strict=True))
    assert list(misread([line], table)) == [(line, true)]


@pytest.mark.parametrize(
    "text, line",
    [
        (
            "The insert takes 214.9 ns at 4096 and 391.6 ns at 65536.",
            "- The insert takes 391.6 ns at 4096 and 214.9 ns at 65536",
        ),
        ("The store restarted 37 times; the ledger, 14.", "- The store restarted 14 times, the ledger 37"),
        ("48210행을 읽었고 316행이 거부되었습니다.", "- 316행을 읽었고 48210행이 거부됨"),
        ("The store takes 171Mi; the ledger takes 203Mi.", "- The store takes 203Mi, the ledger 171Mi"),
    ],
)
def test_figures_with_units_in_pairs_and_in_clauses_of_their_own_are_exchanged(text: str, line: str) -> None:
    assert list(exchanged([line], text))


@pytest.mark.parametrize(
    "text, line",
    [
        (
            "The insert takes 214.9 ns at 4096 and 391.6 ns at 65536.",
            "- 214.9 ns at 4096, 391.6 ns at 65536",
        ),
        ("The store restarted 37 times; the ledger, 14.", "- The ledger restarted 14 times, the store 37"),
        ("48210행을 읽었고 316행이 거부되었습니다.", "- 316행이 거부되었고 48210행을 읽음"),
    ],
)
def test_figures_told_in_another_order_with_their_own_words_stay(text: str, line: str) -> None:
    assert not list(exchanged([line], text))


GOODS = (
    '{"items": [{"name": "Lantern", "id": "4410087", "price": 31.20, "options": {"colour": "brass"}}, '
    '{"name": "Anchor", "id": "4410995", "price": 88.40, "options": {"colour": "grey"}}]}'
)
YEARS = (
    "| item | 2031 | 2032 |\n|---|---|---|\n| rope yard | 21,400 | 24,850 |\n| sail loft | 9,750 | 8,300 |\n"
)
BENCH = "BenchmarkWriteKeels-8   860   1310 us/op\nBenchmarkWriteMasts-8   410   2875 us/op\n"
WAITS = "node  depth  wait_ms\nquay-17  210  4\nquay-24  1950  38\n"


@pytest.mark.parametrize(
    "table, line, right",
    [
        (GOODS, "- The lantern costs $88.40", "- The lantern costs $31.20"),
        (GOODS, "- Anchor: id 4410087", "- Anchor: id 4410995"),
        (YEARS, "- The rope yard cost 24,850 in 2031", "- The rope yard cost 21,400 in 2031"),
        (BENCH, "- WriteKeels 每次 2875 微秒", "- WriteKeels 每次 1310 微秒"),
    ],
)
def test_rows_of_objects_of_bars_and_of_wide_gaps_have_their_own_figures(
    table: str, line: str, right: str
) -> None:
    assert list(misread([line], table)) == [(line, right)]
    assert not list(misread([right], table))


def test_a_sentence_without_a_row_speaks_of_the_row_before_it() -> None:
    line = "- The sail loft goes on. It cost 24,850 in 2032."
    assert list(misread([line], YEARS)) == [("It cost 24,850 in 2032.", "It cost 8,300 in 2032.")]
    assert not list(misread(["- The rope yard goes on. The sail loft cost 8,300 in 2032."], YEARS))
    assert not list(misread(["- quay-17 fell by 3 ms. quay-24 has 1950 entries and waits 38 ms."], WAITS))


@pytest.mark.parametrize(
    "table, line",
    [
        (GOODS, "The lantern costs more than the anchor"),
        (WAITS, "quay-17 waits longer than quay-24"),
        (YEARS, "The rope yard cost more in 2031 than in 2032"),
        (YEARS, "The rope yard fell between 2031 and 2032"),
        (BENCH, "WriteKeels 比 WriteMasts 慢"),
    ],
)
def test_a_comparison_says_what_the_figures_say(table: str, line: str) -> None:
    assert list(misread([f"- {line}"], table)) == [(f"- {line}", "")]
    turned = [("more", "less"), ("longer", "shorter"), ("fell", "rose"), ("慢", "快")]
    true = next(line.replace(old, new) for old, new in turned if old in line)
    assert not list(misread([f"- {true}"], table))


@given(st.lists(st.integers(100, 9_999), min_size=2, max_size=6, unique=True))
def test_of_two_rows_the_larger_one_is_more(figures: list[int]) -> None:
    names = ["amber", "birch", "cedar", "dune", "ember", "fjord"][: len(figures)]
    table = "\n".join(f"{name} {figure}" for name, figure in zip(names, figures, strict=True))
    how = ("more", "less") if figures[0] > figures[1] else ("less", "more")
    assert not list(misread([f"- amber has {how[0]} than birch"], table))
    assert list(misread([f"- amber has {how[1]} than birch"], table))


def test_what_two_columns_are_both_called_names_neither() -> None:
    table = "path p50_ms p99_ms\n/piers 17 92\n/boats 29 340\n"
    assert not list(misread(["- The median of /piers fell from 41 to 17 ms"], table))


@pytest.mark.parametrize(
    "line, right",
    [
        ("La doble interior cuesta 301,00 euros", "La doble interior cuesta 368,50 euros"),
        ("La doble interior cuesta 368,50 euros", None),
        ("La doble interior es más cara que la doble con vista", ""),
        ("La doble interior es más barata que la doble con vista", None),
        ("La doble con vista es más cara que la doble interior", None),
        ("La doble con vista es más barata que la doble interior", ""),
    ],
)
def test_prices_with_a_decimal_comma_and_what_is_dearer_are_held_against_their_rows(
    line: str, right: str | None
) -> None:
    rooms = "room  precio  free\ndoble vista  452.00  1\ndoble interior  368.50  4\nindividual  301.00  2"
    assert list(misread([line], rooms)) == ([] if right is None else [(line, right)])
