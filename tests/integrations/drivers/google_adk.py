"""ADK's agent with the plugin; its history is the events of a session that a service keeps in memory."""

from __future__ import annotations

import os
from typing import Any, ClassVar

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # LiteLLM asks for prices in the network otherwise

import anthropic
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models.anthropic_llm import AnthropicLlm
from google.adk.models.google_llm import Gemini
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import Client, types

from palimpsest.integrations.google_adk import PalimpsestPlugin
from tests.integrations.driver import OUTPUT_TOKENS, BaseDriver, World

APP, AGENT = "harbour", "reader"


class Driver(BaseDriver):
    wires = ("gemini", "chat", "anthropic")
    cannot: ClassVar = {"no_owner": "each session of ADK has a user"}

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.sessions = InMemorySessionService()

    def model(self) -> Any:
        name, url = self.world.model_name, self.world.model.url
        if self.world.wire == "chat":
            return LiteLlm(f"openai/{name}", api_base=f"{url}/v1", api_key="any", max_retries=0)
        if self.world.wire == "gemini":
            client: Any = Client(api_key="any", http_options=types.HttpOptions(base_url=url))
            model = type("LocalGemini", (Gemini,), {"api_client": property(lambda _: client)})(model=name)
        else:
            client = anthropic.AsyncAnthropic(base_url=url, api_key="any", max_retries=0)
            model = type("LocalClaude", (AnthropicLlm,), {"_anthropic_client": property(lambda _: client)})(
                model=name
            )
        return model

    async def start(self) -> None:
        plugin = PalimpsestPlugin(self.world.database, **self.world.settings)
        self.host = plugin.host
        thinking = types.ThinkingConfig(thinking_budget=-1) if self.world.wire == "anthropic" else None
        settings = types.GenerateContentConfig(max_output_tokens=OUTPUT_TOKENS, thinking_config=thinking)
        tools: list[Any] = list(self.world.tools)
        agent = LlmAgent(
            name=AGENT, model=self.model(), instruction=self.world.system, tools=tools,
            generate_content_config=settings,
        )  # fmt: skip
        app = App(name=APP, root_agent=agent, plugins=[plugin])
        self.runner = Runner(app=app, session_service=self.sessions, auto_create_session=True)

    def name(self, thread: str, owner: str | None) -> str:
        return f"{APP}/{thread}/{AGENT}"

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        mode = StreamingMode.SSE if stream else StreamingMode.NONE
        asked = types.Content(role="user", parts=[types.Part(text=text)])
        said = ""
        async for event in self.runner.run_async(
            user_id=owner or "",
            session_id=thread,
            new_message=asked,
            run_config=RunConfig(streaming_mode=mode),
        ):
            if event.is_final_response() and event.content:
                said = "".join(part.text or "" for part in event.content.parts or ())
        return said

    def events(self, thread: str, owner: str | None) -> Any:
        return self.sessions.sessions[APP][owner or ""][thread].events

    async def history(self, thread: str, owner: str | None) -> list[str]:
        return [one.model_dump_json() for one in self.events(thread, owner)]

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        for event in self.events(thread, owner):
            for part in event.content.parts if event.author == "user" else ():
                part.text = part.text.replace(old, new)

    async def close(self) -> None:
        await self.runner.close()
