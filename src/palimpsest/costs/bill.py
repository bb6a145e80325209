"""A bill as a value: the calls of one session with their cost, and what other compaction policies would have cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.costs.replay import NEVER
from palimpsest.price.rates import Price
from palimpsest.price.request import Use, cost
from palimpsest.price.table import find_price
from palimpsest.record.spending import Spent

LEAST_SHRINK = 0.1
"""A prompt smaller by this share was compacted or rewound; a smaller difference is an edit in its middle."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a session would have cost under one policy, in units of an uncached input token; `unit_dollars` is the
    price of a unit, 0 for a self-hosted model.

    `use` is the sum of its calls' tokens and `fee_units` the summarizers' share of the cost. `prompts` has the size of
    each prompt, `unit_sums` the cost up to and including each call, `compacted` the indexes of the calls after a
    compaction.
    """

    name: str
    use: Use
    fee_units: float
    prompts: tuple[int, ...]
    compacted: tuple[int, ...]
    unit_sums: tuple[float, ...]
    unit_dollars: float

    @property
    def units(self) -> float:
        return self.unit_sums[-1] if self.unit_sums else 0.0

    @property
    def cost(self) -> float:
        """In dollars."""
        return self.units * self.unit_dollars

    @property
    def fees(self) -> float:
        """The summarizers' share of the cost in dollars."""
        return self.fee_units * self.unit_dollars


@dataclass(frozen=True, slots=True)
class Shrink:
    """A prompt that is much smaller than the one before. `index` is that of the call among the agent's.

    In dollars: `rewriting` is how much more the `written_tokens` of the call, which were not read from a cache, cost
    than reading them (an upper bound: new tokens are written anyway); `fee` is the cost of the summarizer's calls.
    """

    index: int
    time_s: float
    before_tokens: int
    after_tokens: int
    written_tokens: int
    rewriting: float
    fee: float


@dataclass(frozen=True, slots=True)
class PromptChanges:
    """What changes of the prompts' beginning cost. A `broken` request did not begin as the one before it: how often, by
    reason. `dropped_thinking_tokens` were left out by compactions, because the model could not have read them any more.
    """

    broken: tuple[tuple[str, int], ...] = ()
    dropped_thinking_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Bill:
    """One session: its `calls`, oldest first, and the `outcomes` of the policies, () if it was not replayed.

    `price` is the price of the replays: of the model with the most calls, or of the one that was asked for.
    `missing_tokens` of its first prompt are in no message: the history continues another one, and is replayed alone.
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
    changes: PromptChanges = PromptChanges()

    @property
    def total(self) -> float:
        """The cost of the calls in dollars."""
        return sum(one.cost for one in self.calls)

    @property
    def model(self) -> str:
        """The model of most of the agent's calls."""
        counts = Counter(one.model for one in self.replies if one.model)
        return counts.most_common(1)[0][0] if counts else self.price.model

    @property
    def units(self) -> float:
        """The cost of the calls in uncached input tokens, each of its own model."""
        return sum(one.units for one in self.calls)

    @property
    def cached_share(self) -> float:
        """The share of all prompts that was read from a cache."""
        prompts = sum(one.input_tokens for one in self.calls)
        return sum(one.cached_tokens for one in self.calls) / prompts if prompts else 0.0

    @property
    def cache_gave(self) -> float:
        """What the cache saved in dollars; below 0 if writing to it cost more."""
        return sum(without_cache(one) - one.cost for one in self.calls)

    @property
    def replies(self) -> tuple[Spent, ...]:
        """The agent's calls, without those of summarizers."""
        return tuple(one for one in self.calls if one.kind == "reply")

    @property
    def summaries_cost(self) -> float:
        """The cost of summarizers in dollars."""
        return sum(one.cost for one in self.calls if one.kind == "summary")

    @property
    def compactions(self) -> tuple[Shrink, ...]:
        """Every time the prompt became much smaller, by a compaction or a rewind."""
        replies = [(place, one) for place, one in enumerate(self.calls) if one.kind == "reply"]
        found: list[Shrink] = []
        for index in shrunk([one.input_tokens for _, one in replies]):
            (start, before), (end, now) = replies[index - 1], replies[index]
            rates = find_price(now.model, time_s=now.time_s or None).at(now.input_tokens)
            fresh = now.input_tokens - now.cached_tokens - now.written_tokens
            extra = now.written_tokens * (rates.write - rates.cached) + fresh * (rates.input - rates.cached)
            found.append(
                Shrink(
                    index,
                    now.time_s,
                    before.input_tokens,
                    now.input_tokens,
                    written_tokens=now.written_tokens + fresh,
                    rewriting=max(0.0, extra),
                    fee=sum(one.cost for one in self.calls[start:end] if one.kind == "summary"),
                )
            )
        return tuple(found)

    @property
    def uncompacted(self) -> float | None:
        """The cost without any compaction: as recorded with each call, else as replayed, else None."""
        if any(one.never_cost for one in self.replies):
            return sum(one.never_cost or one.cost for one in self.replies)
        never = self.outcome(NEVER.name)
        return never.cost if never is not None else None

    @property
    def unreported(self) -> int:
        """The number of calls whose tokens are estimated."""
        return sum(not one.reported for one in self.calls)

    @property
    def assumed(self) -> tuple[str, ...]:
        """The models that no price list has."""
        return tuple(dict.fromkeys(one.model for one in self.calls if one.assumed))

    def outcome(self, name: str) -> Outcome | None:
        """The replay of one policy."""
        return next((one for one in self.outcomes if one.name == name), None)


def copied(bills: Sequence[Bill]) -> tuple[Spent, ...]:
    """The calls that an earlier bill also has, by model, time and tokens: agents copy a session into the file of the
    session that continues it.
    """
    seen: set[tuple[object, ...]] = set()
    found: list[Spent] = []
    for bill in bills:
        keys = {_key(one): one for one in bill.calls if one.reported and one.time_s}
        found.extend(one for key, one in keys.items() if key in seen)
        seen.update(keys)
    return tuple(found)


def total_once(bills: Sequence[Bill]) -> tuple[float, int]:
    """The total of bills in dollars, counting each call once, and the number of calls left out for that."""
    twice = copied(bills)
    return sum(bill.total for bill in bills) - sum(one.cost for one in twice), len(twice)


def _key(spent: Spent) -> tuple[object, ...]:
    tokens = (spent.input_tokens, spent.cached_tokens, spent.written_tokens, spent.output_tokens)
    return (spent.kind, spent.model, spent.time_s, *tokens)


def shrunk(prompts: Sequence[int]) -> tuple[int, ...]:
    """The indexes of prompts that are so much smaller than the one before that something was removed."""
    return tuple(
        index for index in range(1, len(prompts)) if prompts[index] <= (1 - LEAST_SHRINK) * prompts[index - 1]
    )


def without_cache(spent: Spent) -> float:
    """The cost of a call in dollars if all of its prompt had been plain input."""
    rates = find_price(spent.model, time_s=spent.time_s or None).at(spent.input_tokens)
    return cost(Use(0, 0, spent.input_tokens, spent.output_tokens), rates)
