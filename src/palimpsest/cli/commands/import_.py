"""`palimpsest import`: import transcripts of coding agents, and exports. Importing again adds only what is new."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from palimpsest.cli.drawing import Listing, clean, clip, count
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.config.paths import expand_home
from palimpsest.engine.reports import Imported
from palimpsest.engine.transcript_files import Candidate, SkippedFile, candidates, open_transcript
from palimpsest.errors import FormatError, UsageError
from palimpsest.formats.transcripts import FORMATS, Skipped
from palimpsest.limits import MAX_TRANSCRIPT_BYTES
from palimpsest.record.health_report import Restored
from palimpsest.stores.export_format import begins_so, is_export

STANDARD_INPUT = "-"

_SHOWN_REASONS = 8
_SHOWN_LINES = 5
_SHOWN_NAMES = 5
_FORMAT_HELP = f"The transcripts' format; default: detected. One of {', '.join(FORMATS)}."
_KNOWN_FORMATS = f"known formats: {', '.join(FORMATS)}"


def _complete_format(incomplete: str) -> list[tuple[str, str]]:
    return [(name, "") for name in FORMATS if name.startswith(incomplete)]


@dataclass(frozen=True, slots=True)
class Row:
    """One imported conversation, and the unreadable lines of its file (only with the file's first conversation)."""

    path: str
    format: str
    done: Imported
    skipped: tuple[Skipped, ...] = ()
    skipped_more: int = 0

    @property
    def skipped_lines(self) -> int:
        """The number of unreadable lines."""
        return len(self.skipped) + self.skipped_more


@dataclass(slots=True)
class Tally:
    """The import so far."""

    rows: list[Row] = field(default_factory=list["Row"])
    skipped_files: list[SkippedFile] = field(default_factory=list["SkippedFile"])
    related: set[str] = field(default_factory=set[str])

    def left_out(self) -> list[SkippedFile]:
        """Skipped files, without those that were read as part of another one."""
        return [one for one in self.skipped_files if one.path not in self.related]


@command("import")
def import_(
    shared: Shared,
    paths: Annotated[
        list[str], argument("PATH", "Transcripts, or folders to search for them; - for standard input.")
    ],
    format: Annotated[str | None, option("--format F", _FORMAT_HELP, complete=_complete_format)] = None,
    again: Annotated[bool, option("--again", "Import forgotten conversations as well.")] = False,
) -> None:
    """Import transcripts of coding agents, and exports of chats.

    Also files of `export --all`. Importing again adds only what is new.

    \b
    palimpsest import ~/.claude/projects ~/.local/share/opencode
    palimpsest import session.jsonl --format codex
    palimpsest import everything.jsonl
    ssh desk cat session.jsonl | palimpsest import -
    """
    piped = [_piped()] if STANDARD_INPUT in paths else []
    paths = [one for one in paths if one != STANDARD_INPUT]
    exports = [path for one in paths if (path := expand_home(one)).is_file() and is_export(path)]
    if exports and len(exports) == len(paths) and format is None and not piped:
        _import_exports(shared, exports, again=again)
        return
    if exports:
        raise UsageError(
            f"{exports[0]} is an export of everything, not a transcript",
            hint="import it by itself, without --format",
        )
    if format is not None and format not in FORMATS:
        raise UsageError(f"no format {format!r}", hint=_KNOWN_FORMATS)
    found = [*piped, *candidates(paths)]

    async def body(session: Session) -> None:
        tally = Tally()
        with session.output.progress("reading", len(found)) as ticker:
            for candidate in found:
                ticker.step(clip(candidate.path.name, 32))
                await _import_file(session, candidate, format, tally, again=again)
        _check_something_read(tally)
        session.output.result(_fields(tally), *_blocks(tally, session.output))

    perform(shared, body, creates_db=True)


def _piped() -> Candidate:
    """Standard input as a transcript."""
    data = sys.stdin.buffer.read(MAX_TRANSCRIPT_BYTES + 1)
    if len(data) > MAX_TRANSCRIPT_BYTES:
        raise UsageError(f"standard input has more than {MAX_TRANSCRIPT_BYTES // 1_000_000:,} MB")
    if begins_so(data):
        raise UsageError(
            "standard input is an export of everything", hint="write it to a file and import that"
        )
    return Candidate(Path("standard input"), named=True, data=data)


async def _import_file(
    session: Session, candidate: Candidate, format: str | None, tally: Tally, *, again: bool
) -> None:
    """Import every conversation of one file."""
    opened = open_transcript(candidate, format)
    if isinstance(opened, SkippedFile):
        tally.skipped_files.append(opened)
        return
    tally.related.update(opened.related)
    skipped, more = opened.reading.skipped, opened.reading.skipped_more
    transcripts = [transcript for transcript in opened.reading.transcripts if any(transcript.paths)]
    if not transcripts:
        first = f"; line {skipped[0].line}: {skipped[0].reason}" if skipped else ""
        kinds = f"; left out: {_kinds(opened.reading.left_out)}" if opened.reading.left_out else ""
        reason = f"a {opened.format} transcript without messages{first}{kinds}"
        tally.skipped_files.append(SkippedFile(opened.path, reason))
    for transcript in transcripts:
        try:
            done = await session.engine.import_transcript(transcript, again=again)
        except UsageError as error:
            tally.skipped_files.append(SkippedFile(opened.path, error.message, error.hint or ""))
            continue
        tally.rows.append(Row(opened.path, transcript.format, done, skipped, more))
        skipped, more = (), 0


def _check_something_read(tally: Tally) -> None:
    """Raises FormatError if none of the files was imported."""
    left_out = tally.left_out()
    if tally.rows or not left_out:
        return
    if len(left_out) == 1:
        raise FormatError(
            f"{left_out[0].path}: {left_out[0].reason}", hint=left_out[0].hint or _KNOWN_FORMATS
        )
    reasons = ", ".join(f"{number:,} x {reason}" for reason, number in _reasons(left_out)[:3])
    raise FormatError(f"none of {len(left_out):,} files is a transcript: {reasons}", hint=_KNOWN_FORMATS)


def _reasons(files: Iterable[SkippedFile]) -> list[tuple[str, int]]:
    return Counter(one.reason for one in files).most_common()


def _kinds(counts: Mapping[str, int]) -> str:
    """Every kind of left out records with its number, the most frequent first."""
    return ", ".join(f"{clean(kind)} ({number:,})" for kind, number in Counter(counts).most_common())


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
                "left_out": dict(row.done.left_out),
            }
            for row in tally.rows
        ],
        "skipped_files": [fields_of(one, "path reason") for one in tally.left_out()],
    }


