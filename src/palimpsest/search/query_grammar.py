"""The grammar of patterns, parsed into a tree of values.

    query  = all { "OR" all }
    all    = one { ["AND"] one }
    one    = "NOT" one | "(" query ")" | word | "phrase" | %part of a word%

- AND, OR and NOT in capitals are operators; in lower case, or in quotes, they are words. NOT binds closest, then AND
  (also where no operator is written), then OR. NOT alone matches everything else.
- A word matches words of its stem and, if it has at least six characters, every place inside other words and paths.
  After NOT it matches whole words only: `NOT action` does not exclude "transaction".
- Quotes make one phrase, with any punctuation between its words; if it is written with spaces only, it matches whole
  words.
- `%part%` matches anywhere in a word, `begin%` at the beginning, `%end` at the end, without stemming.
- Parentheses group at the edge of a word, and next to an operator (`NOT(a OR b)`, `(a OR b)AND(c OR d)`). Inside a
  word they are ignored: `main(argv)` is one. An unmatched one is ignored.

Nothing else is an operator, and only letters and digits reach the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

from palimpsest.errors import UsageError
from palimpsest.lazy_regex import later
from palimpsest.limits import MAX_PATTERN_CHARS, MAX_PATTERN_NESTING, MAX_PATTERN_UNITS, MAX_PATTERN_WORDS
from palimpsest.search.word_folding import spaced, unspaced

INNER_CHARS = 6
"""A word of this many characters is also searched inside others."""

PART_CHARS = 3
"""A part of a word needs this many letters and digits, one less at a beginning or an end."""

_PIECES = later(r'"([^"]*)"?|([^\s"]+)')
_OPERATORS = frozenset(("AND", "OR", "NOT"))
_OPENING = later(r"(\(*)(AND|OR|NOT)(?=[(%])")
"""An operator right before its parenthesis or part of a word."""

_BETWEEN = later(r"(?<=\))(AND|OR|NOT)(?=[(%]|$)")
"""An operator right behind one, followed by another, a part of a word or a quotation."""

_NAME = later(r"[a-zß-ÿ][A-Z]|[\d_/\\]|\.\w")
"""The signs of a name, a path or a number: an inner capital, a digit, and joining punctuation."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word, phrase or part of a word. `words` are those of `typed`, folded (`word_folding`).

    `whole`: it matches whole words of the same stems. `inner`: it matches literally, with its ends open where
    `open_left` and `open_right` say so. `sign`: the text itself must contain this, too.
    """

    typed: str
    words: str
    whole: bool = True
    inner: bool = False
    open_left: bool = True
    open_right: bool = True
    sign: str = ""


@dataclass(frozen=True, slots=True)
class All:
    """All of its parts match."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """At least one of its parts matches."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Its part does not match."""

    part: Node


Node = Term | All | Any | Not


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed pattern. `phrases` are the words of everything to find, for snippets."""

    root: Node

    @property
    def phrases(self) -> tuple[str, ...]:
        """The words of each term that is not excluded."""
        return tuple(dict.fromkeys(term.words for term, wanted in leaves(self.root) if wanted))


def leaves(node: Node, *, wanted: bool = True) -> Iterator[tuple[Term, bool]]:
    """Yield every term, and whether it is wanted or excluded."""
    match node:
        case Term():
            yield node, wanted
        case Not(part):
            yield from leaves(part, wanted=not wanted)
        case All(parts) | Any(parts):
            for part in parts:
                yield from leaves(part, wanted=wanted)


def with_literal_names(node: Node, are_words: Callable[[str], bool]) -> Node:
    """Return the query with its names matched literally: `getThemes` is not `getTheme`. Return the query itself if it
    has no name. `are_words` says whether words were written as such: a long one that never was is a piece of a name.
    """
    return _changed(node, lambda term: _named(term, are_words))


def with_literal_signs(node: Node, are_words: Callable[[str], bool]) -> Node:
    """Return the same, with punctuation: `C++` is not `C`, `foo-bar` not `foo.bar`."""
    return _changed(node, lambda term: _signed(_named(term, are_words)))


def _changed(node: Node, change: Callable[[Term], Term]) -> Node:
    """Return the query with its wanted terms changed, except phrases and parts."""
    match node:
        case Term():
            return change(node) if node.whole and not any(map(str.isspace, node.typed)) else node
        case Not():
            return node
        case All(parts):
            return All(tuple(_changed(part, change) for part in parts))
        case Any(parts):
            return Any(tuple(_changed(part, change) for part in parts))


def _named(term: Term, are_words: Callable[[str], bool]) -> Term:
    if not _NAME.search(term.typed) and (not term.inner or are_words(term.words)):
        return term
    return replace(term, whole=False, inner=True, open_left=term.inner, open_right=term.inner)


def _signed(term: Term) -> Term:
    sign = term.typed.lstrip("([{<'").rstrip(")]}>',.;:!?")
    return term if sign.isalnum() else replace(term, sign=sign.casefold())


def parse(pattern: str) -> Query:
    """Return the query of a pattern. Raises UsageError for one with nothing to find, or of unreasonable size."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise UsageError(
            f"the pattern has {len(pattern):,} characters",
            hint=f"give at most {MAX_PATTERN_CHARS:,} characters",
        )
    marks = _marks(pattern)
    terms = sum(isinstance(one, Term) for one in marks)
    units = sum(one.words.count(" ") + 1 for one in marks if isinstance(one, Term))
    if not terms:
        operators = [one for one in marks if one in _OPERATORS]
        if operators:
            raise UsageError(
                f"{operators[0]} has no operands",
                hint=f'give words around it; in quotes, "{operators[0]}" is a word',
            )
        raise UsageError("the pattern has no word", hint="give at least one letter or digit")
    if terms > MAX_PATTERN_WORDS:
        raise UsageError(f"the pattern has {terms} words", hint=f"give at most {MAX_PATTERN_WORDS}")
    if units > MAX_PATTERN_UNITS:
        raise UsageError(
            f"the pattern has {units} words for the index, which splits at punctuation and in scripts without spaces",
            hint=f"give at most {MAX_PATTERN_UNITS}, for example the beginning of what you look for",
        )
    return Query(_Reader(marks).read())


