"""The economic policy: compact when the rent on what a prompt carries has paid for rewriting it, and not before.

The rules are those of `price.rules`; this file says what they are asked about, and what is done when they say so. It is
asked before every call, because only then is it known whether the last prompt is still cached.

- What is compacted is everything before the tail but the newest request. The new summary follows the older ones, which
  stay byte for byte; once they are too many, all become one, in a compaction that rewrites the prompt anyway. An older
  request that stands between two summaries waits for that, unless it is larger than what stands behind it.
- The tail is the newest whole groups up to `tail_tokens`, and whatever the model has not seen.
- Pruning makes lines of old results, all at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from palimpsest.budget.assemble import FENCE_TOKENS
from palimpsest.budget.ledger_and_pins import ledger_limit
from palimpsest.budget.regions import trigger
from palimpsest.plan.hierarchical import MIN_SOURCE_TOKENS, blocks, newest_request
from palimpsest.plan.levels_of_detail import (
    MAX_FLOOR_TOKENS,
    Sizes,
    asked_sizes,
    fill,
    sizes_in,
    target_sizes,
)
from palimpsest.plan.pruning import NOTE_TOKENS, prune
from palimpsest.price import rules
from palimpsest.price.rates import COMPUTE
from palimpsest.price.rules import Hidden, Moment, Terms, Verdict
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.log import Numbers
from palimpsest.record.message import Message, ToolCall
from palimpsest.record.spending import Economy, Meter
from palimpsest.record.window import Window
from palimpsest.record.window_items import (
    BULK_TOKENS,
    Item,
    MessageItem,
    OmittedItem,
    StubItem,
    SummaryItem,
    is_bulk,
)
from palimpsest.settings import Settings
from palimpsest.toolcalls.call_actions import decode

MIN_TARGET_TOKENS = 120
"""The least that one of two summaries of a compaction is given."""

LEAST_TOKENS, LEAST_PART = 50_000, 4
"""Where a target is filled, a compaction frees so much, or one part of so many of the capacity ..."""
COLD_LEAST_TOKENS, COLD_LEAST_PART = 20_000, 10
"""... or so much once the cache has expired (`bench/cost.py --curve`)."""

ASKED_SHARE = 1 / 100
"""Of what a compaction that is asked for takes, its summary may have so much: that of a usual one of 40,000 tokens."""

ASKED_WINDOW_SHARE = 1 / 32
"""Of the window, the most of that."""

LOOKED_AT_ITEMS = 400
"""Of what may be asked for again, the newest before the tail: what is older hardly ever is."""


def economic(state: State) -> Decision:
    """What the rules call for before the next call; nothing before the first."""
    verdict, _ = judge(state)
    if verdict.action == "nothing":
        return Decision((), verdict.reason, _numbers(verdict))
    if state.settings.window_target_tokens and verdict.action == "compact":
        sizes = target_sizes(state.settings, state.budget)
        steps = fill(state, sizes, seen(state.window), verdict.summarizer)
        return Decision(steps, f"economic: {verdict.reason}", _numbers(verdict))
    start = tail_start(state.window, state.settings.tail_tokens)
    if verdict.action == "prune":
        return prune(state, 0, start, f"economic: {verdict.reason}", _numbers(verdict))
    folds = verdict.shape is not None and verdict.shape.unchanged == 0
    steps = tuple(_steps(state, start, verdict.summarizer, folds=folds))
    return Decision(steps, f"economic: {verdict.reason}", _numbers(verdict))


def everything(state: State, under_tokens: int | None = None) -> Decision:
    """A compaction of all that the policy ever compacts, whatever the rules say; to the target size, or so that a
    request uses at most `under_tokens`.
    """
    economy = state.economy
    if state.settings.window_target_tokens:
        return _filled(state, under_tokens)
    start = tail_start(state.window, state.settings.tail_tokens)
    state = replace(state, settings=_for_a_whole(state.settings, state.window.items[:start]))
    terms = terms_of(state.settings, economy)
    moment = _moment(state, economy or Economy(COMPUTE), start, terms)
    made = rules.shape(moment, terms)
    offers = rules.offers(moment, made, economy.rates, terms) if economy is not None else ()
    who = offers[0][0] if offers else ""
    steps = tuple(_steps(state, start, who, folds=made.unchanged == 0))
    reason = "economic: asked for" if steps else "no summary: everything is in the tail or summarized"
    return Decision(steps, reason, (("used_tokens", state.budget.used_tokens), *_prices(offers)))


def _filled(state: State, under_tokens: int | None) -> Decision:
    """A window of the target size, or of what is asked for."""
    settings, budget = state.settings, state.budget
    if under_tokens is None:
        sizes = target_sizes(settings, budget, state.window)
    elif under_tokens >= budget.capacity_tokens:
        sizes = target_sizes(settings, budget)
    else:
        sizes = asked_sizes(settings, budget, under_tokens)
    who = ""
    if (economy := state.economy) is not None:
        terms = terms_of(settings, economy, sizes=sizes)
        moment = _moment(state, economy, tail_start(state.window, sizes.tail), terms)
        asked = rules.offers(moment, rules.shape(moment, terms), economy.rates, terms)
        who = asked[0][0] if asked else ""
    steps = fill(state, sizes, seen(state.window), who)
    reason = "economic: asked for" if steps else "no summary: everything is in the tail or summarized"
    return Decision(steps, reason, (("used_tokens", budget.used_tokens), ("target_tokens", sizes.total)))


def _for_a_whole(settings: Settings, items: Sequence[Item]) -> Settings:
    """The settings with which what is asked for is summarized: it may stand for a whole imported session, and grows
    with it.
    """
    most_tokens = int(settings.window_tokens * ASKED_WINDOW_SHARE)
    share_tokens = min(most_tokens, int(sum(item.tokens for item in items) * ASKED_SHARE))
    return replace(
        settings,
        leaf_target_tokens=max(settings.leaf_target_tokens, share_tokens),
        condensed_target_tokens=max(settings.condensed_target_tokens, share_tokens),
    )


def judge(state: State, *, roughly: bool = False) -> tuple[Verdict, Meter]:
    """What the rules say of this moment, and the meter with the rent of the call that follows. `roughly`: as if nothing
    that is hidden were ever asked for again, which takes a look at every call.
    """
    economy = state.economy
    if economy is None:
        return Verdict("nothing", "nobody knows what calls cost"), Meter()
    settings = state.settings
    sizes = target_sizes(settings, state.budget) if settings.window_target_tokens else None
    terms = terms_of(settings, economy, force_share=_force_share(state), sizes=sizes)
    start = tail_start(state.window, terms.tail_tokens)
    moment = _moment(state, economy, start, terms)
    verdict, meter = rules.decide(moment, economy.meter, economy.rates, terms)
    if roughly or verdict.action == "nothing" or verdict.reason == rules.FORCED:
        return verdict, meter
    hidden, pruned = expected_again(state.window, start)
    moment = replace(moment, hidden=hidden, pruned=pruned)
    return rules.decide(moment, economy.meter, economy.rates, terms)


def terms_of(
    settings: Settings,
    economy: Economy | None = None,
    *,
    force_share: float = rules.FORCE_SHARE,
    sizes: Sizes | None = None,
) -> Terms:
    """The rules' own settings; what a summary or a ledger takes is with its fence. Where a target is filled, `sizes`
    are those of the target; without them as they are where a request has no fixed parts.
    """
    terms = _plain_terms(settings, economy, force_share)
    if not settings.window_target_tokens:
        return terms
    capacity = settings.window_tokens - settings.max_tokens
    if sizes is None:
        sizes = sizes_in(settings, capacity)
    return replace(
        terms,
        tail_tokens=sizes.tail,
        summary_tokens=sizes.outline,
        folded_tokens=sizes.outline,
        fold_at_tokens=0,
        ledger_tokens=sizes.ledger,
        compact_least_tokens=min(LEAST_TOKENS, capacity // LEAST_PART),
        compact_cold_least_tokens=min(COLD_LEAST_TOKENS, capacity // COLD_LEAST_PART),
        floor_tokens=MAX_FLOOR_TOKENS,
        floor_share=settings.compact_not_below_share,
    )


def _plain_terms(settings: Settings, economy: Economy | None, force_share: float) -> Terms:
    return Terms(
        gate_tokens=settings.gate_tokens,
        gate_read_tokens=settings.gate_read_tokens,
        gate_shown_tokens=settings.gate_shown_tokens,
        tail_tokens=settings.tail_tokens,
        summary_tokens=settings.leaf_target_tokens + FENCE_TOKENS,
        fold_at_tokens=settings.fold_at_tokens,
        folded_tokens=settings.condensed_target_tokens + FENCE_TOKENS,
        ledger_tokens=ledger_limit(settings),
        prune_least_tokens=settings.prune_least_tokens,
        prune_result_tokens=BULK_TOKENS,
        prune_stub_tokens=NOTE_TOKENS,
        quality_weight=settings.quality_weight,
        cap_share=settings.cap_share,
        summarizer=economy.summarizer if economy is not None else "extractive",
        model_share=economy.summary_share if economy is not None else 1.0,
        force_share=force_share,
    )


def _force_share(state: State) -> float:
    """The share of the capacity above which the settings want a compaction whatever it costs."""
    limit_tokens, _ = trigger(state.budget, state.settings)
    return limit_tokens / max(1, state.budget.capacity_tokens)


def _moment(state: State, economy: Economy, start: int, terms: Terms) -> Moment:
    """The moment as the budget has it: where a provider counts more than was estimated, every part takes its share."""
    window, regions, used = state.window, state.budget.regions, state.budget.used_tokens
    tail = sum(item.tokens for item in window.items[start:])
    request = newest_request(window)
    first = window.items[start].first if start < len(window.items) else window.last + 1
    kept = tail + (request.tokens if request is not None and request.last < first else 0)
    freed, survives = _prunable(window, start) if terms.prune_least_tokens else (0, 0)
    new = sum(item.tokens for item in _newer(window, seen(window)))
    parts = (regions.fixed, regions.summaries, regions.ledger, kept + regions.pins, new, freed, survives)
    scale = used / max(1, regions.total)
    prefix, summaries, ledger, kept, new, freed, survives = (round(scale * part) for part in parts)
    return Moment(
        prompt=used,
        prefix=prefix,
        summaries=summaries,
        ledger=ledger,
        kept=kept,
        new=new,
        warm=economy.warm,
        window=state.budget.capacity_tokens,
        freed=freed,
        survives=survives,
        output=economy.output_tokens,
    )


def seen(window: Window) -> int:
    """The position of the newest message that was part of a prompt: the one before the newest reply, 0 for none."""
    replies = (item.first for item in reversed(window.items) if _speaks(item))
    return next(replies, 1) - 1


def _newer(window: Window, position: int) -> Iterator[Item]:
    """The items after a position, the newest first."""
    for item in reversed(window.items):
        if item.first <= position:
            return
        yield item


def tail_start(window: Window, tail_tokens: int) -> int:
    """Where the tail begins among the items: whole groups of at most so many tokens, and everything that the model has
    not seen. It holds no summary, and does not begin with a result.
    """
    items = window.items
    shown = seen(window)
    start, total = len(items), 0
    for place in range(len(items) - 1, -1, -1):
        item = items[place]
        if isinstance(item, SummaryItem | OmittedItem):
            break
        total += item.tokens
        if total > tail_tokens and item.last <= shown:
            break
        if item.stored.message.role != "tool":
            start = place
    return start


def _prunable(window: Window, start: int) -> tuple[int, int]:
    """(what lines in place of old results would free, what stands behind the first of them and stays)."""
    facts = window.facts
    newer = [item.tokens for item in window.items[start:] if is_bulk(item)]
    bulk = facts.bulk - len(newer)
    if not bulk:
        return 0, 0
    freed = facts.bulk_tokens - sum(newer) - NOTE_TOKENS * bulk
    return freed, window.tokens - facts.before_bulk_tokens - freed


def expected_again(window: Window, start: int) -> tuple[Hidden, Hidden]:
    """What a compaction would hide of these items, and what pruning would, and is expected to be asked for again."""
    age = sum(_speaks(item) for item in window.items[start:])
    calls: dict[str, ToolCall] = {}
    looked_at = window.items[max(0, start - LOOKED_AT_ITEMS) : start]
    for item in looked_at:
        if isinstance(item, MessageItem | StubItem):
            calls.update((call.id, call) for call in item.stored.message.calls)
    pieces: list[tuple[float, int]] = []
    old: list[tuple[float, int]] = []
    for item in reversed(looked_at):
        if not isinstance(item, MessageItem | StubItem):
            continue
        piece = (rules.again(_kind(item.stored.message, calls), age), item.tokens)
        pieces.append(piece)
        if is_bulk(item):
            old.append(piece)
        age += _speaks(item)
    return rules.expected(pieces), rules.expected(old)


def _speaks(item: Item) -> bool:
    return isinstance(item, MessageItem | StubItem) and item.stored.message.role == "assistant"


def _kind(message: Message, calls: dict[str, ToolCall]) -> str:
    """What a message is to the rules: "assistant", "user", "file" for what was read, "result" for all else."""
    if message.role != "tool":
        return message.role
    asked = (calls[result.call_id] for result in message.results if result.call_id in calls)
    return "file" if any(_reads(call) for call in asked) else "result"


@lru_cache(4 * LOOKED_AT_ITEMS)
def _reads(call: ToolCall) -> bool:
    """Whether a call read a file with a tool for that."""
    action = decode(call)
    return not action.command and any(deed == "read" for _, deed in action.files)


def _steps(state: State, start: int, summarizer: str, *, folds: bool) -> Iterator[Step]:
    """A summary of each run of items before the tail that nothing which has to stay interrupts."""
    runs = [run for run in _runs(state.window, start, folds=folds) if _worth(run)]
    total = sum(item.tokens for run in runs for item in run)
    settings = state.settings
    for run in runs:
        tokens = sum(item.tokens for item in run)
        older = [item.summary.depth for item in run if isinstance(item, SummaryItem)]
        whole = settings.condensed_target_tokens if older else settings.leaf_target_tokens
        target = max(MIN_TARGET_TOKENS, round(whole * tokens / total)) if len(runs) > 1 else whole
        ids = tuple(item.id for item in run)
        if ids not in state.refused:
            yield step_over(
                "roll" if older else "leaf",
                run,
                min(target, tokens // 2),
                depth=1 + max(older) if older else 0,
                summarizer=summarizer,
            )


def _runs(window: Window, start: int, *, folds: bool) -> Iterator[list[Item]]:
    """The runs before the tail that a compaction takes. Where it does not fold, what a run frees is more than the
    summaries that stand behind it, which are rewritten for it.
    """
    run: list[Item] = []
    place = 0
    behind = sum(item.tokens for item in window.items if _is_record(item))
    for block in blocks(window, 0):
        place += len(block.items)
        older = _is_record(block.items[0])
        if place > start or not block.movable or (older and not folds):
            if run and (folds or sum(item.tokens for item in run) > behind):
                yield run
            run = []
            behind -= sum(item.tokens for item in block.items) if older else 0
        else:
            run.extend(block.items)
    if run:
        yield run


def _is_record(item: Item) -> bool:
    return isinstance(item, SummaryItem | OmittedItem)


def _worth(run: Sequence[Item]) -> bool:
    """Whether a run can become smaller at all."""
    records = sum(_is_record(item) for item in run)
    raw_tokens = sum(item.tokens for item in run if isinstance(item, MessageItem | StubItem))
    return raw_tokens >= MIN_SOURCE_TOKENS or records > 1


def _numbers(verdict: Verdict) -> Numbers:
    """The sums that were compared, in units of an uncached input token, and what each summarizer would have cost."""
    return (
        ("saved_units", round(verdict.saved, 1)),
        ("cost_units", round(verdict.cost, 1)),
        *_prices(verdict.offers),
    )


def _prices(offers: tuple[tuple[str, float], ...]) -> Numbers:
    return tuple((f"{who}_units", round(price, 1)) for who, price in offers)
