"""A model with scripted replies, for tests and trials. It records its requests."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence

from palimpsest.record.completion import Completion, CompletionRequest, Delta, ReasoningDelta, TextDelta
from palimpsest.record.message import Reasoning, ToolCall

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
