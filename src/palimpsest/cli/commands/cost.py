"""`palimpsest cost`: what sessions cost, and what each compaction policy would have cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from palimpsest.cli.drawing import Listing, clean, clip, count, shorten_list, when, wrap
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import Block, Output, fields_of, make_output
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.config.paths import expand_home
from palimpsest.costs.bill import Bill, Outcome, total_once
from palimpsest.costs.replay import ECONOMIC, NEVER, THRESHOLD
from palimpsest.costs.report import AS_IT_WAS, make_bill
from palimpsest.engine.reports import find_conversation
from palimpsest.engine.transcript_files import SkippedFile, candidates, open_transcript
from palimpsest.errors import FormatError, NotFound, PalimpsestError, UsageError, reason_of
from palimpsest.file_writing import write
from palimpsest.formats.transcripts import Transcript
from palimpsest.record.spending import Spending, Spent, dollars
from palimpsest.record.times import iso_time

if TYPE_CHECKING:
    from palimpsest.costs.plot import Form
    from palimpsest.record.store_values import Progress


_SHOWN_SKIPPED = 5


@command("cost")
def cost(
    shared: Shared,
    what: Annotated[
        list[str] | None,
        argument("[CONV|TRANSCRIPT]...", "Conversations, or transcript files and folders of your agents."),
    ] = None,
    everything: Annotated[bool, option("--all", "Every conversation, compared in total.")] = False,
    calls: Annotated[bool, option("--calls", "List each call with its cost.")] = False,
    plot: Annotated[Path | None, option("--plot FILE", "Draw a plot: FILE.svg or FILE.png.")] = None,
    model: Annotated[str, option("--model NAME", "Compare at this model's prices.")] = "",
    window_tokens: Annotated[
        int, option("--window N", "Compare in this window; 0 for the model's own.", min=0)
    ] = 0,
) -> None:
    """Show what sessions cost.

    The cost of all calls, what the cache saved, and what each compaction policy would have cost. Transcripts are not
    stored. Without a name: what each model has cost so far.

    \b
    palimpsest cost last
    palimpsest cost ~/.claude/projects
    palimpsest cost session.jsonl --plot session.svg
    """
    wanted = Wanted(calls, plot, _form(plot), model, window_tokens)
    paths = [one for one in what or () if expand_home(one).exists()]
    names = [one for one in what or () if one not in paths]

    async def body(session: Session) -> None:
        if not what and not everything:
            found = await session.engine.store.spending(shared.owner)
            stored = len(await session.engine.conversations())
            session.output.result(
                owner_fields(shared.owner, found), *owner_blocks(shared.owner, found, stored)
            )
            return
        gathered = Gathered()
        await _add_stored(session, names, wanted, gathered, everything=everything)
        _add_transcripts(paths, session.output, wanted, gathered)
        _print(session.output, wanted, gathered)

    if not paths or names or everything:
        perform(shared, body)
        return
    output, gathered = make_output(shared.command, as_json=shared.as_json), Gathered()
    _add_transcripts(paths, output, wanted, gathered)  # transcripts alone need no database
    _print(output, wanted, gathered)
    output.flush()


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options that decide what is computed and shown."""

    calls: bool
    plot: Path | None
    form: Form
    model: str
    window_tokens: int


@dataclass(slots=True)
class Gathered:
    """The bills so far, and the files and conversations without one."""

    bills: list[Bill] = field(default_factory=list["Bill"])
    skipped: list[SkippedFile] = field(default_factory=list["SkippedFile"])

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(SkippedFile(path, reason))


def _form(plot: Path | None) -> Form:
    """The picture format that a path asks for. Raises UsageError."""
    match plot.suffix.lower() if plot is not None else ".svg":
        case ".svg":
            return "svg"
        case ".png":
            return "png"
        case _:
            raise UsageError(f"cannot draw {str(plot)!r}", hint="name a file that ends in .svg or .png")


async def _add_stored(
    session: Session, names: Sequence[str], wanted: Wanted, gathered: Gathered, *, everything: bool
) -> None:
    """Add the bills of stored conversations, each once. Raises NotFound, UsageError."""
    known = await session.engine.conversations()
    chosen = {one.id: one for one in known} if everything else {}
    for name in names:
        try:
            info = find_conversation(name, known)
        except NotFound as error:
            raise NotFound(
                f"no conversation and no file {name!r}",
                hint="palimpsest list shows the conversations; give a transcript by its path",
            ) from error
        chosen[info.id] = info
    with session.output.progress("reading", len(chosen)) as ticker:
        for info in chosen.values():
            ticker.step(clip(info.id, 32))
            step = ticker.at if len(chosen) == 1 else None
            bill = await session.engine.cost(info.id, wanted.model, wanted.window_tokens, step=step)
            if bill is None:
                gathered.skip(info.id, "no model was called in it")
            else:
                gathered.bills.append(replace(bill, title=info.title))


