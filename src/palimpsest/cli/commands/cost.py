"""`palimpsest cost`: what sessions cost, and what each way to compact would have cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palimpsest.cli.cost_tables import bill_blocks, bill_fields, call_listing, overview, sum_fields
from palimpsest.cli.cost_totals import total_blocks, total_fields
from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared
from palimpsest.cli.output import SIGPIPE_EXIT, Output, discard_output, fields_of, make_output
from palimpsest.cli.session import Session, choose, perform
from palimpsest.cli.text_drawing import clean, clip
from palimpsest.config.paths import at_home
from palimpsest.costs.bill import Bill
from palimpsest.costs.report import make_bill
from palimpsest.engine.transcript_files import SkippedFile, candidates, open_transcript
from palimpsest.errors import FormatError, NotFound, PalimpsestError, UsageError, reason_of
from palimpsest.file_writing import write
from palimpsest.formats.transcripts import Transcript

if TYPE_CHECKING:
    from palimpsest.costs.plot import Form
    from palimpsest.engine.reports import ConversationInfo
    from palimpsest.record.store_values import Progress

_SHOWN_SKIPPED = 5


def cost(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONV|TRANSCRIPT]...",
            help="Conversations, or transcript files and folders of your agents.",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every conversation, compared in sum.")] = False,
    calls: Annotated[bool, typer.Option("--calls", help="List each call and what it cost.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw it: FILE.svg or FILE.png.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="Compare at this model's prices.")
    ] = "",
    window_tokens: Annotated[
        int,
        typer.Option("--window", metavar="N", min=0, help="Compare in this window; 0 for the model's own."),
    ] = 0,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Say what sessions cost.

    What was paid, what the cache gave, and what each way to compact would have cost. Of a transcript nothing
    is stored. Without a name: what each model has cost so far.

    \b
    palimpsest cost last
    palimpsest cost ~/.claude/projects
    palimpsest cost session.jsonl --plot session.svg
    """
    wanted = Wanted(calls, plot, _form(plot), model, window_tokens)
    shared = Shared("cost", db, owner, as_json)
    paths = [one for one in what or () if at_home(one).exists()]
    names = [one for one in what or () if one not in paths]

    async def body(session: Session) -> None:
        if not what and not everything:
            found = await session.engine.store.spending(owner)
            stored = len(await session.engine.conversations())
            session.output.result(total_fields(owner, found), *total_blocks(owner, found, stored))
            return
        gathered = Gathered()
        await _take_stored(session, names, wanted, gathered, everything=everything)
        _take_read(paths, session.output, wanted, gathered)
        _tell(session.output, wanted, gathered)

    if paths and not names and not everything:
        _without_store(shared, paths, wanted)
    else:
        perform(shared, body)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asked for."""

    calls: bool
    plot: Path | None
    form: Form
    model: str
    window_tokens: int


@dataclass(slots=True)
class Gathered:
    """The bills so far, and what gave none."""

    bills: list[Bill] = field(default_factory=list["Bill"])
    skipped: list[SkippedFile] = field(default_factory=list["SkippedFile"])

    def take(self, bill: Bill | None, name: str, reason: str) -> None:
        """Keep a bill, or say why there is none."""
        if bill is None:
            self.skipped.append(SkippedFile(name, reason))
        else:
            self.bills.append(bill)


def _without_store(shared: Shared, paths: Sequence[str], wanted: Wanted) -> None:
    """Transcripts alone need no database, so none is opened."""
    output = make_output(shared.command, as_json=shared.as_json)
    gathered = Gathered()
    try:
        _take_read(paths, output, wanted, gathered)
        _tell(output, wanted, gathered)
        output.flush()
    except BrokenPipeError:
        discard_output()
        raise typer.Exit(SIGPIPE_EXIT) from None


def _form(plot: Path | None) -> Form:
    """What kind of picture a path asks for. Raises UsageError."""
    match plot.suffix.lower() if plot is not None else ".svg":
        case ".svg":
            return "svg"
        case ".png":
            return "png"
        case _:
            raise UsageError(f"cannot draw {str(plot)!r}", hint="name a file that ends in .svg or .png")


async def _take_stored(
    session: Session, names: Sequence[str], wanted: Wanted, gathered: Gathered, *, everything: bool
) -> None:
    """The bills of conversations of the store, each once. Raises NotFound, UsageError."""
    known = await session.engine.conversations()
    chosen = {one.id: one for one in known} if everything else {}
    for name in names:
        info = _chosen(name, known)
        chosen[info.id] = info
    with session.output.progress("reading", len(chosen)) as ticker:
        for info in chosen.values():
            ticker.step(clip(info.id, 32))
            step = ticker.at if len(chosen) == 1 else None
            bill = await session.engine.cost(info.id, wanted.model, wanted.window_tokens, step=step)
            named = replace(bill, title=info.title) if bill is not None else None
            gathered.take(named, info.id, "no model was called in it")


def _chosen(name: str, known: Sequence[ConversationInfo]) -> ConversationInfo:
    """The conversation that a name means which is no path. Raises NotFound, UsageError."""
    try:
        return choose(name, known)
    except NotFound as error:
        raise NotFound(
            f"no conversation and no file {name!r}",
            hint="palimpsest list shows the conversations; of a transcript give the path",
        ) from error


def _take_read(paths: Sequence[str], output: Output, wanted: Wanted, gathered: Gathered) -> None:
    """The bills of transcripts, each once. Raises NotFound."""
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
            fresh = [one for one in opened.reading.transcripts if one.id not in seen]
            seen.update(one.id for one in fresh)
            if opened.reading.transcripts and not fresh:
                gathered.skipped.append(SkippedFile(opened.path, "the same session as another file"))
                continue
            step = ticker.at if len(found) == 1 else None
            bills = [made for one in fresh if (made := _bill(one, opened.path, wanted, step)) is not None]
            gathered.bills.extend(bills)
            if not bills:
                gathered.skipped.append(
                    SkippedFile(opened.path, f"a {opened.format} transcript without model calls")
                )


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


def _tell(output: Output, wanted: Wanted, gathered: Gathered) -> None:
    """Print the bills. What is drawn is drawn before, so that a command which fails has said nothing else."""
    bills, skipped = gathered.bills, gathered.skipped
    if not bills:
        raise _nothing(skipped)
    if wanted.plot is not None:
        _draw(wanted.plot, wanted.form, bills)
    fields: dict[str, object] = {
        "conversations": [bill_fields(bill, calls=wanted.calls) for bill in bills],
        **sum_fields(bills),
        "skipped_files": [fields_of(one, "path reason") for one in skipped],
    }
    blocks = (
        overview(bills, output.width, terminal=output.terminal)
        if len(bills) > 1
        else bill_blocks(bills[0], output.width)
    )
    listed = [block for bill in bills for block in ("", clip(bill.id, output.width), call_listing(bill))]
    output.result(fields, *blocks, *(listed if wanted.calls else ()))
    for one in skipped[:_SHOWN_SKIPPED]:
        output.note(f"skipped {clean(one.path)}: {clean(one.reason)}")
    if len(skipped) > _SHOWN_SKIPPED:
        output.note(f"        ... and {len(skipped) - _SHOWN_SKIPPED:,} more")
    if wanted.plot is not None:
        output.note(f"drawn: {wanted.plot}")


def _nothing(skipped: Sequence[SkippedFile]) -> PalimpsestError:
    if not skipped:
        return UsageError(
            "there is nothing to reckon", hint="palimpsest cost CONV, or the path of a transcript"
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
        write(at_home(path), picture, stream=True)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {reason_of(error)}", hint="choose another file") from error
