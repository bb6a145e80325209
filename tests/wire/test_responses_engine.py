"""A conversation over OpenAI's Responses through the engine: nothing is refused, and its reasoning is sent again."""

from __future__ import annotations

import json
from typing import Any

import palimpsest
from palimpsest.formats.rules import responses_breaches
from tests.wire.strict.scripts import READ_TOOL, in_turns, part_text
from tests.wire.strict.server import StrictServer

TURNS, CALLS = 4, 6
SCHEMA: Any = {"type": "object", "properties": {"number": {"type": "integer"}}}
FUNCTION: Any = {"type": "function", "name": READ_TOOL, "parameters": SCHEMA, "strict": False}


async def session(window_tokens: int) -> tuple[StrictServer, int, list[tuple[str, ...]]]:
    """A session of the official client: the server, the number of compactions, and the breaches of our own rules."""
    from openai import AsyncOpenAI

    breaches: list[tuple[str, ...]] = []
    with StrictServer(in_turns(CALLS, TURNS)) as server:
        async with (
            palimpsest.open(":memory:", window_tokens=window_tokens, max_tokens=500) as engine,
            AsyncOpenAI(base_url=server.openai_url, api_key="any", max_retries=0) as client,
        ):
            talk = engine.conversation("harbour")
            for turn in range(TURNS):
                await talk.append({"role": "user", "content": f"Read more of the log, turn {turn + 1}."})
                await talk.append(
                    *[{"type": "message", "role": "developer", "content": "Be brief."}][: turn == 2]
                )
                for _ in range(CALLS + 1):
                    body: Any = (await talk.request(system="Read.", tools=[FUNCTION])).responses()
                    breaches.append(responses_breaches(body))
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
            return server, len(await talk.compactions()), breaches


async def test_a_conversation_that_fits_only_grows_and_shows_all_its_reasoning() -> None:
    server, compactions, breaches = await session(100_000)
    shown = [one.thinking_shown for one in server.main()]
    assert (server.errors, compactions, any(breaches)) == ([], 0, False)
    assert shown == list(range(TURNS * (CALLS + 1)))
    assert server.law_breaks() == []


async def test_a_conversation_in_a_small_window_shows_the_reasoning_of_its_turn() -> None:
    server, compactions, breaches = await session(6_000)
    shown = [one.thinking_shown for one in server.main()]
    assert (server.errors, any(breaches), compactions > 0) == ([], False, True)
    assert 0 < len(server.law_breaks()) < len(shown) == TURNS * (CALLS + 1)
    assert all(now >= place % (CALLS + 1) for place, now in enumerate(shown))
