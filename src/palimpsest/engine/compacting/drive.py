"""Driving a generator that asks for completions, with a model, a time limit, and whatever can go wrong
turned into a value.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from dataclasses import replace
from typing import TypeVar

from palimpsest.errors import ModelError
from palimpsest.formats.failures import classify
from palimpsest.formats.failures.secrets import redact
from palimpsest.ports import Complete
from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest
from palimpsest.summarize.abstractive.fork import PURPOSE
from palimpsest.summarize.abstractive.reply import is_declined

Result = TypeVar("Result")

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
    try:
        request = next(steps)
        while True:
            reply = await attempt(complete, request)
            if isinstance(reply, CompletionFailure) and fallback is not None:
                reply = await attempt(fallback, replace(request, model=""))
            declined = isinstance(reply, Completion) and request.purpose != PURPOSE and is_declined(reply)
            request = steps.send(reply)
            if declined and fallback is not None:
                request = steps.send(await attempt(fallback, replace(request, model="")))
    except StopIteration as stop:
        return stop.value
    finally:
        steps.close()


async def attempt(complete: Complete, request: CompletionRequest) -> Completion | CompletionFailure:
    """One call within its time limit. Cancelling the task cancels the call and is not a failure of the model."""
    limit_s = request.timeout_s or None
    try:
        async with asyncio.timeout(limit_s):
            return await complete(request)
    except TimeoutError:
        return CompletionFailure("timed_out", f"no reply within {limit_s or 0:g} s", "timeout")
    except Exception as error:  # noqa: BLE001  (a client may raise anything; the ladder falls to its next level)
        named = "" if isinstance(error, ModelError) else f"{type(error).__name__}: "
        told = redact(f"{named}{error}")
        return CompletionFailure("raised", told, classify(error).reason)


async def give_way(steps: Generator[None, None, Result]) -> Result:
    """Run a generator of small slices of work, letting other tasks run between them, once a millisecond: a look at what
    else there is to do takes as long as a small slice.
    """
    try:
        while True:
            until_s = time.perf_counter() + SLICE_S
            while time.perf_counter() < until_s:
                next(steps)
            await asyncio.sleep(0)
    except StopIteration as stop:
        return stop.value
    finally:
        steps.close()
