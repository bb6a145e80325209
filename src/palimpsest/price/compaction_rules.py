"""When to prune and when to compact: the economic rules, as pure functions over numbers.

Every call pays rent on the tokens it carries without need: `cached` per token. Rewriting the prompt costs once:
everything after the rewritten position is written to the cache again, and the summarizer has its price. The rules
compact when the accumulated rent reaches that cost. For a history that grows evenly this is the cheapest moment;
in general it costs at most twice the optimum.

    gate      a tool result over its kind's limit enters the window as a stub; decided once, when it is appended
    prune     old results become one line each when their rent exceeds twice the cost of rewriting
    compact   warm cache: rent >= cost of rewriting + summarizer; expired cache (everything is written anyway): at once,
              if the tokens that need not be written again pay for the summarizer
    cap       never if the session's bill would exceed `cap_share` of the bill without any compaction
    floor     never while the prompt has at most `floor_tokens`, or `floor_share` of the window if that is less
    force     above `force_share` of the window, regardless of the other rules

A quality weight above 1 multiplies the cost that the rent is compared with, so compactions are fewer and later. Every
verdict contains both sums that were compared. The engine and the replays use the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

from palimpsest.record.spending import Meter, Rates
from palimpsest.settings import Summarizer

Action = Literal["nothing", "prune", "compact"]

FORCED = "the window is full"
"""The reason of a forced compaction."""

FORCED_LEAST_SHARE = 0.05
"""A forced compaction has to free this share of the window."""

FORK_PROMPT_TOKENS = 500
"""Tokens that the instruction to summarize adds to a prompt."""

ASK_TOKENS = 60
"""Tokens that a model writes to request a message by its id."""

CHEAP_SHARE = 0.2
"""The price of a cheaper model as a share of the model's own."""

FORCE_SHARE = 0.9
"""The default of `Terms.force_share`."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The settings of the rules; 0 disables the gate, the pruning or the cap.

    gate_tokens, gate_read_tokens   larger results enter as a stub; the second applies to files that were read
    gate_shown_tokens               size of the stub: beginning, end and outline
    tail_tokens, tail_items         the newest whole groups that stay verbatim: by tokens, or by number of pieces
    compact_least_tokens            a compaction frees more than this; compact_cold_least_tokens: with an expired cache
    floor_tokens, floor_share       no compaction or pruning while the prompt is at most the smaller of the two
    summary_tokens                  size of each new summary
    fold_at_tokens, folded_tokens   when the summaries exceed the first, they become one of the second
    ledger_tokens                   size of the evidence ledger after the summaries, rewritten at each compaction
    prune_least_tokens              a pruning frees at least this
    prune_result_tokens, prune_stub_tokens   results larger than the first shrink to the second
    prune_weight, quality_weight    factors of the cost that the rent has to reach
    cap_share                       the largest bill, as a share of the bill without any compaction. Part of it is
    reserved for hidden pieces that are fetched again: reserve_share of the expected cost, and reserve_spread times its
    standard deviation
    force_share                     above this share of the window the prompt is compacted regardless of the cap
    summarizer                      "extractive" is free; "fork" asks the same model with its cached prompt; "model" a
    model that costs model_share as much; "cheapest" whichever of these two costs less now
    """

    gate_tokens: int = 1_500
    gate_read_tokens: int = 8_000
    gate_shown_tokens: int = 400
    tail_tokens: int = 2_000
    tail_items: int = 0
    compact_least_tokens: int = 10_000
    compact_cold_least_tokens: int = 6_000
    floor_tokens: int = 0
    floor_share: float = 0.25
    summary_tokens: int = 500
    fold_at_tokens: int = 3_000
    folded_tokens: int = 1_000
    ledger_tokens: int = 1_500
    prune_least_tokens: int = 2_000
    prune_result_tokens: int = 60
    prune_stub_tokens: int = 20
    prune_weight: float = 2.0
    quality_weight: float = 1.0
    cap_share: float = 1.05
    reserve_share: float = 0.5
    reserve_spread: float = 0.9
    force_share: float = FORCE_SHARE
    summarizer: Summarizer = "extractive"
    model_share: float = CHEAP_SHARE


@dataclass(frozen=True, slots=True)
class Hidden:
    """Hidden pieces that are expected to be fetched again: their number, tokens, and sum of squared tokens."""

    pieces: float = 0.0
    tokens: float = 0.0
    squares: float = 0.0


NOTHING_HIDDEN = Hidden()


