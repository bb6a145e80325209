"""Rows of names as our own ledgers and summaries have them: "- symbols: wrong_password parseTide2031".

Rules kept here:

- Names stand there side by side, and none is the value of the one before it: each is judged by itself, wherever such a
  row was copied to. What shows by its own look that it is a secret is one there as well.
- Behind a plain word (`password`), which is no name in code, and over several names (the number of a card) nothing
  changes: people make lists, too.
"""

from __future__ import annotations

from collections.abc import Generator

from palimpsest.patterns import later
from palimpsest.summarize.secrets.places import Span, find_secrets
from palimpsest.summarize.sections import NAME_LABELS

MAX_ROW_CHARS = 20_000
_ROW = later(rf"(?:\A|\n)[ \t]{{0,8}}[-*] (?:{'|'.join(NAME_LABELS)}): (?P<names>[^\n]{{1,{MAX_ROW_CHARS}}})")
_NAME = later(r"[^\s;]+")
_WORD = later(r"[^\W\d_][^\W\d_A-Z]*[:;,.]?")


def named_alone(text: str, found: list[Span]) -> Generator[None, None, list[Span]]:
    """The places found in a text without those that in a row of names are secrets only for what stands beside them."""
    rows = [match.span("names") for match in _ROW.finditer(text)] if found else []
    kept: list[Span] = []
    for span in found:
        row = next((row for row in rows if row[0] <= span[0] and span[1] <= row[1]), None)
        name = None if row is None else _name(text, span, row)
        if name is None:
            kept.append(span)
        else:
            alone = yield from find_secrets(text[slice(*name)])
            kept += [(name[0] + start, name[0] + end) for start, end in alone]
    return kept


def _name(text: str, span: Span, row: Span) -> Span | None:
    """The one name of a row that a place is in; None where it is in none, or behind a plain word."""
    start = max(text.rfind(sign, row[0], span[0]) for sign in " \t;") + 1 or row[0]
    match = _NAME.match(text, start, row[1])
    before = text[row[0] : start].split()
    plain = before and _WORD.fullmatch(before[-1])
    return match.span() if match and match.end() >= span[1] and not plain else None
