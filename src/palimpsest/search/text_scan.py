"""What a text has of a question: which words, how often, and how many in one passage.

- A long page has some of nearly every question's words. What counts is how many are close together, so besides the
  whole text its best passage is examined.
- Splitting and folding a text costs a hundred times as much as finding a string in it. So a very long text is scanned
  for the beginnings of the searched words first, and only its best part is read. In a text of more than `FOLDED_CHARS`
  only the two ends are folded; between them words are found as written, in any case.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

import msgspec

from palimpsest.search.date_parsing import TIME_WORDS
from palimpsest.search.question import Concept, Question
from palimpsest.search.stemming import stem
from palimpsest.search.word_folding import apart, index_stem, plain

FOLDED_CHARS = 600_000
"""Characters of one text that are folded, two thirds of them at its beginning."""


def beginning(word: str) -> str:
    """Return what all forms of a folded word begin with: "configur" of "configuration", "happ" of "happy"."""
    stem = index_stem(word)
    begin = stem[:-1] if len(stem) > 2 and stem[-1] in "iey" else stem
    return begin if word.startswith(begin) else word


def best_window(text: str, wanted: Sequence[Iterable[str]], size_chars: int) -> int:
    """Return where the part of about `size_chars` with the most of `wanted` begins. Each wanted thing counts once, by
    any of its lower-case beginnings, rare ones more. Of equal parts the first.
    """
    if len(text) <= size_chars:
        return 0
    half = max(1, size_chars // 2)
    blocks = [_folded(text, start, start + half) for start in range(0, len(text), half)]
    whole = "".join(blocks)
    stretches = [one + following for one, following in zip(blocks, [*blocks[1:], ""], strict=True)]
    worth = [0.0] * len(stretches)
    for forms in wanted:
        known = [form for form in forms if form and form in whole]
        holding = [at for at, there in enumerate(stretches) if any(form in there for form in known)]
        for at in holding:
            worth[at] += math.log(1 + len(stretches) / len(holding))
    return min(worth.index(max(worth)) * half, len(text) - half)


def _folded(text: str, start: int, end: int) -> str:
    """Return a block of a text, folded at the text's ends and in lower case between them."""
    last = FOLDED_CHARS // 3
    between = start >= FOLDED_CHARS - last and end <= len(text) - last
    return text[start:end].lower() if between else plain(text[start:end])


MAX_SCANNED_CHARS = 20_000
"""In a longer text only the best part is read."""

MAX_MATCHES = 5_000
"""The most words of the question that are counted in one text; in a script without spaces MAX_WIDE_MATCHES."""

MAX_WIDE_MATCHES = 8
PASSAGE_CHARS = 400
CLOSE_CHARS = 40
"""Two words of the question within this many characters are close together."""

_CHARS_PER_WORD = 5.5

SHORT_WORDS = 80
"""A text of this many words counts half on its neighbours."""


_NO_COUNTS: Mapping[int, int] = MappingProxyType({})
_NOTHING: Mapping[int, float] = MappingProxyType({})


class TextMatch(msgspec.Struct, gc=False):
    """What a text has of the question: each concept's number and strength, and its positions in order. `short` is how
    short it is, from 1 to 0. `held`, `covered` (in the best passage) and `own` (by frequency) are shares of the
    question's weight. `when` has its time words, if the question asks for a time.
    """

    words: float
    short: float
    counts: Mapping[int, int] = _NO_COUNTS
    strength: Mapping[int, float] = _NOTHING
    places: Sequence[tuple[int, int]] = ()
    held: Mapping[int, float] = _NOTHING
    when: frozenset[str] = frozenset()
    own: float = 0.0
    covered: float = 0.0


@dataclass(frozen=True, slots=True)
class WordFinder:
    """Finds words that may belong to the question. `index` maps a stem to its concept and strength; `when` are time
    words, found as well; `begin` has the beginnings of each concept's words.
    """

    pattern: re.Pattern[str] | None
    index: Mapping[str, Sequence[tuple[int, float]]]
    wide: tuple[str, ...]
    when: frozenset[str]
    begin: tuple[frozenset[str], ...]


