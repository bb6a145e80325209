"""How bills look: as JSON fields, and as tables that fit a terminal of 80 cells. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from palimpsest.cli.output import Block, fields_of
from palimpsest.cli.text_drawing import Listing, clean, clip, count, short_ids, when, wrap
from palimpsest.costs.bill import Bill, Fall, Outcome, total_once
from palimpsest.costs.replay_policies import NEVER, OURS
from palimpsest.costs.report import AS_IT_WAS, PLAIN_WAY
from palimpsest.record.spending import Spent, dollars
from palimpsest.record.times import iso_time

_SHOWN_FALLS = 12
_SHOWN_MODELS = 3
_SHOWN_BILLS = 1_000
_NAME_CELLS = 17
_COMPARED = {AS_IT_WAS: "as it was", NEVER.name: "never", PLAIN_WAY: "75 %", OURS.name: "economic"}
"""The ways of which an overview has a column, by its heading."""


def bill_fields(bill: Bill, *, calls: bool) -> dict[str, object]:
    """A bill as settled: money in dollars, `units` in uncached input tokens."""
    fields: dict[str, object] = {
        **fields_of(bill, "id path agent title model"),
        "calls": len(bill.calls),
        **fields_of(bill, "total units cached_share cache_gave summaries_cost uncompacted"),
        "compactions": [_fall_fields(fall) for fall in bill.compactions],
        "unreported_calls": bill.unreported,
        "assumed_models": list(bill.assumed),
        "prices": fields_of(bill.price, "model source assumed"),
        **fields_of(bill, "window_tokens missing_tokens"),
        "policies": [_outcome_fields(one, bill) for one in bill.outcomes],
    }
    return fields | ({"charges": [_charge_fields(one) for one in bill.calls]} if calls else {})


def _outcome_fields(outcome: Outcome, bill: Bill) -> dict[str, object]:
    return {
        **fields_of(outcome, "name cost units"),
        "share": _share(outcome, bill),
        "compactions": len(outcome.compacted),
        "summaries_cost": outcome.fees,
        "largest_prompt_tokens": max(outcome.prompts, default=0),
        "cached_tokens": outcome.use.cached,
        "written_tokens": outcome.use.written,
        "output_tokens": outcome.use.output,
    }


def _fall_fields(fall: Fall) -> dict[str, object]:
    return {
        "call": fall.place + 1,
        "time": _time(fall.time_s),
        **fields_of(fall, "before_tokens after_tokens written_tokens"),
        "rewriting_cost": fall.rewriting,
        "summaries_cost": fall.fee,
    }


def _charge_fields(spent: Spent) -> dict[str, object]:
    return {
        **fields_of(spent, "kind model"),
        "time": _time(spent.time_s),
        **fields_of(
            spent, "input_tokens cached_tokens written_tokens output_tokens cost units reported assumed"
        ),
    }


def _time(time_s: float) -> str:
    return iso_time(time_s) if time_s > 0 else ""


def _share(outcome: Outcome, bill: Bill) -> float | None:
    """The way's part of never compacting."""
    never = bill.outcome(NEVER.name)
    return outcome.units / never.units if never is not None and never.units else None


def sum_fields(bills: Sequence[Bill]) -> dict[str, object]:
    """The sums over several bills, each call once; for each way over those that could be replayed."""
    total, twice = total_once(bills)
    return {
        "total": total,
        "copied_calls": twice,
        "policies": [{"name": name, "cost": money, "units": units} for name, money, units, _ in _sums(bills)],
    }


def comparable(bills: Sequence[Bill]) -> list[Bill]:
    """The bills with every way; where none says how it was, those that were replayed."""
    replayed = [bill for bill in bills if bill.outcomes]
    return [bill for bill in replayed if bill.outcome(AS_IT_WAS) is not None] or replayed


def _sums(bills: Sequence[Bill]) -> list[tuple[str, float, float, int]]:
    """(way, dollars, units, compactions) over the bills that can be compared."""
    replayed = comparable(bills)
    found: list[tuple[str, float, float, int]] = []
    for name in dict.fromkeys(one.name for bill in replayed for one in bill.outcomes):
        mine = [one for bill in replayed for one in bill.outcomes if one.name == name]
        if len(mine) == len(replayed):
            made = sum(len(one.compacted) for one in mine)
            found.append((name, sum(one.cost for one in mine), sum(one.units for one in mine), made))
    return found


