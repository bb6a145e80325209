"""LiteLLM's chat messages, and which session and owner a call belongs to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("litellm")

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import UsageError
from palimpsest.integrations.litellm import ChatCodec, PalimpsestLogger
from palimpsest.integrations.shared.threads import Piece
from palimpsest.record.message import Reasoning
from tests.strategies import openai_dicts

CODEC = ChatCodec()


@given(st.lists(openai_dicts(), max_size=4))
def test_what_is_shown_unchanged_is_sent_as_the_very_object(history: list[Any]) -> None:
    pieces = [piece for one in history for piece in CODEC.read(one)]
    assert [id(one) for one in CODEC.write(pieces)] == [id(one) for one in history]


def test_thinking_blocks_are_read_and_written() -> None:
    blocks = [{"type": "thinking", "thinking": "The tide.", "signature": "c2lnbg=="}]
    native = {
        "role": "assistant", "content": "It is low.", "reasoning_content": "The tide.", "thinking_blocks": blocks,
    }  # fmt: skip
    (piece,) = CODEC.read(native)
    assert [part.signature for part in piece.message.parts if isinstance(part, Reasoning)] == ["c2lnbg=="]
    (made,) = CODEC.write([Piece(piece.message)])
    assert (made["thinking_blocks"], made["content"]) == (blocks, "It is low.")


CALLS = [
    ({"metadata": {"session_id": "a"}, "user": "ann"}, ("a", "ann")),
    ({"metadata": {"thread_id": "a"}}, ("a", None)),
    ({"litellm_session_id": "a", "user": "ann"}, ("a", "ann")),
    ({"litellm_metadata": {"session_id": "a"}}, ("a", None)),
    (
        {"metadata": {"session_id": "a", "user_api_key": "h", "user_api_key_user_id": "ann"}, "user": "bob"},
        ("a", "ann"),
    ),
    (
        {"metadata": {"session_id": "a", "user_api_key_hash": "h", "user_api_key": "h"}, "user": "bob"},
        ("a", "h"),
    ),
]


@pytest.mark.parametrize("call, expected", CALLS)
def test_a_call_belongs_to_its_session_and_to_the_user_of_its_key(call: Any, expected: Any) -> None:
    thread = PalimpsestLogger(":memory:")._thread(call)
    assert thread is not None
    assert (thread.name, thread.owner) == expected


async def test_a_call_without_a_session_goes_as_it_came() -> None:
    memory = PalimpsestLogger(":memory:")
    call = {"messages": [{"role": "user", "content": "hello"}], "model": "openai/gpt-5"}
    assert await memory.async_pre_call_deployment_hook(call, "acompletion") is None
    assert await memory.async_pre_call_deployment_hook({**call, "user": "ann"}, "aembedding") is None
    with pytest.raises(UsageError, match="belongs to no session"):
        memory.completion(**call)


def test_two_callbacks_differ_for_litellm() -> None:
    first, second = PalimpsestLogger(":memory:"), PalimpsestLogger(":memory:")
    assert first.number != second.number


async def test_after_a_refusal_the_next_attempt_is_smaller() -> None:
    memory = PalimpsestLogger(":memory:", window_tokens=32_000)
    messages = [
        {"role": ("user", "assistant")[at % 2], "content": f"{at}: " + "low tide. " * 60} for at in range(41)
    ]
    call = {
        "messages": messages,
        "model": "openai/gpt-5",
        "metadata": {"session_id": "a"},
        "litellm_call_id": "1",
    }
    first = await memory.async_pre_call_deployment_hook(call, "acompletion")
    assert first is not None
    assert first["messages"] == messages
    refusal = RuntimeError("This model's maximum context length is 4096 tokens")
    await memory.async_post_call_failure_deployment_hook(call, refusal, "acompletion")
    second = await memory.async_pre_call_deployment_hook({**call, "litellm_call_id": "2"}, "acompletion")
    assert second is not None
    assert len(second["messages"]) < 30
    assert second["messages"][-1] is messages[-1]
    await memory.async_post_call_failure_deployment_hook(call, ValueError("of another kind"), "acompletion")
    await memory.host.aclose()


async def test_a_reply_that_is_never_logged_is_waited_for_once() -> None:
    memory = PalimpsestLogger(":memory:")
    call = {"messages": [{"role": "user", "content": "Which pier?"}], "metadata": {"session_id": "a"}}
    given = {**call, "model": "gpt-5", "litellm_call_id": "left"}
    await memory.async_pre_call_deployment_hook(given, "acompletion")
    thread = memory._thread(given)
    assert thread is not None
    await memory._logged(thread)
    again = asyncio.ensure_future(memory._logged(thread))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert again.done()
    await memory.host.aclose()
