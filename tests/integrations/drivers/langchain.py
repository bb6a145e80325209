"""LangChain's agent with the middleware; its history is the state of the graph, in a checkpointer."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from palimpsest.integrations.langchain import PalimpsestMiddleware
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World


class Driver(BaseDriver):
    wires = ("chat", "responses", "anthropic")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.saver = InMemorySaver()

    def model(self) -> Any:
        name, url = self.world.model_name, self.world.model.url
        given: dict[str, Any] = {"model": name, "api_key": "any", "max_retries": 0}
        if self.world.wire == "anthropic":
            thinking = {"type": "adaptive"}
            return ChatAnthropic(base_url=url, max_tokens=OUTPUT_TOKENS, thinking=thinking, **given)
        responses = self.world.wire == "responses"
        return ChatOpenAI(base_url=f"{url}/v1", stream_usage=True, use_responses_api=responses, **given)

    async def start(self) -> None:
        middleware = PalimpsestMiddleware(self.world.database, **self.world.settings)
        self.host = middleware.host
        self.agent = create_agent(
            self.model(), self.world.tools, system_prompt=self.world.system, middleware=[middleware],
            checkpointer=self.saver,
        )  # fmt: skip

    def name(self, thread: str, owner: str | None) -> str:
        return f"{thread} of {owner}"

    def config(self, thread: str, owner: str | None) -> Any:
        named = {"thread_id": self.name(thread, owner), "user_id": owner}
        return {"configurable": named, "recursion_limit": 500}

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        config, given = self.config(thread, owner), {"messages": [HumanMessage(text)]}
        if stream:
            async for _ in self.agent.astream(given, config, stream_mode="messages"):
                pass
        else:
            await self.agent.ainvoke(given, config)
        return (await self.messages(thread, owner))[-1].text

    async def messages(self, thread: str, owner: str | None) -> list[Any]:
        return (await self.agent.aget_state(self.config(thread, owner))).values["messages"]

    async def history(self, thread: str, owner: str | None) -> list[str]:
        return [one.model_dump_json() for one in await self.messages(thread, owner)]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        found = next(one for one in await self.messages(thread, owner) if old in str(one.content))
        changed = HumanMessage(str(found.content).replace(old, new), id=found.id)
        await self.agent.aupdate_state(self.config(thread, owner), {"messages": [changed]})