def _add_transcripts(paths: Sequence[str], output: Output, wanted: Wanted, gathered: Gathered) -> None:
    """Add the bills of transcripts, each once. Raises NotFound."""
    found = candidates(paths)
    related: set[str] = set()
    seen: set[str] = set()
    with output.progress("reading", len(found)) as ticker:
        for candidate in found:
            ticker.step(clip(candidate.path.name, 32))
            if str(candidate.path) in related:
                continue
            opened = open_transcript(candidate, None)
            if isinstance(opened, SkippedFile):
                gathered.skipped.append(opened)
                continue
            related.update(opened.related)
            new = [one for one in opened.reading.transcripts if one.id not in seen]
            seen.update(one.id for one in new)
            step = ticker.at if len(found) == 1 else None
            bills = [made for one in new if (made := _bill(one, opened.path, wanted, step)) is not None]
            gathered.bills.extend(bills)
            if opened.reading.transcripts and not new:
                gathered.skip(opened.path, "the same session as another file")
            elif not bills:
                gathered.skip(opened.path, f"a {opened.format} transcript without model calls")


def _bill(transcript: Transcript, path: str, wanted: Wanted, step: Progress | None) -> Bill | None:
    return make_bill(
        transcript.id,
        transcript.paths,
        path=path,
        agent=transcript.format,
        title=transcript.title,
        model=wanted.model,
        window_tokens=wanted.window_tokens,
        step=step,
    )


def _print(output: Output, wanted: Wanted, gathered: Gathered) -> None:
    """Print the bills. The plot is drawn first, so that a command that fails prints nothing else."""
    bills, skipped = gathered.bills, gathered.skipped
    if not bills:
        raise _no_bill(skipped)
    if wanted.plot is not None:
        _draw(wanted.plot, wanted.form, bills)
    fields: dict[str, object] = {
        "conversations": [bill_fields(bill, calls=wanted.calls) for bill in bills],
        **sum_fields(bills),
        "skipped_files": [fields_of(one, "path reason") for one in skipped],
    }
    blocks = overview_blocks(bills, output) if len(bills) > 1 else bill_blocks(bills[0], output.width)
    listed = [block for bill in bills for block in ("", clip(bill.id, output.width), call_listing(bill))]
    output.result(fields, *blocks, *(listed if wanted.calls else ()))
    for line in shorten_list(
        [f"skipped {clean(one.path)}: {clean(one.reason)}" for one in skipped], _SHOWN_SKIPPED
    ):
        output.note(line)
    if wanted.plot is not None:
        output.note(f"drawn: {wanted.plot}")


def _no_bill(skipped: Sequence[SkippedFile]) -> PalimpsestError:
    if not skipped:
        return UsageError(
            "there is nothing to calculate", hint="palimpsest cost CONV, or the path of a transcript"
        )
    first = skipped[0]
    more = f", and {len(skipped) - 1:,} more" if len(skipped) > 1 else ""
    return FormatError(
        f"{first.path}: {first.reason}{more}", hint="name a session in which a model was called"
    )


def _draw(path: Path, form: Form, bills: Sequence[Bill]) -> None:
    """Raises UsageError."""
    from palimpsest.costs.plot import draw

    picture = draw(bills, form)
    try:
        write(expand_home(path), picture, stream=True)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {reason_of(error)}", hint="choose another file") from error


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
        "thinking_dropped_tokens": bill.changes.dropped_thinking_tokens,
        "prompt_breaks": dict(bill.changes.broken),
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
    if text := _changes_text(bill):
        lines += _labelled("prompts", wrap(text, room))
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


def _changes_text(bill: Bill) -> str:
    """What compactions and other changes did to what was sent before, "" for nothing."""
    texts: list[str] = []
    if broken := bill.changes.broken:
        reasons = ", ".join(f"{number:,} by {reason}" for reason, number in broken)
        number = sum(number for _, number in broken)
        texts.append(f"{count(number, 'request')} did not begin as the one before ({reasons})")
    if dropped := bill.changes.dropped_thinking_tokens:
        texts.append(f"compactions dropped {dropped:,} tokens of thinking")
    return "; ".join(texts)


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
