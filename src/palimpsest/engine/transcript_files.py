"""Find and read the transcripts at a path: a file, or a folder with everything beneath it.

- Nothing is skipped silently. In a folder, a file that cannot be a transcript by its name is reported without being
  opened. A file that belongs to another one's conversation is read with that one, once.
- Only regular files are opened: to open a pipe blocks, and a device may do anything.
- A database is read as bytes, with the log beside it, and read again if it was written meanwhile.
- A growing transcript is read incrementally (`IncrementalReader`). A client writes to its transcript with every
  message, and a session of hours has tens of megabytes.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from palimpsest.config.paths import expand_home
from palimpsest.errors import FormatError, NotFound, UsageError, reason_of
from palimpsest.formats.transcripts import FORMATS, Reading, Source, Transcript, detect, read
from palimpsest.formats.transcripts.compressed import COMPRESSED, decompressed, is_compressed
from palimpsest.formats.transcripts.growing_files import Growing
from palimpsest.formats.transcripts.reader_base import META, stem
from palimpsest.formats.transcripts.registry import may_be_known
from palimpsest.formats.transcripts.sqlite_file import LOG, beside, is_database
from palimpsest.limits import MAX_TRANSCRIPT_BYTES
from palimpsest.record.chain import Head, heads_after
from palimpsest.record.message import Message

MAX_FILES = 200_000
"""Files in one folder. A home folder given by mistake is refused, not read for an hour."""

MAX_RELATED_FILES = 100_000
_RELATED_ROUNDS = 50
"""How far files of a conversation may name each other: the parts of a session that was reverted again and again."""
_MEGABYTES = f"{MAX_TRANSCRIPT_BYTES // 1_000_000:,} MB"

MAX_CACHED_BYTES = 64_000_000
"""Total size of the files whose parsed content is kept, which takes two to three times as much memory."""

ENDINGS = frozenset({".json", ".jsonl", ".ndjson"})
DATABASES = frozenset({".db", ".sqlite", ".sqlite3", ".vscdb"})
_PEEKED_BYTES = 8_000_000
_TRIES = 3
_SKIPPED_FOLDERS = frozenset({".git", "node_modules", "__pycache__", ".venv"})
_REPOSITORY = frozenset({"objects", "refs"})
"""The folders of a bare git repository, in which agents keep snapshots of the code."""

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISDIR, "a folder"),
)


def may_be_transcript(path: Path) -> bool:
    """Return whether a file in a folder is opened; its name decides."""
    return path.suffix in ENDINGS | DATABASES or path.name.endswith(COMPRESSED)


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
        if folders and set(folders) >= _REPOSITORY and "HEAD" in names:
            folders[:] = []
            continue
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
    path = str(candidate.path)
    if not candidate.named and not may_be_transcript(candidate.path):
        return SkippedFile(path, "not a .json or .jsonl file")
    try:
        if candidate.data is not None:
            source, written_s = Source(path, candidate.data), None
            name = format or detect(source)
        else:
            source, name, written_s = _load(candidate, format)
        reading = reader(source, name)
    except FormatError as error:
        return SkippedFile(path, error.message, error.hint or "")
    except OSError as error:
        return SkippedFile(path, reason_of(error))
    dated = tuple(replace(one, written_s=written_s) for one in reading.transcripts)
    return Opened(path, name or "", replace(reading, transcripts=dated), frozenset(source.related))


def _load(candidate: Candidate, format: str | None) -> tuple[Source, str | None, float]:  # noqa: A002
    """A file with its related files, its format, and when it was written. Raises FormatError, OSError."""
    path = candidate.path
    for _ in range(_TRIES):
        before = path.stat()
        if not stat.S_ISREG(before.st_mode):
            kind = next((f" but {words}" for is_one, words in _KINDS if is_one(before.st_mode)), "")
            more, hint = (kind, "- reads standard input") if candidate.named else ("", "")
            raise FormatError(f"not a regular file{more}", hint=hint)
        if not candidate.named and path.suffix in DATABASES:
            with path.open("rb") as file:
                if not may_be_known(file.read(_PEEKED_BYTES)):
                    raise FormatError("a database of none of the known programs")
        data = read_bounded(path, MAX_TRANSCRIPT_BYTES)
        if data is None:
            raise FormatError(f"larger than {_MEGABYTES}")
        source = Source(str(path), data)
        if not is_database(data):
            described = _with_related(source, lambda one: (glob.escape(stem(one.path)) + META,))
            name = format or detect(described)
            entry = FORMATS.get(name or "")
            if entry is not None:
                described = _with_related(source, entry.related, needed=entry.begin is None)
            return described, name, before.st_mtime
        source = _with_related(source, lambda one: beside(one.path))
        after = path.stat()
        if (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size):
            return source, format or detect(source), before.st_mtime
    raise FormatError("it was written while it was read", hint="import it again")


def stamp_of(path: Path) -> tuple[int, int]:
    """The size of a file and the time of its last change in ns; of a database together with its log. Raises OSError."""
    own = path.stat()
    if path.suffix in DATABASES:
        with suppress(OSError):
            log = path.with_name(path.name + LOG).stat()
            return own.st_size + log.st_size, max(own.st_mtime_ns, log.st_mtime_ns)
    return own.st_size, own.st_mtime_ns


def read_bounded(path: Path, limit_bytes: int) -> bytes | None:
    """A file's bytes, None for one that is larger than the limit, also decompressed. A device has no size and
    may never end. Raises FormatError for a compressed file that cannot be read.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > limit_bytes:
            return None
        data = file.read(limit_bytes + 1)
    if is_compressed(data):
        return decompressed(data, limit_bytes)
    return data if len(data) <= limit_bytes else None


def _with_related(
    source: Source, wanted: Callable[[Source], tuple[str, ...]], *, needed: bool = True
) -> Source:
    """The source with the other files that its format asks for. Nothing is read through a link. Raises FormatError if
    they are too large together and `needed`; otherwise the reader reports what is missing.
    """
    folder = Path(source.path).parent
    related: dict[str, bytes] = {}
    left_bytes = MAX_TRANSCRIPT_BYTES - len(source.data)
    for _ in range(_RELATED_ROUNDS):
        known = len(related)
        for pattern in wanted(Source(source.path, source.data, related)):
            for name in sorted(glob.glob(pattern, root_dir=folder)):  # noqa: PTH207  (patterns may climb)
                path = os.path.normpath(folder / name)
                linked = Path(path).resolve() != Path(os.path.normpath(folder.resolve() / name))
                if path in related or linked or not Path(path).is_file() or len(related) >= MAX_RELATED_FILES:
                    continue
                data = read_bounded(Path(path), left_bytes)
                if data is None and not needed:
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
