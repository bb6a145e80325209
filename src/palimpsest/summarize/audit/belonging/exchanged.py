"""Whether a line gives one of two the other's number: "Tom gets 60, Pia 30" for "Pia gets 60 and Tom 30".

Rules kept here:

- Two clauses of one sentence of the source have a number each. What tells them apart are the words that only one has,
  names first. The later one leaves out what it shares with the first: "the old budget was 300, the new one 450".
- A clause of a line that has one's number and words of the other alone has exchanged them, unless the source has that
  number beside such a word anywhere else. What a number counts belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.spoken.cues import FORBIDS

MAX_SENTENCES = 2_000
"""Sentences of a source with two numbers that a line is held against, the newest."""
MAX_CLAUSES = 6
PAIRED = 2
"""Two clauses with two numbers each have them exchanged where they pair the same four otherwise."""
SENTENCE_CHARS = 300
"""A longer one is a list, or output."""

_NUMBER = r"(?<![\w.,:/#-])[$€£¥]?(\d[\d.,:]{0,12}\d(?:[A-Za-z]{1,3}|[행회개건명원초분])?)(?![A-Za-z0-9_:/-]|[.,]\d)"
_VALUE = later(_NUMBER)
_COUNTED = later(rf"{_NUMBER}(?:\s?(?:%|[€$£¥]|[A-Za-zÀ-ÿ]{{1,14}}\b|[\u4e00-\u9fff]))?")
"""A number with what it counts."""
_QUOTED_CODE = later(r"`[^`\n]{1,300}`")
"""A command says nothing of the numbers of what it printed."""
_RECORD = later(r"[{,]\s?\"\w{1,40}\"\s?:")
"""A record of a result: an older one may tell what no longer is."""
_LABEL = later(r"(?<![\w.,])(?:[0-9]|[A-Z])(?![\w.,'’])")
_CAPITAL = later(r"(?<![\w.])[A-ZÀ-Þ][\w'’-]+")
_CLAUSE = later(
    r"[;,]\s|[，；、]|\s(?:and|und|but|while|whereas|et|y|e|aber|sowie|或|和|而)\s|(?<=[\u4e00-\u9fff0-9])(?:和|而)|(?<=[가-힣][고며])\s"
)


@dataclass(frozen=True, slots=True)
class _Clause:
    """The numbers and the words of a clause; `marks` are those of the words that name: capitals and single signs;
    `counted` are the words of what its numbers count.
    """

    values: frozenset[str]
    words: frozenset[str]
    marks: frozenset[str]
    counted: frozenset[str]


def exchanged(lines: Sequence[str], text: str) -> Iterator[tuple[str, str]]:
    """(line, the source's sentence) of the lines that have exchanged numbers."""
    asked = [
        (one, clauses)
        for line in lines
        for one in _said(line)
        if (clauses := _clauses(_QUOTED_CODE.sub(" ", one)))
    ]
    if not asked:
        return
    told = [
        (one, clauses) for one in sentences(text) if len(one) <= SENTENCE_CHARS and (clauses := _clauses(one))
    ]
    pairs = [(one, clauses) for one, clauses in told if 1 < len(clauses) <= MAX_CLAUSES][-MAX_SENTENCES:]
    known: dict[str, set[str]] = {}
    for _, clauses in told:
        for clause in clauses:
            for value in clause.values:
                known.setdefault(value, set()).update(clause.words)
    for line, clauses in asked:
        right = next((one for one, its in pairs if _is_exchanged(clauses, its, known)), None)
        if right and not FORBIDS.search(line):
            yield line, "" if _RECORD.search(right) else f"- {right}"


def _said(line: str) -> list[str]:
    """The sentences of a line: what stands in one is not said of the numbers of another."""
    said = list(sentences(line))
    return said if len(said) > 1 and all(one in line for one in said) else [line.strip()]


def _is_exchanged(ours: Sequence[_Clause], theirs: Sequence[_Clause], known: dict[str, set[str]]) -> bool:
    for (at, one), (place, other) in permutations(enumerate(theirs), 2):
        if len(one.values) == len(other.values) == PAIRED and one.values.isdisjoint(other.values):
            pairs = (clause.values for clause in ours if len(clause.values) == PAIRED)
            crossed = [it for it in pairs if len(it & one.values) == len(it & other.values) == 1]
            if {*one.values, *other.values} == set[str]().union(*crossed):
                return True
        if len(one.values) != 1 or len(other.values) != 1 or one.values == other.values:
            continue
        only, others = one.words - other.words, other.words - one.words
        marks = one.marks & only, other.marks & others
        if all(marks):
            only, others = marks
        elif marks[1]:
            others = marks[1]
        if at < place and len(only) != len(others):
            continue
        for clause in ours:
            own = clause.words & only
            told = clause.words | clause.counted
            if clause.values == other.values and own and others and not with_forms(told, others):
                value = next(iter(clause.values))
                if not own & known.get(value, set()):
                    return True
    return False


def _clauses(text: str) -> list[_Clause]:
    """The clauses of a text that have numbers."""
    found: list[_Clause] = []
    parts = _CLAUSE.split(text)
    for place in range(1, len(parts)):  # "the other, 14"
        before = parts[place - 1][-SENTENCE_CHARS:]
        if not terms(_COUNTED.sub(" ", parts[place])) and not _VALUE.search(before):
            parts[place] = f"{before} {parts[place]}"
    for part in parts:
        values = frozenset(_VALUE.findall(part))
        if values:
            rest = _COUNTED.sub(" ", part)
            marks = frozenset((*terms(" ".join(_CAPITAL.findall(rest))), *_LABEL.findall(rest)))
            counted = frozenset(terms(" ".join(one[0] for one in _COUNTED.finditer(part)))) - values
            found.append(_Clause(values, marks | set(terms(rest)), marks, counted))
    return found
