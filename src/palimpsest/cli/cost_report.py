"""Shows bills as JSON fields and as tables that fit a terminal of 80 cells. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from palimpsest.cli.drawing import Listing, clean, clip, count, when, wrap
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.costs.bill import Bill, Outcome, total_once
from palimpsest.costs.replay_policies import ECONOMIC, NEVER, THRESHOLD
from palimpsest.costs.report import AS_IT_WAS
from palimpsest.record.spending import Spending, Spent, dollars
from palimpsest.record.times import iso_time

_SHOWN_SHRINKS = 12
_SHOWN_MODELS = 3
_SHOWN_BILLS = 1_000
_NAME_CELLS = 17
_LABEL_CELLS = 12
_COMPARED = {AS_IT_WAS: "as it was", NEVER.name: "never", THRESHOLD.name: "75 %", ECONOMIC.name: "economic"}
"""The policies that have a column in an overview, with its heading."""


def bill_fields(bill: Bill, *, calls: bool) -> dict[str, object]:
    """A bill as JSON fields: money in dollars, `units` in uncached input tokens."""
    fields: dict[str, object] = {
        **fields_of(bill, "id path agent title model"),
        "calls": len(bill.calls),
        **fields_of(bill, "total units cached_share cache_gave summaries_cost uncompacted"),
        "compactions": [
            {
                "call": one.index + 1,
                "time": _time(one.time_s),
                **fields_of(one, "before_tokens after_tokens written_tokens"),
                "rewriting_cost": one.rewriting,
                "summaries_cost": one.fee,
            }
            for one in bill.compactions
        ],
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


def _charge_fields(spent: Spent) -> dict[str, object]:
    tokens = "input_tokens cached_tokens written_tokens output_tokens"
    time = {"time": _time(spent.time_s)}
    return fields_of(spent, "kind model") | time | fields_of(spent, f"{tokens} cost units reported assumed")


def _time(time_s: float) -> str:
    return iso_time(time_s) if time_s > 0 else ""


def _share(outcome: Outcome, bill: Bill) -> float | None:
    """The cost as a share of never compacting."""
    never = bill.outcome(NEVER.name)
    return outcome.units / never.units if never is not None and never.units else None


def sum_fields(bills: Sequence[Bill]) -> dict[str, object]:
    """The totals of several bills, counting each call once; for each policy over the bills that could be replayed."""
    total, twice = total_once(bills)
    return {
        "total": total,
        "copied_calls": twice,
        "policies": [
            {"name": name, "cost": money, "units": units} for name, money, units, _ in _totals(bills)
        ],
    }


def _comparable(bills: Sequence[Bill]) -> list[Bill]:
    """The bills with every policy; if none was replayed as it was, all that were replayed."""
    replayed = [bill for bill in bills if bill.outcomes]
    return [bill for bill in replayed if bill.outcome(AS_IT_WAS) is not None] or replayed


def _totals(bills: Sequence[Bill]) -> list[tuple[str, float, float, int]]:
    """(policy, dollars, units, compactions) over the bills that can be compared."""
    replayed = _comparable(bills)
    found: list[tuple[str, float, float, int]] = []
    for name in dict.fromkeys(one.name for bill in replayed for one in bill.outcomes):
        own = [one for bill in replayed for one in bill.outcomes if one.name == name]
        if len(own) == len(replayed):
            compactions = sum(len(one.compacted) for one in own)
            found.append((name, sum(one.cost for one in own), sum(one.units for one in own), compactions))
    return found


def bill_blocks(bill: Bill, width: int) -> list[Block]:
    """One session as text."""
    made = f", {bill.agent} transcript" if bill.agent else ""
    room = width - _LABEL_CELLS
    lines = _labelled(
        "session", [clip(bill.title or bill.id, room), *([clip(bill.id, room)] * bool(bill.title))]
    )
    lines += _labelled("calls", wrap(f"{_models_text(bill)}{made}", room))
    lines += _labelled("cost", [_cost_text(bill)])
    lines += _labelled("cache", [_cache_text(bill)])
    uncompacted = bill.uncompacted
    if uncompacted is not None and any(one.never_cost for one in bill.replies):
        saved = f"{signed(bill.total - uncompacted)}; {dollars(uncompacted)} without compactions and gates"
        lines += _labelled("net", [saved])
    lines += _labelled("prices", wrap(_prices_text(bill), room))
    blocks: list[Block] = [lines]
    if bill.compactions:
        blocks.extend(("", _shrink_listing(bill)))
    if len(bill.compactions) > _SHOWN_SHRINKS:
        blocks.append(f"... and {len(bill.compactions) - _SHOWN_SHRINKS:,} more")
    if bill.outcomes:
        if note := _replay_note(bill):
            blocks.extend(("", wrap(note, width)))
        blocks.extend(("", wrap(_replay_title(bill), width), _outcome_listing(bill)))
    return blocks


def _labelled(label: str, lines: Sequence[str]) -> list[str]:
    return [f"{label if not index else '':<{_LABEL_CELLS}}{line}" for index, line in enumerate(lines)]


def _replay_note(bill: Bill) -> str:
    """Why the replays of a session differ from its cost, "" for no special reason."""
    if bill.missing_tokens:
        return f"{bill.missing_tokens:,} tokens of its first prompt are in no message: replayed without them"
    cached = bill.replies[0].cached_tokens if bill.replies else 0
    if cached:
        return (
            f"{cached:,} tokens of its first prompt were cached before it began: replayed with an empty cache"
        )
    return ""


def _replay_title(bill: Bill) -> str:
    several = len({one.model for one in bill.replies}) > 1
    other = bill.price.model != bill.model or several
    prices = f" at the prices of {clean(bill.price.model)}," if other else ""
    return f"the same calls replayed,{prices} under each policy, in a window of {bill.window_tokens:,}"


def _models_text(bill: Bill) -> str:
    """How many calls each model answered, the one with most first."""
    counts = Counter(one.model for one in bill.replies).most_common() or [(bill.model, 0)]
    shown = [f"{number:,} of {_model_name(name)}" for name, number in counts[:_SHOWN_MODELS]]
    rest = sum(number for _, number in counts[_SHOWN_MODELS:])
    return ", ".join([*shown, *([f"{rest:,} of others"] * bool(rest))])


def _model_name(name: str) -> str:
    return clean(name) or "an unnamed model"


def signed(money: float) -> str:
    """Money that was lost or saved."""
    return f"{'+' if money > 0 else ''}{dollars(money)}"


def _cost_text(bill: Bill) -> str:
    """The cost of the session, and how much of it is estimated."""
    words = [dollars(bill.total) if bill.total or not bill.units else f"no money; {bill.units:,.0f} units"]
    if bill.summaries_cost:
        words.append(f"{dollars(bill.summaries_cost)} of it for summaries")
    if not bill.unreported:
        words.append("as reported")
    elif bill.unreported == len(bill.calls):
        words.append("estimated from sizes: no usage was reported")
    else:
        words.append(f"{bill.unreported:,} calls estimated from sizes")
    return ", ".join(words)


def _cache_text(bill: Bill) -> str:
    share = f"{100 * bill.cached_share:.0f} % of all prompts read from it"
    return f"{share}, which saved {dollars(bill.cache_gave)}" if bill.cache_gave else share


def lifetime(seconds: float) -> str:
    """A cache's lifetime: "5 minutes", "24 hours"."""
    return count(round(seconds / 60), "minute") if seconds < 3_600 else count(round(seconds / 3_600), "hour")


