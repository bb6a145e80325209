"""AG2's agent with the plugin; its history is the stream's storage."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import NAMESPACE_URL, uuid5

import httpx2
from ag2 import Agent, MemoryStream
from ag2.config import AnthropicConfig, OpenAIConfig, OpenAIResponsesConfig
from ag2.events import ModelRequest, ModelResponse, TextInput, ToolResultsEvent
from ag2.history import MemoryStorage

from palimpsest.integrations.ag2 import PalimpsestPlugin
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World

SENT = (ModelRequest, ModelResponse, ToolResultsEvent)


class Driver(BaseDriver):
    wires = ("chat", "responses", "anthropic")
    cannot: ClassVar = {"thinking": "AG2 keeps no signed thinking of Claude"}

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.storage = MemoryStorage()

    def config(self, *, stream: bool) -> Any:
        url = self.world.model.url
        given: dict[str, Any] = {
            "api_key": "any",
            "max_retries": 0,
            "streaming": stream,
            "http_client": self.client,
        }
        if self.world.wire == "anthropic":
            return AnthropicConfig(self.world.model_name, base_url=url, max_tokens=OUTPUT_TOKENS, **given)
        if self.world.wire == "chat":
            return OpenAIConfig(self.world.model_name, base_url=f"{url}/v1", **given)
        return OpenAIResponsesConfig(self.world.model_name, base_url=f"{url}/v1", store=False, **given)

    async def start(self) -> None:
        self.client = httpx2.AsyncClient()
        kept = PalimpsestPlugin(self.world.database, **self.world.settings)
        self.host = kept.host
        self.agent = Agent("keeper", self.world.system, tools=self.world.tools, plugins=[kept])

    def stream(self, thread: str, owner: str | None) -> MemoryStream:
        return MemoryStream(self.storage, id=uuid5(NAMESPACE_URL, f"{thread} of {owner}"))

    def name(self, thread: str, owner: str | None) -> str:
        return str(self.stream(thread, owner).id)

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        reply = await self.agent.ask(
            text,
            stream=self.stream(thread, owner),
            variables={"user_id": owner},
            config=self.config(stream=stream),
        )
        return reply.body or ""

    async def history(self, thread: str, owner: str | None) -> list[str]:
        events = await self.stream(thread, owner).history.get_events()
        return [str(one.to_dict()) for one in events if isinstance(one, SENT)]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        for event in await self.stream(thread, owner).history.get_events():
            for part in event.parts if isinstance(event, ModelRequest) else ():
                if isinstance(part, TextInput):
                    part.content = part.content.replace(old, new)

    async def close(self) -> None:
        await super().close()
        await self.client.aclose()
