"""One engine serves many owners: each has conversations of its own, and all of them are closed with it."""

from __future__ import annotations

import pytest

import palimpsest
from palimpsest.engine.owner_engines import OwnerEngines
from palimpsest.errors import UsageError
from tests.engine.drawing import said


async def test_threads_of_the_same_name_belong_to_their_owners() -> None:
    async with palimpsest.open(":memory:", owner="me", window_tokens=16_000) as engine:
        for owner in ("ann", "bob", "me"):
            talk = engine.conversation_for("harbour-42", owner=owner)
            await talk.append(said("user", f"said by {owner}"))
        for owner in ("ann", "bob", "me"):
            talk = engine.conversation_for("harbour-42", owner=owner)
            assert [one.message.text for one in await talk.messages()] == [f"said by {owner}"]
            answer = await talk.tools().call("short_grep", {"pattern": "said", "all_conversations": True})
            assert f"said by {owner}" in answer
            assert answer.count("said by") == 1
        assert engine.for_owner("me") is engine
        assert engine.for_owner("ann") is engine.for_owner("ann")
        assert engine.conversation("harbour-42").id == "harbour-42"


async def test_the_costs_and_the_work_of_other_owners_are_saved_at_the_end() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000) as engine:
        talk = engine.conversation_for("harbour-42", owner="ann")
        await talk.append(said("user", "hello"))
        request = await talk.request(model="claude-sonnet-4-5")
        await talk.record_usage({"prompt_tokens": 900, "completion_tokens": 9}, request)
        await talk.end_turn()
        bill = await engine.for_owner("ann").cost("harbour-42")
        assert bill is not None
        assert await engine.conversations() == []
        ann = engine.for_owner("ann")
    with pytest.raises(palimpsest.StoreError):
        await ann.conversations()


@pytest.mark.parametrize("owner", ["", "x" * 501, None, 7])
async def test_an_owner_is_a_name(owner: object) -> None:
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(UsageError, match="owner"):
            engine.conversation_for("harbour-42", owner=owner)  # pyright: ignore[reportArgumentType]


async def test_only_idle_engines_are_dropped_from_memory() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000) as engine:
        owners = OwnerEngines(engine._make_for_owner, 2)
        held = owners.use("ann")
        talk = held.conversation("harbour-42")
        await talk.append(said("user", "hello"))
        await talk.request(model="claude-sonnet-4-5")
        assert not held.is_idle
        for number in range(5):
            owners.use(f"other {number}")
        assert len(owners) == 2
        assert owners.use("ann") is held


async def test_tools_for_one_conversation_read_no_other() -> None:
    async with palimpsest.open(":memory:") as engine:
        await engine.conversation("other").append(said("user", "the heliotrope buoy"))
        talk = engine.conversation("harbour-42")
        await talk.append(said("user", "hello"))
        tools = talk.tools(all_conversations=False)
        assert all("all_conversations" not in str(one.parameters) for one in tools)
        asked = {"pattern": "heliotrope", "all_conversations": True}
        assert "buoy" not in await tools.call("short_grep", asked)
        assert "buoy" in await talk.tools().call("short_grep", asked)
