"""Ways to compact that are in use, each as a function that a replay asks before every call.

`economic` is the rules of `rules`; the others are what agents and frameworks do, brought to the same terms: what they
compact, when, and how much their summaries take. Each starts from `Terms`, so that what a way leaves out (gate, ledger,
pruning, cap) is a setting that is off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from palimpsest.price import rules
from palimpsest.price.rules import FIRST, Moment, Terms, Verdict
from palimpsest.record.spending import Meter, Rates

Decide = Callable[[Moment, Meter, Rates, Terms], tuple[Verdict, Meter]]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to compact: its settings and its rule. `each_turn`: it is asked at a user's message only."""

    name: str
    terms: Terms
    decide: Decide
    each_turn: bool = False


def never(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
    """Nothing, ever."""
    return Verdict("nothing", "never"), meter


def above(limit: Callable[[Moment], float]) -> Decide:
    """All but the tail is replaced once the prompt exceeds a limit."""

    def decide(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
        most = limit(moment)
        made = rules.shape(moment, terms)
        if moment.prompt <= most or made.removed <= 0:
            return Verdict("nothing", "below the limit", moment.prompt, most), meter
        who = rules.offers(moment, made, rates, terms)
        return Verdict("compact", "above the limit", moment.prompt, most, who, made), meter

    return decide


def whenever(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
    """As soon as there is enough to compact."""
    made = rules.shape(moment, terms)
    if made.removed <= terms.compact_least_tokens:
        return Verdict("nothing", "too little to compact", made.removed, terms.compact_least_tokens), meter
    who = rules.offers(moment, made, rates, terms)
    return Verdict("compact", "enough to compact", made.removed, 0, who, made), meter


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


def _share(share: float) -> Decide:
    return above(lambda moment: share * moment.window)


NEVER = Way("never compacting", replace(_PLAIN, force_share=10.0), never)
OURS = Way("economic", Terms(), rules.decide)
FIRST_WAY = Way("economic, first settings", FIRST, rules.decide)

WAYS: Mapping[str, Way] = {
    way.name: way
    for way in (
        Way("75 %, 20k tail", replace(_PLAIN, tail_tokens=20_000), _share(0.75)),
        Way("80 %, no tail", replace(_PLAIN, tail_tokens=0), _share(0.8)),
        Way(
            "all replaced at 100k",
            replace(_PLAIN, tail_tokens=0),
            above(lambda moment: min(100_000, 0.9 * moment.window)),
        ),
        Way(
            "leaf every turn",
            replace(
                _PLAIN,
                tail_items=32,
                tail_tokens=0,
                summary_tokens=1_200,
                fold_at_tokens=6_000,
                folded_tokens=2_000,
                compact_least_tokens=1_200,
                summarizer="model",
            ),
            whenever,
            each_turn=True,
        ),
        Way(
            "rent rule, warm fork",
            replace(_PLAIN, tail_tokens=10_000, summary_tokens=1_000, fold_at_tokens=6_000),
            rules.decide,
        ),
        FIRST_WAY,
        OURS,
    )
}
"""Every way by its name, in the order of the table; never compacting is what they are compared with."""
