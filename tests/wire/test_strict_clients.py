"""The official clients on the strict servers: tool loops on their own growing history are accepted, whole and streamed,
and each provider's compaction keeps the thinking behind it.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.wire.replies import Wire
from tests.wire.strict.anthropic_rules import BINDING_CONTROLS, COMPACT
from tests.wire.strict.probe import BINDING_MODEL, TOOL
from tests.wire.strict.scripts import READ_TOOL, part_text, reading
from tests.wire.strict.server import StrictServer

CALLS = 20
QUESTION = "Read all parts of the harbour log."
SCHEMA: Any = {"type": "object", "properties": {"number": {"type": "integer"}}}
FUNCTION: Any = {"type": "function", "name": READ_TOOL, "parameters": SCHEMA, "strict": False}
GPT, GEMINI = "gpt-6.2-astra", "gemini-3.8-flash"


async def anthropic_loop(server: StrictServer, stream: bool, *, compact_at: int = 0) -> str:
    """The answer at the end of a loop of the official client; the first calls may be compacted."""
    from anthropic import AsyncAnthropic

    history: list[Any] = [{"role": "user", "content": QUESTION}]
    tools: Any = [TOOL]
    async with AsyncAnthropic(base_url=server.anthropic_url, api_key="any", max_retries=0) as client:
        asked: Any = {"model": BINDING_MODEL, "max_tokens": 1000, "tools": tools, "system": "Read."}
        asked["betas"] = [COMPACT, BINDING_CONTROLS]
        for step in range(CALLS + 1):
            if step == compact_at and step:
                await client.beta.messages.count_tokens(
                    messages=history, model=BINDING_MODEL, system="Read.", tools=tools, betas=[COMPACT]
                )
                summary: Any = await client.beta.messages.create(
                    **asked, messages=history[:-4], compaction={"type": "summarize"}
                )
                assert summary.stop_reason == "compaction"
                history = [{"role": "assistant", "content": summary.content}, *history[-4:]]
            if stream:
                async with client.beta.messages.stream(**asked, messages=history) as events:
                    reply: Any = await events.get_final_message()
            else:
                reply = await client.beta.messages.create(**asked, messages=history)
            assert reply.input_transformations == []
            history.append({"role": "assistant", "content": reply.content})
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": part_text(block.input["number"])}
                for block in reply.content
                if block.type == "tool_use"
            ]
            if not results:
                return "".join(block.text for block in reply.content if block.type == "text")
            history.append({"role": "user", "content": results})
    raise AssertionError("the loop did not end")


async def responses_loop(server: StrictServer, stream: bool, *, compact_at: int = 0) -> str:
    """The same with OpenAI's client and Responses."""
    from openai import AsyncOpenAI

    items: list[Any] = [{"role": "user", "content": QUESTION}]
    async with AsyncOpenAI(base_url=server.openai_url, api_key="any", max_retries=0) as client:
        asked: Any = {"model": GPT, "tools": [FUNCTION], "store": False}
        for step in range(CALLS + 1):
            if step == compact_at and step:
                window: Any = await client.responses.compact(model=GPT, input=items[:-3])
                items = [
                    item.model_dump(exclude_none=True, warnings=False) for item in window.output
                ] + items[-3:]
            if stream:
                async with client.responses.stream(**asked, input=items) as events:
                    reply: Any = await events.get_final_response()
            else:
                reply = await client.responses.create(**asked, input=items)
            items += [
                item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in reply.output
            ]
            calls = [item for item in reply.output if item.type == "function_call"]
            if not calls:
                return reply.output_text
            items += [
                {
                    "type": "function_call_output",
                    "call_id": call.call_id,
                    "output": part_text(json.loads(call.arguments)["number"]),
                }
                for call in calls
            ]
    raise AssertionError("the loop did not end")


async def chat_loop(server: StrictServer, stream: bool) -> str:
    """The same with OpenAI's client and chat completions."""
    from openai import AsyncOpenAI

    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    tool: Any = {"type": "function", "function": {"name": READ_TOOL, "parameters": SCHEMA}}
    async with AsyncOpenAI(base_url=server.openai_url, api_key="any", max_retries=0) as client:
        for _ in range(CALLS + 1):
            asked: Any = {"model": "gpt-5", "messages": messages, "tools": [tool]}
            if stream:
                async with client.chat.completions.stream(**asked) as events:
                    reply: Any = await events.get_final_completion()
            else:
                reply = await client.chat.completions.create(**asked)
            said = reply.choices[0].message
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function.name, "arguments": call.function.arguments},
                }
                for call in said.tool_calls or ()
            ]
            if not calls:
                return said.content
            messages.append({"role": "assistant", "content": said.content, "tool_calls": calls})
            for call in calls:
                number = json.loads(call["function"]["arguments"])["number"]
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": part_text(number)})
    raise AssertionError("the loop did not end")


