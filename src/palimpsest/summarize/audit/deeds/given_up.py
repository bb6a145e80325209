"""Whether a sentence tells that something was given up for another thing, as its source tells the other way round.

Rules kept here:

- Who takes one thing instead of another gives up the other: "an interval tree instead of a sorted list" says that a
  sorted list was rejected. It does not say so of the tree.
- What somebody tells to be rejected was, in whatever words of one sentence.
- What was given up stands right behind the words for it; in Japanese and Korean right before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.told import words_in
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.telling import BESIDES, INSTEAD, INSTEAD_BEHIND, REJECTED

NEAR = 2
"""Of the words at the side of what was given up, so many more are looked at than a sentence has."""
MAX_PIVOTS = 400
"""Places of a source that are looked at, the last ones."""
_BOUND = later(r"[.,;:。；：，、()（）]")


@dataclass(frozen=True, slots=True)
class GivenUp:
    """What a source gives up: the words of what it leaves for another thing, those that stand nearest first, and the
    words of each sentence that tells so.
    """

    left: tuple[tuple[str, ...], ...] = ()
    told: tuple[frozenset[str], ...] = ()


def given_up_in(sentences: Iterable[str]) -> GivenUp:
    """What sentences give up."""
    said = list(sentences)
    left = tuple(found for one in said for found in _left(one))
    told = tuple(frozenset[str](words_in(one)) for one in said if REJECTED.search(one))
    return GivenUp(left[-MAX_PIVOTS:], told[-MAX_PIVOTS:])


def is_given_up(said: str, known: GivenUp) -> bool:
    """Whether a sentence tells only that one of the things was given up that a source leaves for another thing, or, in
    words that tell of no deed besides, what a source tells to be given up.
    """
    if not REJECTED.search(said):
        return False
    rest = REJECTED.sub(" ", said)
    own = words_in(rest)
    held = [frozenset(words[: len(own) + NEAR]) for words in known.left]
    held.extend(known.told if not BESIDES.search(rest) else ())
    return bool(own) and any(len(with_forms(own, words)) == len(own) for words in held)


def _left(sentence: str) -> Iterator[tuple[str, ...]]:
    for match in INSTEAD.finditer(sentence):
        behind = _BOUND.split(sentence[match.end() :].lstrip(" :"), maxsplit=1)[0]
        yield tuple(terms(behind))
    for match in INSTEAD_BEHIND.finditer(sentence):
        before = _BOUND.split(sentence[: match.start()])[-1]
        yield tuple(reversed(terms(before)))
