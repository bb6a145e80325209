"""Replays a session call by call under one compaction policy and counts what each call would have cost.

The session's calls, results and replies are taken as they happened. When a reply quotes something that was gated,
pruned or compacted, the replay charges the model for fetching it: one extra call that writes `ASK_TOKENS`, and the
whole result, which is in the window again from then on. Summaries, the ledger and the summarizer are charged as well;
the local extractive summarizer costs nothing.

The policy "economic" is `price.compaction_rules`; the others are policies of agents and frameworks in the same terms.
Features that a policy lacks (gate, ledger, pruning, cap) are disabled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from palimpsest.budget.result_truncation import HEAD_SHARE, TAIL_SHARE
from palimpsest.costs.session import Call, Holder, Piece, Session
from palimpsest.price import compaction_rules
from palimpsest.price.compaction_rules import ASK_TOKENS, Hidden, Moment, Terms, Verdict
from palimpsest.price.request import Use, alive, cost, matched_tokens
from palimpsest.record.spending import Meter, Rates

Decide = Callable[[Moment, Meter, Rates, Terms], tuple[Verdict, Meter]]


@dataclass(frozen=True, slots=True)
class Policy:
    """A compaction policy: its settings and its rule. `each_turn`: the rule is only applied at user messages."""

    name: str
    terms: Terms
    decide: Decide
    each_turn: bool = False


def never(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
    """Never compact."""
    return Verdict("nothing", "never"), meter


def above(limit: Callable[[Moment], float]) -> Decide:
    """Replace everything but the tail when the prompt exceeds a limit."""

    def decide(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
        most = limit(moment)
        made = compaction_rules.shape(moment, terms)
        if moment.prompt <= most or made.removed <= 0:
            return Verdict("nothing", "below the limit", moment.prompt, most), meter
        offers = compaction_rules.offers(moment, made, rates, terms)
        return Verdict("compact", "above the limit", moment.prompt, most, offers, made), meter

    return decide


def whenever(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
    """Compact as soon as there is enough to compact."""
    made = compaction_rules.shape(moment, terms)
    if made.removed <= terms.compact_least_tokens:
        return Verdict("nothing", "too little to compact", made.removed, terms.compact_least_tokens), meter
    offers = compaction_rules.offers(moment, made, rates, terms)
    return Verdict("compact", "enough to compact", made.removed, 0, offers, made), meter


_PLAIN = Terms(
    gate_tokens=0,
    gate_read_tokens=0,
    fold_at_tokens=0,
    summary_tokens=3_000,
    folded_tokens=3_000,
    ledger_tokens=0,
    prune_least_tokens=0,
    cap_share=0.0,
    reserve_share=0.0,
    reserve_spread=0.0,
    summarizer="fork",
)
_LEAF = replace(
    _PLAIN,
    tail_items=32,
    tail_tokens=0,
    summary_tokens=1_200,
    fold_at_tokens=6_000,
    folded_tokens=2_000,
    compact_least_tokens=1_200,
    summarizer="model",
)

NEVER = Policy("never compacting", replace(_PLAIN, force_share=10.0), never)
THRESHOLD = Policy(
    "75 %, 20k tail", replace(_PLAIN, tail_tokens=20_000), above(lambda moment: 0.75 * moment.window)
)
ECONOMIC = Policy("economic", Terms(), compaction_rules.decide)

POLICIES: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        THRESHOLD,
        Policy("80 %, no tail", replace(_PLAIN, tail_tokens=0), above(lambda moment: 0.8 * moment.window)),
        Policy(
            "all replaced at 100k",
            replace(_PLAIN, tail_tokens=0),
            above(lambda moment: min(100_000, 0.9 * moment.window)),
        ),
        Policy("leaf every turn", _LEAF, whenever, each_turn=True),
        Policy(
            "rent rule, warm fork",
            replace(_PLAIN, tail_tokens=10_000, summary_tokens=1_000, fold_at_tokens=6_000),
            compaction_rules.decide,
        ),
        ECONOMIC,
    )
}
"""Every policy by name, in the order of the table. They are compared with `NEVER`."""


_WHOLE = -1
"""The size of a piece that is completely visible, in `Window.visible`."""


@dataclass(frozen=True, slots=True)
class ReplayedCall:
    """One model call of a replay. `asked`: it only fetched a hidden piece. `price` is the call's, `fee` that of the
    summarizer before it.
    """

    number: int
    use: Use
    price: float
    fee: float
    verdict: Verdict
    asked: bool = False


@dataclass(slots=True)
class _Entry:
    """A piece in the window. `piece` is its index in the session; `shown` its tokens here."""

    piece: int
    shown: int
    kind: str
    starts_group: bool
    call_number: int = 0


@dataclass(slots=True)
class Window:
    """The current prompt: prefix, summaries, ledger, entries. `cached` tokens of it were in the last call; `request` is
    the newest user message, which always stays; `visible` has the shown tokens of each piece that can be quoted.
    """

    prefix: int
    summaries: int = 0
    ledger: int = 0
    entries: list[_Entry] = field(default_factory=list[_Entry])
    visible: dict[int, int] = field(default_factory=dict[int, int])
    tokens: int = 0
    cached: int = 0
    request: _Entry | None = None

    @property
    def prompt(self) -> int:
        return self.prefix + self.summaries + self.ledger + self.tokens


def never_uses(session: Session, rates: Rates) -> Iterator[Use]:
    """The tokens of each call without any compaction, in a window of unlimited size."""
    held = last = session.prefix_tokens
    start = 0
    for number, call in enumerate(session.calls):
        held += sum(piece.tokens for piece in session.pieces[start : call.end])
        start = call.end
        matched = matched_tokens(last, rates) if number and alive(call.gap_s, rates) else 0
        yield Use(matched, held - matched, 0, call.output_tokens)
        last = held


def never_bill(session: Session, rates: Rates) -> float:
    """The cost of the session without any compaction."""
    return sum(cost(use, rates) for use in never_uses(session, rates))


def calls(session: Session, policy: Policy, rates: Rates, window_tokens: int) -> Iterator[ReplayedCall]:
    """Every call of the session under the policy. A call that fetches a piece precedes the call that needs it."""
    window, meter, start = Window(session.prefix_tokens), Meter(), 0
    for number, (call, use) in enumerate(zip(session.calls, never_uses(session, rates), strict=True)):
        meter = replace(meter, never_bill=meter.never_bill + cost(use, rates))
        added = append(window, session.pieces, start, call.end, policy.terms, number)
        turn = any(piece.kind == "user" for piece in session.pieces[start : call.end])
        start = call.end
        warm = number > 0 and alive(call.gap_s, rates)
        window.cached = window.cached if warm else 0
        verdict = Verdict("nothing", "not asked")
        if number and (turn or not policy.each_turn):
            moment, cut = moment_of(window, policy.terms, added, call, window_tokens, warm, number)
            verdict, meter = policy.decide(moment, meter, rates, policy.terms)
            meter = compaction_rules.after(meter, verdict.action)
            _carry_out(window, verdict, cut, policy.terms)
        fee = verdict.fee if verdict.action != "nothing" else 0.0
        meter = replace(meter, bill=meter.bill + fee)
        for made in _paid(window, session, call, number, rates, verdict, fee):
            meter = replace(meter, bill=meter.bill + made.price)
            yield made


def _paid(
    window: Window, session: Session, call: Call, number: int, rates: Rates, verdict: Verdict, fee: float
) -> Iterator[ReplayedCall]:
    """The call itself, and before it one for every hidden piece that its reply quotes."""

    def one(output: int, *, asked: bool = False) -> ReplayedCall:
        matched = matched_tokens(window.cached, rates)
        use = Use(matched, window.prompt - matched, 0, output)
        window.cached = window.prompt
        return ReplayedCall(number, use, cost(use, rates), fee, verdict, asked)

    for holders in call.quotes:
        if any(_is_shown(window, holder) for holder in holders):
            continue
        yield one(ASK_TOKENS, asked=True)
        verdict, fee = Verdict("nothing", "carried out before a piece was fetched"), 0.0
        piece = holders[0].piece
        shown = session.pieces[piece].tokens + ASK_TOKENS
        window.entries.append(_Entry(piece, shown, "fetched", True, number))
        window.tokens += shown
        window.visible[piece] = _WHOLE
    yield one(call.output_tokens)


def append(window: Window, pieces: tuple[Piece, ...], start: int, end: int, terms: Terms, number: int) -> int:
    """Add new pieces through the gate; returns how many tokens they add."""
    before = window.tokens
    for index in range(start, end):
        piece = pieces[index]
        shown, visible = piece.tokens, _WHOLE
        limit = compaction_rules.gate_limit(terms, is_file=piece.kind == "file") if piece.is_result else 0
        if limit and shown > limit:
            shown = visible = min(shown, terms.gate_shown_tokens)
        window.visible[index] = visible
        window.entries.append(_Entry(index, shown, piece.kind, not piece.is_result, number))
        if piece.kind == "user":
            window.request = window.entries[-1]
        window.tokens += shown
    return window.tokens - before


def _cut(window: Window, terms: Terms, added: int) -> tuple[int, int]:
    """Where the tail starts, and its tokens: the newest whole groups, and everything the model has not seen."""
    entries = window.entries
    cut, tail, held = len(entries), 0, 0
    for index in range(len(entries) - 1, -1, -1):
        seen = held >= added
        held += entries[index].shown
        within = len(entries) - index <= terms.tail_items if terms.tail_items else held <= terms.tail_tokens
        if not within and seen:
            break
        if entries[index].starts_group:
            cut, tail = index, held
    return cut, tail


def moment_of(
    window: Window, terms: Terms, added: int, call: Call, window_tokens: int, warm: bool, number: int
) -> tuple[Moment, int]:
    """What the policy knows before the call, and where the tail starts."""
    cut, tail = _cut(window, terms, added)
    apart = window.request is not None and not any(one is window.request for one in window.entries[cut:])
    request = window.request.shown if window.request is not None and apart else 0
    prunes = terms.prune_least_tokens > 0
    bulk = [index for index in range(cut) if _is_bulk(window.entries[index], terms)] if prunes else []
    freed = survives = 0
    pruned = hidden = compaction_rules.NOTHING_HIDDEN
    if bulk:
        old = [window.entries[index] for index in bulk]
        freed = sum(entry.shown - terms.prune_stub_tokens for entry in old)
        survives = window.tokens - sum(entry.shown for entry in window.entries[: bulk[0]]) - freed
        pruned = _hidden(old, number)
    if terms.reserve_share:
        hidden = _hidden(window.entries[:cut], number)
    moment = Moment(
        prompt=window.prompt,
        prefix=window.prefix,
        summaries=window.summaries,
        ledger=window.ledger,
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


def _is_bulk(entry: _Entry, terms: Terms) -> bool:
    return entry.kind in {"result", "file", "fetched"} and entry.shown > terms.prune_result_tokens


def _hidden(entries: Sequence[_Entry], number: int) -> Hidden:
    """The entries that are expected to be fetched again if they are hidden."""
    return compaction_rules.expected(
        (compaction_rules.again(entry.kind, number - entry.call_number), entry.shown) for entry in entries
    )


def _carry_out(window: Window, verdict: Verdict, cut: int, terms: Terms) -> None:
    if verdict.action == "compact" and verdict.shape is not None:
        request = [one for one in window.entries[:cut] if one is window.request]
        window.entries = request + window.entries[cut:]
        kept = {one.piece for one in window.entries}
        window.visible = {piece: shown for piece, shown in window.visible.items() if piece in kept}
        window.cached = min(window.cached, window.prefix + verdict.shape.unchanged)
        window.summaries = verdict.shape.summaries
        window.ledger = terms.ledger_tokens
        window.tokens = sum(one.shown for one in window.entries)
    elif verdict.action == "prune":
        at = window.prompt - window.tokens
        for entry in window.entries[:cut]:
            if _is_bulk(entry, terms):
                window.cached = min(window.cached, at)
                window.tokens -= entry.shown - terms.prune_stub_tokens
                entry.shown = terms.prune_stub_tokens
                window.visible.pop(entry.piece, None)
            at += entry.shown


def _is_shown(window: Window, holder: Holder) -> bool:
    shown = window.visible.get(holder.piece)
    return shown is not None and (shown == _WHOLE or in_stub(holder, shown))


def in_stub(holder: Holder, shown_tokens: int) -> bool:
    """Whether the stub of a gated result shows the quoted line."""
    return holder.offset_tokens < HEAD_SHARE * shown_tokens or holder.rest_tokens < TAIL_SHARE * shown_tokens
