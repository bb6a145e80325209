"""Google's Agent Development Kit: a plugin that shows each agent's model the window of its part of the session.

    app = App(name="harbour", root_agent=agent, plugins=[PalimpsestPlugin("agent.db", window_tokens=128_000)])
    runner = Runner(app=app, session_service=InMemorySessionService())

The events of the session are not changed: only what is sent to a model is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any
from weakref import WeakKeyDictionary

from palimpsest.errors import FormatError
from palimpsest.formats.gemini.parse import parse_message
from palimpsest.formats.gemini.render import render_messages
from palimpsest.formats.wire_fields import dumps
from palimpsest.integrations.shared.content import runs_of, shared_pieces
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Call, Piece, Thread
from palimpsest.record.message import Message, Text, ToolDef

require("google-adk", "2.13", "3", extra="google-adk")

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

WHERE = "a session with an id"
_OWN_ID = "adk-"
_BROKEN = (FormatError, TypeError, ValueError, RecursionError)


class PalimpsestPlugin(BasePlugin):
    """Show each model the window of its conversation, and offer it the tools that read back what left the window.

    `engine` is the path of a database, or an open engine; see `Host` for the other arguments. An agent of a session
    has the conversation `APP/SESSION/AGENT`, and one in a branch of the session a conversation of its own. The owner is
    the session's user. Put this plugin last.
    """

    def __init__(
        self, engine: AnyEngine, *, recall: bool = True, all_conversations: bool = False, name: str = "palimpsest",
        **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(name)
        self.host = Host(engine, ADKCodec(), all_conversations=all_conversations, **settings)
        self._recall = [_RecallTool(self, one) for one in self.host.recall_tools] if recall else []
        self._calls: WeakKeyDictionary[Thread[types.Content], Call[types.Content]] = WeakKeyDictionary()

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Replace the contents of a request with the window, and add the recall tools."""
        if llm_request.previous_interaction_id:  # the provider has the history
            return None
        if _takes_functions(llm_request.config):
            llm_request.append_tools([one for one in self._recall if one.name not in llm_request.tools_dict])
        thread = self.thread(callback_context)
        model = (llm_request.model or "").rpartition("/")[2]
        thread.codec = ADKCodec(model)
        call = await self.host.run(
            thread.start, llm_request.contents,
            system=_system(llm_request.config.system_instruction), tools=_definitions(llm_request.config), model=model,
        )  # fmt: skip
        self._apply(thread, llm_request, call)
        return None

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Store a complete reply and its usage."""
        thread = self.thread(callback_context)
        call = self._calls.get(thread)
        if call is not None and not llm_response.partial:
            content = llm_response.content
            reply = [content] if content and content.parts and _has_ids(llm_response) else []
            await self.host.run(thread.finish, call, reply, llm_response.usage_metadata)
        return None

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        """The reply to a smaller request, if one was too long. Any other error is raised as it is."""
        thread = self.thread(callback_context)
        call = self._calls.pop(thread, None)
        agent: Any = callback_context.get_invocation_context().agent
        while call is not None:
            try:
                call = await self.host.run(thread.recover, call, error)
            except Exception:  # ADK raises the error itself
                return None
            self._apply(thread, llm_request, call)
            try:
                found = agent.canonical_model.generate_content_async(llm_request, stream=False)  # pyright: ignore[reportAttributeAccessIssue]
                return [one async for one in found][-1]
            except Exception as again:
                error = again
        return None

    async def close(self) -> None:
        """Close the engine, when the runner is closed."""
        await self.host.aclose()

    def thread(self, context: CallbackContext | ToolContext) -> Thread[types.Content]:
        """The conversation of the agent that runs."""
        session = context.session
        inner = (context.agent_name, context.branch, context.isolation_scope)
        name = "/".join(str(one) for one in (session.app_name, session.id, *inner) if one)
        return self.host.thread(name, session.user_id, where=WHERE)

    def _apply(self, thread: Thread[types.Content], request: LlmRequest, call: Call[types.Content]) -> None:
        self._calls[thread] = call
        request.contents = call.messages
        if call.system is not None:
            request.config.system_instruction = call.system or None


class _RecallTool(BaseTool):
    def __init__(self, plugin: PalimpsestPlugin, definition: ToolDef) -> None:
        super().__init__(name=definition.name, description=definition.description)
        self._plugin, self._schema = plugin, json.loads(definition.schema)

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> str:
        plugin = self._plugin
        return await plugin.host.run(plugin.thread(tool_context).recall, self.name, args)


def _has_ids(response: LlmResponse) -> bool:
    """Whether the calls of a reply have ids of the provider. ADK gives others ids of its own, and may take them back:
    such a reply is stored with the next request.
    """
    return all(one.id and not one.id.startswith(_OWN_ID) for one in response.get_function_calls())


def _takes_functions(config: types.GenerateContentConfig) -> bool:
    """Whether a request may have functions: many models refuse them beside a provider's tools or an output schema."""
    tools = config.tools or ()
    apart = config.response_schema is not None or config.response_json_schema is not None
    return not apart and all(isinstance(one, types.Tool) and one.function_declarations for one in tools)


