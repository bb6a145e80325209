"""When to prune and when to compact: the economic rules, as pure functions over numbers.

Every call pays rent on what it carries and does not need: `cached` for each such token. Rewriting the prompt costs
once: what stands behind the rewritten place is written to the cache again, and the summarizer has its price. The rules
let the rent add up until it equals that cost. For a history that grows evenly this is the cheapest moment there is;
against any other it pays at most twice what the best moment would have.

    gate      a tool result over its kind's limit enters the window as a stub; decided once, when it is appended
    prune     old results become one line each, once the rent on them exceeds twice what rewriting costs
    compact   warm: rent >= cost of rewriting + summarizer; cold (the cache has expired, so that all is written
              anyway): at once, where what need not be written any more pays for the summarizer
    cap       never where the session's bill would exceed `cap_share` of what never compacting would have cost by now
    floor     never while the prompt is small: at most `floor_tokens`, or `floor_share` of the window if that is less
    force     above `force_share` of the window, whatever the others say

A quality weight above 1 multiplies the cost that the rent is compared with: fewer, later compactions. Both sums of
every comparison are in the verdict. The same functions decide in an engine and in a replay.
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
"""The reason of a compaction that had no room to wait."""

FORCED_LEAST_SHARE = 0.05
"""Of the window: a full one is compacted where that frees so much."""

FORK_PROMPT_TOKENS = 500
"""What asking for a summary adds to a prompt."""

ASK_TOKENS = 60
"""What a model writes to ask for something by its id."""

CHEAP_SHARE = 0.2
"""A cheaper model's prices, as a share of the model's own."""


FORCE_SHARE = 0.9
"""Of the window, where nobody says above which share it is compacted whatever it costs."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The settings of the rules; 0 switches a gate, the pruning or the cap off.

    gate_tokens, gate_read_tokens   results over this enter as a stub; of a file that was read
    gate_shown_tokens                what the stub shows: beginning, end and outline
    tail_tokens                     the newest whole groups that stay verbatim; tail_items: or so many pieces
    compact_least_tokens            nothing smaller is compacted; compact_cold_least_tokens: once the cache has expired
    floor_tokens, floor_share       nothing is compacted or pruned while the prompt is at most the less of the two
    summary_tokens                  each new summary; fold_at_tokens: above this, all become one of folded_tokens
    ledger_tokens                   what the evidence ledger takes behind the summaries, written anew each time
    prune_least_tokens              nothing smaller is pruned; prune_result_tokens, prune_stub_tokens: from, to
    prune_weight, quality_weight    factors on the cost that the rent has to reach
    cap_share                       the most the bill may be of never compacting's, where what is expected to be fetched
    again counts as spent: reserve_share of it, and reserve_spread times its standard deviation
    force_share                     of the window, above which it is compacted whatever the cap says
    summarizer                      "extractive" is free; "fork" asks the same model with its warm prompt, "model" one
    whose prices are model_share of its, "cheapest" whichever of the two costs less now
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
    """What would be hidden and is expected to be fetched again: how many pieces, their tokens, and the sum of the
    squares of these.
    """

    pieces: float = 0.0
    tokens: float = 0.0
    squares: float = 0.0


NOTHING_HIDDEN = Hidden()


@dataclass(frozen=True, slots=True)
class Moment:
    """What is known before a call, in tokens.

    prompt      all of it; prefix: before the summaries; summaries, ledger: as they stand now
    kept        what stays verbatim behind a new summary: the newest request and the tail
    new         added since the last call; output: what this call is expected to write
    hidden      what a compaction would hide and is expected to be fetched again; pruned: what pruning would
    freed       what pruning would save; survives: what stands behind the first place it would change
    warm        whether the last prompt is still cached
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


@dataclass(frozen=True, slots=True)
class Shape:
    """What a compaction would make: summaries of `summaries` tokens, `unchanged` of them as they were; `added` is what
    the summarizer writes, `removed` what leaves the window.
    """

    added: int
    unchanged: int
    summaries: int
    removed: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do now, and the two sums compared: `saved` reached `cost`, or did not. `offers` are who might write the
    summary and at what price, the cheapest first: `summarizer`, at `fee`.
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
"""How likely a piece that the model just wrote or read is quoted again, by its kind."""

AGAIN_SHARE = 0.03
"""The same for all else: output of commands, a user's words."""

