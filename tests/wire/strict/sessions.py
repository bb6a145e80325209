"""Sessions of the product against a strict server: the agent loop, and the official clients on its requests.

A session reads invented parts, several in each turn, in a window that holds only some of them. What came of it is a
value; a refused request does not end a session of an official client, so that all refusals are counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.complete.registry import make_model
from palimpsest.engine.conversation import Conversation
from palimpsest.errors import ModelError
from tests.agent.kit import history
from tests.wire.strict.scripts import READ_TOOL, call_of, in_turns, part_text
from tests.wire.strict.server import StrictServer

WINDOW_TOKENS, OUTPUT_TOKENS, PART_LINES = 8_000, 500, 4
SYSTEM = "You read the harbour log."
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a session: why requests were refused, where the prefix law broke, and what was stored. `unexplained`
    are breaks of the law between two requests without a compaction; only sessions of official clients tell them.
    `blocks` are the compactions that the provider made.
    """

    asked: int
    errors: tuple[str, ...]
    breaks: tuple[str, ...]
    unexplained: tuple[str, ...]
    compactions: int
    blocks: int
    stored: int
    results: int
    answers: int
    shown_mean: float

    def __str__(self) -> str:
        return (
            f"{self.asked} requests, {len(self.errors)} refused, {len(self.breaks)} breaks of the law "
            f"({len(self.unexplained)} unexplained), "
            f"{self.compactions} compactions ({self.blocks} by the provider), thinking shown mean {self.shown_mean:.1f}"
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """A session's size, and what its requests are asked with beside the tools: a function of the call's number."""

    turns: int
    calls: int
    options: Callable[[int], dict[str, Any]] = lambda number: {}
    model: Callable[[int], str] = lambda number: "claude-opus-5-5"
    window_tokens: int = WINDOW_TOKENS
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


def read_part(number: int) -> str:
    """Read a part of the harbour log."""
    return part_text(number, PART_LINES)


def tool_named(name: str) -> dict[str, Any]:
    """A tool in Anthropic's form."""
    return {"name": name, "description": "Read a part of the harbour log.", "input_schema": SCHEMA}


async def outcome_of(
    server: StrictServer, engine: Any, talk: Conversation, unexplained: Sequence[str] = ()
) -> Outcome:
    """What came of a session."""
    await engine.idle()
    stored = await history(talk)
    asked = server.main()
    return Outcome(
        asked=len(asked),
        errors=tuple(server.errors),
        breaks=tuple(server.law_breaks()),
        unexplained=tuple(unexplained),
        compactions=(await engine.stats()).compactions,
        blocks=sum(one.item_kind == "block" for one in await talk.compactions()),
        stored=len(stored),
        results=sum(len(message.results) for message in stored),
        answers=sum(message.role == "assistant" and not message.calls for message in stored),
        shown_mean=sum(one.thinking_shown for one in asked) / max(1, len(asked)),
    )


async def agent_session(name: str, plan: Plan) -> Outcome:
    """The agent loop with a client of ours, which `name` tells as "provider:model"."""
    provider = name.partition(":")[0]
    with StrictServer(in_turns(plan.calls, plan.turns), window_tokens=plan.window_tokens) as server:
        url = server.openai_url if provider.startswith("openai") else server.url
        model = make_model(name, base_url=url, key="any")
        limits: Any = {"window_tokens": plan.window_tokens, "max_tokens": OUTPUT_TOKENS}
        async with palimpsest.open(":memory:", **limits, **plan.settings) as engine:
            agent = make_agent(engine, model, system=SYSTEM, tools=[read_part])
            talk = engine.conversation("harbour")
            for turn in range(1, plan.turns + 1):
                try:
                    await agent.answer(talk, f"Turn {turn}: read the next {plan.calls} parts.")
                except ModelError:
                    break
            found = await outcome_of(server, engine, talk)
        await model.close()
        return found


async def client_session(wire: str, plan: Plan) -> Outcome:
    """An official client on the requests of a conversation."""
    with StrictServer(in_turns(plan.calls, plan.turns), window_tokens=plan.window_tokens) as server:
        limits: Any = {"window_tokens": plan.window_tokens, "max_tokens": OUTPUT_TOKENS}
        ask, close = _CLIENTS[wire](server)
        async with palimpsest.open(":memory:", **limits, **plan.settings) as engine:
            driver = _Driver(server, engine, engine.conversation("harbour"), ask, plan, _PROVIDERS[wire])
            for turn in range(1, plan.turns + 1):
                await driver.turn(turn)
            await close()
            return await outcome_of(server, engine, driver.talk, driver.unexplained)


@dataclass(slots=True)
class _Driver:
    """An official client, the conversation that it asks for requests, and how far they are. `compactions` were counted
    before the last accepted request.
    """

    server: StrictServer
    engine: Any
    talk: Conversation
    ask: Any
    plan: Plan
    provider: str
    number: int = 0
    compactions: int = 0
    unexplained: list[str] = field(default_factory=list[str])

    async def turn(self, turn: int) -> None:
        """One turn: so many calls, and the answer."""
        talk, calls = self.talk, self.plan.calls
        await talk.append({"role": "user", "content": f"Turn {turn}: read the next parts."})
        for step in range(calls + 1):
            self.number += step < calls
            await self._call(self.number if step < calls else 0)
            if step < calls:
                await talk.append(_result(self.number))
        await talk.end_turn()

    async def _call(self, number: int) -> None:
        """One call of the model, and what is stored of it; a refused one gets a stand-in for the reply."""
        name = self.plan.model(self.number)
        options = {"tools": [tool_named(READ_TOOL)], "system": SYSTEM, **self.plan.options(self.number)}
        before = (await self.engine.stats()).compactions
        request = await self.talk.request(model=f"{self.provider}:{name}", **options)
        after = (await self.engine.stats()).compactions
        reply = await self.ask(request, name)
        if reply is None:
            await self.talk.append(_stand_in(number))
            return
        if (broken := self.server.main()[-1].law_break) and after == self.compactions:
            self.unexplained.append(broken)
        self.compactions = before
        await self.talk.append(reply[0])
        await self.talk.record_usage(reply[1], request)


def _stand_in(number: int) -> dict[str, Any]:
    """What the model would have said to a request that was refused, without thinking."""
    if not number:
        return {"role": "assistant", "content": "This turn is done."}
    call = call_of(number)
    function = {"name": call.name, "arguments": call.arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call.id, "type": "function", "function": function}],
    }


