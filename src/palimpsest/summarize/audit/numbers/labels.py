"""Numbers by which people call things, "room 181", in a summary, held against its source.

Rules kept here:

- One is judged where the source has such a thing with another number, and this number nowhere at all. The next one, and
  one between two that it has, are what people count on to.
- One that has the figures of a single one of the source's in another order, or that stands where the source has only
  one, becomes that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import as_key, later
from palimpsest.summarize.audit.numbers.amounts import UNIT

BEHIND_CHARS = 24
"""Behind a number, in which it goes on to others."""

_NOUNS = (
    "room Raum Zimmer 房间|barrel Fass 桶|page Seite|chapter Kapitel|gate|seat Sitz|platform Gleis|case Aktenzeichen|"
    "ward Station 病房|bed Bett|apartment flat Wohnung|invoice Rechnung|exhibit|batch Charge|locker|berth|dock|"
    "paragraph Paragraf|article Artikel|section Abschnitt|appendix Anhang|cabin Kabine|building Gebäude|"
    "table Tisch|crate Kiste|hall Halle|tank|pump Pumpe|revision"
)
_NOUN = {as_key(noun): group.split()[0] for group in _NOUNS.split("|") for noun in group.split()}
_LABEL = later(
    rf"(?<![\w-])(?P<noun>{'|'.join(sorted(_NOUN, key=len, reverse=True))})"
    r"(?:\s?(?:number|no\.?|nr\.?|nummer|号)(?![a-z]))?[\s:#]{0,2}(?P<number>[A-Z]?\d{1,6})(?![\w%]|[.,:/-]\d)",
    re.IGNORECASE,
)
_NOT_ALONE = later(
    rf"\s?(?:-|–|—|to|and|or|bis|und|oder|,|&|至|到|和)\s?\d|\s?(?:of|von)\s\d|\s?(?:{UNIT}|%)(?![A-Za-z])|"
    r" [a-z]{3,20}s\b(?<!is)(?<!was)(?<!has)"
)


def misnumbered(text: str, source: str) -> Iterator[tuple[str, str]]:
    """(noun and number, the source's) of those in a text that the source's does not have; "" where none is meant."""
    named = list(_LABEL.finditer(text))
    known: dict[str, set[str]] = {}
    for match in _LABEL.finditer(source) if named else ():
        known.setdefault(_NOUN[as_key(match["noun"])], set()).add(match["number"])
    for match in named:
        right = _meant(match, text, known.get(_NOUN[as_key(match["noun"])], set()), source)
        if right is not None:
            yield match[0], right


def _meant(match: re.Match[str], text: str, known: set[str], source: str) -> str | None:
    number = match["number"]
    letter = number.rstrip("0123456789")
    rest = text[match.end() : match.end() + BEHIND_CHARS]
    if len(number) < 2 or not known or _NOT_ALONE.match(rest) or re.search(rf"(?<!\d){number}(?!\d)", source):
        return None
    figures = int(number.removeprefix(letter))
    counted = sorted(
        int(other.removeprefix(letter)) for other in known if re.fullmatch(rf"{letter}\d+", other)
    )
    if any(abs(other - figures) == 1 for other in counted) or (
        counted and counted[0] < figures < counted[-1]
    ):
        return None
    like = {other for other in known if sorted(other) == sorted(number)}
    fitting = like or known
    return match[0].replace(number, next(iter(fitting))) if len(fitting) == 1 else ""
