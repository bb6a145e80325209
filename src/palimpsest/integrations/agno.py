"""Agno: a model that shows the window of the session in place of the whole history.

    kept = PalimpsestModels("agent.db", window_tokens=128_000)
    agent = Agent(model=kept.model(OpenAIChat(id="gpt-5")), tools=[*kept.tools], db=SqliteDb("sessions.db"),
                  add_history_to_context=True, num_history_runs=1_000_000)
    agent.run("Which berth is free?", session_id="harbour-42", user_id="ann")

The sessions that Agno stores are not changed. Agno sends three runs of a session unless it is told to send more.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from functools import cache, reduce
from operator import add
from typing import Any

from palimpsest.formats import media
from palimpsest.formats.wire_fields import dumps
from palimpsest.integrations.shared.content import dumped, names_of_calls, parts_of, replied, result_content
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Call, Piece, Thread
from palimpsest.record.message import (
    Media,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolDef,
    ToolResult,
)

require("agno", "3.1", "4", extra="agno")

from agno.media import Image
from agno.models.base import Model
from agno.models.message import Message as AgnoMessage
from agno.models.response import ModelResponse
from agno.models.utils import get_model
from agno.run import RunContext
from agno.tools.function import Function

WHERE = "session_id= to the run"
_ROLES: dict[str, Role] = {"assistant": "assistant", "system": "system", "developer": "system"}
_MEDIA = ("images", "audio", "videos", "files")
_CALLS = ("tool_calls", "tool_call_id", "tool_call_error")
_THINKING = ("reasoning_content", "redacted_reasoning_content", "provider_data")
_COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


class PalimpsestModels:
    """Make models that show the window of their session. `tools` read back what left the window.

    `engine` is the path of a database, or an open engine; see `Host` for the other arguments. A conversation is a
    session, and its owner the run's `user_id`. Take both from your login. A `thread` replaces the session's id. An
    agent or a team with a name has a conversation of its own in the session.
    """

    def __init__(
        self, engine: AnyEngine, *, recall: bool = True, owner: str | None = None, thread: str | None = None,
        all_conversations: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        self.host = Host(
            engine, AgnoCodec(), owner=owner, thread=thread, all_conversations=all_conversations, **settings
        )
        self.tools = [self._tool(one) for one in self.host.recall_tools] if recall else []

    def __deepcopy__(self, memo: dict[int, Any]) -> PalimpsestModels:
        """Itself: a copy of a model has the same engine."""
        return self

    def model(self, model: Model | str) -> Model:
        """A copy of a model that shows the window. Responses are not chained: the window is sent whole."""
        shown: Any = copy.copy(get_model(model))
        shown.__class__ = _windowed(type(shown))
        shown.palimpsest = self
        if hasattr(shown, "use_previous_response_id"):
            shown.use_previous_response_id = False
        return shown

    def thread(self, run: Any, name: str | None) -> Thread[AgnoMessage]:
        """The thread of a run, of an agent or a team with this name."""
        named = [one for one in (self.host.thread_id or run.session_id, name) if one]
        return self.host.thread("/".join(named), run.user_id, where=WHERE)

    async def begin(
        self, model: Model, messages: list[AgnoMessage], named: dict[str, Any]
    ) -> tuple[Thread[AgnoMessage], Call[AgnoMessage]]:
        """The thread of a run, and the call to make. It runs in the loop of the engine."""
        run = named["run_response"]
        thread = self.thread(run, getattr(run, "agent_name", None) or getattr(run, "team_name", None))
        thread.codec = AgnoCodec(model.id)
        return thread, await thread.start(messages, tools=_definitions(named), model=model.id)

    def _tool(self, definition: ToolDef) -> Function:
        def read(run_context: RunContext, agent: Any = None, team: Any = None, **arguments: Any) -> str:
            thread = self.thread(run_context, getattr(agent or team, "name", None))
            return self.host.wait(thread.recall, definition.name, arguments)

        return Function(
            name=definition.name, description=definition.description, parameters=json.loads(definition.schema),
            entrypoint=read, skip_entrypoint_processing=True,
        )  # fmt: skip


class _Shown(list[AgnoMessage]):
    """Messages of a window, which are sent as they are."""


class _Windowed(Model):
    """What a model does around each call. A call of no run, such as that of a summary, is sent as it is."""

    palimpsest: PalimpsestModels

    def invoke(self, messages: list[AgnoMessage], *args: Any, **named: Any) -> ModelResponse:
        ask = super().invoke
        (said,) = self._replies(lambda sent: [ask(sent, *args, **named)], messages, named, streamed=False)
        return said

    def invoke_stream(self, messages: list[AgnoMessage], *args: Any, **named: Any) -> Iterator[ModelResponse]:
        ask = super().invoke_stream
        return self._replies(lambda sent: ask(sent, *args, **named), messages, named, streamed=True)

    async def ainvoke(self, messages: list[AgnoMessage], *args: Any, **named: Any) -> ModelResponse:
        ask = super().ainvoke

        async def whole(sent: list[AgnoMessage]) -> AsyncIterator[ModelResponse]:
            yield await ask(sent, *args, **named)

        (said,) = [one async for one in self._areplies(whole, messages, named, streamed=False)]
        return said

    def ainvoke_stream(
        self, messages: list[AgnoMessage], *args: Any, **named: Any
    ) -> AsyncIterator[ModelResponse]:
        ask = super().ainvoke_stream
        return self._areplies(lambda sent: ask(sent, *args, **named), messages, named, streamed=True)

    def _replies(
        self, ask: Callable[[list[AgnoMessage]], Iterable[ModelResponse]], messages: list[AgnoMessage],
        named: dict[str, Any], *, streamed: bool,
    ) -> Iterator[ModelResponse]:  # fmt: skip
        if not _has_window(messages, named):
            yield from ask(messages)
            return
        kept, wait = self.palimpsest, self.palimpsest.host.wait
        thread, call = wait(kept.begin, self, messages, named)
        said: list[ModelResponse] = []
        done = False
        while not done:
            try:
                for one in ask(_sent(call)):
                    said.append(one)
                    yield one
                done = True
            except Exception as error:
                if said:
                    raise
                call = wait(thread.recover, call, error)
        wait(thread.finish, call, *_answer(self, said, streamed=streamed))

    async def _areplies(
        self, ask: Callable[[list[AgnoMessage]], AsyncIterator[ModelResponse]], messages: list[AgnoMessage],
        named: dict[str, Any], *, streamed: bool,
    ) -> AsyncIterator[ModelResponse]:  # fmt: skip
        if not _has_window(messages, named):
            async for one in ask(messages):
                yield one
            return
        kept, run = self.palimpsest, self.palimpsest.host.run
        thread, call = await run(kept.begin, self, messages, named)
        said: list[ModelResponse] = []
        done = False
        while not done:
            try:
                async for one in ask(_sent(call)):
                    said.append(one)
                    yield one
                done = True
            except Exception as error:
                if said:
                    raise
                call = await run(thread.recover, call, error)
        await run(thread.finish, call, *_answer(self, said, streamed=streamed))


@cache
def _windowed(kind: type[Model]) -> type[Model]:
    """The class of a provider's models with the window around each call."""
    return kind if issubclass(kind, _Windowed) else type(kind.__name__, (_Windowed, kind), {})


