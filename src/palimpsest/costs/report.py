"""The bill of a session: what its calls cost, and what each compaction policy would have cost.

A bill has two kinds of figures.

- *As reported*: every call that was made, on every branch, at its model's prices on that day, with the tokens that the
  provider counted. Tokens that were not counted are estimated, and marked as estimated.
- *Replayed*: the calls of the current history under one policy, all with the same model and a cache that never misses.
  Hidden pieces that are quoted later are charged alike (`replay`). The row "as it was" is the session itself in these
  terms: compare the policies with that row, not with the reported figures.

A prompt is priced by its length if the price has tiers; a replay uses the lowest tier for all prompts. The bill of a
model that costs no money is in units: one unit is the compute cost of an uncached input token.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

import msgspec

from palimpsest.budget.model_limits import known
from palimpsest.costs.bill import Bill, Outcome, PromptChanges, shrunk
from palimpsest.costs.replay import NEVER, POLICIES, Policy, calls, never_uses
from palimpsest.costs.session import CALLS_A_STEP, LONGEST_PREFIX_TOKENS, Session, read_session
from palimpsest.errors import NotFound
from palimpsest.ports import Store
from palimpsest.price.rates import COMPUTE, Price
from palimpsest.price.request import Use, alive, cost, matched_tokens, reported_use
from palimpsest.price.table import find_caching, find_price
from palimpsest.record.message import Message
from palimpsest.record.spending import Rates, Spent
from palimpsest.record.store_values import Progress

AS_IT_WAS = "as it was"
SHOWN_POLICIES = (NEVER, *POLICIES.values())
CLOCKS_DIFFER_S = 7_200
"""How far the clock of a message's author may be behind the clock of the recorded calls."""
WINDOW_TOKENS = 200_000
"""The window of a replay if the model's window is unknown."""
PAGE = 2_000
MAX_MESSAGES = 1_000_000
"""The most messages of one conversation that are read for its bill: the first ones."""


class _Abandoned(Exception):
    """Nobody waits for the bill any more."""


async def stored_bill(
    store: Store,
    owner: str,
    conversation: str,
    *,
    model: str = "",
    window_tokens: int = 0,
    replayed: bool = True,
    step: Progress | None = None,
) -> Bill | None:
    """The bill of a stored conversation, None if no model was called. It has the recorded calls of every branch, and
    for imported messages their reported usage; the current history is replayed. `step` receives the progress, from any
    thread. Raises NotFound.
    """
    branch = await store.branch(owner, conversation)
    if branch is None:
        raise NotFound(f"no conversation {conversation!r}", hint="Engine.conversations() lists them")
    abandoned = threading.Event()

    def tell(what: str, done: int, of: int) -> None:
        if abandoned.is_set():
            raise _Abandoned
        if step is not None:
            step(what, done, of)

    history: list[Message] = []
    while len(history) < MAX_MESSAGES:
        tell("reading", len(history), branch.head.seq)
        page = await store.messages(owner, conversation, len(history) + 1, len(history) + PAGE)
        history.extend(one.message for one in page)
        if len(page) < PAGE:
            break
    left_behind = tuple(one.message for one in await store.left_behind(owner, conversation))
    spent = await store.spent(owner, conversation)
    options = {"model": model, "window_tokens": window_tokens, "replayed": replayed}
    make = partial(make_bill, conversation, (left_behind, tuple(history)), spent=spent, **options, step=tell)
    try:
        bill = await asyncio.to_thread(make)
    finally:
        abandoned.set()
    return replace(bill, changes=await _changes(store, owner, conversation)) if bill is not None else None


async def _changes(store: Store, owner: str, conversation: str) -> PromptChanges:
    """What the engine counted of changes in a conversation's prompts."""
    numbers = [dict(one.numbers) for one in await store.compactions(owner, conversation)]
    dropped = sum(int(one.get("thinking_dropped_tokens", 0)) for one in numbers)
    try:
        memo = msgspec.json.decode(await store.memo(owner, conversation) or "{}", type=_Breaks)
    except msgspec.MsgspecError:
        memo = _Breaks()
    return PromptChanges(tuple(sorted(memo.breaks.items())), dropped)


