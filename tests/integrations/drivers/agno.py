"""Agno's agent with the model; its history is the session in Agno's own database."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import openai
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.anthropic import Claude
from agno.models.openai import OpenAIChat, OpenAIResponses

from palimpsest.integrations.agno import PalimpsestModels
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World


class Driver(BaseDriver):
    wires = ("chat", "responses", "anthropic")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.db = InMemoryDb()

    def model(self) -> Any:
        name, url = self.world.model_name, self.world.model.url
        if self.world.wire == "anthropic":
            self.client: Any = anthropic.AsyncAnthropic(base_url=url, api_key="any", max_retries=0)
            return Claude(
                id=name, async_client=self.client, max_tokens=OUTPUT_TOKENS, thinking={"type": "adaptive"}
            )
        self.client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
        if self.world.wire == "chat":
            return OpenAIChat(id=name, async_client=self.client)
        return OpenAIResponses(id=name, async_client=self.client, store=False)

    async def start(self) -> None:
        kept = PalimpsestModels(self.world.database, **self.world.settings)
        self.host = kept.host
        self.agent = Agent(
            model=kept.model(self.model()), tools=[*self.world.tools, *kept.tools], db=self.db,
            system_message=self.world.system, add_history_to_context=True, num_history_runs=1_000_000,
            telemetry=False,
        )  # fmt: skip

    def name(self, thread: str, owner: str | None) -> str:
        return f"{thread} of {owner}"

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        named: dict[str, Any] = {"session_id": self.name(thread, owner), "user_id": owner}
        if not stream:
            return (await self.agent.arun(text, **named)).get_content_as_string()
        said = ""
        async for event in self.agent.arun(text, stream=True, yield_run_output=True, **named):
            said = event.get_content_as_string() if hasattr(event, "get_content_as_string") else said
        return said

    async def history(self, thread: str, owner: str | None) -> list[str]:
        found = self.agent.get_session(session_id=self.name(thread, owner), user_id=owner)
        return [json.dumps(one.to_dict(), default=str) for one in found.get_messages(skip_roles=["system"])]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        found = self.agent.get_session(session_id=self.name(thread, owner), user_id=owner)
        for one in found.get_messages():
            one.content = one.content.replace(old, new) if isinstance(one.content, str) else one.content
        self.db.upsert_session(found)

    async def close(self) -> None:
        await super().close()
        await self.client.close()
