"""The exact strings of texts, and what a source contains, to check the strings of a summary against.

- Strings are recognised by their form alone: links, paths, names (with a digit, an underscore or a capital inside) and
  numbers. Plain words are none, also with hyphens or slashes between them (`read/write`). What stands for several
  strings is left out (`src/*.py`, `<id>/a.py`, `app/(main)/a.py`).
- A name is known if the source contains it as a word. So is the beginning of a longer hash, a member of a known name
  (`Store.read` if both are known), and a plural.
- A path is known if the source has it, a longer path that ends with it, or a folder and a path below it. A link is
  known as a whole, or as the beginning of a longer one up to a slash.
- A number is known by its digits, without separators, and if it is a rounded number of the source. Numbers of few
  digits, and those that end with a zero, are not checked: a summary counts and rounds itself.
- Every pattern starts where a run of its own characters starts, so time is proportional to the length of the text. The
  index is made in slices. What is only needed for an unknown string is made then.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from palimpsest.lazy_regex import later
from palimpsest.ledger.extraction import BUILT_IN
from palimpsest.record.json_text import unescaped
from palimpsest.record.message import Media, Text, ToolCall, ToolResult
from palimpsest.record.summary_source import MessageEntry, Source
from palimpsest.summarize.source import render_time
from palimpsest.text.identifiers import file_name, has_extension

Kind = Literal["link", "path", "name", "number", "begun"]

LETTERS = r"A-Za-z0-9_\u00c0-\u024f\u0370-\u03ff\u0400-\u052f"
"""Letters of alphabets with capitals, digits and the underscore. Other scripts write words right next to a name."""
LEAST_NAME_CHARS = 5
MOST_CHARS = 400
"""A longer run without spaces is encoded data, not a name."""

_LINK = later(
    r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>\"'`()\[\]{}|\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]{1,2000}"
)
_GROUPED = later(r"(?<![\w.,])\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,6})?(?!\w|,\d|\.\d)")
_RUN = later(rf"(?<![{LETTERS}.\-/\\~@])[{LETTERS}.\-/\\:@#~%&?=+*…]{{2,}}")
_BEGUN = later(r"(?<![\w-])(?=[a-fA-F-]{0,40}\d)[0-9a-fA-F]{8}[0-9a-fA-F-]{0,40}(?:…|\.{3})")
"""The beginning of a UUID or a hash, with dots for the rest."""
_PIECE = later(r"(?:(?!->|@v?\d)[^=&?#:])+")
_NUMBER = later(r"[vV]?(\d[\d_]*(?:\.\d+)*)(?:[A-Za-z]{0,4})")
_FIGURES = later(r"\d+(?:\.\d+)*")
_NAMED = later(r"\d|(?<=[^\W_])_(?=[^\W_])|[a-z][A-Z]|[A-Z]{2}[a-z]{2}|@|(?<=[^\W\d_]{2})\.(?=[^\W\d_]{2})")
"""What makes a word a name: a digit, an underscore or a capital inside, a dot between words, an at sign."""
_PATTERN_SIGNS = ("*", "…", "...")
_UNIT = later(r"[ -]?(%|(?:[kKMGB]i?B?|s|min|h|sec|seconds?|minutes?|hours?|thousand|million|billion)\b)")
_ENDING = later(r"[^./\\]\.[A-Za-z][A-Za-z0-9]{0,4}$")


@dataclass(frozen=True, slots=True)
class Found:
    """A string of a text, and where it begins and ends; `unit` is the word after a number."""

    kind: Kind
    text: str
    start: int
    end: int
    unit: str = ""


def found_in(text: str, *, parts: bool = False) -> Iterator[Found]:
    """The exact strings of a text: links first, then the others in order; with `parts` also those next to brackets."""
    rest = text
    for match in _LINK.finditer(text) if "://" in text else ():
        link = match[0].rstrip(".,;:!?*_…")
        if not link.endswith("//"):
            yield Found("link", link, match.start(), match.start() + len(link))
        rest = _blanked(rest, match.start(), match.end())
    for match in _GROUPED.finditer(rest) if "," in rest else ():
        yield Found("number", match[0], match.start(), match.end())
        rest = _blanked(rest, match.start(), match.end())
    for match in _BEGUN.finditer(text) if "…" in text or "..." in text else ():
        yield Found("begun", match[0], match.start(), match.end())
    for run in _RUN.finditer(rest):
        if run.end() - run.start() <= MOST_CHARS and not _is_partial(
            rest, run.start(), run.end(), parts=parts
        ):
            for piece in _PIECE.finditer(run[0]):
                for one in _strings(piece[0], run.start() + piece.start()):
                    unit = _UNIT.match(rest, one.end) if one.kind == "number" else None
                    yield replace(one, unit=unit[1]) if unit else one


def _blanked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def _is_partial(text: str, start: int, end: int, *, parts: bool) -> bool:
    """Whether a run of characters is a pattern, or a part of one."""
    run, before, after = text[start:end], text[start - 1 : start], text[end : end + 1]
    if before == "$" and not run[0].isdecimal():
        return True
    begins = before in ("}", ">", ")", "]") and not run[0].isalnum()
    ends = after in ("{", "<", "(", "[") and not run[-1].isalnum()
    in_pattern = not parts and (begins or ends or before == "<")
    return in_pattern or any(sign in run for sign in _PATTERN_SIGNS)


def _strings(piece: str, at: int) -> Iterator[Found]:
    """The string that a piece of a run is, or those of its parts."""
    own = piece.rstrip(".-+~@%/\\")
    start = len(own) - len(own.lstrip("+%-"))
    own = own[start:]
    if own.startswith("~") and not own.startswith("~/"):
        own, start = own[1:], start + 1
    at += start
    if not own:
        return
    if _NUMBER.fullmatch(own):
        yield Found("number", own, at, at + len(own))
    elif not any(map(str.isalpha, own)):
        yield from (
            Found("number", one[0], at + one.start(), at + one.end()) for one in _FIGURES.finditer(own)
        )
    elif _is_path(own):
        yield Found("path", own, at, at + len(own))
    elif "/" in own or "\\" in own:
        place = 0
        for part in own.replace("\\", "/").split("/"):
            yield from _strings(part, at + place)
            place += len(part) + 1
    elif is_named(own):
        yield Found("name", own, at, at + len(own))


def _is_path(text: str) -> bool:
    """Whether a string is a path or a file name: by its extension, its beginning, or two slashes."""
    slashes = text.count("/") + text.count("\\")
    if not slashes:
        return has_extension(text)
    return slashes > 1 or text.startswith(("/", "~/", "./", "../", "@")) or _ENDING.search(text) is not None


def is_named(word: str) -> bool:
    """Whether a word is a name by its form."""
    return len(word) >= LEAST_NAME_CHARS and _NAMED.search(word) is not None


MARK = " (unverified)"
"""The mark after a string that the source does not have."""
SLICE_CHARS = 20_000
LEAST_DIGITS = 3
"""Integers with fewer digits are not checked, and neither are those that end with a zero, like rounded ones."""
MAX_CANDIDATES = 60_000
MOST_PLACES = 1_000
"""The most occurrences of a name that are examined."""
MOST_PARTS = 32
"""The most parts of a path that is joined from two, and of a version whose beginnings are known."""
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
"""The factors of the units after a number."""
_SCALED = later(r"[vV]?([\d_]+(?:\.\d+)*)([A-Za-z]*)")


@dataclass(slots=True)
class Known:
    """The texts of a source, their words and numbers; and once they are needed, its paths (also by file name), links
    and names."""

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

    def has(self, found: Found) -> bool:
        """Whether the source has a string."""
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
            return self.begins(name)
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
        """Whether the source has a path only in two parts: a folder, and a path below it."""
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
        """Whether a number of the source, rounded to as many digits, is this one."""
        whole, _, decimals = digits.partition(".")
        if len(digits) > MOST_FIGURES:
            return False
        value, step = float(digits), 10.0 ** -len(decimals) if decimals else 0.0
        zeros = len(whole) - len(whole.rstrip("0"))
        if not decimals and 1 < zeros < len(whole) - 1:
            step = 10.0**zeros
        scaled = any(_near(self.values, value * scale, (step or 1.0) * scale / 2) for scale in scales)
        exact = bool(step) and _near(self.values, value, step / 2)
        return scaled or exact or (not decimals and _near(self.fractions, value, 0.5))

    def begins(self, name: str) -> bool:
        """Whether a hash or a UUID of the source begins like this, in any case, also after an underscore."""
        text = self._lower = self._lower or self.text.lower()
        places = _places(name.lower().rstrip("-"), text)
        return any(at == 0 or text[at - 1] == "_" or not _goes_on(text[at - 1]) for at in places)

    def look(self) -> Generator[None, None, None]:
        """Find the source's links, paths and names. Yields between slices of work."""
        if self.looked:
            return
        for piece in slices(self.text):
            self.names.update(UUID.findall(piece))
            for one in found_in(piece, parts=True):
                match one.kind:
                    case "path":
                        path = _plain(one.text)
                        self.paths.add(path)
                        self.by_name.setdefault(file_name(path), set()).add(path)
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


