"""Sessions for `bench/cost.py`: transcripts as they were, and sets of them in other patterns."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cost_synthetic

from palimpsest.costs.session import Call, Holder, Session, read_session
from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import Source, read
from palimpsest.record.message import Message

LEAST_CALLS = 3
LONG_CALLS = 60
LONGEST_CUT = 250
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


def groups(sessions: Sequence[Session], drawn: int, cut: int = 0) -> list[Group]:
    """The sets that are reported: all, the long ones, these without idle gaps, drawn ones, so many of a kind, and so
    many that are cut out of the transcripts.
    """
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
    found.append(Group("transcripts, cut anywhere", "own", tuple(cut_out(sessions, cut))))
    return [group for group in found if group.sessions]


def long_groups(sessions: Sequence[Session], drawn: int) -> list[Group]:
    """Long sessions: the transcripts, the same behind a prefix as large as agents have now, and so many drawn ones."""
    long = tuple(session for session in sessions if len(session.calls) >= LONG_CALLS)
    prefix_tokens = cost_synthetic.AGENT.prefix_tokens
    found = [
        Group(LONG, "own", long),
        Group(
            f"{LONG}, prefix {prefix_tokens:,}",
            "own",
            tuple(replace(session, prefix_tokens=prefix_tokens) for session in long),
        ),
        Group("drawn: agent", "gaps", tuple(cost_synthetic.sessions(cost_synthetic.AGENT, "gaps", drawn))),
    ]
    return [group for group in found if group.sessions]


def cut_out(sessions: Sequence[Session], count: int) -> Iterator[Session]:
    """So many runs of `LEAST_CALLS` to `LONGEST_CUT` calls of sessions drawn by chance, always the same ones: sessions
    that end early, late, and right after something was compacted.
    """
    chance = random.Random("cut anywhere")
    whole = [one for one in sessions if len(one.calls) > LEAST_CALLS]
    weights = [len(one.calls) ** 0.5 for one in whole]
    for session in chance.choices(whole, weights, k=count) if whole else ():
        drawn = round(LEAST_CALLS * (LONGEST_CUT / LEAST_CALLS) ** chance.random())
        length = min(drawn, len(session.calls))
        first = chance.randint(0, len(session.calls) - length)
        yield between(session, first, first + length)


def between(session: Session, first: int, end: int) -> Session:
    """These calls of a session as one of its own: what its prompts held before them is not in it, nor quoted."""
    start = session.calls[first - 1].end if first else 0
    calls = tuple(
        replace(call, end=call.end - start, quotes=_quotes(call, start)) for call in session.calls[first:end]
    )
    pieces = session.pieces[start : session.calls[end - 1].end]
    return replace(session, name=f"{session.name}, {first} to {end}", pieces=pieces, calls=calls)


def _quotes(call: Call, start: int) -> tuple[tuple[Holder, ...], ...]:
    """What a call quotes of the pieces from `start` on."""
    found = (
        tuple(replace(one, piece=one.piece - start) for one in holders if one.piece >= start)
        for holders in call.quotes
    )
    return tuple(holders for holders in found if holders)


def without_gaps(session: Session) -> Session:
    """The same session with no time between its calls."""
    return replace(session, calls=tuple(replace(call, gap_s=0.0) for call in session.calls))
