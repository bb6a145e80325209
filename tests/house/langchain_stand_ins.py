"""As much of LangChain and LangGraph as the example of the page on clients uses, since they need not be installed:
modules of the same names, whose messages are the dicts of OpenAI's chat form.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

Messages = list[dict[str, Any]]


class AgentMiddleware:
    """What a middleware is derived from."""


@dataclass(frozen=True)
class Tool:
    """A structured tool."""

    name: str
    description: str
    args_schema: dict[str, Any]
    coroutine: Callable[..., Awaitable[str]]

    @classmethod
    def from_function(cls, **given: Any) -> Tool:
        return cls(**given)


class Reply(dict[str, Any]):
    """A message of the model."""

    usage_metadata: ClassVar = {"input_tokens": 20, "output_tokens": 3}


@dataclass(frozen=True)
class Request:
    """A call of the model before it is made."""

    messages: Messages
    tools: tuple[Tool, ...]
    system_message: None = None

    def override(self, messages: Messages) -> Request:
        return replace(self, messages=messages)


def as_openai_tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.args_schema}
    return {"type": "function", "function": function}


def as_they_are(messages: Any) -> Any:
    return messages


@contextmanager
def langchain_stand_ins() -> Iterator[dict[str, Any]]:
    """Modules that the example imports; what this gives is the config of the run under way."""
    run: dict[str, Any] = {}
    contents: dict[str, dict[str, Any]] = {
        "langchain": {},
        "langchain.agents": {},
        "langchain.agents.middleware": {"AgentMiddleware": AgentMiddleware},
        "langchain_core": {},
        "langchain_core.messages": {
            "convert_to_messages": as_they_are,
            "convert_to_openai_messages": as_they_are,
        },
        "langchain_core.tools": {"StructuredTool": Tool},
        "langchain_core.utils": {},
        "langchain_core.utils.function_calling": {"convert_to_openai_tool": as_openai_tool},
        "langgraph": {},
        "langgraph.config": {"get_config": lambda: run},
    }
    before = {name: sys.modules.get(name) for name in contents}
    for name, held in contents.items():
        module = ModuleType(name)
        vars(module).update(held)
        sys.modules[name] = module
    try:
        yield run
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


async def shown_to_model(middleware: Any, said: str) -> Messages:
    """Say something in the thread of the run under way; what the model is shown."""
    seen: list[Messages] = []

    async def handler(request: Request) -> Any:
        seen.append(request.messages)
        return SimpleNamespace(result=[Reply(role="assistant", content="Noted.")])

    talk = await middleware.talks.current()
    known = [one.message.text for one in await talk.messages()]
    roles = ("user", "assistant")
    history: Messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(known)]
    await middleware.awrap_model_call(
        Request([*history, {"role": "user", "content": said}], middleware.tools), handler
    )
    return seen[0]
