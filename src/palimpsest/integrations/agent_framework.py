"""Microsoft Agent Framework: a context provider that shows the model the window of the session.

    kept = PalimpsestProvider("agent.db", window_tokens=128_000)
    agent = Agent(OpenAIChatCompletionClient(model="gpt-5"), tools=[...], context_providers=[kept])
    session = agent.create_session(session_id="harbour-42")
    session.state["user_id"] = "ann"
    await agent.run("Which berth is free?", session=session)

The history that the session or a history provider has is not changed.
"""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from palimpsest.errors import UsageError
from palimpsest.formats import media
from palimpsest.formats.wire_fields import dumps
from palimpsest.integrations.shared.content import dumped, result_content, runs_of, shared_pieces
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Call, Piece, Thread
from palimpsest.record.message import (
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolDef,
    ToolResult,
)

require("agent-framework-core", "1.23", "2", extra="agent-framework")

from agent_framework import (
    AgentSession,
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ChatResponseUpdate,
    ContextProvider,
    FunctionTool,
    ResponseStream,
    SessionContext,
)
from agent_framework import Content as AFContent
from agent_framework import Message as AFMessage

SOURCE = "palimpsest"
WHERE = "session=agent.create_session(session_id=...) to the run"
_STORED = "the provider of the model has the history of this run, so no window can take its place"
_INSIDE = "the history of this agent is loaded within each model call, after the window was made"
_ROLES: dict[str, Role] = {"assistant": "assistant", "system": "system", "developer": "system"}


