"""Whether a text is what a query asks for: the meaning of the grammar, as plainly as it can be said.

Slow on purpose: it looks at one whole text at a time. The index of a store has to find exactly what this says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from palimpsest.search.query_grammar import All, Any, Node, Not, Term
from palimpsest.search.word_folding import spaced, stemmed

_KEPT_TEXTS = 8


@dataclass(frozen=True, slots=True)
class Body:
    """A text as it is looked at: its words, with a space between them, before and after; and the text itself."""

    words: str
    text: str = ""

    @classmethod
    def of(cls, text: str) -> Body:
        """The body of a text."""
        return cls(f" {spaced(text)} ", text)

    @property
    def stems(self) -> str:
        """The same with each word as its stem."""
        return _stems(self.words)


@lru_cache(maxsize=_KEPT_TEXTS)
def _stems(words: str) -> str:
    return f" {stemmed(words.strip(' '))} "


def asked_for(node: Node, body: Body) -> bool:
    """Whether a text is what the query asks for."""
    match node:
        case All(parts):
            return all(asked_for(part, body) for part in parts)
        case Any(parts):
            return any(asked_for(part, body) for part in parts)
        case Not(part):
            return not asked_for(part, body)
        case Term():
            if node.sign and node.sign not in body.text.casefold():
                return False
            return (node.inner and inside(node, body)) or (node.whole and whole(node, body))


def whole(term: Term, body: Body) -> bool:
    """Whether the text has the term's words, in any form, one after another."""
    return f" {stemmed(term.words)} " in body.stems


def inside(term: Term, body: Body) -> bool:
    """Whether the text has the term as it stands, at the edges of words where they are not open."""
    left = "" if term.open_left else " "
    right = "" if term.open_right else " "
    return f"{left}{term.words}{right}" in body.words
