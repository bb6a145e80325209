"""What a command printed that prints a secret and nothing else, judged where its output stands.

Rules kept here:

- Where a store of secrets was asked, the first line is one whatever it looks like.
- Where every word looks drawn by lot, and is no path or address, each of them is one.
- Where something called a password was asked for by its name and one word alone was printed, that is it, however weak:
  no word that forms and states use (`unset`, `changeme`), and nothing of a command that failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.ordinary import is_form_word, is_ordinary
from palimpsest.summarize.secrets.written.printing import (
    ALONE_AGAIN,
    ALONE_FIRST,
    MAY_PRINT,
    NAMES_PASSWORD,
    PRINTS,
)

HEAD_CHARS = 4_000

Span = tuple[int, int]

_LINE = later(r"[ \t]{0,8}(?!\[secret:)([^\s/\"'`]{4,400})[ \t]{0,8}(?:\r?\n|\Z)")
_WORDS = later(r"[^\s\"'`,;]{4,4000}")
_ONE = later(r"\s{0,40}[\"'`]?([^\s\"'`]{4,400})[\"'`]?\s{0,40}\Z")
_ESCAPED_SPACE = later(r"\\[nrt]")
_RANDOM = later(r"(?=.*\d)(?=.*[^\W\d_])(?=.{8})|.*\w[!@#%^&?+=~*$]\w|(?=.*[a-z][A-Z].*[a-z][A-Z])")
NONE = later(
    r"[/~.<\[{(]|\w{2,12}:(?://|[\w.-]+/\S*#)|sha\d+:|(?:[\w-]+\.)+[a-z]{2,6}\Z|[\w./-]+\.\w{1,5}\Z|\[secret:|v?\d+(?:\.\d+)+"
)
"""Paths, addresses, versions."""
_POINTS = later(r"[/~.<\[{($%*-]|\w{2,12}:|\w+\(|\d{1,3}(?:\.\d+)*\Z|(?P<one>.)(?P=one)*\Z|.*[:.…]\Z")
"""How a value begins that only says where the secret is, or a message."""
_LETTERS = later(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Printing:
    """What a command prints: so many `lines` that are secrets whatever they look like, and whether what it asks for is
    called a password.
    """

    lines: int = 0
    password: bool = False


def printing(command: str) -> Printing | None:
    """What a command prints that prints a secret alone; None for any other. It stands in quotes, or is JSON."""
    found = PRINTS.search(command) if MAY_PRINT.stands_in(command) else None
    if found is None:
        return None
    named = NAMES_PASSWORD.search(command, found.start(), found.end() + 60)
    lines = len(ALONE_AGAIN.findall(command)) if ALONE_FIRST.match(command) else 0
    return Printing(lines, password=named is not None)


def secrets_printed(text: str, span: Span, made: Printing, *, sure: bool = True) -> Iterator[Span]:
    """Where in what a command printed, which stands at `span`, secrets stand. `sure` says that nobody but the command
    wrote it, and that it did not fail.
    """
    output = _ESCAPED_SPACE.sub("  ", text[slice(*span)][:HEAD_CHARS])
    found = {*(_first_lines(output, made.lines) if sure else ()), *_drawn(output)}
    one = _ONE.match(output) if made.password and sure and not found else None
    if one and may_be_value(one[1]):
        found.add(one.span(1))
    yield from ((span[0] + start, span[0] + end) for start, end in sorted(found))


def _first_lines(output: str, count: int) -> Iterator[Span]:
    """The first lines of an output, as long as each holds one word."""
    at = len(output) - len(output.lstrip("\r\n")) if count else 0
    for _ in range(count):
        line = _LINE.match(output, at)
        if line is None:
            return
        yield line.span(1)
        at = line.end()


def _drawn(output: str) -> Iterator[Span]:
    """Every word of an output, where each looks drawn by lot."""
    words = list(_WORDS.finditer(output))
    if words and all(_RANDOM.match(word[0]) and not NONE.match(word[0]) for word in words):
        yield from (word.span() for word in words)


def may_be_value(word: str) -> bool:
    """Whether a word that a command printed alone can be somebody's password."""
    if len(word) < 4 or _POINTS.match(word) or (word.isalpha() and is_ordinary(word)):
        return False
    words = _LETTERS.findall(word)
    return not words or not all(map(is_form_word, words)) or any(map(str.isdigit, word))
