"""`palimpsest import`: transcripts of coding agents into the store, again and again without duplicates."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from palimpsest.cli.commands.verify_backup import import_all, is_export
from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared, complete_format
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import Listing, clean, clip, count, short_ids
from palimpsest.config.paths import at_home
from palimpsest.engine.reports import Imported
from palimpsest.engine.transcript_files import Candidate, Opened, SkippedFile, candidates, open_transcript
from palimpsest.errors import FormatError, UsageError
from palimpsest.formats.transcripts import FORMATS, Skipped
from palimpsest.limits import MAX_TRANSCRIPT_BYTES

PIPED = "-"
"""The path that stands for standard input."""

_SHOWN_REASONS = 8
_SHOWN_LINES = 5
_FORMAT_HELP = f"The transcripts' format; found by looking at them if not given. One of {', '.join(FORMATS)}."


@dataclass(frozen=True, slots=True)
class Row:
    """One imported conversation, and what of its file could not be read (on the file's first conversation only)."""

    path: str
    format: str
    done: Imported
    skipped: tuple[Skipped, ...] = ()
    skipped_more: int = 0

    @property
    def skipped_lines(self) -> int:
        """How many there were in all."""
        return len(self.skipped) + self.skipped_more


@dataclass(slots=True)
class Tally:
    """What an import has done so far."""

    rows: list[Row] = field(default_factory=list["Row"])
    skipped_files: list[SkippedFile] = field(default_factory=list["SkippedFile"])
    related: set[str] = field(default_factory=set[str])

    def left_out(self) -> list[SkippedFile]:
        """Skipped files, without those that were read as a part of another one."""
        return [one for one in self.skipped_files if one.path not in self.related]


def import_(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Transcripts, or folders to search for them; - for standard input."),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="F", help=_FORMAT_HELP,
            autocompletion=complete_format,
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also what was forgotten as a whole.")] = False,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Import transcripts of coding agents.

    Also what `export --all` wrote. Importing again adds only what is new.

    \b
    palimpsest import ~/.claude/projects
    palimpsest import session.jsonl --format codex
    palimpsest import everything.jsonl
    ssh desk cat session.jsonl | palimpsest import -
    """
    piped = [_piped()] if PIPED in paths else []
    paths = [one for one in paths if one != PIPED]
    whole = [at_home(one) for one in paths if is_export(at_home(one))]
    if whole and len(whole) == len(paths) and format is None and not piped:
        import_all(Shared("import", db, owner, as_json), whole, again=again)
        return
    if whole:
        raise UsageError(
            f"{whole[0]} holds everything of an owner, not a transcript",
            hint="import it by itself, without --format",
        )
    if format is not None and format not in FORMATS:
        raise UsageError(f"no format {format!r}", hint=f"known formats: {', '.join(FORMATS)}")
    found = [*piped, *candidates(paths)]

    async def body(session: Session) -> None:
        tally = Tally()
        with session.output.progress("reading", len(found)) as ticker:
            for candidate in found:
                ticker.step(clip(candidate.path.name, 32))
                await _take_in(session, candidate, format, tally, again=again)
        _check_something_read(tally)
        session.output.result(_fields(tally), *_blocks(tally, session.output))

    perform(Shared("import", db, owner, as_json), body, makes_db=True)


def _piped() -> Candidate:
    """What stands in standard input, as a transcript to try."""
    from palimpsest.stores.export_format import begins_so

    data = sys.stdin.buffer.read(MAX_TRANSCRIPT_BYTES + 1)
    if len(data) > MAX_TRANSCRIPT_BYTES:
        raise UsageError(f"standard input holds more than {MAX_TRANSCRIPT_BYTES // 1_000_000:,} MB")
    if begins_so(data):
        raise UsageError(
            "standard input holds everything of an owner", hint="write it to a file and import that"
        )
    return Candidate(Path("standard input"), named=True, data=data)


async def _take_in(
    session: Session, candidate: Candidate, format: str | None, tally: Tally, *, again: bool
) -> None:
    """Import every conversation of one file."""
    opened = open_transcript(candidate, format)
    if isinstance(opened, SkippedFile):
        tally.skipped_files.append(opened)
        return
    tally.related.update(opened.related)
    holding = [transcript for transcript in opened.reading.transcripts if any(transcript.paths)]
    if not holding:
        tally.skipped_files.append(SkippedFile(opened.path, _empty_reason(opened)))
        return
    skipped, more = opened.reading.skipped, opened.reading.skipped_more
    for transcript in holding:
        try:
            done = await session.engine.import_transcript(transcript, again=again)
        except UsageError as error:
            tally.skipped_files.append(SkippedFile(opened.path, error.message, error.hint or ""))
            continue
        tally.rows.append(Row(opened.path, transcript.format, done, skipped, more))
        skipped, more = (), 0


def _empty_reason(opened: Opened) -> str:
    lines = opened.reading.skipped
    first = f"; line {lines[0].line}: {lines[0].reason}" if lines else ""
    return f"a {opened.format} transcript without messages{first}"


def _check_something_read(tally: Tally) -> None:
    """A person who named files and got nothing from any of them has made a mistake, and should be told."""
    left_out = tally.left_out()
    if tally.rows or not left_out:
        return
    if len(left_out) == 1:
        raise FormatError(
            f"{left_out[0].path}: {left_out[0].reason}",
            hint=left_out[0].hint or f"known formats: {', '.join(FORMATS)}",
        )
    reasons = ", ".join(f"{number:,} x {reason}" for reason, number in _reasons(left_out)[:3])
    raise FormatError(
        f"none of {len(left_out):,} files is a transcript: {reasons}",
        hint=f"known formats: {', '.join(FORMATS)}",
    )


def _reasons(files: Iterable[SkippedFile]) -> list[tuple[str, int]]:
    return Counter(one.reason for one in files).most_common()


def _fields(tally: Tally) -> dict[str, object]:
    return {
        "conversations": [
            {
                "id": row.done.conversation,
                "path": row.path,
                "format": row.format,
                **fields_of(row.done, "messages added tool_calls tool_results branches compactions notes"),
                "skipped": [fields_of(one, "line reason") for one in row.skipped],
                "skipped_lines": row.skipped_lines,
            }
            for row in tally.rows
        ],
        "skipped_files": [fields_of(one, "path reason") for one in tally.left_out()],
    }


def _blocks(tally: Tally, output: Output) -> list[Block]:
    """The import for a person: a row for each conversation, the totals, and what was left out and why."""
    if not tally.rows:
        return ["nothing to import: no files there"]
    ids = [row.done.conversation for row in tally.rows]
    short = short_ids(ids) if output.terminal else {one: one for one in ids}
    rows = tuple(
        (
            clean(short[row.done.conversation]),
            row.format,
            f"{row.done.messages:,}",
            f"{row.done.added:,}",
            f"{row.done.tool_calls:,}",
            f"{row.done.tool_results:,}",
            f"{row.skipped_lines:,}" if row.skipped else "",
        )
        for row in tally.rows
    )
    headings = ("conversation", "format", "messages", "new", "calls", "results", "skipped")
    total = sum(row.done.added for row in tally.rows)
    words = f"{count(len(set(ids)), 'conversation')}, {count(total, 'new message')}"
    return [Listing(headings, rows, frozenset(headings[2:])), f"\n{words}", *_skipped_lines(tally)]


def _skipped_lines(tally: Tally) -> list[Block]:
    """Skipped lines and files, most frequent reasons first."""
    lines: list[str] = []
    for row in tally.rows:
        lines.extend(f"note {clean(row.path)}: {clean(note)}" for note in row.done.notes[:_SHOWN_LINES])
        shown = row.skipped[:_SHOWN_LINES]
        lines.extend(f"skipped {clean(row.path)} line {one.line:,}: {clean(one.reason)}" for one in shown)
        if row.skipped_lines > _SHOWN_LINES:
            lines.append(
                f"        ... and {count(row.skipped_lines - _SHOWN_LINES, 'more line')} of this file"
            )
    left_out = tally.left_out()
    for reason, number in _reasons(left_out)[:_SHOWN_REASONS]:
        example = next(one.path for one in left_out if one.reason == reason)
        lines.append(
            f"skipped {count(number, 'file')} ({clean(example)}{', ...' if number > 1 else ''}): {clean(reason)}"
        )
    return [lines] if lines else []