def make_finder(question: Question) -> WordFinder:
    """Return a finder of a question's words."""
    index: dict[str, list[tuple[int, float]]] = defaultdict(list)
    starts: set[str] = set()
    wide: set[str] = set()
    for number, concept in enumerate(question.concepts):
        for one, weight in concept.stems:
            index[one].append((number, weight))
            (starts if concept.spaced else wide).add(one)
        starts.update(form for form in concept.forms if concept.spaced and not concept.joined)
    when = TIME_WORDS if question.asks_when else frozenset[str]()
    heads = _heads({*when, *(one[:-1] if len(one) > 2 and one[-1] in "iey" else one for one in starts)})
    pattern = re.compile(rf" (?:{heads})[^ ]*") if heads else None
    begin = tuple(map(_begin, question.concepts))
    return WordFinder(pattern, dict(index), tuple(sorted(wide)), when, begin)


def _begin(concept: Concept) -> frozenset[str]:
    own = (one for one, weight in concept.stems if weight == 1.0)
    return frozenset(map(beginning, (concept.word, *own)))


def _heads(starts: Iterable[str]) -> str:
    """Return a pattern for these beginnings of words, grouped by their first character, because alternatives are
    tried one by one. One that begins with another is left out.
    """
    heads: dict[str, list[str]] = defaultdict(list)
    last = ""
    for one in sorted(starts):
        if not last or not one.startswith(last):
            heads[one[0]].append(re.escape(one[1:]))
            last = one
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in heads.items())


def scan(text: str, using: WordFinder) -> TextMatch:
    """Return what a text has, without its shares."""
    words = max(1.0, len(text) / _CHARS_PER_WORD)
    short = SHORT_WORDS / (SHORT_WORDS + words)
    first = best_window(text, using.begin, MAX_SCANNED_CHARS)
    matches = _matches(f" {apart(text[first : first + MAX_SCANNED_CHARS])}", using)
    if not matches:
        return TextMatch(words, short)
    counts: dict[int, int] = {}
    strength: dict[int, float] = {}
    places: list[tuple[int, int]] = []
    known = using.index.get
    for start, word in matches:
        for concept, weight in known(stem(word), ()):
            counts[concept] = counts.get(concept, 0) + 1
            if weight > strength.get(concept, 0.0):
                strength[concept] = weight
            _note(places, (start, concept), collapse=not using.wide)
    if using.wide:
        places.sort()
    when = using.when.intersection([word for _, word in matches]) if using.when else using.when
    return TextMatch(words, short, counts, strength, places, when=when)


def _note(places: list[tuple[int, int]], place: tuple[int, int], *, collapse: bool) -> None:
    """Add a position. In ascending order only the first and the last of a repeated word matter."""
    if collapse and len(places) > 1 and places[-1][1] == places[-2][1] == place[1]:
        places[-1] = place
    else:
        places.append(place)


def _matches(text: str, using: WordFinder) -> list[tuple[int, str]]:
    """Yield the positions of words that may belong to the question, and the words, in a text with separated words.
    The pattern begins with a space, which is twice as fast as a pattern that begins with a character.
    """
    found: list[tuple[int, str]] = []
    if using.pattern is not None:
        matches = islice(using.pattern.finditer(text), MAX_MATCHES)
        found = [(match.start(), match[0][1:]) for match in matches]
    for one in using.wide:
        start = 0
        for _ in range(MAX_WIDE_MATCHES):
            start = text.find(one, start + 1)
            if start < 0:
                break
            found.append((start - 1, one))
    return found


def closest_weight(seen: TextMatch, size_chars: int = PASSAGE_CHARS) -> float:
    """Return the largest weight of concepts within this many characters, each counted once."""
    places, value = seen.places, seen.held
    if not places:
        return 0.0
    if places[-1][0] - places[0][0] <= size_chars:
        return sum(value.values())
    inside: dict[int, int] = defaultdict(int)
    best = current = 0.0
    tail = 0
    for start, concept in places:
        if not inside[concept]:
            current += value[concept]
        inside[concept] += 1
        while start - places[tail][0] > size_chars:
            gone = places[tail][1]
            inside[gone] -= 1
            if not inside[gone]:
                current -= value[gone]
            tail += 1
        best = max(best, current)
    return best


def closeness(places: Sequence[tuple[int, int]]) -> float:
    """Return how many different words of the question are close together, from 0 (one) to 1 (four or more)."""
    if len(places) < 2:
        return 0.0
    most, tail = 1, 0
    for head, (start, _) in enumerate(places):
        while start - places[tail][0] > CLOSE_CHARS:
            tail += 1
        if head - tail >= most:
            most = max(most, len({concept for _, concept in places[tail : head + 1]}))
    return min(1.0, (most - 1) / 3)
