"""Strands' agent with the plugin; its history is the agent's messages."""

from __future__ import annotations

import copy
import json
from typing import Any, ClassVar

from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.models.anthropic import AnthropicModel
from strands.models.openai import OpenAIModel

from palimpsest.integrations.strands import PalimpsestPlugin
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World

STREAMS = "Strands asks for a stream always"


class Driver(BaseDriver):
    wires = ("chat", "anthropic")
    cannot: ClassVar = {"session": STREAMS}

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.messages: dict[tuple[str, str | None], list[Any]] = {}

    def model(self) -> Any:
        name, url = self.world.model_name, self.world.model.url
        if self.world.wire == "anthropic":
            arguments: dict[str, Any] = {"base_url": url, "api_key": "any", "max_retries": 0}
            thinking = {"thinking": {"type": "adaptive"}}
            return AnthropicModel(
                client_args=arguments, model_id=name, max_tokens=OUTPUT_TOKENS, params=thinking
            )
        arguments = {"base_url": f"{url}/v1", "api_key": "any", "max_retries": 0}
        return OpenAIModel(client_args=arguments, model_id=name)

    async def start(self) -> None:
        self.plugin = PalimpsestPlugin(self.world.database, **self.world.settings)
        self.host = self.plugin.host
        self.agents: dict[tuple[str, str | None], Agent] = {}

    def agent(self, thread: str, owner: str | None) -> Agent:
        found = self.agents.get((thread, owner))
        if found is None:
            messages = self.messages.setdefault((thread, owner), [])
            found = self.agents[thread, owner] = Agent(
                self.model(), messages, [tool(one) for one in self.world.tools], system_prompt=self.world.system,
                plugins=[self.plugin], conversation_manager=NullConversationManager(), callback_handler=None,
                retry_strategy=None,
            )  # fmt: skip
        return found

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        agent = self.agent(thread, owner)
        state = {"thread_id": thread, "user_id": owner}
        try:
            if not stream:
                return str(await agent.invoke_async(text, invocation_state=state))
            said = ""
            async for event in agent.stream_async(text, invocation_state=state):
                said = str(event.get("result", said))
            return said
        finally:
            self.messages[thread, owner] = agent.messages

    async def history(self, thread: str, owner: str | None) -> list[str]:
        return [json.dumps(one) for one in self.messages[thread, owner]]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        found = copy.deepcopy(self.messages[thread, owner])
        for message in found:
            for block in message["content"] if message["role"] == "user" else ():
                block.update({"text": block["text"].replace(old, new)} if "text" in block else {})
        self.agents.pop((thread, owner))
        self.messages[thread, owner] = found
