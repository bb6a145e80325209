"""LlamaIndex's function agent with an LLM for each conversation; its history is the agent's memory."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import Memory
from llama_index.core.tools import FunctionTool
from llama_index.llms.anthropic import Anthropic
from llama_index.llms.openai import OpenAI, OpenAIResponses

from palimpsest.integrations.llama_index import PalimpsestLLMs
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World

NO_LIMIT_TOKENS = 10_000_000
MOST_STEPS = 100


class Driver(BaseDriver):
    wires = ("chat", "anthropic", "responses")
    cannot: ClassVar = {}

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.memories: dict[tuple[str, str | None], Memory] = {}

    def model(self) -> Any:
        name, url = self.world.model_name, self.world.model.url
        if self.world.wire == "anthropic":
            return Anthropic(
                name, base_url=url, api_key="any", max_retries=0, max_tokens=OUTPUT_TOKENS,
                thinking_dict={"type": "adaptive"},
            )  # fmt: skip
        options: Any = {"api_base": f"{url}/v1", "api_key": "any", "max_retries": 0}
        if self.world.wire == "responses":
            return OpenAIResponses(name, **options)
        usage = {"stream_options": {"include_usage": True}}
        return OpenAI(name, additional_kwargs=usage, **options)

    async def start(self) -> None:
        self.kept = PalimpsestLLMs(self.world.database, **self.world.settings)
        self.host = self.kept.host

    def memory(self, thread: str, owner: str | None) -> Memory:
        if (thread, owner) not in self.memories:
            memory = Memory.from_defaults(session_id=f"{owner}/{thread}", token_limit=NO_LIMIT_TOKENS)
            self.memories[thread, owner] = memory
        return self.memories[thread, owner]

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        llm = self.kept.llm(self.model(), thread, owner=owner)
        tools = [FunctionTool.from_defaults(async_fn=one) for one in self.world.tools]
        agent = FunctionAgent(
            llm=llm, tools=[*tools, *llm.recall_tools], system_prompt=self.world.system, streaming=stream
        )
        running = agent.run(text, memory=self.memory(thread, owner), max_iterations=MOST_STEPS)
        try:
            return str(await running)
        except asyncio.CancelledError:
            await running.cancel_run()
            raise

    async def history(self, thread: str, owner: str | None) -> list[str]:
        return [one.model_dump_json() for one in await self.memory(thread, owner).aget_all()]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        memory = self.memory(thread, owner)
        found = await memory.aget_all()
        for block in (block for one in found if one.role == "user" for block in one.blocks):
            block.text = block.text.replace(old, new)
        await memory.aset(found)
