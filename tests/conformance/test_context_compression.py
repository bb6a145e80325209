"""PicoClaw context compression: older turns become summaries, in two tiers, and no turn waits for the second."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import palimpsest
from palimpsest import make_agent
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.config.other_agents import read_picoclaw_config
from palimpsest.engine.compacting.automatic_compaction import compact_awaited
from palimpsest.engine.conversation import Conversation, runtime_of, state_of
from palimpsest.errors import ModelError
from palimpsest.plan.hierarchical import condense, leaf
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.decision import Step
from palimpsest.record.window_items import SummaryItem
from palimpsest.settings import PRESETS
from tests.conformance.harbour import WORDS, assistant, seahorse, turns, user

WINDOW_TOKENS, TRIGGER_TOKENS = 24_000, 18_000


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
        branch, window = await state_of(talk).load()
        assert leaf(state_of(talk).policy_state(window, branch)).steps[0].target_tokens == 1_200
        report = await talk.end_turn()
        assert report is not None
        assert "What the model wrote." in report.summaries[0].text
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


class Condenser:
    """A model that writes long leaves at once, and holds every condensing until it may go on."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.may = asyncio.Event()

    async def __call__(self, request: CompletionRequest) -> Completion:
        if "<summary id=" not in request.messages[0].text.partition("<conversation>")[2]:
            return Completion(f"A leaf. {WORDS * 40}")
        self.asked.set()
        await self.may.wait()
        return Completion("Condensed.")


async def until_condensing(talk: Conversation, model: Condenser) -> tuple[int, int]:
    """Take turns until a condensing begins: the largest use before it, and the use with which it began."""
    largest = 0
    for turn in range(200):
        await talk.append(user(f"question {turn} {WORDS * 6}"), assistant(f"answer {turn} {WORDS * 6}"))
        await talk.end_turn()
        used = (await talk.window()).budget.ruled_tokens or 0
        if used > TRIGGER_TOKENS:
            async with asyncio.timeout(60):
                await model.asked.wait()
        if model.asked.is_set():
            return largest, used
        largest = max(largest, used)
    raise AssertionError("nothing was condensed")


async def test_condensing_starts_in_the_background_above_three_quarters_of_the_window() -> None:
    """Tier 2 starts in the background when the context exceeds 75 % of the window, and only then."""
    model = Condenser()
    async with seahorse(window_tokens=WINDOW_TOKENS, max_tokens=1_000, complete=model) as engine:
        before, then = await until_condensing(engine.conversation("a"), model)
        model.may.set()
    assert before <= TRIGGER_TOKENS < then


async def test_no_turn_waits_for_a_condensing() -> None:
    """Because tier 2 is asynchronous, turns go on while it runs."""
    model = Condenser()
    async with seahorse(window_tokens=WINDOW_TOKENS, max_tokens=1_000, complete=model) as engine:
        talk = engine.conversation("a")
        await until_condensing(talk, model)
        async with asyncio.timeout(60):
            for turn in range(3):
                await talk.append(user(f"more {turn}"), assistant("yes"))
                await talk.end_turn()
        assert all(item.summary.depth == 0 for item in await summaries(talk))
        model.may.set()
        await engine.idle()
        assert any(item.summary.depth == 1 for item in await summaries(talk))


