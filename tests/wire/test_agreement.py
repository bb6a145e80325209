"""The official clients, pointed at the local server, are told the same as ours: text, calls, usage, reason of end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from palimpsest.complete.registry import make_model
from palimpsest.formats import anthropic as anthropic_form
from palimpsest.formats import gemini as gemini_form
from palimpsest.formats import openai as openai_form
from palimpsest.ports import Model
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.message import Message, Reasoning, Text, ToolCall, ToolDef
from tests.wire.replies import Say, Wire
from tests.wire.server import WireServer

SCHEMA = '{"type":"object","properties":{"path":{"type":"string"}}}'
REQUEST = CompletionRequest(
    (Message("user", (Text("What is in a.txt?"),)),),
    system="Be brief.",
    tools=(ToolDef("read", "Reads a file.", SCHEMA),),
    max_output_tokens=200,
)
READ = ToolCall("call_a", "read", '{"path": "a.txt"}')
SAYS = {
    "text": Say("It holds the tide table: 4.2 m — at noon."),
    "call": Say("", (READ,)),
    "text and calls": Say("Let me look.", (READ, ToolCall("call_b", "read", '{"path": "b.txt"}'))),
    "thinking": Say("Noon.", thinking="The table says noon.", signature="c2lnbmVk"),
    "thinking and a call": Say("", (READ,), "I must read.", "c2lnbmVk"),
    "cut by the limit": Say("It holds", finish="length"),
}


@dataclass(frozen=True)
class Told:
    """What a client tells of a reply."""

    text: str
    thinking: str
    calls: tuple[tuple[str, Any], ...]
    usage: tuple[int, int]
    reason: str


def ours(completion: Completion) -> Told:
    """What our client tells."""
    message, usage = completion.message, completion.usage
    assert message is not None
    assert usage is not None
    thoughts = [part.text for part in message.parts if isinstance(part, Reasoning)]
    return Told(
        completion.text,
        "".join(thoughts),
        tuple((call.name, json.loads(call.arguments)) for call in completion.calls),
        (usage.input_tokens, usage.output_tokens),
        completion.finish_reason,
    )


async def whole(pieces: AsyncIterator[object]) -> Completion:
    """The last piece of a stream."""
    found = [piece async for piece in pieces]
    assert isinstance(found[-1], Completion)
    return found[-1]


def model_for(wire: Wire, server: WireServer) -> Model:
    """Our client of a wire form."""
    name = "openai-responses" if wire == "responses" else wire
    return make_model(f"{name}:m", base_url=server.url_for(wire), key="secret-key")


async def official(wire: Wire, server: WireServer, stream: bool) -> Told:
    """What the provider's own client tells of the reply to the same request."""
    ask = {"openai": _openai, "responses": _responses, "anthropic": _anthropic, "gemini": _gemini}[wire]
    return await ask(server, stream)


async def _openai(server: WireServer, stream: bool) -> Told:
    from openai import AsyncOpenAI

    request: Any = openai_form.render_request(REQUEST.system_texts, REQUEST.messages, REQUEST.tools)
    async with AsyncOpenAI(base_url=server.openai_url, api_key="secret-key", max_retries=0) as client:
        if stream:
            options: Any = {"stream_options": {"include_usage": True}}
            async with client.chat.completions.stream(
                model="m", max_tokens=200, **request, **options
            ) as events:
                async for _ in events:
                    pass
                reply: Any = await _settled(events)
        else:
            reply = await client.chat.completions.create(model="m", max_tokens=200, **request)
    choice = reply.choices[0]
    return Told(
        choice.message.content or "",
        getattr(choice.message, "reasoning_content", None) or "",
        tuple(
            (call.function.name, json.loads(call.function.arguments))
            for call in choice.message.tool_calls or ()
        ),
        (reply.usage.prompt_tokens, reply.usage.completion_tokens),
        choice.finish_reason,
    )


async def _settled(events: Any) -> Any:
    """What an OpenAI stream amounts to; its own getter raises where the limit cut the reply."""
    from openai import LengthFinishReasonError

    try:
        return await events.get_final_completion()
    except LengthFinishReasonError as error:
        return error.completion


