"""The policies by name: what each does on its own, and what it does when asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palimpsest.plan.economic import compact_all, economic
from palimpsest.plan.emergency import drop_turns, keeps_turns_whole
from palimpsest.plan.fit_to_limit import SUMMARIZING_RUNGS, shorten_group_first, shrink
from palimpsest.plan.head_tail import drop, drop_middle, head_tail, prune_and_compact
from palimpsest.plan.hierarchical import condense, leaf, leaves, leaves_or_condense
from palimpsest.plan.rolling import roll, rolling
from palimpsest.record.decision import Decision, State
from palimpsest.settings import Policy as PolicyName

Decide = Callable[[State], Decision]
SizedDecide = Callable[[State, int | None], Decision]
"""A decision where a request should use at most so many tokens; None for no such wish."""

MAX_PASSES = 200
"""Bound of the leaves or condensings of one call. Each makes the window smaller, so far fewer are ever needed."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a policy does, and when.

    `due` is its work by kind, in order. `awaited` is what a turn or a step may wait for, `awaited_rounds` times.
    `asked` is done on demand, `asked_rounds` times. Work is repeated until there is no more of it, at most `MAX_PASSES`
    times. Where a request does not fit, `over` (a reason) says that `asked` comes before the rungs of `shrink`. A
    policy that only `drops` makes no summary there either."""

    due: tuple[tuple[str, Decide], ...]
    awaited: Decide
    asked: SizedDecide
    over: str = ""
    drops: bool = False
    awaited_rounds: int = 1
    asked_rounds: int = MAX_PASSES

    def decide(self, kind: str) -> Decide | None:
        """The decision behind a kind of work, None for an unknown one."""
        return dict(self.due).get(kind)


def _any_size(decide: Decide) -> SizedDecide:
    """A decision that does not depend on the size that is asked for."""
    return lambda state, _: decide(state)


POLICIES: Mapping[PolicyName, Policy] = {
    "hierarchical": Policy((("leaf", leaves), ("condense", condense)), leaf, _any_size(leaves_or_condense)),
    "rolling": Policy((("roll", rolling),), rolling, _any_size(roll), over="over: a rolling summary"),
    "head_tail": Policy(
        (("middle", head_tail),),
        head_tail,
        _any_size(prune_and_compact),
        over="over: the middle",
        awaited_rounds=MAX_PASSES,
    ),
    "economic": Policy(
        (("economic", economic),),
        economic,
        compact_all,
        over="over: a summary of all but the tail",
        asked_rounds=1,
    ),
    "drop": Policy(
        (("drop", drop),),
        drop,
        _any_size(drop_middle),
        over="over: dropping the middle",
        drops=True,
        awaited_rounds=MAX_PASSES,
    ),
}


def fit(state: State, under_tokens: int, *, drop_only: bool = False) -> Decision:
    """The next steps towards a context of at most `under_tokens`.

    A tool group in progress that would never fit is shortened first. Then comes what the policy itself does, then the
    rungs of `shrink`. Where turns stay whole, the oldest half of them is dropped instead.
    """
    shortened = shorten_group_first(state, under_tokens)
    if shortened.steps:
        return shortened
    used_tokens = state.budget.used_tokens
    policy = POLICIES[state.settings.policy]
    if used_tokens > under_tokens and keeps_turns_whole(state.settings):
        dropped = drop_turns(state, last_resort=True)
        if dropped.steps:
            return dropped
    elif used_tokens > under_tokens and policy.over and not drop_only:
        found = policy.asked(state, under_tokens)
        if found.steps:
            numbers = (("used_tokens", used_tokens), ("under_tokens", under_tokens))
            return Decision(found.steps, policy.over, numbers, found.then)
    return shrink(state, under_tokens, drop_only=drop_only or policy.drops)


def compact_early(state: State) -> Decision:
    """What PicoClaw does where its own estimate finds a request too large that fits by ours: the oldest half of the
    turns is dropped, or leaves and condensed summaries are made past the fresh tail.
    """
    if keeps_turns_whole(state.settings):
        return drop_turns(state, last_resort=False)
    budget = state.budget
    room_tokens = budget.window_tokens - budget.output_reserve_tokens
    share = room_tokens / max(1, budget.ruled_tokens or 0)
    return shrink(state, int(budget.used_tokens * share), rungs=SUMMARIZING_RUNGS)
