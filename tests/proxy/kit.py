"""What the tests of the proxy share: a proxy in this process, and clients that keep their own growing history."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import palimpsest
from palimpsest.engine.engine import Engine
from palimpsest.proxy.addresses import Upstreams
from palimpsest.proxy.launch import ProxySettings, Running, serve
from tests.wire.server import WireServer
from tests.wire.strict.probe import BINDING_MODEL, TOOL
from tests.wire.strict.scripts import READ_TOOL, part_text

QUESTION = "Read all parts of the harbour log. The lamp of the north pier is of the type Kestrel-88."
SCHEMA: Any = {"type": "object", "properties": {"number": {"type": "integer"}}}
WINDOW = {"window_tokens": 12_000, "max_tokens": 1_000}
SESSION = {"x-session-id": "one"}
WIRES = ("anthropic", "chat", "responses", "gemini")


@asynccontextmanager
async def running(upstream: WireServer, *, db: str = ":memory:", **given: Any) -> AsyncIterator[Serving]:
    """A proxy before a provider."""
    proxy = {name: given.pop(name) for name in ("inject_tools", "token", "host") if name in given}
    async with palimpsest.open(db, **{**WINDOW, **given}) as engine:
        url = upstream.url
        settings = ProxySettings(port=0, upstreams=Upstreams(url, url, url), **proxy)
        async with await serve(engine, settings) as started:
            yield Serving(started, engine)


@dataclass
class Serving:
    """A proxy and its engine."""

    proxy: Running
    engine: Engine

    @property
    def url(self) -> str:
        return self.proxy.url

    async def names(self) -> list[str]:
        """The conversations, by name."""
        return sorted(one.id for one in await self.engine.conversations())

    async def compactions(self) -> int:
        """How often the conversations were compacted."""
        found = [await self.engine.conversation(name).compactions() for name in await self.names()]
        return sum(map(len, found))

    async def texts(self, name: str) -> list[str]:
        """The stored messages of a conversation."""
        stored = await self.engine.conversation(name).messages(1, 10_000)
        return [_shown(one.message) for one in stored]


def _shown(message: Any) -> str:
    calls = " ".join(f"{one.name}{one.arguments}" for one in message.calls)
    return f"{message.role}: {message.text}{calls}{''.join(one.text for one in message.results)}"


@dataclass
class Client:
    """An official client with its history. `ask` sends it, and adds the reply and what its calls returned."""

    url: str
    stream: bool = False
    headers: dict[str, str] = field(default_factory=lambda: dict(SESSION))
    lines: int = 6
    history: list[Any] = field(default_factory=list[Any])
    tools: bool = True
    read: Callable[[int, int], str] = part_text

    async def run(self, calls: int) -> str:
        """The answer at the end of a loop."""
        if not self.history:
            self.say(QUESTION)
        for _ in range(calls + 1):
            text, called = await self.ask()
            if not called:
                return text
        raise AssertionError("the loop did not end")

    def say(self, text: str) -> None:
        self.history.append({"role": "user", "content": text})

    async def ask(self) -> tuple[str, int]:
        raise NotImplementedError


class AnthropicClient(Client):
    model = BINDING_MODEL
    system: Any = "Read."

    async def ask(self) -> tuple[str, int]:
        from anthropic import AsyncAnthropic

        tools: Any = {"tools": [TOOL]} if self.tools else {}
        asked: Any = {
            "model": self.model,
            "max_tokens": 1000,
            "system": self.system,
            "messages": self.history,
        }
        asked |= tools
        async with AsyncAnthropic(
            base_url=self.url, api_key="sk-ant-any", max_retries=0, default_headers=self.headers
        ) as client:
            if self.stream:
                async with client.beta.messages.stream(**asked) as events:
                    reply: Any = await events.get_final_message()
            else:
                reply = await client.beta.messages.create(**asked)
        content = [block.model_dump(exclude_none=True, exclude={"parsed_output"}) for block in reply.content]
        self.history.append({"role": "assistant", "content": content})
        results = [
            {
                "type": "tool_result",
                "tool_use_id": block.id,
                "content": self.read(block.input["number"], self.lines),
            }
            for block in reply.content
            if block.type == "tool_use"
        ]
        if results:
            self.history.append({"role": "user", "content": results})
        return "".join(block.text for block in reply.content if block.type == "text"), len(results)


class ResponsesClient(Client):
    async def ask(self) -> tuple[str, int]:
        from openai import AsyncOpenAI

        tool = {"type": "function", "name": READ_TOOL, "parameters": SCHEMA, "strict": False}
        asked: Any = {
            "model": "gpt-6.2-astra",
            "store": False,
            "instructions": "Read.",
            "input": self.history,
        }
        asked |= {"tools": [tool]} if self.tools else {}
        async with AsyncOpenAI(
            base_url=f"{self.url}/v1", api_key="sk-any", max_retries=0, default_headers=self.headers
        ) as client:
            if self.stream:
                async with client.responses.stream(**asked) as events:
                    reply: Any = await events.get_final_response()
            else:
                reply = await client.responses.create(**asked)
        self.history += [
            one.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for one in reply.output
        ]
        calls = [one for one in reply.output if one.type == "function_call"]
        for call in calls:
            text = self.read(json.loads(call.arguments)["number"], self.lines)
            self.history.append({"type": "function_call_output", "call_id": call.call_id, "output": text})
        return reply.output_text, len(calls)


class ChatClient(Client):
    async def ask(self) -> tuple[str, int]:
        from openai import AsyncOpenAI

        tool: Any = {"type": "function", "function": {"name": READ_TOOL, "parameters": SCHEMA}}
        messages = [{"role": "system", "content": "Read."}, *self.history]
        asked: Any = {"model": "gpt-5", "messages": messages} | ({"tools": [tool]} if self.tools else {})
        async with AsyncOpenAI(
            base_url=f"{self.url}/v1", api_key="sk-any", max_retries=0, default_headers=self.headers
        ) as client:
            if self.stream:
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
        self.history.append(
            {"role": "assistant", "content": said.content} | ({"tool_calls": calls} if calls else {})
        )
        for call in calls:
            number = json.loads(call["function"]["arguments"])["number"]
            self.history.append(
                {"role": "tool", "tool_call_id": call["id"], "content": self.read(number, self.lines)}
            )
        return said.content or "", len(calls)


class GeminiClient(Client):
    def say(self, text: str) -> None:
        from google.genai import types

        self.history.append(types.UserContent(text))

    async def ask(self) -> tuple[str, int]:
        from google.genai import Client as Google
        from google.genai import types

        declared = types.FunctionDeclaration(
            name=READ_TOOL, description="Read.", parameters_json_schema=SCHEMA
        )
        config = types.GenerateContentConfig(
            system_instruction="Read.",
            tools=[types.Tool(function_declarations=[declared])] if self.tools else None,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )
        options = types.HttpOptions(base_url=self.url, headers=self.headers)
        client = Google(api_key="any", http_options=options)
        asked: Any = {"model": "gemini-3.8-flash", "contents": self.history, "config": config}
        found: list[Any]
        if self.stream:
            found = [chunk async for chunk in await client.aio.models.generate_content_stream(**asked)]
        else:
            found = [await client.aio.models.generate_content(**asked)]
        await client.aio.aclose()
        client.close()
        parts = [part for chunk in found for part in chunk.candidates[0].content.parts or ()]
        self.history.append(types.ModelContent(parts))
        calls = [part.function_call for part in parts if part.function_call]
        if calls:
            answers = [
                types.Part.from_function_response(
                    name=call.name, response={"result": self.read(call.args["number"], self.lines)}
                )
                for call in calls
            ]
            self.history.append(types.UserContent(answers))
        return "".join(part.text or "" for part in parts if not part.thought), len(calls)


CLIENTS: dict[str, type[Client]] = {
    "anthropic": AnthropicClient,
    "chat": ChatClient,
    "responses": ResponsesClient,
    "gemini": GeminiClient,
}
