"""A line gives each row of a table its own figure."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.audit.exchanged import exchanged
from palimpsest.summarize.audit.tables import misread

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
