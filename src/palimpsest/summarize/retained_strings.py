"""What of the exact strings that a compaction replaced its window still holds, and what is one search away: by kind.

- A path is kept if the window contains it, also in a file tree, or contains its file name, if that is unique in the
  source and no plain word. A command is kept if its text is, apart from spaces; everything else exactly.
- A path that is the end of another one is the same if the source shows the folder between them: the folder is named, or
  several paths end others by it. A file name alone is the only path with that name.
- What is deep inside a large message is found by search, not by reading a window, and is not counted.
- A string is in a text if its words are, whole and in order: 8080 is not in 18080. Texts are indexed once by their
  words, so that looking up many strings costs the sum of their sizes, not the product."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from palimpsest.lazy_regex import later
from palimpsest.ledger.file_tree import parse_files
from palimpsest.ledger.selection import stands
from palimpsest.record.message import readable_text
from palimpsest.record.summary_source import MessageEntry, Source
from palimpsest.text.identifiers import find_names, find_paths, has_extension
from palimpsest.toolcalls.call_actions import decode

EvidenceKind = Literal["paths", "commands", "identifiers", "numbers", "symbols"]
Named = tuple[EvidenceKind, str]
Strings = tuple[Named, ...]
KINDS: tuple[EvidenceKind, ...] = ("paths", "commands", "identifiers", "numbers", "symbols")

LOOKED_AT_CHARS = 20_000
"""Characters of one message that are read."""
COMMAND_CHARS = 200
MAX_STRINGS = 4_000
"""The most strings of one source that are counted."""
MAX_NAMED = 100
"""How many lost strings of one kind are named."""
MAX_INDEXED_CHARS = 2_000_000
"""The most characters of one index, so the most important texts come first."""

_SLICE_CHARS = 4_000
_OVERLAP_CHARS = 300
"""Longer than any string that is looked up."""
_SLICE_STRINGS = 256
_ENTRY = later(r"^( {0,40})- ([^\n]{1,4000})$", re.MULTILINE)
_NOWHERE = (-1,)
_KIND_OF: dict[str, EvidenceKind] = {"symbol": "symbols", "number": "numbers"}
_WORD = later(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The distinct exact strings of one kind: how many the window still contains, and how many are one search away.

    `gone` are the first of the latter.
    """

    kind: str
    kept: int
    left: int
    gone: tuple[str, ...] = field(default=(), compare=False)


def strings_of(source: Source) -> Generator[None, None, Strings]:
    """The distinct exact strings of a source with their kinds. Yields between slices of about a millisecond."""
    found: dict[Named, None] = {}
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            body = readable_text(entry.message)
            for at, call in enumerate(entry.message.calls[:MAX_STRINGS]):
                if command := _plain(decode(call).command[:COMMAND_CHARS]):
                    found["commands", command] = None
                if at % _SLICE_STRINGS == 0:
                    yield
        else:
            body = entry.summary.text
        for piece in _slices(body):
            found.update(dict.fromkeys(("paths", path) for path in find_paths(piece) if _is_file(path)))
            names = (one for one in find_names(piece) if len(one[1]) <= _OVERLAP_CHARS)
            found.update(dict.fromkeys((_KIND_OF.get(group, "identifiers"), name) for group, name in names))
            yield
        if len(found) > MAX_STRINGS:
            break
    return tuple(found)[:MAX_STRINGS]


def _slices(text: str) -> Iterator[str]:
    """The beginning of a text in slices of a few thousand characters that split no string."""
    start, stop = 0, _word_end(text, 0, LOOKED_AT_CHARS)
    while start < stop:
        end = min(stop, _word_end(text, start, start + _SLICE_CHARS))
        yield text[start:end]
        start = end


def _word_end(text: str, start: int, end: int) -> int:
    """Where the last word between `start` and `end` ends; `end` if none ends near it."""
    if end >= len(text):
        return len(text)
    near = text[max(start, end - _OVERLAP_CHARS) : end]
    last = max(near.rfind("\n"), near.rfind(" "))
    return end if last < 0 else end - len(near) + last + 1