class PalimpsestProvider(ContextProvider):
    """Show the model the window of its session, and offer it the tools that read back what left the window.

    `engine` is the path of a database, or an open engine; see `Host` for the other arguments. A conversation is a
    session, and its owner the `user_id` of the session's state. Take both from your login. A `thread` replaces the
    session's id. An agent with a name has a conversation of its own in the session. Put this provider last.
    """

    def __init__(
        self, engine: AnyEngine, *, recall: bool = True, owner: str | None = None, thread: str | None = None,
        all_conversations: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(SOURCE)
        self.host = Host(
            engine,
            AgentFrameworkCodec(),
            owner=owner,
            thread=thread,
            all_conversations=all_conversations,
            **settings,
        )
        self._recall = recall

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Add the middleware and the recall tools to a run."""
        if agent.require_per_service_call_history_persistence:
            raise UsageError(
                _INSIDE, hint="make the agent without require_per_service_call_history_persistence"
            )
        named = [self.host.thread_id or session.session_id, *([agent.name] if agent.name else ())]
        owner = session.state.get("user_id")
        thread = self.host.thread("/".join(named), owner, where=WHERE)
        context.extend_middleware(self.source_id, _WindowMiddleware(self.host, thread, agent.name))
        if self._recall:
            context.extend_tools(self.source_id, [self._tool(one, thread) for one in self.host.recall_tools])

    def _tool(self, definition: ToolDef, thread: Thread[AFMessage]) -> FunctionTool:
        async def read(**arguments: Any) -> str:
            return await self.host.run(thread.recall, definition.name, arguments)

        return FunctionTool(
            name=definition.name, description=definition.description, func=read,
            input_model={**json.loads(definition.schema), "additionalProperties": True},
        )  # fmt: skip


class _WindowMiddleware(ChatMiddleware):
    """The window around each model call of one run."""

    def __init__(self, host: Host[AFMessage], thread: Thread[AFMessage], agent_name: str | None) -> None:
        self._host, self._thread = host, thread
        self._author = agent_name or "UnnamedAgent"

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Call the model with the window; of a request that is too long, again with a smaller one."""
        options = dict(context.options or {})
        stores = options.get("store")
        if stores or (stores is None and getattr(context.client, "STORES_BY_DEFAULT", False)):
            raise UsageError(_STORED, hint='give the agent default_options={"store": False}')
        model = str(options.get("model") or getattr(context.client, "model", None) or "")
        self._thread.codec = AgentFrameworkCodec(model)
        call = await self._host.run(
            self._thread.start, context.messages, model=model, system=_system(options.get("instructions")),
            tools=[_definition(one) for one in options.get("tools") or ()],
        )  # fmt: skip
        if context.stream:
            context.result = self._streamed(context, call_next, options, call)
            return
        while True:
            _change(context, options, call)
            try:
                await call_next()
            except Exception as error:
                call = await self._host.run(self._thread.recover, call, error)
            else:
                break
        if isinstance(context.result, ChatResponse):
            await self._finish(call, context.result)

    def _streamed(
        self, context: ChatContext, call_next: Callable[[], Awaitable[None]], options: dict[str, Any],
        call: Call[AFMessage],
    ) -> ResponseStream[ChatResponseUpdate, ChatResponse]:  # fmt: skip
        """A stream that makes the call when it is read."""
        done: list[ChatResponse] = []

        async def updates(call: Call[AFMessage]) -> AsyncIterator[ChatResponseUpdate]:
            said = False
            while not done:
                _change(context, options, call)
                try:
                    await call_next()
                    stream: Any = context.result
                    async with stream:
                        async for update in stream:
                            said = True
                            yield update
                        done.append(await stream.get_final_response())
                except Exception as error:
                    if said:
                        raise
                    call = await self._host.run(self._thread.recover, call, error)
            await self._finish(call, done[0])

        return ResponseStream(
            updates(call), finalizer=lambda said: done[0] if done else ChatResponse.from_updates(said)
        )

    async def _finish(self, call: Call[AFMessage], response: ChatResponse[Any]) -> None:
        """Store a reply. Its author is named as the framework does after the run, so that later requests agree."""
        for one in response.messages:
            one.author_name = one.author_name or self._author
        await self._host.run(
            self._thread.finish, call, list(response.messages), response.usage_details or None
        )


def _change(context: ChatContext, options: dict[str, Any], call: Call[AFMessage]) -> None:
    """Give a context the messages of a call, and its system text if it has one."""
    context.messages = call.messages
    context.options = options if call.system is None else {**options, "instructions": call.system or None}


def _system(given: Any) -> str | None:
    """The text of instructions: a text, a block of text, or several of them."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        return "\n\n".join(filter(None, map(_system, given))) or None
    found = given.get("text") if isinstance(given, Mapping) else given
    return str(found) if found is not None else None


def _definition(tool: Any) -> ToolDef:
    if isinstance(tool, FunctionTool):
        return ToolDef(tool.name, tool.description, dumps(tool.parameters()))
    kind = tool.get("name") or tool.get("type") if isinstance(tool, Mapping) else type(tool).__name__
    return ToolDef(str(kind), "", dumps(tool if isinstance(tool, Mapping) else {}))


class AgentFrameworkCodec:
    """The framework's messages, which it copies for each run. A tool's message has the results of several calls.

    `model` is the one that answers.
    """

    copies = True

    def __init__(self, model: str = "") -> None:
        self.model = model

    def fields(self, native: AFMessage) -> tuple[object, ...]:
        return (
            native.role,
            native.author_name,
            *(value for one in native.contents for value in _values(one)),
        )

    def read(self, native: AFMessage) -> Sequence[Piece]:
        if native.role != "tool":
            said = [part for one in native.contents if (part := _part(one, native.role)) is not None]
            found = [Message(_ROLES.get(native.role, "user"), tuple(said))]
        else:
            parts = [part for one in native.contents if (part := _part(one, "tool")) is not None]
            found = [Message("tool" if isinstance(one, ToolResult) else "user", (one,)) for one in parts]
        return shared_pieces(native, found, self.model)

    def write(self, pieces: Sequence[Piece]) -> list[AFMessage]:
        return [
            _attributed(one)
            for native, messages in runs_of(pieces)
            for one in ([native] if native is not None else map(_made, messages))
            if one.contents
        ]


def _attributed(message: AFMessage) -> AFMessage:
    """A message as one of a loaded history. The client for Responses writes the calls of others with other ids, and
    the messages of a run become loaded ones with the next run.
    """
    if "_attribution" in message.additional_properties:
        return message
    sent = copy.copy(message)
    sent.additional_properties = {**message.additional_properties, "_attribution": {"source_id": SOURCE}}
    return sent


def _values(content: AFContent) -> tuple[object, ...]:
    return content, content.text, content.protected_data, content.arguments, content.result, content.uri


def _part(content: AFContent, role: str) -> Part | None:
    """A content as a part of a message, None for one without words. What providers ran themselves is opaque."""
    if content.type == "text":
        return Text(str(content.text)) if content.text else None
    if content.type == "text_reasoning":
        return Reasoning(str(content.text or ""), str(content.protected_data or ""))
    if content.type in ("data", "uri"):
        return media.from_uri(str(content.uri or ""), str(content.media_type or "file"))
    if content.type == "function_call" and not content.hosted and not content.informational_only:
        given = content.arguments
        arguments = given if isinstance(given, str) else dumped(given or {})
        return ToolCall(str(content.call_id or ""), str(content.name or ""), arguments or "{}")
    if content.type == "function_result" and role == "tool":
        said = [part for one in content.items or () if (part := _part(one, "user")) is not None]
        shown = result_content(said or [Text(str(content.result or ""))])
        return ToolResult(str(content.call_id or ""), shown, is_error=content.exception is not None)
    return Opaque(content.type, dumped(content.to_dict()))


def _made(message: Message) -> AFMessage:
    """A message that the engine made."""
    contents = [made for one in message.parts if (made := _content(one, message.wire)) is not None]
    return AFMessage(message.role, contents)


def _content(part: Part, wire: str) -> AFContent | None:
    """A part as a content, None for thinking that no provider would accept without its own signature."""
    if isinstance(part, Text):
        return AFContent.from_text(part.text)
    if isinstance(part, Media):
        shown = bool(part.data) or media.is_address(part.uri)
        note = AFContent.from_text(media.media_note(part))
        return AFContent.from_uri(media.uri_of(part), media_type=part.media_type) if shown else note
    if isinstance(part, ToolCall):
        return AFContent.from_function_call(part.id, part.name, arguments=part.arguments)
    if isinstance(part, ToolResult):
        items = [made for one in part.content if (made := _content(one, wire)) is not None]
        failed = "error" if part.is_error else None
        return AFContent.from_function_result(part.call_id, result=items, exception=failed)
    if isinstance(part, Opaque):
        with contextlib.suppress(TypeError, ValueError):  # what another program stored in this conversation
            return AFContent.from_dict(json.loads(part.data))
        return None
    if wire != "anthropic" or part.redacted:
        return None
    return AFContent.from_text_reasoning(text=part.text, protected_data=part.signature)