AGAIN_AGE_CALLS = 6


def again(kind: str, age_calls: int) -> float:
    """How likely a piece of this kind and age in calls is quoted again, as counted on coding agents' transcripts."""
    return AGAIN_SHARES.get(kind, AGAIN_SHARE) / (1 + age_calls / AGAIN_AGE_CALLS)


def expected(pieces: Iterable[tuple[float, int]]) -> Hidden:
    """What of these pieces is expected to be fetched again: how likely each is, and its tokens."""
    count = tokens = squares = 0.0
    for chance, size in pieces:
        count += chance
        tokens += chance * size
        squares += chance * size**2
    return Hidden(count, tokens, squares)


def regret(hidden: Hidden, prompt_tokens: int, rates: Rates) -> float:
    """What is expected to be spent on fetching again what was hidden: a call for each, and its tokens."""
    ask = _asking(prompt_tokens, rates)
    return hidden.pieces * ask + rates.write * hidden.tokens


def reserve(hidden: Hidden, prompt_tokens: int, rates: Rates, terms: Terms) -> float:
    """What the cap keeps free for that. Each piece is fetched or is not, so that a few large ones can cost much more
    than is expected, and many small ones hardly.
    """
    ask = _asking(prompt_tokens, rates)
    spread = ask**2 * hidden.pieces + 2 * ask * rates.write * hidden.tokens + rates.write**2 * hidden.squares
    return terms.reserve_share * regret(hidden, prompt_tokens, rates) + terms.reserve_spread * sqrt(spread)


def _asking(prompt_tokens: int, rates: Rates) -> float:
    return rates.cached * prompt_tokens + rates.output * ASK_TOKENS


def gate_limit(terms: Terms, *, is_file: bool) -> int:
    """Above how many tokens a tool result enters as a stub, 0 for never."""
    return terms.gate_read_tokens if is_file else terms.gate_tokens


def shape(moment: Moment, terms: Terms) -> Shape:
    """What a compaction would make now. Older summaries stay byte for byte, until they are too many."""
    folds = moment.summaries + terms.summary_tokens > terms.fold_at_tokens
    added = terms.folded_tokens if folds else terms.summary_tokens
    unchanged = 0 if folds else moment.summaries
    left = moment.prefix + unchanged + added + terms.ledger_tokens + moment.kept
    return Shape(added, unchanged, unchanged + added, moment.prompt - left)


def offers(moment: Moment, made: Shape, rates: Rates, terms: Terms) -> tuple[tuple[str, float], ...]:
    """Who may write the summary now, and at what price, the cheapest first. The local extractive one is free.

    A fork reads the last prompt from the cache as long as that is warm; another model reads only what is summarized.
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
    """The part of the summarizer's price that grows with what is compacted: it is owed whenever that is done."""
    if who == "fork":
        return (rates.cached if moment.warm else rates.input) * made.removed
    return terms.model_share * rates.input * made.removed if who == "model" else 0.0


def compact_cost(moment: Moment, made: Shape, rates: Rates, terms: Terms) -> float:
    """What the rent has to reach: the price of rewriting, and the summarizer's as far as it does not grow."""
    who, price = offers(moment, made, rates, terms)[0]
    fixed = price - proportional(moment, made, who, rates, terms)
    if not moment.warm:
        return fixed
    rewritten = made.added + terms.ledger_tokens + moment.kept - moment.new
    return max(0.0, rates.write - rates.cached) * max(0, rewritten) + fixed


def accrue(meter: Meter, moment: Moment, made: Shape, rates: Rates, terms: Terms) -> Meter:
    """The meter after one more call's rent."""
    rent = rates.cached * made.removed if made.removed > terms.compact_least_tokens else 0.0
    pruned = rates.cached * moment.freed if 0 < terms.prune_least_tokens <= moment.freed else 0.0
    return replace(meter, rent=meter.rent + rent, prune_rent=meter.prune_rent + pruned)


