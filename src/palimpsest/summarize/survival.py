"""What of a source's exact strings a window still holds after a compaction, and what is one search away: by kind.

- A path counts as kept when it stands there, also as a tree shows it, or when its file name does, which no other path
  of the source has; a command when its text does, spaces apart; everything else letter by letter.
- What lies deep in a large message is found by searching, not by reading a window, and is not counted.
- A string stands in a text where its words do, whole and in order: 8080 is not in 18080. Texts are read once, into an
  index of their words, so that looking for many strings costs what the texts and the strings hold, not their product.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from palimpsest.patterns import later
from palimpsest.record.message import readable_text
from palimpsest.summarize.ledger.tree import parse_files
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

MAX_INDEXED_CHARS = 2_000_000
"""Of the texts of one index; what follows is not looked at, so the most telling come first."""

_SLICE_CHARS = 4_000
_OVERLAP_CHARS = 300
"""Longer than any string that is looked for."""
_SLICE_STRINGS = 256
_ENTRY = later(r"^( {0,40})- ([^\n]{1,4000})$", re.MULTILINE)
_WORD = later(r"[A-Za-z0-9]+")


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
            body = readable_text(entry.message)
            commands = (_plain(decode(call).command[:COMMAND_CHARS]) for call in entry.message.calls)
            found.update(dict.fromkeys(("commands", command) for command in commands if command))
        else:
            body = entry.summary.text
        for start in range(0, min(len(body), LOOKED_AT_CHARS), _SLICE_CHARS):
            piece = body[start : start + _SLICE_CHARS]
            found.update(dict.fromkeys(("paths", path) for path in find_paths(piece) if _file(path)))
            names = (one for one in find_names(piece) if len(one[1]) <= _OVERLAP_CHARS)
            found.update(dict.fromkeys((_kind(group), name) for group, name in names))
            yield
        if len(found) > MAX_STRINGS:
            break
    return tuple(found)[:MAX_STRINGS]


@dataclass(slots=True)
class Index:
    """Texts in pieces, and which of the pieces each word stands in; by their names the files that trees show."""

    pieces: list[str] = field(default_factory=list[str])
    places: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    files: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def shows(self, path: str) -> bool:
        """Whether a tree shows this very path, or the end of it that begins with a folder."""
        shown = self.files.get(_file(path), ())
        return any(one == path or ("/" in one and path.endswith(f"/{one.lstrip('/')}")) for one in shown)

    def holds(self, text: str) -> bool:
        """Whether `text`, with single spaces, stands in one of the texts."""
        words = _WORD.findall(text)
        if not words:
            return any(text in piece for piece in self.pieces)
        rarest = min((self.places.get(word, ()) for word in words), key=len)
        return any(_stands(text, self.pieces[place]) for place in rarest)


def index_of(texts: Iterable[str]) -> Generator[None, None, Index]:
    """An index of the texts, of at most 2,000,000 characters. Yields between slices of about a millisecond of work."""
    index = Index()
    left = MAX_INDEXED_CHARS
    for text in texts:
        for path in _tree_of(text[:left]):
            index.files.setdefault(_file(path), []).append(path)
        yield
        for start in range(0, min(len(text), left), _SLICE_CHARS):
            piece = _plain(text[start : start + _SLICE_CHARS + _OVERLAP_CHARS])
            for word in set(_WORD.findall(piece)):
                index.places.setdefault(word, []).append(len(index.pieces))
            index.pieces.append(piece)
            yield
        left -= len(text)
        if left <= 0:
            break
    return index


def survival(strings: Strings, *indexes: Index) -> Generator[None, None, tuple[Evidence, ...]]:
    """How many of the strings stand in any of the indexed texts. Kinds without any are left out. Yields between slices
    of about a millisecond of work.
    """
    total: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    alike = Counter(_file(one) for kind, one in dict.fromkeys(strings) if kind == "paths")
    for place, (kind, one) in enumerate(dict.fromkeys(strings)):
        total[kind] += 1
        names = (one, _file(one)) if kind == "paths" and alike[_file(one)] == 1 else (one,)
        kept[kind] += any(
            any(index.holds(name) for name in names if name) or (kind == "paths" and index.shows(one))
            for index in indexes
        )
        if place % _SLICE_STRINGS == 0:
            yield
    return tuple(Evidence(kind, kept[kind], total[kind] - kept[kind]) for kind in KINDS if total[kind])


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


def _stands(text: str, piece: str) -> bool:
    """Whether a text stands in a piece, its first and last word whole."""
    at = piece.find(text)
    while at >= 0:
        end = at + len(text)
        if not (_joins(piece[max(0, at - 1) : at + 1]) or _joins(piece[end - 1 : end + 1])):
            return True
        at = piece.find(text, at + 1)
    return False


def _joins(pair: str) -> bool:
    """Whether two neighbouring characters are of one word."""
    return len(pair) > 1 and pair.isascii() and pair.isalnum()


def _tree_of(text: str) -> Iterator[str]:
    """The paths of the trees in a text, as the ledger and summaries show files."""
    entries = [f"{line[1]}{line[2]}" for line in _ENTRY.finditer(text)]
    return (path for path, _ in parse_files(entries))


def _file(path: str) -> str:
    return path.rpartition("/")[2]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _kind(group: str) -> EvidenceKind:
    if group in {"symbol", "number"}:
        return "symbols" if group == "symbol" else "numbers"
    return "identifiers"
