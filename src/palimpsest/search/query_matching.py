"""Whether a text matches a query: the definition of the grammar.

It is slow on purpose: it reads one whole text at a time. The index of a store must find exactly what this defines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from palimpsest.search.query_grammar import All, Any, Node, Not, Term
from palimpsest.search.word_folding import spaced, stemmed

_KEPT_TEXTS = 8


@dataclass(frozen=True, slots=True)
class Body:
    """A text to match: its folded words, separated and surrounded by spaces; and the text itself."""

    words: str
    text: str = ""

    @classmethod
    def of(cls, text: str) -> Body:
        """Return the body of a text."""
        return cls(f" {spaced(text)} ", text)

    @property
    def stems(self) -> str:
        """The same with each word's stem."""
        return _stems(self.words)


@lru_cache(maxsize=_KEPT_TEXTS)
def _stems(words: str) -> str:
    return f" {stemmed(words.strip(' '))} "


def matches(node: Node, body: Body) -> bool:
    """Return whether a text matches the query."""
    match node:
        case All(parts):
            return all(matches(part, body) for part in parts)
        case Any(parts):
            return any(matches(part, body) for part in parts)
        case Not(part):
            return not matches(part, body)
        case Term():
            if node.sign and node.sign not in body.text.casefold():
                return False
            return (node.inner and inside(node, body)) or (node.whole and whole(node, body))


def whole(term: Term, body: Body) -> bool:
    """Return whether the text has the term's words, in any form, in sequence."""
    return f" {stemmed(term.words)} " in body.stems


def inside(term: Term, body: Body) -> bool:
    """Return whether the text has the term literally, at word edges where they are not open."""
    left = "" if term.open_left else " "
    right = "" if term.open_right else " "
    return f"{left}{term.words}{right}" in body.words
