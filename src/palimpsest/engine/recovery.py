"""After a provider refused a request as too long in spite of the estimate: drop, learn, and try again, twice at most.

Source: the page on PicoClaw's context architecture, "Emergency compression (reactive)". Unlike the engine described
there, everything else of the request is kept: its tools, memory, injections, and the media of what remains.
"""

from __future__ import annotations

from palimpsest.engine.compactor import Compactor
from palimpsest.engine.desk import Desk
from palimpsest.engine.reports import Report
from palimpsest.errors import ModelError
from palimpsest.plan.emergency import drop_oldest_turns

MAX_RETRIES = 2
"""Recoveries in a row without a request that the provider took."""


async def drop_after(error: object, desk: Desk, compactor: Compactor) -> Report | None:
    """Drop the oldest half of the turns, if the error is an overflow; None where nothing could be dropped.

    Raises the error itself, classified, where it is none, and after two recoveries in a row.
    """
    from palimpsest.formats.failures import classify

    failure = classify(error)
    cause = error if isinstance(error, BaseException) else None
    if failure.reason != "context_overflow":
        raise failure from cause
    if desk.recoveries >= MAX_RETRIES:
        raise ModelError(
            f"the provider still refuses the request as too long after {MAX_RETRIES} retries: {failure.message}",
            hint="check that window_tokens is not more than the model has",
            reason="context_overflow",
            status=failure.status,
            limit_tokens=failure.limit_tokens,
            prompt_tokens=failure.prompt_tokens,
        ) from cause
    desk.recoveries += 1
    report = await compactor.carry_out(desk, drop_oldest_turns, rounds=1)
    if report is None:
        raise ModelError(
            f"the provider refuses the request as too long, and nothing is left to drop: {failure.message}",
            hint="shorten the newest message, the system prompt or the tools",
            reason="context_overflow",
            status=failure.status,
            limit_tokens=failure.limit_tokens,
            prompt_tokens=failure.prompt_tokens,
        ) from cause
    return report