def bill_blocks(bill: Bill, width: int) -> list[Block]:
    """One session for a person."""
    made = f", {bill.agent} transcript" if bill.agent else ""
    lines = [
        _labelled("session", clip(bill.title or bill.id, width - 12)),
        *([_labelled("", clip(bill.id, width - 12))] if bill.title else []),
        *_label_lines("calls", f"{_models_words(bill)}{made}", width),
        _labelled("cost", _cost_words(bill)),
        _labelled("cache", _cache_words(bill)),
    ]
    uncompacted = bill.uncompacted
    if uncompacted is not None and any(one.never_cost for one in bill.replies):
        net = bill.total - uncompacted
        lines.append(_labelled("net", f"{signed(net)}; {dollars(uncompacted)} without compactions and gates"))
    lines.extend(_label_lines("prices", _source(bill), width))
    blocks: list[Block] = [lines]
    if bill.compactions:
        blocks.extend(("", _fall_listing(bill.compactions)))
    if len(bill.compactions) > _SHOWN_FALLS:
        blocks.append(f"... and {len(bill.compactions) - _SHOWN_FALLS:,} more")
    if bill.outcomes:
        if differing := _differing(bill):
            blocks.extend(("", wrap(differing, width)))
        blocks.extend(("", wrap(_replayed_words(bill), width), _outcome_listing(bill)))
    return blocks


def _differing(bill: Bill) -> str:
    """Why replays of a session differ from what it cost, "" where nothing special makes them."""
    if bill.missing_tokens:
        return f"{bill.missing_tokens:,} tokens of its first prompt are in no message: replayed without them"
    cached = bill.replies[0].cached_tokens if bill.replies else 0
    if cached:
        return (
            f"{cached:,} tokens of its first prompt were cached before it began: replayed with nothing cached"
        )
    return ""


def _replayed_words(bill: Bill) -> str:
    several = len({one.model for one in bill.replies}) > 1
    other = bill.price.model != bill.model or several
    asked = f" at the prices of {clean(bill.price.model)}," if other else ""
    return f"the same calls replayed,{asked} each way to compact, in a window of {bill.window_tokens:,}"


def _models_words(bill: Bill) -> str:
    """How many calls each model answered, the one with most first."""
    counts = Counter(one.model for one in bill.replies)
    most, *others = counts.most_common()[:_SHOWN_MODELS] or [(bill.model, 0)]
    words = f"{most[1]:,} of {clean(most[0]) or 'an unnamed model'}"
    words += "".join(f", {number:,} of {clean(name) or 'an unnamed model'}" for name, number in others)
    rest = len(bill.replies) - most[1] - sum(number for _, number in others)
    return words + (f", {rest:,} of others" if rest else "")


def _label_lines(label: str, text: str, width: int) -> list[str]:
    return [_labelled(label * (not at), line) for at, line in enumerate(wrap(text, width - 12))]


def _labelled(label: str, text: str) -> str:
    return f"{label:<12}{text}"


def signed(amount: float) -> str:
    """Money that may be lost or saved."""
    return f"{'+' if amount > 0 else ''}{dollars(amount)}"


def _cost_words(bill: Bill) -> str:
    """What the session cost, and how much of that nobody counted."""
    words = [dollars(bill.total) if bill.total or not bill.units else f"no money; {bill.units:,.0f} units"]
    if bill.summaries_cost:
        words.append(f"{dollars(bill.summaries_cost)} of it for summaries")
    if not bill.unreported:
        words.append("as reported")
    elif bill.unreported == len(bill.calls):
        words.append("told from sizes: nobody reported what was used")
    else:
        words.append(f"{bill.unreported:,} calls of it told from sizes")
    return ", ".join(words)


def _cache_words(bill: Bill) -> str:
    share = f"{100 * bill.cached_share:.0f} % of all prompts read from it"
    return f"{share}, which gave {dollars(bill.cache_gave)}" if bill.cache_gave else share


def _source(bill: Bill) -> str:
    long = bill.price.rates.ttl_s
    lives = (
        f"cache of {long / 60:,.0f} minutes"
        if long < 3_600
        else f"cache of {count(round(long / 3_600), 'hour')}"
    )
    rates = bill.price.rates.scaled(1e6)
    each = f"${rates.input:g} a million in, ${rates.cached:g} cached, ${rates.write:g} written, ${rates.output:g} out"
    assumed = (
        ""
        if not bill.assumed
        else f"; nobody lists {', '.join(clean(one) or 'the model' for one in bill.assumed)}"
    )
    return f"{each}; {lives}; {bill.price.source}{assumed}"


def _fall_listing(falls: Sequence[Fall]) -> Listing:
    rows = tuple(
        (
            f"{fall.place + 1:,}",
            when(_time(fall.time_s)),
            f"{fall.before_tokens:,}",
            f"{fall.after_tokens:,}",
            f"{fall.written_tokens:,}",
            dollars(fall.rewriting),
            dollars(fall.fee) if fall.fee else "",
        )
        for fall in falls[:_SHOWN_FALLS]
    )
    headings = ("compacted at", "time", "from", "to", "written anew", "for", "summaries")
    return Listing(headings, rows, frozenset(headings) - {"time"})


