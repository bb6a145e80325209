"""Models without a server: `ScriptedModel` for tests, and the model "scripted", which answers a chat without a key.

The model "scripted" repeats messages and calls tools on request. It writes no summaries: a request for one fails, so
summaries are made without a model.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence

from palimpsest.errors import ModelError
from palimpsest.record.completion import Completion, CompletionRequest, Delta, ReasoningDelta, TextDelta
from palimpsest.record.message import Message, Reasoning, ToolCall

Piece = Delta | Completion | BaseException | float
"""One step of a stream: a delta, the complete reply, an error to raise, or seconds to wait."""

Reply = (
    str
    | Completion
    | BaseException
    | float
    | Sequence[Piece]
    | Callable[[CompletionRequest], "str | Completion"]
)
"""Text, a completion, an error to raise, seconds to wait before an empty reply, the pieces of a stream (without a
`Completion` at its end, its texts are the reply), or a function of the request.
"""

MAX_REQUESTS = 10_000
"""The number of newest requests that are kept."""

_WORD = re.compile(r"(?:\A\s+)?\S+\s*")


class ScriptedModel:
    """A `Model` that gives `replies` in order and repeats the last one. `requests` has the requests.

    A stream gives the text word by word, after the reasoning in a completion's message; `pause_s` precedes each piece.
    """

    def __init__(self, replies: Sequence[Reply], *, pause_s: float = 0.0) -> None:
        self._replies = list(replies)
        self._asked = 0
        self._pause_s = pause_s
        self.requests: list[CompletionRequest] = []
        self.closed = False

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        for piece in self._next(request):
            if isinstance(piece, float | int):
                await asyncio.sleep(piece)
            elif isinstance(piece, BaseException):
                raise piece
            elif isinstance(piece, Completion):
                await asyncio.sleep(0)
                return piece
        raise AssertionError("a script ends in a reply or in an error")

    async def stream(self, request: CompletionRequest, /) -> AsyncIterator[Delta | Completion]:
        """The next reply in pieces, then as a whole."""
        for piece in self._next(request):
            if isinstance(piece, float | int):
                await asyncio.sleep(piece)
                continue
            await asyncio.sleep(self._pause_s)
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    async def close(self) -> None:
        """Record the call in `closed`."""
        self.closed = True

    def _next(self, request: CompletionRequest) -> Iterator[Piece]:
        """The pieces of the next reply; the last one is a completion or an error."""
        reply = self._replies[min(self._asked, len(self._replies) - 1)]
        self._asked += 1
        self.requests.append(request)
        del self.requests[:-MAX_REQUESTS]
        return _pieces(reply(request) if callable(reply) else reply)


def call_tools(
    *calls: tuple[str, Mapping[str, object]], text: str = "", first_id: int = 1, prefix: str = "call"
) -> Completion:
    """A reply with tool calls, each given as (name, arguments); their ids are "call_1", "call_2", ..."""
    made = tuple(
        ToolCall(f"{prefix}_{number}", name, json.dumps(arguments, ensure_ascii=False))
        for number, (name, arguments) in enumerate(calls, first_id)
    )
    return Completion(text, finish_reason="tool_calls", calls=made)


def _pieces(reply: str | Completion | BaseException | float | Sequence[Piece]) -> Iterator[Piece]:
    if isinstance(reply, BaseException):
        yield reply
    elif isinstance(reply, float | int):
        yield float(reply)
        yield Completion("")
    elif isinstance(reply, str | Completion):
        whole = Completion(reply) if isinstance(reply, str) else reply
        for part in whole.message.parts if whole.message is not None else ():
            if isinstance(part, Reasoning) and not part.redacted:
                yield from (ReasoningDelta(word) for word in _words(part.text))
        yield from (TextDelta(word) for word in _words(whole.text))
        yield whole
    else:
        yield from reply
        if not reply or not isinstance(reply[-1], Completion | BaseException):
            yield Completion("".join(piece.text for piece in reply if isinstance(piece, TextDelta)))


def _words(text: str) -> list[str]:
    """The text split after each word, with its white space."""
    return _WORD.findall(text) or ([text] if text else [])


MAX_COUNT = 2_000
MAX_CALLS = 8
SHOWN_CHARS = 400

_USE = re.compile(r"use +([\w.-]+)[ \t]*(\{.*\})?[ \t]*", re.IGNORECASE)
_COUNT = re.compile(r"count(?: to)? +(\d{1,9})", re.IGNORECASE)
_HELP = (
    "I am a scripted model: I need no key and I know nothing. I repeat what you say, and there is more to try:\n"
    '- "use NAME {json}" calls a tool, and several such lines call several at once. {tools}\n'
    '- "count to 500" gives a long answer, which fills the window.'
)


def echo_model(model: str = "") -> ScriptedModel:
    """A model that repeats messages, counts, and calls tools."""
    return ScriptedModel([_answer])


def _answer(request: CompletionRequest) -> Completion:
    if request.purpose != "agent":
        raise ModelError("the scripted model writes no summaries", reason="refused")
    heard = request.messages[: len(request.messages) - request.injected]
    newest = _newest(heard)
    if newest is None:
        return Completion(_help(request))
    if newest.results:
        return Completion(_results_text(heard))
    said = newest.text.strip()
    calls = tuple(_calls(said, request))
    if calls:
        return Completion("", finish_reason="tool_calls", calls=calls)
    if said.lower().strip("/?!. ") == "help":
        return Completion(_help(request))
    if counted := _COUNT.fullmatch(said):
        last = min(int(counted[1]), MAX_COUNT)
        return Completion(" ".join(str(number) for number in range(1, last + 1)))
    return Completion(f"You said: {said[:SHOWN_CHARS]}" if said else "You said nothing.")


def _newest(messages: tuple[Message, ...]) -> Message | None:
    """The newest message that is not the assistant's."""
    return next((one for one in reversed(messages) if one.role != "assistant"), None)


def _help(request: CompletionRequest) -> str:
    names = ", ".join(tool.name for tool in request.tools)
    return _HELP.replace("{tools}", f"The tools here: {names}." if names else "No tools are offered here.")


def _calls(said: str, request: CompletionRequest) -> Iterator[ToolCall]:
    """The calls in a text of "use NAME {json}" lines; none if any line is different."""
    found = [_USE.fullmatch(line.strip()) for line in said.splitlines() if line.strip()]
    offered = {tool.name for tool in request.tools}
    if not found or not all(one is not None and one[1] in offered for one in found):
        return
    before = sum(len(message.calls) for message in request.messages)
    for number, one in enumerate(found[:MAX_CALLS], before + 1):
        if one is not None:
            yield ToolCall(f"call_{number}", one[1], _arguments(one[2] or "{}"))


def _arguments(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        return "{}"


def _results_text(messages: tuple[Message, ...]) -> str:
    """The results after the newest calls, a line each."""
    names = {call.id: call.name for message in messages for call in message.calls}
    lines: list[str] = []
    for message in reversed(messages):
        if message.role == "assistant":
            break
        lines[:0] = [
            f"{names.get(result.call_id, 'the tool')} {'failed' if result.is_error else 'answered'}: "
            f"{result.text.strip()[:SHOWN_CHARS] or 'nothing'}"
            for result in message.results
        ]
    return "\n".join(lines)