async def gemini_loop(server: StrictServer, stream: bool) -> str:
    """The same with Google's client."""
    from google.genai import Client, types

    declared = types.FunctionDeclaration(name=READ_TOOL, description="Read.", parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        system_instruction="Read.",
        tools=[types.Tool(function_declarations=[declared])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    client = Client(api_key="any", http_options=types.HttpOptions(base_url=server.gemini_url))
    contents: list[Any] = [types.UserContent(QUESTION)]
    for _ in range(CALLS + 1):
        asked: Any = {"model": GEMINI, "contents": contents, "config": config}
        found: list[Any]
        if stream:
            found = [chunk async for chunk in await client.aio.models.generate_content_stream(**asked)]
        else:
            found = [await client.aio.models.generate_content(**asked)]
        parts = [part for chunk in found for part in chunk.candidates[0].content.parts or ()]
        contents.append(types.ModelContent(parts))
        calls = [part.function_call for part in parts if part.function_call]
        if not calls:
            await client.aio.aclose()
            client.close()
            return "".join(part.text or "" for part in parts if not part.thought)
        contents.append(
            types.UserContent(
                [
                    types.Part.from_function_response(
                        name=call.name, response={"result": part_text(call.args["number"])}
                    )
                    for call in calls
                ]
            )
        )
    raise AssertionError("the loop did not end")


LOOPS: dict[Wire | str, Any] = {
    "anthropic": anthropic_loop,
    "responses": responses_loop,
    "chat": chat_loop,
    "gemini": gemini_loop,
}


@pytest.mark.parametrize("stream", [False, True], ids=["at once", "streamed"])
@pytest.mark.parametrize("wire", LOOPS)
async def test_a_tool_loop_of_the_official_client_is_accepted(wire: str, stream: bool) -> None:
    with StrictServer(reading(CALLS)) as server:
        answer = await LOOPS[wire](server, stream)
        assert answer == f"All {CALLS} parts are read."
        assert server.errors == []
        assert server.law_breaks() == []
        assert len(server.main()) == CALLS + 1
        shown = [one.thinking_shown for one in server.main()]
        assert shown == ([0] * (CALLS + 1) if wire == "chat" else list(range(CALLS + 1)))


@pytest.mark.parametrize("wire", ["anthropic", "responses"])
async def test_the_official_client_goes_on_behind_the_providers_compaction(wire: str) -> None:
    with StrictServer(reading(CALLS)) as server:
        answer = await LOOPS[wire](server, False, compact_at=12)
        assert answer == f"All {CALLS} parts are read."
        assert server.errors == []
        assert len(server.law_breaks()) == 1
        kept = 2 if wire == "anthropic" else 1
        assert [one.thinking_shown for one in server.main()][11:15] == [11, kept, kept + 1, kept + 2]
        assert all(one.dropped == () for one in server.seen)


async def test_the_anthropic_client_knows_the_errors_and_the_model() -> None:
    from anthropic import Anthropic, BadRequestError

    with StrictServer(reading(1), window_tokens=50) as server:
        client = Anthropic(base_url=server.anthropic_url, api_key="any", max_retries=0)
        assert client.beta.messages.count_tokens(
            model=BINDING_MODEL, messages=[{"role": "user", "content": "hi"}]
        )
        assert client.models.retrieve(BINDING_MODEL).id == BINDING_MODEL
        long: Any = [{"role": "user", "content": "word " * 100}]
        with pytest.raises(BadRequestError, match=r"prompt is too long: .* > 50 maximum"):
            client.messages.create(model=BINDING_MODEL, max_tokens=10, messages=long)
        summary: Any = {"type": "compaction", "content": "x", "signature": "y"}
        with pytest.raises(BadRequestError, match="Invalid `signature` in `compaction` block"):
            client.beta.messages.create(
                model=BINDING_MODEL,
                max_tokens=10,
                messages=[{"role": "assistant", "content": [summary]}, {"role": "user", "content": "hi"}],
                betas=[COMPACT],
            )
        assert len(server.errors) == 2
