"""Work that goes on at once: leaves beside a slow condensing, two engines on one file, cancelled calls, races."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.engine import Engine
from palimpsest.record.completion import Completion
from palimpsest.record.message import Message
from palimpsest.record.window_items import SummaryItem
from tests.effort import examples
from tests.engine.drawing import bulk, plain_sessions, said, tool_group
from tests.engine.laws import assert_lawful, assert_request_lawful
from tests.engine.models import HeldModel
from tests.patience import until

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")

SMALL: dict[str, Any] = {
    "window_tokens": 6_000,
    "max_tokens": 500,
    "fresh_tail_count": 2,
    "leaf_min_fanout": 2,
    "leaf_chunk_tokens": 1_000,
    "leaf_target_tokens": 150,
    "condensed_min_fanout": 2,
    "condensed_target_tokens": 200,
    "context_threshold_share": 0.1,
    "summarize_message_threshold": 4,
}


def turn(number: int) -> list[Message]:
    """A turn large enough that the one before it becomes a leaf."""
    call = tool_group([f"t{number}"], [1_500], [0], 1)
    return [said("user", f"Request number {number}"), *call, said("assistant", bulk(600, number))]


async def _summaries(talk: Conversation) -> list[tuple[str, int]]:
    return [
        (one.id, one.summary.depth)
        for one in (await talk.window()).window.items
        if isinstance(one, SummaryItem)
    ]


async def test_a_condensing_of_twenty_turns_commits_while_leaves_commit_every_turn() -> None:
    model = HeldModel()
    async with palimpsest.open(
        ":memory:", complete=model, preset="hierarchical", **SMALL, compact_when="end_turn"
    ) as engine:
        talk = engine.conversation("a")
        history: list[Message] = []
        number = 0
        while not model.held.is_set():
            number += 1
            await talk.append(*turn(number))
            history += turn(number)
            await talk.end_turn()
            await asyncio.sleep(0.01)
            assert number < 200
        leaves = [model.leaves]
        for later in range(number + 1, number + 21):
            await talk.append(*turn(later))
            history += turn(later)
            report = await talk.end_turn()
            assert report is not None
            assert len(report.summaries) == 1
            leaves.append(model.leaves)
        assert [after - before for before, after in pairwise(leaves)] == [1] * 20
        assert model.condensings == 1
        assert {depth for _, depth in await _summaries(talk)} == {0}
        model.release.set()
        await engine.idle()
        assert max(depth for _, depth in await _summaries(talk)) >= 1
        records = await state_of(talk).store.compactions("me", "a")
        assert max(len(record.replaced) for record in records if record.reason.startswith("condense")) >= 2
        await assert_lawful(talk, history)


async def test_leaves_go_on_in_the_background_while_a_condensing_is_held() -> None:
    model = HeldModel()
    async with palimpsest.open(":memory:", complete=model, preset="hierarchical", **SMALL) as engine:
        talk = engine.conversation("a")
        events = engine.events()
        number = 0
        while not (model.held.is_set() and model.leaves >= 8) and number < 200:
            await talk.append(*turn(number))
            await talk.end_turn()
            await asyncio.sleep(0.02)
            number += 1
        await until(lambda: model.held.is_set() and model.leaves >= 8)
        first = await anext(events)
        assert (first.kind, first.conversation) == ("compacted", "a")
        assert first.report is not None
        assert first.report.after_tokens < first.report.before_tokens
        model.release.set()
        await engine.idle()


@given(plain_sessions(8), plain_sessions(8), st.integers(0, 3))
@examples(8)
def test_two_engines_on_one_file_interleave(
    tmp_path_factory: object, mine: list[list[Message]], yours: list[list[Message]], pause: int
) -> None:
    folder = tmp_path_factory.mktemp("two")  # type: ignore[attr-defined]
    asyncio.run(_interleave(folder / "shared.db", mine, yours, pause))


async def _interleave(path: Path, mine: list[list[Message]], yours: list[list[Message]], pause: int) -> None:
    order_at: dict[int, list[Message]] = {}

    async def speak(engine: Engine, turns: list[list[Message]]) -> None:
        talk = engine.conversation("a")
        for one in turns:
            stored = await talk.append(*one)
            order_at[stored[0].seq] = one
            for _ in range(pause):
                await asyncio.sleep(0)
            await talk.request()
            await talk.end_turn()

    async with (
        palimpsest.open(path, preset="hierarchical", **SMALL) as first,
        palimpsest.open(path, preset="hierarchical", **SMALL) as second,
    ):
        await asyncio.gather(speak(first, mine), speak(second, yours))
        await first.idle()
        await second.idle()
        order = [message for seq in sorted(order_at) for message in order_at[seq]]
        for engine in (first, second):
            await assert_lawful(engine.conversation("a"), order)
            assert_request_lawful(await engine.conversation("a").request(), 5_500)


@given(plain_sessions(6), st.lists(st.integers(0, 40), min_size=1, max_size=6))
@examples(25)
def test_a_call_cancelled_anywhere_leaves_a_valid_window(
    turns: list[list[Message]], delays: list[int]
) -> None:
    asyncio.run(_cancelling(turns, delays))


async def _cancelling(turns: list[list[Message]], delays: list[int]) -> None:
    model = ScriptedModel([Completion("Something was read and changed.")])
    async with palimpsest.open(":memory:", complete=model, preset="hierarchical", **SMALL) as engine:
        talk = engine.conversation("a")
        for place, one in enumerate(turns):
            delay = delays[place % len(delays)]
            for work in (talk.append(*one), talk.end_turn(), talk.compact(900), talk.request()):
                task = asyncio.ensure_future(work)
                for _ in range(delay):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await engine.idle()
        await talk.append(said("user", "And now?"))
        kept = [stored.message for stored in await talk.messages(1, 1_000)]
        whole = [[message.text for message in one] for one in turns]
        assert [one.text for one in kept[:-1]] in _sublists(whole)
        await assert_lawful(talk, kept)
        assert_request_lawful(await talk.request(), 5_500)


def _sublists(turns: list[list[str]]) -> list[list[str]]:
    """What remains when any of the turns are missing."""
    found: list[list[str]] = [[]]
    for one in turns:
        found += [[*before, *one] for before in found]
    return found


async def test_an_append_is_all_or_nothing_when_it_is_cancelled() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        for delay in range(12):
            task = asyncio.ensure_future(talk.append(said("user", "one"), said("assistant", "two")))
            for _ in range(delay):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        kept = [stored.message.text for stored in await talk.messages(1, 1_000)]
        assert kept == ["one", "two"] * (len(kept) // 2)


async def test_a_request_beside_a_first_append_finds_the_messages() -> None:
    for _ in range(20):
        async with palimpsest.open(":memory:", preset="hierarchical") as engine:
            talk = engine.conversation("a")
            await talk.append(said("user", "one"))
            state_of(talk).invalidate()
            state_of(talk).calibration.forget_usage()
            request, *_ = await asyncio.gather(
                talk.request(), talk.sync([said("user", "one"), said("user", "two")])
            )
            assert request.messages


async def test_concurrent_requests_keep_their_own_system_prompts() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **SMALL) as engine:
        talk = engine.conversation("a")
        for number in range(12):
            await talk.append(*turn(number))
        prompts = [f"You are helper {number}." for number in range(4)]
        requests = await asyncio.gather(*(talk.request(system=prompt) for prompt in prompts))
        assert [request.system for request in requests] == prompts