def _near(values: list[float], value: float, by: float) -> bool:
    """Whether one of the sorted values is this near to a value."""
    at = bisect_left(values, value - by * 1.0001)
    return at < len(values) and values[at] <= value + by * 1.0001


def knowing(texts: Iterable[str]) -> Generator[None, None, Known]:
    """The exact strings of texts. Yields between slices of work."""
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
    """Everything that a summary of a source may use: its messages, their ids and times, and its context.

    Arguments and results are included as written and unescaped.
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
    """A summary without the strings that are marked in it, which remain unverified."""
    return _MARKED.sub("", summary) if MARK in summary else summary


def slices(text: str) -> Iterator[str]:
    """A text in slices that end with a line or a word."""
    start = 0
    while start < len(text):
        end = start + SLICE_CHARS
        if end < len(text):
            near = max(text.rfind("\n", start, end), text.rfind(" ", end - 1_000, end))
            end = near + 1 if near > start else end
        yield text[start:end]
        start = end


def stands(name: str, text: str, *, whole: bool = False) -> bool:
    """Whether a text contains a name as whole words; with `whole` not as the end of a longer path."""
    for at in _places(name, text):
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not (_goes_on(before) or _goes_on(after) or (whole and before in ("/", "\\"))):
            return True
    return False


def ends_a_path(folder: str, text: str) -> bool:
    """Whether a text contains a folder that no path continues, such as one in which something is listed or run."""
    for at in _places(folder, text):
        end = at + len(folder)
        after, more = text[end : end + 1], text[end + 1 : end + 2]
        slash = after in ("/", "\\") and (_goes_on(more) or more in ("[", "("))
        before = text[at - 1 : at] if at else ""
        if not (_goes_on(before) or _goes_on(after) or slash or after in ("-", ".")):
            return True
    return False


def _places(name: str, text: str) -> Iterator[int]:
    """Where a name occurs in a text, at most `MOST_PLACES` times."""
    at = text.find(name) if name else -1
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(name, at + 1)


def _goes_on(sign: str) -> bool:
    return bool(sign) and (sign == "_" or (sign.isalnum() and _WORD.match(sign) is not None))


def _plain(path: str) -> str:
    """A path with slashes, without a leading `./`."""
    return re.sub(r"^(?:\./)+", "", path.replace("\\", "/"))