@dataclass(frozen=True, slots=True)
class Moment:
    """What is known before a call, in tokens.

    prompt      the whole prompt; prefix: the part before the summaries; summaries, ledger: their current sizes
    kept        what stays verbatim after a new summary: the newest request and the tail
    new         added since the last call; output: the expected reply
    hidden      what a compaction would hide and is expected to be fetched again; pruned: the same of a pruning
    freed       what a pruning would save; survives: what follows the first position it would change
    warm        whether the last prompt is still cached
    thinking    what stays verbatim but is bound to what precedes it, so that a change of the prompt loses it
    """

    prompt: int
    prefix: int
    summaries: int
    ledger: int
    kept: int
    new: int
    warm: bool
    window: int
    freed: int = 0
    survives: int = 0
    output: int = 0
    hidden: Hidden = NOTHING_HIDDEN
    pruned: Hidden = NOTHING_HIDDEN
    thinking: int = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """The result of a compaction: summaries of `summaries` tokens, of which `unchanged` existed before; `added` is what
    the summarizer writes, `removed` what leaves the window.
    """

    added: int
    unchanged: int
    summaries: int
    removed: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do, and the two sums compared: `saved` reached `cost`, or did not. `offers` are the possible summarizers
    with their prices, cheapest first.
    """

    action: Action
    reason: str
    saved: float = 0.0
    cost: float = 0.0
    offers: tuple[tuple[str, float], ...] = ()
    shape: Shape | None = None

    @property
    def fee(self) -> float:
        return self.offers[0][1] if self.offers else 0.0

    @property
    def summarizer(self) -> str:
        return self.offers[0][0] if self.offers else ""


AGAIN_SHARES = {"assistant": 0.3, "file": 0.3, "fetched": 0.3}
"""Probability that a piece that was just written or read is quoted again, by kind."""

AGAIN_SHARE = 0.03
"""The same for every other kind: command output, user messages."""

AGAIN_AGE_CALLS = 6


def again(kind: str, age_calls: int) -> float:
    """The probability that a piece is quoted again, as counted in transcripts of coding agents."""
    return AGAIN_SHARES.get(kind, AGAIN_SHARE) / (1 + age_calls / AGAIN_AGE_CALLS)


def expected(pieces: Iterable[tuple[float, int]]) -> Hidden:
    """What is expected to be fetched again, from (probability, tokens) of each piece."""
    count = tokens = squares = 0.0
    for chance, size in pieces:
        count += chance
        tokens += chance * size
        squares += chance * size**2
    return Hidden(count, tokens, squares)


def regret(hidden: Hidden, prompt_tokens: int, rates: Rates) -> float:
    """The expected cost of fetching hidden pieces again: a call for each, and its tokens."""
    return hidden.pieces * _ask_cost(prompt_tokens, rates) + rates.write * hidden.tokens


def reserve(hidden: Hidden, prompt_tokens: int, rates: Rates, terms: Terms) -> float:
    """What the cap reserves for that. A few large pieces can cost much more than expected, many small ones hardly."""
    ask = _ask_cost(prompt_tokens, rates)
    spread = ask**2 * hidden.pieces + 2 * ask * rates.write * hidden.tokens + rates.write**2 * hidden.squares
    return terms.reserve_share * regret(hidden, prompt_tokens, rates) + terms.reserve_spread * sqrt(spread)


def _ask_cost(prompt_tokens: int, rates: Rates) -> float:
    return rates.cached * prompt_tokens + rates.output * ASK_TOKENS


def gate_limit(terms: Terms, *, is_file: bool) -> int:
    """A larger tool result enters as a stub; 0 for no limit."""
    return terms.gate_read_tokens if is_file else terms.gate_tokens


def shape(moment: Moment, terms: Terms) -> Shape:
    """The result of compacting now. Older summaries stay byte for byte until they exceed `fold_at_tokens`."""
    folds = moment.summaries + terms.summary_tokens > terms.fold_at_tokens
    added = terms.folded_tokens if folds else terms.summary_tokens
    unchanged = 0 if folds else moment.summaries
    left = moment.prefix + unchanged + added + terms.ledger_tokens + moment.kept
    return Shape(added, unchanged, unchanged + added, moment.prompt - left)


def offers(moment: Moment, made: Shape, rates: Rates, terms: Terms) -> tuple[tuple[str, float], ...]:
    """The possible summarizers and their prices now, cheapest first. The local extractive one is free.

    A fork reads the last prompt from a warm cache; another model reads only what is summarized.
    """
    if terms.summarizer == "extractive":
        return (("extractive", 0.0),)
    written = rates.output * made.added
    read = moment.prompt - moment.new if moment.warm else 0
    asked = moment.prompt - read + FORK_PROMPT_TOKENS
    source = made.removed + made.added + FORK_PROMPT_TOKENS
    prices = {
        "fork": rates.cached * read + rates.input * asked + written,
        "model": terms.model_share * (rates.input * source + written),
    }
    chosen = prices if terms.summarizer == "cheapest" else {terms.summarizer: prices[terms.summarizer]}
    return tuple(sorted(chosen.items(), key=lambda offer: offer[1]))


def proportional(moment: Moment, made: Shape, who: str, rates: Rates, terms: Terms) -> float:
    """The part of the summarizer's price that grows with the source; it has to be paid whenever that is compacted."""
    if who == "fork":
        return (rates.cached if moment.warm else rates.input) * made.removed
    return terms.model_share * rates.input * made.removed if who == "model" else 0.0


