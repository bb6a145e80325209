"""LangChain, LangGraph and deepagents: a middleware that shows the model the window of the thread.

    agent = create_agent(model, tools=[...], middleware=[PalimpsestMiddleware("agent.db", window_tokens=128_000)])
    agent.invoke({"messages": [question]}, {"configurable": {"thread_id": "harbour-42", "user_id": "ann"}})

The state of the graph, and what a checkpointer keeps of it, is not changed. Agents within the graph have conversations
of their own.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from palimpsest.formats.wire_fields import arguments_of, dumps
from palimpsest.integrations.shared.content import (
    arguments_text,
    chat_content,
    dumped,
    names_of_calls,
    parts_of,
    result_content,
)  # fmt: skip
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Call, Piece, Thread
from palimpsest.record.message import Message, Part, Reasoning, Role, ToolCall, ToolDef, ToolResult

require("langchain", "1.2", "2", extra="langchain")

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config

WHERE = 'config={"configurable": {"thread_id": ...}}'
MAX_TOOLS = 10_000
"""Tools whose definitions are held in memory: programs may make tools anew for each run."""
_ROLES: dict[str, Role] = {"human": "user", "system": "system", "developer": "system", "chat": "user"}


class PalimpsestMiddleware(AgentMiddleware[Any, Any, Any]):
    """Show the model the window of its thread, and offer it the tools that read back what left the window.

    `engine` is the path of a database, or an open engine; see `Host` for the other arguments. A run's conversation is
    the `thread_id` of its config, and its owner the config's `user_id`. Take both from your login.
    """

    def __init__(
        self, engine: AnyEngine, *, recall: bool = True, owner: str | None = None, thread: str | None = None,
        all_conversations: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.host = Host(
            engine,
            LangChainCodec(),
            owner=owner,
            thread=thread,
            all_conversations=all_conversations,
            **settings,
        )
        self.tools = [self._tool(one) for one in self.host.recall_tools] if recall else []
        self._definitions: dict[int, tuple[object, ToolDef]] = {}

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model with the window; of a request that is too long, once more with a smaller one."""
        thread, wait = self._thread(), self.host.wait
        call = wait(thread.start, request.messages, **self._asked(request))
        try:
            response = handler(_changed(request, call))
        except Exception as error:
            call = wait(thread.recover, call, error)
            response = handler(_changed(request, call))
        wait(thread.finish, call, *_answer(response))
        return response

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """See `wrap_model_call`."""
        thread, run = self._thread(), self.host.run
        call = await run(thread.start, request.messages, **self._asked(request))
        try:
            response = await handler(_changed(request, call))
        except Exception as error:
            call = await run(thread.recover, call, error)
            response = await handler(_changed(request, call))
        await run(thread.finish, call, *_answer(response))
        return response

    def _thread(self, config: RunnableConfig | None = None) -> Thread[AnyMessage]:
        """The thread of the run that calls."""
        given: dict[str, Any] = (config or get_config()).get("configurable") or {}
        inner = _inner_agent(str(given.get("checkpoint_ns") or ""))
        return self.host.thread(
            given.get("thread_id"), given.get("user_id"), where=WHERE, inner=[inner] if inner else ()
        )

    def _asked(self, request: ModelRequest[Any]) -> dict[str, Any]:
        system = request.system_message
        return {
            "system": system.text if system is not None else None,
            "tools": [self._definition(one) for one in request.tools],
            "model": str(
                getattr(request.model, "model_name", "") or getattr(request.model, "model", "") or ""
            ),
        }

    def _definition(self, tool: BaseTool | dict[str, Any]) -> ToolDef:
        """The definition of a tool, which is made once for each tool object."""
        known = self._definitions.get(id(tool))
        if known is None or known[0] is not tool:
            while len(self._definitions) >= MAX_TOOLS:
                del self._definitions[next(iter(self._definitions))]
            known = self._definitions[id(tool)] = (tool, _definition(tool))
        return known[1]

    def _tool(self, definition: ToolDef) -> BaseTool:
        def read(config: RunnableConfig, **arguments: Any) -> str:
            return self.host.wait(self._thread(config).recall, definition.name, arguments)

        async def aread(config: RunnableConfig, **arguments: Any) -> str:
            return await self.host.run(self._thread(config).recall, definition.name, arguments)

        return StructuredTool.from_function(
            func=read, coroutine=aread, name=definition.name, description=definition.description,
            args_schema=json.loads(definition.schema), infer_schema=False,
        )  # fmt: skip


