"""Finding the transcripts that a person means by a path: a file, or a folder with everything beneath it.

Nothing is passed over in silence. In a folder, a file that cannot be a transcript by its name is named with the reason
without being opened; a file that belongs to another one's conversation is read along with that one, once.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from palimpsest.config.paths import expand_home
from palimpsest.errors import FormatError, NotFound, UsageError, reason_of
from palimpsest.formats.transcripts import FORMATS, Format, Reading, Source, detect, read
from palimpsest.limits import MAX_TRANSCRIPT_BYTES

MAX_FILES = 200_000
"""The most files one folder may hold; a home folder by mistake should be refused, not read for an hour."""

MAX_RELATED_FILES = 100_000
_RELATED_ROUNDS = 4
ENDINGS = frozenset({".json", ".jsonl", ".ndjson"})
_PASSED_FOLDERS = frozenset({".git", "node_modules", "__pycache__", ".venv"})


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was not imported, why, and what to do where that is known."""

    path: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was read: its format, what it held, and the other files that were read along with it."""

    path: str
    format: str
    reading: Reading
    related: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to try. `named` says that the person named it, so that its name decides nothing; `data` is what was read
    already, of what is no file and has none beside it.
    """

    path: Path
    named: bool
    data: bytes | None = None


def candidates(paths: Iterable[str]) -> list[Candidate]:
    """Every file to try, in order, each once. NotFound for a path that does not exist."""
    found: dict[Path, Candidate] = {}
    for text in paths:
        path, is_folder = _look_at(text)
        if is_folder:
            for inner in _walk(path):
                found.setdefault(inner.path.absolute(), inner)
        else:
            found[path.absolute()] = Candidate(path, named=True)
        if len(found) > MAX_FILES:
            raise UsageError(f"more than {MAX_FILES:,} files under {text}", hint="name a smaller folder")
    return list(found.values())


def _look_at(text: str) -> tuple[Path, bool]:
    """A path that exists, and whether it is a folder. An empty one is a mistake, such as a variable that is not set."""
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
    """The files beneath a folder in order of their names; links to folders are not followed. A folder that cannot be
    listed is a candidate itself, so that trying it says why.
    """
    closed: list[OSError] = []
    for base, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = sorted(name for name in folders if name not in _PASSED_FOLDERS)
        for name in sorted(names):
            yield Candidate(Path(base) / name, named=False)
    for error in closed:
        yield Candidate(Path(error.filename), named=True)


def open_transcript(
    candidate: Candidate,
    format: str | None,  # noqa: A002
    reader: Callable[[Source, str | None], Reading] = read,
) -> Opened | SkippedFile:
    """Read one file with whatever belongs to it, or say why not. `reader` reads what was found, of that format."""
    path = str(candidate.path)
    if not candidate.named and candidate.path.suffix not in ENDINGS:
        return SkippedFile(path, "not a .json or .jsonl file")
    try:
        if not candidate.named and candidate.path.exists() and not candidate.path.is_file():
            return SkippedFile(path, "not a regular file")
        data = (
            candidate.data
            if candidate.data is not None
            else read_bounded(candidate.path, MAX_TRANSCRIPT_BYTES)
        )
        if data is None:
            return SkippedFile(path, f"larger than {MAX_TRANSCRIPT_BYTES // 1_000_000:,} MB")
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
    """A file's bytes, None for one that is larger than the limit. A device says no size and may never end."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > limit_bytes:
            return None
        data = file.read(limit_bytes + 1)
    return data if len(data) <= limit_bytes else None


def _with_related(source: Source, entry: Format) -> Source:
    """The source with the other files its format asks for, asked again until it names nothing new. Raises FormatError
    where they are too large together.
    """
    folder = Path(source.path).parent
    related: dict[str, bytes] = {}
    left_bytes = MAX_TRANSCRIPT_BYTES - len(source.data)
    for _ in range(_RELATED_ROUNDS):
        known = len(related)
        for pattern in entry.related(Source(source.path, source.data, related)):
            for name in sorted(glob.glob(pattern, root_dir=folder)):  # noqa: PTH207  (patterns may climb)
                path = os.path.normpath(folder / name)
                if path not in related and Path(path).is_file() and len(related) < MAX_RELATED_FILES:
                    data = read_bounded(Path(path), left_bytes)
                    if data is None:
                        most = f"{MAX_TRANSCRIPT_BYTES // 1_000_000:,} MB"
                        raise FormatError(f"larger than {most}, with the files that belong to it")
                    related[path] = data
                    left_bytes -= len(data)
        if len(related) == known:
            break
    return Source(source.path, source.data, related)
