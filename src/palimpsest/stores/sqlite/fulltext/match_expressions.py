"""A query as two expressions of the word index: one that matches no more than it asks for, and one that matches no
less.

The index has whole words by their stems. Parts of words are looked up by listing the words that contain them. If
words of one stem differ in that, or a part spans several words, the index is not exact, and what only the wider
expression matches must be read (`search.query_matching`). Mostly both are equal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from palimpsest.search.query_grammar import All, Any, Node, Not, Term
from palimpsest.search.word_folding import index_stem, stemmed, unspaced
from palimpsest.stores.index_terms import NOTHING, any_of
from palimpsest.stores.sqlite.fulltext.vocabulary import Vocabulary

MAX_FORMS = 500
"""The most words with a part that are listed to the index; for more, texts are read."""

MAX_PHRASES = 200
"""The most phrases listed for a part that spans several words."""

FEW_TEXTS = 50
"""If at most this many texts have the whole words of such a part, they are read, and no phrases are listed."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Expressions that match at least, and at most, what a query asks for. `inside` matches those of the latter that
    contain its words only inside others; "" if there is no such expression. `words` are those of which a text must
    have one, if that is the whole query.
    """

    least: str
    most: str
    inside: str = ""
    words: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether both are equal."""
        return self.least == self.most


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of the index: what is surely in it, what may be, and what is not. Empty expressions restrict nothing.
    `edge` matches what only may be in it, if known; `small` means that the scope's words are in so few texts that
    counting them is cheap.
    """

    least: str = ""
    most: str = ""
    without: str = ""
    edge: str = ""
    small: bool = True
    words: tuple[str, ...] | None = ()

    def around(self, found: Bounds) -> Bounds:
        """Return the same bounds within this scope."""
        return Bounds(self._narrowed(self.least, found.least), self._narrowed(self.most, found.most))

    def unsure(self, found: Bounds) -> str:
        """Return what matches these bounds and is perhaps, but not surely, in this scope; "" for nothing."""
        inside = self.around(found)
        if inside.exact:
            return ""
        if found.exact and self.edge:
            return self._narrowed(self.edge, found.most)
        return f"({inside.most}) NOT ({inside.least})"

    def _narrowed(self, place: str, found: str) -> str:
        inside = f"({found}) AND ({place})" if place else found
        return f"({inside}) NOT ({self.without})" if self.without else inside


def bounds(known: Vocabulary, node: Node, everything: str) -> Bounds:
    """Return the expressions for a query; `everything` matches every text of the scope."""
    match node:
        case Term():
            return _term(known, node, everything)
        case Not(part):
            inner = bounds(known, part, everything)
            return Bounds(f"({everything}) NOT ({inner.most})", f"({everything}) NOT ({inner.least})")
        case All(parts):
            return _all(known, parts, everything)
        case Any(parts):
            found = [bounds(known, part, everything) for part in parts]
            inside = [f"({one.inside})" for one in found if one.inside]
            known_inside = " OR ".join(inside) if len(inside) == len(found) else ""
            return replace(_joined(" OR ", found), inside=known_inside)


def _all(known: Vocabulary, parts: Sequence[Node], everything: str) -> Bounds:
    """Return what all parts ask for; NOT parts are subtracted from the rest, not from everything."""
    wanted = [bounds(known, part, everything) for part in parts if not isinstance(part, Not)]
    ruled_out = [bounds(known, part.part, everything) for part in parts if isinstance(part, Not)]
    found = _joined(" AND ", wanted) if wanted else Bounds(everything, everything)
    if not ruled_out:
        return found
    gone = _joined(" OR ", ruled_out)
    return Bounds(f"({found.least}) NOT ({gone.most})", f"({found.most}) NOT ({gone.least})")


def by_words(known: Vocabulary, node: Node) -> Node:
    """Return the query without matches inside of words. A piece that nobody wrote as a word stays, because words of
    its stem are not what was asked for (`clearE` of `clearEntry` is not `clear`).
    """
    match node:
        case Term():
            return replace(node, inner=False) if node.whole and known.has_words(node.words) else node
        case Not(part):
            return Not(by_words(known, part))
        case All(parts):
            return All(tuple(by_words(known, part) for part in parts))
        case Any(parts):
            return Any(tuple(by_words(known, part) for part in parts))


def _joined(joint: str, parts: list[Bounds]) -> Bounds:
    return Bounds(joint.join(f"({one.least})" for one in parts), joint.join(f"({one.most})" for one in parts))


def _term(known: Vocabulary, term: Term, everything: str) -> Bounds:
    own = [term.words] if term.whole else []
    words = term.words.split(" ")
    if not term.inner:
        return Bounds(any_of(own), any_of(own), NOTHING, tuple(own) if len(words) == 1 else ())
    if all(map(unspaced, words)):
        return Bounds(any_of([term.words]), any_of([term.words]), NOTHING)
    if len(words) == 1:
        return _word(known, term, own, everything)
    return _run(known, term, words, own, everything)


def _word(known: Vocabulary, term: Term, own: list[str], everything: str) -> Bounds:
    """Return the bounds of a part of one word: the stems of the words with it. A stem is exact if all its words have
    the part.
    """
    found = (
        known.with_part(term.words, at_end=not term.open_right, limit=MAX_FORMS)
        if term.open_left
        else known.beginning_with(term.words, MAX_FORMS)
    )
    if found is None:
        return Bounds(any_of(own), everything)
    by_stem: defaultdict[str, set[str]] = defaultdict(set)
    for word in found:
        by_stem[index_stem(word)].add(word)
    if term.whole:
        by_stem.pop(index_stem(term.words), None)
    sure, perhaps = list(own), list[str]()
    for stem, words in sorted(by_stem.items()):
        (sure if known.of_stem(stem) <= words else perhaps).append(min(words))
    others = [*sure[len(own) :], *perhaps]
    asked = own + others
    return Bounds(any_of(sure), any_of(asked), any_of(others), () if perhaps else tuple(asked))


def _run(known: Vocabulary, term: Term, words: list[str], own: list[str], everything: str) -> Bounds:
    """Return the bounds of a part that spans several words: phrases of words that end and begin with its ends.

    Its whole words, and what its last word may begin with, are mostly rare enough alone.
    """
    first, last = words[0], words[-1]
    middle = " ".join(words[1:-1])
    if middle and _is_rare(known, [middle]):
        return Bounds(any_of(own), any_of([*own, middle]))
    lasts: list[str] | None = [last]
    if term.open_right and not unspaced(last):
        lasts = _stems(known.beginning_with(last, MAX_FORMS))
    ends = [_run_of(middle, one) for one in lasts] if lasts is not None else None
    if ends is not None and len(ends) <= FEW_TEXTS and _is_rare(known, ends):
        return Bounds(any_of(own), any_of([*own, *ends]))
    firsts: list[str] | None = [first]
    if term.open_left and not unspaced(first):
        firsts = _stems(known.with_part(first, at_end=True, limit=MAX_FORMS))
    if firsts is not None and lasts is not None and len(firsts) * len(lasts) > MAX_PHRASES:
        firsts, lasts = (None, lasts) if len(firsts) > len(lasts) else (firsts, None)
    runs = [
        _run_of(begin, middle, end)
        for begin in (firsts if firsts is not None else [""])
        for end in (lasts if lasts is not None else [""])
    ]
    if runs == [""]:
        return Bounds(any_of(own), everything)
    sure = {stemmed(one) for one in own}
    perhaps = [one for one in runs if stemmed(one) not in sure]
    return Bounds(any_of(own), any_of([*own, *perhaps]))


def _run_of(*pieces: str) -> str:
    return " ".join(one for one in pieces if one)


def _is_rare(known: Vocabulary, phrases: Iterable[str]) -> bool:
    """Return whether few texts, of any owner, have one of these phrases."""
    asked = any_of(phrases)
    return all(
        len(known.db.run(index, asked, FEW_TEXTS + 1).fetchall()) <= FEW_TEXTS
        for index in ("newest_messages", "newest_summaries")
    )


def _stems(words: list[str] | None) -> list[str] | None:
    """Return one word for each stem."""
    return sorted({index_stem(word): word for word in words}.values()) if words is not None else None
