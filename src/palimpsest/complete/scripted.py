"""A model that says what it was told to, for tests and trials: replies in order, and what each was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from palimpsest.record.completion import Completion, CompletionRequest

Reply = str | Completion | BaseException | float | Callable[[CompletionRequest], str]
"""Text, a whole completion, an error to raise, seconds to wait before an empty reply, or a function of the request."""


class ScriptedModel:
    """Gives `replies` in order, the last one for ever. `requests` holds what was asked."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self._replies = list(replies)
        self.requests: list[CompletionRequest] = []

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        reply = self._replies[min(len(self.requests), len(self._replies) - 1)]
        self.requests.append(request)
        await asyncio.sleep(0)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, float | int):
            await asyncio.sleep(reply)
            return Completion("")
        if isinstance(reply, Completion):
            return reply
        return Completion(reply if isinstance(reply, str) else reply(request))
