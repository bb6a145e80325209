"""The bill of one session: what its calls cost as they were, and what each way to compact would have cost.

Two kinds of figures stand side by side and are told apart.

- *As reported*: every call that was made, on every branch, at the prices of its model on its day, with the tokens its
  provider counted. Where nobody counted, by the model of the cache, and said so.
- *Replayed*: the calls of the current history under one way to compact, all with the same model, the same cache that
  never misses, and the same charges for what was hidden and is quoted later (`replay`). "as it was" is the session
  itself in these terms: compare the ways with that row, not with what was reported.

A prompt is priced by its length where a list has tiers; a replay takes the lowest tier for all. A model that costs no
money has a bill in units, of which one is an uncached input token's computing.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from palimpsest.budget.model_limits import known
from palimpsest.costs.bill import Bill, Outcome, shrunk
from palimpsest.costs.replay import calls, never_uses
from palimpsest.costs.replay_policies import FIRST_WAY, NEVER, WAYS, Way
from palimpsest.costs.session import CALLS_A_STEP, LONGEST_PREFIX_TOKENS, Session, read_session
from palimpsest.price.cache_rules import find_caching
from palimpsest.price.rates import COMPUTE
from palimpsest.price.request import Use, alive, cost, matched_tokens, reported_use
from palimpsest.price.table import Price, find_price
from palimpsest.record.message import Message
from palimpsest.record.spending import Rates, Spent
from palimpsest.record.store_values import Progress

AS_IT_WAS = "as it was"
SHOWN_WAYS = (NEVER, *(way for way in WAYS.values() if way is not FIRST_WAY))
PLAIN_WAY = "75 %, 20k tail"
CLOCKS_DIFFER_S = 7_200
"""By how much the clock of whoever wrote a message may be behind the one that paid for it."""
WINDOW_TOKENS = 200_000
"""The window of a replay whose model's nobody knows."""


def spent_of(paths: Iterable[Sequence[Message]]) -> tuple[Spent, ...]:
    """The calls that the histories of one conversation report, each once; in the order of their times, where all have
    one. Where a provider sells two lifetimes of its cache, the one that the reads show is taken (`lives_long`).
    """
    found = _reported(paths, long_cache=False)
    return _reported(paths, long_cache=True) if lives_long(found) else found


def lives_long(found: Sequence[Spent]) -> bool:
    """Whether more pauses than not, of those that outlast the shorter lifetime and not the longer one, ended with a
    prompt that was read from the cache.
    """
    warm = cold = 0
    for before, now in itertools.pairwise(one for one in found if one.kind == "reply" and one.time_s):
        caching = find_caching(now.model)
        if before.model == now.model and caching.ttl_s < now.time_s - before.time_s <= caching.long_ttl_s:
            kept = now.cached_tokens > before.input_tokens / 2
            warm, cold = warm + kept, cold + (not kept)
    return warm > cold


def _reported(paths: Iterable[Sequence[Message]], *, long_cache: bool) -> tuple[Spent, ...]:
    seen: set[tuple[int, Message]] = set()
    found: list[Spent] = []
    for path in paths:
        for place, message in enumerate(path):
            if message.role != "assistant" or not message.usage or (place, message) in seen:
                continue
            seen.add((place, message))
            if message.usage.input_tokens or message.usage.output_tokens:
                use = reported_use(message.usage)
                found.append(charge(message.model, message.time_s, use, long_cache=long_cache))
    return tuple(sorted(found, key=_time)) if all(one.time_s for one in found) else tuple(found)


def _time(spent: Spent) -> float:
    return spent.time_s


def charge(
    model: str, time_s: float | None, use: Use, *, counted: bool = True, long_cache: bool = False
) -> Spent:
    """One call of an agent at the prices of its day."""
    price = find_price(model, time_s=time_s, long_cache=long_cache)
    rates = price.at(use.prompt)
    units = cost(use, rates.relative if rates.input > 0 else COMPUTE)
    return Spent(
        "reply",
        model,
        time_s or 0.0,
        use.prompt,
        use.cached,
        use.written,
        use.output,
        cost(use, rates),
        0.0,
        units,
        counted,
        price.assumed,
    )


