"""Texts whose lines stand behind numbers, names of files or signs, as tools show files, matches, changes and quotes.

Rules kept here:

- What a secret's line says may depend on how it begins, and on the lines around it: such a text is searched as it
  stands in its file, and every place found there is a place in the text as it was shown.
- Most of the lines must begin so; the others are taken as they are.
- Percent-escapes are undone as well.
- The end of a line in a literal (`\\r\\n`) is one where headers stand: what is in one does not reach into the next.
- Quotes may be written as a page writes them; without them a name and its value stand as in any other text. In a
  value with a number letters are read without what is above or below them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from palimpsest.patterns import later

Span = tuple[int, int]

_PREFIXES = (
    later(r"[ \t]{0,8}(?P<number>\d{1,7})(?:→|\t| ?\| ?|: ?)"),
    later(r"(?:(?P<same>[^\s:]{1,200})[:-])?(?P<number>\d{1,7})[:-](?!\d)"),
    later(r"(?P<same>[\w@./+-]{1,160}[./]\w{1,20}):"),
    later(r"> ?"),
    later(r"[ \t]{0,40}(?:#{1,3}|//[/!]?|--|;{1,2}|\*)(?: |(?=[\"'{}\[\]]))"),
    later(
        r"(?:(?P<same>[\w.-]{1,40}) {1,8}\| )?[^\s|]{0,30}\d\d:\d\d:\d\d\S{0,12} (?:\S{1,40} {1,8}\| )?"
        r"(?:\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\]?:? {1,2}(?:[\w.\[\]/-]{1,40}(?:: | - ))?)?"
    ),
    later(r"(?P<same>[\w.-]{1,40}) {1,8}\| "),
)
_WIDE_QUOTE = later(r"«[ \u00a0\u202f]|[ \u00a0\u202f]»|[“”„«»「」『』]")
"""A quotation mark of books, and the space that French has within."""
_RETURN, _FEED = r"\\{1,4}(?:r|x0[dD]|u000[dD]|015)", r"\\{1,4}(?:n|x0[aA]|u000[aA]|012)"
_LINE_END = later(rf"{_RETURN}{_FEED}|{_FEED}(?=[A-Za-z][A-Za-z0-9-]{{1,40}}: {{0,2}}[!-~])")
"""How a literal writes the end of a line of a protocol: as nothing else does, or with a header behind it."""
_VALUE = later(r"[\w\u0300-\u036f.!?#$%^&*+~-]{5,80}+")
_FURTHER = {ord(sign): plain for sign, plain in zip("łŁøØßæÆœŒđĐıþðŧħ", "lLoOsaAoOdDitdth", strict=True)}
_BASED = {
    at: unicodedata.normalize("NFD", chr(at))[0] for at in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))
}
_PLAIN = _BASED | _FURTHER | dict.fromkeys(range(0x300, 0x370), "x")
_ENTITY = later(r"&(?:quot|apos|#0?3[49]|#x2[27]);|&(amp;)")
_PERCENT = later(r"%([2-7][0-9A-Fa-f])")
_ASSIGNS = later(r"%(?:3[AaDd]|22)")
_JOINTS = later(
    r"(?<=[=:]) ?\(\s{1,40}(?=[bru]?[\"'])|\\{3,400}(?=[\"'`])|"
    r"(?<=[^\s\"'])([\"'])(?:\s{0,8}[+.&]\s{0,40}|\s{0,8}\\?\r?\n\s{0,40})[bru]?\1(?=[^\s\"',;)])"
)
"""A bracket before the pieces of a literal, what stands between two of them that are parts of one word, and the escapes
before a quote of JSON in JSON in other text.
"""
NEAR_CHARS = 300
_GOES_ON = later(r"[^\s\"'<>]{0,8000}")
"""What a value that is long may reach to."""
_CHANGE = later(r"(?!-----[A-Z])[+ -](?!\+\+ |-- )")
_CHANGED = later(r"\+|-(?![ -])")
"""What no list of points has."""
MIN_LINES = 2
_ALONE = (_PREFIXES[0], _PREFIXES[5])
"""What shows itself already before one line: its number, its time."""
_SAMPLE_LINES = 200
_SHARE, _ALL = 0.6, 0.9


Match = Callable[[str, int], re.Match[str] | None]


@dataclass(frozen=True, slots=True)
class Without:
    """A text of which some stretches were left out, and where what is left stood."""

    text: str
    _starts: list[int]
    _shifts: list[int]
    _longer: bool = False
    """Whether nothing was left out between signs, and some of them were written longer: such a one is one place."""

    def place(self, start: int, end: int) -> Span:
        """Where a stretch of `text` stands in the text it was made from."""
        return self._before(start), self._before(end) if self._longer else self._before(end - 1) + 1

    def _before(self, at: int) -> int:
        return at + self._shifts[bisect_right(self._starts, at) - 1]


def read_plainly(text: str) -> str:
    """`text`, of the same length, with plain quotes, the lines of a protocol ended where escapes say so, and its values
    that have numbers in letters of ASCII.
    """
    if "\\" in text:
        text = _LINE_END.sub(lambda escapes: " " * (len(escapes[0]) - 1) + "\n", text)
    if text.isascii():
        return text
    text = _WIDE_QUOTE.sub(
        lambda mark: '"' if len(mark[0]) == 1 else ' "' if mark[0][0] == "«" else '" ', text
    )
    return _VALUE.sub(
        lambda value: value[0].translate(_PLAIN if any(map(str.isdecimal, value[0])) else {}), text
    )


def without(text: str, left_out: Iterable[Span]) -> Without:
    """`text` without these stretches, which are in order and apart."""
    pieces: list[str] = []
    starts, shifts = [0], [0]
    size = at = 0
    for start, end in left_out:
        pieces.append(text[at:start])
        size += start - at
        at = end
        starts.append(size)
        shifts.append(end - size)
    return Without("".join((*pieces, text[at:])), starts, shifts)


def otherwise(text: str) -> Iterator[tuple[int, Without]]:
    """Stretches around what is written otherwise than it reads, as they read in the end, and where they begin: literals
    in pieces or deep in others, quotes as pages have them, and the percent-escapes of addresses and forms, where one
    stands for a sign that a name and its value have between them.
    """
    for start, end in _stretches([match.span() for match in _JOINTS.finditer(text)], text):
        yield start, without(text[start:end], (joint.span() for joint in _JOINTS.finditer(text[start:end])))
    for start, end in _stretches([match.span() for match in _ENTITY.finditer(text)], text):
        entities = _ENTITY.finditer(text[start:end])
        yield start, without(text[start:end], (entity.span(entity.lastindex or 0) for entity in entities))
    for start, end in _stretches([match.span() for match in _ASSIGNS.finditer(text)], text):
        escapes = _PERCENT.finditer(text[start:end])
        yield start, rewritten(text[start:end], escapes, lambda escape: chr(int(escape[1], 16)))


def _stretches(spans: list[Span], text: str) -> Iterator[Span]:
    """Around these places, those together that are near each other; from the beginning of a line, if that is near."""
    first = far = 0
    for last, (_, end) in enumerate(spans, 1):
        if last == len(spans) or spans[last][0] > end + 2 * NEAR_CHARS:
            goes_on = _GOES_ON.match(text, end)
            far = max(far, end + NEAR_CHARS, goes_on.end() if goes_on else 0)
            if last < len(spans) and spans[last][0] < far:
                continue
            begin = max(0, spans[first][0] - NEAR_CHARS)
            yield text.rfind("\n", max(0, begin - NEAR_CHARS), begin) + 1 or begin, far
            first = last


def rewritten(text: str, found: Iterable[re.Match[str]], read: Callable[[re.Match[str]], str]) -> Without:
    """`text` with each of these stretches, which are in order, as the one sign that it is `read` as."""
    pieces: list[str] = []
    starts, shifts = [0], [0]
    size = at = 0
    for match in found:
        pieces.extend((text[at : match.start()], read(match)))
        size += match.start() - at + 1
        at = match.end()
        starts.append(size)
        shifts.append(at - size)
    return Without("".join((*pieces, text[at:])), starts, shifts, _longer=True)


def unprefixed(text: str) -> Without | None:
    """The text without the beginnings that its lines share; None where they share none."""
    lines = _sample(text)
    for pattern in _PREFIXES:
        if _is_shared(pattern, lines):
            return without(text, _beginnings(text, pattern.match))
    changed = sum(_CHANGED.match(line) is not None for line in lines)
    hunks = any(line.startswith("@@ ") for line in lines)
    if changed >= MIN_LINES and (hunks or _is_shared(_CHANGE, lines, _ALL)):
        return without(text, _beginnings(text, _CHANGE.match))
    return None


def _sample(text: str) -> list[str]:
    return [line for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]


def _is_shared(pattern: re.Pattern[str], lines: list[str], share: float = _SHARE) -> bool:
    """Whether lines begin so that say nothing by it: each has a number of its own, and a name stands before many."""
    found = [match for match in map(pattern.match, lines) if match]
    if len(found) < max(MIN_LINES - (pattern in _ALONE), share * len(lines)):
        return False
    groups = pattern.groupindex
    names = {match["same"] for match in found} if "same" in groups else set[str]()
    numbers = {match.group() for match in found} if "number" in groups else None
    if numbers is not None and "same" not in groups and not _rise([int(match["number"]) for match in found]):
        return False
    return len(names) <= len(found) / 2 and (numbers is None or len(numbers) > _SHARE * len(found))


def _rise(numbers: list[int]) -> bool:
    """Whether numbers before lines count these: most are greater than the one before."""
    rising = sum(number < later_one for number, later_one in pairwise(numbers))
    return rising >= _SHARE * (len(numbers) - 1)


def _beginnings(text: str, match: Match) -> Iterator[Span]:
    at = 0
    while at >= 0:
        found = match(text, at)
        stop = text.find("\n", at)
        if found and found.end() > at and (stop < 0 or found.end() <= stop):
            yield found.span()
        at = stop + 1 or -1
