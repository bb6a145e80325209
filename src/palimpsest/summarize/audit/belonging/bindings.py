"""What belongs to what: versions to packages, lines to files, numbers to the words around them, old names to new.

Rules kept here:

- Each part may be the source's and the pair is not: `httpx 0.30.6`, where that is the version of its neighbour. A pair
  is judged only where the source has the first part of it with something else, and never with this.
- The right pair takes its place where there is exactly one; otherwise the line is left to other rules.
- Counts of tests may be added up. Lines move where a file was changed, and what was renamed may live on as an alias:
  such a pair is judged by the words it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import stands
from palimpsest.summarize.audit.numbers.quantities import slipped
from palimpsest.summarize.audit.numbers.reckoning import adds_up
from palimpsest.summarize.counted import are_counts
from palimpsest.summarize.deeds import CHANGES
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.source import Source
from palimpsest.summarize.toolcalls import decode

MAX_PLACES = 200
"""Places of one word that are looked at."""
BESIDE_CHARS = 70
"""Before a version, in which the name is that it belongs to."""

_VERSIONED = later(
    r"(?<![\w./-])`?([A-Za-z@][\w@/.-]{1,60}?)`?(?:\s|==?|@|\s?v)(\d{1,4}(?:\.\d{1,6}){1,3})(?![\w.]\w)"
)
_NO_PACKAGE = frozenset(
    "version versions release releases tag image build python's now currently until before since via using upgrade "
    "upgraded update updated bump bumped move moved switch switched pinned newest latest current new old "
    "at from to on is was are stays stay remains keep kept auf von bei ist war bleibt à de en est sur".split()
)
"""Words beside a version that are no package's name."""
_BESIDE = later(r"(?<![\w./-])([A-Za-z@][\w@/.-]{1,60})[\"'`]?[\s=:@^~<>\"'`-]{1,6}v?$")
_JOINED = later(r"==|@|\^|~|[<>]=|v$|[\"'`]\s*[:=]\s*[\"'`]")
"""What joins a package and its version, and nothing else and its number."""
_BROUGHT = later(
    r"(?<![\w./-])`?(?P<name>[A-Za-z@][\w@/-]{1,60})`?(?: (?:was|is|were|are|has been|now|then|wurde|ist)){0,2}"
    r"(?: (?:upgrad|updat|bump|rais|mov|pinn|set\b|brought|lift|left|leav|kept|keep|stay|remain|"
    r"downgrad|lower|bleib)\w*)?"
    r"(?: (?:from|von) v?\d{1,4}(?:\.\d{1,6}){1,3})? "
    r"(?:to|at|on|auf|bei) v?(?P<version>\d{1,4}(?:\.\d{1,6}){2,3})(?![\w.]\w)"
)
"""What a package was brought to, or left at."""
_PRONOUNS = frozenset("it its this that they them one which es sie er dies das il elle ça lo la".split())
_NAME_OF = later(r"[/\\]")
_LINE = later(r"(?<![\w/.-])([\w@./-]{1,200}\.\w{1,8}):(\d{1,6})(?!\d|:\d)")
_ALONE = later(r"(?<!\w)(?<!\.\w:)(?<!\.\w\w:)(?<!\.\w\w\w:)(?<!\.\w\w\w\w:)\d{1,6}(?!\d)")
"""A number that stands behind no file."""
_RENAMED = later(
    r"`?([\w./()-]{3,80})`? (?:(?:was|is|got|has been|wurde|ist) (?:renamed |moved |umbenannt |verschoben )?)?"
    r"(?:to|->|→|into|nach|zu|in) `?([\w./()-]{3,80})`?"
)
_ARROW = later(r"->|→")
_COUNTED = later(
    r"(?<![\w.:/-])(?<!\bof )(?<!\bof the )(?<!\bof all )(\d{1,6}) (?:\w{1,12} )?"
    r"(?:tests? )?(passed|passing|pass|failed|failing|fail)\b"
)
_RENAMING = later(r"\b(?:renam|mov|chang|from|old|new|umbenannt|verschoben)|重命名|改名", re.I)
_LIVES_ON = later(
    r"\b(?:alias|legacy|compat|deprecat|shim|wrap|delegat|forward|redirect|points?|fall|link|map|back|revert|undo|undid|"
    r"restor|zurück|verweis)|别名|恢复|还原",
    re.I,
)
"""In which words an old name comes behind the new one."""
_PARTED = later(r"[;,.()]\s|[；，。]")


