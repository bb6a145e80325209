"""Driving a generator that asks for completions, with a model, time limits, and whatever can go wrong turned into a
value.

A model that streams is given up after a time without a piece of its reply, however long the whole takes, up to a
multiple of that time. Any other callable is bounded in all.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Generator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from palimpsest.complete.model_adapter import is_model
from palimpsest.engine.background_pauses import pause, turns
from palimpsest.errors import ModelError
from palimpsest.formats.failures import classify
from palimpsest.ports import Complete, Model
from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest, Retrying
from palimpsest.record.summary import Draft
from palimpsest.redaction.error_texts import redact
from palimpsest.summarize.model.escalation import PURPOSE
from palimpsest.summarize.model.reply_parsing import is_declined

Result = TypeVar("Result")

TIMEOUT_S, SELF_HOSTED_TIMEOUT_S = 60.0, 600.0
"""How long a model may be silent where the settings do not say; a self-hosted one may read its prompt so long."""
TOTAL_TIMES = 10
"""A reply that goes on may take so many times as long in all."""
SLICE_S = 0.001
"""How long the event loop is kept from other tasks, and the rest of a slice of work."""


async def drive(
    steps: Generator[CompletionRequest, Completion | CompletionFailure, Result],
    complete: Complete,
    fallback: Complete | None = None,
) -> Result:
    """Run the generator to its end; each request goes to the model, each failure back in as a value.

    A request that the model fails at is made once more of `fallback`, where there is one, under its own name. Where the
    model said nothing, or declined, `fallback` is asked what the generator asks next; behind a fork, which another
    model answers, the model itself is.
    """
    took_s: list[float] = []

    async def asked(of: Complete, request: CompletionRequest) -> Completion | CompletionFailure:
        started_s = time.perf_counter()
        reply = await attempt(of, request)
        if isinstance(reply, CompletionFailure) and fallback is not None and of is not fallback:
            reply = await attempt(fallback, replace(request, model=""))
        took_s.append(round(time.perf_counter() - started_s, 1))
        return reply

    try:
        request = next(steps)
        while True:
            reply = await asked(complete, request)
            declined = (
                fallback is not None
                and isinstance(reply, Completion)
                and request.purpose != PURPOSE
                and is_declined(reply)
            )
            request = steps.send(reply)
            if declined and fallback is not None:
                request = steps.send(await asked(fallback, replace(request, model="")))
    except StopIteration as stop:
        return _timed(stop.value, took_s)
    finally:
        steps.close()


def _timed(made: Result, took_s: Sequence[float]) -> Result:
    """A draft with how long each of its calls took; anything else as it is."""
    if not isinstance(made, Draft):
        return made
    calls = tuple(replace(call, took_s=took) for call, took in zip(made.calls, took_s, strict=False))
    return replace(made, calls=calls or made.calls)


async def attempt(complete: Complete, request: CompletionRequest) -> Completion | CompletionFailure:
    """One call. Cancelling the task cancels the call and is not a failure of the model."""
    try:
        return await complete(request)
    except TimeoutError as error:
        return CompletionFailure("timed_out", redact(str(error)), "timeout")
    except Exception as error:  # noqa: BLE001  (a client may raise anything; the ladder falls to its next level)
        named = "" if isinstance(error, ModelError) else f"{type(error).__name__}: "
        told = redact(f"{named}{error}")
        return CompletionFailure("raised", told, classify(error).reason)


@dataclass(frozen=True, slots=True)
class Patient:
    """A model with the time limits of a summary. A request's `timeout_s` is how long it may be silent, 0 for as long as
    is usual. Raises TimeoutError, which says how long it was waited for.
    """

    complete: Complete
    provider: str = ""

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        limit_s = request.timeout_s or usual_s(self.complete)
        if not is_model(self.complete):
            return await _within(limit_s, self.complete(replace(request, timeout_s=limit_s)), "no reply")
        total_s = limit_s * TOTAL_TIMES
        asked = replace(request, timeout_s=total_s, silence_s=limit_s)
        return await _within(total_s, _streamed(self.complete, asked), "no end of the reply")


def usual_s(complete: Complete) -> float:
    """How long a model may be silent where nobody says."""
    return SELF_HOSTED_TIMEOUT_S if getattr(complete, "self_hosted", False) else TIMEOUT_S


async def _within(limit_s: float, call: Awaitable[Completion], what: str) -> Completion:
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            return await call
    except TimeoutError as error:
        raise TimeoutError(f"{what} within {limit_s:g} s" if limit.expired() else str(error)) from None


async def _streamed(model: Model, request: CompletionRequest) -> Completion:
    """The reply of a model that streams. A retry is no piece: it does not make the wait longer."""
    loop, pieces = asyncio.get_running_loop(), model.stream(request)
    silence = asyncio.timeout(request.silence_s)
    try:
        async with silence, _closed_after(pieces):
            async for piece in pieces:
                if isinstance(piece, Completion):
                    return piece
                if not isinstance(piece, Retrying):
                    silence.reschedule(loop.time() + request.silence_s)
    except TimeoutError as error:
        told = f"no piece of a reply for {request.silence_s:g} s" if silence.expired() else str(error)
        raise TimeoutError(told) from None
    raise ModelError("the stream ended without a reply", reason="server")


@asynccontextmanager
async def _closed_after(pieces: object) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        close = getattr(pieces, "aclose", None)
        if close is not None:
            await close()


async def give_way(steps: Generator[None, None, Result]) -> Result:
    """Run a generator of small slices of work, letting other tasks run between them, once a millisecond: a look at what
    else there is to do takes as long as a small slice. While somebody waits for a call, it pauses (`turns`).
    """
    try:
        if turns().calls:
            await pause()
        while True:
            until_s = time.perf_counter() + SLICE_S
            while time.perf_counter() < until_s:
                next(steps)
            await pause()
    except StopIteration as stop:
        return stop.value
    finally:
        steps.close()
