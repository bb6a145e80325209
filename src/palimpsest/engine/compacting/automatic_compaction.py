"""When a conversation is compacted: on request, or automatically after a turn or a step, awaited if the preset says so,
else in the background.

Automatic compaction is off if `compact_threshold` is None, and rests after two compactions that did not help. A request
that would not fit is compacted in any case.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from palimpsest.budget.compaction_effect import compacted, reported
from palimpsest.budget.regions import trigger
from palimpsest.engine.background_pauses import off_loop
from palimpsest.engine.compacting.compactor import goal_tokens
from palimpsest.engine.compacting.report import merge_reports
from palimpsest.engine.compacting.request_fit import does_not_fit, refuse_hopeless, without_ledger
from palimpsest.engine.reports import Event, Report
from palimpsest.plan.blocks import is_within_turn
from palimpsest.plan.economic import judge
from palimpsest.plan.policies import MAX_PASSES, POLICIES, Policy, fit

if TYPE_CHECKING:
    from palimpsest.budget.assemble import Request
    from palimpsest.engine.compacting.background import BackgroundWork
    from palimpsest.engine.compacting.compactor import Runtime
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.record.decision import Decision, State
    from palimpsest.record.log import Branch
    from palimpsest.record.window import Window

READING, DECIDING, EMBEDDING = "ledger", "decision", "vectors"
"""Kinds of background work: reading into the ledger, a decision that takes long, and embedding messages."""

FEW_ITEMS = 1_000
"""For a window of at most so many items a policy decides on the event loop."""

READ_FROM_TOKENS = 10_000
"""A conversation is read into its ledger once it has so many tokens."""
READ_EVERY_MESSAGES, READ_AT_REQUEST_MESSAGES = 4, 16
"""After a turn so many unread messages are read; before a request more of them, where turns are not marked."""


def policy_of(state: ConversationState) -> Policy:
    """The policy that the settings name."""
    return POLICIES[state.settings.policy]


def decides_before_calls(state: ConversationState) -> bool:
    """Whether compactions are decided before each call."""
    return state.settings.compact_when == "call" or state.settings.policy == "economic"


def waits_for_turn_end(state: ConversationState, window: Window) -> bool:
    """Whether a compaction would cost a turn in progress its thinking, which the model binds to what precedes it."""
    return state.binds_thinking() and is_within_turn(window)


def _asks_provider(runtime: Runtime) -> bool:
    return runtime.state.settings.summarizer == "provider" and runtime.compactor.provider() is not None


def _as_cached(policy_state: State) -> State:
    """The state after its prompt was sent, when it is in the provider's cache."""
    economy = policy_state.economy
    return policy_state if economy is None else replace(policy_state, economy=replace(economy, warm=True))


async def compact_awaited(runtime: Runtime) -> Report | None:
    """Make the compaction for which a turn or a step waits; None if there was none to make."""
    state, policy = runtime.state, policy_of(runtime.state)
    if runtime.background.running(state.conversation, policy.due[0][0]):
        return None
    _, window = await state.load()
    if waits_for_turn_end(state, window):
        return None
    if await _policy_state(runtime) is None:
        return None
    report = await runtime.compactor.carry_out(state, policy.awaited, rounds=policy.awaited_rounds)
    return await _note_report(state, report)


