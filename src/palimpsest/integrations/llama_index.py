"""LlamaIndex: an LLM that shows the model the window of its conversation.

    kept = PalimpsestLLMs("agent.db", window_tokens=128_000)
    llm = kept.llm(OpenAI("gpt-5"), "harbour-42", owner="ann")
    agent = FunctionAgent(llm=llm, tools=[read_log, *llm.recall_tools])
    await agent.run("Which berth is free?", memory=memory)

The agent's memory, and the messages of its run, are not changed. LlamaIndex tells an LLM neither a session nor a user,
so each conversation has an LLM of its own. All of them share the engine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from palimpsest.errors import FormatError
from palimpsest.formats import media, parse_any
from palimpsest.formats.wire_fields import arguments_of
from palimpsest.integrations.shared.content import arguments_text, dumped, leaves, replied, result_content
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

require("llama-index-core", "0.14.20", "0.15", extra="llama-index")

from llama_index.core.base.llms import types as li
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import LLM
from llama_index.core.tools import BaseTool, FunctionTool, ToolMetadata

WHERE = 'kept.llm(model, "...")'
_ASKED = "palimpsest_asked"
_ROLES: dict[str, Any] = {
    "system": "system", "developer": "system", "assistant": "assistant", "model": "assistant", "chatbot": "assistant",
    "tool": "tool", "function": "tool",
}  # fmt: skip


class PalimpsestLLMs:
    """Makes an LLM for each conversation. `engine` is the path of a database, or an open engine; see `Host`."""

    def __init__(self, engine: AnyEngine, **settings: Any) -> None:
        self.host: Host[ChatMessage] = Host(engine, LlamaIndexCodec(), **settings)

    def llm(self, model: LLM, thread_id: str | None = None, *, owner: str | None = None) -> PalimpsestLLM:
        """`model` for a conversation. Take the thread's id and the owner from your login."""
        thread = self.host.thread(thread_id, owner, where=WHERE)
        return PalimpsestLLM(model, self.host, thread.name, thread.owner)


def _of_model(name: str) -> Callable[..., Any]:
    """A method of the model itself, for what is no call of the conversation."""

    def method(self: PalimpsestLLM, *args: Any, **named: Any) -> Any:
        return getattr(self.model, name)(*args, **named)

    return method


