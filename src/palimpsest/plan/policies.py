"""The policies by name, each as what the engine drives: what is due of itself, and what is done when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palimpsest.plan.hierarchical import condense, leaf, leaves
from palimpsest.plan.rolling import roll, rolling
from palimpsest.plan.squeeze import squeeze
from palimpsest.record.decision import Decision, State
from palimpsest.settings import Policy as PolicyName

Decide = Callable[[State], Decision]

MAX_PASSES = 200
"""Bound of the leaves or condensings of one call; each makes the window smaller, so far fewer are ever needed."""


@dataclass(frozen=True, slots=True)
class Policy:
    """`due` is work by kind, what comes first first; `awaited` is what a turn or a step may wait for, once; `asked` is
    done on demand. What is due or asked for is repeated until there is no more of it, at most `MAX_PASSES` times.
    """

    due: tuple[tuple[str, Decide], ...]
    awaited: Decide
    asked: Decide

    def decide(self, kind: str) -> Decide | None:
        """The decision behind a kind of work, None for an unknown one."""
        return dict(self.due).get(kind)


def leaves_or_condense(state: State) -> Decision:
    """The hierarchical policy in one: leaves where they are due, else condensing."""
    decision = leaves(state)
    return decision if decision.steps else condense(state)


POLICIES: Mapping[PolicyName, Policy] = {
    "hierarchical": Policy((("leaf", leaves), ("condense", condense)), leaf, leaves_or_condense),
    "rolling": Policy((("roll", rolling),), rolling, roll),
}


def fit(state: State, under_tokens: int, *, drop_only: bool = False) -> Decision:
    """The next steps towards a context of at most `under_tokens`: the policy's own first where it makes one summary of
    everything, then the rungs of `squeeze`.
    """
    used_tokens = state.budget.used_tokens
    if used_tokens > under_tokens and state.settings.policy == "rolling" and not drop_only:
        numbers = (("used_tokens", used_tokens), ("under_tokens", under_tokens))
        decision = roll(state, "over: a rolling summary", numbers)
        if decision.steps:
            return decision
    return squeeze(state, under_tokens, drop_only=drop_only)
