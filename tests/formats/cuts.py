"""What a reader said about a part of a file stays true of the whole: the check that several tests share."""

from __future__ import annotations

from collections.abc import Iterable

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import FORMATS, Reading, Source, Transcript
from palimpsest.record.message import Message

Said = tuple[str, object]


def said(message: Message) -> Said:
    """What a message says, without when and by which model."""
    return message.role, message.parts


def texts(path: Iterable[Message]) -> list[str]:
    """The words of each message, with calls and results named."""
    return [" ".join(_words(message)) for message in path]


def _words(message: Message) -> list[str]:
    called = [f"call:{call.id}" for call in message.calls]
    answered = [f"result:{result.call_id}={result.text}" for result in message.results]
    return [word for word in (message.text, *called, *answered) if word]


def breaches(part: Reading, whole: Reading) -> list[str]:
    """A sentence on each history of the part that begins none of the whole, and on misplaced provisional messages."""
    known = {transcript.id: transcript for transcript in whole.transcripts}
    found: list[str] = []
    for transcript in part.transcripts:
        histories = [[said(message) for message in path] for path in _paths(known, transcript, whole)]
        for path in transcript.paths:
            flags = [message.provisional for message in path]
            closed = [said(message) for message in path if not message.provisional]
            if flags != sorted(flags):
                found.append(f"{transcript.id}: a provisional message before one that is not")
            if not any(history[: len(closed)] == closed for history in histories):
                found.append(f"{transcript.id}: {len(closed)} messages that begin no history of the whole")
    return found


def _paths(known: dict[str, Transcript], transcript: Transcript, whole: Reading) -> list[tuple[Message, ...]]:
    """The whole's histories of the same conversation; of all, where the part was too short to name it."""
    same = known.get(transcript.id)
    found = [same] if same else list(whole.transcripts)
    return [path for one in found for path in one.paths]


def cut_breaches(source: Source, name: str, cuts: Iterable[int]) -> list[str]:
    """The breaches of a file cut at each of these bytes."""
    whole = FORMATS[name].read(source)
    found: list[str] = []
    for cut in cuts:
        part = Source(source.path, source.data[:cut], source.related)
        try:
            reading = FORMATS[name].read(part)
        except FormatError:
            continue
        found.extend(f"cut at {cut}: {breach}" for breach in breaches(reading, whole))
    return found