def compact_cost(moment: Moment, made: Shape, rates: Rates, terms: Terms) -> float:
    """The cost that the rent has to reach: rewriting, and the part of the summarizer's price that does not grow.

    Thinking that is lost has to be thought again, at the price of output.
    """
    who, price = offers(moment, made, rates, terms)[0]
    fixed = price - proportional(moment, made, who, rates, terms) + rates.output * moment.thinking
    if not moment.warm:
        return fixed
    rewritten = made.added + terms.ledger_tokens + moment.kept - moment.new
    return max(0.0, rates.write - rates.cached) * max(0, rewritten) + fixed


def decide(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
    """What to do before this call, and the meter with the call's rent added."""
    made = shape(moment, terms)
    rent = rates.cached * made.removed if made.removed > terms.compact_least_tokens else 0.0
    prune_rent = rates.cached * moment.freed if 0 < terms.prune_least_tokens <= moment.freed else 0.0
    meter = replace(meter, rent=meter.rent + rent, prune_rent=meter.prune_rent + prune_rent)
    if _is_forced(moment, made, terms):
        cost, who = compact_cost(moment, made, rates, terms), offers(moment, made, rates, terms)
        return Verdict("compact", FORCED, meter.rent, cost, who, made), meter
    floor = floor_of(terms, moment.window)
    if moment.prompt <= floor:
        return Verdict("nothing", "the prompt is below the floor", moment.prompt, floor), meter
    verdict = _judge_compaction(moment, made, meter, rates, terms)
    if verdict.action == "nothing":
        pruning = _judge_pruning(moment, meter, rates, terms)
        verdict = pruning if pruning.action == "prune" else verdict
    return verdict, meter


def floor_of(terms: Terms, window_tokens: int) -> int:
    """The largest prompt, in tokens, that is left alone as long as it fits."""
    return min(terms.floor_tokens, int(terms.floor_share * window_tokens))


def _is_forced(moment: Moment, made: Shape, terms: Terms) -> bool:
    """Whether the window is full. A compaction that frees little waits until the prompt does not fit at all; otherwise
    a prefix and tail that almost fill a window would cause one before every call.
    """
    if moment.prompt > moment.window:
        return made.removed > 0
    full = moment.prompt > terms.force_share * moment.window
    return full and made.removed > FORCED_LEAST_SHARE * moment.window


def _judge_compaction(moment: Moment, made: Shape, meter: Meter, rates: Rates, terms: Terms) -> Verdict:
    least = terms.compact_least_tokens if moment.warm else terms.compact_cold_least_tokens
    if made.removed <= least:
        return Verdict("nothing", "too little to compact", made.removed, least)
    cost, asked = compact_cost(moment, made, rates, terms), offers(moment, made, rates, terms)
    who, price = asked[0]
    left = moment.prompt - made.removed
    saved = meter.rent
    if not moment.warm:
        saved += max(0.0, rates.write * made.removed - proportional(moment, made, who, rates, terms))
        cost += regret(moment.hidden, left, rates)
    if saved < terms.quality_weight * cost:
        return Verdict("nothing", "the rent is below the cost", saved, cost, asked)
    kept = moment.prefix + made.unchanged if moment.warm else 0
    if _over_cap(moment, meter, price, left, kept, moment.hidden, rates, terms):
        return Verdict("nothing", "the bill is at the cap", saved, cost, asked)
    why = "the rent has reached the cost" if moment.warm else "the cache has expired"
    return Verdict("compact", why, saved, cost, asked, made)


def _judge_pruning(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> Verdict:
    if not 0 < terms.prune_least_tokens <= moment.freed:
        return Verdict("nothing", "too little to prune", moment.freed, terms.prune_least_tokens)
    left = moment.prompt - moment.freed
    saved = meter.prune_rent + (0.0 if moment.warm else rates.write * moment.freed)
    rewritten = max(0, moment.survives - moment.new) if moment.warm else 0
    again_cost = regret(moment.pruned, left, rates)
    cost = terms.prune_weight * max(0.0, rates.write - rates.cached) * rewritten + again_cost
    cost += rates.output * moment.thinking
    if saved < cost:
        return Verdict("nothing", "the rent on old results is below the cost", saved, cost)
    kept = left - moment.survives if moment.warm else 0
    if _over_cap(moment, meter, 0.0, left, kept, moment.pruned, rates, terms):
        return Verdict("nothing", "the bill is at the cap", saved, cost)
    return Verdict("prune", "the rent on old results has reached the cost", saved, cost)


def _over_cap(
    moment: Moment, meter: Meter, fee: float, left: int, kept: int, hidden: Hidden, rates: Rates, terms: Terms
) -> bool:
    """Whether the bill would exceed the cap after a call with `left` tokens, `kept` of them read from the cache."""
    call = rates.cached * kept + rates.write * (left - kept) + rates.output * moment.output
    bill = meter.bill + fee + call + reserve(hidden, left, rates, terms)
    return terms.cap_share > 0 and bill > terms.cap_share * meter.never_bill


def after(meter: Meter, action: Action) -> Meter:
    """The meter after the action was done."""
    if action == "compact":
        return replace(meter, rent=0.0, prune_rent=0.0)
    if action == "prune":
        return replace(meter, rent=max(0.0, meter.rent - meter.prune_rent), prune_rent=0.0)
    return meter
