"""The laws over random histories, random deeds and models that misbehave."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.engine import Engine
from palimpsest.engine.opening import Opening
from palimpsest.errors import ModelError
from palimpsest.record.message import Message
from tests.effort import examples
from tests.engine.drawing import Deed, beginnings, changed, deeds, marked
from tests.engine.laws import assert_lawful, assert_request_lawful, tried
from tests.engine.models import BEHAVIOURS, scripted

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")

SMALL: dict[str, Any] = {
    "fresh_tail_count": 4,
    "leaf_min_fanout": 3,
    "leaf_chunk_tokens": 1_500,
    "leaf_target_tokens": 200,
    "condensed_min_fanout": 2,
    "condensed_target_tokens": 300,
    "summarize_message_threshold": 5,
    "summary_timeout_s": 0.01,
}
WINDOWS = ((2_500, 300), (6_000, 800), (20_000, 2_000))


def open_small(window_tokens: int, max_tokens: int, model: ScriptedModel | None, **settings: Any) -> Opening:
    """An engine in memory whose numbers are small, so that short histories meet every rule."""
    return palimpsest.open(
        ":memory:",
        window_tokens=window_tokens,
        max_tokens=max_tokens,
        complete=model,
        **{**SMALL, **settings},
    )


async def fitted(talk: Conversation) -> None:
    """A request is lawful, or DoesNotFit names what is too large."""
    room = state_of(talk).settings.window_tokens - state_of(talk).settings.max_tokens
    request, refusal = await tried(talk.request(system="Be brief."))
    assert refusal is None or (refusal.parts and refusal.capacity_tokens <= room)
    if request is not None:
        assert request.tokens <= request.budget.capacity_tokens
        assert_request_lawful(request, room)


async def _compacted(talk: Conversation, goal: int | None) -> None:
    """A compaction never makes the window larger, and says what does not fit."""
    before = (await talk.window()).window.tokens
    _, refusal = await tried(talk.compact(until_under_tokens=goal))
    assert refusal is None or refusal.parts
    after = (await talk.window()).window.tokens
    assert after <= before


async def _recovered(talk: Conversation) -> None:
    """After a refusal the window is smaller and a request lawful, or it is said why there is none."""
    before = (await talk.window()).window.tokens
    room = state_of(talk).settings.window_tokens - state_of(talk).settings.max_tokens
    request, given_up = None, "too long"
    try:
        request, _ = await tried(talk.recover(ModelError("too long", reason="context_overflow")))
    except ModelError as failure:
        given_up = failure.message
    assert "too long" in given_up
    if request is not None:
        assert_request_lawful(request, room)
        assert (await talk.window()).window.tokens < before
        await talk.record_usage({"prompt_tokens": max(1, request.tokens), "completion_tokens": 1}, request)


async def perform(
    engine: Engine, talk: Conversation, history: list[Message], deed: Deed, mark: str
) -> list[Message]:
    """Do it, and return the history as it is then."""
    place = 1 + int(deed.place * (len(history) - 1))
    match deed.kind:
        case "append" | "step" | "turn":
            stored = await talk.append(*deed.messages)
            assert len(stored) == len(deed.messages)
            history = [*history, *deed.messages]
            if deed.kind == "step":
                await talk.end_step()
            if deed.kind == "turn":
                await talk.end_turn()
                await engine.idle()
        case "request":
            await fitted(talk)
        case "recover":
            await _recovered(talk)
        case "compact":
            await _compacted(talk, None)
        case "under":
            await _compacted(talk, 200 + int(deed.place * 3_000))
        case "resend":
            history = [*history, *deed.messages]
            done = await talk.sync(history)
            assert (done.added, done.forked, done.messages) == (len(deed.messages), False, len(history))
        case "edit":
            history = [*history[: place - 1], changed(history[place - 1], mark), *deed.messages]
            assert (await talk.sync(history)).messages == len(history)
        case "rewind":
            history = history[:place]
            assert (await talk.sync(history)).messages == place
        case "truncate":
            history = [*history[:place], *deed.messages]
            assert (await talk.sync(history)).messages == len(history)
    return history


async def live(
    first: list[Message],
    todo: list[Deed],
    behaviour: str,
    room: tuple[int, int],
    **settings: Any,
) -> int:
    """A conversation's life, judged after every deed; how often a model was asked."""
    model = scripted(behaviour)
    async with open_small(*room, model, **settings) as engine:
        talk = engine.conversation("a")
        await talk.append(*first)
        history = list(first)
        await assert_lawful(talk, history)
        for number, deed in enumerate(todo):
            mark = f"deed {number}"
            history = await perform(engine, talk, history, marked(deed, mark), mark)
            await engine.idle()
            await assert_lawful(talk, history)
        await fitted(talk)
        await assert_lawful(talk, history)
    return len(model.requests) if model else 0


@given(beginnings(), st.lists(deeds(), max_size=8), st.sampled_from(WINDOWS))
@examples(60)
def test_the_laws_hold_over_any_history_without_a_model(
    first: list[Message], todo: list[Deed], room: tuple[int, int]
) -> None:
    assert asyncio.run(live(first, todo, "none", room)) == 0


@pytest.mark.parametrize("preset", ["hermes", "openclaw", "economic", "sliding-window", "drop-middle"])
@given(
    first=beginnings(),
    todo=st.lists(deeds(), max_size=6),
    room=st.sampled_from(WINDOWS),
    behaviour=st.sampled_from(BEHAVIOURS),
)
@examples(20)
def test_the_laws_hold_under_the_presets_that_keep_both_ends(
    preset: str, first: list[Message], todo: list[Deed], room: tuple[int, int], behaviour: str
) -> None:
    asked = asyncio.run(live(first, todo, behaviour, room, preset=preset, tail_tokens=1_000))
    assert asked <= 2_000


@pytest.mark.parametrize("behaviour", BEHAVIOURS[1:])
@given(
    first=beginnings(),
    todo=st.lists(deeds(), max_size=5),
    room=st.sampled_from(WINDOWS),
    compact_when=st.sampled_from(("background", "end_turn")),
)
@examples(12)
def test_the_laws_hold_whatever_the_model_does(
    behaviour: str, first: list[Message], todo: list[Deed], room: tuple[int, int], compact_when: str
) -> None:
    asked = asyncio.run(live(first, todo, behaviour, room, compact_when=compact_when))
    assert asked <= 2_000
