"""Reported usage as the anchor of what follows: replies, learnt ratios, other models, other processes; and the law that
no request overflows, whatever the provider's tokenizer counts.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest

import palimpsest
from palimpsest.budget.assemble import Request
from palimpsest.budget.calibration import Calibration
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.record.message import Reasoning, Text, ToolCall, ToolResult, Usage
from tests.effort import sampled
from tests.engine.laws import exact_tokens
from tests.engine.observed import HAN, bulk, said, tool_group

SAID = bulk(1_200)
FRAME_TOKENS = 25


def _counted(request: Request, words: float, data: float) -> int:
    """The prompt as a provider counts it whose tokenizer differs from ours by a factor, for words and for tool data."""
    total = words * sum(exact_tokens(text) for text in request.system_texts)
    for message in request.all_messages:
        total += FRAME_TOKENS
        for part in message.parts:
            match part:
                case Text(text=text) | Reasoning(text=text):
                    total += words * exact_tokens(text)
                case ToolCall(name=name, arguments=arguments):
                    total += data * exact_tokens(name + arguments)
                case ToolResult():
                    total += data * exact_tokens(part.text)
                case _:
                    total += 0
    return round(total)


async def _report(talk: Conversation, factor: float = 1.0, output: int = 0, model: str = "") -> Request:
    request = await talk.request(model=model)
    usage = {"prompt_tokens": round(request.regions.total * factor), "completion_tokens": output}
    await talk.record_usage(usage, request)
    return request


async def _grown(engine: Engine, name: str, factor: float, model: str = "m", steps: int = 30) -> Conversation:
    """A conversation whose provider counts `factor` times what we do, in steps of one message."""
    talk = engine.conversation(name)
    for number in range(steps):
        await talk.append(said("user" if number % 2 else "assistant", bulk(1_500, number)))
        await _report(talk, factor, model=model)
    return talk


async def test_a_reply_costs_what_was_reported_for_it_whichever_is_told_first() -> None:
    tokens: list[int] = []
    for told_first in (True, False):
        async with palimpsest.open(":memory:", preset="hierarchical") as engine:
            talk = engine.conversation("a")
            await talk.append(said("user", SAID))
            request = await talk.request()
            usage = Usage(1_000, 400)
            if told_first:
                await talk.record_usage(usage, request)
            await talk.append(said("assistant", SAID))
            if not told_first:
                await talk.record_usage(usage, request)
            tokens.append((await talk.request()).tokens)
    assert tokens == [1_400, 1_400]


async def test_a_reply_that_carries_its_usage_costs_that() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", SAID))
        await talk.record_usage(Usage(1_000, 0), await talk.request())
        await talk.append(replace(said("assistant", SAID), usage=Usage(1_000, 321)))
        assert (await talk.request()).tokens == 1_321


async def test_reasoning_that_is_not_sent_back_is_not_counted_and_sealed_thinking_is() -> None:
    plain = said("assistant", SAID)
    sealed = replace(plain, parts=(Reasoning("", "sealed"), *plain.parts))
    tokens: list[int] = []
    for reply in (plain, sealed):
        async with palimpsest.open(":memory:", preset="hierarchical") as engine:
            talk = engine.conversation("a")
            await talk.append(said("user", SAID))
            await talk.record_usage(Usage(1_000, 9_000), await talk.request())
            await talk.append(reply)
            tokens.append((await talk.request()).tokens)
    assert tokens[0] < 1_500
    assert tokens[1] == 10_000


async def test_the_margin_covers_only_what_the_provider_has_not_counted() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(*(said("user", bulk(2_000, number)) for number in range(20)))
        before = (await talk.request()).budget
        await talk.record_usage(Usage(before.regions.total, 400), await talk.request())
        await talk.append(said("assistant", SAID))
        after = (await talk.request()).budget
        assert after.margin_tokens == 0 < before.margin_tokens
        await talk.append(said("user", SAID))
        assert 0 < (await talk.request()).budget.margin_tokens < before.margin_tokens / 5


async def test_a_ratio_is_learnt_and_used_for_what_is_new_in_any_conversation_of_the_model(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.db"
    async with palimpsest.open(path, preset="hierarchical") as engine:
        talk = await _grown(engine, "a", 1.6)
        (new,) = await talk.append(said("user", bulk(6_000, 77)))
        grown = (await talk.request(model="m")).tokens
    async with palimpsest.open(path, preset="hierarchical") as engine:
        assert (await engine.conversation("a").request(model="m")).tokens == grown
        before = await _report(engine.conversation("a"), 1.6, model="m")
        assert before.tokens == pytest.approx(1.6 * before.regions.total, rel=0.01)
        other = engine.conversation("b")
        await other.append(new.message)
        assert (await other.request(model="m")).tokens == pytest.approx(1.6 * new.tokens, rel=0.1)
        assert (await other.request(model="n")).tokens < 1.1 * new.tokens
    async with palimpsest.open(path, owner="somebody else", preset="hierarchical") as engine:
        other = engine.conversation("b")
        await other.append(new.message)
        assert (await other.request(model="m")).tokens < 1.1 * new.tokens


async def test_a_report_of_another_model_is_no_anchor() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", SAID))
        first = await _report(talk, 2.0, model="m")
        assert (await talk.request(model="n")).tokens == first.regions.total
        assert (await talk.request(model="m")).tokens == 2 * first.regions.total


async def test_a_ratio_below_one_is_used_after_a_compaction_where_the_last_report_agrees() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=60_000, max_tokens=4_000, preset="hierarchical"
    ) as engine:
        talk = await _grown(engine, "a", 0.6, steps=60)
        assert await talk.compact() is not None
        request = await talk.request(model="m")
        assert request.tokens == pytest.approx(0.6 * request.regions.total, rel=0.06)
        fresh = engine.conversation("b")
        await fresh.append(said("user", bulk(3_000)))
        unreported = await fresh.request(model="m")
        assert unreported.tokens == unreported.regions.total


async def test_injections_that_change_from_request_to_request_teach_nothing_wrong() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        for number in range(30):
            await talk.append(said("user", bulk(400, number)))
            request = await talk.request(inject=[bulk(50 + number * 97 % 4_000, number)])
            await talk.record_usage(Usage(request.regions.total, 0), request)
        request = await talk.request()
        assert request.tokens == pytest.approx(request.regions.total, rel=0.02)


async def test_usage_that_counts_something_else_is_cut_down() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", bulk(20_000)))
        request = await talk.request()
        await talk.record_usage(Usage(5_000_000, 0), request)
        assert (await talk.request()).tokens <= 3 * request.regions.total + 4_000
        await talk.record_usage(Usage(3, 0), request)
        assert (await talk.request()).tokens >= request.regions.total // 2


async def test_reports_beside_one_another_lose_nothing() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talks = [await _grown(engine, name, 1.5, steps=3) for name in "abcd"]
        for number in range(8):
            await asyncio.gather(*(talk.append(said("user", bulk(900, number))) for talk in talks))
            await asyncio.gather(*(_report(talk, 1.5, model="m") for talk in talks))
        learnt = await engine.store.calibration(engine.owner, "m")
        assert learnt is not None
        assert learnt.ratios[0] == pytest.approx(1.5, abs=0.12)
        assert learnt != Calibration()


TOKENIZERS = [
    (1, 1, "latin"),
    (0.6, 0.6, "latin"),
    (1.6, 1.6, "han"),
    (2.5, 2.5, "latin"),
    (2.5, 2.5, "han"),
    (0.7, 2.2, "latin"),
    (0.7, 2.2, "han"),
    (2.2, 0.7, "latin"),
]
"""How often a provider counts words and the data of tools, and the script of what is said."""


@sampled(
    "words, data, script, turns",
    [*((*one, False) for one in TOKENIZERS), *((*one, True) for one in TOKENIZERS[::3])],
    [(*TOKENIZERS[0], False), (*TOKENIZERS[4], False), (*TOKENIZERS[5], False), (*TOKENIZERS[3], True)],
)
async def test_no_request_overflows_whatever_the_tokenizer_counts_and_the_window_is_used(
    words: float, data: float, script: str, turns: bool
) -> None:
    """With turns ended, the background compacts; without, every compaction is a request's own, at the last moment."""
    chance = random.Random(7)
    room_tokens = 14_000
    prompts: list[int] = []
    async with palimpsest.open(
        ":memory:", window_tokens=16_000, max_tokens=2_000, preset="hierarchical"
    ) as engine:
        talk = engine.conversation("a")
        for step in range(84):
            if step % 6 == 0:
                text = HAN * chance.randint(1, 8) if script == "han" else bulk(chance.randint(40, 900), step)
                await talk.append(said("user", f"{step} {text}"))
            request = await talk.request(system="You are careful. " * 20, model="m")
            prompts.append(_counted(request, words, data))
            await talk.record_usage({"prompt_tokens": prompts[-1], "completion_tokens": 0}, request)
            if step % 6 == 5:
                await talk.append(said("assistant", bulk(chance.randint(40, 1_500), step)))
                if turns:
                    await talk.end_turn()
                    await engine.idle()
            else:
                size = chance.choice((100, 400, 1_500, 5_000))
                await talk.append(*tool_group([f"c{step}"], [size], [0], 1, "I look."))
        compactions = len(await engine.store.compactions(engine.owner, "a"))
    assert [tokens for tokens in prompts if tokens > room_tokens] == []
    assert max(prompts) > room_tokens * (0.6 if turns else 0.95)
    assert compactions > 0