def _system(given: Any) -> str | None:
    """The text of a system instruction, which is a text, a content, or several of them."""
    if isinstance(given, list | tuple):
        return "\n\n".join(filter(None, map(_system, given))) or None
    if given is None or isinstance(given, str):
        return given
    return _system(given.parts) if getattr(given, "parts", None) else getattr(given, "text", None)


def _definitions(config: types.GenerateContentConfig) -> list[ToolDef]:
    found = [one for tool in config.tools or () for one in getattr(tool, "function_declarations", None) or ()]
    return [ToolDef(one.name or "", one.description or "", _schema(one)) for one in found]


def _schema(function: types.FunctionDeclaration) -> str:
    if function.parameters is not None:
        return function.parameters.model_dump_json(exclude_none=True)
    return dumps(function.parameters_json_schema or {})


class ADKCodec:
    """Contents, which ADK copies for each request. Calls to Gemini have no ids; they are paired by name and order.

    `model` is the one that answers.
    """

    copies = True

    def __init__(self, model: str = "") -> None:
        self.model = model

    def fields(self, native: types.Content) -> tuple[object, ...]:
        return (native.role, *(value for part in native.parts or () for value in _values(part)))

    def read(self, native: types.Content) -> Sequence[Piece]:
        try:
            found = parse_message(native.model_dump(exclude_none=True))
        except _BROKEN:
            role = "assistant" if native.role == "model" else "user"
            found = (Message(role, (Text(str(native.parts)),)),)
        return shared_pieces(native, found, self.model)

    def write(self, pieces: Sequence[Piece]) -> list[types.Content]:
        written: list[types.Content] = []
        called: list[Message] = []
        for native, messages in runs_of(pieces):
            written.extend([native] if native is not None else _made([*called, *messages], len(called)))
            called = [replace(one, extra="") for one in messages if one.calls][-1:] or called
        said = [one for one in written if not all(part.thought for part in one.parts or ())]
        return [_joined(list(run)) for _, run in groupby(said, lambda one: one.role)]


def _joined(contents: list[types.Content]) -> types.Content:
    """One content for neighbours of one role: Gemini's roles alternate."""
    if len(contents) == 1:
        return contents[0]
    return types.Content(role=contents[0].role, parts=[part for one in contents for part in one.parts or ()])


def _values(part: types.Part) -> tuple[object, ...]:
    """The values in a part that ADK does not copy."""
    call, answer = part.function_call, part.function_response
    return (
        part.text, part.thought, part.thought_signature, part.inline_data, part.file_data, part.executable_code,
        part.code_execution_result, *((call.id, call.name, call.args) if call else ()),
        *((answer.id, answer.name, answer.response, answer.parts) if answer else ()),
    )  # fmt: skip


def _made(messages: list[Message], skip: int) -> list[types.Content]:
    """Contents for messages that the engine made, after the `skip` first ones, whose calls they may answer."""
    return [types.Content.model_validate_json(dumps(one)) for one in render_messages(messages)[skip:]]