class PalimpsestLLM(FunctionCallingLLM):
    """A model whose chats show it the window of a conversation. Its completions and predictions go as they come.

    `recall_tools` read back what left the window; give them to the agent.
    """

    _model: LLM = PrivateAttr()
    _host: Host[ChatMessage] = PrivateAttr()
    _named: tuple[str, str | None] = PrivateAttr()
    _definitions: dict[int, tuple[BaseTool, ToolDef]] = PrivateAttr(default_factory=dict)

    def __init__(self, model: LLM, host: Host[ChatMessage], thread_id: str, owner: str | None) -> None:
        super().__init__(callback_manager=model.callback_manager)
        self._model, self._host, self._named = model, host, (thread_id, owner)

    @classmethod
    def class_name(cls) -> str:
        return "PalimpsestLLM"

    @property
    def model(self) -> LLM:
        """The model that is called."""
        return self._model

    @property
    def metadata(self) -> li.LLMMetadata:
        return self._model.metadata

    @property
    def _thread(self) -> Thread[ChatMessage]:
        return self._host.thread(*self._named, where=WHERE)

    @property
    def recall_tools(self) -> list[FunctionTool]:
        """The tools with which the model reads what left the window."""
        return [self._tool(one) for one in self._host.recall_tools]

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Call the model with the window; of a request that is too long, once more with a smaller one."""
        wait, thread, tools = self._host.wait, self._thread, kwargs.pop(_ASKED, {})
        call = wait(thread.start, messages, **self._asked(tools))
        try:
            response = self._model.chat(_messages(call), **kwargs)
        except Exception as error:
            call = wait(thread.recover, call, error)
            response = self._model.chat(_messages(call), **kwargs)
        response = self._validate_chat_with_tools_response(response, **tools) if tools else response
        wait(thread.finish, call, [response.message], _usage(response))
        return response

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """See `chat`."""
        run, thread, tools = self._host.run, self._thread, kwargs.pop(_ASKED, {})
        call = await run(thread.start, messages, **self._asked(tools))
        try:
            response = await self._model.achat(_messages(call), **kwargs)
        except Exception as error:
            call = await run(thread.recover, call, error)
            response = await self._model.achat(_messages(call), **kwargs)
        response = self._validate_chat_with_tools_response(response, **tools) if tools else response
        await run(thread.finish, call, [response.message], _usage(response))
        return response

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> li.ChatResponseGen:
        """See `chat`. The reply is stored at the end of the stream."""
        wait, thread, asked = self._host.wait, self._thread, self._asked(kwargs.pop(_ASKED, {}))
        call = wait(thread.start, messages, **asked)
        last = usage = None
        while last is None:
            try:
                for last in self._model.stream_chat(_messages(call), **kwargs):
                    usage = _usage(last) or usage
                    yield last
                break
            except Exception as error:
                if last is not None:
                    raise
                call = wait(thread.recover, call, error)
        wait(thread.finish, call, [last.message] if last else [], usage)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> li.ChatResponseAsyncGen:
        """See `stream_chat`."""
        return self._astream(messages, self._asked(kwargs.pop(_ASKED, {})), kwargs)

    async def _astream(
        self, messages: Sequence[ChatMessage], asked: dict[str, Any], kwargs: dict[str, Any]
    ) -> li.ChatResponseAsyncGen:
        run, thread = self._host.run, self._thread
        call = await run(thread.start, messages, **asked)
        last = usage = None
        while last is None:
            try:
                async for last in await self._model.astream_chat(_messages(call), **kwargs):
                    usage = _usage(last) or usage
                    yield last
                break
            except Exception as error:
                if last is not None:
                    raise
                call = await run(thread.recover, call, error)
        await run(thread.finish, call, [last.message] if last else [], usage)

    def _prepare_chat_with_tools(
        self, tools: Sequence[BaseTool], *args: Any, tool_required: bool = False, **kwargs: Any
    ) -> dict[str, Any]:
        """The arguments of a chat, and the tools themselves, which `chat` takes out."""
        given = {**kwargs, "tool_required": tool_required}
        prepare = self._model._prepare_chat_with_tools_compat  # type: ignore[attr-defined]  # noqa: SLF001
        prepared = prepare(tools, *args, **given)
        parallel = bool(kwargs.get("allow_parallel_tool_calls"))
        return {**prepared, _ASKED: {"tools": tools, "allow_parallel_tool_calls": parallel}}

    def _asked(self, given: dict[str, Any]) -> dict[str, Any]:
        model = self._model.metadata.model_name
        self._thread.codec = LlamaIndexCodec(model)
        return {"tools": [self._definition(one) for one in given.get("tools") or ()], "model": model}

    def _definition(self, tool: BaseTool) -> ToolDef:
        known = self._definitions.get(id(tool))
        if known is None or known[0] is not tool:
            said = tool.metadata
            definition = ToolDef(said.get_name(), said.description, dumped(said.get_parameters_dict()))
            known = self._definitions[id(tool)] = (tool, definition)
        return known[1]

    def _tool(self, definition: ToolDef) -> FunctionTool:
        def read(**arguments: Any) -> str:
            return self._host.wait(self._thread.recall, definition.name, arguments)

        async def aread(**arguments: Any) -> str:
            return await self._host.run(self._thread.recall, definition.name, arguments)

        told = _Metadata(definition.description, definition.name)
        told.schema = json.loads(definition.schema)
        return FunctionTool(read, told, aread)

    complete, acomplete, stream_complete, astream_complete = map(
        _of_model, ("complete", "acomplete", "stream_complete", "astream_complete")
    )
    predict, apredict, stream, astream = map(_of_model, ("predict", "apredict", "stream", "astream"))
    structured_predict, astructured_predict, stream_structured_predict, astream_structured_predict = (
        _of_model(f"{way}structured_predict") for way in ("", "a", "stream_", "astream_")
    )
    get_tool_calls_from_response = _of_model("get_tool_calls_from_response")
    _validate_chat_with_tools_response = _of_model("_validate_chat_with_tools_response")


class _Metadata(ToolMetadata):
    """A tool's metadata with a schema of its own in place of a Pydantic class."""

    schema: dict[str, Any]

    def get_parameters_dict(self) -> dict[str, Any]:
        return dict(self.schema)


def _messages(call: Call[ChatMessage]) -> list[ChatMessage]:
    """The messages of a call, its system text first."""
    return [*([ChatMessage(call.system, role="system")] if call.system else ()), *call.messages]


def _usage(response: ChatResponse) -> object:
    """The provider's usage in a reply or in a part of one: LlamaIndex keeps the provider's own objects."""
    raw = response.raw
    if isinstance(raw, dict):
        return raw.get("usage")
    return getattr(raw, "usage", None) or getattr(getattr(raw, "response", None), "usage", None)