_Mark = Term | str
"""A term, or one of AND, OR, NOT and the parentheses."""


def _marks(pattern: str) -> list[_Mark]:
    """Return the pattern cut into terms, operators and matched parentheses."""
    marks: list[_Mark] = []
    for found in _PIECES.finditer(pattern):
        quoted, bare = found.groups()
        if bare is None:
            marks += _term(quoted, quoted)
        elif bare in _OPERATORS:
            marks.append(bare)
        else:
            for piece in _BETWEEN.split(bare):
                marks += [piece] if piece in _OPERATORS else _opened(piece)
    return _balanced(marks)


def _opened(piece: str) -> list[_Mark]:
    """Return unquoted text without a space, with operators right before a parenthesis separated."""
    marks: list[_Mark] = []
    while opening := _OPENING.match(piece):
        marks += [*opening[1], opening[2]]
        piece = piece[opening.end() :]
    return marks + _bare(piece)


def _bare(piece: str) -> list[_Mark]:
    """Return unquoted text without a space: parentheses at its edges, and a word or an operator between."""
    inside = piece.lstrip("(")
    opened = len(piece) - len(inside)
    word = inside.rstrip(")")
    closed = len(inside) - len(word)
    own = max(0, min(closed, word.count("(") - word.count(")")))
    word += ")" * own
    middle: list[_Mark] = [word] if word in _OPERATORS else _term(word, word)
    return ["("] * opened + middle + [")"] * (closed - own)


def _term(typed: str, text: str) -> list[_Mark]:
    """Return the term of a word or a phrase; nothing if it has no letter or digit."""
    words = spaced(text)
    if not words:
        return []
    shown = typed.strip()
    left, right = shown.startswith("%"), shown.endswith("%")
    if left or right:
        least = PART_CHARS if left and right else PART_CHARS - 1
        if len(words) < least and not unspaced(words):
            if words.isdecimal() and not left:
                return [Term(typed, words)]
            raise UsageError(
                f"{shown!r} is too short a part of a word",
                hint=f"give at least {least} letters or digits",
            )
        return [Term(typed, words, whole=False, inner=True, open_left=left, open_right=right)]
    inner = len(shown) >= INNER_CHARS and len(words) >= PART_CHARS and not _plain_words(shown)
    return [Term(typed, words, inner=inner)]


def _plain_words(text: str) -> bool:
    """Return whether a text is several words with only spaces between them, as in prose."""
    pieces = text.split()
    return len(pieces) > 1 and not any(" " in spaced(piece) for piece in pieces)


def _balanced(marks: list[_Mark]) -> list[_Mark]:
    """Return the marks without unmatched or empty parentheses."""
    kept: set[int] = set()
    opened: list[tuple[int, bool]] = []
    for place, one in enumerate(marks):
        if one == "(":
            opened.append((place, False))
        elif one == ")":
            start, holds = opened.pop() if opened else (place, False)
            if holds:
                kept |= {start, place}
                opened[-1:] = [(outer, True) for outer, _ in opened[-1:]]
        else:
            kept.add(place)
            opened[-1:] = [(outer, True) for outer, _ in opened[-1:]]
    return [one for place, one in enumerate(marks) if place in kept]


class _Reader:
    """Recursive descent over the marks, one method for each level of the grammar."""

    def __init__(self, marks: list[_Mark]) -> None:
        self._marks = marks
        self._place = 0
        self._depth = 0

    def read(self) -> Node:
        """Return the whole pattern."""
        return self._any()

    def _next(self) -> _Mark | None:
        return self._marks[self._place] if self._place < len(self._marks) else None

    def _any(self, *, wanted: bool = True) -> Node:
        parts = [self._all(wanted)]
        while self._next() == "OR":
            self._place += 1
            parts.append(self._all(wanted))
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def _all(self, wanted: bool) -> Node:
        parts = [self._one(wanted)]
        while self._next() not in {None, "OR", ")"}:
            if self._next() == "AND":
                self._place += 1
            parts.append(self._one(wanted))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _one(self, wanted: bool) -> Node:
        ruled_out = False
        while self._next() == "NOT":
            self._place += 1
            ruled_out = not ruled_out
        wanted = wanted != ruled_out
        mark = self._next()
        self._place += 1
        if mark == "(":
            self._depth += 1
            if self._depth > MAX_PATTERN_NESTING:
                raise UsageError(
                    "the pattern is nested too deeply", hint=f"use at most {MAX_PATTERN_NESTING} parentheses"
                )
            node = self._any(wanted=wanted)
            self._place += 1
            self._depth -= 1
        elif isinstance(mark, Term):
            node = mark if wanted or not mark.whole else Term(mark.typed, mark.words)
        else:
            self._lacking(mark)
        return Not(node) if ruled_out else node

    def _lacking(self, found: str | None) -> NoReturn:
        before = self._marks[self._place - 2] if self._place > 1 else None
        operator = before if isinstance(before, str) and before in _OPERATORS else found
        raise UsageError(
            f"{operator} lacks a word",
            hint=f'AND and OR join two words, NOT precedes one; in quotes, "{operator}" is a word',
        )
