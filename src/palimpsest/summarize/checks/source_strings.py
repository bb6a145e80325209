"""What a source says exactly, to hold the strings of a summary against.

Rules kept here:

- A name is known where it stands in the source as a whole. So is the beginning of a longer hash, a member of a known
  name (`Store.read` where both are known), and a name in the plural.
- A path is known where the source has it, a longer path that ends with it, or the two parts that make it: a folder,
  and a path below that. A link is known as a whole, or as the beginning of a longer one up to a slash.
- A number is known by its digits, whatever parts them, and where it is one of the source rounded to the figures that
  are shown. Numbers of few digits, and those that end with a zero, are not judged: a summary counts and rounds itself.
- The index is made in slices of bounded work. What is only needed for a string that is unknown is made then.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field

from palimpsest.lazy_regex import later
from palimpsest.ledger.extraction import BUILT_IN
from palimpsest.record.json_text import unescaped
from palimpsest.record.message import Media, Text, ToolCall, ToolResult
from palimpsest.record.summary_source import MessageEntry, Source
from palimpsest.summarize.checks.string_extraction import LETTERS, Found, Kind, found_in, is_named
from palimpsest.summarize.source import render_time
from palimpsest.text.identifiers import file_name, has_extension

MARK = " (unverified)"
"""What stands behind a string that the source does not have."""
SLICE_CHARS = 20_000
LEAST_DIGITS = 3
"""Whole numbers of fewer digits are not judged, nor are those that end with a zero, as rounded ones do."""
MAX_CANDIDATES = 60_000
MOST_PLACES = 1_000
"""So many places of a name are looked at: one that stands inside of words everywhere is not looked for any longer."""
MOST_PARTS = 32
"""A path of more parts is not put together from two; of a version with more, no beginning is known by itself."""
MOST_FIGURES = 30
"""A longer number is not rounded."""

_WORD = later(rf"[{LETTERS}]+")
_DIGITS = later(r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d[\d_]*(?:\.\d+)*")
UUID = later(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MARKED = later(r"\S{1,400} \(unverified\)")
_DAY = later(r"\d{1,2}\.\d{1,2}\.(?:19|20)\d\d")
_HASH = later(r"[0-9a-fA-F]{7,64}")
_SCALES = {
    "%": (0.01,),
    **dict.fromkeys(("k", "K", "thousand"), (1e3,)),
    **dict.fromkeys(("kB", "KB", "KiB"), (1e3, 1024.0)),
    **dict.fromkeys(("M", "MB", "MiB", "million"), (1e6, 1024.0**2)),
    **dict.fromkeys(("B", "G", "GB", "GiB", "billion"), (1e9, 1024.0**3)),
    **dict.fromkeys(("s", "sec", "second", "seconds"), (1e3,)),
    **dict.fromkeys(("min", "minute", "minutes"), (60.0, 6e4)),
    **dict.fromkeys(("h", "hour", "hours"), (60.0, 3_600.0, 3.6e6)),
}
"""What a unit right behind a number, or behind a space, may say that it counts."""
_SCALED = later(r"[vV]?([\d_]+(?:\.\d+)*)([A-Za-z]*)")


@dataclass(slots=True)
class Known:
    """The texts of a source, their words and their numbers; its paths (also by the names of the files), links and
    names once they were asked for.
    """

    text: str = ""
    words: set[str] = field(default_factory=set[str])
    numbers: set[str] = field(default_factory=set[str])
    values: list[float] = field(default_factory=list[float])
    fractions: list[float] = field(default_factory=list[float])
    paths: set[str] = field(default_factory=set[str])
    by_name: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    links: set[str] = field(default_factory=set[str])
    names: set[str] = field(default_factory=set[str])
    looked: bool = False
    _lower: str = field(default="", repr=False)

    @property
    def lower(self) -> str:
        """The text in small letters, in which hashes are looked for."""
        if not self._lower:
            self._lower = self.text.lower()
        return self._lower

    def has(self, found: Found) -> bool:
        """Whether the source says a string."""
        match found.kind:
            case "number":
                return self._has_number(found)
            case "path":
                return self._has_path(found.text)
            case "link":
                return stands(found.text.rstrip("/"), self.text)
            case "name":
                return self._has_name(found.text)
            case "begun":
                return False

    def _has_name(self, name: str) -> bool:
        if name in BUILT_IN:
            return True
        for one in (name, name.removesuffix("s"), name[0].swapcase() + name[1:]):
            if one in self.words or stands(one, self.text):
                return True
        if _HASH.fullmatch(name) or UUID.fullmatch(name):
            return begins_word(name.lower(), self.lower)
        parts = [] if has_extension(name) else [one for one in name.split(".") if one]
        return len(parts) > 1 and all(one in self.words for one in parts)

    def _has_path(self, path: str) -> bool:
        plain = _plain(path)
        if stands(plain, self.text) or stands(path, self.text):
            return True
        if plain.startswith("~/"):
            return stands(plain[2:], self.text)
        return self._has_name(plain) if "/" not in plain else self.is_joined(path)

    def is_joined(self, path: str) -> bool:
        """Whether the source has a path in two parts alone: a folder, and what is below it."""
        plain = _plain(path)
        if "/" not in plain or stands(plain, self.text):
            return False
        parts = plain.split("/")
        if len(parts) > MOST_PARTS or not has_extension(parts[-1]):
            return False
        return any(
            ends_a_path("/".join(parts[:at]), self.text)
            and stands("/".join(parts[at:]), self.text, whole=True)
            for at in range(1, len(parts))
            if parts[at - 1]
        )

    def _has_number(self, found: Found) -> bool:
        said = found.text
        parted = _SCALED.fullmatch(said.replace(",", ""))
        if parted is None:
            return True
        digits, unit = parted[1].replace("_", ""), parted[2]
        figures = digits.replace(".", "")
        if digits in self.numbers or digits.lstrip("0") in self.numbers or said in self.words:
            return True
        if _DAY.fullmatch(digits):
            return all(one.lstrip("0") in self.numbers for one in digits.split("."))
        if digits.count(".") > 1:
            return False
        if digits == "100" and (unit or found.unit) == "%":
            return True
        if "." not in digits and (len(figures) < LEAST_DIGITS or digits.endswith("0")):
            return True
        return self._is_rounded(digits, _SCALES.get(unit or found.unit, ()))

    def _is_rounded(self, digits: str, scales: Iterable[float]) -> bool:
        """Whether a number of the source is this one once it is rounded to as many figures."""
        whole, _, behind = digits.partition(".")
        if len(digits) > MOST_FIGURES:
            return False
        zeros = len(whole) - len(whole.rstrip("0")) if not behind else 0
        unit = (
            10.0 ** -len(behind) if behind else 10.0**zeros if zeros > 1 and len(whole) - zeros > 1 else 0.0
        )
        value = float(digits)
        for factor in (1.0, *scales):
            step = unit or (1.0 if factor != 1 else 0.0)
            if step and self._near(value * factor, step * factor / 2):
                return True
        at = bisect_left(self.fractions, value - 0.5)
        return not behind and at < len(self.fractions) and self.fractions[at] <= value + 0.5

    def _near(self, value: float, by: float) -> bool:
        at = bisect_left(self.values, value - by * 1.0001)
        return at < len(self.values) and self.values[at] <= value + by * 1.0001

    def begins(self, name: str) -> bool:
        """Whether a hash or a UUID of the source begins so."""
        return begins_word(name.lower().rstrip("-"), self.lower)

    def forms(self, kind: Kind) -> Iterable[str]:
        """The strings of one kind that were found."""
        return self.links if kind == "link" else self.names

    def look(self) -> Generator[None, None, None]:
        """Find the source's links, paths and names. Yields between slices of work."""
        if self.looked:
            return
        for piece in slices(self.text):
            self.names.update(UUID.findall(piece))
            for one in found_in(piece, parts=True):
                match one.kind:
                    case "path":
                        self._take_path(_plain(one.text))
                    case "link":
                        self.links.add(one.text)
                    case "name":
                        self.names.add(one.text)
                    case "number" | "begun":
                        pass
            yield
            if len(self.names) + len(self.paths) > MAX_CANDIDATES:
                break
        self.names.update(word for word in self.words if is_named(word))
        self.looked = True

    def _take_path(self, path: str) -> None:
        self.paths.add(path)
        self.by_name.setdefault(file_name(path), set()).add(path)


