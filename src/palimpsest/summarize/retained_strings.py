"""What of the exact strings that a compaction replaced its window still holds, and what is one search away: by kind.

- A path counts as kept when it stands there, also as a tree shows it, or when its file name does, which no other path
  of the source has and which is no plain word; a command when its text does, spaces apart; all else letter by letter.
- A path that is the end of another one is the same where the source shows the folder between them: the folder stands
  there by itself, or several paths end others by it. A file name alone is that of the only path which has it.
- What lies deep in a large message is found by searching, not by reading a window, and is not counted.
- A string stands in a text where its words do, whole and in order: 8080 is not in 18080. Texts are read once, into an
  index of their words, so that looking for many strings costs what the texts and the strings hold, not their product.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from palimpsest.lazy_regex import later
from palimpsest.ledger.file_tree import parse_files
from palimpsest.record.message import readable_text
from palimpsest.record.summary_source import MessageEntry, Source
from palimpsest.text.identifiers import find_names, find_paths, has_extension
from palimpsest.toolcalls.call_actions import decode

EvidenceKind = Literal["paths", "commands", "identifiers", "numbers", "symbols"]
Named = tuple[EvidenceKind, str]
Strings = tuple[Named, ...]
KINDS: tuple[EvidenceKind, ...] = ("paths", "commands", "identifiers", "numbers", "symbols")

LOOKED_AT_CHARS = 20_000
"""Of one message."""
COMMAND_CHARS = 200
MAX_STRINGS = 4_000
"""Of one source; more are neither kept nor left."""

MAX_NAMED = 100
"""Of the strings of one kind that left, so many are named."""

MAX_INDEXED_CHARS = 2_000_000
"""Of the texts of one index; what follows is not looked at, so the most telling come first."""

_SLICE_CHARS = 4_000
_OVERLAP_CHARS = 300
"""Longer than any string that is looked for."""
_SLICE_STRINGS = 256
_ENTRY = later(r"^( {0,40})- ([^\n]{1,4000})$", re.MULTILINE)
_NOWHERE = (-1,)
_WORD = later(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of one kind: how many distinct exact strings the window still holds, and how many are one search away; `gone` are
    the first of these.
    """

    kind: str
    kept: int
    left: int
    gone: tuple[str, ...] = field(default=(), compare=False)


def strings_of(source: Source) -> Generator[None, None, Strings]:
    """The distinct exact strings of a source, each with its kind. Yields between slices of about a millisecond of
    work.
    """
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
            found.update(dict.fromkeys((_kind(group), name) for group, name in names))
            yield
        if len(found) > MAX_STRINGS:
            break
    return tuple(found)[:MAX_STRINGS]


def _slices(text: str) -> Iterator[str]:
    """What is looked at of a text, in parts of a few thousand characters that cut no string in two."""
    start, stop = 0, _word_end(text, 0, LOOKED_AT_CHARS)
    while start < stop:
        end = min(stop, _word_end(text, start, start + _SLICE_CHARS))
        yield text[start:end]
        start = end


def _word_end(text: str, start: int, end: int) -> int:
    """Where the last word ends that stands in a text from `start` up to `end`; `end` where none does near it."""
    if end >= len(text):
        return len(text)
    near = text[max(start, end - _OVERLAP_CHARS) : end]
    last = max(near.rfind("\n"), near.rfind(" "))
    return end if last < 0 else end - len(near) + last + 1


@dataclass(slots=True)
class Index:
    """Texts in pieces, and which of the pieces each word stands in; by their names the files that trees show. Texts
    have numbers, by which they are taken `out` again; `seen` tells in which of them a string was found, `missed` before
    which piece it was not, with its longest word.
    """

    pieces: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    places: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    files: dict[str, list[tuple[int, str]]] = field(default_factory=dict[str, list[tuple[int, str]]])
    texts: int = 0
    out: set[int] = field(default_factory=lambda: {0})
    seen: dict[str, int] = field(default_factory=dict[str, int])
    missed: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])

    def adding(self, text: str) -> Generator[None, None, int]:
        """Take a text in, and give its number. Yields between slices of about a millisecond of work."""
        self.texts += 1
        number = self.texts
        for path in _tree_of(text):
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
        """Whether a tree shows this very path, or the end of it that begins with a folder."""
        shown = (one for number, one in self.files.get(_file(path), ()) if number not in self.out)
        end = f"/{path.removeprefix('./')}" if "/" in path and path[0] not in "/~" else ""
        return any(
            one == path
            or (end and one.endswith(end))
            or ("/" in one and path.endswith(f"/{one.lstrip('/')}"))
            for one in shown
        )

    def holds(self, text: str) -> bool:
        """Whether `text`, with single spaces, stands in one of the texts."""
        if self.seen.get(text, 0) not in self.out:
            return True
        before, told = self.missed.get(text, (0, ""))
        if told and self.places.get(told, _NOWHERE)[-1] < before:
            return False
        words = _WORD.findall(text)
        every = range(len(self.pieces))
        rarest = min((self.places.get(word, ()) for word in words), key=len) if words else every
        for place in rarest:
            number, piece = self.pieces[place]
            if (
                place >= before
                and number not in self.out
                and (_stands(text, piece) if words else text in piece)
            ):
                self.seen[text] = number
                self.missed.pop(text, None)
                return True
        self.missed[text] = len(self.pieces), max(words, key=len, default="")
        return False


def survival(strings: Iterable[Named], index: Index) -> Generator[None, None, tuple[Evidence, ...]]:
    """How many of the strings stand in the indexed texts. Kinds without any are left out. Yields between slices of
    about a millisecond of work.
    """
    kept = dict.fromkeys(KINDS, 0)
    gone: dict[str, list[str]] = {kind: [] for kind in KINDS}
    given = dict.fromkeys(strings)
    paths = yield from same_paths([one for kind, one in given if kind == "paths"])
    alike = Counter(_file(forms[0]) for forms in paths)
    for place, forms in enumerate(paths):
        name = _file(forms[0])
        telling = alike[name] == 1 and (has_extension(name) or not name.isalpha())
        stands = any(map(index.holds, forms)) or (telling and index.holds(name))
        if stands or any(map(index.shows, forms)):
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
    """The folder that a path lies in which ends another one."""
    return full[: -len(path) - 1]


def told(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """In words, a kind each: "paths 41/53 kept, 12 one search away"."""
    return tuple(
        f"{one.kind} {one.kept:,}/{one.kept + one.left:,} kept"
        + f", {one.left:,} one search away" * (one.left > 0)
        for one in evidence
    )


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


def _is_file(path: str) -> bool:
    """Whether a path may be a file's or a folder's, and no module's as an import names it: those have no extension."""
    return bool(_file(path)) and (has_extension(path) or not path.startswith(("../", "./", "@/")))


def _here(path: str) -> str:
    """A path without the dot that says "from here"; `./pier` is no word, and keeps it."""
    rest = path.removeprefix("./")
    return rest if "/" in rest or has_extension(rest) else path


def _plain(text: str) -> str:
    return " ".join(text.split())


def _kind(group: str) -> EvidenceKind:
    if group in {"symbol", "number"}:
        return "symbols" if group == "symbol" else "numbers"
    return "identifiers"
