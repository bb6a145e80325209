"""How well the model of prompt caches agrees with what providers reported, for `bench/cost.py`.

A transcript with cache fields says of every call how much of its prompt was read from the cache. The model is given the
sizes of the prompts, the times between them, and nothing of the cache: from these it tells what was read, what was
written, and what the call cost. Both are set against each other, call by call and in money.

What it cannot know is reported by reason, not corrected:

- cold though alive: the provider missed a prefix that it should have had (routing, eviction, an edit in the prefix);
- warm though expired: it kept one for longer than it promises, or the client had bought the longer lifetime;
- only in part: a beginning that other sessions share was still there, or the client edited the middle;
- rewritten: the prompt shrank, so the client compacted or dropped something, and the history does not say where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.price.request import Part, Use, chain, cost, use
from palimpsest.price.table import find_caching, find_price
from palimpsest.record.message import Message

AGREES_SHARE = 0.02
"""A call agrees where the cached tokens told are this share of the prompt from those reported, or nearer."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A history's calls after the first: those that agree, and why the others do not; dollars and cached tokens, as
    told and as reported. `plain` leaves out the calls with a reason.
    """

    name: str
    agent: str
    model: str
    calls: int
    agree: int
    reasons: dict[str, int]
    told_usd: float
    reported_usd: float
    plain_told_usd: float
    plain_reported_usd: float
    told_cached: int
    reported_cached: int


def agreement(history: Sequence[Message], name: str, agent: str) -> Agreement | None:
    """None where the history reports no cached tokens."""
    spoken = [
        message
        for message in history
        if message.role == "assistant" and message.usage and message.usage.input_tokens
    ]
    if len(spoken) < 3 or not any(message.usage and message.usage.cached_tokens for message in spoken):
        return None
    reasons: Counter[str] = Counter()
    sums = [0.0] * 4
    cached = [0, 0]
    agree = 0
    marked = find_caching(spoken[0].model).marked
    parts: list[tuple[bytes, int]] = []
    before: tuple[Part, ...] = ()
    for number, message in enumerate(spoken):
        told, now, rewritten = _told(spoken, number, parts, before, marked=marked)
        reported = _reported(message, marked=marked)
        before = now
        if not number:
            continue
        rates = find_price(message.model, time_s=message.time_s).at(reported.prompt)
        spent = cost(told, rates), cost(reported, rates)
        why = _reason(told, reported, rewritten=rewritten)
        reasons[why] += bool(why)
        agree += not why
        cached = [cached[0] + told.cached, cached[1] + reported.cached]
        plain = (0.0, 0.0) if why else spent
        sums = [one + more for one, more in zip(sums, (*spent, *plain), strict=True)]
    return Agreement(
        name,
        agent,
        spoken[0].model,
        len(spoken) - 1,
        agree,
        dict(+reasons),
        sums[0],
        sums[1],
        sums[2],
        sums[3],
        cached[0],
        cached[1],
    )


def _told(
    spoken: Sequence[Message],
    number: int,
    parts: list[tuple[bytes, int]],
    before: tuple[Part, ...],
    *,
    marked: bool,
) -> tuple[Use, tuple[Part, ...], bool]:
    """What the model says of a call from the sizes and the times alone. Adds to `parts` what the prompt grew by."""
    message = spoken[number]
    usage = message.usage
    assert usage is not None
    known = sum(tokens for _, tokens in parts)
    rewritten = usage.input_tokens < known
    if rewritten:
        parts.clear()
        known = 0
    parts.append((f"{number}".encode(), usage.input_tokens - known))
    now = chain(parts, frozenset({len(parts) - 1}) if marked else frozenset())
    gap_s = _gap(spoken, number)
    rates = find_price(message.model, time_s=message.time_s).at(usage.input_tokens)
    return use(before, now, gap_s, rates, usage.output_tokens, marked=marked), now, rewritten


def _gap(spoken: Sequence[Message], number: int) -> float | None:
    if not number:
        return None
    now, then = spoken[number].time_s, spoken[number - 1].time_s
    return None if now is None or then is None else now - then


def _reported(message: Message, *, marked: bool) -> Use:
    usage = message.usage
    assert usage is not None
    rest = usage.input_tokens - usage.cached_tokens
    written = usage.cache_write_tokens if marked else rest
    return Use(usage.cached_tokens, written, rest - written, usage.output_tokens)


def _reason(told: Use, reported: Use, *, rewritten: bool) -> str:
    """Why the cached tokens differ, "" where they agree."""
    if abs(told.cached - reported.cached) <= AGREES_SHARE * reported.prompt:
        return ""
    if rewritten:
        return "rewritten"
    if reported.cached > told.cached:
        return "warm though expired" if not told.cached else "only in part"
    return "cold though alive" if reported.cached < 0.1 * told.cached else "only in part"
