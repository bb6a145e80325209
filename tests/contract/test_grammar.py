"""Every store finds exactly what the grammar says, however a pattern is made: held against looking at every text."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import UsageError
from palimpsest.ports import Store
from palimpsest.record.message import Media, Message, Role, Text, ToolCall, ToolResult
from palimpsest.record.recall_mark import RECALLED
from palimpsest.search.filters import Where
from palimpsest.search.query_grammar import Query, parse
from palimpsest.search.query_matching import Body, matches
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.fulltext.index import FEW_ENTRIES
from tests.contract.kit import ANN, TALK, append, found, say
from tests.reference_store import MemoryStore

WORDS = st.text("abAB12 .-_/\"'*()\\\n\0é好テ파ｶﾞ\u3099ᄒ\u1161รั\u064e\ufe0f🚢\ud800:^{}", max_size=12)
SAID = st.lists(
    st.sampled_from(["transact", "transaction", "transactions", "acting", "snake_case", "case", "src/app", "é", "好テ"])
    | WORDS,
    max_size=8,
).map(" ".join)  # fmt: skip
OPERATORS = st.sampled_from(["AND", "OR", "NOT", "(", ")", "%", '"', " ", "NOT %", "% OR ", "action", "e_c"])


LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
PATTERNS = 20 if LONG else 5
"""Patterns that are asked of each set of texts: the long profile asks 100,000 in all."""

pytestmark = [pytest.mark.timeout(0)] if LONG else []


@st.composite
def searches(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Texts, and patterns made of pieces of them."""
    said = draw(st.lists(SAID, min_size=1, max_size=6))
    text = st.sampled_from(said)
    cuts = st.tuples(text, st.integers(0, 40), st.integers(0, 12)).map(lambda cut: cut[0][cut[1] :][: cut[2]])
    pieces = st.lists(cuts | OPERATORS | WORDS, min_size=1, max_size=7)
    pattern = st.builds(str.join, st.sampled_from(["", " "]), pieces)
    return said, draw(st.lists(pattern, min_size=PATTERNS, max_size=PATTERNS))


def queries(patterns: list[str]) -> Iterator[Query]:
    """Those of the patterns that can be asked; the others are refused, which is no failure."""
    for pattern in patterns:
        with contextlib.suppress(UsageError):
            yield parse(pattern)


@given(searches(), st.sampled_from([1, FEW_ENTRIES + 1]))
async def test_the_index_finds_what_looking_at_every_text_finds(
    made: tuple[list[str], list[str]], times: int
) -> None:
    """Whether the words of its texts wait or were taken in, as with many texts at once."""
    said, patterns = made
    sqlite, memory = await SqliteStore.open(":memory:"), MemoryStore()
    for one in (sqlite, memory):
        await append(one, [say(text) for text in said[1:]] * times, owner="other")
        await append(one, [say(text) for text in said])
        await append(one, [say(text) for text in said[:2]], talk="other")
    for query, talk in itertools.product(queries(patterns), (TALK, None)):
        answers = [await one.search(ANN, talk, query, limit=100) for one in (sqlite, memory)]
        first, second = ({hit.id for hit in answer.hits} for answer in answers)
        assert first == second
        assert [(answer.total, answer.complete) for answer in answers] == [(len(first), True)] * 2
        for answer in answers:
            assert [hit.rank for hit in answer.hits] == sorted(hit.rank for hit in answer.hits)
        few = await sqlite.search(ANN, talk, query, limit=2)
        assert few.hits == answers[0].hits[:2]
    await sqlite.close()
    await memory.close()


TIMES = st.none() | st.floats(-10, 4e9) | st.integers(-1, 1_100_000).map(lambda hour: hour * 3_600.0)


@given(
    said=st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "tool"]), TIMES, st.sampled_from(["red", "transacted"])
        ),
        max_size=12,
    ),
    role=st.sampled_from([None, "user", "tool"]),
    bounds=st.tuples(TIMES, TIMES),
    pattern=st.sampled_from(["red", "NOT red", "transa% OR red", "%act%"]),
)
async def test_roles_and_times_limit_what_the_index_finds(
    said: list[tuple[Role, float | None, str]],
    role: Role | None,
    bounds: tuple[float | None, float | None],
    pattern: str,
) -> None:
    where = Where("both", role, *bounds)
    messages = [Message(who, (Text(text),), time_s=time_s) for who, time_s, text in said]
    expected = {
        place
        for place, (who, time_s, text) in enumerate(said, 1)
        if where.holds(who, time_s, time_s) and matches(parse(pattern).root, Body.of(text))
    }
    for store in (await SqliteStore.open(":memory:"), MemoryStore()):
        await append(store, messages)
        await append(store, messages, owner="other")
        answer = await store.search(ANN, TALK, parse(pattern), where=where, limit=100)
        assert {int(hit.id[1:]) for hit in answer.hits} == expected
        assert (answer.total, answer.complete) == (len(expected), True)
        await store.close()


async def test_what_was_looked_up_is_not_found_as_everything_but_a_word_either(store: Store) -> None:
    """Nor by a role alone; what an assistant says beside its call is."""
    look = ToolCall("call_1", "short_grep", '{"pattern": "pier"}')
    told = ToolResult("call_1", (Text(f"{RECALLED} m1 user: pier 3]"),))
    await append(
        store,
        [
            say("a gull"),
            Message("assistant", (look,)),
            Message("tool", (told,)),
            Message("assistant", (Text("let me see"), look)),
            Message("tool", (told,)),
            Message("user", (Media("image", data="aGk="),)),
        ],
    )
    assert await found(store, "NOT pier") == {"m1", "m4", "m6"}
    answer = await store.search(ANN, TALK, parse("NOT pier"), where=Where(role="tool"))
    assert answer.total == 0