async def _responses(server: WireServer, stream: bool) -> Told:
    from openai import AsyncOpenAI

    request: Any = openai_form.render_responses(REQUEST.system_texts, REQUEST.messages, REQUEST.tools)
    request |= {"model": "m", "max_output_tokens": 200, "store": False}
    request["include"] = ["reasoning.encrypted_content"]
    async with AsyncOpenAI(base_url=server.openai_url, api_key="secret-key", max_retries=0) as client:
        if stream:
            async with client.responses.stream(**request) as events:
                found = [event async for event in events]
            reply: Any = found[-1]
            reply = reply.response
        else:
            reply = await client.responses.create(**request)
    calls = tuple(
        (one.name, json.loads(one.arguments)) for one in reply.output if one.type == "function_call"
    )
    thoughts = [part.text for one in reply.output if one.type == "reasoning" for part in one.summary]
    reason = "length" if reply.status == "incomplete" else "tool_calls" if calls else "stop"
    usage = (reply.usage.input_tokens, reply.usage.output_tokens)
    return Told(reply.output_text, "".join(thoughts), calls, usage, reason)


async def _anthropic(server: WireServer, stream: bool) -> Told:
    from anthropic import AsyncAnthropic

    request: Any = anthropic_form.render_request(REQUEST.system_texts, REQUEST.messages, REQUEST.tools)
    request = anthropic_form.place_breakpoints(request)
    async with AsyncAnthropic(base_url=server.url, api_key="secret-key", max_retries=0) as client:
        if stream:
            async with client.messages.stream(model="m", max_tokens=200, **request) as events:
                reply: Any = await events.get_final_message()
        else:
            reply = await client.messages.create(model="m", max_tokens=200, **request)
    reasons = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length"}
    return Told(
        "".join(block.text for block in reply.content if block.type == "text"),
        "".join(block.thinking for block in reply.content if block.type == "thinking"),
        tuple((block.name, block.input) for block in reply.content if block.type == "tool_use"),
        (reply.usage.input_tokens, reply.usage.output_tokens),
        reasons[reply.stop_reason],
    )


async def _gemini(server: WireServer, stream: bool) -> Told:
    from google.genai import Client, types

    request: Any = gemini_form.render_request(REQUEST.system_texts, REQUEST.messages, REQUEST.tools)
    config = types.GenerateContentConfig(
        system_instruction=request["systemInstruction"], tools=request["tools"], max_output_tokens=200,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )  # fmt: skip
    client = Client(api_key="secret-key", http_options=types.HttpOptions(base_url=server.url))
    asked: Any = {"model": "m", "contents": request["contents"], "config": config}
    found: list[Any]
    if stream:
        found = [chunk async for chunk in await client.aio.models.generate_content_stream(**asked)]
    else:
        found = [await client.aio.models.generate_content(**asked)]
    await client.aio.aclose()
    client.close()
    parts = [part for chunk in found for part in (chunk.candidates or [])[0].content.parts or ()]
    usage, reason = found[-1].usage_metadata, (found[-1].candidates or [])[0].finish_reason
    calls = tuple((part.function_call.name, part.function_call.args) for part in parts if part.function_call)
    return Told(
        "".join(part.text or "" for part in parts if not part.thought),
        "".join(part.text or "" for part in parts if part.thought),
        calls,
        (usage.prompt_token_count, usage.candidates_token_count),
        "tool_calls" if calls else {"STOP": "stop", "MAX_TOKENS": "length"}[reason.value],
    )


@pytest.mark.parametrize("stream", [False, True], ids=["at once", "streamed"])
@pytest.mark.parametrize("said", SAYS)
@pytest.mark.parametrize("wire", ["openai", "responses", "anthropic", "gemini"])
async def test_the_official_client_and_ours_are_told_the_same(wire: Wire, said: str, stream: bool) -> None:
    with WireServer([SAYS[said]]) as server:
        model = model_for(wire, server)
        completion = await whole(model.stream(REQUEST)) if stream else await model(REQUEST)
        await model.close()
        theirs = await official(wire, server, stream)
        assert server.breaches == []
        assert ours(completion) == theirs
        assert (theirs.text, theirs.thinking) == (SAYS[said].text, SAYS[said].thinking)


def spelt(value: Any) -> Any:
    """A body with the one key that Google's client spells otherwise, spelt as its API documents it."""
    if isinstance(value, dict):
        return {
            key.replace("parameters_json_schema", "parametersJsonSchema"): spelt(value[key]) for key in value
        }
    return [spelt(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("wire", ["openai", "responses", "anthropic", "gemini"])
async def test_what_our_client_sends_is_what_the_official_one_sends(wire: Wire) -> None:
    with WireServer(["done"]) as server:
        model = model_for(wire, server)
        await model(REQUEST)
        await model.close()
        await official(wire, server, False)
        mine, other = (asked.body for asked in server.asked)
        assert mine == spelt(other)
        assert server.asked[0].model == server.asked[1].model == "m"