class _Breaks(msgspec.Struct):
    """What an engine counted of requests that did not begin as the one before."""

    breaks: dict[str, int] = msgspec.field(default_factory=dict[str, int])


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
    """The bill of a conversation from its histories, the current one last; None if it made no call.

    `spent` are calls that were recorded when they were made; without them the histories' own reports count. `model`
    replays at another model's prices; `window_tokens` is the window of the replays, 0 for the model's own. `step`
    receives the progress.
    """
    current = paths[-1] if paths else ()
    found = _joined(spent_of(paths), spent)
    session = read_session(current, name, agent, step=step) if replayed or not found else None
    if session is None and not found:
        return None
    counts = Counter(one.model for one in found if one.kind == "reply" and one.model)
    usual = counts.most_common(1)[0][0] if counts else ""
    named = model or usual or (session.model if session is not None else "")
    last_s = next((one.time_s for one in reversed(found) if one.time_s), None)
    price = find_price(named, time_s=None if model else last_s, long_cache=lives_long(found))
    if session is not None and spent:
        session = with_prefix(session, found)
    if not found and session is not None:
        found = tuple(_estimated(session, session.model or named, current))
    limits = known(named) if named else None
    window = window_tokens or (limits and (limits.input_tokens or limits.window_tokens)) or WINDOW_TOKENS
    bill = Bill(name, path, agent, title, found, price, window)
    if session is None or not replayed:
        return bill
    missing = _missing(session, current)
    outcomes = _outcomes(session, () if missing else current, price, window, step)
    return replace(bill, outcomes=tuple(outcomes), missing_tokens=missing)


def spent_of(paths: Iterable[Sequence[Message]]) -> tuple[Spent, ...]:
    """The calls that the histories of one conversation report, each once, ordered by time if all have one. If the
    provider sells two cache lifetimes, the one that the cache reads show is used (`lives_long`).
    """
    histories = [*paths]
    found = _reported(histories, long_cache=False)
    return _reported(histories, long_cache=True) if lives_long(found) else found


def lives_long(found: Sequence[Spent]) -> bool:
    """Whether most pauses between the shorter and the longer cache lifetime ended with a prompt read from the cache."""
    warm = cold = 0
    for before, now in itertools.pairwise(one for one in found if one.kind == "reply" and one.time_s):
        caching = find_caching(now.model)
        if before.model == now.model and caching.ttl_s < now.time_s - before.time_s <= caching.long_ttl_s:
            kept = now.cached_tokens > before.input_tokens / 2
            warm, cold = warm + kept, cold + (not kept)
    return warm > cold


def _reported(paths: Iterable[Sequence[Message]], *, long_cache: bool) -> tuple[Spent, ...]:
    distinct = dict.fromkeys((place, message) for path in paths for place, message in enumerate(path))
    found = [
        charge(message.model, message.time_s, reported_use(message.usage), long_cache=long_cache)
        for _, message in distinct
        if message.role == "assistant"
        and message.usage
        and (message.usage.input_tokens or message.usage.output_tokens)
    ]
    return _by_time(found)


def _by_time(found: Sequence[Spent]) -> tuple[Spent, ...]:
    """The calls ordered by time; in the given order if one has no time."""
    return tuple(sorted(found, key=attrgetter("time_s")) if all(one.time_s for one in found) else found)


def charge(
    model: str, time_s: float | None, use: Use, *, counted: bool = True, long_cache: bool = False
) -> Spent:
    """One call of an agent at the prices of its day."""
    price = find_price(model, time_s=time_s, long_cache=long_cache)
    rates = price.at(use.prompt)
    return Spent(
        "reply",
        model,
        time_s or 0.0,
        use.prompt,
        use.cached,
        use.written,
        use.output,
        cost=cost(use, rates),
        never_cost=0.0,
        units=cost(use, rates.relative if rates.input > 0 else COMPUTE),
        reported=counted,
        assumed=price.assumed,
    )


