"""What an engine holds in memory of many conversations: a bounded number, one desk each, and nothing is lost when one
gives way.
"""

from __future__ import annotations

import asyncio
import gc
import weakref
from pathlib import Path

import palimpsest
from palimpsest.engine.conversation import state_of
from palimpsest.engine.conversation_state import ConversationState
from palimpsest.engine.engine import Engine
from palimpsest.engine.state_cache import MAX_STATES, MIN_STATES, StateCache
from palimpsest.record.message import Message, Text
from palimpsest.record.store_values import Counted
from palimpsest.settings import make_settings
from tests.engine.drawing import said
from tests.engine.laws import assert_lawful
from tests.reference_store import MemoryStore

MODEL = "claude-sonnet-4-5"


def crowd(engine: Engine) -> None:
    """So many other conversations that every desk used before gives way, if it may."""
    for number in range(MAX_STATES + 100):
        engine.conversation(f"other {number}")


async def test_an_engine_holds_a_bounded_number_of_windows() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        crowd(engine)
        assert len(engine._states) == MAX_STATES
        await engine.conversation("other 1").append(said("user", "still here"))
        await assert_lawful(engine.conversation("other 1"), [said("user", "still here")])


async def test_where_windows_are_long_fewer_are_held_and_those_used_last_stay() -> None:
    async with palimpsest.open(":memory:", window_tokens=100_000) as engine:
        desks = StateCache(engine._make_state, max_items=200)
        for number in range(40):
            desk = desks.use(f"talk {number}")
            await engine.store.append(
                "me", desk.conversation, [Counted(Message("user", (Text("Hi"),)), 1)] * 10, now_s=1
            )
            await desk.load()
            del desk
        gc.collect()
        assert len(desks) == MIN_STATES + 5
        assert [one.conversation for one in desks] == [f"talk {number}" for number in range(19, 40)]
        for number in (*range(30, 40), 3, 39):
            desks.use(f"talk {number}")
        assert desks.find("talk 39") is not None
        assert desks.find("talk 19") is None


async def test_a_few_conversations_are_held_however_long_they_are() -> None:
    async with palimpsest.open(":memory:", window_tokens=100_000) as engine:
        desks = StateCache(engine._make_state, max_items=1)
        for number in range(2 * MIN_STATES):
            desk = desks.use(f"talk {number}")
            await engine.store.append(
                "me", desk.conversation, [Counted(Message("user", (Text("Hi"),)), 1)] * 2, now_s=1
            )
            await desk.load()
        assert len(desks) == MIN_STATES


async def test_a_desk_that_gave_way_is_found_again_while_somebody_works_at_it_and_is_gone_after_that() -> (
    None
):
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("a")
        crowd(engine)
        assert state_of(engine.conversation("a")) is state_of(talk)
        crowd(engine)
        gone = weakref.ref(state_of(talk))
        del talk
        gc.collect()
        assert gone() is None


async def test_two_handles_on_a_conversation_append_and_compact_though_its_desk_gave_way(
    tmp_path: Path,
) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=8_000, max_tokens=500) as engine:
        early = engine.conversation("a")
        words = [
            said("user" if number % 2 else "assistant", f"words {number} " * 40) for number in range(1, 41)
        ]
        await early.append(*words[:20])
        crowd(engine)
        late = engine.conversation("a")
        await asyncio.gather(late.compact(2_000), early.append(*words[20:]))
        crowd(engine)
        await early.compact(2_000)
        await assert_lawful(early, words)
        await assert_lawful(late, words)
        assert (await engine.verify()).sound


async def test_a_call_is_paid_for_though_its_desk_gave_way_before_anybody_reported_it(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", model=MODEL) as engine:
        await engine.conversation("a").append(said("user", "How late is it?"))
        await engine.conversation("a").request()
        held = engine.conversation("b")
        await held.append(said("user", "And there?"))
        await held.request()
        crowd(engine)
        await engine.conversation("a").append(said("assistant", "Five to eight."))
        await held.append(said("assistant", "An hour more."))
        crowd(engine)
    async with palimpsest.open(tmp_path / "a.db") as engine:
        assert (await engine.stats()).replies.calls == 2


async def test_where_all_desks_owe_for_a_call_the_one_used_longest_ago_gives_way_and_is_paid_for() -> None:
    store, settings = MemoryStore(), make_settings(model=MODEL)
    desks, engine = (
        StateCache(lambda name: ConversationState(store, "me", name, settings), 3),
        Engine(store, settings=settings),
    )
    for name in "abc":
        talk = engine.conversation(name)
        await talk.append(said("user", "How late is it?"))
        desk = desks.use(name)
        branch, window = await desk.load()
        assert branch is not None
        desk.costs.note_request(await talk.request(), branch, window, 0.0)
        await talk.append(said("assistant", "Five to eight."))
        del desk
    desks.use("d")
    assert len(desks) == 3
    await asyncio.gather(*desks._settling)
    assert [len(await store.spent("me", name)) for name in "abc"] == [1, 0, 0]
    assert [desk.conversation for desk in desks] == ["b", "c", "d"]
    await desks.settle()
    assert [len(await store.spent("me", name)) for name in "abc"] == [1, 1, 1]
    await engine.close()


async def test_two_handles_share_a_desk_and_its_bill_though_something_was_forgotten_between_them(
    tmp_path: Path,
) -> None:
    async with palimpsest.open(tmp_path / "a.db", model=MODEL) as engine:
        early = engine.conversation("a")
        stored = await early.append(said("user", "My number is 5521."), said("assistant", "Noted."))
        await early.request()
        await engine.forget("a", stored[0].id)
        late = engine.conversation("a")
        assert state_of(late) is state_of(early)
        for talk in (early, late):
            await talk.append(said("user", "How late is it?"))
            assert "5521" not in str((await talk.request()).openai())
            await talk.append(said("assistant", "Five to eight."))
    async with palimpsest.open(tmp_path / "a.db") as engine:
        assert (await engine.stats()).replies.calls == 2


async def test_a_handle_on_a_conversation_that_was_forgotten_begins_a_new_one_with_nothing_of_the_old() -> (
    None
):
    async with palimpsest.open(":memory:", model=MODEL) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "My number is 5521."))
        await talk.request(system="You know 5521.")
        await engine.forget("a")
        await talk.append(said("user", "How late is it?"))
        request = await engine.conversation("a").request()
        assert "5521" not in str(request.openai())
        assert request == await talk.request()


def test_outside_of_an_event_loop_a_desk_gives_way_all_the_same() -> None:
    desks = StateCache(lambda name: ConversationState(MemoryStore(), "me", name, make_settings()), 2)
    for name in "abc":
        desks.use(name)
    assert [desk.conversation for desk in desks] == ["b", "c"]