def misbound(lines: Sequence[str], text: str, source: Source) -> Iterator[tuple[str, str]]:
    """(line, what is right in its place) of the lines whose parts belong to others in the source's text; "" where
    nothing is right.
    """
    changed = frozenset(_changed(source))
    known: dict[str, set[int]] = {}
    for found in _COUNTED.finditer(text):
        known.setdefault(found[2][:4], set()).add(int(found[1]))
    alone = frozenset(_ALONE.findall(text) if any(map(_LINE.search, lines)) else ())
    for one in lines:
        line = one.strip()
        right = _lined(_brought(_versioned(line, text), text), text, changed, alone)
        right = _united(_renamed(right, text), text)
        if right != line:
            yield line, right
        elif _counted(line, known, text):
            yield line, ""


def _each(pattern: re.Pattern[str], line: str) -> Iterable[re.Match[str]]:
    """What a pattern finds in a line, what stands there several times once."""
    return {found[0]: found for found in pattern.finditer(line)}.values()


def _changed(source: Source) -> Iterator[str]:
    """The names of the files that calls changed, in which lines may have moved."""
    for message in source.messages:
        for call in message.calls:
            yield from (_NAME_OF.split(path)[-1] for path, deed in decode(call).files if deed in CHANGES)


def _versioned(line: str, text: str) -> str:
    """The line with the versions that the source has beside the same names, where these are programs' and packages'."""
    for found in _each(_VERSIONED, line):
        name, version = found[1], found[2]
        is_word = name.lower() in _NO_PACKAGE or not terms(name)
        if is_word or ("." in name.rsplit("/", 1)[-1] and name[-1:].isdigit()):
            continue
        beside = re.compile(
            rf"(?<![\w./-]){re.escape(name)}([\"'`]?[\s=:@^~<>v\"'`-]{{1,6}})(\d{{1,4}}(?:\.\d{{1,6}}){{1,3}})"
        )
        places = [match for _, match in zip(range(MAX_PLACES), beside.finditer(text), strict=False)]
        known = {match[2] for match in places}
        if len(known) != 1 or version in known or _begins(version, known):
            continue
        if any(map(_is_version, places)) and _is_anothers(version, name, text):
            line = line.replace(found[0], found[0].replace(version, next(iter(known))))
    return line


def _brought(line: str, text: str) -> str:
    """The line with the versions to which the source has the same packages brought, where it has another's."""
    brought = list(_BROUGHT.finditer(line))
    owners: dict[str, dict[int, str]] = {}
    for found in (*_BROUGHT.finditer(text), *_VERSIONED.finditer(text)) if brought else ():
        if found[1].lower() not in _NO_PACKAGE | _PRONOUNS:
            owners.setdefault(found[2], {})[found.start(2)] = found[1].lower()
    for found in brought:
        name, version = found[1].lower(), found[2]
        known = [one for one, names in owners.items() if name in names.values()]
        others = owners.get(version, {})
        places = len(re.findall(rf"(?<![\d.]){re.escape(version)}(?!\.?\d)", text))
        if len(known) == 1 and name not in others.values() and len(others) == places > 0:
            line = line.replace(found[0], found[0].replace(version, known[0]))
    return line


def _is_version(place: re.Match[str]) -> bool:
    """Whether a number behind a name is its version for sure: by its three parts, or by what joins the two. People also
    have a dose of 2.5, and a score of 0.93.
    """
    return place[2].count(".") > 1 or _JOINED.search(place[1]) is not None


