"""The OpenAI Agents SDK; its history is a session of its own in a file."""

from __future__ import annotations

import json
from typing import Any

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
)
from openai import AsyncOpenAI

from tests.integrations.driver import BaseDriver


class Driver(BaseDriver):
    wires = ("responses", "chat")

    async def start(self) -> None:
        self.client = AsyncOpenAI(base_url=f"{self.world.model.url}/v1", api_key="any", max_retries=0)
        kind = OpenAIResponsesModel if self.world.wire == "responses" else OpenAIChatCompletionsModel
        self.agent = Agent(
            name="reader",
            instructions=self.world.system,
            tools=[function_tool(one) for one in self.world.tools],
            model=kind(self.world.model_name, self.client),
        )

    def session(self, thread: str, owner: str | None) -> Any:
        return SQLiteSession(f"{owner}/{thread}", self.world.folder / "sessions.db")

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        given: dict[str, Any] = {
            "session": self.session(thread, owner), "max_turns": 100, "run_config": RunConfig(tracing_disabled=True),
        }  # fmt: skip
        if not stream:
            return str((await Runner.run(self.agent, text, **given)).final_output)
        result = Runner.run_streamed(self.agent, text, **given)
        async for _ in result.stream_events():
            pass
        return str(result.final_output)

    async def history(self, thread: str, owner: str | None) -> list[str]:
        return [json.dumps(one) for one in await self.session(thread, owner).get_items()]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        session = self.session(thread, owner)
        items = [json.loads(json.dumps(one)) for one in await session.get_items()]
        found = next(one for one in items if one.get("role") == "user" and old in one["content"])
        found["content"] = found["content"].replace(old, new)
        await session.clear_session()
        await session.add_items(items)

    async def close(self) -> None:
        await self.client.close()
