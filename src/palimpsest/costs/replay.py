"""Replays a session call by call under one way to compact, and counts what each call would have cost.

Honest accounting. What the session did is taken as it was: the same calls, the same results, the same replies. Whatever
was gated, pruned or compacted, and is quoted later by a reply, is charged as the model asking for it: one extra call
that writes `ASK_TOKENS`, and the whole result, which from then on stands in the window again. Summaries, the ledger and
the summarizer are charged; the local extractive summarizer costs nothing.

A replay also keeps, call by call, what never compacting would have cost with the same cache and a window without end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from palimpsest.budget.result_truncation import HEAD_SHARE, TAIL_SHARE
from palimpsest.costs.quotes import Holder
from palimpsest.costs.replay_policies import Way
from palimpsest.costs.session import Call, Piece, Session
from palimpsest.price import rules
from palimpsest.price.request import Use, alive, cost, matched_tokens
from palimpsest.price.rules import ASK_TOKENS, FORCED, Hidden, Moment, Terms, Verdict
from palimpsest.record.spending import Meter, Rates

_CARRIED_OUT = Verdict("nothing", "carried out before the call that fetched something")


@dataclass(frozen=True, slots=True)
class Made:
    """One model call of a replay. `asked`: it only fetched what was hidden. `price` is the call's, `fee` that of the
    summarizer before it. `layout` is the prompt as (what, tokens), where that was asked for: two with the same begin
    with the same bytes.
    """

    number: int
    use: Use
    price: float
    fee: float
    verdict: Verdict
    layout: tuple[tuple[int, int], ...] = ()
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The sums of a replay. `bill` is all of it: `fees` of it went to summarizers, `asked` to calls that fetched one of
    `fetched` hidden pieces again; `never` is what never compacting cost. `forced` compactions had no room to wait.
    `breaks` counts prompts that differ from the one before in what nothing had changed on purpose: always 0.
    """

    calls: int
    bill: float
    never: float
    fees: float
    asked: float
    compactions: int
    prunings: int
    forced: int
    fetched: int
    breaks: int
    peak_tokens: int


@dataclass(slots=True)
class _Entry:
    """A piece in the window. `piece` is its number in the session; `shown` its tokens here."""

    piece: int
    shown: int
    kind: str
    starts: bool
    born: int = 0


@dataclass(slots=True)
class _Window:
    """The prompt as it stands: prefix, summaries, ledger, entries. `cached` is how much of it was in the last call,
    `request` the newest of a user, which always stands.
    """

    prefix: int
    summaries: int = 0
    ledger: int = 0
    entries: list[_Entry] = field(default_factory=list[_Entry])
    whole: set[int] = field(default_factory=set[int])
    gated: set[int] = field(default_factory=set[int])
    tokens: int = 0
    cached: int = 0
    request: _Entry | None = None
    made: int = 0
    written: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    @property
    def layout(self) -> tuple[tuple[int, int], ...]:
        """The prompt part by part; summaries and ledger are numbered by the compaction that last wrote them."""
        summaries = [(-2 - number, tokens) for number, tokens in self.written if tokens]
        ledger = [(-1_000_000 - self.made, self.ledger)] if self.ledger else []
        return ((-1, self.prefix), *summaries, *ledger, *((one.piece, one.shown) for one in self.entries))

    @property
    def prompt(self) -> int:
        return self.prefix + self.summaries + self.ledger + self.tokens


def replay(session: Session, way: Way, rates: Rates, window_tokens: int) -> Result:
    """The sums of the session under one way."""
    bill = fees = asked = 0.0
    compactions = prunings = forced = fetched = breaks = peak = 0
    before: tuple[tuple[int, int], ...] = ()
    for made in calls(session, way, rates, window_tokens, layouts=True):
        bill += made.price + made.fee
        fees += made.fee
        peak = max(peak, made.use.prompt)
        breaks += _breaks(before, made)
        before = made.layout
        if made.asked:
            asked += made.price
            fetched += 1
        compactions += made.verdict.action == "compact"
        prunings += made.verdict.action == "prune"
        forced += made.verdict.action == "compact" and made.verdict.reason == FORCED
    never = never_bill(session, rates)
    return Result(
        len(session.calls), bill, never, fees, asked, compactions, prunings, forced, fetched, breaks, peak
    )


def _breaks(before: tuple[tuple[int, int], ...], made: Made) -> bool:
    """Whether the prompt reads more from the cache than it shares with the one before, or shares less than all of it
    where nothing was decided.
    """
    if made.verdict.action == "nothing":
        return made.layout[: len(before)] != before
    shared = 0
    for one, other in zip(before, made.layout, strict=False):
        if one != other:
            break
        shared += one[1]
    return made.use.cached > shared


