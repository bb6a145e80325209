"""After a provider refused a request as too long in spite of the estimate: learn, drop, and try again, twice at most.

Source: the page on PicoClaw's context architecture, "Emergency compression (reactive)". Unlike the engine described
there, everything else of the request is kept: its tools, memory, injections, and the media of what remains.

What the refusal says of the prompt corrects the estimate as a report of usage does, and what it says of the window is
the model's window from then on, where that is less than was thought: so the next request fits what there is, instead of
being dropped by halves towards it. A larger prompt that the provider takes all the same refutes such a window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.errors import ModelError
from palimpsest.plan.emergency import drop_oldest_turns

if TYPE_CHECKING:
    from palimpsest.engine.compacting.compactor import Compactor
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.engine.reports import Report

MAX_RETRIES = 2
"""Recoveries in a row without a request that the provider took."""


async def drop_after(error: object, desk: Desk, compactor: Compactor) -> Report | None:
    """Drop the oldest half of the turns, if the error is an overflow.

    Raises the error itself, classified, where it is none; ModelError where nothing is left to drop, and after two
    recoveries in a row.
    """
    from palimpsest.formats.failures import classify

    failure = classify(error)
    cause = error if isinstance(error, BaseException) else None
    if failure.reason != "context_overflow":
        if failure is error:
            raise failure
        raise failure from cause
    await _learn(failure, desk)
    if desk.recoveries >= MAX_RETRIES:
        raise _given_up(
            failure,
            f"the provider still refuses the request as too long after {MAX_RETRIES} retries",
            "check that window_tokens is not more than the model has",
        ) from cause
    desk.recoveries += 1
    report = await compactor.carry_out(desk, drop_oldest_turns, rounds=1)
    if report is None:
        raise _given_up(
            failure,
            "the provider refuses the request as too long, and nothing is left to drop",
            "shorten the newest message, the system prompt or the tools",
        ) from cause
    return report


async def _learn(failure: ModelError, desk: Desk) -> None:
    branch, window = await desk.load()
    if branch is None:
        return
    budget = desk.budget(window, branch)
    most_tokens = window_at_most(
        failure.limit_tokens, failure.prompt_tokens, budget.output_reserve_tokens, budget.window_tokens
    )
    desk.refused_at(failure.prompt_tokens, most_tokens, window, branch)


def window_at_most(limit_tokens: int, prompt_tokens: int, reply_tokens: int, window_tokens: int) -> int:
    """The largest window that a refusal leaves possible: what it names, else less than the prompt and the reply it
    refused; the present one where it says neither, or more. 0 stands for what the refusal does not say.
    """
    refuted = prompt_tokens + reply_tokens - 1 if prompt_tokens else 0
    known = limit_tokens or refuted
    return min(known, window_tokens) if known else window_tokens


def _given_up(failure: ModelError, why: str, hint: str) -> ModelError:
    return ModelError(
        f"{why}: {failure.message}",
        hint=hint,
        reason="context_overflow",
        status=failure.status,
        limit_tokens=failure.limit_tokens,
        prompt_tokens=failure.prompt_tokens,
    )
