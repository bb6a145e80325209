"""smolagents: a model that shows the window of its conversation to the model behind it.

    kept = PalimpsestModels("agent.db", window_tokens=128_000)
    model = kept.model(OpenAIModel("gpt-5"), "harbour-42", owner="ann")
    agent = ToolCallingAgent(tools=[read_log, *model.recall_tools], model=model)
    agent.run("Which berth is free?", reset=False)

The agent's memory is not changed. smolagents tells a model neither a session nor a user, so each conversation has a
model of its own. All of them share the engine.

smolagents writes calls and results as text. They are read back as calls and results, so that the window treats them as
such. A reply is stored with the next history, because only that shows what the agent made of it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from palimpsest.formats import media
from palimpsest.formats.wire_fields import dumps, load_object
from palimpsest.integrations.shared.content import arguments_text, leaves, runs_of, shared_pieces
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Call, Piece, Thread
from palimpsest.record.message import Media, Message, Opaque, Part, Text, ToolCall, ToolDef, ToolResult

require("smolagents", "1.26", "2", extra="smolagents")

from smolagents import ChatMessage, MessageRole, Model, Tool
from smolagents.memory import ToolCall as StepCall
from smolagents.models import ChatMessageStreamDelta, get_tool_json_schema
from smolagents.utils import encode_image_base64

WHERE = 'kept.model(model, "...")'
PLANNING = ["<end_plan>"]
"""The stop sequences of a call that makes a plan. It has messages of its own."""
_CALLING, _OBSERVED = "Calling tools:\n", "Observation:\n"
_ROLES: dict[str, Any] = {"system": "system", "assistant": "assistant", "tool-call": "assistant"}
_UNREADABLE = (ValueError, SyntaxError, TypeError, KeyError, AttributeError, MemoryError, RecursionError)

Step = tuple[ChatMessage, ...]
"""A message, or the calls of a step with what they returned."""


class PalimpsestModels:
    """Makes a model for each conversation. `engine` is the path of a database, or an open engine; see `Host`."""

    def __init__(self, engine: AnyEngine, **settings: Any) -> None:
        self.host: Host[Step] = Host(engine, SmolagentsCodec(), **settings)

    def model(
        self, model: Model, thread_id: str | None = None, *, owner: str | None = None
    ) -> PalimpsestModel:
        """`model` for a conversation. Take the thread's id and the owner from your login."""
        thread = self.host.thread(thread_id, owner, where=WHERE)
        return PalimpsestModel(model, self.host, thread.name, thread.owner)


