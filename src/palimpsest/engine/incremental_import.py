"""Transcripts that are read again and again while they grow: what was made of them before is gone on from.

A client writes to its transcript with every message, and a session of hours has tens of megabytes. So what was read of
such a file is kept for the next time: the reader where it stands, and the heads of its history, which say how far the
store has it. Both hold only while the file still begins as it was read (`formats.transcripts.growing`), and the
messages are the same objects. It is kept in memory, within a bound, the files that were read last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest.engine.transcript_files import Candidate, Opened, SkippedFile, open_transcript
from palimpsest.formats.transcripts import FORMATS, Reading, Source, Transcript, read
from palimpsest.formats.transcripts.growing_files import Growing
from palimpsest.record.chain import Head, heads_after
from palimpsest.record.message import Message

KEPT_BYTES = 64_000_000
"""Files of so many bytes together are kept as what was read of them, which takes two to three times as much."""

Known = tuple[tuple[Message, ...], list[Head]]


@dataclass(slots=True)
class _File:
    """One file: its format, what reads it, and the heads of the newest history of each of its transcripts."""

    format: str
    growing: Growing
    known: dict[str, Known] = field(default_factory=dict[str, Known])


class Rereading:
    """Reads files, and remembers what it read. Used from one thread at a time."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._files: dict[str, _File] = {}

    def open(self, candidate: Candidate) -> Opened | SkippedFile:
        """What `gather.open_transcript` gives."""
        return open_transcript(candidate, None, self._read)

    def heads(self, path: str, transcript: Transcript) -> Sequence[Head]:
        """The heads of the transcript's newest history, of which only those of new messages are computed."""
        history = transcript.paths[-1] if transcript.paths else ()
        file = self._files.get(path)
        if file is None:
            return heads_after((), history)
        before, known = file.known.get(transcript.id, ((), []))
        found = heads_after(known[: _same(before, history)], history)
        file.known[transcript.id] = history, found
        return found

    def _read(self, source: Source, name: str | None) -> Reading:
        entry = FORMATS.get(name or "")
        if entry is None or entry.begin is None:
            return read(source, name)
        file = self._files.pop(source.path, None)
        if file is None or file.format != entry.name or not file.growing.goes_on(source.data):
            file = _File(entry.name, Growing(entry.begin(source.path)))
        reading = file.growing.read(source)
        if file.growing.read_bytes <= self._kept_bytes:
            self._files[source.path] = file
            self._let_go()
        return reading

    def _let_go(self) -> None:
        """Forget the files that were read longest ago, until the others are within the bound."""
        kept = sum(file.growing.read_bytes for file in self._files.values())
        for path in list(self._files):
            if kept <= self._kept_bytes:
                return
            kept -= self._files.pop(path).growing.read_bytes


def _same(before: Sequence[Message], now: Sequence[Message]) -> int:
    """How many messages two histories begin with that are one and the same."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((place for place, (one, other) in pairs if one is not other), min(len(before), len(now)))
