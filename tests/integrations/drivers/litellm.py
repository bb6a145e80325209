"""LiteLLM's SDK in a loop of the program's own, which keeps the history as a list of dicts."""

from __future__ import annotations

import json
import os
from typing import Any, ClassVar

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it fetches prices otherwise

import litellm

from palimpsest.integrations.litellm import PalimpsestLogger
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World

SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
READ_PART = {"name": "read_part", "description": "Read a part of the harbour log.", "parameters": SCHEMA}


class Driver(BaseDriver):
    wires = ("chat", "anthropic")
    cannot: ClassVar = {"overflow": "acompletion has no hook between a refusal and its error"}

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.histories: dict[tuple[str, str | None], list[dict[str, Any]]] = {}

    async def start(self) -> None:
        anthropic, url = self.world.wire == "anthropic", self.world.model.url
        self.memory = PalimpsestLogger(self.world.database, **self.world.settings)
        litellm.callbacks, self.host = [self.memory], self.memory.host
        self.given: dict[str, Any] = {
            "model": f"{'anthropic' if anthropic else 'openai'}/{self.world.model_name}",
            "api_base": url if anthropic else f"{url}/v1",
            "api_key": "any",
            "max_retries": 0,
            "tools": [{"type": "function", "function": READ_PART}, *self.memory.tools],
            **({"max_tokens": OUTPUT_TOKENS} if anthropic else {}),
        }

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        history = self.histories.setdefault(
            (thread, owner), [{"role": "system", "content": self.world.system}]
        )
        history.append({"role": "user", "content": text})
        while True:
            reply = (await self.ask(thread, owner, history, stream=stream)).choices[0].message
            history.append(reply.model_dump(exclude_none=True))
            for call in reply.tool_calls or ():
                name, arguments = call.function.name, json.loads(call.function.arguments)
                try:
                    found = await self.call(thread, owner, name, arguments)
                except Exception as error:  # noqa: BLE001  (the model reads what went wrong)
                    found = f"failed: {error}"
                history.append({"role": "tool", "tool_call_id": call.id, "content": found})
            if not reply.tool_calls:
                return str(reply.content)

    async def ask(self, thread: str, owner: str | None, history: list[Any], *, stream: bool) -> Any:
        of = {"metadata": {"session_id": thread}, "user": owner, **self.given}
        if not stream:
            return await litellm.acompletion(messages=history, **of)
        options = {"stream": True, "stream_options": {"include_usage": True}}
        events = await litellm.acompletion(messages=history, **options, **of)
        return litellm.stream_chunk_builder([one async for one in events], messages=history)

    async def call(self, thread: str, owner: str | None, name: str, arguments: dict[str, Any]) -> str:
        if name == "read_part":
            return await self.world.tools[0](**arguments)
        return await self.recall(thread, owner, name, arguments)

    async def history(self, thread: str, owner: str | None) -> list[str]:
        return [json.dumps(one) for one in self.histories[thread, owner]]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        for message in self.histories[thread, owner]:
            if message["role"] == "user":
                message["content"] = message["content"].replace(old, new)

    async def close(self) -> None:
        litellm.logging_callback_manager.remove_callback_from_all_lists(self.memory)
        await super().close()