async def compact_before_call(runtime: Runtime, branch: Branch, window: Window) -> bool:
    """Start what should be compacted before a call; whether the window may have changed.

    The compaction is made in the background, for a later call, unless `compact_when` is "call". Then the call's prompt
    will be cached when the compaction is done, so that it is decided as if it were. A request that does not fit is left
    to `make_fit`.
    """
    state, policy = runtime.state, policy_of(runtime.state)
    name, kind = state.conversation, policy.due[0][0]
    running = runtime.background.running
    if state.settings.compact_threshold is None or running(name, kind) or running(name, DECIDING):
        return False
    if waits_for_turn_end(state, window):
        return False
    policy_state = runtime.compactor.policy_state(state, window, branch)
    in_background = state.settings.compact_when != "call" and not (
        state.binds_thinking()
        and runtime.compactor.writer(state.settings) is None
        and not _asks_provider(runtime)
    )
    if in_background:
        policy_state = _as_cached(policy_state)
    economy = policy_state.economy
    inline = not in_background and runtime.compactor.writer(state.settings) is None
    if economy is not None:
        verdict, meter = judge(policy_state, roughly=in_background)
        state.costs.meter = meter
        asks_model = verdict.action == "compact" and verdict.summarizer != "extractive"
        inline = not in_background and not asks_model
        if not inline and not economy.warm:
            verdict, _ = judge(policy_state := _as_cached(policy_state))
        if verdict.action == "nothing":
            return False
    budget = policy_state.budget
    if state.engine_state.effect.rests(budget.used_tokens):
        return False
    if inline:
        decision = await off_loop(policy.awaited, policy_state)
        return bool(decision.steps) and await compact_awaited(runtime) is not None
    if budget.used_tokens <= budget.capacity_tokens:
        runtime.background.start(name, DECIDING, partial(_decide, runtime), light=True)
    return False


async def _decide(runtime: Runtime) -> None:
    """Start a compaction in the background, if there is anything to compact."""
    policy_state, policy = await _policy_state(runtime), policy_of(runtime.state)
    if policy_state is not None:
        decision = await off_loop(policy.awaited, _as_cached(policy_state))
        if decision.steps:
            kind = policy.due[0][0]
            runtime.background.start(runtime.state.conversation, kind, partial(_carry_out, runtime, kind))


async def start_background_work(runtime: Runtime) -> None:
    """Start the first kind of compaction that has something to do, in the background; the next kind follows it.

    A kind that is still running since an earlier turn does not hold up the next one. If turns come as fast as leaves
    are made, nothing would be condensed otherwise. For a model that binds thinking all of it waits for the end of the
    turn.
    """
    state = runtime.state
    branch, window = await state.load()
    if not decides_before_calls(state):
        if not waits_for_turn_end(state, window):
            await _start_from(runtime, 0)
    elif branch is not None and state.binds_thinking():
        await compact_before_call(runtime, branch, window)
    branch, _ = await state.load()
    if branch is not None:
        read_soon(runtime, branch)
        embed_soon(runtime)


def read_soon(runtime: Runtime, branch: Branch, min_messages: int = READ_EVERY_MESSAGES) -> None:
    """Start reading unread messages into the ledger in the background, once the conversation may be compacted."""
    state = runtime.state
    if branch.tokens < READ_FROM_TOKENS or not state.settings.ledger_tokens:
        return
    if state.unread_messages(branch) >= min_messages:
        runtime.background.start(state.conversation, READING, partial(_read_new, state), light=True)


def embed_soon(runtime: Runtime) -> None:
    """Start embedding messages in the background, if there is an embedder."""
    state = runtime.state
    if state.embedding is not None:
        work = partial(state.embedding.fill, state.owner, state.conversation)
        runtime.background.start(state.conversation, EMBEDDING, work)


async def _read_new(state: ConversationState) -> None:
    branch, _ = await state.load()
    if branch is not None:
        await state.ledger_state.read_new(branch)
        await state.engine_state.save()


async def _start_from(runtime: Runtime, place: int) -> None:
    """Start the first kind of compaction from a place on that has something to do."""
    policy_state = await _policy_state(runtime)
    if policy_state is None:
        return
    is_small = len(policy_state.window.items) <= FEW_ITEMS
    for kind, decide in policy_of(runtime.state).due[place:]:
        decision = decide(policy_state) if is_small else await off_loop(decide, policy_state)
        work = partial(_carry_out, runtime, kind)
        if decision.steps and runtime.background.start(runtime.state.conversation, kind, work):
            return