def make_bill(
    name: str,
    paths: Sequence[Sequence[Message]],
    *,
    path: str = "",
    agent: str = "",
    title: str = "",
    spent: Sequence[Spent] = (),
    model: str = "",
    window_tokens: int = 0,
    replayed: bool = True,
    step: Progress | None = None,
) -> Bill | None:
    """The bill of a conversation from its histories, the current one last; None where it made no call.

    `spent` are calls that were paid for when they were made; without them the histories' own reports count. `model`
    replays at another model's prices; `window_tokens` is the window of the replays, 0 for the model's own. `step` is
    told how far the reckoning is.
    """
    current = paths[-1] if paths else ()
    found = _joined(spent_of(paths), spent)
    session = read_session(current, name, agent, step=step) if replayed or not found else None
    if session is None and not found:
        return None
    named = model or _most(found) or (session.model if session is not None else "")
    last_s = next((one.time_s for one in reversed(found) if one.time_s), None)
    price = find_price(named, time_s=None if model else last_s, long_cache=lives_long(found))
    if session is not None and spent:
        session = with_prefix(session, found)
    if not found and session is not None:
        found = tuple(_told(session, session.model or named, current))
    window = window_tokens or _window(named)
    if session is None or not replayed:
        return Bill(name, path, agent, title, found, price, window)
    missing = _missing(session, current)
    outcomes = tuple(_outcomes(session, current if not missing else (), price, window, step))
    return Bill(name, path, agent, title, found, price, window, outcomes, missing)


def _missing(session: Session, history: Sequence[Message]) -> int:
    """How many tokens of the first prompt are in no message and too many for a prefix."""
    counted = (
        message.usage.input_tokens for message in history if message.role == "assistant" and message.usage
    )
    first = next((prompt for prompt in counted if prompt), 0)
    held = session.prefix_tokens + sum(piece.tokens for piece in session.pieces[: session.calls[0].end])
    return max(0, first - held) if session.prefix_tokens >= LONGEST_PREFIX_TOKENS else 0


def _window(model: str) -> int:
    """The longest prompt that the model is known to take, else the usual one."""
    found = known(model) if model else None
    return (found.input_tokens or found.window_tokens if found is not None else 0) or WINDOW_TOKENS


def _joined(told: tuple[Spent, ...], spent: Sequence[Spent]) -> tuple[Spent, ...]:
    """Calls that were paid for when they were made, and those that only the history tells of: those older than the
    agent's first paid one that are none of the paid ones. A call that was paid for by estimate cannot be recognized; it
    stands for the newest that is left and no older than two clocks may differ.
    """
    if not spent:
        return told
    first_s = next((one.time_s for one in spent if one.kind == "reply"), math.inf)
    paid = Counter(
        (one.input_tokens, one.output_tokens) for one in spent if one.kind == "reply" and one.reported
    )
    guessed = sum(one.kind == "reply" and not one.reported for one in spent)
    rest = [one for one in told if one.time_s < first_s and not paid[one.input_tokens, one.output_tokens]]
    near = sum(one.time_s >= first_s - CLOCKS_DIFFER_S for one in rest)
    joined = (*rest[: len(rest) - min(guessed, near)], *spent)
    return tuple(sorted(joined, key=_time)) if all(one.time_s for one in joined) else joined


def _most(found: Sequence[Spent]) -> str:
    """The model with the most calls."""
    counts: dict[str, int] = {}
    for one in found:
        if one.kind == "reply" and one.model:
            counts[one.model] = counts.get(one.model, 0) + 1
    return max(counts, key=lambda name: counts[name], default="")


