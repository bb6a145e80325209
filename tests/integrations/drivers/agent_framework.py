"""Microsoft's agent with the provider; its history is in the state of the session."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import openai
from agent_framework import Agent, AgentSession, InMemoryHistoryProvider
from agent_framework.anthropic import AnthropicClient
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient

from palimpsest.integrations.agent_framework import PalimpsestProvider
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World


class Driver(BaseDriver):
    wires = ("chat", "responses", "anthropic")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.sessions: dict[tuple[str, str | None], dict[str, Any]] = {}

    def model(self) -> Any:
        name, url = self.world.model_name, self.world.model.url
        if self.world.wire == "anthropic":
            self.client: Any = anthropic.AsyncAnthropic(base_url=url, api_key="any", max_retries=0)
            return AnthropicClient(model=name, anthropic_client=self.client)
        self.client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
        kind = OpenAIChatCompletionClient if self.world.wire == "chat" else OpenAIChatClient
        return kind(model=name, async_client=self.client)

    async def start(self) -> None:
        kept = PalimpsestProvider(self.world.database, **self.world.settings)
        self.host = kept.host
        thinking = {"thinking": {"type": "adaptive"}, "max_tokens": OUTPUT_TOKENS}
        options: Any = thinking if self.world.wire == "anthropic" else {}
        if self.world.wire == "responses":
            options = {"store": False, "include": ["reasoning.encrypted_content"]}
        self.agent = Agent(
            self.model(), self.world.system, tools=self.world.tools, default_options=options,
            context_providers=[InMemoryHistoryProvider(), kept],
        )  # fmt: skip

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        stored = self.sessions.get((thread, owner))
        session = AgentSession.from_dict(stored) if stored else AgentSession(session_id=thread)
        session.state["user_id"] = owner
        try:
            if not stream:
                return (await self.agent.run(text, session=session)).text
            async with self.agent.run(text, session=session, stream=True) as said:
                return (await said.get_final_response()).text
        finally:
            self.sessions[thread, owner] = session.to_dict()

    async def history(self, thread: str, owner: str | None) -> list[str]:
        return [json.dumps(one) for one in self.sessions[thread, owner]["state"]["in_memory"]["messages"]]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        kept = self.sessions[thread, owner]
        self.sessions[thread, owner] = json.loads(json.dumps(kept).replace(old, new))

    async def close(self) -> None:
        await super().close()
        await self.client.close()