async def test_the_shallowest_depth_with_four_consecutive_summaries_is_merged() -> None:
    """The selector picks the shallowest depth that has at least 4 consecutive summaries, and merges them to about
    2,000 tokens.
    """
    said = " ".join(Random(1).choices(WORDS.split(), k=900))
    async with seahorse([f"A leaf. {said}"], window_tokens=12_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await turns(talk, 16, words=16)
        planned: list[list[Step]] = []
        for _ in range(4):
            await turns(talk, 4, words=16)
            await compact_awaited(runtime_of(talk))
            branch, window = await state_of(talk).load()
            planned.append(list(condense(state_of(talk).policy_state(window, branch)).steps))
        made = [item.summary.id for item in await summaries(talk)]
    assert planned[:3] == [[], [], []]
    assert [(list(step.item_ids), step.target_tokens) for step in planned[3]] == [(made, 2_000)]


async def test_condensing_repeats_until_nothing_is_left_to_do() -> None:
    """The loop repeats until the context is under the threshold, no candidate is left, or a pass makes no progress."""
    async with seahorse([f"A leaf. {WORDS * 40}"], window_tokens=24_000, max_tokens=2_000) as engine:
        talk = engine.conversation("a")
        await turns(talk, 90, words=6)
        for _ in range(30):
            await talk.end_turn()
            await engine.idle()
        budget = (await talk.window()).budget
        branch, window = await state_of(talk).load()
        left = condense(state_of(talk).policy_state(window, branch)).steps
        assert budget.used_tokens <= 0.75 * budget.window_tokens or left == ()


async def test_a_hard_budget_bypasses_the_fresh_tail() -> None:
    """Where a hard budget is set, CompactUntilUnder interleaves both tiers, past the fresh tail, until it fits."""
    async with seahorse(["Short."]) as engine:
        talk = engine.conversation("a")
        await turns(talk, 16, words=40)
        assert await talk.end_turn() is None
        report = await talk.compact(until_under_tokens=6_000)
        assert report is not None
        assert (await talk.window()).budget.used_tokens <= 6_000


def test_recovery_is_capped_at_twenty_iterations() -> None:
    """It is capped at 20 iterations, to prevent infinite loops."""
    assert PRESETS["seahorse"].max_rounds == 20


@pytest.mark.parametrize(
    "replies, method",
    [
        (["## Goal\nA plain summary."], "normal"),
        (["", "Only the durable facts."], "aggressive"),
        (["", ""], "truncated"),
        ([RuntimeError("overloaded")], "truncated"),
    ],
)
async def test_three_levels_of_escalation_always_make_progress(replies: list[Reply], method: str) -> None:
    """Up to three levels a call: a normal prompt, an aggressive one, and deterministic truncation without a model, so
    that compaction makes progress even where the model is overloaded or returns nothing.
    """
    async with seahorse(replies) as engine:
        talk = engine.conversation("a")
        await turns(talk, 20, words=40)
        report = await talk.end_turn()
        assert report is not None
        assert report.summaries[0].method == method
        assert report.after_tokens < report.before_tokens


def test_three_settings_are_read_from_agents_defaults() -> None:
    """context_window, summarize_token_percent and summarize_message_threshold live under agents.defaults."""
    defaults = {"context_window": 131072, "summarize_token_percent": 75, "summarize_message_threshold": 20}
    assert read_picoclaw_config({"agents": {"defaults": defaults}}).changes == {
        "window_tokens": 131_072,
        "context_threshold_share": 0.75,
        "summarize_message_threshold": 20,
    }


def test_the_defaults_are_those_of_the_page() -> None:
    """The percentage is 75 and the message threshold 20 by default; the window is the model's own."""
    preset = PRESETS["seahorse"]
    assert (preset.context_threshold_share, preset.summarize_message_threshold) == (0.75, 20)
    assert (preset.trigger_base, preset.window_tokens) == ("window", 0)


async def test_few_messages_do_not_fire_on_token_pressure() -> None:
    """summarize_message_threshold is the minimum number of messages before pressure alone fires compaction."""
    async with seahorse(["A leaf."], window_tokens=24_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await talk.append(user("go"), *(assistant(WORDS * 75) for _ in range(18)))
        budget = (await talk.window()).budget
        assert budget.used_tokens > 0.75 * budget.window_tokens
        assert await talk.end_turn() is None
        await engine.idle()
        assert await summaries(talk) == []


def test_the_constants_are_tuned_and_not_read_from_the_file() -> None:
    """FreshTailCount, LeafMinFanout, LeafChunkTokens, LeafTargetTokens, CondensedMinFanout and CondensedTargetTokens
    are tuned defaults, not set in config.json.
    """
    preset = PRESETS["seahorse"]
    assert (preset.fresh_tail_count, preset.leaf_min_fanout, preset.leaf_chunk_tokens) == (32, 8, 20_000)
    assert (preset.leaf_target_tokens, preset.condensed_min_fanout, preset.condensed_target_tokens) == (
        1_200,
        4,
        2_000,
    )
    read = read_picoclaw_config({"agents": {"defaults": {"FreshTailCount": 4, "LeafMinFanout": 2}}})
    assert read.changes == {}
    assert [key for key, _ in read.ignored] == [
        "agents.defaults.FreshTailCount",
        "agents.defaults.LeafMinFanout",
    ]


async def test_any_callable_that_completes_a_prompt_is_a_summarizer() -> None:
    """The engine binds to no provider: it receives a complete(prompt, options) callback."""

    def complete(prompt: str, options: dict[str, object]) -> str:
        return f"Written by a function of {len(options)} options."

    async with seahorse(complete=complete) as engine:
        talk = engine.conversation("a")
        await turns(talk, 20)
        report = await talk.end_turn()
        assert report is not None
        assert "Written by a function" in report.summaries[0].text


def pico_file(folder: Path, **defaults: object) -> dict[str, Any]:
    """The options of a PicoClaw config.json with these values under agents.defaults."""
    path = folder / "config.json"
    path.write_text(json.dumps({"agents": {"defaults": defaults}}), encoding="utf-8")
    return palimpsest.load_config(file=path, environment={}, user=False)


async def test_a_configuration_file_selects_its_system(tmp_path: Path) -> None:
    """A PicoClaw config.json opens with the preset seahorse, and its keys count: under a threshold of 500 messages
    nothing is compacted at 28, though more than 50 % of a window of 16,000 is used.
    """
    options = pico_file(
        tmp_path, context_window=16_000, summarize_token_percent=50, summarize_message_threshold=500
    )
    assert options["preset"] == "seahorse"
    async with palimpsest.open(":memory:", **options) as engine:
        talk = engine.conversation("a")
        await turns(talk, 14, words=9)
        assert (await talk.window()).budget.ruled_tokens > 8_000  # type: ignore[operator]
        assert await talk.end_turn() is None
        await engine.idle()
        await talk.request()
        assert len((await talk.window()).window.items) == 28


async def test_messages_count_however_short_they_are() -> None:
    """Sixty messages of two tokens are sixty messages: what lies outside the fresh tail of 32 is a leaf."""
    async with seahorse(window_tokens=16_000) as engine:
        talk = engine.conversation("a")
        for _ in range(30):
            await talk.append(user("ok"), assistant("ok"))
        report = await talk.end_turn()
        assert report is not None
        assert report.replaced_messages == 28


async def test_a_refused_key_falls_to_truncation_too(caplog: pytest.LogCaptureFixture) -> None:
    """A key that the provider refuses falls to truncation like any other failure, is logged as an error, and stands in
    the record.
    """
    async with seahorse([ModelError("no valid key", reason="auth")]) as engine:
        talk = engine.conversation("a")
        await turns(talk, 20, words=40)
        report = await talk.end_turn()
        (record,) = await engine.store.compactions(engine.owner, "a")
    assert report is not None
    assert report.summaries[0].method == "truncated"
    assert "no valid key" in report.refused
    assert [call.refused for call in record.calls] == ["raised: no valid key"]
    assert [one.levelname for one in caplog.records if "auth" in one.message] == ["ERROR"]


async def test_seventy_five_percent_are_those_of_the_whole_window() -> None:
    """75 % is 75 % of context_window, also with PicoClaw's own max_tokens of 32,768, which reserve a quarter of it."""
    async with palimpsest.open(
        ":memory:", preset="seahorse", max_tokens=32_768, complete=ScriptedModel(["A leaf."])
    ) as engine:
        talk = engine.conversation("a")
        largest = 0
        for turn in range(90):
            text = WORDS * (5 if turn < 50 else 110)
            await talk.append(user(text), assistant(text))
            await talk.end_turn()
            await engine.idle()
            done = [
                one for one in await engine.store.compactions("me", "a") if one.reason.startswith("condense")
            ]
            if done:
                break
            largest = max(largest, (await talk.window()).budget.ruled_tokens or 0)
        numbers = dict(done[0].numbers)
        assert (numbers["trigger_tokens"], numbers["capped"]) == (0.75 * 4 * 32_768, 0)
        assert largest <= 98_304 < numbers["ruled_tokens"]