@dataclass(slots=True)
class Index:
    """Texts in pieces, the pieces that contain each word, and the files of trees by their names.

    Texts have numbers, by which they are taken `out` again. `seen` has the text in which a string was found, `missed`
    the piece before which it was not, with its longest word."""

    pieces: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    places: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    files: dict[str, list[tuple[int, str]]] = field(default_factory=dict[str, list[tuple[int, str]]])
    texts: int = 0
    out: set[int] = field(default_factory=lambda: {0})
    seen: dict[str, int] = field(default_factory=dict[str, int])
    missed: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])

    def adding(self, text: str) -> Generator[None, None, int]:
        """Add a text and return its number. Yields between slices of about a millisecond."""
        self.texts += 1
        number = self.texts
        tree = [f"{line[1]}{line[2]}" for line in _ENTRY.finditer(text)]
        for path, _ in parse_files(tree):
            self.files.setdefault(_file(path), []).append((number, path))
        yield
        for start in range(0, len(text), _SLICE_CHARS):
            piece = _plain(text[start : start + _SLICE_CHARS + _OVERLAP_CHARS])
            for word in set(_WORD.findall(piece)):
                self.places.setdefault(word, []).append(len(self.pieces))
            self.pieces.append((number, piece))
            yield
        return number

    def shows(self, path: str) -> bool:
        """Whether a tree shows this path, or an end of it with a folder."""
        shown = (one for number, one in self.files.get(_file(path), ()) if number not in self.out)
        end = f"/{path.removeprefix('./')}" if "/" in path and path[0] not in "/~" else ""
        return any(
            one == path
            or (end and one.endswith(end))
            or ("/" in one and path.endswith(f"/{one.lstrip('/')}"))
            for one in shown
        )

    def holds(self, text: str) -> bool:
        """Whether one of the texts contains `text`, which has single spaces."""
        if self.seen.get(text, 0) not in self.out:
            return True
        before, longest = self.missed.get(text, (0, ""))
        if longest and self.places.get(longest, _NOWHERE)[-1] < before:
            return False
        words = _WORD.findall(text)
        every = range(len(self.pieces))
        rarest = min((self.places.get(word, ()) for word in words), key=len) if words else every
        for place in rarest:
            number, piece = self.pieces[place]
            if (
                place >= before
                and number not in self.out
                and (stands(text, piece) if words else text in piece)
            ):
                self.seen[text] = number
                self.missed.pop(text, None)
                return True
        self.missed[text] = len(self.pieces), max(words, key=len, default="")
        return False


def survival(strings: Iterable[Named], index: Index) -> Generator[None, None, tuple[Evidence, ...]]:
    """How many of the strings the indexed texts contain, by kind. Yields between slices of about a millisecond."""
    kept = dict.fromkeys(KINDS, 0)
    gone: dict[str, list[str]] = {kind: [] for kind in KINDS}
    given = dict.fromkeys(strings)
    paths = yield from same_paths([one for kind, one in given if kind == "paths"])
    alike = Counter(_file(forms[0]) for forms in paths)
    for place, forms in enumerate(paths):
        name = _file(forms[0])
        specific = alike[name] == 1 and (has_extension(name) or not name.isalpha())
        held = any(map(index.holds, forms)) or (specific and index.holds(name))
        if held or any(map(index.shows, forms)):
            kept["paths"] += 1
        else:
            gone["paths"].append(forms[0])
        if place % _SLICE_STRINGS == 0:
            yield
    for place, (kind, one) in enumerate(given):
        if kind == "paths":
            continue
        if index.holds(one):
            kept[kind] += 1
        else:
            gone[kind].append(one)
        if place % _SLICE_STRINGS == 0:
            yield
    return tuple(
        Evidence(kind, kept[kind], len(gone[kind]), tuple(gone[kind][:MAX_NAMED]))
        for kind in KINDS
        if kept[kind] or gone[kind]
    )


def same_paths(paths: Sequence[str]) -> Generator[None, None, list[tuple[str, ...]]]:
    """The forms of each path, the fullest first."""
    known = dict.fromkeys(map(_here, paths))
    ends: dict[str, list[str]] = {}
    for place, full in enumerate(one for one in known if one[:1] in "/~"):
        parts = full.split("/")
        for cut in range(1, len(parts)):
            ends.setdefault("/".join(parts[cut:]), []).append(full)
        if place % _SLICE_STRINGS == 0:
            yield
    named = {path: ends.get(path, ()) for path in known if "/" in path and path[:1] not in "/~"}
    folders = Counter(_before(full, path) for path, fulls in named.items() for full in fulls)
    is_of: dict[str, str] = {}
    for path, fulls in named.items():
        shown = [full for full in fulls if (folder := _before(full, path)) in known or folders[folder] > 1]
        if len(shown) == 1:
            is_of[path] = shown[0]
    yield
    by_name: dict[str, set[str]] = {}
    for path in known:
        if "/" in path:
            by_name.setdefault(_file(path), set()).add(is_of.get(path, path))
    is_of |= {name: min(full) for name, full in by_name.items() if name in known and len(full) == 1}
    forms: dict[str, dict[str, None]] = {}
    for path in known:
        full = is_of.get(path, path)
        forms.setdefault(full, {full: None}).update({path: None})
    return [tuple(one) for one in forms.values()]


def _before(full: str, path: str) -> str:
    """The folder of a path that is the end of another one."""
    return full[: -len(path) - 1]


def evidence_lines(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """A line for each kind: "paths 41/53 kept, 12 one search away"."""
    return tuple(
        f"{one.kind} {one.kept:,}/{one.kept + one.left:,} kept"
        + f", {one.left:,} one search away" * (one.left > 0)
        for one in evidence
    )


def _file(path: str) -> str:
    return path.rpartition("/")[2]


def _is_file(path: str) -> bool:
    """Whether a path may be a file or a folder, not a module in an import: those have no extension."""
    return bool(_file(path)) and (has_extension(path) or not path.startswith(("../", "./", "@/")))


def _here(path: str) -> str:
    """A path without a leading `./`; `./pier` keeps it, because `pier` would be a plain word."""
    rest = path.removeprefix("./")
    return rest if "/" in rest or has_extension(rest) else path


def _plain(text: str) -> str:
    return " ".join(text.split())
