"""A model that says what it was told to, for tests and trials: replies in order, and what each was asked."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence

from palimpsest.record.completion import Completion, CompletionRequest, Delta, ReasoningDelta, TextDelta
from palimpsest.record.message import Reasoning, ToolCall

Piece = Delta | Completion | BaseException | float
"""One step of a stream told piece by piece: a delta, the whole reply, an error to raise, seconds to wait."""

Reply = (
    str
    | Completion
    | BaseException
    | float
    | Sequence[Piece]
    | Callable[[CompletionRequest], "str | Completion"]
)
"""Text, a whole completion, an error to raise, seconds to wait before an empty reply, a stream piece by piece (without
a `Completion` at its end its texts are the reply), or a function of the request.
"""

MAX_REQUESTS = 10_000
"""Requests that are remembered; the oldest give way."""

_WORD = re.compile(r"(?:\A\s+)?\S+\s*")


class ScriptedModel:
    """A `Model` that gives `replies` in order, the last one for ever. `requests` holds what was asked.

    In a stream a text comes word by word, and the thinking in a completion's message before it; `pause_s` passes before
    each piece.
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
        """The next reply in pieces, the whole of it last."""
        for piece in self._next(request):
            if isinstance(piece, float | int):
                await asyncio.sleep(piece)
                continue
            await asyncio.sleep(self._pause_s)
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    async def close(self) -> None:
        """Note that it was closed."""
        self.closed = True

    def _next(self, request: CompletionRequest) -> Iterator[Piece]:
        """The pieces of the reply whose turn it is; they end in a completion or in an error."""
        reply = self._replies[min(self._asked, len(self._replies) - 1)]
        self._asked += 1
        self.requests.append(request)
        del self.requests[:-MAX_REQUESTS]
        return _pieces(reply(request) if callable(reply) else reply)


def call_tools(
    *calls: tuple[str, Mapping[str, object]], text: str = "", first_id: int = 1, prefix: str = "call"
) -> Completion:
    """A reply that asks for tools: each call is (name, arguments), and gets the id "call_1", "call_2", ..."""
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
        yield from _told(reply)


def _told(told: Sequence[Piece]) -> Iterator[Piece]:
    yield from told
    if not told or not isinstance(told[-1], Completion | BaseException):
        yield Completion("".join(piece.text for piece in told if isinstance(piece, TextDelta)))


def _words(text: str) -> list[str]:
    """The text cut behind each word, the white space kept; joined they are the text."""
    return _WORD.findall(text) or ([text] if text else [])
