"""The cost of a request, given the one before it.

A prompt is a row of rendered parts, each with its tokens, and each chained: a part's link covers its bytes and all that
stands before it. Two prompts therefore share exactly the parts up to their last common link, which is found by one
comparison from the front. What is shared is read from the cache if it is still alive, at least as long as the provider
caches, and, where the caller marks what is cached, ended by a mark of the earlier prompt; it counts in the provider's
steps. The rest of the prompt is written to the cache as far as a mark reaches (without marks: all of it), and plain
input beyond.

A cache is alive while no more than its lifetime has passed since the prefix was last used; every use refreshes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from palimpsest.record.message import Usage
from palimpsest.record.spending import Rates

LOOK_BACK_PARTS = 20
"""How many parts before a mark a provider with marks looks for an earlier one's end."""


@dataclass(frozen=True, slots=True)
class Part:
    """A rendered part: `link` names it and everything before it. `marked`: a cache mark stands behind it."""

    link: str
    tokens: int
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Use:
    """The tokens of one request by what is paid for them. `fresh` is input that is neither read nor written."""

    cached: int = 0
    written: int = 0
    fresh: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        return self.cached + self.written + self.fresh

    def __add__(self, other: Use) -> Use:
        return Use(
            self.cached + other.cached,
            self.written + other.written,
            self.fresh + other.fresh,
            self.output + other.output,
        )


def reported_use(usage: Usage) -> Use:
    """What a provider reported, by what is paid for it. Numbers that contradict one another are cut to the prompt."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    written = min(usage.cache_write_tokens, usage.input_tokens - cached)
    return Use(cached, written, usage.input_tokens - cached - written, usage.output_tokens)


def chain(rendered: Iterable[tuple[bytes, int]], marks: frozenset[int] = frozenset()) -> tuple[Part, ...]:
    """The parts of a prompt from (bytes, tokens), in the order they are sent; `marks` are places of cache marks."""
    link = hashlib.blake2b(digest_size=16)
    parts: list[Part] = []
    for place, (data, tokens) in enumerate(rendered):
        link.update(len(data).to_bytes(8, "big") + data)
        parts.append(Part(link.hexdigest(), tokens, place in marks))
    return tuple(parts)


def cost(use: Use, rates: Rates) -> float:
    """What the tokens cost."""
    return (
        use.cached * rates.cached
        + use.written * rates.write
        + use.fresh * rates.input
        + use.output * rates.output
    )


def alive(gap_s: float | None, rates: Rates) -> bool:
    """Whether a prefix last used so long ago is still cached. An unknown gap is taken for a short one."""
    return gap_s is None or gap_s <= rates.ttl_s


def common(before: tuple[Part, ...], now: tuple[Part, ...]) -> int:
    """How many parts both prompts begin with."""
    low, high = 0, min(len(before), len(now))
    while low < high:
        middle = (low + high + 1) // 2
        if before[middle - 1].link == now[middle - 1].link:
            low = middle
        else:
            high = middle - 1
    return low


def use(
    before: tuple[Part, ...],
    now: tuple[Part, ...],
    gap_s: float | None,
    rates: Rates,
    output_tokens: int = 0,
    *,
    marked: bool = False,
) -> Use:
    """How the tokens of a request are paid for, `gap_s` after the one `before`; () for the first.

    `marked`: the provider caches only up to the parts that bear a mark. Where the new prompt bears none, nothing of it
    is written.
    """
    shared = common(before, now) if alive(gap_s, rates) else 0
    ends = [place for place, part in enumerate(now, 1) if part.marked] if marked else [len(now)]
    if marked:
        written_to = {place for place, part in enumerate(before, 1) if part.marked}
        found = (
            place
            for end in ends
            for place in range(min(end, shared), max(0, end - LOOK_BACK_PARTS), -1)
            if place in written_to
        )
        shared = max(found, default=0)
    total = sum(part.tokens for part in now)
    end = sum(part.tokens for part in now[: max(ends, default=0)])
    matched = matched_tokens(sum(part.tokens for part in now[:shared]), rates)
    written = end - matched if end >= rates.minimum_tokens else 0
    return Use(matched, written, total - matched - written, output_tokens)


def matched_tokens(shared_tokens: int, rates: Rates) -> int:
    """How many of so many shared tokens are read from the cache."""
    if shared_tokens < rates.minimum_tokens:
        return 0
    over = shared_tokens - rates.minimum_tokens
    return shared_tokens - over % max(1, rates.step_tokens)
