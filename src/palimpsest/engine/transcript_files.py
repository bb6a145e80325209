"""Find and read the transcripts at a path: a file, or a folder with everything beneath it.

- Nothing is skipped silently. In a folder, a file that cannot be a transcript by its name is reported without being
  opened. A file that belongs to another one's conversation is read with that one, once.
- A growing transcript is read incrementally (`IncrementalReader`). A client writes to its transcript with every
  message, and a session of hours has tens of megabytes.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from palimpsest.config.paths import expand_home
from palimpsest.errors import FormatError, NotFound, UsageError, reason_of
from palimpsest.formats.transcripts import FORMATS, Format, Reading, Source, Transcript, detect, read
from palimpsest.formats.transcripts.growing_files import Growing
from palimpsest.limits import MAX_TRANSCRIPT_BYTES
from palimpsest.record.chain import Head, heads_after
from palimpsest.record.message import Message

MAX_FILES = 200_000
"""Files in one folder. A home folder given by mistake is refused, not read for an hour."""

MAX_RELATED_FILES = 100_000
_RELATED_ROUNDS = 4
_MEGABYTES = f"{MAX_TRANSCRIPT_BYTES // 1_000_000:,} MB"

MAX_CACHED_BYTES = 64_000_000
"""Total size of the files whose parsed content is kept, which takes two to three times as much memory."""

ENDINGS = frozenset({".json", ".jsonl", ".ndjson"})
_SKIPPED_FOLDERS = frozenset({".git", "node_modules", "__pycache__", ".venv"})


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was not imported, why, and a hint if there is one."""

    path: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was read: its format, its content, and the other files that were read with it."""

    path: str
    format: str
    reading: Reading
    related: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to try. Nobody checks the name of a `named` one. `data` is the content of something that is no file."""

    path: Path
    named: bool
    data: bytes | None = None


def candidates(paths: Iterable[str]) -> list[Candidate]:
    """Every file to try, in order, each once. NotFound for a path that does not exist."""
    found: dict[Path, Candidate] = {}
    for text in paths:
        path, is_folder = _stat(text)
        if is_folder:
            for one in _walk(path):
                found.setdefault(one.path.absolute(), one)
        else:
            found[path.absolute()] = Candidate(path, named=True)
        if len(found) > MAX_FILES:
            raise UsageError(f"more than {MAX_FILES:,} files under {text}", hint="name a smaller folder")
    return list(found.values())


def _stat(text: str) -> tuple[Path, bool]:
    """An existing path, and whether it is a folder. An empty path is a mistake, such as a variable that is not set."""
    if not text:
        raise UsageError("a path is empty", hint="name a file or a folder; . is this folder")
    path = expand_home(text)
    try:
        return path, stat.S_ISDIR(path.stat().st_mode)
    except FileNotFoundError as error:
        raise NotFound(f"no such file or folder: {text}", hint="check the path") from error
    except OSError as error:
        raise NotFound(f"{text}: {reason_of(error)}", hint="check the path") from error


def _walk(folder: Path) -> Iterator[Candidate]:
    """The files beneath a folder by name, without linked folders, then folders that cannot be listed."""
    failures: list[OSError] = []
    for base, folders, names in os.walk(folder, onerror=failures.append):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            yield Candidate(Path(base) / name, named=False)
    for error in failures:
        yield Candidate(Path(error.filename), named=True)


def open_transcript(
    candidate: Candidate,
    format: str | None,  # noqa: A002
    reader: Callable[[Source, str | None], Reading] = read,
) -> Opened | SkippedFile:
    """Read one file with the files that belong to it, or say why not. `reader` parses a source of a format."""
    path, data = str(candidate.path), candidate.data
    if not candidate.named and candidate.path.suffix not in ENDINGS:
        return SkippedFile(path, "not a .json or .jsonl file")
    try:
        if not candidate.named and candidate.path.exists() and not candidate.path.is_file():
            return SkippedFile(path, "not a regular file")
        if data is None:
            data = read_bounded(candidate.path, MAX_TRANSCRIPT_BYTES)
        if data is None:
            return SkippedFile(path, f"larger than {_MEGABYTES}")
        source = Source(path, data)
        name = format or detect(source)
        entry = FORMATS.get(name or "")
        if entry is not None and candidate.data is None:
            source = _with_related(source, entry)
        reading = reader(source, name)
    except FormatError as error:
        return SkippedFile(path, error.message)
    except OSError as error:
        return SkippedFile(path, reason_of(error))
    return Opened(path, name or "", reading, frozenset(source.related))