def decide(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
    """What to do before this call, and the meter with its rent counted."""
    made = shape(moment, terms)
    meter = accrue(meter, moment, made, rates, terms)
    if _forced(moment, made, terms):
        cost, who = compact_cost(moment, made, rates, terms), offers(moment, made, rates, terms)
        return Verdict("compact", FORCED, meter.rent, cost, who, made), meter
    floor = floor_of(terms, moment.window)
    if moment.prompt <= floor:
        return Verdict("nothing", "the prompt is below the floor", moment.prompt, floor), meter
    verdict = _compact(moment, made, meter, rates, terms)
    if verdict.action == "nothing":
        pruning = _prune(moment, meter, rates, terms)
        verdict = pruning if pruning.action == "prune" else verdict
    return verdict, meter


def floor_of(terms: Terms, window_tokens: int) -> int:
    """The size up to which a prompt is left alone as long as it fits, in tokens."""
    return min(terms.floor_tokens, int(terms.floor_share * window_tokens))


def _forced(moment: Moment, made: Shape, terms: Terms) -> bool:
    """Whether there is no room to wait. What would free little is left until the prompt does not fit at all: where the
    prefix and the tail almost fill a window, every call would be compacted.
    """
    if moment.prompt > moment.window:
        return made.removed > 0
    full = moment.prompt > terms.force_share * moment.window
    return full and made.removed > FORCED_LEAST_SHARE * moment.window


def _compact(moment: Moment, made: Shape, meter: Meter, rates: Rates, terms: Terms) -> Verdict:
    least = terms.compact_least_tokens if moment.warm else terms.compact_cold_least_tokens
    if made.removed <= least:
        return Verdict("nothing", "too little to compact", made.removed, least)
    cost, asked = compact_cost(moment, made, rates, terms), offers(moment, made, rates, terms)
    who, price = asked[0]
    saved = meter.rent
    if not moment.warm:
        saved += max(0.0, rates.write * made.removed - proportional(moment, made, who, rates, terms))
        cost += regret(moment.hidden, moment.prompt - made.removed, rates)
    if saved < terms.quality_weight * cost:
        return Verdict("nothing", "the rent is below the cost", saved, cost, asked)
    left = moment.prompt - made.removed
    kept = moment.prefix + made.unchanged if moment.warm else 0
    call = rates.cached * kept + rates.write * (left - kept) + rates.output * moment.output
    if _over(meter, price + call + reserve(moment.hidden, left, rates, terms), terms):
        return Verdict("nothing", "the bill is at the cap", saved, cost, asked)
    why = "the rent has reached the cost" if moment.warm else "the cache has expired"
    return Verdict("compact", why, saved, cost, asked, made)


def _prune(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> Verdict:
    if not 0 < terms.prune_least_tokens <= moment.freed:
        return Verdict("nothing", "too little to prune", moment.freed, terms.prune_least_tokens)
    saved = meter.prune_rent + (0.0 if moment.warm else rates.write * moment.freed)
    rewritten = max(0, moment.survives - moment.new) if moment.warm else 0
    again_cost = regret(moment.pruned, moment.prompt - moment.freed, rates)
    cost = terms.prune_weight * max(0.0, rates.write - rates.cached) * rewritten + again_cost
    if saved < cost:
        return Verdict("nothing", "the rent on old results is below the cost", saved, cost)
    left = moment.prompt - moment.freed
    kept = left - moment.survives if moment.warm else 0
    call = rates.cached * kept + rates.write * (left - kept) + rates.output * moment.output
    if _over(meter, call + reserve(moment.pruned, left, rates, terms), terms):
        return Verdict("nothing", "the bill is at the cap", saved, cost)
    return Verdict("prune", "the rent on old results has reached the cost", saved, cost)


def _over(meter: Meter, price: float, terms: Terms) -> bool:
    return terms.cap_share > 0 and meter.bill + price > terms.cap_share * meter.never_bill


def after(meter: Meter, action: Action) -> Meter:
    """The meter once this has been done."""
    if action == "compact":
        return replace(meter, rent=0.0, prune_rent=0.0)
    if action == "prune":
        return replace(meter, rent=max(0.0, meter.rent - meter.prune_rent), prune_rent=0.0)
    return meter


FIRST = Terms(
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
)
"""The settings that the rules were first measured with: a longer tail, longer summaries, a summarizer that costs."""
