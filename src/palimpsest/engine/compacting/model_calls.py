"""Run the generators that ask for completions: call the model, enforce time limits, and turn failures into values.

A streaming model is given up after a time without a new piece of its reply, and after a multiple of that time in total.
Any other callable has one limit for the whole reply.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from palimpsest.complete.model_adapter import is_model
from palimpsest.engine.background_pauses import give_way as give_way  # noqa: PLC0414  (the documented path)
from palimpsest.engine.limited_calls import LeftBehind, TimeLimit, limited, time_limit
from palimpsest.errors import ModelError
from palimpsest.formats.failures import classify
from palimpsest.ports import Complete, Model
from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest, Retrying
from palimpsest.record.summary import Draft
from palimpsest.redaction.redactor import redact_error_text
from palimpsest.summarize.model.escalation import PURPOSE, reply_chars
from palimpsest.summarize.model.reply_parsing import is_declined

Result = TypeVar("Result")

TIMEOUT_S, SELF_HOSTED_TIMEOUT_S = 60.0, 600.0
"""The default limit of silence. A self-hosted model may take that long to read its prompt."""
TOTAL_TIMEOUT_FACTOR = 10
"""The limit of a whole streamed reply, as a multiple of the limit of silence."""


async def drive(
    steps: Generator[CompletionRequest, Completion | CompletionFailure, Result],
    complete: Complete,
    fallback: Complete | None = None,
) -> Result:
    """Run the generator to its end, sending it the reply or the failure of each request.

    A failed request is repeated once with `fallback`. After an empty or declined reply, the generator's next request
    goes to `fallback` too, unless the reply answered a fork of the conversation's own request.
    """
    took_s: list[float] = []

    async def ask(model: Complete, request: CompletionRequest) -> Completion | CompletionFailure:
        started_s = time.perf_counter()
        reply = await attempt(model, request)
        if isinstance(reply, CompletionFailure) and fallback is not None and model is not fallback:
            reply = await attempt(fallback, replace(request, model=""))
        took_s.append(round(time.perf_counter() - started_s, 1))
        return reply

    try:
        request = next(steps)
        while True:
            reply = await ask(complete, request)
            declined = (
                isinstance(reply, Completion)
                and request.purpose != PURPOSE
                and is_declined(reply, reply_chars(request))
            )
            request = steps.send(reply)
            if declined and fallback is not None:
                request = steps.send(await ask(fallback, replace(request, model="")))
    except StopIteration as stop:
        result: Result = stop.value
        if isinstance(result, Draft) and result.calls:
            calls = (replace(call, took_s=took) for call, took in zip(result.calls, took_s, strict=False))
            return replace(result, calls=tuple(calls) or result.calls)
        return result
    finally:
        steps.close()


async def attempt(complete: Complete, request: CompletionRequest) -> Completion | CompletionFailure:
    """Make one call and return its failure as a value; cancelling the caller still raises."""
    try:
        return await complete(request)
    except TimeoutError as error:
        kind = "left_behind" if isinstance(error, LeftBehind) else "timed_out"
        return CompletionFailure(kind, redact_error_text(str(error)), "timeout")
    except Exception as error:  # noqa: BLE001  (a client may raise anything)
        name = "" if isinstance(error, ModelError) else f"{type(error).__name__}: "
        return CompletionFailure("raised", redact_error_text(f"{name}{error}"), classify(error).reason)


@dataclass(frozen=True, slots=True)
class TimeLimited:
    """A model with the time limits of a summary. A request's `timeout_s` limits its silence; 0 means the default.

    Raises TimeoutError with the limit in its text.
    """

    complete: Complete
    provider: str = ""

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        limit_s = request.timeout_s or default_timeout_s(self.complete)
        if not is_model(self.complete):
            call = _called(self.complete, replace(request, timeout_s=limit_s))
            return await limited(call, time_limit(limit_s, "no reply within"))
        total_s = limit_s * TOTAL_TIMEOUT_FACTOR
        request = replace(request, timeout_s=total_s, silence_s=limit_s)
        silence = time_limit(limit_s, "no piece of a reply for")
        call = _streamed(self.complete, request, silence)
        return await limited(call, silence, time_limit(total_s, "no end of the reply within"))


def default_timeout_s(complete: Complete) -> float:
    """How long a model may be silent by default."""
    return SELF_HOSTED_TIMEOUT_S if getattr(complete, "self_hosted", False) else TIMEOUT_S


async def _called(complete: Complete, request: CompletionRequest) -> Completion:
    return await complete(request)


async def _streamed(model: Model, request: CompletionRequest, silence: TimeLimit) -> Completion:
    """The reply of a streaming model. Each piece extends the limit of silence; a retry does not."""
    loop, pieces = asyncio.get_running_loop(), model.stream(request)
    closable = hasattr(pieces, "aclose")
    async with aclosing(cast("AsyncGenerator[object]", pieces)) if closable else nullcontext():
        async for piece in pieces:
            if isinstance(piece, Completion):
                return piece
            if not isinstance(piece, Retrying):
                silence.ends_s = loop.time() + request.silence_s
    raise ModelError("the stream ended without a reply", reason="server")
