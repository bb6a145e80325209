"""Compaction policies in use, as functions that a replay calls before every model call.

"economic" is `price.rules`; the others are policies of agents and frameworks in the same terms: what they compact,
when, and how long their summaries are. Features that a policy lacks (gate, ledger, pruning, cap) are disabled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from palimpsest.price import rules
from palimpsest.price.rules import Moment, Terms, Verdict
from palimpsest.record.spending import Meter, Rates

Decide = Callable[[Moment, Meter, Rates, Terms], tuple[Verdict, Meter]]


@dataclass(frozen=True, slots=True)
class Policy:
    """A compaction policy: its settings and its rule. `each_turn`: the rule is only applied at user messages."""

    name: str
    terms: Terms
    decide: Decide
    each_turn: bool = False


def never(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
    """Never compact."""
    return Verdict("nothing", "never"), meter


def above(limit: Callable[[Moment], float]) -> Decide:
    """Replace everything but the tail when the prompt exceeds a limit."""

    def decide(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
        most = limit(moment)
        made = rules.shape(moment, terms)
        if moment.prompt <= most or made.removed <= 0:
            return Verdict("nothing", "below the limit", moment.prompt, most), meter
        offers = rules.offers(moment, made, rates, terms)
        return Verdict("compact", "above the limit", moment.prompt, most, offers, made), meter

    return decide


def whenever(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
    """Compact as soon as there is enough to compact."""
    made = rules.shape(moment, terms)
    if made.removed <= terms.compact_least_tokens:
        return Verdict("nothing", "too little to compact", made.removed, terms.compact_least_tokens), meter
    offers = rules.offers(moment, made, rates, terms)
    return Verdict("compact", "enough to compact", made.removed, 0, offers, made), meter


_PLAIN = Terms(
    gate_tokens=0,
    gate_read_tokens=0,
    fold_at_tokens=0,
    summary_tokens=3_000,
    folded_tokens=3_000,
    ledger_tokens=0,
    prune_least_tokens=0,
    cap_share=0.0,
    reserve_share=0.0,
    reserve_spread=0.0,
    summarizer="fork",
)
_LEAF = replace(
    _PLAIN,
    tail_items=32,
    tail_tokens=0,
    summary_tokens=1_200,
    fold_at_tokens=6_000,
    folded_tokens=2_000,
    compact_least_tokens=1_200,
    summarizer="model",
)

NEVER = Policy("never compacting", replace(_PLAIN, force_share=10.0), never)
THRESHOLD = Policy(
    "75 %, 20k tail", replace(_PLAIN, tail_tokens=20_000), above(lambda moment: 0.75 * moment.window)
)
ECONOMIC = Policy("economic", Terms(), rules.decide)

POLICIES: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        THRESHOLD,
        Policy("80 %, no tail", replace(_PLAIN, tail_tokens=0), above(lambda moment: 0.8 * moment.window)),
        Policy(
            "all replaced at 100k",
            replace(_PLAIN, tail_tokens=0),
            above(lambda moment: min(100_000, 0.9 * moment.window)),
        ),
        Policy("leaf every turn", _LEAF, whenever, each_turn=True),
        Policy(
            "rent rule, warm fork",
            replace(_PLAIN, tail_tokens=10_000, summary_tokens=1_000, fold_at_tokens=6_000),
            rules.decide,
        ),
        ECONOMIC,
    )
}
"""Every policy by name, in the order of the table. They are compared with `NEVER`."""
