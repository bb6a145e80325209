"""PicoClaw context compression: summaries in two tiers over a store in which nothing is lost, and tools to find it again."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import palimpsest
from palimpsest import Media, Message, Text, ToolCall, ToolResult, make_agent
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.config.picoclaw import read_picoclaw_config
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Opening
from palimpsest.plan.hierarchical import condense, leaf
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.recalled import RECALL_TOOLS
from palimpsest.record.window import MessageItem, SummaryItem
from palimpsest.settings import PRESETS

NOW_S = datetime(2026, 3, 31, 12, tzinfo=UTC).timestamp()
WORDS = "the harbour master keeps the tide tables in var/tides and answers before noon "


def seahorse(replies: list[Reply] | None = None, **settings: Any) -> Opening:
    model = ScriptedModel(replies) if replies is not None else None
    given = {"window_tokens": 128_000, "max_tokens": 8_000, "complete": model, **settings}
    return palimpsest.open(":memory:", preset="seahorse", **given)


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


def dated(text: str, days_ago: float, role: Any = "user") -> Message:
    return Message(role, (Text(text),), time_s=NOW_S - days_ago * 86_400)


async def turns(talk: Conversation, number: int, words: int = 8) -> None:
    for turn in range(number):
        await talk.append(user(f"question {turn} {WORDS * words}"), assistant(f"answer {turn} {WORDS * words}"))


async def summaries(talk: Conversation) -> list[SummaryItem]:
    return [item for item in (await talk.window()).window.items if isinstance(item, SummaryItem)]


async def test_the_agent_keeps_working_past_its_window() -> None:
    """A conversation that grows past the window is compressed automatically: older turns become summaries, and the
    agent goes on.
    """
    model = ScriptedModel([f"Noted. {WORDS * 20}"])
    async with seahorse(window_tokens=16_000, max_tokens=2_000) as engine:
        agent = make_agent(engine, model)
        for turn in range(40):
            await agent.answer("a", f"turn {turn} {WORDS * 20}")
        await engine.idle()
        talk = engine.conversation("a")
        assert await summaries(talk)
        assert len(await talk.messages(1, 100)) == 80
        request = await talk.request()
        assert request.tokens <= request.budget.capacity_tokens


async def test_after_every_turn_the_oldest_chunk_outside_the_fresh_tail_is_compacted() -> None:
    """Tier 1 runs after every turn, and takes the oldest contiguous chunk outside the fresh tail, the most recent 32
    items.
    """
    async with seahorse(["The oldest chunk."]) as engine:
        talk = engine.conversation("a")
        await turns(talk, 20)
        report = await talk.end_turn()
        assert report is not None
        (made,) = report.summaries
        assert (made.first_id, made.last_id, made.depth) == ("m1", "m8", 0)
        assert len((await talk.window()).window.items) == 33


async def test_eight_messages_suffice_for_a_leaf() -> None:
    """A chunk of at least 8 messages qualifies."""
    async with seahorse(["A leaf."]) as engine:
        talk = engine.conversation("a")
        await turns(talk, 19, words=2)
        await talk.append(user("one more"))
        assert await talk.end_turn() is None
        await talk.append(assistant("and another"))
        assert await talk.end_turn() is not None


async def test_twenty_thousand_tokens_suffice_for_a_leaf() -> None:
    """Or a chunk of at least 20,000 tokens of message content, however few its messages are."""
    async with seahorse(["A leaf."]) as engine:
        talk = engine.conversation("a")
        await talk.append(user("read the log"), assistant(WORDS * 1_600))
        await turns(talk, 16, words=1)
        report = await talk.end_turn()
        assert report is not None
        assert report.summaries[0].covers < 8


async def test_below_both_thresholds_leaf_compaction_does_nothing() -> None:
    """With both thresholds below their minimum, leaf compaction does nothing."""
    async with seahorse(["Never."]) as engine:
        talk = engine.conversation("a")
        await turns(talk, 19)
        assert await talk.end_turn() is None
        assert await summaries(talk) == []


async def test_a_leaf_has_about_twelve_hundred_tokens_and_is_written_by_the_model() -> None:
    """The configured model is asked to summarize a chunk to about 1,200 tokens."""
    asked: list[CompletionRequest] = []

    def answer(request: CompletionRequest) -> str:
        asked.append(request)
        return "What the model wrote."

    async with seahorse([answer]) as engine:
        talk = engine.conversation("a")
        await turns(talk, 20, words=40)
        branch, window = await talk.desk.load()
        assert leaf(talk.desk.state(window, branch)).steps[0].target_tokens == 1_200
        report = await talk.end_turn()
        assert report is not None
        assert report.summaries[0].text == "What the model wrote."
        assert "question 0" in asked[0].messages[0].text


async def test_a_summary_stands_in_place_of_its_messages_and_can_be_expanded() -> None:
    """The summary takes the place of the original messages, which stay linked to it, so that it can be expanded."""
    async with seahorse(["A leaf."]) as engine:
        talk = engine.conversation("a")
        await turns(talk, 20)
        await talk.end_turn()
        first = (await talk.window()).window.items[0]
        assert isinstance(first, SummaryItem)
        entries = await talk.expand([first.summary.id])
        assert [entry.id for entry in entries] == [f"m{number}" for number in range(1, 9)]
        assert entries[0].text.startswith("question 0")


async def test_condensing_starts_in_the_background_above_three_quarters_of_the_window() -> None:
    """Tier 2 runs only under pressure: above 75 % of the window, in the background, and no turn waits for it."""
    release = asyncio.Event()

    async def held(request: CompletionRequest) -> Completion:
        await release.wait()
        return Completion("Condensed.")

    async with seahorse(window_tokens=40_000, max_tokens=2_000, leaf_chunk_tokens=2_000) as engine:
        talk = engine.conversation("a")
        await turns(talk, 60, words=10)
        for _ in range(30):
            await talk.upkeep.awaited()
        assert [item.summary.depth for item in await summaries(talk)].count(0) >= 4
        await engine.idle()
        assert all(item.summary.depth == 0 for item in await summaries(talk))

    async with seahorse(window_tokens=20_000, max_tokens=1_000, leaf_chunk_tokens=2_000) as engine:
        talk = engine.conversation("a")
        await turns(talk, 60, words=10)
        for _ in range(30):
            await talk.upkeep.awaited()
        slow = palimpsest.open(":memory:")
        async with slow:
            started_s = time.monotonic()
            await talk.end_turn()
            assert time.monotonic() - started_s < 5
        release.set()
        await engine.idle()
        assert any(item.summary.depth > 0 for item in await summaries(talk))