def _is_anothers(version: str, name: str, text: str) -> bool:
    """Whether a version stands beside other packages' names alone: one that stands by itself, or behind "to", may be
    what `name` was brought to.
    """
    places = re.compile(rf"(?<![\d.]){re.escape(version)}(?!\.?\d)")
    for _, found in zip(range(MAX_PLACES), places.finditer(text), strict=False):
        before = _BESIDE.search(text[max(0, found.start() - BESIDE_CHARS) : found.start()])
        other = before[1].lower() if before else ""
        if other == name.lower() or other in _NO_PACKAGE or not terms(other):
            return False
    return version in text


def _begins(version: str, known: set[str]) -> bool:
    """Whether a version is one of the known, told in fewer parts."""
    return any(one.startswith(f"{version}.") for one in known)


def _lined(line: str, text: str, changed: Collection[str], alone: Collection[str]) -> str:
    """The line with the numbers of lines that the source has behind the same files, and with the same words where lines
    may have moved. `alone` are the source's numbers that stand behind no file.
    """
    for found in _each(_LINE, line):
        path, number = found[1], found[2]
        name = _NAME_OF.split(path)[-1]
        if path not in list(find_paths(path)) or number in alone or stands(found[0], text, "path"):
            continue
        places = list(re.finditer(rf"{re.escape(name)}:(\d{{1,6}})(?!\d)([^\n]{{0,200}})", text))
        own = set(terms(line.replace(found[0], " ")))
        is_same = name not in changed or any(own & set(terms(place[2])) for place in places)
        if len({place[1] for place in places}) == 1 and is_same:
            line = line.replace(found[0], f"{path}:{places[0][1]}")
    return line


def _united(line: str, text: str) -> str:
    """The line with the quantities that the source has in the same words, in the source's units."""
    for said, right in slipped(line, text):
        line = line.replace(said, right)
    return line


def _renamed(line: str, text: str) -> str:
    """The line with old and new name in the order in which the source has them."""
    for found in _each(_RENAMED, line):
        old, new = found[1].rstrip("."), found[2].rstrip(".")
        if old not in text or new not in text:
            continue
        clause = _PARTED.split(line[: found.start()])[-1] + found[0] + _PARTED.split(line[found.end() :])[0]
        if _LIVES_ON.search(clause) or not (_RENAMING.search(clause) or _ARROW.search(found[0])):
            continue
        joint = r"[`\"']? ?(?:to|->|→|into|nach|zu) ?[`\"']?"
        told = [
            re.search(rf"(?<![\w.]){re.escape(first)}{joint}{re.escape(second)}(?![\w])", text)
            for first, second in ((old, new), (new, old))
        ]
        if told[1] and not told[0] and re.search(r"[_/.()]|[a-z][A-Z]", f"{old}{new}"):
            line = line.replace(found[0], found[0].replace(old, "\0").replace(new, old).replace("\0", new))
    return line


def _counted(line: str, known: Mapping[str, set[int]], text: str) -> bool:
    """Whether a line counts tests as nobody did, nor are its counts a sum of those known by their outcome, or the rest
    of all.
    """
    told = list(_COUNTED.finditer(line))
    for found, is_count in zip(told, are_counts(line, [one.start() for one in told]), strict=True):
        kind, number = found[2][:4], int(found[1])
        others = {number for of, numbers in known.items() if of != kind for number in numbers}
        swapped = number in others and number not in known.get(kind, set())
        rest = (rf"(?<!\d){number + other} (?:\w{{1,12}} )?tests?\b" for other in others)
        is_sum = adds_up(number, known.get(kind, set())) or any(re.search(one, text) for one in rest)
        unheard = known and not is_sum and not re.search(rf"(?<!\d){number}(?!\d)", text)
        if is_count and number and (swapped or unheard):
            return True
    return False