class PalimpsestModel(Model):
    """A model with the window of a conversation. Plans have a conversation of their own, THREAD/plan.

    `recall_tools` read back what left the window; give them to the agent.
    """

    def __init__(self, model: Model, host: Host[Step], thread_id: str, owner: str | None) -> None:
        super().__init__(model_id=model.model_id)
        self.inner, self._host, self._name, self._owner = model, host, thread_id, owner
        self.recall_tools: list[Tool] = [_RecallTool(one, self.recall) for one in host.recall_tools]
        if hasattr(model, "generate_stream"):
            self.generate_stream = self._generate_stream

    def generate(self, messages: list[ChatMessage], *args: Any, **kwargs: Any) -> ChatMessage:
        """Call the model with the window; of a request that is too long, once more with a smaller one."""
        wait, thread = self._host.wait, self._of(*args, **kwargs)
        call = wait(thread.start, _steps(messages), **self._asked(**kwargs))
        try:
            reply = self.inner.generate(_messages(call), *args, **kwargs)
        except Exception as error:
            call = wait(thread.recover, call, error)
            reply = self.inner.generate(_messages(call), *args, **kwargs)
        wait(thread.finish, call, [], _usage(reply))
        return reply

    def _generate_stream(
        self, messages: list[ChatMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatMessageStreamDelta]:
        """See `generate`. A stream does not say what was read from a cache, so its cost is left to be estimated."""
        wait, thread = self._host.wait, self._of(*args, **kwargs)
        call = wait(thread.start, _steps(messages), **self._asked(**kwargs))
        said = done = False
        while not done:
            try:
                for delta in self.inner.generate_stream(_messages(call), *args, **kwargs):  # type: ignore[attr-defined]
                    said = True
                    yield delta
                done = True
            except Exception as error:
                if said:
                    raise
                call = wait(thread.recover, call, error)
        wait(thread.finish, call, [])

    def _of(self, stop_sequences: list[str] | None = None, *args: Any, **kwargs: Any) -> Thread[Step]:
        inner = ["plan"] if stop_sequences == PLANNING else []
        return self._host.thread(self._name, self._owner, where=WHERE, inner=inner)

    def recall(self, name: str, arguments: object) -> str:
        """The answer of a recall tool."""
        return self._host.wait(self._of().recall, name, arguments)

    def _asked(self, tools_to_call_from: Sequence[Tool] | None = None, **kwargs: Any) -> dict[str, Any]:
        functions = [get_tool_json_schema(one)["function"] for one in tools_to_call_from or ()]
        tools = [ToolDef(one["name"], str(one["description"]), dumps(one["parameters"])) for one in functions]
        return {"tools": tools, "model": str(self.model_id or "").rpartition("/")[2]}

    def parse_tool_calls(self, message: ChatMessage) -> ChatMessage:
        """See the model's."""
        return self.inner.parse_tool_calls(message)

    def to_dict(self) -> dict[str, Any]:
        """The model's own form, without the conversation."""
        return self.inner.to_dict()


class _RecallTool(Tool):
    skip_forward_signature_validation = True
    output_type = "string"

    def __init__(self, definition: ToolDef, recall: Callable[[str, object], str]) -> None:
        super().__init__()
        schema = json.loads(definition.schema)
        self.name, self.description = definition.name, definition.description
        self.inputs = {
            name: field if name in schema["required"] else {**field, "nullable": True}
            for name, field in schema["properties"].items()
        }
        self._recall = recall

    def forward(self, *args: Any, **arguments: Any) -> str:
        return self._recall(self.name, {**dict(zip(self.inputs, args, strict=False)), **arguments})


def _steps(messages: Iterable[ChatMessage | dict[str, Any]]) -> list[Step]:
    """Messages, where calls with their images and results are one step."""
    found: list[list[ChatMessage]] = []
    for given in messages:
        one = given if isinstance(given, ChatMessage) else ChatMessage.from_dict(dict(given))
        calls = bool(found) and found[-1][0].role == MessageRole.TOOL_CALL
        if calls and (one.role == MessageRole.TOOL_RESPONSE or _is_images(one)):
            found[-1].append(one)
        else:
            found.append([one])
    return [tuple(one) for one in found]


def _is_images(message: ChatMessage) -> bool:
    """Whether these are images that a step observed: a task begins with its text."""
    blocks = _blocks(message)
    return message.role == MessageRole.USER and bool(blocks) and all("image" in one for one in blocks)


def _messages(call: Call[Step]) -> list[ChatMessage]:
    """The messages of a call, its system text first."""
    system = [_message(MessageRole.SYSTEM, call.system)] if call.system else []
    return [*system, *(one for step in call.messages for one in step)]


def _message(role: MessageRole, text: str) -> ChatMessage:
    return ChatMessage(role=role, content=[{"type": "text", "text": text}])


def _usage(reply: ChatMessage) -> object:
    """The provider's usage, which counts the cache, or the framework's."""
    raw = reply.raw
    found = raw.get("usage") if isinstance(raw, dict) else getattr(raw, "usage", None)
    return found or reply.token_usage


class SmolagentsCodec:
    """Steps of smolagents, which writes the agent's memory as new messages for each call."""

    copies = True

    def fields(self, native: Step) -> tuple[object, ...]:
        found: list[object] = []
        for one in native:
            found.append(one.role)
            for block in _blocks(one):
                text = block.get("text") if isinstance(block, dict) else None
                found += (text,) if type(text) is str else leaves(block)
        return tuple(found)

    def read(self, native: Step) -> Sequence[Piece]:
        first, *rest = ([part for block in _blocks(one) for part in _parts(block)] for one in native)
        role = native[0].role
        found = [part for parts in rest for part in parts]
        calls = _calls("".join(one.text for one in first if isinstance(one, Text))) if rest else ()
        if role == MessageRole.TOOL_CALL and calls:
            step = [Message("assistant", calls), Message("tool", _results(calls, found))]
        else:
            step = [Message(_ROLES.get(role, "user"), tuple(first)), Message("user", tuple(found))]
        return shared_pieces(native, step, "")

    def write(self, pieces: Sequence[Piece]) -> list[Step]:
        return [
            step
            for native, messages in runs_of(pieces)
            for step in ([native] if native is not None else [tuple(_made(one)) for one in messages])
            if step
        ]


def _blocks(message: ChatMessage) -> list[Any]:
    content = message.content
    return content if isinstance(content, list) else [{"type": "text", "text": str(content or "")}]


def _parts(block: Any) -> list[Part]:
    get = block.get if isinstance(block, dict) else {}.get
    if isinstance(text := get("text"), str):
        return [Text(text)] if text else []
    if isinstance(address := (get("image_url") or {}), dict) and address.get("url"):
        return [media.from_uri(str(address["url"]), "image")]
    image = get("image")
    if isinstance(image, str) or hasattr(image, "save"):
        return [media.inline("image/png", image if isinstance(image, str) else encode_image_base64(image))]
    return [Opaque("content", str(block))]


def _calls(text: str) -> tuple[ToolCall, ...]:
    """The calls in the text of a step; none if it cannot be read."""
    try:
        found = ast.literal_eval(text.removeprefix(_CALLING))
        functions = [(str(one["id"]), one["function"]) for one in found]
        return tuple(
            ToolCall(of, str(one["name"]), arguments_text(one["arguments"])) for of, one in functions
        )
    except _UNREADABLE:
        return ()


def _results(calls: Sequence[ToolCall], parts: Sequence[Part]) -> tuple[ToolResult, ...]:
    """What the calls of a step returned. smolagents writes it as one text, which is the last call's here."""
    failed = any(isinstance(one, Text) and not one.text.startswith(_OBSERVED) for one in parts)
    content = tuple(
        Text(one.text.removeprefix(_OBSERVED)) if isinstance(one, Text) else one
        for one in parts
        if isinstance(one, Text | Media)
    )
    empty = [ToolResult(one.id, ()) for one in calls[:-1]]
    return (*empty, ToolResult(calls[-1].id, content, is_error=failed))


def _made(message: Message) -> Iterator[ChatMessage]:
    """A message that the engine made, in the texts that smolagents writes."""
    if message.role == "tool":
        text = "\n".join(
            one.text for result in message.results for one in result.content if isinstance(one, Text)
        )
        yield _message(MessageRole.TOOL_RESPONSE, f"{_OBSERVED}{text}")
        return
    role = MessageRole.ASSISTANT if message.role == "assistant" else MessageRole.USER
    shown = [one for one in message.parts if isinstance(one, Text | Media)]
    if shown:
        yield ChatMessage(role=role, content=[_block(one) for one in shown])
    calls = [
        StepCall(one.name, load_object(one.arguments) or one.arguments, one.id).dict()
        for one in message.calls
    ]
    if calls:
        yield _message(MessageRole.TOOL_CALL, f"{_CALLING}{calls}")


def _block(part: Text | Media) -> dict[str, Any]:
    text = part.text if isinstance(part, Text) else media.media_note(part)
    return {"type": "text", "text": text}
