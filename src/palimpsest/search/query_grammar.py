"""What a pattern asks for: its grammar, as a tree of values.

    query  = all { "OR" all }
    all    = one { ["AND"] one }
    one    = "NOT" one | "(" query ")" | word | "phrase" | %part of a word%

- AND, OR and NOT are operators in capitals; in lower case, or in quotes, they are words. NOT binds closest, then AND
  (also where nothing stands between two words), then OR. NOT without anything else asks for everything but.
- A word stands for itself and what has its stem, and, if it has at least six characters, for every place inside other
  words and paths that reads like it. After NOT it stands for whole words only: `NOT action` leaves out no
  "transaction".
- What is in quotes is one phrase, whatever stands between its words in the text; of whole words where only spaces
  stand between them.
- `%part%` is found anywhere in a word, `begin%` at the beginning of one, `%end` at its end; nothing is stemmed there.
- Parentheses group at the edge of a word, and beside an operator (`NOT(a OR b)`, `(a OR b)AND(c OR d)`);
  inside a word
  they are nothing: `main(argv)` is one. One too many is nothing.

Nothing else is an operator, and nothing that is typed reaches the index but letters and digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

from palimpsest.errors import UsageError
from palimpsest.lazy_regex import later
from palimpsest.limits import MAX_PATTERN_CHARS, MAX_PATTERN_NESTING, MAX_PATTERN_WORDS
from palimpsest.search.word_folding import spaced, unspaced

INNER_CHARS = 6
"""A word of so many characters is also looked for inside others."""

PART_CHARS = 3
"""A part of a word needs so many letters and digits, one less where it is a beginning or an end."""

_PIECES = later(r'"([^"]*)"?|([^\s"]+)')
_OPERATORS = frozenset(("AND", "OR", "NOT"))
_OPENING = later(r"(\(*)(AND|OR|NOT)(?=[(%])")
"""An operator right before the parenthesis, or the part of a word, that it is for."""

_BETWEEN = later(r"(?<=\))(AND|OR|NOT)(?=[(%]|$)")
"""An operator right behind one, with another, a part of a word or a quotation behind it."""

_NAME = later(r"[a-zß-ÿ][A-Z]|[\d_/\\]|\.\w")
"""What a name, a path or a number is told by: a capital behind a small letter, a digit, and what joins parts."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word, phrase or part of a word. `words` are those of `typed` as a text has them (`search.fold`).

    `whole`: it is found as whole words of the same stems. `inner`: it is found as it stands, its first word's beginning
    and its last word's end open where `open_left` and `open_right` say so. `sign`: the text itself has that, too.
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
    """What every one of its parts asks for."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """What at least one of its parts asks for."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Everything but."""

    part: Node


Node = Term | All | Any | Not


@dataclass(frozen=True, slots=True)
class Query:
    """A pattern that was read. `phrases` are the words of all that is to be found, for showing where."""

    root: Node

    @property
    def phrases(self) -> tuple[str, ...]:
        """The words of each term that is not ruled out."""
        return tuple(dict.fromkeys(term.words for term, wanted in leaves(self.root) if wanted))


def leaves(node: Node, *, wanted: bool = True) -> Iterator[tuple[Term, bool]]:
    """Every term, with whether it is asked for or ruled out."""
    match node:
        case Term():
            yield node, wanted
        case Not(part):
            yield from leaves(part, wanted=not wanted)
        case All(parts) | Any(parts):
            for part in parts:
                yield from leaves(part, wanted=wanted)


def as_it_stands(node: Node, are_words: Callable[[str], bool]) -> Node:
    """The query with each name that it asks for as it is typed, and no form of it: `getThemes` is no `getTheme`. The
    query itself where it asks for no name. `are_words` says whether words were written as such: a long one that never
    was is a piece of a name.
    """
    return _changed(node, lambda term: _named(term, are_words))


def to_the_letter(node: Node, are_words: Callable[[str], bool]) -> Node:
    """The same, and with the signs that are typed: `C++` is no `C`, `foo-bar` no `foo.bar`."""
    return _changed(node, lambda term: _signed(_named(term, are_words)))


def _changed(node: Node, change: Callable[[Term], Term]) -> Node:
    """The query with what it asks for changed, but for phrases and parts."""
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
    """The query a pattern stands for. Raises UsageError for one with nothing to look for, or of unreasonable size."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise UsageError(
            f"the pattern has {len(pattern):,} characters",
            hint=f"give at most {MAX_PATTERN_CHARS:,} characters",
        )
    marks = _marks(pattern)
    terms = sum(isinstance(one, Term) for one in marks)
    if not terms:
        operators = [one for one in marks if one in _OPERATORS]
        if operators:
            raise UsageError(
                f"{operators[0]} stands alone",
                hint=f'give words beside it; in quotes, "{operators[0]}" is a word',
            )
        raise UsageError("the pattern holds no word to look for", hint="give at least one letter or digit")
    if terms > MAX_PATTERN_WORDS:
        raise UsageError(f"the pattern has {terms} words", hint=f"give at most {MAX_PATTERN_WORDS}")
    return Query(_Reader(marks).read())


_Mark = Term | str
"""A term, or one of AND, OR, NOT and the parentheses."""


def _marks(pattern: str) -> list[_Mark]:
    """The pattern cut into terms, operators and parentheses that have a partner."""
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
    """What stands without quotes and without a space, operators right before a parenthesis apart."""
    marks: list[_Mark] = []
    while opening := _OPENING.match(piece):
        marks += [*opening[1], opening[2]]
        piece = piece[opening.end() :]
    return marks + _bare(piece)


def _bare(piece: str) -> list[_Mark]:
    """What stands without quotes and without a space: parentheses at its edges, and a word or an operator between."""
    inside = piece.lstrip("(")
    opened = len(piece) - len(inside)
    word = inside.rstrip(")")
    closed = len(inside) - len(word)
    own = max(0, min(closed, word.count("(") - word.count(")")))
    word += ")" * own
    middle: list[_Mark] = [word] if word in _OPERATORS else _term(word, word)
    return ["("] * opened + middle + [")"] * (closed - own)


def _term(typed: str, text: str) -> list[_Mark]:
    """The term for a word or a phrase; nothing where it holds no letter or digit."""
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
    """Whether a text is several words with nothing but spaces between them: as people speak, not a piece of code."""
    pieces = text.split()
    return len(pieces) > 1 and not any(" " in spaced(piece) for piece in pieces)


def _balanced(marks: list[_Mark]) -> list[_Mark]:
    """Without parentheses that have no partner, or nothing between them."""
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
    """Reads marks from left to right, one function for each level of the grammar."""

    def __init__(self, marks: list[_Mark]) -> None:
        self._marks = marks
        self._place = 0
        self._depth = 0

    def read(self) -> Node:
        """The whole pattern."""
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
