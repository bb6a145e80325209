"""Pydantic AI's agent with the capability; its history is the list of messages that the program passes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anthropic
import openai
from pydantic_ai import Agent, UsageLimits, capture_run_messages
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, UserPromptPart, repair_messages
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel, OpenAIResponsesModelSettings
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from palimpsest.integrations.pydantic_ai import PalimpsestCapability
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World


class Driver(BaseDriver):
    wires = ("chat", "responses", "anthropic")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.messages: dict[tuple[str, str | None], list[ModelMessage]] = {}

    def model(self) -> Any:
        name, url = self.world.model_name, self.world.model.url
        if self.world.wire == "anthropic":
            thinking = AnthropicModelSettings(
                max_tokens=OUTPUT_TOKENS, anthropic_thinking={"type": "adaptive"}
            )
            self.client = anthropic.AsyncAnthropic(base_url=url, api_key="any", max_retries=0)
            return AnthropicModel(
                name, provider=AnthropicProvider(anthropic_client=self.client), settings=thinking
            )
        self.client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
        provider = OpenAIProvider(openai_client=self.client)
        if self.world.wire == "chat":
            return OpenAIChatModel(name, provider=provider)
        settings = OpenAIResponsesModelSettings(openai_store=False)
        return OpenAIResponsesModel(name, provider=provider, settings=settings)

    async def start(self) -> None:
        kept = PalimpsestCapability(self.world.database, **self.world.settings)
        self.host = kept.host
        self.agent = Agent(
            self.model(), instructions=self.world.system, tools=self.world.tools, capabilities=[kept]
        )

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        given: dict[str, Any] = {
            "message_history": self.messages.get((thread, owner)),
            "conversation_id": thread,
            "metadata": {"user_id": owner},
            "usage_limits": UsageLimits(request_limit=None),
        }
        with capture_run_messages() as messages:
            try:
                if not stream:
                    return (await self.agent.run(text, **given)).output
                async with self.agent.run_stream(text, **given) as result:
                    return await result.get_output()
            finally:
                self.messages[thread, owner] = repair_messages(list(messages))

    async def history(self, thread: str, owner: str | None) -> list[str]:
        found = self.messages[thread, owner]
        return [ModelMessagesTypeAdapter.dump_json([one]).decode() for one in found]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        for at, message in enumerate(self.messages[thread, owner]):
            parts: list[Any] = [
                replace(part, content=part.content.replace(old, new))
                if isinstance(part, UserPromptPart) and isinstance(part.content, str)
                else part
                for part in message.parts
            ]
            if parts != list(message.parts):
                self.messages[thread, owner][at] = replace(message, parts=parts)

    async def close(self) -> None:
        await super().close()
        await self.client.close()
