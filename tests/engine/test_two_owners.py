"""Two owners in one store, with the same words in conversations of the same names: neither ever sees the other's.

What each says is marked; whatever a program or a model asks for, under any id, scope or cursor, what comes back never
holds the other's mark.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import palimpsest
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.engine.reading.paging import Cursor
from palimpsest.errors import PalimpsestError
from palimpsest.record.recall_mark import RECALLED
from tests.effort import examples
from tests.engine.drawing import bulk

OWNERS = ("ann", "bob")
TALKS = ("harbour", "lighthouse")
WORDS = "the night ferry leaves from berth NB-204, see src/app/reader.py"


def mark(owner: str) -> str:
    """What only this owner ever says."""
    return f"spoken by {owner} in turn "


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same conversations for both, told by turns, with summaries."""
    path = tmp_path_factory.mktemp("owners") / "both.db"

    async def fill() -> None:
        for part in range(2):
            for owner in OWNERS:
                async with palimpsest.open(
                    path, owner=owner, window_tokens=8_000, fresh_tail_count=2
                ) as engine:
                    for name in TALKS:
                        await _talk(engine.conversation(name), owner, part)

    asyncio.run(fill())
    return path


async def _talk(talk: Conversation, owner: str, part: int) -> None:
    for turn in range(4):
        said = f"{WORDS}, {mark(owner)}{part}{turn}. {bulk(700, turn)}"
        await talk.append({"role": "user", "content": said}, {"role": "assistant", "content": said})
    await talk.compact(until_under_tokens=1_200)


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing asked for, of a conversation or of all, through a tool or by the program itself."""

    tool: str
    arguments: dict[str, object]
    everywhere: bool


some_ids = st.one_of(
    st.integers(1, 40).map(lambda number: f"m{number}"),
    st.integers(1, 12).map(lambda number: f"s{number}"),
    st.tuples(st.integers(1, 40), st.integers(1, 40)).map(lambda ends: f"m{min(ends)}-m{max(ends)}"),
)
strange_ids = st.sampled_from(("o1", "x1", "p1", "%", "' OR 1=1 --", "c1", "bob", "m0", "m1 m30"))
cursors = st.builds(
    lambda one, results, down, place, char: str(Cursor((one,), results, down, place, char)),
    some_ids, st.booleans(), st.booleans(), st.integers(0, 40), st.integers(0, 900),
)  # fmt: skip
patterns = st.sampled_from(
    (
        "ferry", "berth OR night", "night NOT harbour", "%204%", '"night ferry"', "spoken by bob", "spoken AND ann",
        "o1", "o2", "c1 OR c3", "scope:o2", "src/app/reader.py", "%oken by b%", "*", "ferry) OR (scope : o2", "turn 00",
    )
)  # fmt: skip
scopes = st.sampled_from(("summary", "message", "both"))
asked = st.builds(
    Asked,
    st.sampled_from(("short_search", "short_grep", "short_expand", "short_describe")),
    st.fixed_dictionaries(
        {"question": patterns, "pattern": patterns, "scope": scopes, "limit": st.just(50),
         "all_conversations": st.booleans(), "include_results": st.booleans()},
        optional={"message_ids": st.lists(some_ids | strange_ids, min_size=1, max_size=3), "cursor": cursors,
                  "id": some_ids | strange_ids},
    ),
    st.booleans(),
)  # fmt: skip


async def _answers(engine: Engine, one: Asked) -> list[str]:
    """What the tool answers, and what the same call of the program gives."""
    given_ids, named = one.arguments.get("message_ids", []), str(one.arguments.get("id", "m1"))
    ids = [str(each) for each in given_ids] if isinstance(given_ids, list) else []
    cursor, pattern = str(one.arguments.get("cursor", "")), str(one.arguments["pattern"])
    talk = engine.conversation("harbour")
    calls = {
        "short_search": lambda: engine.search(pattern) if one.everywhere else talk.search(pattern),
        "short_grep": lambda: (
            engine.grep(pattern, limit=50) if one.everywhere else talk.grep(pattern, limit=50)
        ),
        "short_expand": lambda: (
            engine.expand(ids, cursor=cursor) if one.everywhere else talk.expand(ids, cursor=cursor)
        ),
        "short_describe": lambda: (engine if one.everywhere else talk).describe(named),
    }
    tools = engine.tools() if one.everywhere else talk.tools()
    found = [await tools.call(one.tool, one.arguments)]
    try:
        found.append(repr(await calls[one.tool]()))
    except PalimpsestError as error:
        found.append(str(error))
    return found


@examples(25, lenient=[HealthCheck.function_scoped_fixture])
@given(st.lists(asked, min_size=10, max_size=10))
def test_nothing_of_one_owner_is_ever_returned_to_the_other(db: Path, requests: list[Asked]) -> None:
    async def ask() -> dict[str, list[str]]:
        told: dict[str, list[str]] = {}
        for owner in OWNERS:
            async with palimpsest.open(db, owner=owner, window_tokens=8_000, resume=False) as engine:
                told[owner] = [text for one in requests for text in await _answers(engine, one)]
        return told

    told = asyncio.run(ask())
    assert all(text.startswith(RECALLED) for text in told["ann"][::2])
    assert [text for text in told["ann"] if mark("bob") in text] == []
    assert [text for text in told["bob"] if mark("ann") in text] == []


async def test_each_finds_its_own(db: Path) -> None:
    for owner in OWNERS:
        async with palimpsest.open(db, owner=owner, window_tokens=8_000) as engine:
            tools = engine.tools()
            found = await tools.call("short_grep", {"pattern": "ferry", "scope": "message", "limit": 50})
            assert mark(owner) in found
            assert f"{len(TALKS) * 16} hits" in found


async def test_an_id_leads_to_another_conversation_only_where_that_is_asked_for(db: Path) -> None:
    async with palimpsest.open(db, owner="ann", window_tokens=8_000) as engine:
        (stored,) = await engine.conversation("lighthouse").messages(1, 1)
        tools = engine.conversation("harbour").tools()
        refused = await tools.call("short_expand", {"message_ids": [stored.id]})
        crossed = await tools.call("short_expand", {"message_ids": [stored.id], "all_conversations": True})
        described = await tools.call("short_describe", {"id": stored.id})
    assert mark("ann") not in refused
    assert "all_conversations" in refused
    assert "in lighthouse" in crossed
    assert mark("ann") in crossed
    assert "another conversation" in described
