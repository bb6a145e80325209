"""Several words ranked by two connections have the ranks that one statement gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.search.query import Node, parse
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.db import Db
from palimpsest.stores.sqlite.finding.helper import Helper
from palimpsest.stores.sqlite.finding.matching import bounds, by_words
from palimpsest.stores.sqlite.finding.ranking import in_halves, ranks
from palimpsest.stores.sqlite.finding.words import Vocabulary
from palimpsest.stores.sqlite.lane import connect
from palimpsest.stores.words import NOTHING
from tests.contract.kit import ANN, append, say

RANK = "rank_messages"
SEVERAL = [
    "red blue",
    "red OR blue",
    "red blue green",
    "red OR blue OR green OR nobody",
    "red blue NOT green",
]
ONE = ["red", '"red blue"', "NOT red", "red (blue OR green)", "NOT red NOT blue", "red OR %xyz% OR %gre%"]


async def both(path: Path, pattern: str) -> tuple[dict[int, float] | None, dict[int, float]]:
    """The ranks of all that match a pattern: by two connections, and by one."""
    store = await SqliteStore.open(path)
    words = ("red", "blue", "green", "grey red", "x " * 40)
    said = [" ".join(words[place % one] for one in (2, 3, 5) if place % one < 4) for place in range(200)]
    await append(store, [say(f"{text} {place}") for place, text in enumerate(said)])
    await store.search(ANN, None, parse("taken in"))
    db, helper = Db(connect(str(path), 1.0)), Helper(str(path), 1.0, 20.0)
    known = Vocabulary(db)
    root: Node = by_words(known, parse(pattern).root)
    matching = bounds(known, root, NOTHING).most
    rows = db.numbers("numbers_of_newest_messages", matching, 1_000)
    answer = in_halves(known, helper, RANK, root, rows), ranks(db, RANK, matching, rows)
    helper.close()
    db.connection.close()
    await store.close()
    return answer


@pytest.mark.parametrize("pattern", SEVERAL)
async def test_the_ranks_of_several_words_add_up(tmp_path: Path, pattern: str) -> None:
    by_two, by_one = await both(tmp_path / "talks.db", pattern)
    assert by_one
    assert by_two == pytest.approx(by_one, rel=1e-9)


@pytest.mark.parametrize("pattern", ONE)
async def test_what_does_not_add_up_is_ranked_at_once(tmp_path: Path, pattern: str) -> None:
    by_two, _ = await both(tmp_path / "talks.db", pattern)
    assert by_two is None