def _has_window(messages: list[AgnoMessage], named: dict[str, Any]) -> bool:
    return named.get("run_response") is not None and not isinstance(messages, _Shown)


def _sent(call: Call[AgnoMessage]) -> _Shown:
    """The messages of a call, with its system text if it has one."""
    system = [AgnoMessage(role="system", content=call.system)] if call.system else []
    return _Shown([*system, *call.messages])


def _definitions(named: dict[str, Any]) -> list[ToolDef]:
    tools = [one.get("function", one) for one in named.get("tools") or ()]
    names = [str(one.get("name") or one.get("type")) for one in tools]
    return [
        ToolDef(name, one.get("description") or "", dumps(one.get("parameters") or {}))
        for name, one in zip(names, tools, strict=True)
    ]


def _answer(
    model: Model, said: Sequence[ModelResponse], *, streamed: bool
) -> tuple[list[AgnoMessage], object]:
    """The reply in a response or its pieces, and its usage. Agno makes ids for calls that have none: such a reply is
    stored with the next request.
    """
    calls: list[Any] = [call for one in said for call in one.tool_calls or ()]
    calls = model.parse_tool_calls(calls) if streamed else calls
    texts = [one.content for one in said if isinstance(one.content, str)]
    thinking = [one.reasoning_content for one in said if one.reasoning_content]
    hidden = [one.redacted_reasoning_content for one in said if one.redacted_reasoning_content]
    data: dict[str, Any] = reduce(lambda all_data, one: {**all_data, **(one.provider_data or {})}, said, {})
    reply = AgnoMessage(
        role="assistant", content="".join(texts) or None, tool_calls=calls or None, provider_data=data or None,
        reasoning_content="".join(thinking) or None, redacted_reasoning_content="".join(hidden) or None,
    )  # fmt: skip
    usages = [one.response_usage for one in said if one.response_usage is not None]
    claude = any(kind.__name__ == "Claude" for kind in type(model).__mro__)
    counted: dict[str, Any] = {"provider": "Anthropic" if claude else model.get_provider()}
    if usages:
        counted |= {name: getattr(reduce(add, usages), name, 0) or 0 for name in _COUNTS}
    return [reply] if all(one.get("id") for one in calls) else [], counted if usages else None


