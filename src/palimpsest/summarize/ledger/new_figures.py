"""Rules that were said again with another figure: "lines of at most 96", "lines can have 110, 96 is too tight".

Rules kept here:

- Who names the figure of a rule and another one has given it that, where the sentence sets a limit or allows one, as a
  rule does, with a figure of the same unit, says that something has changed, and names what the rule is about by a word
  that is no unit. A unit is what stands behind a figure, or before it ("port 8080").
- Who says in whose place a figure stands ("5 retries instead of 3", 100件じゃなくて50件) need say no more than
  that: of the same unit, or by what is counted, and with a word of what the rule is about.
- Figures are the same as digits and as words.
- Who says that a figure was too small or too large ("20 is too tight, make it 30") names in that sentence nothing that
  the rule does not: a padding of 20 is no limit of 20 connections.
- A report that names both figures ("the talk went over 25 minutes, it took 31") gives a rule none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
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
    INSTEAD,
    INSTEAD_OF,
    KEEPS,
    LOOSE,
    NO_UNIT,
    RECOUNTS,
    SETS,
    WHY,
)
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.figures import FITS, IDLE, LARGE, LINKS, OUTGROWN, SMALL, VERBS
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
_WIDE = later(r"[\u3400-\u9fff]{2}$")
_PAIR = later(r"\b([^\W\d_\u3040-\ud7ff]{3,20}) (?=([^\W\d_\u3040-\ud7ff]{4,20})\b)")
_CLAUSES = later(r"[,;，；、](?!\d)")


@dataclass(frozen=True, slots=True)
class Read:
    """A sentence with its numbers in digits, its figures, its words beside these and their units, and of these what it
    is about.
    """

    text: str
    figures: frozenset[str]
    words: frozenset[str]
    about: frozenset[str]


@lru_cache(MAX_READ)
def read_of(text: str) -> Read:
    """A sentence with its numbers in digits, and what it says beside them."""
    plain = in_digits(text)
    bare = _MEASURED.sub(" ", plain)
    about = _MEASURED.sub(" ", OUTGROWN.sub(" ", plain))
    for form in (FORBIDS, SETS, FITS, FREQUENT):
        about = form.sub(" ", about)
    figures = frozenset(match["figure"] for match in _WITH_UNIT.finditer(plain))
    return Read(plain, figures, _words(bare), _words(about) - COMMON - LOOSE - IDLE)


def _words(text: str) -> frozenset[str]:
    """The terms of a text, and the signs with which Japanese verbs begin."""
    words = (one for one in terms(text) if len(one) >= LEAST_CHARS or not one.isascii())
    return frozenset((*words, *_STEM.findall(text)))


def counts_anew(text: str, rule: str) -> bool:
    """Whether a sentence gives a rule another figure."""
    new, old = read_of(text), read_of(rule)
    if not _has_another(text, new, old):
        return False
    if _stands_instead(new, old) or (_outgrows(new, old) and _is_about(new, old)):
        return True
    if not RECOUNTS.search(new.text):
        return False
    shared = with_forms(old.about, new.words)
    enough = not old.about or (bool(shared) and len(shared) >= SHARED_SHARE * len(old.about))
    return enough and _sets_another(new, old)


def is_about_no_more(text: str, rule: str) -> bool:
    """Whether a sentence names nothing beside its figures that a rule does not."""
    new, old = read_of(text), read_of(rule)
    return _is_of(new, old, units_of(old.text, old.figures))


def may_count_anew(text: str, rule: str) -> bool:
    """Whether a sentence that does not say what it is about may give a rule another figure: one of the same unit, where
    it is named what it replaces, or was too small, or too large. That is sure only where no other rule has such.
    """
    new, old = read_of(text), read_of(rule)
    return _has_another(text, new, old) and (_outgrows(new, old) or _is_put_instead(new, old))


def _has_another(text: str, new: Read, old: Read) -> bool:
    """Whether a sentence that asks nothing has the figure of a rule, and another for the same."""
    return (
        not text.endswith(("?", "？"))
        and bool(old.figures & new.figures)
        and bool(new.figures - old.figures)
        and not KEEPS.search(new.text)
        and not is_qualified_otherwise(new, old)
    )


def _outgrows(new: Read, old: Read) -> bool:
    """Whether a sentence says that a rule's figure was too small and a larger one of its unit is all right, or too
    large and a smaller one, and names nothing that the rule does not, but for why.
    """
    for said in OUTGROWN.finditer(new.text):
        low = any(said[name] for name in SMALL)
        if said["figure"] not in old.figures or not (low or any(said[name] for name in LARGE)):
            continue
        mine = units_of(old.text, (said["figure"],))
        theirs = units_of(said[0], (said["figure"],)) - VERBS
        if (theirs and not with_forms(theirs, mine | old.words)) or not _is_of(
            read_of(_why_cut(new)), old, mine
        ):
            continue
        for clause in _CLAUSES.split(new.text):
            part = read_of(clause)
            fresh = [one for one in part.figures - old.figures if _is_beyond(one, said["figure"], low=low)]
            if not fresh or not (FITS.search(clause) or SETS.search(clause)):
                continue
            units = units_of(clause, fresh) - VERBS
            if not units or with_forms(units, mine):
                return True
    return False


def _is_put_instead(new: Read, old: Read) -> bool:
    """Whether a sentence says whose place a figure of the same unit takes, and nothing of what it is about."""
    for said in INSTEAD_OF.finditer(new.text):
        figure: str = next(filter(None, said.groups()))
        mine = units_of(old.text, (figure,))
        fresh = units_of(new.text, new.figures - old.figures)
        if figure not in old.figures or not with_forms(fresh, mine) or demands_more(old, new):
            continue
        if SETS.search(new.text) and not _topic(new, mine):
            return True
    return False


def _is_of(part: Read, old: Read, units: Collection[str]) -> bool:
    """Whether words name nothing that a rule does not, beside what is counted."""
    topic = {one for one in _topic(part, units) if not (_WIDE.match(one) and set(one) & set(old.text))}
    return len(with_forms(topic, old.words)) == len(topic)


def _why_cut(new: Read) -> str:
    """A sentence without its reason, where that names no figure."""
    why = WHY.search(new.text)
    return new.text[: why.start()] if why and not _MEASURED.search(why[0]) else new.text


def _topic(part: Read, units: Collection[str]) -> set[str]:
    """What a clause is about, beside words that are in any such, and what is counted."""
    return {word for word in part.about - INSTEAD if not any(unit in word for unit in units)}


def _is_about(new: Read, old: Read) -> bool:
    """Whether a sentence names what a rule is about, by as many of its words as are needed."""
    shared = with_forms(old.about, new.words)
    return bool(shared) and len(shared) >= SHARED_SHARE * len(old.about)


def _is_beyond(figure: str, other: str, *, low: bool) -> bool:
    """Whether a figure is larger than another one, or smaller where that was not too `low`."""
    try:
        one, two = (float(text.replace(",", "").replace(":", ".")) for text in (figure, other))
    except ValueError:
        return False
    return one > two if low else one < two


def is_qualified_otherwise(new: Read, old: Read) -> bool:
    """Whether both name a thing of the same kind, each by another word before it: helper files, test files."""
    mine, theirs = _qualified(old.text), _qualified(new.text)
    shared = [word for word in mine if word in theirs and word not in units_of(old.text, old.figures)]
    return any(not with_forms(mine[word], theirs[word]) for word in shared) and not any(
        with_forms(mine[word], theirs[word]) for word in shared
    )


def _qualified(text: str) -> dict[str, set[str]]:
    """The words before each word of several letters, but for those that qualify nothing."""
    found: dict[str, set[str]] = {}
    for match in _PAIR.finditer(text.lower()):
        before, word = match[1], match[2]
        if terms(before) and before not in COMMON | LOOSE | IDLE | LINKS:
            found.setdefault(word, set()).add(before)
    return found


def _stands_instead(new: Read, old: Read) -> bool:
    """Whether a sentence says of another figure that it stands in the place of the rule's, of the same unit or of what
    is counted, and is about the same as the rule.
    """
    for said in INSTEAD_OF.finditer(new.text):
        figure: str = next(filter(None, said.groups()))
        if figure not in old.figures or demands_more(old, new):
            continue
        mine = units_of(old.text, (figure,))
        theirs = units_of(new.text, new.figures - old.figures) | units_of(new.text, (figure,))
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


def demands_more(old: Read, new: Read) -> bool:
    """Whether a rule demands something beside, of which a sentence says nothing."""
    for clause in ADDED.split(old.text)[1:]:
        words = read_of(clause).about
        if len(words) >= LEAST_MORE and not with_forms(words, new.words):
            return True
    return False


def _is_word(unit: str) -> bool:
    """Whether a unit says what is counted, and not only how."""
    return unit.isalpha() and len(unit) >= WORD_CHARS


def units_of(text: str, figures: Iterable[str]) -> frozenset[str]:
    """The words behind such figures."""
    wanted = frozenset(figures)
    found = (match for match in _WITH_UNIT.finditer(text) if match["figure"] in wanted)
    units = ((match["unit"] or "").lower() for match in found)
    return frozenset(one for one in units if one and one not in LOOSE and not NO_UNIT.fullmatch(one))


def _sets_another(new: Read, old: Read) -> bool:
    """Whether a clause of a sentence sets or allows another figure of what the rule is about, of the unit that one of
    the rule has that is named too.
    """
    units = [match for match in _WITH_UNIT.finditer(old.text) if match["figure"] in new.figures]
    for clause in _CLAUSES.split(new.text):
        if not SETS.search(clause):
            continue
        said = read_of(clause)
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
