"""A range that a summarizer is at work on is not given to it a second time: who needs it waits for it."""

from __future__ import annotations

import asyncio

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.conversation import Conversation
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.message import Message, Text

SAID = "The reader was changed and the tests were run again on the staging host of the team. "
SUMMARY = "The reader was changed and the tests were run again on the staging host."


def shown(model: ScriptedModel) -> list[str]:
    return [one.messages[0].text for one in model.requests]


async def say(talk: Conversation, rounds: range) -> None:
    for place in rounds:
        await talk.append(
            Message("user", (Text(f"Round {place}: go on. " + SAID * 4),)),
            Message("assistant", (Text(f"Done {place}. " + SAID * 8),)),
        )


async def test_a_request_over_the_capacity_asks_for_each_summary_once() -> None:
    model = ScriptedModel([SUMMARY], pause_s=0.001)
    async with palimpsest.open(":memory:", complete=model, window_tokens=16_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await say(talk, range(80))
        request = await talk.request(model="m")
        await engine.idle()
        assert request.budget.used_tokens <= request.budget.capacity_tokens
        assert len(shown(model)) == len(set(shown(model))) > 0


async def test_a_request_waits_for_the_summary_that_is_under_way_in_the_background() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    asked: list[str] = []

    async def held(request: CompletionRequest) -> str:
        asked.append(request.messages[0].text)
        begun.set()
        await go_on.wait()
        return SUMMARY

    async with palimpsest.open(
        ":memory:", complete=held, preset="hierarchical", window_tokens=16_000, max_tokens=1_000,
        fresh_tail_count=4, leaf_chunk_tokens=50_000,
    ) as engine:  # fmt: skip
        talk = engine.conversation("a")
        await say(talk, range(44))
        await talk.end_turn()
        await begun.wait()
        await say(talk, range(44, 70))
        assert (view := await talk.window()).budget.used_tokens > view.budget.capacity_tokens
        waiting = asyncio.create_task(talk.request())
        await asyncio.wait([waiting], timeout=0.2)
        assert (waiting.done(), len(asked)) == (False, 1)
        go_on.set()
        assert (await waiting).budget.used_tokens <= view.budget.capacity_tokens
        await engine.idle()
        assert len(asked) == len(set(asked))
