"""The policies by name, each as what the engine drives: what is due of itself, and what is done when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palimpsest.plan.drop_policies import drop, drop_middle
from palimpsest.plan.economic import economic, everything
from palimpsest.plan.fit_to_limit import squeeze
from palimpsest.plan.head_tail import head_tail, prune_and_compact
from palimpsest.plan.hierarchical import condense, leaf, leaves
from palimpsest.plan.open_group import shorten_first
from palimpsest.plan.rolling import roll, rolling
from palimpsest.record.decision import Decision, State
from palimpsest.settings import Policy as PolicyName

Decide = Callable[[State], Decision]
Sized = Callable[[State, int | None], Decision]
"""What is decided where a request is to use at most so many tokens, None for no such wish."""

MAX_PASSES = 200
"""Bound of the leaves or condensings of one call; each makes the window smaller, so far fewer are ever needed."""


@dataclass(frozen=True, slots=True)
class Policy:
    """`due` is work by kind, what comes first first; `awaited` is what a turn or a step may wait for,
    `awaited_rounds` times; `asked` is done on demand, `asked_rounds` times. What is due or asked for is repeated until
    there is no more of it, at most `MAX_PASSES` times. `over` comes before the rungs of `squeeze` where a request does
    not fit; a policy that only drops makes no summary there either.
    """

    due: tuple[tuple[str, Decide], ...]
    awaited: Decide
    asked: Sized
    over: Sized | None = None
    drops: bool = False
    awaited_rounds: int = 1
    asked_rounds: int = MAX_PASSES

    def decide(self, kind: str) -> Decide | None:
        """The decision behind a kind of work, None for an unknown one."""
        return dict(self.due).get(kind)


OVER: Mapping[PolicyName, str] = {
    "rolling": "over: a rolling summary",
    "head_tail": "over: the middle",
    "economic": "over: a summary of all but the tail",
    "drop": "over: dropping the middle",
}


def leaves_or_condense(state: State) -> Decision:
    """The hierarchical policy in one: leaves where they are due, else condensing."""
    decision = leaves(state)
    return decision if decision.steps else condense(state)


def _any_size(decide: Decide) -> Sized:
    """A decision that does not depend on the size that is asked for."""
    return lambda state, _: decide(state)


POLICIES: Mapping[PolicyName, Policy] = {
    "hierarchical": Policy((("leaf", leaves), ("condense", condense)), leaf, _any_size(leaves_or_condense)),
    "rolling": Policy((("roll", rolling),), rolling, _any_size(roll), over=_any_size(roll)),
    "head_tail": Policy(
        (("middle", head_tail),),
        head_tail,
        _any_size(prune_and_compact),
        over=_any_size(prune_and_compact),
        awaited_rounds=MAX_PASSES,
    ),
    "economic": Policy((("economic", economic),), economic, everything, over=everything, asked_rounds=1),
    "drop": Policy(
        (("drop", drop),),
        drop,
        _any_size(drop_middle),
        over=_any_size(drop_middle),
        drops=True,
        awaited_rounds=MAX_PASSES,
    ),
}


def fit(state: State, under_tokens: int, *, drop_only: bool = False) -> Decision:
    """The next steps towards a context of at most `under_tokens`: a tool group in progress that would never fit is
    shortened, then comes what the policy does first, then the rungs of `squeeze`.
    """
    shortened = shorten_first(state, under_tokens)
    if shortened.steps:
        return shortened
    used_tokens = state.budget.used_tokens
    policy = POLICIES[state.settings.policy]
    if used_tokens > under_tokens and policy.over is not None and not drop_only:
        found = policy.over(state, under_tokens)
        if found.steps:
            numbers = (("used_tokens", used_tokens), ("under_tokens", under_tokens))
            return Decision(found.steps, OVER[state.settings.policy], numbers, found.then)
    return squeeze(state, under_tokens, drop_only=drop_only or policy.drops)
