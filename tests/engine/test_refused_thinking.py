"""A provider that refuses thinking although its prefix seems to stand: the thinking is left out, now and later."""

from __future__ import annotations

from typing import Any

import pytest

import palimpsest
from palimpsest.errors import ModelError

ERROR = (
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
    "Remove the block."
)


def reply(number: int) -> dict[str, Any]:
    """A reply with thinking, and a call."""
    thinking = {"type": "thinking", "thinking": f"Part {number}.", "signature": f"signed{number}"}
    call = {"type": "tool_use", "id": f"t{number}", "name": "read_part", "input": {"number": number}}
    return {"role": "assistant", "content": [thinking, call]}


def result(number: int) -> dict[str, Any]:
    """The result of the call."""
    block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "Nothing new."}
    return {"role": "user", "content": [block]}


def thinking_in(request: Any) -> list[str]:
    """The signatures in a request."""
    return [
        str(block["signature"])
        for message in request.anthropic()["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "thinking"
    ]


async def test_refused_thinking_is_left_out_and_later_thinking_is_kept(tmp_path: Any) -> None:
    place = tmp_path / "sessions.db"
    async with palimpsest.open(place, window_tokens=32_000) as engine:
        talk = engine.conversation("harbour")
        await talk.append({"role": "user", "content": "Read the parts."}, reply(1), result(1))
        assert thinking_in(await talk.request(system="Read.")) == ["signed1"]
        assert thinking_in(await talk.recover(ModelError(ERROR, reason="bad_request"))) == []
        await talk.append(reply(2), result(2))
        assert thinking_in(await talk.request(system="Read.")) == ["signed2"]
    async with palimpsest.open(place, window_tokens=32_000) as engine:
        talk = engine.conversation("harbour")
        assert thinking_in(await talk.request(system="Read.")) == ["signed2"]
        usage = {"input_tokens": 100, "output_tokens": 5}
        await talk.record_usage(usage, await talk.request(system="Read."))
        bill = await engine.cost("harbour")
        assert bill is not None
        assert dict(bill.changes.broken) == {"refused thinking": 1}


async def test_the_same_refusal_again_is_raised() -> None:
    async with palimpsest.open(":memory:", window_tokens=32_000) as engine:
        talk = engine.conversation("harbour")
        await talk.append({"role": "user", "content": "Read the parts."}, reply(1), result(1))
        await talk.request(system="Read.")
        await talk.recover(ModelError(ERROR, reason="bad_request"))
        with pytest.raises(ModelError):
            await talk.recover(ModelError(ERROR, reason="bad_request"))


async def test_a_bill_names_each_change_of_a_beginning() -> None:
    tool = {"name": "read_part", "description": "Read.", "input_schema": {"type": "object", "properties": {}}}
    async with palimpsest.open(":memory:", window_tokens=32_000, model="claude-opus-5-5") as engine:
        talk = engine.conversation("harbour")
        await talk.append({"role": "user", "content": "Read the parts."})
        await talk.request(system="Read.", tools=[])
        await talk.append(reply(1), result(1))
        request = await talk.request(system="Read.", tools=[tool])
        await talk.record_usage({"input_tokens": 100, "output_tokens": 5}, request)
        bill = await engine.cost("harbour")
        assert bill is not None
        assert dict(bill.changes.broken) == {"tools": 1}
