"""LiteLLM, its SDK and its proxy: a callback that shows the model the window of the session.

    memory = PalimpsestLogger("agent.db", window_tokens=128_000)
    litellm.callbacks = [memory]
    await litellm.acompletion(model=..., messages=history, metadata={"session_id": "harbour-42"}, user="ann")

A call belongs to the session that its metadata names, and to the user of the proxy's key, or in a program to its
`user`. A call without a session goes as it came. LiteLLM runs these hooks for asynchronous calls only; `completion` is
for the others.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, cast

from palimpsest.errors import UsageError
from palimpsest.formats import openai, parse_any, parse_tools
from palimpsest.formats.wire_fields import fields_of
from palimpsest.integrations.shared.content import parts_of
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Call, Piece, Thread
from palimpsest.record.message import Message, Reasoning

require("litellm", "1.110", "2", extra="litellm")

import litellm
from litellm.integrations.custom_logger import CustomLogger

WHERE = 'metadata={"session_id": ...}'
MAX_OPEN_CALLS = 10_000
"""Calls whose reply is awaited. Of more, the reply of the oldest is stored with the next history."""

LOG_WAITS, LOG_WAIT_S = 20, 0.01

ChatMessage = dict[str, Any]
_NUMBERS = itertools.count(1)
"""LiteLLM takes two callbacks of a class for the same one unless a public number or text tells them apart."""

_COMPLETIONS = frozenset(("completion", "acompletion"))


class PalimpsestLogger(CustomLogger):
    """Show the model the window of its session. `engine` is the path of a database, or an open engine; see `Host`."""

    def __init__(
        self, engine: AnyEngine, *, owner: str | None = None, thread: str | None = None,
        all_conversations: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.number = next(_NUMBERS)
        self.host: Host[ChatMessage] = Host(
            engine,
            ChatCodec(),
            owner=owner,
            thread=thread,
            all_conversations=all_conversations,
            **settings,
        )
        self.tools = openai.render_tools(self.host.recall_tools)
        self._calls: dict[str, tuple[Thread[ChatMessage], Call[ChatMessage]]] = {}
        self._late: set[str] = set()

    async def recall(self, session_id: str, name: str, arguments: object, *, owner: str | None = None) -> str:
        """The answer of a recall tool, for the program that runs the tools."""
        thread = self.host.thread(session_id, owner, where=WHERE)
        return await self.host.run(thread.recall, name, arguments)

    def completion(self, **call: Any) -> Any:
        """`litellm.completion` with the window; of a request that is too long, once more with a smaller one.

        LiteLLM runs no hook before a synchronous call. A streamed one is stored with the next history.
        """
        thread = self._thread(call)
        if thread is None:
            raise UsageError("this call belongs to no session", hint=f"give {WHERE}, or thread=... above")
        wait = self.host.wait
        started = wait(thread.start, call["messages"], **_asked(call))
        try:
            response = litellm.completion(**_changed(call, started))
        except Exception as error:
            started = wait(thread.recover, started, error)
            response = litellm.completion(**_changed(call, started))
        if not call.get("stream"):
            wait(thread.finish, started, *_answer(response))
        return response

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: Any
    ) -> dict[str, Any] | None:
        """The call with the window in place of its messages."""
        if getattr(call_type, "value", call_type) not in _COMPLETIONS or not kwargs.get("messages"):
            return None
        thread = self._thread(kwargs)
        if thread is None:
            return None
        await self._logged(thread)
        call = await self.host.run(thread.start, kwargs["messages"], **_asked(kwargs))
        if call_id := kwargs.get("litellm_call_id"):
            self._calls[str(call_id)] = (thread, call)
            while len(self._calls) > MAX_OPEN_CALLS:
                del self._calls[next(iter(self._calls))]
        return _changed(kwargs, call)

    async def async_post_call_success_deployment_hook(
        self, request_data: dict[str, Any], response: Any, call_type: Any
    ) -> None:
        """Store the reply before the caller has it."""
        await self._finish(request_data, response)

    async def async_post_call_failure_deployment_hook(
        self, request_data: Any, exception: Exception, *args: Any, **named: Any
    ) -> None:
        """Forget a call that failed. If it was too long, the next attempt is smaller."""
        thread, _ = self._calls.pop(str(request_data.get("litellm_call_id")), (None, None))
        if thread is not None:
            with contextlib.suppress(Exception):  # the caller gets the error
                await self.host.run(thread.shrink, exception)

    async def async_log_success_event(
        self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Store a reply that was streamed."""
        await self._finish(kwargs, response_obj)

    async def _logged(self, thread: Thread[ChatMessage]) -> None:
        """Wait a little until the last call of a thread is logged: LiteLLM logs a stream some time after its end, and
        one that was not read to its end never. So each call is waited for once.
        """
        waited: set[str] = set()
        for _ in range(LOG_WAITS):
            waited = {key for key, (one, _) in self._calls.items() if one is thread and key not in self._late}
            if not waited:
                return
            await asyncio.sleep(LOG_WAIT_S)
        self._late = (self._late | waited) & self._calls.keys()

    async def _finish(self, kwargs: Mapping[str, Any], response: Any) -> None:
        if not getattr(response, "choices", None) or not hasattr(response.choices[0], "message"):
            return
        thread, call = self._calls.pop(str(kwargs.get("litellm_call_id")), (None, None))
        if thread is not None and call is not None:
            await self.host.run(thread.finish, call, *_answer(response))

    def _thread(self, call: Mapping[str, Any]) -> Thread[ChatMessage] | None:
        """The thread of a call; None for a call that belongs to none.

        The proxy writes the user of the key into the metadata. There a client could claim to be any `user`.
        """
        given = {**(call.get("litellm_metadata") or {}), **(call.get("metadata") or {})}
        names = (
            given.get("session_id"),
            given.get("thread_id"),
            call.get("litellm_session_id"),
            self.host.thread_id,
        )
        name = next((str(one) for one in names if one), "")
        if not name:
            return None
        owner = call.get("user")
        if "user_api_key" in given or "user_api_key_hash" in given:
            keys = ("user_api_key_user_id", "user_api_key_hash", "user_api_key")
            owner = next((given[key] for key in keys if given.get(key)), None)
        return self.host.thread(name, owner, where=WHERE)