class LlamaIndexCodec:
    """LlamaIndex's messages. Some memories make new ones for each call. `model` is the one that answers."""

    copies = True

    def __init__(self, model: str = "") -> None:
        self.model = model

    def fields(self, native: ChatMessage) -> tuple[object, ...]:
        kwargs = native.additional_kwargs
        found: list[object] = [native.role]
        for one in native.blocks:
            found += (one.text,) if type(one) is li.TextBlock else leaves([*one.__dict__.values()])
        return (*found, *(leaves([*kwargs.values()]) if kwargs else ()))

    def read(self, native: ChatMessage) -> Sequence[Piece]:
        role = _ROLES.get(native.role.value, "user")
        parts = [part for block in native.blocks for part in _parts(block)]
        if role == "tool":
            kwargs = native.additional_kwargs
            call_id = str(kwargs.get("tool_call_id") or kwargs.get("call_id") or "")
            return [Piece(Message(role, (ToolResult(call_id, result_content(parts)),)), native)]
        beside = native.additional_kwargs.get("tool_calls") if role == "assistant" else None
        if beside and not any(isinstance(one, ToolCall) for one in parts):
            parts += _calls_beside(beside)
        message = Message(role, tuple(parts))
        return [Piece(replied(message, self.model) if role == "assistant" else message, native)]

    def write(self, pieces: Sequence[Piece]) -> list[ChatMessage]:
        return [
            new for one in pieces for new in ([one.native] if one.native is not None else _made(one.message))
        ]  # type: ignore[misc]


def _parts(block: Any) -> list[Part]:
    if isinstance(block, li.TextBlock):
        return [Text(block.text)] if block.text else []
    if isinstance(block, li.ToolCallBlock):
        return [ToolCall(block.tool_call_id or "", block.tool_name, arguments_text(block.tool_kwargs))]
    if isinstance(block, li.ThinkingBlock):
        return [Reasoning(block.content or "", str(block.additional_information.get("signature") or ""))]
    if isinstance(block, li.CachePoint):
        return []
    return [_media(block) or Opaque(block.block_type, dumped(str(block)))]


def _media(block: Any) -> Media | None:
    """An image, audio, video or document: its base64 data, or its address."""
    kind = block.block_type
    data = getattr(block, "data" if kind == "document" else kind, None)
    told = next((getattr(block, f"{one}_mimetype", None) for one in (kind, "document")), None)
    if isinstance(data, bytes):
        return media.inline(told or kind, data.decode("ascii", "replace"))
    address = getattr(block, "url", None) or getattr(block, "path", None)
    return media.from_uri(str(address), told or kind) if address else None


def _calls_beside(calls: object) -> Sequence[Part]:
    """Calls as some models keep them beside the blocks: in OpenAI's form."""
    try:
        return [
            one for message in parse_any({"role": "assistant", "tool_calls": calls}) for one in message.calls
        ]
    except FormatError:
        return [Opaque("tool_calls", dumped(str(calls)))]


def _made(message: Message) -> list[ChatMessage]:
    """A message that the engine made. One of the system becomes the user's: the prompt has its place at the start."""
    if message.role == "tool":
        results = [(_blocks(one.content), {"tool_call_id": one.call_id}) for one in message.results]
        return [ChatMessage(blocks, role="tool", additional_kwargs=of) for blocks, of in results]
    signed = message.wire == "anthropic"
    thinking = [
        li.ThinkingBlock(content=one.text, additional_information={"signature": one.signature})
        for one in message.parts
        if signed and isinstance(one, Reasoning) and not one.redacted
    ]
    calls = [
        li.ToolCallBlock(tool_call_id=one.id, tool_name=one.name, tool_kwargs=arguments_of(one.arguments))
        for one in message.calls
    ]
    blocks = [*thinking, *_blocks(message.parts), *calls]
    role = "assistant" if message.role == "assistant" else "user"
    return [ChatMessage(blocks, role=role)] if blocks else []


def _blocks(parts: Sequence[Part]) -> list[Any]:
    """Texts and images. A model that cannot read other media gets a line of text in their place."""
    return [
        li.TextBlock(text=one.text) if isinstance(one, Text) else _image(one)
        for one in parts
        if isinstance(one, Text | Media)
    ]


def _image(part: Media) -> li.ImageBlock | li.TextBlock:
    if media.kind_of(part) != "image" or not (part.data or media.is_address(part.uri)):
        return li.TextBlock(text=media.media_note(part))
    if part.data:
        return li.ImageBlock(image=part.data.encode(), image_mimetype=part.media_type)
    return li.ImageBlock(url=part.uri)