def knowing(texts: Iterable[str]) -> Generator[None, None, Known]:
    """What texts say exactly. Yields between slices of work."""
    known = Known("\n".join(text for text in texts if text))
    for piece in slices(known.text):
        known.words.update(_WORD.findall(piece))
        for match in _DIGITS.finditer(piece):
            digits = match[0].replace(",", "").replace("_", "")
            known.numbers.update((digits, digits.lstrip("0")))
            if digits.count(".") > 1:
                parts = digits.split(".")
                sizes = range(1, min(len(parts), MOST_PARTS))
                known.numbers.update(".".join(parts[:size]) for size in sizes)
        yield
    known.values = sorted(float(one) for one in known.numbers if one.count(".") < 2 and one.strip("."))
    known.fractions = [one for one in known.values if not one.is_integer()]
    return known


def source_texts(source: Source) -> Iterator[str]:
    """Everything that a summary of a source may draw on: its messages whole, their ids and times, and what stands
    beside them. Arguments and results are there as they are written and as they read.
    """
    yield from (source.focus, source.system, *(_sure(text) for text in source.earlier))
    for entry in source.entries:
        if not isinstance(entry, MessageEntry):
            made = entry.summary
            yield from (made.id, _sure(made.text), render_time(made.earliest_s), render_time(made.latest_s))
            continue
        yield from (entry.id, entry.message.name, render_time(entry.message.time_s))
        for part in entry.message.parts:
            match part:
                case Text(text):
                    yield text
                case ToolCall():
                    yield from (part.name, part.arguments, unescaped(part.arguments))
                case ToolResult():
                    yield from (part.text, unescaped(part.text))
                    yield from (inner.uri for inner in part.content if isinstance(inner, Media))
                case Media(uri=uri):
                    yield uri
                case _:
                    pass


