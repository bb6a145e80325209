"""Pydantic AI: a capability that shows the model the window of the conversation.

    kept = PalimpsestCapability("agent.db", window_tokens=128_000)
    agent = Agent("openai:gpt-5", tools=[...], capabilities=[kept])
    agent.run_sync(question, message_history=history, conversation_id="harbour-42", metadata={"user_id": "ann"})

The message history of a run is not changed. All ways to run an agent (run, run_sync, run_stream, iter) use it.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from palimpsest.formats import media
from palimpsest.formats.wire_fields import dumps, object_text
from palimpsest.integrations.shared.content import names_of_calls, result_content
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Call, Piece, Thread
from palimpsest.record.message import (
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolDef,
    ToolResult,
)

require("pydantic-ai-slim", "2.68", "3", extra="pydantic-ai")

from pydantic import TypeAdapter
from pydantic_ai import RetryModelRequest, RunContext, Tool
from pydantic_ai import messages as ai
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.toolsets import FunctionToolset

WHERE = "a thread= that returns one"
_REDACTED = "redacted_thinking"
_STATE = (
    ai.ToolAvailabilityDeltaPart,
    ai.CapabilityLoadDeltaPart,
    ai.ModelSettingsDeltaPart,
    ai.InstructionBaselinePart,
)
_PART = TypeAdapter[Any](ai.ModelResponsePart)

Chosen = str | Callable[[RunContext[Any]], str | None] | None


class PalimpsestCapability(AbstractCapability[Any]):
    """Show the model the window of its conversation, and offer it the tools that read back what left the window.

    `engine` is the path of a database, or an open engine; see `Host` for the other arguments. A run's conversation is
    its `conversation_id`, and the owner the `user_id` of its `metadata`. `thread` and `owner` replace them: a text,
    or a function of the run's context. Take both from your login. Put this capability last.
    """

    def __init__(
        self, engine: AnyEngine, *, recall: bool = True, owner: Chosen = None, thread: Chosen = None,
        all_conversations: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        self.host = Host(engine, PydanticAICodec(), all_conversations=all_conversations, **settings)
        self._chosen_thread, self._chosen_owner = thread, owner
        tools = [self._tool(one) for one in self.host.recall_tools] if recall else []
        self._toolset = FunctionToolset[Any](tools, id="palimpsest") if tools else None
        self._call: Call[ai.ModelMessage] | None = None
        self._again: Call[ai.ModelMessage] | None = None

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """None: a capability with a database is not made from a written specification."""
        return None

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """The recall tools."""
        return self._toolset

    async def for_run(self, ctx: RunContext[Any]) -> PalimpsestCapability:
        """A copy for one run, which remembers the call that it makes."""
        return copy.copy(self)

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Replace the messages of a request with the window, for the model that gets it."""
        history, asked = request_context.messages, request_context.model_request_parameters
        self._call, again, self._again = None, self._again, None
        if history and isinstance(history[-1], ai.ModelResponse):  # the provider goes on with its own reply
            return request_context
        self._call = again or await self.host.run(
            self._thread(ctx).start, history,
            system=_system(asked), tools=_definitions(asked), model=request_context.model.model_name,
        )  # fmt: skip
        request_context.messages = [*_lost_state(history, self._call.messages), *self._call.messages]
        if self._call.system is not None:
            parts = [ai.InstructionPart(self._call.system)] if self._call.system else []
            request_context.model_request_parameters = replace(asked, instruction_parts=parts)
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ai.ModelResponse
    ) -> ai.ModelResponse:
        """Store the reply and its usage."""
        call, self._call = self._call, None
        if call is not None:
            reply = [response] if response.state != "suspended" else []
            counted = response.usage if response.usage.has_values() else None
            await self.host.run(self._thread(ctx).finish, call, reply, counted)
        return response

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ai.ModelResponse:
        """Repeat a request that was too long with a smaller window. Raises any other error as it is."""
        if self._call is None:
            raise error
        self._again = await self.host.run(self._thread(ctx).recover, self._call, error)
        raise RetryModelRequest from error

    def _thread(self, ctx: RunContext[Any]) -> Thread[ai.ModelMessage]:
        """The thread of a run."""
        name = _chosen(self._chosen_thread, ctx, ctx.conversation_id)
        user = _chosen(self._chosen_owner, ctx, (ctx.metadata or {}).get("user_id"))
        return self.host.thread(name, user, where=WHERE)

    def _tool(self, definition: ToolDef) -> Tool[Any]:
        async def read(ctx: RunContext[Any], **arguments: Any) -> str:
            return await self.host.run(self._thread(ctx).recall, definition.name, arguments)

        schema = json.loads(definition.schema)
        return Tool.from_schema(read, definition.name, definition.description, schema, takes_ctx=True)