class AgnoCodec:
    """Agno's messages, which it copies for each run. `model` is the one that answers."""

    copies = True

    def __init__(self, model: str = "") -> None:
        self.model = model

    def fields(self, native: AgnoMessage) -> tuple[object, ...]:
        names = ("role", "content", *_CALLS, *_THINKING, *_MEDIA)
        return tuple(getattr(native, name) for name in names)

    def read(self, native: AgnoMessage) -> Sequence[Piece]:
        attached = [_media(name, one) for name in _MEDIA for one in getattr(native, name) or ()]
        if native.role == "tool":
            content = result_content([*parts_of(native.content), *attached])
            result = ToolResult(
                str(native.tool_call_id or ""), content, is_error=bool(native.tool_call_error)
            )
            return [Piece(Message("tool", (result,)), native)]
        if native.role != "assistant":
            parts = (*parts_of(native.content), *attached)
            return [Piece(Message(_ROLES.get(native.role, "user"), parts), native)] if parts else []
        parts = (*_said(native), *map(_call, native.tool_calls or ()))
        return [Piece(replied(Message("assistant", parts), self.model), native)] if parts else []

    def write(self, pieces: Sequence[Piece]) -> list[AgnoMessage]:
        names = names_of_calls(one.message for one in pieces)
        written: list[Any] = []
        for one in pieces:
            written += [one.native] if one.native is not None else _made(one.message, names)
        return written


def _said(native: AgnoMessage) -> list[Part]:
    """The thinking and the text of a reply. Thinking that is not signed is never sent again, so it is left out."""
    data = native.provider_data or {}
    if isinstance(blocks := data.get("content_blocks"), list) and blocks:
        return parts_of(blocks)
    reasoning = data.get("reasoning_output")
    parts = parts_of([reasoning]) if isinstance(reasoning, dict) else []
    if native.reasoning_content and data.get("signature"):
        parts.append(Reasoning(native.reasoning_content, str(data["signature"])))
    if native.redacted_reasoning_content:
        parts.append(Reasoning(native.redacted_reasoning_content, redacted=True))
    return [*parts, *parts_of(native.content)]


def _call(call: dict[str, Any]) -> ToolCall:
    function = call["function"] if isinstance(call.get("function"), dict) else {}
    arguments = function.get("arguments")
    arguments = arguments if isinstance(arguments, str) else dumped(arguments or {})
    return ToolCall(str(call.get("id") or ""), str(function.get("name") or ""), arguments or "{}")


def _media(name: str, item: Any) -> Media:
    """An image, a sound, a video or a file of a message."""
    kind = name.removesuffix("s")
    if item.content:
        data = item.content if isinstance(item.content, str) else base64.b64encode(item.content).decode()
        return media.inline(item.mime_type or kind, data)
    return media.from_uri(str(item.url or item.filepath or getattr(item, "id", None) or kind), kind)


def _made(message: Message, names: dict[str, str]) -> list[AgnoMessage]:
    """A message that the engine made. One of the system becomes the user's: the prompt has its place at the start."""
    if message.role == "tool":
        return [
            AgnoMessage(
                role="tool", content=_text(one.content), tool_call_id=one.call_id, tool_name=names.get(one.call_id),
                tool_call_error=one.is_error,
            )
            for one in message.results
        ]  # fmt: skip
    images = [one for one in message.parts if isinstance(one, Media) and _is_image(one)]
    text = _text([one for one in message.parts if one not in images])
    if message.role != "assistant":
        return [AgnoMessage(role="user", content=text, images=[_image(one) for one in images] or None)]
    calls = [
        {**_ids(one.id), "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
        for one in message.calls
    ]
    signed = [one for one in message.parts if isinstance(one, Reasoning) and message.wire == "anthropic"]
    shown, hidden = ([one for one in signed if one.redacted is redacted] for redacted in (False, True))
    reply = AgnoMessage(
        role="assistant", content=text or None, tool_calls=calls or None,
        reasoning_content=shown[0].text if shown else None,
        provider_data={"signature": shown[0].signature} if shown else None,
        redacted_reasoning_content=hidden[0].text if hidden else None,
    )  # fmt: skip
    return [reply] if text or calls else []


def _ids(call_id: str) -> dict[str, str]:
    """The ids of a call. For Responses, an item with its old id would need the reasoning that it came with."""
    return {"id": f"{call_id}_", "call_id": call_id} if call_id.startswith("fc_") else {"id": call_id}


def _text(parts: Sequence[Part]) -> str:
    shown = [
        one.text if isinstance(one, Text) else media.media_note(one)
        for one in parts
        if isinstance(one, Text | Media)
    ]
    return "\n\n".join(shown)


def _is_image(part: Media) -> bool:
    readable = media.is_base64(part.data) if part.data else media.is_address(part.uri)
    return media.kind_of(part) == "image" and readable


def _image(part: Media) -> Image:
    if part.data:
        return Image(content=base64.b64decode(part.data), mime_type=part.media_type)
    return Image(url=part.uri)
