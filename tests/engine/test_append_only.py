"""Laws of requests that only grow, over random sessions that strict rules check request by request."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.bound_thinking import ELSEWHERE
from palimpsest.engine.compacting.provider_compaction import checked_summary
from palimpsest.engine.conversation import state_of
from palimpsest.errors import FormatError
from palimpsest.record.window_items import BlockItem, Item, MessageItem, SummaryItem
from tests.effort import examples
from tests.stores.remnants import remnants
from tests.wire.strict.random_sessions import (
    BINDING,
    KINDS,
    QUIET,
    RUBBISH,
    Deed,
    Plan,
    Session,
    draw_plan,
    session,
    tool,
)

COMPACTING: dict[str, Any] = {"preset": "crabtalk", "compact_threshold": 400, "summarizer": "provider"}
QUIET_KINDS = {kind: weight for kind, weight in KINDS.items() if kind in QUIET}


@given(st.randoms(use_true_random=False))
@examples(60)
def test_no_session_is_refused_and_between_compactions_requests_only_grow(draw: Random) -> None:
    found = asyncio.run(session(draw_plan(draw)))
    assert found.faults == []


@given(st.randoms(use_true_random=False))
@examples(30)
def test_the_same_holds_in_a_file_that_is_closed_and_opened_again(draw: Random) -> None:
    kinds = {**KINDS, "reopen": 20}
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(session(draw_plan(draw, kinds=kinds), Path(folder) / "cranes.db"))
    assert found.faults == []


@given(st.randoms(use_true_random=False))
@examples(30)
def test_a_binding_model_sees_all_its_thinking_if_nothing_is_compacted(draw: Random) -> None:
    kinds = {kind: weight for kind, weight in QUIET_KINDS.items() if kind != "compact"}
    deeds = draw_plan(draw, kinds=kinds).deeds
    plan = Plan(
        {"window_tokens": 200_000, "max_tokens": 8_000, "auto_recall_tokens": 300},
        "none",
        BINDING,
        True,
        deeds,
    )

    async def body() -> tuple[Session, int]:
        async with Session(plan) as made:
            await made.run()
            return made, await made.last_request()

    found, shown = asyncio.run(body())
    assert found.faults == []
    assert shown == len(found.known.thoughts)


def plan_of(*deeds: str, provider: str = "none", **settings: Any) -> Plan:
    """A plan of these deeds for a binding model, with its default settings."""
    limits = {"window_tokens": 40_000, "max_tokens": 2_000}
    return Plan(
        {**limits, **settings}, provider, BINDING, True, tuple(map(Deed, deeds, range(1, len(deeds) + 1)))
    )


async def test_a_reply_that_answers_another_request_than_the_last_is_sent_without_thinking() -> None:
    async with Session(replace(plan_of("call", "late"), model="")) as made:
        await made.run()
        stored = await made.talk.messages()
        assert [one.message.prefix for one in stored if one.message.role == "assistant"][1:] == [ELSEWHERE]
        assert await made.last_request() == 1
    assert made.faults == []


async def test_what_requests_begin_with_is_known_after_the_file_is_opened_again(tmp_path: Path) -> None:
    plan = plan_of("call", "memory", "call", "reopen", "call", "reopen")
    async with Session(plan, tmp_path / "cranes.db") as made:
        await made.run()
        assert await made.last_request() == len(made.known.thoughts)
        assert state_of(made.talk).engine_state.breaks == {}
    assert made.faults == []


@pytest.mark.parametrize("found", RUBBISH, ids=range(len(RUBBISH)))
def test_an_answer_that_no_request_could_send_is_no_compaction(found: object) -> None:
    with pytest.raises(FormatError):
        checked_summary(found, "anthropic")


async def test_a_provider_that_answers_rubbish_is_replaced_by_a_summary_of_ours() -> None:
    async with Session(
        plan_of(
            "step",
            "step",
            "long",
            "call",
            "long",
            "call",
            "compact",
            provider="rubbish",
            summarizer="provider",
            tail_tokens=10,
        )
    ) as made:
        await made.run()
        window = (await made.talk.window()).window
        assert made.provider.asked > 0
        assert [type(item) for item in window.items[:1]] == [SummaryItem]
    assert made.faults == []


async def test_a_message_that_waits_for_its_reply_follows_a_providers_compaction() -> None:
    async with Session(
        plan_of(*("step",) * 11, "compact", "inject", "call", "call", provider="signed", **COMPACTING)
    ) as made:
        await made.run()
        first, _, third, *_ = (await made.talk.window()).window.items
        assert isinstance(first, BlockItem)
        assert isinstance(third, MessageItem)
        assert [one.kind for one in third.stored.message.added][:1] == ["ledger"]
    assert made.faults == []


STEPS = ("step",) * 11


@given(st.integers(0, 60), st.booleans())
@examples(12)
def test_forgetting_a_message_that_a_block_covers_leaves_a_summary_of_ours(place: int, later: bool) -> None:
    plan = plan_of(
        *STEPS,
        "call",
        "compact",
        *("inject", "call", "memory", "call") * later,
        provider="signed",
        **COMPACTING,
    )

    async def body(path: Path) -> tuple[list[str], list[Item], Session]:
        async with Session(plan, path) as made:
            await made.run()
            (signature,) = made.known.summaries
            block = (await made.talk.window()).window.items[0]
            assert isinstance(block, BlockItem)
            covered = await made.talk.messages(1, block.last)
            await made.forget(covered[place % len(covered)].id)
            await made.last_request()
            items = list((await made.talk.window()).window.items)
            assert (await made.engine.verify()).sound
        return remnants(path, [signature, signature[2:-2]]), items, made

    with tempfile.TemporaryDirectory() as folder:
        left, items, made = asyncio.run(body(Path(folder) / "cranes.db"))
    assert left == []
    assert type(items[0]) is SummaryItem
    assert made.faults == []


@given(st.randoms(use_true_random=False))
@examples(15)
def test_a_file_with_blocks_and_additions_is_sound_and_comes_back_from_its_export(draw: Random) -> None:
    kinds = {**KINDS, "reopen": 5, "edit": 6, "forget": 3, "compact": 10, "tools": 0, "model": 0}
    plan = replace(draw_plan(draw, kinds=kinds, provider_betas="on"), model=BINDING, provider="signed")

    async def body(folder: Path) -> tuple[list[object], list[object]]:
        async with Session(plan, folder / "cranes.db") as made:
            await made.run()
            health = await made.engine.verify()
            assert (health.sound, health.faults) == (True, ())
            await made.engine.export_all(folder / "all.jsonl")
            before = await told(made)
            await made.engine.close()
            made.path = folder / "other.db"
            await made.open()
            await made.engine.import_all(folder / "all.jsonl")
            assert (await made.engine.verify()).sound
            return before, await told(made)

    with tempfile.TemporaryDirectory() as folder:
        before, after = asyncio.run(body(Path(folder)))
    assert after == before


async def told(made: Session) -> list[object]:
    """What a conversation holds, shows and sends."""
    stored = await made.talk.messages(1, 1_000)
    request = await made.talk.request(model=BINDING, **made.wishes)
    window = (await made.talk.window()).window
    blocks = [item.block for item in window.items if isinstance(item, BlockItem)]
    messages = [(one.message, one.tokens) for one in stored]
    return [
        messages,
        blocks,
        [(type(item), item.first, item.last, item.tokens) for item in window.items],
        request.anthropic(),
    ]


REMINDER = "Remember the northern lighthouse keeper."


async def test_what_was_added_to_a_message_is_found_and_is_gone_with_it(tmp_path: Path) -> None:
    path = tmp_path / "cranes.db"
    async with Session(plan_of("call"), path) as made:
        await made.run()
        await made.append({"role": "user", "content": "Go on."})
        for wish in ({"inject": [REMINDER]}, {"memory": f"{REMINDER} Twice."}):
            await made.talk.request(model=BINDING, **{**made.wishes, **wish})
        (newest,) = await made.talk.messages(3)
        assert [one.kind for one in newest.message.added] == ["injection", "memory"]
        assert [hit.id for hit in (await made.talk.grep("lighthouse")).hits] == [newest.id]
        await made.forget(newest.id)
        assert (await made.talk.grep("lighthouse")).hits == ()
        assert remnants(path, [REMINDER]) == []
        request = await made.talk.request(model=BINDING, **{**made.wishes, "memory": f"{REMINDER} Twice."})
        assert REMINDER in str(request.anthropic())
        assert (await made.engine.verify()).sound


async def test_pins_that_were_appended_go_with_the_message_that_they_quote(tmp_path: Path) -> None:
    async with Session(plan_of("call", "call", window_tokens=3_000), tmp_path / "cranes.db") as made:
        await made.run()
        first = (await made.talk.messages())[0]
        await made.talk.pin(first.id)
        await made.talk.pin(text="The gate closes at nine.")
        await made.append({"role": "user", "content": "Go on."})
        await made.talk.request(model=BINDING, **made.wishes)
        added = [one.kind for stored in await made.talk.messages() for one in stored.message.added]
        assert added == ["pins"]
        await made.forget(first.id)
        stored = await made.talk.messages()
        assert first.message.text not in str(stored)
        assert [one for message in stored for one in message.message.added] == []


@pytest.mark.parametrize(
    "before,after,broken",
    [
        (["read_0"], ["read_0", "read, part by part"], {}),
        ([], ["read_0"], {"tools": 1}),
        (["read_0"], [], {}),
        (["read_0"], ["read_1"], {}),
    ],
)
async def test_tools_come_and_go_as_the_provider_accepts_it(
    before: list[str], after: list[str], broken: dict[str, int]
) -> None:
    plan = replace(plan_of(provider_betas="on"), model=BINDING)
    async with Session(plan) as made:
        await made.run()
        for names in (before, after, before):
            made.wishes["tools"] = [{**tool(0), "name": name} for name in names]
            assert await made.last_request() >= 0
            await made.append({"role": "assistant", "content": "Noted."})
        assert state_of(made.talk).engine_state.breaks == broken
    assert made.faults == []


async def test_a_provider_never_compacts_up_to_a_changed_memory_that_the_user_goes_on_after() -> None:
    deeds = (*STEPS, "memory", "ask", "long", "call", "compact", "call", "step")
    async with Session(plan_of(*deeds, provider="signed", summarizer="provider", tail_tokens=50)) as made:
        await made.run()
        first, second, *_ = (await made.talk.window()).window.items
        assert isinstance(first, BlockItem)
        assert isinstance(second, MessageItem)
        assert second.stored.message.role == "assistant"
    assert made.faults == []