def _chosen(chosen: Chosen, ctx: RunContext[Any], otherwise: object) -> object:
    return chosen(ctx) if callable(chosen) else chosen or otherwise


def _system(asked: ModelRequestParameters) -> str | None:
    return "\n\n".join(one.content for one in asked.instruction_parts or () if one.content) or None


def _definitions(asked: ModelRequestParameters) -> list[ToolDef]:
    tools = [*asked.function_tools, *asked.output_tools]
    return [ToolDef(one.name, one.description or "", dumps(one.parameters_json_schema)) for one in tools]


def _lost_state(
    history: Sequence[ai.ModelMessage], shown: Sequence[ai.ModelMessage]
) -> list[ai.ModelMessage]:
    """What the framework noted in messages that are not shown as they are: tools and settings that changed."""
    here = {id(part) for one in shown for part in one.parts}
    parts = [
        part for one in history for part in one.parts if isinstance(part, _STATE) and id(part) not in here
    ]
    return [ai.ModelRequest(parts)] if parts else []


class PydanticAICodec:
    """Pydantic AI's messages. Each part of a request is a piece, a response is one."""

    def fields(self, native: ai.ModelMessage) -> tuple[object, ...]:
        contents = [getattr(part, "content", None) for part in native.parts]
        inner = (one for content in contents if isinstance(content, list) for one in content)
        arguments = (getattr(part, "args", None) for part in native.parts)
        return (*native.parts, *contents, *inner, *arguments)

    def read(self, native: ai.ModelMessage) -> Sequence[Piece]:
        if isinstance(native, ai.ModelResponse):
            return [Piece(message, native)] if (message := _reply(native)).parts else []
        found = [(message, part) for part in native.parts if (message := _said(part)) is not None]
        return [Piece(message, (native, part, len(found))) for message, part in found]

    def write(self, pieces: Sequence[Piece]) -> list[ai.ModelMessage]:
        names = names_of_calls(one.message for one in pieces)
        written: list[ai.ModelMessage] = []
        for _, run in groupby(pieces, lambda one: id(_source(one))):
            group: list[Any] = list(run)
            source = _source(group[0])
            if isinstance(source, ai.ModelResponse):
                written.append(source)
            elif isinstance(source, ai.ModelRequest):
                whole = len(group) == group[0].native[2]
                written.append(source if whole else replace(source, parts=[one.native[1] for one in group]))
            else:
                written.extend(new for one in group if (new := _made(one.message, names)).parts)
        return written


def _source(piece: Piece) -> Any:
    """The message that a piece is from: parts of one request that follow each other are one request again."""
    return piece.native[0] if isinstance(piece.native, tuple) else piece.native


def _said(part: ai.ModelRequestPart) -> Message | None:
    """A part of a request as a message, None for one that no model reads."""
    if isinstance(part, _STATE):
        return None
    if isinstance(part, ai.BaseToolReturnPart):
        content = result_content(
            [_content(one) for one in part.content_items(mode="str", wrap_if_error=False)]
        )
        failed = part.outcome not in ("success", "retried")
        return Message("tool", (ToolResult(part.tool_call_id, content, is_error=failed),))
    if isinstance(part, ai.RetryPromptPart) and part.tool_name is not None:
        return Message("tool", (ToolResult(part.tool_call_id, (Text(part.model_response()),)),))
    if isinstance(part, ai.UserPromptPart):
        items = [part.content] if isinstance(part.content, str) else part.content
        return Message(
            "user", tuple(_content(one) for one in items if getattr(one, "kind", "") != "cache-point")
        )
    if isinstance(part, ai.SystemPromptPart):
        return Message("system", (Text(part.content),)) if part.content else None
    if isinstance(part, ai.InstructionDeltaPart):
        return Message("system", (Text(part.render()),))
    response = getattr(part, "model_response", None)
    said = response() if callable(response) else getattr(part, "content", None)
    return Message("user", (Text(str(said)),)) if said else None


