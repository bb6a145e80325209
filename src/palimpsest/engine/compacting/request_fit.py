"""Making a request fit: compact until it does, or say which parts are too large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.budget.result_truncation import reading_tool
from palimpsest.engine.background_pauses import off_loop
from palimpsest.engine.compacting.compactor import Compactor, goal_tokens
from palimpsest.errors import DoesNotFit, ModelError, UsageError
from palimpsest.plan.emergency import drop_oldest_turns

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import Desk, Fixed
    from palimpsest.record.decision import Budget
    from palimpsest.record.log import Branch
    from palimpsest.record.window import Window
if TYPE_CHECKING:
    from palimpsest.engine.compacting.compactor import Compactor
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.engine.reports import Report


MAX_REQUEST_TRIES = 5
"""How often a request is made to fit again because others went on appending meanwhile."""


async def make_fit(
    desk: Desk, compactor: Compactor, branch: Branch | None, window: Window
) -> tuple[Branch, Window, Budget]:
    """This window, just loaded, or a compacted one where a request with the desk's fixed parts does not fit.

    Raises DoesNotFit, and UsageError before the first message. Where it fits nothing is awaited, so that requests made
    at the same time keep their own fixed parts; where it does not, they are put back after each wait.
    """
    if branch is None or not window.items:
        raise UsageError(f"conversation {desk.conversation!r} has no messages", hint="append one first")
    fixed = desk.fixed
    budget = desk.budget(window, branch)
    tries = 0
    while budget.used_tokens > budget.capacity_tokens:
        await refuse_hopeless(desk, window, branch, fixed=fixed)
        planned_through, tries = window.last, tries + 1
        await compactor.until_under(desk)
        branch, window = await desk.load()
        desk.fixed = fixed
        budget = desk.budget(window, branch)
        budget = lighter(desk, window, branch, budget)
        over = budget.used_tokens > budget.capacity_tokens
        if branch is None or (over and (window.last == planned_through or tries >= MAX_REQUEST_TRIES)):
            raise does_not_fit(window, budget)
    return branch, window, budget


async def refuse_hopeless(
    desk: Desk,
    window: Window,
    branch: Branch | None,
    under_tokens: int | None = None,
    fixed: Fixed | None = None,
) -> None:
    """Raise DoesNotFit, before anything is replaced, where what cannot shrink is over the goal already. The `fixed`
    parts of a request that this is for are put back after the wait.
    """
    from palimpsest.plan.fit_to_limit import least

    tool = reading_tool(desk.fixed.tools)
    smallest = await off_loop(least, window, tool)
    desk.fixed = fixed or desk.fixed
    budget = desk.budget(smallest, branch)
    goal = goal_tokens(budget, under_tokens)
    if budget.used_tokens - budget.regions.ledger > goal:
        raise does_not_fit(smallest, budget, goal)


def lighter(
    desk: Desk, window: Window, branch: Branch | None, budget: Budget, under_tokens: int | None = None
) -> Budget:
    """The budget of a window without its ledger, where only that makes it fit; else the one given."""
    over_tokens = budget.used_tokens - goal_tokens(budget, under_tokens)
    if 0 < over_tokens <= budget.regions.ledger:
        desk.leave_out_ledger(window)
        return desk.budget(window, branch)
    return budget


def does_not_fit(window: Window, budget: Budget, goal: int | None = None) -> DoesNotFit:
    """The error that says what is too large for the capacity, or for a lower goal. The parts add up to what a request
    would use at least: without its ledger, which no request needs.
    """
    from palimpsest.plan.hierarchical import newest_request, shown_request

    room = f"{budget.window_tokens:,} less {budget.output_reserve_tokens:,} for the reply and the margin"
    asked = goal is not None and goal < budget.capacity_tokens
    goal = goal if goal is not None and asked else budget.capacity_tokens
    request = newest_request(window)
    largest = max(window.items, key=lambda item: item.tokens, default=None)
    parts = [
        ("system prompt", budget.regions.system),
        ("memory", budget.regions.memory),
        ("tools", budget.regions.tools),
        ("injections", budget.regions.injections),
        ("pins", budget.regions.pins),
        ("what the provider counts more", budget.correction_tokens),
    ]
    shown = shown_request(request)
    if shown is not None:
        parts.append((f"newest request {shown.id}", shown.tokens))
    if largest is not None and largest is not request:
        parts.append((f"largest other item {largest.id}", largest.tokens))
    least = budget.used_tokens - budget.regions.ledger
    parts.append(("all else", least - sum(tokens for _, tokens in parts)))
    named = ", ".join(
        f"{name} {tokens:,}" for name, tokens in sorted(parts, key=lambda part: -part[1]) if tokens
    )
    return DoesNotFit(
        f"no request fits {goal:,} tokens ({'asked for' if asked else room}); what cannot shrink: {named}",
        parts=[part for part in parts if part[1]],
        capacity_tokens=goal,
        hint="use a larger window_tokens, a smaller max_tokens, or shorten the parts named",
    )


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
