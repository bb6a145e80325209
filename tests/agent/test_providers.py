"""Many turns with tools in a small window against a provider's server, in each wire form: no request is refused
and none is over the window; the providers' own clients, given the same requests, are told the same.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

import palimpsest
from palimpsest.agent.agent import Agent, make_agent
from palimpsest.agent.events import Done, Recovered
from palimpsest.budget.assemble import Request
from palimpsest.complete.registry import make_model
from palimpsest.engine.conversation import Conversation
from palimpsest.ports import Model
from palimpsest.record.message import ToolCall
from tests.agent.kit import history, told
from tests.effort import sampled, size
from tests.wire.replies import Say, Wire
from tests.wire.server import Asked, WireServer

WINDOW_TOKENS = 8_000
MAX_TOKENS = 1_000
ASKED_EACH = size(8, 20)
WIRES: tuple[Wire, ...] = ("openai", "responses", "anthropic", "gemini")
WORDS = (
    "The tide at buoy {number} turned at {hour:02d}:{minute:02d}; the log in /var/harbour/buoy-{number}.log holds "
    "{count} readings, the battery is at {battery} percent, and the keeper noted `swell {swell} m, wind from north`. "
)


def readings(buoy: int, lines: int = 6) -> str:
    """Read the log of a buoy."""
    return "\n".join(
        WORDS.format(
            number=buoy, hour=line, minute=buoy % 60, count=buoy * 7, battery=99 - line, swell=line / 4
        )
        for line in range(lines)
    )


def battery(buoy: int) -> dict[str, int]:
    """The battery of a buoy."""
    return {"buoy": buoy, "percent": 90 - buoy % 50}


QUESTION = re.compile(r"buoy (\d+)\?")


class Keeper:
    """What the server says: calls of two tools for a question, and an answer once they were called for it, whether
    their results still stand in the window or only a record of them.
    """

    def __init__(self, wire: Wire) -> None:
        self.wire: Wire = wire
        self.asked = 0

    def __call__(self, asked: Asked) -> Say:
        question = max(int(number) for number in QUESTION.findall(json.dumps(asked.messages[-1])) or ["0"])
        if question <= self.asked:
            return Say(
                f"Buoy {self.asked} is in order, its log was read to the end. Nothing else has to be done."
            )
        self.asked = question
        thinking = "I should read the log." if self.asked % 5 == 0 and self.wire != "openai" else ""
        arguments = json.dumps({"buoy": self.asked})
        return Say(
            "I look it up." if self.asked % 3 == 0 else "",
            (
                ToolCall(f"call_{self.asked}a", "readings", arguments),
                ToolCall(f"call_{self.asked}b", "battery", arguments),
            ),
            thinking,
            "c2lnbmVk" if thinking else "",
        )


def model_for(wire: Wire, server: WireServer) -> Model:
    """Our client of a wire form."""
    name = "openai-responses" if wire == "responses" else wire
    return make_model(f"{name}:m", base_url=server.url_for(wire), key="secret-key")


async def official(wire: Wire, server: WireServer, request: Request) -> tuple[str, list[tuple[str, Any]]]:
    """(text, calls) of the reply that the provider's own client gets to a request."""
    bodies = {"openai": request.openai, "responses": request.responses}
    bodies |= {"anthropic": request.anthropic, "gemini": request.gemini}
    body: Any = bodies[wire]()
    if wire == "responses":
        return await _responses(server, body)
    if wire == "openai":
        from openai import AsyncOpenAI

        async with AsyncOpenAI(base_url=server.openai_url, api_key="any", max_retries=0) as client:
            reply = await client.chat.completions.create(model="m", max_completion_tokens=MAX_TOKENS, **body)
        said: Any = reply.choices[0].message
        calls = [(one.function.name, json.loads(one.function.arguments)) for one in said.tool_calls or ()]
        return said.content or "", calls
    if wire == "anthropic":
        from anthropic import AsyncAnthropic

        async with AsyncAnthropic(base_url=server.url, api_key="any", max_retries=0) as theirs:
            answer: Any = await theirs.messages.create(model="m", max_tokens=MAX_TOKENS, **body)
        text = "".join(block.text for block in answer.content if block.type == "text")
        return text, [(block.name, block.input) for block in answer.content if block.type == "tool_use"]
    from google.genai import Client, types

    config = types.GenerateContentConfig(
        system_instruction=body["systemInstruction"], tools=body["tools"], max_output_tokens=MAX_TOKENS,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )  # fmt: skip
    google = Client(api_key="any", http_options=types.HttpOptions(base_url=server.url))
    found: Any = await google.aio.models.generate_content(model="m", contents=body["contents"], config=config)
    await google.aio.aclose()
    google.close()
    parts = found.candidates[0].content.parts
    text = "".join(part.text or "" for part in parts if not part.thought)
    return text, [(part.function_call.name, part.function_call.args) for part in parts if part.function_call]