def _result(number: int) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_of(number).id, "content": read_part(number)}


Ask = Any


def _anthropic(server: StrictServer) -> tuple[Ask, Ask]:
    from anthropic import AsyncAnthropic, BadRequestError

    client = AsyncAnthropic(base_url=server.anthropic_url, api_key="any", max_retries=0)

    async def ask(request: Any, model: str) -> Any:
        try:
            reply: Any = await client.beta.messages.create(
                model=model, max_tokens=OUTPUT_TOKENS, betas=[*request.betas], **request.anthropic()
            )
        except BadRequestError:
            return None
        content = json.loads(reply.model_dump_json(exclude_none=True))["content"]
        return {"role": "assistant", "content": content}, reply.usage

    return ask, client.close


def _responses(server: StrictServer) -> tuple[Ask, Ask]:
    from openai import AsyncOpenAI, BadRequestError

    client = AsyncOpenAI(base_url=server.openai_url, api_key="any", max_retries=0)

    async def ask(request: Any, model: str) -> Any:
        try:
            reply: Any = await client.responses.create(model=model, store=False, **request.responses())
        except BadRequestError:
            return None
        return reply, reply.usage

    return ask, client.close


def _chat(server: StrictServer) -> tuple[Ask, Ask]:
    from openai import AsyncOpenAI, BadRequestError

    client = AsyncOpenAI(base_url=server.openai_url, api_key="any", max_retries=0)

    async def ask(request: Any, model: str) -> Any:
        try:
            reply: Any = await client.chat.completions.create(model=model, **request.openai())
        except BadRequestError:
            return None
        return reply, reply.usage

    return ask, client.close


def _gemini(server: StrictServer) -> tuple[Ask, Ask]:
    from google.genai import Client, errors, types

    client = Client(api_key="any", http_options=types.HttpOptions(base_url=server.gemini_url))

    async def ask(request: Any, model: str) -> Any:
        body = request.gemini()
        config = types.GenerateContentConfig(
            system_instruction=body["systemInstruction"],
            tools=body["tools"],
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )
        try:
            reply: Any = await client.aio.models.generate_content(
                model=model, contents=body["contents"], config=config
            )
        except errors.ClientError:
            return None
        return reply.candidates[0].content, reply.usage_metadata

    async def close() -> None:
        await client.aio.aclose()
        client.close()

    return ask, close


_PROVIDERS = {"anthropic": "anthropic", "responses": "openai", "chat": "openai", "gemini": "gemini"}
_CLIENTS: dict[str, Any] = {
    "anthropic": _anthropic,
    "responses": _responses,
    "chat": _chat,
    "gemini": _gemini,
}
