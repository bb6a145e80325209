"""AG2: a plugin that shows the model the window of the stream.

    kept = PalimpsestPlugin("agent.db", window_tokens=128_000)
    agent = Agent("keeper", config=OpenAIConfig("gpt-5"), tools=[...], plugins=[kept])
    reply = await agent.ask("Which berth is free?", stream=MemoryStream(id=session), variables={"user_id": "ann"})

The history of the stream is not changed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any, cast

from palimpsest.formats import media
from palimpsest.formats.wire_fields import dumps
from palimpsest.integrations.shared.content import (
    dumped,
    names_of_calls,
    parts_of,
    result_content,
    runs_of,
    shared_pieces,
)
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Piece, Thread
from palimpsest.record.message import Media, Message, Opaque, Part, Text, ToolCall, ToolDef, ToolResult

require("ag2", "1.2", "2", extra="ag2")

import ag2.events as ag2
from ag2 import Plugin
from ag2.compact import CompactionSummary
from ag2.context import ConversationContext
from ag2.events import BaseEvent, ModelRequest, ModelResponse, ToolResultEvent, ToolResultsEvent
from ag2.middleware import BaseMiddleware
from ag2.middleware.base import LLMCall
from ag2.tools.final import FunctionTool
from ag2.utils import AGENT_CONTEXT_DEPENDENCY_KEY, MODEL_CONFIG_CONTEXT_DEPENDENCY_KEY

WHERE = "stream=MemoryStream(id=...) to the run"
_REQUESTS = (ModelRequest, ToolResultsEvent, CompactionSummary)
_CALLS = (ag2.ToolCallsEvent, ag2.ToolCallEvent)
_THINKING = ("reasoning", "redacted_thinking")

Group = tuple[BaseEvent, ...]


class PalimpsestPlugin(Plugin):
    """Show the model the window of its stream, and offer it the tools that read back what left the window.

    `engine` is the path of a database, or an open engine; see `Host` for the other arguments. A conversation is the
    id of a stream, and its owner the `user_id` of the run's variables. Take both from your login.
    """

    def __init__(
        self, engine: AnyEngine, *, recall: bool = True, owner: str | None = None, all_conversations: bool = False,
        **settings: Any,
    ) -> None:  # fmt: skip
        self.host = Host(engine, AG2Codec(), owner=owner, all_conversations=all_conversations, **settings)
        tools = [_RecallTool(self, one) for one in self.host.recall_tools] if recall else []
        super().__init__(tools=tools, middleware=[self._window])

    def thread(self, context: ConversationContext) -> Thread[Group]:
        """The thread of a run."""
        owner = context.variables.get("user_id")
        return self.host.thread(str(context.stream.id), owner, where=WHERE)

    def _window(self, event: BaseEvent, context: ConversationContext) -> BaseMiddleware:
        return _Window(event, context, self)


class _RecallTool(FunctionTool):
    """A recall tool. AG2 copies the tools of an agent; a copy of this one is itself."""

    def __init__(self, plugin: PalimpsestPlugin, definition: ToolDef) -> None:
        schema, unused = json.loads(definition.schema), cast("Any", None)
        super().__init__(unused, name=definition.name, description=definition.description, schema=schema)
        self._plugin = plugin

    def __deepcopy__(self, memo: dict[int, Any]) -> _RecallTool:
        return self

    @property
    def source(self) -> str:
        """The implementation of this tool."""
        return f"palimpsest:{self.name}"

    async def __call__(self, event: ag2.ToolCallEvent, context: ConversationContext) -> ToolResultEvent:
        thread = self._plugin.thread(context)
        said = await self._plugin.host.run(thread.recall, self.name, event.arguments or "{}")
        return ToolResultEvent.from_call(event, result=said)


class _Window(BaseMiddleware):
    """The window around each model call of one turn."""

    def __init__(self, event: BaseEvent, context: ConversationContext, plugin: PalimpsestPlugin) -> None:
        super().__init__(event, context)
        self._plugin = plugin
        self._tools: list[ToolDef] | None = None

    async def on_llm_call(
        self, call_next: LLMCall, events: Sequence[BaseEvent], context: ConversationContext
    ) -> ModelResponse:
        """Call the model with the window; of a request that is too long, again with a smaller one."""
        thread, run, prompt = self._plugin.thread(context), self._plugin.host.run, context.prompt
        if self._tools is None:
            self._tools = await _definitions(context)
        model = str(
            getattr(context.dependencies.get(MODEL_CONFIG_CONTEXT_DEPENDENCY_KEY), "model", None) or ""
        )
        before = len(list(await context.stream.history.get_events()))
        call = await run(
            thread.start, _groups(events), system="\n".join(prompt), tools=self._tools, model=model
        )
        response = None
        while response is None:
            context.prompt = prompt if call.system is None else [call.system] if call.system else []
            async with context.stream.get(BaseEvent) as published:
                try:
                    response = await call_next([one for group in call.messages for one in group], context)
                except Exception as error:
                    if published.done():  # a part of an answer was shown
                        raise
                    call = await run(thread.recover, call, error)
                finally:
                    context.prompt = prompt
        said = list(await context.stream.history.get_events())[before:]
        reply = [group for group in _groups([*said, response]) if group[-1] is response]
        await run(thread.finish, call, reply, response.usage or None)
        return response


async def _definitions(context: ConversationContext) -> list[ToolDef]:
    """The tools of the agent. Those that a run adds are not known to middleware."""
    agent = context.dependencies.get(AGENT_CONTEXT_DEPENDENCY_KEY)
    schemas = [schema for one in getattr(agent, "tools", ()) for schema in await one.schemas(context)]
    return [_definition(one) for one in schemas]


def _definition(schema: Any) -> ToolDef:
    function = getattr(schema, "function", None)
    if function is None:
        return ToolDef(str(schema.type), "", "{}")
    return ToolDef(function.name, function.description, dumps(function.parameters))


def _groups(events: Sequence[BaseEvent]) -> list[Group]:
    """The events that a model reads: a request, results, or a response with what its provider sent before it.

    Results of a turn that was stopped are not collected in one event; each is put into one of its own.
    """
    collected = {
        one.parent_id for all_of in events if isinstance(all_of, ToolResultsEvent) for one in all_of.results
    }
    groups: list[Group] = []
    before: list[BaseEvent] = []
    for event in events:
        loose = isinstance(event, ToolResultEvent) and not isinstance(event, ag2.BuiltinToolResultEvent)
        call = isinstance(event, _CALLS) and not isinstance(event, ag2.BuiltinToolCallEvent)
        if isinstance(event, ModelResponse):
            groups.append((*before, event))
            before = []
        elif isinstance(event, _REQUESTS):
            groups.append((event,))
            before = []
        elif loose and (result := cast("ToolResultEvent", event)).parent_id not in collected:
            groups.append((ToolResultsEvent([result]),))
        elif not loose and not call and ag2.is_conversational(event):
            before.append(event)
    return groups


class AG2Codec:
    """The groups of events that a model reads."""

    def fields(self, native: Group) -> tuple[object, ...]:
        return tuple(value for event in native for value in _values(event))

    def read(self, native: Group) -> Sequence[Piece]:
        event = native[-1]
        if isinstance(event, ModelResponse):
            parts = [
                *_provided(native[:-1]),
                *parts_of(event.content or ""),
                *map(_call, event.tool_calls.calls),
            ]
            return shared_pieces(native, [Message("assistant", tuple(parts))], event.model or "")
        if isinstance(event, ToolResultsEvent):
            return shared_pieces(native, [Message("tool", (_result(one),)) for one in event.results], "")
        given = (
            event.parts if isinstance(event, ModelRequest) else [ag2.TextInput(cast("Any", event).summary)]
        )
        return shared_pieces(native, [Message("user", tuple(map(_input, given)))], "")

    def write(self, pieces: Sequence[Piece]) -> list[Group]:
        names = names_of_calls(one.message for one in pieces)
        return [
            group
            for native, messages in runs_of(pieces)
            for group in ([native] if native is not None else _made(messages, names))
        ]


def _values(event: BaseEvent) -> tuple[object, ...]:
    """What an event holds. A collection of results may be one that was made for them."""
    if isinstance(event, ToolResultsEvent):
        return tuple(value for one in event.results for value in (one, *_contents(one.result.parts)))
    if isinstance(event, ModelRequest):
        return event, *_contents(event.parts)
    if isinstance(event, ModelResponse):
        return (
            event,
            event.content,
            *(value for one in event.tool_calls.calls for value in (one, one.arguments)),
        )
    return (event,)


def _contents(parts: Sequence[ag2.Input]) -> tuple[object, ...]:
    return tuple(value for one in parts for value in (one, getattr(one, "content", None)))


def _provided(events: Sequence[BaseEvent]) -> list[Part]:
    """The thinking before a response, each item once, and the tools that the provider ran."""
    raw: list[Any] = [getattr(one, "item", None) or getattr(one, "block", None) for one in events]
    items = {
        id(one): one.model_dump(mode="json", exclude_none=True, warnings=False)
        for one in raw
        if hasattr(one, "model_dump")
    }
    return [
        part
        for one in items.values()
        for part in (parts_of([one]) if one["type"] in _THINKING else [Opaque(one["type"], dumped(one))])
    ]


def _call(event: ag2.ToolCallEvent) -> ToolCall:
    return ToolCall(event.id, event.name, event.arguments or "{}")


def _result(event: ToolResultEvent) -> ToolResult:
    content = result_content([_input(one) for one in event.result.parts])
    return ToolResult(event.parent_id, content, is_error=isinstance(event, ag2.ToolErrorEvent))


def _input(given: ag2.Input) -> Text | Media:
    """A part of a request or a result."""
    if isinstance(given, ag2.BinaryInput):
        return media.inline(given.media_type, base64.b64encode(given.data).decode())
    if isinstance(given, ag2.UrlInput):
        return media.from_uri(given.url, str(getattr(given.kind, "value", given.kind)))
    if isinstance(given, ag2.FileIdInput):
        return Media("file", uri=given.file_id)
    if isinstance(given, ag2.TextInput):
        return Text(given.content)
    return Text(dumped(getattr(given, "data", given)))


def _made(messages: Sequence[Message], names: dict[str, str]) -> list[Group]:
    """Messages that the engine made. Results that follow each other are one event."""
    groups: list[Group] = []
    for role, run in groupby(messages, lambda one: one.role):
        if role == "tool":
            results = [_made_result(one, names) for message in run for one in message.results]
            groups.append((ToolResultsEvent(results),))
        else:
            groups.extend((event,) for one in run if (event := _made_event(one)) is not None)
    return groups


def _made_result(result: ToolResult, names: dict[str, str]) -> ToolResultEvent:
    shown = ag2.ToolResult(parts=_inputs(result.content))
    given: dict[str, Any] = {"parent_id": result.call_id, "name": names.get(result.call_id), "result": shown}
    if result.is_error:
        return ag2.ToolErrorEvent(error=RuntimeError("the tool failed"), **given)
    return ToolResultEvent(**given)


def _made_event(message: Message) -> ModelRequest | ModelResponse | None:
    if message.role != "assistant":
        return ModelRequest(_inputs(message.parts))
    calls = [ag2.ToolCallEvent(one.name, id=one.id, arguments=one.arguments) for one in message.calls]
    text = ag2.ModelMessage(message.text) if message.text else None
    if text is None and not calls:
        return None
    return ModelResponse(text, tool_calls=ag2.ToolCallsEvent(calls))


def _inputs(parts: Sequence[Part]) -> list[ag2.Input]:
    return [_made_input(one) for one in parts if isinstance(one, Text | Media)]


def _made_input(part: Text | Media) -> ag2.Input:
    if isinstance(part, Text):
        return ag2.TextInput(part.text)
    if media.kind_of(part) != "image":
        return ag2.TextInput(media.media_note(part))
    if media.is_base64(part.data):
        kind = ag2.BinaryType.IMAGE
        return ag2.BinaryInput(base64.b64decode(part.data), media_type=part.media_type, kind=kind)
    shown = media.is_address(part.uri)
    return (
        ag2.UrlInput(part.uri, kind=ag2.BinaryType.IMAGE) if shown else ag2.TextInput(media.media_note(part))
    )