def _sure(summary: str) -> str:
    """A summary without the strings that are marked in it: one more summary makes them no surer."""
    return _MARKED.sub("", summary) if MARK in summary else summary


def slices(text: str) -> Iterator[str]:
    """A text in slices that end where a line or a word does."""
    start = 0
    while start < len(text):
        end = start + SLICE_CHARS
        if end < len(text):
            near = max(text.rfind("\n", start, end), text.rfind(" ", end - 1_000, end))
            end = near + 1 if near > start else end
        yield text[start:end]
        start = end


def stands(name: str, text: str, *, whole: bool = False) -> bool:
    """Whether a name stands in a text and no word goes on at either end; with `whole` as no end of a longer path."""
    for at in _places(name, text):
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not (_goes_on(before) or _goes_on(after) or (whole and before in ("/", "\\"))):
            return True
    return False


def ends_a_path(folder: str, text: str) -> bool:
    """Whether a folder stands in a text where no path goes on behind it, as one in which something is listed or run."""
    for at in _places(folder, text):
        end = at + len(folder)
        after, more = text[end : end + 1], text[end + 1 : end + 2]
        slash = after in ("/", "\\") and (_goes_on(more) or more in ("[", "("))
        before = text[at - 1 : at] if at else ""
        if not (_goes_on(before) or _goes_on(after) or slash or after in ("-", ".")):
            return True
    return False


def begins_word(name: str, text: str) -> bool:
    """Whether a word of a text, or a part of one behind an underscore, begins with a name."""
    return any(at == 0 or text[at - 1] == "_" or not _goes_on(text[at - 1]) for at in _places(name, text))


def _places(name: str, text: str) -> Iterator[int]:
    """Where a name stands in a text, at most `MOST_PLACES` times."""
    at = text.find(name) if name else -1
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(name, at + 1)


def _goes_on(sign: str) -> bool:
    return bool(sign) and (sign == "_" or (sign.isalnum() and _WORD.match(sign) is not None))


def _plain(path: str) -> str:
    """A path with slashes, without what only says that it is one."""
    return re.sub(r"^(?:\./)+", "", path.replace("\\", "/"))