def _prices_text(bill: Bill) -> str:
    rates = bill.price.rates.scaled(1e6)
    each = f"${rates.input:g} a million in, ${rates.cached:g} cached, ${rates.write:g} written, ${rates.output:g} out"
    names = ", ".join(clean(one) or "the model" for one in bill.assumed)
    assumed = f"; no list has {names}" if names else ""
    return f"{each}; cache of {lifetime(rates.ttl_s)}; {bill.price.source}{assumed}"


def _shrink_listing(bill: Bill) -> Listing:
    rows = tuple(
        (
            f"{one.index + 1:,}",
            when(_time(one.time_s)),
            f"{one.before_tokens:,}",
            f"{one.after_tokens:,}",
            f"{one.written_tokens:,}",
            dollars(one.rewriting),
            dollars(one.fee) if one.fee else "",
        )
        for one in bill.compactions[:_SHOWN_SHRINKS]
    )
    headings = ("compacted at", "time", "from", "to", "rewritten", "for", "summaries")
    return Listing(headings, rows, frozenset(headings) - {"time"})


def _outcome_listing(bill: Bill) -> Listing:
    rows = tuple(
        (
            one.name,
            amount(one.cost, one.units),
            f"{100 * share:.0f} %" if (share := _share(one, bill)) is not None else "",
            f"{len(one.compacted):,}",
            f"{100 * one.use.cached / one.use.prompt:.0f} %" if one.use.prompt else "",
            f"{max(one.prompts, default=0):,}",
        )
        for one in bill.outcomes
    )
    headings = ("policy", "cost", "of never", "compactions", "cached", "largest prompt")
    return Listing(headings, rows, frozenset(headings[1:]))


def amount(money: float, units: float) -> str:
    """Money, or units if no money was paid."""
    return dollars(money) if money or not units else f"{units:,.0f} u"


def call_listing(bill: Bill) -> Listing:
    """Each call with its cost."""
    rows = tuple(
        (
            f"{number:,}",
            when(_time(one.time_s)),
            one.kind,
            f"{one.input_tokens:,}",
            f"{one.cached_tokens:,}",
            f"{one.written_tokens:,}",
            f"{one.output_tokens:,}",
            amount(one.cost, one.units),
        )
        for number, one in enumerate(bill.calls, 1)
    )
    headings = ("call", "time", "kind", "prompt", "cached", "written", "output", "cost")
    return Listing(headings, rows, frozenset(headings) - {"time", "kind"})