def _missing(session: Session, history: Sequence[Message]) -> int:
    """How many tokens of the first prompt are in no message and too many for a prefix."""
    prompts = (one.usage.input_tokens for one in history if one.role == "assistant" and one.usage)
    first = next(filter(None, prompts), 0)
    held = session.prefix_tokens + sum(piece.tokens for piece in session.pieces[: session.calls[0].end])
    return max(0, first - held) if session.prefix_tokens >= LONGEST_PREFIX_TOKENS else 0


def _joined(reported: tuple[Spent, ...], spent: Sequence[Spent]) -> tuple[Spent, ...]:
    """Recorded calls, and the older calls that only the history reports. A call recorded by estimate cannot be matched;
    it replaces the newest reported call that is left and not older than two clocks may differ.
    """
    if not spent:
        return reported
    replies = [one for one in spent if one.kind == "reply"]
    first_s = replies[0].time_s if replies else math.inf
    paid = {(one.input_tokens, one.output_tokens) for one in replies if one.reported}
    rest = [
        one for one in reported if one.time_s < first_s and (one.input_tokens, one.output_tokens) not in paid
    ]
    near = sum(one.time_s >= first_s - CLOCKS_DIFFER_S for one in rest)
    estimated = sum(not one.reported for one in replies)
    return _by_time([*rest[: len(rest) - min(estimated, near)], *spent])


def with_prefix(session: Session, spent: Sequence[Spent]) -> Session:
    """The session with the prefix that its first paid prompt shows, if that is larger than the assumed one."""
    first = next((one.input_tokens for one in spent if one.kind == "reply"), 0)
    before = sum(piece.tokens for piece in session.pieces[: session.calls[0].end])
    return replace(session, prefix_tokens=first - before) if first > before else session


def _estimated(session: Session, model: str, history: Sequence[Message]) -> Iterator[Spent]:
    """The calls of a session without reported usage, estimated with the cache model."""
    times = [message.time_s for message in history if message.role == "assistant"]
    for use, time_s in zip(never_uses(session, find_price(model).rates), times, strict=False):
        yield charge(model, time_s, use, counted=False)


def _outcomes(
    session: Session, history: Sequence[Message], price: Price, window_tokens: int, step: Progress | None
) -> Iterator[Outcome]:
    rates, unit_dollars = COMPUTE, 0.0
    if price.rates.input > 0:
        rates, unit_dollars = price.rates.relative, price.rates.input
    own = _as_it_was(session, history, rates)
    if own:
        smaller = set(shrunk([use.prompt for use in own]))
        paid = ((use, 0.0, index in smaller) for index, use in enumerate(own))
        yield _outcome(AS_IT_WAS, paid, rates, unit_dollars)
    for policy in SHOWN_POLICIES:
        yield _outcome(policy.name, _paid(session, policy, rates, window_tokens, step), rates, unit_dollars)


def _paid(
    session: Session, policy: Policy, rates: Rates, window_tokens: int, step: Progress | None
) -> Iterator[tuple[Use, float, bool]]:
    if policy is NEVER:
        yield from ((use, 0.0, False) for use in never_uses(session, rates))
        return
    for one in calls(session, policy, rates, window_tokens):
        if step is not None and one.number % CALLS_A_STEP == 0:
            step(policy.name, one.number, len(session.calls))
        yield one.use, one.fee, one.verdict.action == "compact"


def _outcome(
    name: str, paid: Iterable[tuple[Use, float, bool]], rates: Rates, unit_dollars: float
) -> Outcome:
    """The outcome of calls, each as (tokens, the summarizer's fee, whether a compaction precedes it)."""
    uses, fees, compacted = zip(*paid, strict=True)
    spent = (cost(use, rates) + fee for use, fee in zip(uses, fees, strict=True))
    return Outcome(
        name,
        use=sum(uses, Use()),
        fee_units=sum(fees),
        prompts=tuple(use.prompt for use in uses),
        compacted=tuple(index for index, made in enumerate(compacted) if made),
        unit_sums=tuple(itertools.accumulate(spent)),
        unit_dollars=unit_dollars,
    )


def _as_it_was(session: Session, history: Sequence[Message], rates: Rates) -> list[Use]:
    """The prompts that a history reports, in the terms of a replay; [] if it reports none. A prompt that shrank shares
    no more than the prefix with the one before.
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
