"""Words without digits as passwords: behind a name of one, in a sentence or after a label, in whatever language.

Rules kept here:

- Words drawn by lot (`correct-horse-battery-staple`) are a password wherever a sentence has said "password".
- In a sentence of other letters a Latin word is no state of the password, so it is the password.
- Behind a colon that ends a label, and behind a verb that tells a name and no state ("lautet"), stands the password.
- Behind a verb that may tell either ("is", "est"), a word is one only where it has no ending of an adjective.
"""

from __future__ import annotations

from palimpsest.patterns import later
from palimpsest.summarize.secrets.ordinary import is_ordinary
from palimpsest.summarize.secrets.prose import OF_ITSELF

Span = tuple[int, int]

_BETWEEN = r"[^\n.,;:=<>{}\[\]|/\\\"_]"
_ENDS = r"(?=[\"'`”»」]?[.!]?[ \t]{0,4}(?:\r?\n(?!\s{0,40}[)}\]])|\Z))"
_WORD = r"([A-Za-zäöüß]{5,24})"
_OPENED = r"[\"'`“«„「]?"

_WORDS = r"([A-Za-z]{3,12}(?:-[A-Za-z]{3,12}){3,9})(?![\w-])"
_DRAWN = later(rf"{OF_ITSELF}{_BETWEEN}{{0,40}}?[ :(\"'`“«–—]{{1,4}}{_WORDS}")
_FOREIGN_DRAWN = later(
    rf"[^\n.;=<>{{}}\[\]|/\\\"_A-Za-z]{{0,40}}?{_OPENED}(?<![\w-]){_WORDS}|[是为為はが]{_OPENED}{_WORDS}"
)
_NATIVE = r"[^\n.;:=<>{}\[\]|/\\\"_A-Za-z]"
_FOREIGN = later(
    rf"(?:{_NATIVE}{{0,20}}?(?:[:：—–-] ?|[\"'`“«„「]|[是为為成はがを은는]|(?:это|هي|है|היא) )|{_NATIVE}{{0,3}}? )"
    rf"{_OPENED}(?<![A-Za-z])([A-Za-z]{{6,24}})(?=[\"'`”»」]? ?(?:[。，、.,!！]|\r?\n|\Z|[^\x00-\x7f]))"
)
_TOLD = (
    later(rf"(?![\w-])(?:{_BETWEEN}{{0,40}}?)? ?[:：] {{1,3}}{_OPENED}{_WORD}{_ENDS}"),
    later(rf"{_BETWEEN}{{0,40}}? (?:lautet|heißt) {_OPENED}{_WORD}(?![\w-])"),
    later(rf"(?i:(?<=hasło)) to {_OPENED}{_WORD}{_ENDS}"),
    later(rf" [\"'“«„]{_WORD}[\"'”“»]"),
    later(
        rf"{_BETWEEN}{{0,40}}? (?:is|ist|was):? {_OPENED}([a-z]{{6,24}})"
        rf"(?<!ly|al|ic|ig)(?<!ary|ent|ant|ous|ive|ful|bar)(?<!less|lich){_ENDS}"
    ),
    later(rf"{_BETWEEN}{{0,40}}? est {_OPENED}([a-z]{{6,24}})(?<![aeiolrstucdfnxéè]){_ENDS}"),
    later(rf"{_BETWEEN}{{0,40}}? (?:es|é|è|är) {_OPENED}([a-z]{{6,24}})(?<![aeiolrst]){_ENDS}"),
)
_LATIN = later(r"[A-Za-z]")


def word_said(text: str, at: int, end: int) -> Span | None:
    """Where a password of words stands that is told behind its name here; None where none is."""
    foreign = not _LATIN.search(text, at, end)
    for pattern in (_FOREIGN_DRAWN, _FOREIGN) if foreign else (_DRAWN, *_TOLD):
        match = pattern.match(text, end)
        group = match.lastindex or 1 if match else 1
        if match and not is_ordinary(match[group]):
            return match.span(group)
    return None