def _blocks(tally: Tally, output: Output) -> list[Block]:
    """A row for each conversation, the totals, and what was left out and why."""
    if not tally.rows:
        return ["nothing to import: no files there"]
    ids = [row.done.conversation for row in tally.rows]
    short = output.ids(ids)
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
        path = clean(row.path)
        lines += [f"note {path}: {clean(note)}" for note in row.done.notes[:_SHOWN_LINES]]
        lines += [
            f"skipped {path} line {one.line:,}: {clean(one.reason)}" for one in row.skipped[:_SHOWN_LINES]
        ]
        if row.skipped_lines > _SHOWN_LINES:
            lines.append(
                f"        ... and {count(row.skipped_lines - _SHOWN_LINES, 'more line')} of this file"
            )
    kinds = Counter[str]()
    for row in tally.rows:
        kinds.update(row.done.left_out)
    if kinds:
        lines.append(f"left out {count(kinds.total(), 'record')} without a message: {_kinds(kinds)}")
    left_out = tally.left_out()
    for reason, number in _reasons(left_out)[:_SHOWN_REASONS]:
        example = clean(next(one.path for one in left_out if one.reason == reason))
        more = ", ..." if number > 1 else ""
        lines.append(f"skipped {count(number, 'file')} ({example}{more}): {clean(reason)}")
    return [lines] if lines else []


def _import_exports(shared: Shared, paths: Sequence[Path], *, again: bool) -> None:
    """Import files of `export --all`; forgotten conversations only with `again`."""

    async def body(session: Session) -> None:
        with session.watched() as step:
            done = [(path, await session.engine.import_all(path, again=again, step=step)) for path in paths]
        fields: dict[str, object] = {
            "exports": [
                {
                    "path": str(path),
                    **fields_of(one, "conversations messages lost there differing forgotten"),
                    "ids_moved": one.moved,
                }
                for path, one in done
            ]
        }
        session.output.result(fields, [line for path, one in done for line in _restored_lines(path, one)])

    perform(shared, body, creates_db=True)


def _restored_lines(path: Path, done: Restored) -> list[str]:
    words = f"{count(done.conversations, 'conversation')}, {count(done.messages, 'message')}"
    lines = [f"{clean(str(path))}: {words}"]
    if done.lost:
        verb = "was damaged and is" if done.lost == 1 else "were damaged and are"
        lines.append(f"{count(done.lost, 'message')} {verb} lost; a note marks each place")
    if done.moved:
        lines.append("ids were changed, because some were taken")
    if done.there:
        lines.append(f"{count(len(done.there), 'conversation')} existed already")
    elsewhere = "import it for another --owner, or into another --db"
    for names, reason, hint in (
        (done.differing, "left out, another conversation has the name", elsewhere),
        (done.forgotten, "left out, forgotten before", "palimpsest import --again PATH"),
    ):
        if names:
            named = ", ".join(clean(one) for one in names[:_SHOWN_NAMES])
            lines += [f"{count(len(names), 'conversation')} {reason}: {named}", f"   do: {hint}"]
    return lines
