"""`palimpsest cost`: what sessions cost, and what each compaction policy would have cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from palimpsest.cli.cost_report import (
    bill_blocks,
    bill_fields,
    call_listing,
    overview_blocks,
    owner_blocks,
    owner_fields,
    sum_fields,
)
from palimpsest.cli.drawing import clean, clip, shorten_list
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import Output, fields_of, make_output
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.config.paths import expand_home
from palimpsest.costs.bill import Bill
from palimpsest.costs.report import make_bill
from palimpsest.engine.reports import find_conversation
from palimpsest.engine.transcript_files import SkippedFile, candidates, open_transcript
from palimpsest.errors import FormatError, NotFound, PalimpsestError, UsageError, reason_of
from palimpsest.file_writing import write
from palimpsest.formats.transcripts import Transcript

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
