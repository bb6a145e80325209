"""What comes in from outside: transcripts beside a live conversation, prompts, ids, and a provider's own counts."""

from __future__ import annotations

import pytest

import palimpsest
from palimpsest.errors import NotFound
from palimpsest.formats.transcripts.reader_base import Transcript
from tests.engine.drawing import bulk, said


def _branched() -> Transcript:
    start = (said("user", "q1"), said("assistant", "a1"))
    first = (*start, said("user", "q2"), said("assistant", "a2"))
    second = (*start, said("user", "q2 again"), said("assistant", "a2 again"))
    return Transcript("t", "claude_code", paths=(first, second))


async def test_importing_a_branched_transcript_again_leaves_the_live_conversation_where_it_is() -> None:
    async with palimpsest.open(":memory:") as engine:
        await engine.import_transcript(_branched())
        talk = engine.conversation("t")
        await talk.append(said("user", "a live question"), said("assistant", "a live answer"))
        before = [one.id for one in await talk.messages()]
        assert (await engine.import_transcript(_branched())).added == 0
        assert [one.id for one in await talk.messages()] == before
        assert (await talk.messages())[-1].message.text == "a live answer"


async def test_several_system_messages_of_one_call_are_one_prompt() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("a")
        await talk.sync(
            [
                {"role": "system", "content": "You are the planner."},
                {"role": "developer", "content": "Answer in French."},
                {"role": "user", "content": "Bonjour"},
            ]
        )
        assert (await talk.request()).system == "You are the planner.\n\nAnswer in French."


async def test_a_conversation_reads_back_its_own_messages_and_the_engine_any_of_its_owner() -> None:
    async with palimpsest.open(":memory:") as engine:
        (stored,) = await engine.conversation("a").append(said("user", "only here"))
        await engine.conversation("b").append(said("user", "elsewhere"))
        with pytest.raises(NotFound):
            await engine.conversation("b").expand([stored.id])
        with pytest.raises(NotFound):
            await engine.conversation("b").describe(stored.id)
        assert (await engine.expand([stored.id]))[0].text == "only here"


async def test_what_a_provider_counted_more_is_not_forgotten_by_a_compaction() -> None:
    async with palimpsest.open(":memory:", window_tokens=40_000, max_tokens=4_000) as engine:
        talk = engine.conversation("a")
        for number in range(40):
            await talk.append(said("user", f"{number} {bulk(1_200)}"), said("assistant", bulk(1_200)))
        request = await talk.request()
        await talk.record_usage({"prompt_tokens": int(request.regions.total * 1.4)}, request)
        assert await talk.compact() is not None
        budget = (await talk.window()).budget
        assert budget.used_tokens >= int(budget.regions.total * 1.39)
        assert (await talk.request()).tokens <= budget.capacity_tokens


async def test_owners_whose_names_run_together_do_not_share_a_lease() -> None:
    async with palimpsest.open(":memory:", owner="a") as first:
        second = palimpsest.Engine(first.store, owner="a:b")
        holding = first._background._lease_name("leaf", "b:c")
        assert holding != second._background._lease_name("leaf", "c")
