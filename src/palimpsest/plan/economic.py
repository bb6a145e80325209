"""The economic policy: compact when the rent on what a prompt carries has paid for rewriting it, and not before.

The rules are in `price.compaction_rules`. This module collects the numbers they compare, and plans what they decide. It
is asked before every call, because only then is it known whether the last prompt is still cached.

- Everything before the tail is compacted, except the newest request. The new summary follows the older ones, which stay
  byte for byte. Once they are too many, all become one, in a compaction that rewrites the prompt anyway. An older
  request between two summaries waits for that, unless it is larger than what follows it.
- The tail is the newest whole groups up to `tail_tokens`, and everything that the model has not seen.
- Pruning shortens all old results at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

from palimpsest.budget.assemble import FENCE_TOKENS
from palimpsest.budget.ledger_and_pins import ledger_limit
from palimpsest.budget.regions import trigger
from palimpsest.budget.token_counts import thinking_tokens
from palimpsest.plan.blocks import (
    MIN_SOURCE_TOKENS,
    blocks,
    decide,
    is_message,
    is_record,
    message_tokens,
    newest_request,
    summary_step,
    tokens_of,
)
from palimpsest.plan.levels_of_detail import (
    MAX_FLOOR_TOKENS,
    Sizes,
    asked_sizes,
    fill,
    sizes_in,
    target_sizes,
)
from palimpsest.plan.pruning import NOTE_TOKENS, prune
from palimpsest.price import compaction_rules
from palimpsest.price.compaction_rules import Hidden, Moment, Terms, Verdict
from palimpsest.price.rates import COMPUTE
from palimpsest.record.decision import Decision, State, Step
from palimpsest.record.log import Numbers
from palimpsest.record.message import Message, ToolCall
from palimpsest.record.spending import Economy, Meter
from palimpsest.record.window import Window
from palimpsest.record.window_items import BULK_TOKENS, Item, MessageItem, StubItem, SummaryItem, is_bulk
from palimpsest.settings import Settings
from palimpsest.toolcalls.call_actions import decode

MIN_TARGET_TOKENS = 120
"""The least that one of two summaries of a compaction is given."""
LEAST_TOKENS, LEAST_PART = 50_000, 4
"""Where a target is filled, a compaction frees at least this much, or one part in so many of the capacity."""
COLD_LEAST_TOKENS, COLD_LEAST_PART = 20_000, 10
"""The same once the cache has expired (`bench/cost.py --curve`)."""
ASKED_SHARE, ASKED_WINDOW_SHARE = 1 / 100, 1 / 32
"""The size of a summary that is asked for: this share of its source, and at most this share of the window. It may stand
for a whole imported session, and grows with it."""
MAX_EXPECTED_ITEMS = 400
"""How many items before the tail are considered for being asked for again: older ones hardly ever are."""


def economic(state: State) -> Decision:
    """What the rules call for before the next call; nothing before the first."""
    verdict, _ = judge(state)
    numbers = (
        ("saved_units", round(verdict.saved, 1)),
        ("cost_units", round(verdict.cost, 1)),
        *_prices(verdict.offers),
    )
    settings, reason = state.settings, f"economic: {verdict.reason}"
    if verdict.action == "nothing":
        return Decision((), verdict.reason, numbers)
    start = tail_start(state.window, settings.tail_tokens)
    if verdict.action == "prune":
        return prune(state, 0, start, reason, numbers)
    if settings.window_target_tokens:
        sizes = target_sizes(settings, state.budget)
        steps = fill(state, sizes, last_seen(state.window), verdict.summarizer)
    else:
        folds = verdict.shape is not None and verdict.shape.unchanged == 0
        steps = _steps(state, start, verdict.summarizer, folds=folds)
    return decide(state, steps, reason, reason, numbers)


def compact_all(state: State, under_tokens: int | None = None) -> Decision:
    """A compaction of all that the policy ever compacts, whatever the rules say.

    The window gets its target size, or a request uses at most `under_tokens`.
    """
    window, budget = state.window, state.budget
    sizes = _wanted_sizes(state, under_tokens) if state.settings.window_target_tokens else None
    start = tail_start(window, sizes.tail if sizes else state.settings.tail_tokens)
    if sizes is None:
        state = replace(state, settings=_for_source(state.settings, tokens_of(window.items[:start])))
    economy = state.economy
    terms = terms_of(state.settings, economy, sizes=sizes)
    moment = _moment(state, economy or Economy(COMPUTE), start, terms)
    shape = compaction_rules.shape(moment, terms)
    offers = compaction_rules.offers(moment, shape, economy.rates, terms) if economy is not None else ()
    summarizer = offers[0][0] if offers else ""
    numbers: Numbers = (("used_tokens", budget.used_tokens),)
    if sizes is not None:
        steps = fill(state, sizes, last_seen(window), summarizer)
        numbers = (*numbers, ("target_tokens", sizes.total))
    else:
        steps = _steps(state, start, summarizer, folds=shape.unchanged == 0)
        numbers = (*numbers, *_prices(offers))
    none = "no summary: everything is in the tail or summarized"
    return decide(state, steps, "economic: asked for", none, numbers)


def _wanted_sizes(state: State, under_tokens: int | None) -> Sizes:
    """The sizes of the target, or of what is asked for."""
    if under_tokens is None:
        return target_sizes(state.settings, state.budget, state.window)
    if under_tokens >= state.budget.capacity_tokens:
        return target_sizes(state.settings, state.budget)
    return asked_sizes(state.settings, state.budget, under_tokens)


def _for_source(settings: Settings, source_tokens: int) -> Settings:
    """The settings with targets that grow with the source."""
    most_tokens = int(settings.window_tokens * ASKED_WINDOW_SHARE)
    share_tokens = min(most_tokens, int(source_tokens * ASKED_SHARE))
    return replace(
        settings,
        leaf_target_tokens=max(settings.leaf_target_tokens, share_tokens),
        condensed_target_tokens=max(settings.condensed_target_tokens, share_tokens),
    )


def judge(state: State, *, roughly: bool = False) -> tuple[Verdict, Meter]:
    """What the rules say of this moment, and the meter with the rent of the call that follows.

    With `roughly`, nothing hidden is expected to be asked for again. That saves a look at every call.
    """
    economy, settings = state.economy, state.settings
    if economy is None:
        return Verdict("nothing", "nobody knows what calls cost"), Meter()
    sizes = target_sizes(settings, state.budget) if settings.window_target_tokens else None
    force_share = trigger(state.budget, settings)[0] / max(1, state.budget.capacity_tokens)
    terms = replace(terms_of(settings, economy, sizes=sizes), force_share=force_share)
    start = tail_start(state.window, terms.tail_tokens)
    moment = _moment(state, economy, start, terms)
    verdict, meter = compaction_rules.decide(moment, economy.meter, economy.rates, terms)
    if roughly or verdict.action == "nothing" or verdict.reason == compaction_rules.FORCED:
        return verdict, meter
    hidden, pruned = expected_again(state.window, start)
    moment = replace(moment, hidden=hidden, pruned=pruned)
    return compaction_rules.decide(moment, economy.meter, economy.rates, terms)


def terms_of(settings: Settings, economy: Economy | None = None, *, sizes: Sizes | None = None) -> Terms:
    """The settings of the rules. What a summary or a ledger takes includes its fence.

    Where a target is filled, `sizes` are those of the target; by default those of a request without fixed parts.
    """
    terms = Terms(
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
    )
    if not settings.window_target_tokens:
        return terms
    capacity = settings.window_tokens - settings.max_tokens
    sizes = sizes or sizes_in(settings, capacity)
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


def _moment(state: State, economy: Economy, start: int, terms: Terms) -> Moment:
    """The numbers of this moment. Where a provider counts more than was estimated, every part grows in proportion."""
    window, regions, used = state.window, state.budget.regions, state.budget.used_tokens
    request, seen = newest_request(window), last_seen(window)
    first = window.items[start].first if start < len(window.items) else window.last + 1
    alone = window.facts.told if request is None else (request, *window.facts.told)
    kept = tokens_of(window.items[start:]) + tokens_of(item for item in alone if item.last < first)
    freed, survives = _prunable(window, start) if terms.prune_least_tokens else (0, 0)
    new = tokens_of(takewhile(lambda item: item.first > seen, reversed(window.items)))
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
        thinking=_bound_thinking(window, start) if economy.binds_thinking else 0,
    )


def _bound_thinking(window: Window, start: int) -> int:
    """The tokens of the thinking in the tail, which a change of the prompt before it loses."""
    return sum(thinking_tokens(item.stored.message) for item in window.items[start:] if is_message(item))


def last_seen(window: Window) -> int:
    """The position of the newest message that was part of a prompt: the one before the newest reply, 0 for none."""
    return next((item.first for item in reversed(window.items) if _is_reply(item)), 1) - 1


def tail_start(window: Window, tail_tokens: int) -> int:
    """Where the tail begins among the items: whole groups of at most so many tokens, and everything unseen.

    It holds no summary, and does not begin with a result or a system message.
    """
    seen = last_seen(window)
    start, total = len(window.items), 0
    for index in range(len(window.items) - 1, -1, -1):
        item = window.items[index]
        if not is_message(item):
            break
        total += item.tokens
        if total > tail_tokens and item.last <= seen:
            break
        if item.stored.message.role not in ("tool", "system"):
            start = index
    return start


def _prunable(window: Window, start: int) -> tuple[int, int]:
    """(what pruning old results would free, what follows the first of them and stays)."""
    facts = window.facts
    newer = [item.tokens for item in window.items[start:] if is_bulk(item)]
    bulk = facts.bulk - len(newer)
    if not bulk:
        return 0, 0
    freed = facts.bulk_tokens - sum(newer) - NOTE_TOKENS * bulk
    return freed, window.tokens - facts.before_bulk_tokens - freed


def expected_again(window: Window, start: int) -> tuple[Hidden, Hidden]:
    """What a compaction of these items would hide, and what pruning would, that is expected to be asked for again."""
    age = sum(map(_is_reply, window.items[start:]))
    messages = [item for item in window.items[max(0, start - MAX_EXPECTED_ITEMS) : start] if is_message(item)]
    calls = {call.id: call for item in messages for call in item.stored.message.calls}
    pieces: list[tuple[float, int]] = []
    bulk: list[tuple[float, int]] = []
    for item in reversed(messages):
        piece = (compaction_rules.again(_kind(item.stored.message, calls), age), item.tokens)
        pieces.append(piece)
        if is_bulk(item):
            bulk.append(piece)
        age += _is_reply(item)
    return compaction_rules.expected(pieces), compaction_rules.expected(bulk)


def _is_reply(item: Item) -> bool:
    return isinstance(item, MessageItem | StubItem) and item.stored.message.role == "assistant"


def _kind(message: Message, calls: dict[str, ToolCall]) -> str:
    """What a message is to the rules: "assistant", "user", "file" for what was read, "result" for all else."""
    if message.role != "tool":
        return message.role
    answered = (calls[result.call_id] for result in message.results if result.call_id in calls)
    return "file" if any(map(_reads_file, answered)) else "result"


@lru_cache(4 * MAX_EXPECTED_ITEMS)
def _reads_file(call: ToolCall) -> bool:
    """Whether a call read a file with a tool for that."""
    action = decode(call)
    return not action.command and any(operation == "read" for _, operation in action.files)


def _steps(state: State, start: int, summarizer: str, *, folds: bool) -> Iterator[Step]:
    """A summary of each uninterrupted run of items before the tail."""
    settings = state.settings
    found = [run for run in _runs(state.window, start, folds=folds) if _is_worth(run)]
    total = sum(map(tokens_of, found))
    for run in found:
        tokens = tokens_of(run)
        older = any(isinstance(item, SummaryItem) for item in run)
        target = settings.condensed_target_tokens if older else settings.leaf_target_tokens
        if len(found) > 1:
            target = max(MIN_TARGET_TOKENS, round(target * tokens / total))
        yield summary_step(None, run, min(target, tokens // 2), summarizer=summarizer)


def _runs(window: Window, start: int, *, folds: bool) -> Iterator[list[Item]]:
    """The runs before the tail that a compaction takes.

    Where it does not fold, a run must be larger than the summaries after it, which are rewritten for it.
    """
    run: list[Item] = []
    after = tokens_of(filter(is_record, window.items))
    for block in blocks(window):
        older = is_record(block.items[0])
        if block.movable and block.end <= start and (folds or not older):
            run.extend(block.items)
            continue
        if run and (folds or tokens_of(run) > after):
            yield run
        run = []
        after -= block.tokens if older else 0
    if run:
        yield run


def _is_worth(run: Sequence[Item]) -> bool:
    """Whether a run can become smaller at all."""
    return message_tokens(run) >= MIN_SOURCE_TOKENS or sum(map(is_record, run)) > 1


def _prices(offers: tuple[tuple[str, float], ...]) -> Numbers:
    """What each summarizer would cost, in units of one uncached input token."""
    return tuple((f"{summarizer}_units", round(price, 1)) for summarizer, price in offers)
