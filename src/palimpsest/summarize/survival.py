"""What of a source's exact strings a window still holds after a compaction, and what is one search away: by kind.

- A path counts as kept when it or its file name stands there, because files are shown as a tree; a command when its
  text does, spaces apart; everything else letter by letter.
- What lies deep in a large message is found by searching, not by reading a window, and is not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Literal

from palimpsest.record.message import Message, searchable_text
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.toolcalls import decode

EvidenceKind = Literal["paths", "commands", "identifiers", "numbers", "symbols"]
Strings = tuple[tuple[EvidenceKind, str], ...]
KINDS: tuple[EvidenceKind, ...] = ("paths", "commands", "identifiers", "numbers", "symbols")

LOOKED_AT_CHARS = 20_000
"""Of one message."""
COMMAND_CHARS = 200
MAX_STRINGS = 4_000
"""Of one source; more are neither kept nor left."""

_SLICE_CHARS = 4_000
_SLICE_STRINGS = 64


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of one kind: how many distinct exact strings the window still holds, and how many are one search away."""

    kind: str
    kept: int
    left: int


def strings_of(source: Source) -> Generator[None, None, Strings]:
    """The distinct exact strings of a source, each with its kind. Yields between slices of about a millisecond of
    work.
    """
    found: dict[tuple[EvidenceKind, str], None] = {}
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            body = searchable_text(entry.message)
            commands = (_plain(decode(call).command[:COMMAND_CHARS]) for call in entry.message.calls)
            found.update(dict.fromkeys(("commands", command) for command in commands if command))
        else:
            body = entry.summary.text
        for start in range(0, min(len(body), LOOKED_AT_CHARS), _SLICE_CHARS):
            piece = body[start : start + _SLICE_CHARS]
            found.update(dict.fromkeys(("paths", path) for path in find_paths(piece) if _file(path)))
            found.update(dict.fromkeys((_kind(group), name) for group, name in find_names(piece)))
            yield
        if len(found) > MAX_STRINGS:
            break
    return tuple(found)[:MAX_STRINGS]


def survival(
    strings: Strings, texts: Iterable[str], tail: Iterable[Message]
) -> Generator[None, None, tuple[Evidence, ...]]:
    """What of the strings stands in the texts of a window, or in the messages that it shows verbatim.

    Kinds without any are left out. Yields between slices of about a millisecond of work.
    """
    pending: list[tuple[EvidenceKind, str]] = list(dict.fromkeys(strings))
    total = Counter(kind for kind, _ in pending)
    for text in (*texts, *(searchable_text(message) for message in tail)):
        plain = _plain(text)
        missing: list[tuple[EvidenceKind, str]] = []
        for place, (kind, one) in enumerate(pending):
            held = one in (plain if kind == "commands" else text)
            if not held and not (kind == "paths" and _file(one) in text):
                missing.append((kind, one))
            if place % _SLICE_STRINGS == 0:
                yield
        pending = missing
    left = Counter(kind for kind, _ in pending)
    return tuple(Evidence(kind, total[kind] - left[kind], left[kind]) for kind in KINDS if total[kind])


def added(first: Iterable[Evidence], second: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Two counts of different sources as one."""
    counts: dict[str, tuple[int, int]] = {}
    for one in (*first, *second):
        kept, left = counts.get(one.kind, (0, 0))
        counts[one.kind] = (kept + one.kept, left + one.left)
    return tuple(Evidence(kind, *counts[kind]) for kind in KINDS if kind in counts)


def told(evidence: Iterable[Evidence]) -> str:
    """In words: "paths 41/41, commands 3/5 kept, 2 one search away"; "" for none."""
    found = tuple(evidence)
    if not found:
        return ""
    kept = ", ".join(f"{one.kind} {one.kept:,}/{one.kept + one.left:,}" for one in found)
    return f"{kept} kept, {sum(one.left for one in found):,} one search away"


def _file(path: str) -> str:
    return path.rpartition("/")[2]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _kind(group: str) -> EvidenceKind:
    if group in {"symbol", "number"}:
        return "symbols" if group == "symbol" else "numbers"
    return "identifiers"