def never_uses(session: Session, rates: Rates) -> Iterator[Use]:
    """How the calls of a session are paid for that is never compacted, in a window without end."""
    held = last = session.prefix_tokens
    start = 0
    for number, call in enumerate(session.calls):
        held += sum(piece.tokens for piece in session.pieces[start : call.end])
        start = call.end
        matched = matched_tokens(last, rates) if number and alive(call.gap_s, rates) else 0
        yield Use(matched, held - matched, 0, call.output_tokens)
        last = held


def never_bill(session: Session, rates: Rates) -> float:
    """What never compacting costs."""
    return sum(cost(use, rates) for use in never_uses(session, rates))


def calls(
    session: Session, way: Way, rates: Rates, window_tokens: int, *, layouts: bool = False
) -> Iterator[Made]:
    """Every call of the session as it would have been, with those that fetch something again before what needs it.

    A layout is as long as its prompt, and some ways have prompts as long as the session: `layouts` only where they are
    looked at.
    """
    view = _Window(session.prefix_tokens)
    meter = Meter()
    start = 0
    for number, (call, use) in enumerate(zip(session.calls, never_uses(session, rates), strict=True)):
        meter = replace(meter, never_bill=meter.never_bill + cost(use, rates))
        added = _append(view, session.pieces, start, call.end, way.terms, number)
        turn = any(session.pieces[place].kind == "user" for place in range(start, call.end))
        start = call.end
        warm = number > 0 and alive(call.gap_s, rates)
        if not warm:
            view.cached = 0
        verdict = Verdict("nothing", "not asked")
        if number and (turn or not way.each_turn):
            moment, cut = _moment(view, way.terms, added, call, window_tokens, warm, number)
            verdict, meter = way.decide(moment, meter, rates, way.terms)
            meter = rules.after(meter, verdict.action)
            _carry_out(view, verdict, cut, way.terms)
        fee = verdict.fee if verdict.action != "nothing" else 0.0
        meter = replace(meter, bill=meter.bill + fee)
        for made in _paid(view, session, call, number, rates, verdict, fee):
            meter = replace(meter, bill=meter.bill + made.price)
            yield replace(made, layout=view.layout) if layouts else made


def _paid(
    view: _Window, session: Session, call: Call, number: int, rates: Rates, verdict: Verdict, fee: float
) -> Iterator[Made]:
    """The call itself, and before it one for everything hidden that its reply quotes."""
    for piece in _needed(view, call):
        yield _one(view, number, ASK_TOKENS, rates, verdict, fee, asked=True)
        verdict, fee = _CARRIED_OUT, 0.0
        shown = session.pieces[piece].tokens + ASK_TOKENS
        view.entries.append(_Entry(piece, shown, "fetched", True, number))
        view.tokens += shown
        view.whole.add(piece)
    yield _one(view, number, call.output_tokens, rates, verdict, fee)


def _one(
    view: _Window,
    number: int,
    output: int,
    rates: Rates,
    verdict: Verdict,
    fee: float,
    *,
    asked: bool = False,
) -> Made:
    matched = matched_tokens(view.cached, rates)
    use = Use(matched, view.prompt - matched, 0, output)
    view.cached = view.prompt
    return Made(number, use, cost(use, rates), fee, verdict, asked=asked)


def _append(view: _Window, pieces: tuple[Piece, ...], start: int, end: int, terms: Terms, number: int) -> int:
    """Takes in new pieces through the gate; returns how many tokens they add."""
    added = 0
    for place in range(start, end):
        piece = pieces[place]
        shown = piece.tokens
        limit = rules.gate_limit(terms, is_file=piece.kind == "file") if piece.is_result else 0
        if limit and shown > limit:
            shown = min(shown, terms.gate_shown_tokens)
            view.gated.add(place)
        else:
            view.whole.add(place)
        view.entries.append(_Entry(place, shown, piece.kind, not piece.is_result, number))
        if piece.kind == "user":
            view.request = view.entries[-1]
        added += shown
    view.tokens += added
    return added


def _cut(view: _Window, terms: Terms, added: int) -> tuple[int, int]:
    """Where the tail begins, and its tokens: the newest whole groups, and all that the model has not seen."""
    entries = view.entries
    cut, tail, held = len(entries), 0, 0
    for place in range(len(entries) - 1, -1, -1):
        seen = held >= added
        held += entries[place].shown
        within = len(entries) - place <= terms.tail_items if terms.tail_items else held <= terms.tail_tokens
        if not within and seen:
            break
        if entries[place].starts:
            cut, tail = place, held
    return cut, tail


