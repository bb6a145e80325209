"""Sessions for `bench/cost.py`: transcripts as they were, and sets of them in other patterns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cost_synthetic

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import Source, read
from palimpsest.price.session import Session, read_session
from palimpsest.record.message import Message

LEAST_CALLS = 3
LONG_CALLS = 60
LONG = f"transcripts, {LONG_CALLS}+ calls"
SUFFIXES = frozenset((".json", ".jsonl"))


@dataclass(frozen=True, slots=True)
class Group:
    """Sessions that are reported together. `pattern`: "own" (the transcripts' own times), or a drawn one."""

    name: str
    pattern: str
    sessions: tuple[Session, ...]


def histories(paths: Iterable[Path]) -> Iterator[tuple[str, str, tuple[Message, ...]]]:
    """(name, agent, current history) of every transcript in the files and folders, each history once."""
    seen: set[int] = set()
    for file in files(paths):
        try:
            found = read(Source(str(file), file.read_bytes())).transcripts
        except FormatError:
            continue
        for transcript in found:
            history = transcript.paths[-1] if transcript.paths else ()
            key = hash(tuple(message.parts for message in history))
            if history and key not in seen:
                seen.add(key)
                yield file.stem[:32], transcript.format, history


def files(paths: Iterable[Path]) -> list[Path]:
    """All files that may be transcripts, in order."""
    found = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return [file for file in found if file.is_file() and file.suffix in SUFFIXES]


def digest(paths: Iterable[Path]) -> str:
    """What names the data."""
    found = hashlib.sha256()
    for file in files(paths):
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def read_sessions(paths: Iterable[Path]) -> list[Session]:
    """Every session with at least `LEAST_CALLS` calls whose agent is one that reports what its prompts take."""
    found = (read_session(history, name, agent) for name, agent, history in histories(paths))
    return [session for session in found if session is not None and len(session.calls) >= LEAST_CALLS]


def groups(sessions: Sequence[Session], drawn: int) -> list[Group]:
    """The sets that are reported: all, the long ones, these without idle gaps, and drawn ones, so many of a kind."""
    long = tuple(session for session in sessions if len(session.calls) >= LONG_CALLS)
    found = [
        Group("transcripts, all", "own", tuple(sessions)),
        Group(LONG, "own", long),
        Group(LONG, "steady", tuple(map(without_gaps, long))),
    ]
    for shape in cost_synthetic.SHAPES:
        for pattern in cost_synthetic.PATTERNS:
            count = drawn if shape.kind == "coding" else max(1, drawn // 4)
            made = tuple(cost_synthetic.sessions(shape, pattern, count if drawn else 0))
            found.append(Group(f"drawn: {shape.kind}", pattern, made))
    return [group for group in found if group.sessions]


def without_gaps(session: Session) -> Session:
    """The same session with no time between its calls."""
    return replace(session, calls=tuple(replace(call, gap_s=0.0) for call in session.calls))