def _asked(call: Mapping[str, Any]) -> dict[str, Any]:
    tools = [one for tool in call.get("tools") or () for one in parse_tools(tool)]
    model = str(call.get("model") or "")
    return {"tools": tools, "model": model.rpartition("/")[2]}


def _changed(kwargs: Mapping[str, Any], call: Call[ChatMessage]) -> dict[str, Any]:
    system = [{"role": "system", "content": call.system}] if call.system else []
    return {**kwargs, "messages": [*system, *call.messages]}


def _answer(response: Any) -> tuple[list[ChatMessage], object]:
    message = response.choices[0].message
    return [message.model_dump(exclude_none=True)], getattr(response, "usage", None)


class ChatCodec:
    """OpenAI's chat messages, as LiteLLM takes them for every provider."""

    def fields(self, native: ChatMessage) -> tuple[object, ...]:
        get = native.get if isinstance(native, dict) else lambda name: getattr(native, name, None)
        content, calls = get("content"), get("tool_calls")
        inner = [value for one in content for value in _values(one)] if isinstance(content, list) else ()
        asked = [_function_of(one) for one in calls] if isinstance(calls, list) else ()
        return (content, *inner, *asked, get("thinking_blocks"))

    def read(self, native: ChatMessage) -> Sequence[Piece]:
        said = fields_of(native, "a message")
        thinking = parts_of(said.pop("thinking_blocks", None))
        said.pop("provider_specific_fields", None)
        if not any(isinstance(one, Reasoning) for one in thinking):
            return [Piece(one, native) for one in parse_any(said)]
        said.pop("reasoning_content", None)
        return [
            Piece(Message(one.role, (*thinking, *one.parts), name=one.name, wire="anthropic"), native)
            for one in parse_any(said)
        ]

    def write(self, pieces: Sequence[Piece]) -> list[ChatMessage]:
        return [new for one in pieces for new in _native(one)]


def _values(block: object) -> tuple[object, ...]:
    return tuple(block.values()) if isinstance(block, dict) else (block,)


def _function_of(call: Any) -> object:
    function = call.get("function") if isinstance(call, dict) else getattr(call, "function", None)
    return function.get("arguments") if isinstance(function, dict) else getattr(function, "arguments", None)


def _native(piece: Piece) -> list[ChatMessage]:
    if piece.native is not None:
        return [cast("ChatMessage", piece.native)]
    message = piece.message
    thinking = [
        _block(one) for one in message.parts if isinstance(one, Reasoning) and message.wire == "anthropic"
    ]
    made = cast("list[ChatMessage]", openai.render_messages([_plain(message)]))
    if thinking and made:
        made[0] = {**made[0], "thinking_blocks": thinking}
    return made


def _plain(message: Message) -> Message:
    """A message without thinking. One of the system becomes the user's: the prompt has its place at the start."""
    role = "user" if message.role == "system" else message.role
    parts = tuple(one for one in message.parts if not isinstance(one, Reasoning))
    return Message(role, parts, name=message.name)


def _block(part: Reasoning) -> dict[str, object]:
    if part.redacted:
        return {"type": "redacted_thinking", "data": part.text}
    return {"type": "thinking", "thinking": part.text, "signature": part.signature}
