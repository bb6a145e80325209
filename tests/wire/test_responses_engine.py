"""A conversation over OpenAI's Responses through the engine: nothing is refused, and its reasoning is sent again."""

from __future__ import annotations

import json
from typing import Any

import pytest

import palimpsest
from palimpsest.formats.rules import responses_breaches
from tests.wire.strict.scripts import READ_TOOL, in_turns, part_text
from tests.wire.strict.server import StrictServer

TURNS, CALLS = 4, 6
SCHEMA: Any = {"type": "object", "properties": {"number": {"type": "integer"}}}
FUNCTION: Any = {"type": "function", "name": READ_TOOL, "parameters": SCHEMA, "strict": False}


@pytest.mark.parametrize("window_tokens", [100_000, 6_000], ids=["roomy", "small"])
async def test_a_conversation_of_many_calls_is_accepted(window_tokens: int) -> None:
    from openai import AsyncOpenAI

    with StrictServer(in_turns(CALLS, TURNS)) as server:
        async with (
            palimpsest.open(":memory:", window_tokens=window_tokens, max_tokens=500) as engine,
            AsyncOpenAI(base_url=server.openai_url, api_key="any", max_retries=0) as client,
        ):
            talk = engine.conversation("harbour")
            for turn in range(TURNS):
                await talk.append(
                    {"role": "user", "content": f"Read more of the harbour log, turn {turn + 1}."}
                )
                if turn == 2:
                    await talk.append({"type": "message", "role": "developer", "content": "Be brief."})
                for _ in range(CALLS + 1):
                    body: Any = (await talk.request(system="Read.", tools=[FUNCTION])).responses()
                    assert responses_breaches(body) == ()
                    reply = await client.responses.create(model="gpt-6.1-astra", store=False, **body)
                    await talk.append(reply)
                    calls = [item for item in reply.output if item.type == "function_call"]
                    for call in calls:
                        output = part_text(json.loads(call.arguments)["number"])
                        await talk.append(
                            {"type": "function_call_output", "call_id": call.call_id, "output": output}
                        )
                await talk.end_turn()
                await engine.idle()
            assert bool(await talk.compactions()) == (window_tokens < 50_000)
        assert server.errors == []
        shown = [one.thinking_shown for one in server.main()]
        assert len(shown) == TURNS * (CALLS + 1)
        if window_tokens > 50_000:
            assert shown == list(range(len(shown)))
            assert server.law_breaks() == []
        else:
            assert 0 < len(server.law_breaks()) < len(shown)
            assert all(now >= place % (CALLS + 1) for place, now in enumerate(shown))