def overview_blocks(bills: Sequence[Bill], output: Output) -> list[Block]:
    """Several sessions as text: a row for each, and the total under each policy."""
    short = output.ids([bill.id for bill in bills])
    rows = tuple(
        (
            clip(short[bill.id], _NAME_CELLS) if output.terminal else clean(bill.id),
            f"{len(bill.calls):,}",
            amount(bill.total, bill.units),
            f"{100 * bill.cached_share:.0f} %",
            *(amount(one.cost, one.units) if one is not None else "" for one in map(bill.outcome, _COMPARED)),
        )
        for bill in bills[:_SHOWN_BILLS]
    )
    headings = ("session", "calls", "cost", "cached", *_COMPARED.values())
    blocks: list[Block] = [Listing(headings, rows, frozenset(headings[1:]))]
    if len(bills) > _SHOWN_BILLS:
        blocks.append(f"... and {len(bills) - _SHOWN_BILLS:,} more")
    if totals := _totals(bills):
        never = next((money or units for name, money, units, _ in totals if name == NEVER.name), 0.0)
        lines = tuple(
            (
                name,
                amount(money, units),
                f"{100 * (money or units) / never:.0f} %" if never else "",
                f"{compactions:,}",
            )
            for name, money, units, compactions in totals
        )
        replayed = f"{len(_comparable(bills)):,} of {count(len(bills), 'session')} replayed"
        headings = ("policy", "cost", "of never", "compactions")
        title = wrap(f"{replayed}{_other_prices(bills)} under each policy, in total", output.width)
        blocks.extend(("", title, Listing(headings, lines, frozenset(headings[1:]))))
    blocks.extend(("", _total_line(bills)))
    return blocks


def _other_prices(bills: Sequence[Bill]) -> str:
    """The models whose prices are used for the comparison, if these are not the sessions' own."""
    others = dict.fromkeys(bill.price for bill in bills if bill.price.model != bill.model)
    named = [f"{clean(one.model)}{' (assumed: $1 a million)' if one.assumed else ''}" for one in others]
    return f" at the prices of {', '.join(named)}" if named else ""


def _total_line(bills: Sequence[Bill]) -> str:
    total, twice = total_once(bills)
    calls = sum(len(bill.calls) for bill in bills) - twice
    notes = [f"{count(len(bills), 'session')}, {count(calls, 'call')}: {dollars(total)}"]
    if twice:
        notes.append(f"copied calls left out: {twice:,}")
    if estimated := sum(bill.unreported for bill in bills):
        notes.append(f"{estimated:,} calls estimated from sizes")
    if assumed := dict.fromkeys(model for bill in bills for model in bill.assumed):
        notes.append(f"prices assumed for {', '.join(map(_model_name, assumed))}")
    return "; ".join(notes)


def owner_fields(owner: str, found: Sequence[Spending]) -> dict[str, object]:
    """The cost of an owner's calls so far, for each model and kind, and in total."""
    return {
        "owner": owner,
        "conversations": [],
        "total": sum(one.cost for one in found),
        "models": [
            {
                "model": model,
                "kind": kind,
                "conversations": len({one.conversation for one in group}),
                "calls": sum(one.calls for one in group),
                "input_tokens": sum(one.input_tokens for one in group),
                "cached_tokens": sum(one.cached_tokens for one in group),
                "written_tokens": sum(one.written_tokens for one in group),
                "output_tokens": sum(one.output_tokens for one in group),
                "cost": sum(one.cost for one in group),
                "uncompacted": sum(one.never_cost for one in group) if kind == "reply" else 0.0,
                "units": sum(one.units for one in group),
                "assumed": any(one.assumed for one in group),
            }
            for (model, kind), group in _by_model(found).items()
        ],
    }


def _by_model(found: Sequence[Spending]) -> dict[tuple[str, str], list[Spending]]:
    groups: dict[tuple[str, str], list[Spending]] = {}
    for one in found:
        groups.setdefault((one.model, one.kind), []).append(one)
    return dict(sorted(groups.items()))


def owner_blocks(owner: str, found: Sequence[Spending], stored: int) -> list[Block]:
    """The same as text. `stored` is the number of the owner's conversations."""
    if not found:
        hint = "--all reads what their transcripts report" if stored else "PATH reads transcripts"
        return [f"no call was recorded here yet ({count(stored, 'conversation')}); palimpsest cost {hint}"]
    rows = tuple(
        (
            clean(model) or "(unnamed)",
            kind,
            f"{sum(one.calls for one in group):,}",
            f"{sum(one.input_tokens for one in group):,}",
            f"{sum(one.output_tokens for one in group):,}",
            amount(sum(one.cost for one in group), sum(one.units for one in group)),
            dollars(never) if (never := sum(one.never_cost for one in group)) else "",
            "assumed" if any(one.assumed for one in group) else "",
        )
        for (model, kind), group in _by_model(found).items()
    )
    headings = ("model", "kind", "calls", "input", "output", "cost", "uncompacted", "prices")
    cost, never = sum(one.cost for one in found), sum(one.never_cost for one in found)
    conversations = count(len({one.conversation for one in found}), "conversation")
    line = f"{clean(owner)}: {conversations}, {dollars(cost)}; compactions and gates: {signed(cost - never)}"
    return [Listing(headings, rows, frozenset(headings[2:7])), "", line]
