"""A summarizer is other people's code: it may cancel itself, ignore its time limit, or answer without an end."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.record.completion import Completion
from palimpsest.summarize.model.escalation import OVER_TARGET, THINKING_TOKENS
from palimpsest.text.cut import MAX_CHARS_PER_TOKEN
from tests.summarize.dialogues import laddered, leaf, user


class Unread(str):
    """A text of which only the length may be asked."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name in {"__class__", "__len__"}:
            return super().__getattribute__(name)
        raise AssertionError(f"the text was read: {name}")

    def __getitem__(self, place: Any) -> str:
        raise AssertionError("the text was read")

    def __iter__(self) -> Any:
        raise AssertionError("the text was read")


async def opened(model: Any, **settings: Any) -> palimpsest.Engine:
    engine = await palimpsest.open(
        ":memory:", preset="crabtalk", window_tokens=8_000, max_tokens=1_000, complete=model, **settings
    )
    talk = engine.conversation("quay")
    for number in range(60):
        await talk.append(
            {"role": "user", "content": f"Step {number} " + "word " * 120},
            {"role": "assistant", "content": "ok " * 40},
        )
    return engine


@pytest.mark.parametrize("what", ["compact", "request", "end_turn"])
async def test_a_model_that_cancels_itself_fails_like_any_other(what: str) -> None:
    async def model(prompt: str, options: dict[str, object]) -> str:
        raise asyncio.CancelledError("an inner scope of the client")

    async with await opened(model) as engine:
        talk = engine.conversation("quay")
        await getattr(talk, what)()
        task = asyncio.current_task()
        assert task is not None
        assert not task.cancelling()
        await talk.compact()
        records = await engine.store.compactions(engine.owner, "quay")
        assert any("an inner scope" in call.refused for one in records for call in one.calls)


@pytest.mark.parametrize("stubborn", [False, True])
async def test_cancelling_the_caller_cancels_it_whatever_the_model_does(*, stubborn: bool) -> None:
    begun, release = asyncio.Event(), asyncio.Event()

    async def model(prompt: str, options: dict[str, object]) -> str:
        begun.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                if not stubborn:
                    raise
        return "late"

    async with await opened(model) as engine:
        task = asyncio.create_task(engine.conversation("quay").compact())
        await begun.wait()
        task.cancel()
        try:
            done, _ = await asyncio.wait({task}, timeout=60)
        finally:
            release.set()
        assert done
        assert task.cancelled()


async def test_a_model_that_ignores_its_limit_is_left_behind_and_its_late_reply_is_not_used() -> None:
    release, ended = asyncio.Event(), asyncio.Event()

    async def model(prompt: str, options: dict[str, object]) -> str:
        while not release.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await release.wait()
        ended.set()
        return "## Goal\n- LATE REPLY\n## Progress\n- The berths are planned."

    async with await opened(model, summary_timeout_s=0.02) as engine:
        talk = engine.conversation("quay")
        try:
            report = await talk.compact()
        finally:
            release.set()
        assert report is not None
        await ended.wait()
        records = await engine.store.compactions(engine.owner, "quay")
        assert {len(one.calls) for one in records} == {1}
        assert {one.calls[0].refused for one in records} == {"left behind: no reply within 0.02 s"}
        assert not any("LATE REPLY" in one.text for one in report.summaries)
        assert not (await talk.grep('"LATE REPLY"')).hits


@given(st.integers(1, 10**6), st.integers(10, 400))
def test_a_reply_over_its_bound_is_refused_unread(over: int, words: int) -> None:
    target, limit = words, 10 * words
    bound = (int(target * OVER_TARGET) + THINKING_TOKENS) * MAX_CHARS_PER_TOKEN
    reply = Completion(Unread("x" * (bound + over)))
    source = leaf([user("We must ship on Friday. " * 40 * words)])
    draft, asked = laddered(source, [reply, reply], target_tokens=target, limit_tokens=limit)
    assert len(asked) == 2
    assert draft.method == "truncated"
    assert all(f"{len(reply.text)} characters" in call.refused for call in draft.calls)