async def compact_now(runtime: Runtime, until_under_tokens: int | None, focus: str) -> Report | None:
    """See `Conversation.compact`."""
    from palimpsest.engine.compacting.commit_effects import CompactionStatistics

    state, policy = runtime.state, policy_of(runtime.state)
    statistics = CompactionStatistics()
    branch, window = await state.load()
    await refuse_hopeless(state, window, branch, until_under_tokens)
    report = await runtime.compactor.carry_out(
        state,
        lambda policy_state: policy.asked(policy_state, until_under_tokens),
        rounds=policy.asked_rounds,
        focus=focus,
        under_tokens=until_under_tokens,
        statistics=statistics,
    )
    branch, window = await state.load()
    budget = state.budget(window, branch)
    if budget.used_tokens > goal_tokens(budget, until_under_tokens):
        more = await runtime.compactor.until_under(
            state, until_under_tokens, focus=focus, statistics=statistics
        )
        report = merge_reports(report, more)
        branch, window = await state.load()
        budget = without_ledger(state, window, branch, state.budget(window, branch), until_under_tokens)
    if budget.used_tokens > (goal := goal_tokens(budget, until_under_tokens)):
        raise does_not_fit(window, budget, goal)
    return report


async def plan_compaction(runtime: Runtime, until_under_tokens: int | None) -> Decision:
    """See `Conversation.plan_compact`."""
    state = runtime.state
    branch, window = await state.load()
    policy_state = state.policy_state(window, branch)
    decision = policy_of(state).asked(policy_state, until_under_tokens)
    if decision.steps:
        return decision
    return fit(policy_state, goal_tokens(policy_state.budget, until_under_tokens))


def background_work(runtime: Runtime, kind: str) -> BackgroundWork | None:
    """The background work of a kind, None for one that the policy does not know."""
    state = runtime.state
    if kind == READING:
        return partial(_read_new, state)
    if kind == EMBEDDING:
        filling = state.embedding.fill if state.embedding is not None else None
        return partial(filling, state.owner, state.conversation) if filling is not None else None
    return partial(_carry_out, runtime, kind) if policy_of(state).decide(kind) else None


async def _carry_out(runtime: Runtime, kind: str) -> Report | None:
    """Make the compactions of a kind, then start the next kind."""
    state, policy = runtime.state, policy_of(runtime.state)
    decide = policy.decide(kind)
    if decide is None:
        return None
    report = await runtime.compactor.carry_out(
        state,
        lambda policy_state: decide(_as_cached(policy_state)),
        rounds=1 if decides_before_calls(state) else MAX_PASSES,
    )
    report = await _note_report(state, report)
    await _start_from(runtime, [name for name, _ in policy.due].index(kind) + 1)
    return report


async def _policy_state(runtime: Runtime) -> State | None:
    """What a policy sees, None if automatic compaction is off or rests."""
    state = runtime.state
    branch, window = await state.load()
    if branch is None or state.settings.compact_threshold is None:
        return None
    policy_state = runtime.compactor.policy_state(state, window, branch)
    return None if state.engine_state.effect.rests(policy_state.budget.used_tokens) else policy_state


async def _note_report(state: ConversationState, report: Report | None) -> Report | None:
    """Remember that a compaction was made, whose effect the next report of usage shows."""
    if report is not None and (report.summaries or report.stubs or report.omitted):
        state.engine_state.effect = compacted(state.engine_state.effect)
        await state.engine_state.save()
    return report


async def note_usage(runtime: Runtime, prompt_tokens: int, request: Request) -> None:
    """Learn from a request's real prompt whether compacting helps, and publish an event if it does not."""
    state = runtime.state
    limit, _ = trigger(request.budget, state.settings)
    before = state.engine_state.effect
    effect = state.engine_state.effect = reported(before, prompt_tokens, limit, request.mark)
    await state.engine_state.save()
    if effect.rest_until_tokens not in {0, before.rest_until_tokens}:
        message = (
            "two compactions in a row did not help: automatic compaction rests until a request uses "
            f"{effect.rest_until_tokens:,} tokens (now {prompt_tokens:,})"
        )
        runtime.background.publish(Event("paused", state.conversation, message=message))
