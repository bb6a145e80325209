"""Make a request fit: compact before it is sent, and drop the oldest turns after a provider refused it as too long.

A refusal's prompt size corrects the estimate as a report of usage does, and its window size replaces the model's if it
is smaller. So the next request fits at once. A larger prompt that the provider accepts later refutes such a window.
Everything else of the request is kept: tools, memory, injections and media.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.budget.result_truncation import reading_tool
from palimpsest.engine.background_pauses import off_loop
from palimpsest.engine.compacting.compactor import goal_tokens
from palimpsest.errors import DoesNotFit, ModelError, UsageError
from palimpsest.record.pin import records_mark

if TYPE_CHECKING:
    from palimpsest.engine.compacting.compactor import Runtime
    from palimpsest.engine.conversation_state import ConversationState, RequestPrefix
    from palimpsest.engine.reports import Report
    from palimpsest.record.decision import Budget, Decision, State
    from palimpsest.record.log import Branch
    from palimpsest.record.window import Window

MAX_FIT_TRIES = 5
"""How often a request is made to fit again because others went on appending."""

MAX_RETRIES = 2
"""Recoveries in a row without a request that the provider accepted."""


async def make_fit(runtime: Runtime, branch: Branch | None, window: Window) -> tuple[Branch, Window, Budget]:
    """This window, just loaded, or a compacted one in which a request with the present prefix fits.

    Raises DoesNotFit, and UsageError before the first message. If the window fits, nothing is awaited, so that requests
    made at the same time keep their own prefix; otherwise the prefix is restored after each wait.
    """
    state = runtime.state
    if branch is None or not window.items:
        raise UsageError(f"conversation {state.conversation!r} has no messages", hint="append one first")
    prefix = state.prefix
    if state.is_over_documented_budget(window, prefix):
        branch, window = await _compact_early(runtime, prefix)
        state.prefix = prefix
    budget = state.budget(window, branch)
    tries = 0
    while budget.used_tokens > budget.capacity_tokens:
        await refuse_hopeless(state, window, branch, prefix=prefix)
        planned_through, tries = window.last, tries + 1
        await _compact_as_wanted(runtime)
        await runtime.compactor.until_under(state)
        branch, window = await state.load()
        state.prefix = prefix
        budget = without_ledger(state, window, branch, state.budget(window, branch))
        is_over = budget.used_tokens > budget.capacity_tokens
        if branch is None or (is_over and (window.last == planned_through or tries >= MAX_FIT_TRIES)):
            raise does_not_fit(window, budget)
    return branch, window, budget


async def _compact_early(runtime: Runtime, prefix: RequestPrefix) -> tuple[Branch, Window]:
    """The window after PicoClaw's proactive check, which finds it too large: with more of it compacted, as far as the
    policy offers to. Whether a request really fits is decided afterwards.
    """
    from palimpsest.plan.policies import compact_early
    from palimpsest.record.decision import Decision

    state = runtime.state

    def decide(policy_state: State) -> Decision:
        if state.is_over_documented_budget(policy_state.window, prefix):
            return compact_early(policy_state)
        return Decision((), "under the documented budget")

    await runtime.compactor.carry_out(state, decide, rounds=state.settings.max_rounds)
    branch, window = await state.load()
    if branch is None:
        raise UsageError(f"conversation {state.conversation!r} has no messages", hint="append one first")
    return branch, window


async def _compact_as_wanted(runtime: Runtime) -> None:
    """Make the compactions that waited for the end of a turn. Making the request only just fit would soon be repeated,
    and each time costs the turn its thinking.
    """
    from palimpsest.plan.policies import POLICIES

    state, policy = runtime.state, POLICIES[runtime.state.settings.policy]
    if state.binds_thinking() and state.settings.compact_threshold is not None:
        await runtime.compactor.carry_out(
            state, lambda policy_state: policy.asked(policy_state, None), rounds=policy.asked_rounds
        )


async def refuse_hopeless(
    state: ConversationState,
    window: Window,
    branch: Branch | None,
    under_tokens: int | None = None,
    prefix: RequestPrefix | None = None,
) -> None:
    """Raise DoesNotFit, before anything is replaced, if what cannot shrink is over the goal already."""
    from palimpsest.plan.fit_to_limit import smallest_window

    smallest = await off_loop(smallest_window, window, reading_tool(state.prefix.tools))
    state.prefix = prefix or state.prefix
    budget = state.budget(smallest, branch)
    goal = goal_tokens(budget, under_tokens)
    if budget.used_tokens - budget.regions.ledger > goal:
        raise does_not_fit(smallest, budget, goal)


def without_ledger(
    state: ConversationState,
    window: Window,
    branch: Branch | None,
    budget: Budget,
    under_tokens: int | None = None,
) -> Budget:
    """The budget of a window without its ledger, if only that makes it fit; else the given one."""
    over_tokens = budget.used_tokens - goal_tokens(budget, under_tokens)
    if 0 < over_tokens <= budget.regions.ledger:
        state.hidden_ledger_mark = records_mark(window)
        return state.budget(window, branch)
    return budget


def does_not_fit(window: Window, budget: Budget, goal: int | None = None) -> DoesNotFit:
    """The error that names the parts of the smallest possible request, which has no ledger."""
    from palimpsest.plan.blocks import newest_request, shown_request
    from palimpsest.record.window_items import system_kind

    limit = f"{budget.window_tokens:,} less {budget.output_reserve_tokens:,} for the reply and the margin"
    if goal is None or goal >= budget.capacity_tokens:
        goal = budget.capacity_tokens
    else:
        limit = "asked for"
    request = newest_request(window)
    told = window.facts.told
    others = (item for item in window.items if item is not request and item not in told)
    largest = max(others, key=lambda item: item.tokens, default=None)
    regions = budget.regions
    parts = [
        ("system prompt", regions.system),
        ("memory", regions.memory),
        ("tools", regions.tools),
        ("injections", regions.injections),
        ("pins", regions.pins),
        ("what the provider counts more", budget.correction_tokens),
    ]
    shown = shown_request(request)
    if shown is not None:
        parts.append((f"newest request {shown.id}", shown.tokens))
    parts += [(f"newest {system_kind(item)} message {item.id}", item.tokens) for item in told]
    if largest is not None:
        parts.append((f"largest other item {largest.id}", largest.tokens))
    named_tokens = sum(tokens for _, tokens in parts)
    parts.append(("all else", budget.used_tokens - regions.ledger - named_tokens))
    named = ", ".join(
        f"{name} {tokens:,}" for name, tokens in sorted(parts, key=lambda part: -part[1]) if tokens
    )
    return DoesNotFit(
        f"no request fits {goal:,} tokens ({limit}); what cannot shrink: {named}",
        parts=[part for part in parts if part[1]],
        capacity_tokens=goal,
        hint="use a larger window_tokens, a smaller max_tokens, or shorten the parts named",
    )


async def drop_after_overflow(error: object, runtime: Runtime) -> Report | None:
    """Drop the oldest half of the turns, if the error is an overflow.

    Raises the classified error itself if it is something else; ModelError if nothing is left to drop, and after two
    recoveries in a row. Source: the page on PicoClaw's context architecture, "Emergency compression (reactive)".
    """
    from palimpsest.formats.failures import classify
    from palimpsest.plan.emergency import drop_oldest_turns

    state, failure = runtime.state, classify(error)
    cause = error if isinstance(error, BaseException) else None
    if failure.reason != "context_overflow":
        if failure is error:
            raise failure
        raise failure from cause
    branch, window = await state.load()
    if branch is not None:
        budget = state.budget(window, branch)
        max_window_tokens = window_at_most(
            failure.limit_tokens, failure.prompt_tokens, budget.output_reserve_tokens, budget.window_tokens
        )
        state.note_refusal(failure.prompt_tokens, max_window_tokens, window, branch)
    if state.recoveries >= MAX_RETRIES:
        raise _given_up(
            failure,
            f"the provider still refuses the request as too long after {MAX_RETRIES} retries",
            "check that window_tokens is not more than the model has",
        ) from cause
    state.recoveries += 1
    report = await runtime.compactor.carry_out(state, drop_oldest_turns, rounds=1)
    if report is None:
        raise _given_up(
            failure,
            "the provider refuses the request as too long, and nothing is left to drop",
            "shorten the newest message, the system prompt or the tools",
        ) from cause
    return report


def window_at_most(limit_tokens: int, prompt_tokens: int, reply_tokens: int, window_tokens: int) -> int:
    """The largest window that a refusal leaves possible, at most the present one. 0 means that it does not say."""
    too_large = prompt_tokens + reply_tokens - 1 if prompt_tokens else 0
    known = limit_tokens or too_large
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