async def _responses(server: WireServer, body: Any) -> tuple[str, list[tuple[str, Any]]]:
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=server.openai_url, api_key="any", max_retries=0) as client:
        reply = await client.responses.create(model="m", max_output_tokens=MAX_TOKENS, store=False, **body)
    calls = [(one.name, json.loads(one.arguments)) for one in reply.output if one.type == "function_call"]
    return reply.output_text, calls


async def agreed(wire: Wire, server: WireServer, keeper: Keeper, agent: Agent, talk: Conversation) -> None:
    """The official client and ours are told the same in reply to the request that stands."""
    request = await talk.request(
        system=agent.setup.system, tools=[tool.definition for tool in agent.setup.tools.values()]
    )
    asked = keeper.asked
    theirs = await official(wire, server, request)
    keeper.asked = asked
    ours = await agent.setup.complete(request.completion())
    keeper.asked = asked
    assert len(theirs[1]) == 2
    assert theirs == (ours.text, [(call.name, json.loads(call.arguments)) for call in ours.calls])


@pytest.mark.slow
@sampled("preset, turns", [("default", 200), ("crabtalk", 60)], [("default", 24)])
@pytest.mark.parametrize("wire", WIRES)
async def test_many_turns_with_tools_finish_in_a_small_window(wire: Wire, preset: str, turns: int) -> None:
    keeper = Keeper(wire)
    with WireServer(keeper, window_tokens=WINDOW_TOKENS) as server:
        model = model_for(wire, server)
        async with palimpsest.open(
            ":memory:", preset=preset, window_tokens=WINDOW_TOKENS, max_tokens=MAX_TOKENS
        ) as engine:
            agent = make_agent(engine, model, system="You keep the buoys.", tools=[readings, battery])
            talk = engine.conversation("buoys")
            seen: Counter[str] = Counter()
            for number in range(1, turns + 1):
                events = await told(
                    agent, talk, f"How is buoy {number}? Read its log and look at its battery."
                )
                seen.update(type(event).__name__ for event in events)
                assert isinstance(events[-1], Done)
                assert events[-1].text.startswith(f"Buoy {number} is in order")
                if number % ASKED_EACH == 0:
                    await talk.append({"role": "user", "content": f"And buoy {number + 1}?"})
                    await agreed(wire, server, keeper, agent, talk)
            await engine.idle()
            stored = await history(talk)
            compactions = (await engine.stats()).compactions
        await model.close()
        largest = max(asked.prompt_tokens for asked in server.asked)
        print(f"{wire} {preset}: {len(server.asked)} requests, largest {largest}, {compactions} compactions")
        assert server.breaches == []
        assert server.overflows == 0
        assert seen[Recovered.__name__] == 0
        assert seen["ToolEnd"] == 2 * turns
        assert len(stored) == 5 * turns + turns // ASKED_EACH
        assert largest <= WINDOW_TOKENS - MAX_TOKENS
        assert largest > WINDOW_TOKENS // 2
        assert compactions > 0
