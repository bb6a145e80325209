"""A bill as a value: the calls of one session with what each cost, and what other ways to compact would have cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.costs.replay_policies import NEVER
from palimpsest.price.request import Use, cost
from palimpsest.price.table import Price, find_price
from palimpsest.record.spending import Spent

LEAST_SHRINK = 0.1
"""A prompt that is so much smaller than the one before was compacted or rewound; less is an edit in its middle."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a session would have cost under one way. `use` is the sum of its calls' tokens, `fees` the summarizers'
    share of the cost, in dollars; `prompts` the size of each prompt in order, `compacted` the places of those that a
    compaction made smaller, `sums` the cost up to and with each, `unit_sums` the same in units.
    """

    name: str
    cost: float
    units: float
    fees: float
    use: Use
    prompts: tuple[int, ...]
    compacted: tuple[int, ...]
    sums: tuple[float, ...]
    unit_sums: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Fall:
    """A prompt that is much smaller than the one before. `place` is the call's among the agent's, from 0.

    What it cost, in dollars: `rewriting` is by how much the `written_tokens` of the call, which were not read from a
    cache, cost more than reading them (at most: what was new would have been written anyway); `fee` the summarizer's
    calls before it.
    """

    place: int
    time_s: float
    before_tokens: int
    after_tokens: int
    written_tokens: int
    rewriting: float
    fee: float


@dataclass(frozen=True, slots=True)
class Bill:
    """One session: `calls` as they were, oldest first, and `outcomes` of the ways, () where it was not replayed.

    `price` is what the replays take: that of the model with the most calls, or of one that was asked for.
    `missing_tokens` of its first prompt are in no message: the history continues one that is not in it, and is replayed
    without it.
    """

    id: str
    path: str
    agent: str
    title: str
    calls: tuple[Spent, ...]
    price: Price
    window_tokens: int
    outcomes: tuple[Outcome, ...] = ()
    missing_tokens: int = 0

    @property
    def total(self) -> float:
        """What the calls cost, in dollars."""
        return sum(one.cost for one in self.calls)

    @property
    def model(self) -> str:
        """The model of most of the agent's calls."""
        counts = Counter(one.model for one in self.replies if one.model)
        return counts.most_common(1)[0][0] if counts else self.price.model

    @property
    def units(self) -> float:
        """What the calls cost in uncached input tokens, each of its own model."""
        return sum(one.units for one in self.calls)

    @property
    def cached_share(self) -> float:
        """How much of all prompts was read from a cache."""
        prompts = sum(one.input_tokens for one in self.calls)
        return sum(one.cached_tokens for one in self.calls) / prompts if prompts else 0.0

    @property
    def cache_gave(self) -> float:
        """What the same calls would have cost more without a cache, in dollars; below 0 where writing to it cost more
        than it gave.
        """
        return sum(without_cache(one) - one.cost for one in self.calls)

    @property
    def replies(self) -> tuple[Spent, ...]:
        """The calls of the agent, without those of summarizers."""
        return tuple(one for one in self.calls if one.kind == "reply")

    @property
    def summaries_cost(self) -> float:
        """What summarizers cost, in dollars."""
        return sum(one.cost for one in self.calls if one.kind == "summary")

    @property
    def compactions(self) -> tuple[Fall, ...]:
        """Every time the prompt became much smaller: compacted, or rewound."""
        replies = [(place, one) for place, one in enumerate(self.calls) if one.kind == "reply"]
        found: list[Fall] = []
        for number in shrunk([one.input_tokens for _, one in replies]):
            (start, before), (end, now) = replies[number - 1], replies[number]
            rates = find_price(now.model, time_s=now.time_s or None).at(now.input_tokens)
            fresh = now.input_tokens - now.cached_tokens - now.written_tokens
            dearer = now.written_tokens * (rates.write - rates.cached) + fresh * (rates.input - rates.cached)
            fee = sum(one.cost for one in self.calls[start:end] if one.kind == "summary")
            written = now.written_tokens + fresh
            found.append(
                Fall(
                    number, now.time_s, before.input_tokens, now.input_tokens, written, max(0.0, dearer), fee
                )
            )
        return tuple(found)

    @property
    def uncompacted(self) -> float | None:
        """What the session would have cost had nothing ever been compacted: as kept with every call where it was, else
        replayed; None where neither.
        """
        if any(one.never_cost for one in self.replies):
            return sum(one.never_cost or one.cost for one in self.replies)
        never = self.outcome(NEVER.name)
        return never.cost if never is not None else None

    @property
    def unreported(self) -> int:
        """How many calls' tokens nobody counted."""
        return sum(not one.reported for one in self.calls)

    @property
    def assumed(self) -> tuple[str, ...]:
        """The models whose prices nobody lists."""
        return tuple(dict.fromkeys(one.model for one in self.calls if one.assumed))

    def outcome(self, name: str) -> Outcome | None:
        """The replay of one way."""
        return next((one for one in self.outcomes if one.name == name), None)


def copied(bills: Sequence[Bill]) -> tuple[Spent, ...]:
    """The calls that a bill before had already, by their model, time and tokens: agents copy a session into the file of
    the one that goes on from it.
    """
    seen: set[tuple[object, ...]] = set()
    found: list[Spent] = []
    for bill in bills:
        keys = {_key(one): one for one in bill.calls if one.reported and one.time_s}
        found.extend(one for key, one in keys.items() if key in seen)
        seen.update(keys)
    return tuple(found)


def total_once(bills: Sequence[Bill]) -> tuple[float, int]:
    """What bills come to in dollars, each call once, and how many were left out for that."""
    twice = copied(bills)
    return sum(bill.total for bill in bills) - sum(one.cost for one in twice), len(twice)


def _key(spent: Spent) -> tuple[object, ...]:
    tokens = (spent.input_tokens, spent.cached_tokens, spent.written_tokens, spent.output_tokens)
    return (spent.kind, spent.model, spent.time_s, *tokens)


def shrunk(prompts: Sequence[int]) -> tuple[int, ...]:
    """The places of prompts that are smaller than the one before by so much that something was taken out."""
    places = range(1, len(prompts))
    return tuple(place for place in places if prompts[place] <= (1 - LEAST_SHRINK) * prompts[place - 1])


def without_cache(spent: Spent) -> float:
    """What a call would have cost had all of its prompt been plain input, in dollars."""
    rates = find_price(spent.model, time_s=spent.time_s or None).at(spent.input_tokens)
    return cost(Use(0, 0, spent.input_tokens, spent.output_tokens), rates)
