"""What no way to compact can beat: the exact offline optimum of the economic mechanism, and a floor nothing reaches.

The optimum knows the whole session. It has the mechanism's own parts - the same gate at the door, tail, summary and
ledger sizes, floor, least sizes, summarizer prices, cache expiry, window - and chooses at every call whether to
compact, by dynamic programming over (the call of the last compaction, the size of the summaries). It does not prune.

- uncharged: exact, and a bound from below for every way with this mechanism that does not prune;
- charged: with what it hides and the session quotes later paid for as in a replay. Exact but for one thing: what was
  fetched leaves the tail to other pieces here, while in a replay it may take their place.

The floor reads the prefix from the cache, writes each token that passed the gate once, and keeps no history at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cost_replay import Standing, standings
from numpy.typing import NDArray

from palimpsest.costs.replay import in_stub
from palimpsest.costs.session import Call, Holder, Session
from palimpsest.price import compaction_rules
from palimpsest.price.compaction_rules import ASK_TOKENS, FORK_PROMPT_TOKENS, Moment, Terms
from palimpsest.price.request import alive
from palimpsest.record.spending import Rates

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Folding:
    """How summaries grow: a compaction leads from `sizes[t]` to `sizes[leads[t]]`; what it adds, what it leaves."""

    sizes: Floats
    leads: tuple[int, ...]
    added: Floats
    unchanged: Floats


def _folding(terms: Terms) -> _Folding:
    sizes = [0]
    made: list[compaction_rules.Shape] = []
    while len(made) < len(sizes):
        moment = Moment(0, 0, sizes[len(made)], 0, 0, 0, warm=True, window=0)
        made.append(compaction_rules.shape(moment, terms))
        if made[-1].summaries not in sizes:
            sizes.append(made[-1].summaries)
    return _Folding(
        np.array(sizes, dtype=np.float64),
        tuple(sizes.index(one.summaries) for one in made),
        np.array([one.added for one in made], dtype=np.float64),
        np.array([one.unchanged for one in made], dtype=np.float64),
    )


@dataclass(frozen=True, slots=True)
class _Task:
    """What stays the same while a session is worked through."""

    prefix: int
    terms: Terms
    rates: Rates
    window: int
    folding: _Folding


def optimum(
    session: Session, terms: Terms, rates: Rates, window_tokens: int, *, charged: bool = True
) -> float:
    """The least that the session can cost, infinite where it cannot be kept within the window.

    `charged`: what it hides and the session quotes later is fetched again at the same price as in a replay; without,
    it is a bound that ignores what compacting loses.
    """
    points = standings(session, terms)
    task = _Task(session.prefix_tokens, terms, rates, window_tokens, _folding(terms))
    history = np.array([point.history for point in points], dtype=np.float64)
    since = np.array([point.kept + terms.ledger_tokens - point.history for point in points], dtype=np.float64)
    since[0] = 0
    best = np.full((len(points), len(task.folding.sizes)), np.inf)
    best[0, 0] = 0.0
    fetching = _Fetching(session, points, terms) if charged else None
    fetched = np.zeros(len(points))
    for number, (call, point) in enumerate(zip(session.calls, points, strict=True)):
        known = max(number, 1)
        held = task.prefix + task.folding.sizes[None, :] + (since + fetched)[:known, None]
        prompt = held + history[number]
        warm = number > 0 and alive(call.gap_s, rates)
        if number:
            best[number] = _compacted(best[:known], prompt, point, call, warm, task)
        stays = _matched(held + history[number - 1], rates) if warm else np.zeros_like(prompt)
        best[:known] += (
            rates.cached * stays + rates.write * (prompt - stays) + rates.output * call.output_tokens
        )
        best[:known][prompt > window_tokens] = np.inf
        if fetching is None:
            continue
        upto = number + 1
        size = task.prefix + task.folding.sizes[None, :] + (since + fetched)[:upto, None] + history[number]
        asks, tokens = fetching.at(number)
        added = tokens[:upto] + ASK_TOKENS * asks[:upto]
        price = rates.output * ASK_TOKENS * asks[:upto] + (rates.write - rates.cached) * added
        best[:upto] += asks[:upto, None] * rates.cached * size + (price + rates.cached * added)[:, None]
        fetched[:upto] += added
    return float(best.min())


class _Fetching:
    """What has to be fetched at a call, for every call before which the last compaction may have been."""

    def __init__(self, session: Session, points: tuple[Standing, ...], terms: Terms) -> None:
        self._session = session
        self._cuts = np.array([point.cut for point in points])
        self._cuts[0] = 0
        self._ends = np.array([call.end for call in session.calls])
        self._terms = terms
        self._last: dict[int, int] = {}

    def at(self, number: int) -> tuple[Floats, Floats]:
        """(how many pieces, their tokens), by the call of the last compaction. Calls are asked for in order."""
        asks, tokens = np.zeros(len(self._cuts)), np.zeros(len(self._cuts))
        done: set[int] = set()
        for holders in self._session.calls[number].quotes:
            whole = [one.piece for one in holders if self._passes(one)]
            hidden = self._cuts > max(whole, default=-1)
            before = [self._last[one.piece] for one in holders if one.piece in self._last]
            if before:
                hidden &= self._cuts > self._ends[max(before)] - 1
                hidden &= np.arange(len(self._cuts)) > max(before)
            newest = holders[0].piece
            if newest not in done:
                done.add(newest)
                asks += hidden
                tokens += hidden * self._session.pieces[newest].tokens
            self._last[newest] = number
        return asks, tokens

    def _passes(self, holder: Holder) -> bool:
        """Whether what is quoted of the piece is shown as long as the piece is in the window."""
        piece = self._session.pieces[holder.piece]
        limit = (
            compaction_rules.gate_limit(self._terms, is_file=piece.kind == "file") if piece.is_result else 0
        )
        shown = min(piece.tokens, self._terms.gate_shown_tokens)
        return not limit or piece.tokens <= limit or in_stub(holder, shown)


def _compacted(best: Floats, prompt: Floats, point: Standing, call: Call, warm: bool, task: _Task) -> Floats:
    """What the states cost that a compaction before this call leads to, the call included."""
    rates, terms, folding = task.rates, task.terms, task.folding
    after = task.prefix + folding.unchanged + folding.added + terms.ledger_tokens + point.kept
    removed = prompt - after[None, :]
    least = terms.compact_least_tokens if warm else terms.compact_cold_least_tokens
    forced = prompt > terms.force_share * task.window
    paid = best + _fees(prompt, removed, point, warm, task)
    waits = (removed <= least) | (prompt <= compaction_rules.floor_of(terms, task.window))
    paid[(removed <= 0) | (waits & ~forced) | (after[None, :] > task.window)] = np.inf
    stays = _matched(task.prefix + folding.unchanged, rates) if warm else np.zeros_like(after)
    price = rates.cached * stays + rates.write * (after - stays) + rates.output * call.output_tokens
    found = np.full(len(folding.sizes), np.inf)
    np.minimum.at(found, list(folding.leads), paid.min(axis=0) + price)
    return found


def _fees(prompt: Floats, removed: Floats, point: Standing, warm: bool, task: _Task) -> Floats:
    """The summarizer's price, as `rules.offers` has it."""
    rates, who = task.rates, task.terms.summarizer
    if who == "extractive":
        return np.zeros_like(prompt)
    written = rates.output * task.folding.added[None, :]
    read = rates.cached * (prompt - point.new) + rates.input * point.new if warm else rates.input * prompt
    fork = read + rates.input * FORK_PROMPT_TOKENS + written
    source = removed + task.folding.added[None, :] + FORK_PROMPT_TOKENS
    cheap = task.terms.model_share * (rates.input * source + written)
    return fork if who == "fork" else cheap if who == "model" else np.minimum(fork, cheap)


def _matched(tokens: Floats, rates: Rates) -> Floats:
    over = np.maximum(tokens - rates.minimum_tokens, 0)
    return np.where(tokens < rates.minimum_tokens, 0.0, tokens - over % max(1, rates.step_tokens))


def floor(session: Session, terms: Terms, rates: Rates) -> float:
    """What the session costs where no history is kept."""
    spent = 0.0
    for number, (call, point) in enumerate(zip(session.calls, standings(session, terms), strict=True)):
        warm = number > 0 and alive(call.gap_s, rates)
        prefix = (rates.cached if warm else rates.write) * session.prefix_tokens
        spent += prefix + rates.write * point.new + rates.output * call.output_tokens
    return spent