def read_bounded(path: Path, limit_bytes: int) -> bytes | None:
    """A file's bytes, None for one that is larger than the limit. A device has no size and may never end."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > limit_bytes:
            return None
        data = file.read(limit_bytes + 1)
    return data if len(data) <= limit_bytes else None


def _with_related(source: Source, entry: Format) -> Source:
    """The source with the other files that its format asks for. Nothing is read through a link. Raises FormatError if
    they are too large together, except for a format of lines, whose reader reports what is missing.
    """
    folder = Path(source.path).parent
    related: dict[str, bytes] = {}
    left_bytes = MAX_TRANSCRIPT_BYTES - len(source.data)
    for _ in range(_RELATED_ROUNDS):
        known = len(related)
        for pattern in entry.related(Source(source.path, source.data, related)):
            for name in sorted(glob.glob(pattern, root_dir=folder)):  # noqa: PTH207  (patterns may climb)
                path = os.path.normpath(folder / name)
                linked = Path(path).resolve() != Path(os.path.normpath(folder.resolve() / name))
                if path in related or linked or not Path(path).is_file() or len(related) >= MAX_RELATED_FILES:
                    continue
                data = read_bounded(Path(path), left_bytes)
                if data is None and entry.begin is not None:
                    continue
                if data is None:
                    raise FormatError(f"larger than {_MEGABYTES}, with the files that belong to it")
                related[path] = data
                left_bytes -= len(data)
        if len(related) == known:
            break
    return Source(source.path, source.data, related)


@dataclass(slots=True)
class _File:
    """One file: its format, its parser, and per transcript the newest history with its heads."""

    format: str
    growing: Growing
    histories: dict[str, tuple[tuple[Message, ...], list[Head]]] = field(
        default_factory=dict[str, tuple[tuple[Message, ...], list[Head]]]
    )


class IncrementalReader:
    """Reads files in one thread, and keeps what it parsed, to parse only what was appended."""

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._files: dict[str, _File] = {}

    def open(self, candidate: Candidate) -> Opened | SkippedFile:
        """See `open_transcript`."""
        return open_transcript(candidate, None, self._read)

    def heads(self, path: str, transcript: Transcript) -> Sequence[Head]:
        """The heads of the transcript's newest history; only those of new messages are computed."""
        history = transcript.paths[-1] if transcript.paths else ()
        file = self._files.get(path)
        if file is None:
            return heads_after((), history)
        before, known = file.histories.get(transcript.id, ((), []))
        heads = heads_after(known[: _shared(before, history)], history)
        file.histories[transcript.id] = history, heads
        return heads

    def _read(self, source: Source, name: str | None) -> Reading:
        entry = FORMATS.get(name or "")
        if entry is None or entry.begin is None:
            return read(source, name)
        file = self._files.pop(source.path, None)
        if file is None or file.format != entry.name or not file.growing.goes_on(source.data):
            file = _File(entry.name, Growing(entry.begin(source.path)))
        reading = file.growing.read(source)
        if file.growing.read_bytes <= self._max_bytes:
            self._files[source.path] = file
            held = sum(one.growing.read_bytes for one in self._files.values())
            while held > self._max_bytes:
                held -= self._files.pop(next(iter(self._files))).growing.read_bytes
        return reading


def _shared(before: Sequence[Message], now: Sequence[Message]) -> int:
    """How many identical message objects two histories begin with."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((place for place, (one, other) in pairs if one is not other), min(len(before), len(now)))