def _outcome_listing(bill: Bill) -> Listing:
    rows: list[tuple[str, ...]] = []
    for one in bill.outcomes:
        share = _share(one, bill)
        prompts = one.use.prompt
        rows.append(
            (
                one.name,
                amount(one.cost, one.units),
                f"{100 * share:.0f} %" if share is not None else "",
                f"{len(one.compacted):,}",
                f"{100 * one.use.cached / prompts:.0f} %" if prompts else "",
                f"{max(one.prompts, default=0):,}",
            )
        )
    headings = ("way", "cost", "of never", "compactions", "cached", "largest prompt")
    return Listing(headings, tuple(rows), frozenset(headings[1:]))


def _paid(money: float, units: float) -> float:
    """What a share is taken of: the figure that `amount` shows."""
    return money or units


def amount(money: float, units: float) -> str:
    """Money, or units where none is paid."""
    return dollars(money) if money or not units else f"{units:,.0f} u"


def call_listing(bill: Bill) -> Listing:
    """Each call and what it cost."""
    rows = tuple(
        (
            f"{place:,}",
            when(_time(one.time_s)),
            one.kind,
            f"{one.input_tokens:,}",
            f"{one.cached_tokens:,}",
            f"{one.written_tokens:,}",
            f"{one.output_tokens:,}",
            amount(one.cost, one.units),
        )
        for place, one in enumerate(bill.calls, 1)
    )
    headings = ("call", "time", "kind", "prompt", "cached", "written", "output", "cost")
    return Listing(headings, rows, frozenset(headings) - {"time", "kind"})


def overview(bills: Sequence[Bill], width: int, *, terminal: bool) -> list[Block]:
    """Several sessions for a person: a row for each, and what each way would have cost in sum."""
    short = short_ids([bill.id for bill in bills]) if terminal else {bill.id: bill.id for bill in bills}
    names = [
        clip(short[bill.id], _NAME_CELLS) if terminal else clean(bill.id) for bill in bills[:_SHOWN_BILLS]
    ]
    rows = tuple(_overview_row(bill, name) for bill, name in zip(bills, names, strict=False))
    headings = ("session", "calls", "cost", "cached", *_COMPARED.values())
    blocks: list[Block] = [Listing(headings, rows, frozenset(headings[1:]))]
    if len(bills) > _SHOWN_BILLS:
        blocks.append(f"... and {len(bills) - _SHOWN_BILLS:,} more")
    sums = _sums(bills)
    if sums:
        never = next((_paid(money, units) for name, money, units, _ in sums if name == NEVER.name), 0.0)
        lines = tuple(
            (
                name,
                amount(money, units),
                f"{100 * _paid(money, units) / never:.0f} %" if never else "",
                f"{made:,}",
            )
            for name, money, units, made in sums
        )
        title = (
            f"{len(comparable(bills)):,} of {count(len(bills), 'session')} replayed{_asked(bills)}, "
            "each way to compact, in sum"
        )
        blocks.extend(
            (
                "",
                wrap(title, width),
                Listing(
                    ("way", "cost", "of never", "compactions"),
                    lines,
                    frozenset({"cost", "of never", "compactions"}),
                ),
            )
        )
    blocks.extend(("", _sum_line(bills)))
    return blocks


def _asked(bills: Sequence[Bill]) -> str:
    """At whose prices sessions are compared, where these are not their own models'."""
    others = dict.fromkeys(bill.price for bill in bills if bill.price.model != bill.model)
    named = [f"{clean(one.model)}{' (assumed: $1 a million)' if one.assumed else ''}" for one in others]
    return f" at the prices of {', '.join(named)}" if named else ""


def _overview_row(bill: Bill, name: str) -> tuple[str, ...]:
    compared = [bill.outcome(way) for way in _COMPARED]
    return (
        name,
        f"{len(bill.calls):,}",
        amount(bill.total, bill.units),
        f"{100 * bill.cached_share:.0f} %",
        *(amount(one.cost, one.units) if one is not None else "" for one in compared),
    )


def _sum_line(bills: Sequence[Bill]) -> str:
    total, twice = total_once(bills)
    calls = sum(len(bill.calls) for bill in bills) - twice
    told = sum(bill.unreported for bill in bills)
    said = f"{count(len(bills), 'session')}, {count(calls, 'call')}: {dollars(total)}"
    assumed = list(dict.fromkeys(model for bill in bills for model in bill.assumed))
    notes = [f"copied calls left out: {twice:,}"] * bool(twice)
    notes += [f"{told:,} calls told from sizes"] * bool(told)
    notes += [f"prices assumed for {', '.join(clean(one) or 'an unnamed model' for one in assumed)}"] * bool(
        assumed
    )
    return "; ".join((said, *notes))
