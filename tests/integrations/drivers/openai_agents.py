"""The OpenAI Agents SDK with the adapter's session; its history is what the session returns."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
)
from openai import AsyncOpenAI

from palimpsest.integrations.openai_agents import PalimpsestMemory
from tests.integrations.driver import BaseDriver


class Driver(BaseDriver):
    wires = ("chat", "responses")
    cannot: ClassVar = {
        "overflow": "no hook sees the provider's error before the run ends",
        "thinking": "the SDK has no provider class of Anthropic's",
    }

    async def start(self) -> None:
        self.client = AsyncOpenAI(base_url=f"{self.world.model.url}/v1", api_key="any", max_retries=0)
        kind = OpenAIResponsesModel if self.world.wire == "responses" else OpenAIChatCompletionsModel
        self.memory = PalimpsestMemory(self.world.database, **self.world.settings)
        self.host = self.memory.host
        self.agent = Agent(
            name="reader",
            instructions=self.world.system,
            tools=[*map(function_tool, self.world.tools), *self.memory.tools],
            model=kind(self.world.model_name, self.client),
            model_settings=ModelSettings(include_usage=True),
        )

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        config = RunConfig(tracing_disabled=True)
        given: dict[str, Any] = self.memory.run(thread, owner=owner, run_config=config) | {"max_turns": 100}
        if not stream:
            return str((await Runner.run(self.agent, text, **given)).final_output)
        result = Runner.run_streamed(self.agent, text, **given)
        async for _ in result.stream_events():
            pass
        return str(result.final_output)

    async def history(self, thread: str, owner: str | None) -> list[str]:
        items = await self.memory.session(thread, owner=owner).get_items()
        return [json.dumps({**one, "id": 0, "status": 0}, sort_keys=True) for one in items]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        session, taken = self.memory.session(thread, owner=owner), list[Any]()
        while not taken or old not in str(taken[0].get("content")):
            taken.insert(0, await session.pop_item())
        await session.add_items(
            [{**taken[0], "content": str(taken[0]["content"]).replace(old, new)}, *taken[1:]]
        )

    async def close(self) -> None:
        await super().close()
        await self.client.close()