def _moment(
    view: _Window, terms: Terms, added: int, call: Call, window_tokens: int, warm: bool, number: int
) -> tuple[Moment, int]:
    cut, tail = _cut(view, terms, added)
    apart = view.request is not None and not any(one is view.request for one in view.entries[cut:])
    request = view.request.shown if view.request is not None and apart else 0
    freed = survives = 0
    pruned = hidden = rules.NOTHING_HIDDEN
    if terms.prune_least_tokens:
        freed, survives, pruned = _prunable(view, cut, terms, number)
    if terms.reserve_share:
        hidden = _hidden(view.entries[:cut], number)
    moment = Moment(
        prompt=view.prompt,
        prefix=view.prefix,
        summaries=view.summaries,
        ledger=view.ledger,
        kept=tail + request,
        new=added,
        warm=warm,
        window=window_tokens,
        freed=freed,
        survives=survives,
        output=call.output_tokens,
        hidden=hidden,
        pruned=pruned,
    )
    return moment, cut


def _prunable(view: _Window, cut: int, terms: Terms, number: int) -> tuple[int, int, Hidden]:
    """(what stubs would free, what stands behind the first of them and stays, what of them is expected again)."""
    places = [place for place in range(cut) if _is_bulk(view.entries[place], terms)]
    if not places:
        return 0, 0, rules.NOTHING_HIDDEN
    bulk = [view.entries[place] for place in places]
    freed = sum(entry.shown - terms.prune_stub_tokens for entry in bulk)
    before = sum(entry.shown for entry in view.entries[: places[0]])
    return freed, view.tokens - before - freed, _hidden(bulk, number)


def _is_bulk(entry: _Entry, terms: Terms) -> bool:
    return entry.kind in {"result", "file", "fetched"} and entry.shown > terms.prune_result_tokens


def _hidden(entries: Sequence[_Entry], number: int) -> Hidden:
    """What of them is expected to be fetched again."""
    return rules.expected((rules.again(entry.kind, number - entry.born), entry.shown) for entry in entries)


def _carry_out(view: _Window, verdict: Verdict, cut: int, terms: Terms) -> None:
    if verdict.action == "compact" and verdict.shape is not None:
        gone = view.entries[:cut]
        request = [one for one in gone if one is view.request]
        view.entries = request + view.entries[cut:]
        kept = {one.piece for one in view.entries}
        view.whole &= kept
        view.gated &= kept
        view.cached = min(view.cached, view.prefix + verdict.shape.unchanged)
        view.summaries = verdict.shape.summaries
        view.made += 1
        kept_summaries = view.written if verdict.shape.unchanged else []
        view.written = [*kept_summaries, (view.made, verdict.shape.added)]
        view.ledger = terms.ledger_tokens
        view.tokens = sum(one.shown for one in view.entries)
    elif verdict.action == "prune":
        at = view.prompt - view.tokens
        for entry in view.entries[:cut]:
            if _is_bulk(entry, terms):
                view.cached = min(view.cached, at)
                view.tokens -= entry.shown - terms.prune_stub_tokens
                entry.shown = terms.prune_stub_tokens
                view.whole.discard(entry.piece)
                view.gated.discard(entry.piece)
            at += entry.shown


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands before a call whatever was compacted: all pieces that passed the gate, in tokens; what of them a
    compaction before this call would keep verbatim; what is new since the last call; the piece the tail begins with.
    """

    history: int
    kept: int
    new: int
    cut: int


def standings(session: Session, terms: Terms) -> tuple[Standing, ...]:
    """One for each call, where nothing is fetched again."""
    view = _Window(session.prefix_tokens)
    found: list[Standing] = []
    start = 0
    for call in session.calls:
        added = _append(view, session.pieces, start, call.end, terms, 0)
        start = call.end
        moment, cut = _moment(view, replace(terms, prune_least_tokens=0), added, call, 0, True, 0)
        found.append(Standing(view.tokens, moment.kept, added, cut))
    return tuple(found)


def _needed(view: _Window, call: Call) -> Iterator[int]:
    """The hidden pieces that have to be fetched for the reply, each once."""
    for holders in call.quotes:
        if not any(_shown(view, holder) for holder in holders):
            yield holders[0].piece


def _shown(view: _Window, holder: Holder) -> bool:
    if holder.piece in view.whole:
        return True
    if holder.piece not in view.gated:
        return False
    entry = next(one for one in view.entries if one.piece == holder.piece)
    return in_stub(holder, entry.shown)


def in_stub(holder: Holder, shown_tokens: int) -> bool:
    """Whether a gated result's stub of so many tokens shows the place."""
    return holder.offset_tokens < HEAD_SHARE * shown_tokens or holder.rest_tokens < TAIL_SHARE * shown_tokens