def with_prefix(session: Session, spent: Sequence[Spent]) -> Session:
    """The session with the prefix that its first paid prompt shows; what was assumed where that holds less."""
    first = next((one.input_tokens for one in spent if one.kind == "reply"), 0)
    before = sum(piece.tokens for piece in session.pieces[: session.calls[0].end])
    return replace(session, prefix_tokens=first - before) if first > before else session


def _told(session: Session, model: str, history: Sequence[Message]) -> Iterator[Spent]:
    """The calls of a session that reports nothing, as the model of the cache tells them."""
    times = [message.time_s for message in history if message.role == "assistant"]
    uses = never_uses(session, find_price(model).rates)
    for use, time_s in zip(uses, times, strict=False):
        yield charge(model, time_s, use, counted=False)


def _outcomes(
    session: Session, history: Sequence[Message], price: Price, window_tokens: int, step: Progress | None
) -> Iterator[Outcome]:
    rates = price.rates if price.rates.input > 0 else COMPUTE
    free = price.rates.input <= 0
    own = _as_it_was(session, history, rates)
    if own:
        smaller = set(shrunk([use.prompt for use in own]))
        paid = ((use, 0.0, place in smaller) for place, use in enumerate(own))
        yield _outcome(AS_IT_WAS, paid, rates, free=free)
    for way in SHOWN_WAYS:
        yield _replayed(session, way, rates, window_tokens, free=free, step=step)


def _replayed(
    session: Session, way: Way, rates: Rates, window_tokens: int, *, free: bool, step: Progress | None
) -> Outcome:
    if way is NEVER:
        return _outcome(way.name, ((use, 0.0, False) for use in never_uses(session, rates)), rates, free=free)

    def paid() -> Iterator[tuple[Use, float, bool]]:
        for one in calls(session, way, rates, window_tokens):
            if step is not None and one.number % CALLS_A_STEP == 0:
                step(way.name, one.number, len(session.calls))
            yield one.use, one.fee, one.verdict.action == "compact"

    return _outcome(way.name, paid(), rates, free=free)


def _outcome(name: str, paid: Iterable[tuple[Use, float, bool]], rates: Rates, *, free: bool) -> Outcome:
    """Of calls as (tokens, the summarizer's share, whether a compaction stands before it)."""
    whole, spent, fees = Use(), 0.0, 0.0
    prompts: list[int] = []
    compacted: list[int] = []
    sums: list[float] = []
    for place, (use, fee, made) in enumerate(paid):
        whole += use
        spent += cost(use, rates) + fee
        fees += fee
        prompts.append(use.prompt)
        sums.append(spent)
        if made:
            compacted.append(place)
    unit_sums = tuple(one / rates.input for one in sums)
    return Outcome(
        name=name,
        cost=0.0 if free else spent,
        units=spent / rates.input,
        fees=0.0 if free else fees,
        use=whole,
        prompts=tuple(prompts),
        compacted=tuple(compacted),
        sums=(0.0,) * len(sums) if free else tuple(sums),
        unit_sums=unit_sums,
    )


def _as_it_was(session: Session, history: Sequence[Message], rates: Rates) -> list[Use]:
    """The prompts that a history reports, in the terms of a replay; [] where it reports none. A prompt that shrank
    shares no more than the prefix with the one before.
    """
    own = [message for message in history if message.role == "assistant" and message.usage]
    prompts = [message.usage.input_tokens for message in own if message.usage and message.usage.input_tokens]
    if len(prompts) != len(session.calls):
        return []
    found: list[Use] = []
    for number, (prompt, call) in enumerate(zip(prompts, session.calls, strict=True)):
        shared = 0
        if number and alive(call.gap_s, rates):
            before = prompts[number - 1]
            shared = before if prompt >= before else min(prompt, session.prefix_tokens)
        matched = matched_tokens(shared, rates)
        found.append(Use(matched, prompt - matched, 0, call.output_tokens))
    return found
