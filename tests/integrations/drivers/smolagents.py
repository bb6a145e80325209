"""smolagents' tool-calling agent with a model for each conversation; its history is the agent's memory."""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar

from smolagents import LogLevel, OpenAIModel, TaskStep, ToolCallingAgent, tool

from palimpsest.integrations.smolagents import PalimpsestModels
from tests.integrations.driver import BaseDriver, World
from tests.integrations.model import DONE, calling

Key = tuple[str, str | None]
MOST_STEPS = 100


class Driver(BaseDriver):
    cannot: ClassVar = {
        "results_apart": "smolagents writes what the calls of a step return as one text",
        "streamed_costs": "a stream of smolagents does not say what was read from a cache",
        "interrupted_stream": "smolagents stops between steps, not within a stream",
        "thinking": "smolagents keeps no thinking",
    }

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.steps: dict[Key, list[Any]] = {}

    async def start(self) -> None:
        self.kept = PalimpsestModels(self.world.database, **self.world.settings)
        self.host = self.kept.host
        self.agents: dict[Key, ToolCallingAgent] = {}

    def agent(self, thread: str, owner: str | None) -> ToolCallingAgent:
        found = self.agents.get((thread, owner))
        if found is None:
            url = f"{self.world.model.url}/v1"
            inner = OpenAIModel(self.world.model_name, url, api_key="any", client_kwargs={"max_retries": 0})
            model = self.kept.model(inner, thread, owner=owner)
            tools = [*map(tool, self.world.plain_tools), *model.recall_tools]
            found = ToolCallingAgent(tools, model, max_steps=MOST_STEPS, verbosity_level=LogLevel.OFF)
            found.prompt_templates["system_prompt"] = self.world.system
            found.memory.steps = self.steps.setdefault((thread, owner), [])
            self.agents[thread, owner] = found
        return found

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        name, agent = f"{owner}/{thread}", self.agent(thread, owner)
        turn = self.world.asked[name]
        ends = calling("final_answer", f"call_final_{turn}", answer=DONE.format(turn=turn))
        self.world.model.turns[name, turn] = [*self.world.model.turns[name, turn], ends]
        agent.stream_outputs = stream
        running = asyncio.create_task(asyncio.to_thread(agent.run, text, reset=False))
        try:
            return str(await asyncio.shield(running))
        except asyncio.CancelledError:
            agent.interrupt()
            await asyncio.wait([running])
            raise

    async def history(self, thread: str, owner: str | None) -> list[str]:
        return [json.dumps(one.content) for one in self.agent(thread, owner).write_memory_to_messages()[1:]]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        for step in self.agent(thread, owner).memory.steps:
            if isinstance(step, TaskStep):
                step.task = step.task.replace(old, new)
