"""The cost of a request, given the one before it.

A prompt is a sequence of rendered parts. Each part has its tokens and a link, a hash of its bytes and of everything
before it, so two prompts share exactly the parts up to their last common link. The shared parts are read from the cache
if it is alive, if they reach the provider's minimum, and, where cache marks decide, up to a mark of the earlier prompt.
Matches count in the provider's steps. The rest of the prompt is written to the cache up to the last mark (without
marks: to its end); what follows is plain input.

A cache is alive until its lifetime has passed since the prefix was last used; every use refreshes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from palimpsest.record.message import Usage
from palimpsest.record.spending import Rates

LOOK_BACK_PARTS = 20
"""How many parts before a mark a provider searches for the end of an earlier prefix."""


@dataclass(frozen=True, slots=True)
class Part:
    """A rendered part. `link` identifies it and everything before it; `marked`: a cache mark follows it."""

    link: str
    tokens: int
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Use:
    """The tokens of a request by price. `fresh` is input that is neither read from the cache nor written to it."""

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
    """A provider's report by price. Contradictory numbers are limited to the prompt's size."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    written = min(usage.cache_write_tokens, usage.input_tokens - cached)
    return Use(cached, written, usage.input_tokens - cached - written, usage.output_tokens)


def chain(rendered: Iterable[tuple[bytes, int]], marks: frozenset[int] = frozenset()) -> tuple[Part, ...]:
    """The parts of a prompt from (bytes, tokens), in the order they are sent; `marks` are indexes of marked parts."""
    link = hashlib.blake2b(digest_size=16)
    parts: list[Part] = []
    for index, (data, tokens) in enumerate(rendered):
        link.update(len(data).to_bytes(8, "big") + data)
        parts.append(Part(link.hexdigest(), tokens, index in marks))
    return tuple(parts)


def cost(use: Use, rates: Rates) -> float:
    """The cost of the tokens."""
    return (
        use.cached * rates.cached
        + use.written * rates.write
        + use.fresh * rates.input
        + use.output * rates.output
    )


def alive(gap_s: float | None, rates: Rates) -> bool:
    """Whether a prefix last used `gap_s` ago is still cached. An unknown gap counts as short."""
    return gap_s is None or gap_s <= rates.ttl_s


def common(before: tuple[Part, ...], now: tuple[Part, ...]) -> int:
    """The number of leading parts that both prompts share."""
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
    """The tokens of a request by price, sent `gap_s` after the one `before` (() for the first request).

    `marked`: the provider caches only up to marked parts, and writes nothing if the new prompt has no mark.
    """
    shared = common(before, now) if alive(gap_s, rates) else 0
    ends = [end for end, part in enumerate(now, 1) if part.marked] if marked else [len(now)]
    if marked:
        written_ends = {end for end, part in enumerate(before, 1) if part.marked}
        found = (
            start
            for end in ends
            for start in range(min(end, shared), max(0, end - LOOK_BACK_PARTS), -1)
            if start in written_ends
        )
        shared = max(found, default=0)
    total = sum(part.tokens for part in now)
    end = sum(part.tokens for part in now[: max(ends, default=0)])
    matched = matched_tokens(sum(part.tokens for part in now[:shared]), rates)
    written = end - matched if end >= rates.minimum_tokens else 0
    return Use(matched, written, total - matched - written, output_tokens)


def matched_tokens(shared_tokens: int, rates: Rates) -> int:
    """How many of the shared tokens are read from the cache."""
    if shared_tokens < rates.minimum_tokens:
        return 0
    return shared_tokens - (shared_tokens - rates.minimum_tokens) % max(1, rates.step_tokens)
