"""A query as expressions of the word index: one that finds no more than it asks for, and one that finds no less.

The index keeps whole words by their stems. The inside of words is looked for by naming the words that hold it; where
words of one stem are not alike in that, or a part reaches over several words, the index cannot tell for sure. What only
the wider expression finds has to be looked at (`search.evaluate`); mostly there is no such thing, and the two are one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from palimpsest.search.fold import in_cjk, index_stem, stemmed
from palimpsest.search.query import All, Any, Node, Not, Term
from palimpsest.stores.sqlite_db import Db
from palimpsest.stores.sqlite_words import beginning_with, of_stem, with_part
from palimpsest.stores.words import NOTHING

MAX_FORMS = 500
"""So many words that hold a part are named to the index; for more, texts are looked at instead."""

MAX_PHRASES = 200
"""So many phrases are named for a part that reaches over several words."""

@dataclass(frozen=True, slots=True)
class Bounds:
    """Expressions that find at least, and at most, what a query asks for."""

    least: str
    most: str

    @property
    def exact(self) -> bool:
        """Whether they are one."""
        return self.least == self.most


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of the index: what surely is in it, what may be, and what is not. Empty ones narrow nothing. `edge` is
    what only may be in it, where that is known; `small`, that the words of this expression stand in so few texts that
    counting these costs little.
    """

    least: str = ""
    most: str = ""
    without: str = ""
    edge: str = ""
    small: bool = True

    def around(self, found: Bounds) -> Bounds:
        """The same bounds within this part."""
        return Bounds(self._narrowed(self.least, found.least), self._narrowed(self.most, found.most))

    def unsure(self, found: Bounds) -> str:
        """What is within these bounds, and perhaps in this part, but not surely; "" for nothing."""
        inside = self.around(found)
        if inside.exact:
            return ""
        if found.exact and self.edge:
            return self._narrowed(self.edge, found.most)
        return f"({inside.most}) NOT ({inside.least})"

    def _narrowed(self, place: str, found: str) -> str:
        inside = f"({place}) AND ({found})" if place else found
        return f"({inside}) NOT ({self.without})" if self.without else inside


def bounds(db: Db, node: Node, everything: str) -> Bounds:
    """The expressions for a query; `everything` is one that every text of the place fits."""
    match node:
        case Term():
            return _term(db, node, everything)
        case Not(part):
            inner = bounds(db, part, everything)
            return Bounds(f"({everything}) NOT ({inner.most})", f"({everything}) NOT ({inner.least})")
        case All(parts):
            return _all(db, parts, everything)
        case Any(parts):
            return _joined(" OR ", [bounds(db, part, everything) for part in parts])


def _all(db: Db, parts: Sequence[Node], everything: str) -> Bounds:
    """What all parts ask for; what is ruled out is taken from the rest, not from everything."""
    wanted = [bounds(db, part, everything) for part in parts if not isinstance(part, Not)]
    ruled_out = [bounds(db, part.part, everything) for part in parts if isinstance(part, Not)]
    found = _joined(" AND ", wanted) if wanted else Bounds(everything, everything)
    if not ruled_out:
        return found
    gone = _joined(" OR ", ruled_out)
    return Bounds(f"({found.least}) NOT ({gone.most})", f"({found.most}) NOT ({gone.least})")


def by_words(node: Node) -> Node:
    """The query without what is found only inside of words."""
    match node:
        case Term():
            return replace(node, inner=False) if node.whole else node
        case Not(part):
            return Not(by_words(part))
        case All(parts):
            return All(tuple(map(by_words, parts)))
        case Any(parts):
            return Any(tuple(map(by_words, parts)))


def _joined(joint: str, parts: list[Bounds]) -> Bounds:
    return Bounds(joint.join(f"({one.least})" for one in parts), joint.join(f"({one.most})" for one in parts))


def _term(db: Db, term: Term, everything: str) -> Bounds:
    own = [term.words] if term.whole else []
    if not term.inner:
        return Bounds(_phrases(own), _phrases(own))
    words = term.words.split(" ")
    if all(map(in_cjk, words)):
        return Bounds(_phrases([term.words]), _phrases([term.words]))
    if len(words) == 1:
        return _word(db, term, own, everything)
    return _run(db, term, words, own, everything)


def _word(db: Db, term: Term, own: list[str], everything: str) -> Bounds:
    """A part of one word: the words that hold it, by stems; a stem is sure where all words of it hold the part."""
    found = (
        with_part(db, term.words, at_end=not term.open_right, limit=MAX_FORMS)
        if term.open_left
        else beginning_with(db, term.words, MAX_FORMS)
    )
    if found is None:
        return Bounds(_phrases(own), everything)
    by_stem: defaultdict[str, set[str]] = defaultdict(set)
    for word in found:
        by_stem[index_stem(word)].add(word)
    if term.whole:
        by_stem.pop(index_stem(term.words), None)
    sure, perhaps = list(own), list[str]()
    for stem, words in sorted(by_stem.items()):
        (sure if of_stem(db, stem) <= words else perhaps).append(min(words))
    return Bounds(_phrases(sure), _phrases(sure + perhaps))


def _run(db: Db, term: Term, words: list[str], own: list[str], everything: str) -> Bounds:
    """A part that reaches over several words: phrases of what its first may end and its last begin."""
    first, last = words[0], words[-1]
    firsts: list[str] | None = [first]
    lasts: list[str] | None = [last]
    if term.open_left and not in_cjk(first):
        firsts = _stems(with_part(db, first, at_end=True, limit=MAX_FORMS))
    if term.open_right and not in_cjk(last):
        lasts = _stems(beginning_with(db, last, MAX_FORMS))
    middle = words[1:-1]
    if firsts is not None and lasts is not None and len(firsts) * len(lasts) > MAX_PHRASES:
        firsts, lasts = (None, lasts) if len(firsts) > len(lasts) else (firsts, None)
    runs = [
        " ".join([*begin, *middle, *end])
        for begin in ([[one] for one in firsts] if firsts is not None else [[]])
        for end in ([[one] for one in lasts] if lasts is not None else [[]])
    ]
    if runs == [""]:
        return Bounds(_phrases(own), everything)
    known = {stemmed(one) for one in own}
    perhaps = [one for one in runs if stemmed(one) not in known]
    return Bounds(_phrases(own), _phrases([*own, *perhaps]))


def _stems(words: list[str] | None) -> list[str] | None:
    """One word for each stem."""
    return sorted({index_stem(word): word for word in words}.values()) if words is not None else None


def _phrases(phrases: Iterable[str]) -> str:
    """Whatever holds one of these phrases. They are words of `search.fold`, which hold no quote."""
    return " OR ".join(f'"{one}"' for one in dict.fromkeys(phrases)) or NOTHING
