"""Totals of a summary that are what the rows of one list in its source come to.

Rules kept here:

- Rows of a list are lines beside each other that differ in their names and numbers alone. What all of them come to is
  known, column by column; parts of a list are not, as nearly every number is the sum of some others.
- A number is a total only where its clause says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from palimpsest.patterns import later

LEAST_ROWS, MAX_ROWS, MAX_COLUMNS = 2, 400, 12
ROW_CHARS = 400
MAX_TOTALS = 20_000
_TOKEN = later(r"(?P<number>(?<![\w.,])\d[\d,_]*(?:\.\d+)?(?![\w.]))|[\w.:/@-]+")
_CLAUSE = later(r"[;.:!?]\s|[；。！？\n]")
_TOTALS = later(
    r"\b(?:total\w*|sum(?:s|med)?|together|altogether|in all|all in all|overall|combined|all (?:\w+ ){0,2}(?:\w+s|"
    r"of them)|both|"
    r"insgesamt|zusammen|gesamt\w*|summe|alle|beide|en tout|ensemble|somme|tou(?:s|tes)|suma\w*|juntos|"
    r"entre tod[ao]s|tod[ao]s|"
    r"soma\w*|juntas|insieme|somma\w*|complessiv\w+|tutt[ei]|всего|итого|вместе|сумм\w*|все)\b|"
    r"[一总]共|共[有计]?|[合总]计|加起来|全部|合計|計|合わせて|総計|총|합계|모두|합쳐",
    re.IGNORECASE,
)
"""How a total is told."""


def says_total(number: str, text: str) -> bool:
    """Whether every clause of a text that has a number calls it a total."""
    clauses = [one for line in text.splitlines() for one in _CLAUSE.split(line) if number in one]
    return bool(clauses) and all(map(_TOTALS.search, clauses))


def totals_in(text: str) -> frozenset[float]:
    """What the columns of each list in a text come to."""
    found: set[float] = set()
    for rows in _lists(text):
        for column in list(zip(*rows, strict=True))[:MAX_COLUMNS]:
            half = len(column) // 2
            found.add(sum(column))
            if column[:half] == column[half:]:  # a text that stands twice in a row
                found.add(sum(column[:half]))
        if len(found) > MAX_TOTALS:
            break
    return frozenset(found)


def _lists(text: str) -> Iterator[Sequence[tuple[float, ...]]]:
    """The numbers of the rows of each list."""
    read = (_row(line) if len(line) <= ROW_CHARS else ("", ()) for line in text.splitlines())
    for shape, rows in groupby(read, key=lambda row: row[0]):
        numbers = [row[1] for row in rows][:MAX_ROWS] if "0" in shape else []
        if len(numbers) >= LEAST_ROWS:
            yield numbers


def _row(line: str) -> tuple[str, tuple[float, ...]]:
    """What a line is like without its names and numbers, and its numbers."""
    numbers = tuple(
        float(found["number"].replace(",", "").replace("_", ""))
        for found in _TOKEN.finditer(line)
        if found["number"]
    )
    return _TOKEN.sub(lambda found: "0" if found["number"] else "w", line.strip()), numbers
