"""The official clients with palimpsest by hand: a history of dicts that the program keeps, and a loop over calls."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import anthropic
import openai

import palimpsest
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World

SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
READ_PART = {"name": "read_part", "description": "Read a part of the harbour log."}
TOOLS = {
    "chat": {"type": "function", "function": {**READ_PART, "parameters": SCHEMA}},
    "anthropic": {**READ_PART, "input_schema": SCHEMA},
}


class Driver(BaseDriver):
    wires = ("chat", "anthropic")
    cannot: ClassVar = {"no_owner": "a program by hand opens an engine for each owner"}

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.histories: dict[tuple[str, str | None], list[dict[str, Any]]] = {}

    async def start(self) -> None:
        self.engines: dict[str | None, Any] = {}
        url = self.world.model.url
        self.openai = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
        self.anthropic = anthropic.AsyncAnthropic(base_url=url, api_key="any", max_retries=0)

    async def talk(self, thread: str, owner: str | None) -> Any:
        if owner not in self.engines:
            opened = palimpsest.open(self.world.database, owner=owner or "", **self.world.settings)
            self.engines[owner] = await opened
        return self.engines[owner].conversation(thread)

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        history = self.histories.setdefault((thread, owner), [])
        talk, tool = await self.talk(thread, owner), self.world.tools[0]
        history.append({"role": "user", "content": text})
        while True:
            reply, calls = await self._reply(talk, history, stream=stream)
            history.append(reply)
            for call_id, name, arguments in calls:
                try:
                    found = await (
                        tool(**arguments) if name == "read_part" else talk.tools().call(name, arguments)
                    )
                except Exception as error:  # noqa: BLE001  (the model reads what went wrong)
                    found = f"failed: {error}"
                history.append({"role": "tool", "tool_call_id": call_id, "content": found})
            if not calls:
                await talk.end_turn()
                return json.dumps(reply["content"])

    async def _reply(self, talk: Any, history: list[dict[str, Any]], *, stream: bool) -> Any:
        """One call of the model; a request that was too long is made smaller."""
        wire = self.world.wire
        await talk.sync(history)
        tools = [TOOLS[wire], *getattr(talk.tools(), "openai" if wire == "chat" else "anthropic")()]
        request = await talk.request(system=self.world.system, tools=tools, model=self.price_name)
        call = {"chat": self._chat, "anthropic": self._anthropic}[wire]
        while True:
            try:
                reply, calls, usage = await call(request, stream=stream)
                break
            except (openai.BadRequestError, anthropic.BadRequestError) as error:
                request = await talk.recover(error)
        await talk.record_usage(usage, request)
        return reply, calls

    async def _chat(self, request: Any, *, stream: bool) -> Any:
        body: Any = {"model": self.world.model_name, **request.openai()}
        if stream:
            usage: Any = {"stream_options": {"include_usage": True}}
            async with self.openai.chat.completions.stream(**body, **usage) as events:
                reply = await events.get_final_completion()
        else:
            reply: Any = await self.openai.chat.completions.create(**body)
        message = reply.choices[0].message
        made = [(one.id, one.function.name, one.function.arguments) for one in message.tool_calls or ()]
        calls = [(call_id, name, json.loads(arguments)) for call_id, name, arguments in made]
        return message.model_dump(exclude_none=True), calls, reply.usage

    async def _anthropic(self, request: Any, *, stream: bool) -> Any:
        body: Any = {"model": self.world.model_name, "max_tokens": OUTPUT_TOKENS, "betas": [*request.betas]}
        body |= request.anthropic()
        async with self.anthropic.beta.messages.stream(**body) as events:
            reply = await events.get_final_message()
        content = json.loads(reply.model_dump_json(exclude_none=True))["content"]
        calls = [(one["id"], one["name"], one["input"]) for one in content if one["type"] == "tool_use"]
        return {"role": "assistant", "content": content}, calls, reply.usage

    async def recall(self, thread: str, owner: str | None, name: str, arguments: dict[str, Any]) -> str:
        return await (await self.talk(thread, owner)).tools().call(name, arguments)

    async def history(self, thread: str, owner: str | None) -> list[str]:
        return [json.dumps(one) for one in self.histories[thread, owner]]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        for message in self.histories[thread, owner]:
            if message["role"] == "user":
                message["content"] = message["content"].replace(old, new)

    async def with_talk(self, thread: str, owner: str | None, work: Any) -> Any:
        return await work(await self.talk(thread, owner))

    async def close(self) -> None:
        for engine in self.engines.values():
            await engine.close()
        await self.openai.close()
        await self.anthropic.close()
