"""Rules that were said again with another figure: "lines of at most 96", "lines can have 110, 96 is too tight".

Rules kept here:

- Who names the figure of a rule and another one has given it that, where the sentence sets a limit or allows one, as a
  rule does, with a figure of the same unit, says that something has changed, and names what the rule is about by a word
  that is no unit. A unit is what stands behind a figure, or before it ("port 8080").
- Who says in whose place a figure stands ("5 retries instead of 3", 100件じゃなくて50件) need say no more than
  that: of the same unit, or by what is counted, and with a word of what the rule is about.
- Figures are the same as digits and as words.
- A report that names both figures ("the talk went over 25 minutes, it took 31") gives a rule none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from palimpsest.patterns import later
from palimpsest.summarize.alike import are_alike, with_forms
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.changes import (
    ADDED,
    COMMON,
    FIGURE,
    FREQUENT,
    INSTEAD_OF,
    KEEPS,
    LOOSE,
    NO_UNIT,
    RECOUNTS,
    SETS,
)
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.numerals import in_digits

SHARED_SHARE = 0.25
"""Of what a rule says beside its figures and their units, so much is said again."""
LEAST_CHARS, WORD_CHARS = 3, 4
"""A word has so many letters, and one that says what is counted so many."""
LEAST_MORE = 2
"""What a rule demands beside says so many words of its own."""
MAX_READ = 1_024
"""Sentences whose figures are kept: each is held against every rule of its conversation."""

_UNIT = (
    r"(?:[^\W\d_\u3040-\ud7ff]{1,20}|[ァ-ヶー]{1,8}|[\u3400-\u9fff\uac00-\ud7a3](?:[\u3400-\u9fff](?=[はがをにでま、。]))?|"
    r"[%€$£])"
)
_MEASURED = later(rf"{FIGURE}\s?{_UNIT}?")
_WITH_UNIT = later(rf"(?:(?P<before>[^\W\d_]{{2,20}}) )?(?P<figure>{FIGURE})\s?(?P<unit>{_UNIT})?")
_STEM = later(r"[\u4e00-\u9fff](?=[\u3041-\u3096])")
_CLAUSES = later(r"[,;，；、](?!\d)")


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence with its numbers in digits, its figures, its words beside these and their units, and of these what it
    is about.
    """

    text: str
    figures: frozenset[str]
    words: frozenset[str]
    about: frozenset[str]


@lru_cache(MAX_READ)
def _read(text: str) -> _Read:
    plain = in_digits(text)
    bare = _MEASURED.sub(" ", plain)
    about = FREQUENT.sub(" ", SETS.sub(" ", FORBIDS.sub(" ", bare)))
    figures = frozenset(match["figure"] for match in _WITH_UNIT.finditer(plain))
    return _Read(plain, figures, _words(bare), _words(about) - COMMON - LOOSE)


def _words(text: str) -> frozenset[str]:
    """The terms of a text, and the signs with which Japanese verbs begin."""
    words = (one for one in terms(text) if len(one) >= LEAST_CHARS or not one.isascii())
    return frozenset((*words, *_STEM.findall(text)))


def counts_anew(text: str, rule: str) -> bool:
    """Whether a sentence gives a rule another figure."""
    if text.endswith(("?", "？")):
        return False
    new, old = _read(text), _read(rule)
    if not old.figures & new.figures or not new.figures - old.figures or KEEPS.search(new.text):
        return False
    if _stands_instead(new, old):
        return True
    if not RECOUNTS.search(new.text):
        return False
    shared = with_forms(old.about, new.words)
    enough = not old.about or (bool(shared) and len(shared) >= SHARED_SHARE * len(old.about))
    return enough and _sets_another(new, old)


def _stands_instead(new: _Read, old: _Read) -> bool:
    """Whether a sentence says of another figure that it stands in the place of the rule's, of the same unit or of what
    is counted, and is about the same as the rule.
    """
    for said in INSTEAD_OF.finditer(new.text):
        figure: str = next(filter(None, said.groups()))
        if figure not in old.figures or _demands_more(old, new):
            continue
        mine = _units(old.text, (figure,))
        theirs = _units(new.text, new.figures - old.figures) | _units(new.text, (figure,))
        named = with_forms(old.about, new.words | theirs)
        same = bool(with_forms(mine, theirs))
        counted = with_forms(theirs, old.words) or with_forms(mine, new.words)
        counted = SETS.search(new.text) is not None and counted if mine and theirs else True
        if named and (same or counted):
            return True
        said_of = with_forms(filter(_is_word, mine), new.words | theirs)
        if not old.about and (said_of or (same and not new.about)):
            return True
    return False


def _demands_more(old: _Read, new: _Read) -> bool:
    """Whether a rule demands something beside, of which a sentence says nothing."""
    for clause in ADDED.split(old.text)[1:]:
        words = _read(clause).about
        if len(words) >= LEAST_MORE and not with_forms(words, new.words):
            return True
    return False


def _is_word(unit: str) -> bool:
    """Whether a unit says what is counted, and not only how."""
    return unit.isalpha() and len(unit) >= WORD_CHARS


def _units(text: str, figures: Iterable[str]) -> frozenset[str]:
    """The words behind such figures."""
    wanted = frozenset(figures)
    found = (match for match in _WITH_UNIT.finditer(text) if match["figure"] in wanted)
    units = ((match["unit"] or "").lower() for match in found)
    return frozenset(one for one in units if one and one not in LOOSE and not NO_UNIT.fullmatch(one))


def _sets_another(new: _Read, old: _Read) -> bool:
    """Whether a clause of a sentence sets or allows another figure of what the rule is about, of the unit that one of
    the rule has that is named too.
    """
    units = [match for match in _WITH_UNIT.finditer(old.text) if match["figure"] in new.figures]
    for clause in _CLAUSES.split(new.text):
        if not SETS.search(clause):
            continue
        said = _read(clause)
        fresh = [match for match in _WITH_UNIT.finditer(clause) if match["figure"] not in old.figures]
        about = not old.about or not said.about or with_forms(old.about, said.words)
        if about and any(_is_of_one_unit(one, other) for one in fresh for other in units):
            return True
    return False


def _is_of_one_unit(one: re.Match[str], other: re.Match[str]) -> bool:
    if ":" in one["figure"] or ":" in other["figure"]:
        return ":" in one["figure"] and ":" in other["figure"]
    if one["unit"] and other["unit"] and are_alike(one["unit"].lower(), other["unit"].lower()):
        return True
    before = (one["before"] or "").lower()
    return before == (other["before"] or "").lower() and before not in LOOSE and bool(terms(before))