def _definition(tool: BaseTool | dict[str, Any]) -> ToolDef:
    """The definition of a tool. One that a provider runs itself has fields of its own."""
    try:
        function = convert_to_openai_tool(tool)["function"]
    except (KeyError, ValueError):
        fields = tool if isinstance(tool, dict) else {"name": tool.name}
        return ToolDef(str(fields.get("name") or fields.get("type") or "tool"), "", dumped(fields))
    return ToolDef(
        function["name"], function.get("description") or "", dumps(function.get("parameters") or {})
    )


def _inner_agent(namespace: str) -> str:
    """The place of an agent within its graph, without the task of the call itself: "" for the graph's own agent.

    A node keeps its name from run to run. An agent that a tool starts has the task's id as well, because several may
    run at once.
    """
    outer = [part for part in namespace.split("|")[:-1] if part]
    return "/".join(one if one.startswith("tools:") else one.partition(":")[0] for one in outer)


def _changed(request: ModelRequest[Any], call: Call[AnyMessage]) -> ModelRequest[Any]:
    """The request with the messages of a call, and with its system text if it has one."""
    if call.system is None:
        return request.override(messages=call.messages)
    system = SystemMessage(call.system) if call.system else None
    return request.override(messages=call.messages, system_message=system)


def _answer(response: ModelResponse[Any]) -> tuple[list[Any], object]:
    """The messages of a reply, and its usage."""
    usage = (getattr(one, "usage_metadata", None) for one in response.result)
    return list(response.result), next(filter(None, usage), None)


class LangChainCodec:
    """LangChain's messages."""

    def fields(self, native: AnyMessage) -> tuple[object, ...]:
        content = native.content
        inner = content if isinstance(content, list) else ()
        values = (value for one in inner for value in (one.values() if isinstance(one, dict) else (one,)))
        calls = native.tool_calls if isinstance(native, AIMessage) else ()
        return (content, *values, *(call["args"] for call in calls))

    def read(self, native: AnyMessage) -> Sequence[Piece]:
        parts = parts_of(native.content)
        if isinstance(native, ToolMessage):
            result = ToolResult(native.tool_call_id, result_content(parts), is_error=native.status == "error")
            return [Piece(Message("tool", (result,)), native)]
        if not isinstance(native, AIMessage):
            return [Piece(Message(_ROLES.get(native.type, "user"), tuple(parts)), native)]
        called = [*native.tool_calls, *native.invalid_tool_calls]
        calls = [
            ToolCall(one.get("id") or "", one.get("name") or "", arguments_text(one.get("args")))
            for one in called
        ]
        signed = any(isinstance(one, Reasoning) and (one.signature or one.redacted) for one in parts)
        told = native.response_metadata
        model = str(told.get("model_name") or told.get("model") or "")
        wire = "anthropic" if signed and told.get("model_provider", "anthropic") == "anthropic" else ""
        return [Piece(Message("assistant", (*parts, *calls), model=model, wire=wire), native)]

    def write(self, pieces: Sequence[Piece]) -> list[AnyMessage]:
        names = names_of_calls(one.message for one in pieces)
        written: list[Any] = []
        for one in pieces:
            written += [one.native] if one.native is not None else _made(one.message, names)
        return written


def _made(message: Message, names: dict[str, str]) -> Sequence[AnyMessage]:
    """A message that the engine made. One of the system becomes the user's: the prompt has its place at the start."""
    if message.role == "tool":
        return [
            ToolMessage(
                _content(one.content), tool_call_id=one.call_id, name=names.get(one.call_id),
                status="error" if one.is_error else "success",
            )
            for one in message.results
        ]  # fmt: skip
    if message.role != "assistant":
        return [HumanMessage(_content(message.parts))]
    thinking = [
        _thinking(one) for one in message.parts if isinstance(one, Reasoning) and message.wire == "anthropic"
    ]
    text = _content(message.parts)
    blocks: list[Any] = [
        *thinking,
        *(text if isinstance(text, list) else [{"type": "text", "text": text}] if text else []),
    ]
    calls = [{"id": one.id, "name": one.name, "args": arguments_of(one.arguments)} for one in message.calls]
    return [AIMessage(blocks if thinking else text, tool_calls=calls)] if blocks or calls else []


def _content(parts: Sequence[Part]) -> Any:
    """Texts and media as LangChain's content."""
    return chat_content(parts)


def _thinking(part: Reasoning) -> dict[str, object]:
    if part.redacted:
        return {"type": "redacted_thinking", "data": part.text}
    return {"type": "thinking", "thinking": part.text, "signature": part.signature}
