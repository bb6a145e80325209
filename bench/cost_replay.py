"""The sums of a replay, and the state before each call if nothing is compacted: what the cost benchmarks compare."""

from __future__ import annotations

from dataclasses import dataclass, replace

from palimpsest.costs.replay import ECONOMIC, Policy, Window, append, calls, moment_of, never_bill
from palimpsest.costs.session import Session
from palimpsest.price.compaction_rules import FORCED, Terms
from palimpsest.record.spending import Rates

FIRST_POLICY = replace(
    ECONOMIC,
    name="economic, first settings",
    terms=Terms(
        tail_tokens=10_000,
        compact_cold_least_tokens=10_000,
        summary_tokens=1_000,
        fold_at_tokens=6_000,
        folded_tokens=3_000,
        ledger_tokens=0,
        cap_share=1.05,
        reserve_share=0.0,
        reserve_spread=0.0,
        summarizer="cheapest",
    ),
)
"""The first settings of the rules: a longer tail, longer summaries, and a summarizer that costs."""


@dataclass(frozen=True, slots=True)
class Result:
    """The sums of a replay. `bill` is the total, of which `fees` went to summarizers and `asked` to calls that fetched
    one of `fetched` hidden pieces; `never` is the bill without any compaction. `forced` counts forced compactions.
    """

    calls: int
    bill: float
    never: float
    fees: float
    asked: float
    compactions: int
    prunings: int
    forced: int
    fetched: int
    peak_tokens: int


def replay(session: Session, policy: Policy, rates: Rates, window_tokens: int) -> Result:
    """The sums of the session under one policy."""
    made = list(calls(session, policy, rates, window_tokens))
    compactions = [one for one in made if one.verdict.action == "compact"]
    return Result(
        len(session.calls),
        bill=sum(one.price + one.fee for one in made),
        never=never_bill(session, rates),
        fees=sum(one.fee for one in made),
        asked=sum(one.price for one in made if one.asked),
        compactions=len(compactions),
        prunings=sum(one.verdict.action == "prune" for one in made),
        forced=sum(one.verdict.reason == FORCED for one in compactions),
        fetched=sum(one.asked for one in made),
        peak_tokens=max(one.use.prompt for one in made),
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """The state before a call regardless of compactions: tokens of all pieces after the gate; what a compaction would
    keep verbatim; what is new since the last call; the index of the entry that starts the tail.
    """

    history: int
    kept: int
    new: int
    cut: int


def standings(session: Session, terms: Terms) -> tuple[Standing, ...]:
    """The state before each call if nothing is compacted or fetched."""
    window, start = Window(session.prefix_tokens), 0
    unpruned = replace(terms, prune_least_tokens=0)
    found: list[Standing] = []
    for call in session.calls:
        added = append(window, session.pieces, start, call.end, terms, 0)
        start = call.end
        moment, cut = moment_of(window, unpruned, added, call, 0, True, 0)
        found.append(Standing(window.tokens, moment.kept, added, cut))
    return tuple(found)