def _content(item: ai.UserContent) -> Text | Media:
    """One item of a prompt, or of a tool's result."""
    if isinstance(item, ai.BinaryContent):
        return media.inline(item.media_type, item.base64)
    if isinstance(item, ai.FileUrl):
        return media.from_uri(item.url, item.kind.removesuffix("-url"))
    if isinstance(item, ai.UploadedFile):
        return Media("file", uri=item.file_id)
    return Text(item.content if isinstance(item, ai.TextContent) else str(item))


def _reply(response: ai.ModelResponse) -> Message:
    thinking = [one for one in response.parts if isinstance(one, ai.ThinkingPart)]
    signed = any(one.signature and one.provider_name == "anthropic" for one in thinking)
    parts = tuple(_reply_part(one) for one in response.parts if not _is_empty(one))
    return Message("assistant", parts, model=response.model_name or "", wire="anthropic" if signed else "")


def _is_empty(part: ai.ModelResponsePart) -> bool:
    return isinstance(part, ai.TextPart | ai.ThinkingPart) and not (
        part.content or getattr(part, "signature", None)
    )


def _reply_part(part: ai.ModelResponsePart) -> Part:
    if isinstance(part, ai.TextPart):
        return Text(part.content)
    if isinstance(part, ai.ThinkingPart):
        hidden = part.id == _REDACTED
        signature = part.signature or ""
        return Reasoning(signature if hidden else part.content, "" if hidden else signature, redacted=hidden)
    if isinstance(part, ai.ToolCallPart):
        arguments = part.args if isinstance(part.args, str) else dumps(part.args or {})
        return ToolCall(part.tool_call_id, part.tool_name, arguments or "{}")
    if isinstance(part, ai.FilePart):
        return media.inline(part.content.media_type, part.content.base64)
    return Opaque(part.part_kind, _PART.dump_json(part).decode())


def _made(message: Message, names: dict[str, str]) -> ai.ModelMessage:
    """A message that the engine made. One of the system becomes the user's: the prompt has its place at the start."""
    if message.role == "assistant":
        parts = [new for one in message.parts if (new := _made_part(one, message.wire)) is not None]
        return ai.ModelResponse(parts, model_name=message.model or None, provider_name=message.wire or None)
    if message.role == "tool":
        results = [(one, _written(one.content), names.get(one.call_id, "")) for one in message.results]
        return ai.ModelRequest([
            ai.ToolReturnPart(name, content, one.call_id, outcome="failed" if one.is_error else "success")
            for one, content, name in results
        ])  # fmt: skip
    content = _written([one for one in message.parts if isinstance(one, Text | Media)])
    return ai.ModelRequest([ai.UserPromptPart(content)] if content else [])


def _written(parts: Sequence[Text | Media]) -> str | list[ai.UserContent]:
    """Texts and media as the content of a prompt or a result."""
    if not any(isinstance(one, Media) for one in parts):
        return "\n\n".join(one.text for one in parts if isinstance(one, Text))
    return [one.text if isinstance(one, Text) else _file(one) for one in parts]


def _file(part: Media) -> ai.UserContent:
    if part.data and media.is_base64(part.data):
        return ai.BinaryContent(base64.b64decode(part.data), media_type=part.media_type)
    shown = media.kind_of(part) == "image" and media.is_address(part.uri)
    return ai.ImageUrl(part.uri) if shown else media.media_note(part)


def _made_part(part: Part, wire: str) -> ai.ModelResponsePart | None:
    """A part of a reply, None for thinking that no provider would accept without its own signature."""
    if isinstance(part, Text):
        return ai.TextPart(part.text)
    if isinstance(part, ToolCall):
        return ai.ToolCallPart(part.name, object_text(part.arguments), part.id)
    if isinstance(part, Opaque):
        return _PART.validate_json(part.data)
    if not isinstance(part, Reasoning) or wire != "anthropic":
        return None
    if part.redacted:
        return ai.ThinkingPart("", id=_REDACTED, signature=part.text, provider_name=wire)
    return ai.ThinkingPart(part.text, signature=part.signature, provider_name=wire)
