"""Whether a line gives one row of a table another row's figure: "checkout 171Mi" for the row of the payments.

Rules kept here:

- A table is what a source has in lines one below the other, of as many columns, with figures in the same ones. What
  names a row are the words that none of its other rows has.
- A clause that names one row, with a figure that only other rows of the table have, has exchanged them; it is given
  back the figure of that row in the column. What the source says in any sentence outside of the table stands.
- A share may be told in per cent: 0.034 is 3.4 %.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.sentences import sentences, terms

MIN_COLUMNS, MAX_COLUMNS = 2, 8
MIN_ROWS, MAX_ROWS = 2, 60
MAX_TABLES = 40
"""Tables of a source that are looked at, the last ones."""
MAX_SENTENCES = 2_000

_CELLS = later(r"[\s|,;]+")
_FIGURE = later(r"\d[\d.,]*(?:%|[A-Za-z]{0,3})")
_SAID = later(r"(?<![\w.,:/#-])\d[\d.,]{0,12}(?<![.,])(?:\s?%|[A-Za-z]{1,3}\b|(?![\w:/-]))")
_CLAUSE = later(r"[;,(]\s?|[，；、（]|\s(?:and|und|et|y|e|aber|but)\s")
_PER_CENT = 100


@dataclass(frozen=True, slots=True)
class _Row:
    """What names a row, and its figures by their columns."""

    words: frozenset[str]
    figures: dict[int, str]


def misread(lines: Sequence[str], text: str) -> Iterator[tuple[str, str]]:
    """(line, the line with its row's figures) of lines that give a row of a table another one's."""
    tables = list(_tables(text))[-MAX_TABLES:]
    told: list[tuple[str, frozenset[str]]] | None = None
    for line in lines if tables else ():
        right = line
        clauses = list(filter(str.strip, _CLAUSE.split(line)))
        bare = {word for clause in clauses if not _SAID.search(clause) for word in terms(clause)}
        if any(row.words & bare for rows in tables for row in rows):  # names first, then the figures of all
            continue
        for clause in clauses:
            for wrong, own, row in _otherwise(clause, tables):
                told = list(_told(text)) if told is None else told
                if not any(wrong in one and row & its for one, its in told):
                    right = right.replace(clause, clause.replace(wrong, own))
        if right != line:
            yield line.strip(), right.strip()


def _told(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The clauses of sentences with their words."""
    for one in list(sentences(text))[-MAX_SENTENCES:]:
        yield from ((clause, frozenset(terms(clause))) for clause in _CLAUSE.split(one))


def _otherwise(clause: str, tables: Sequence[Sequence[_Row]]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """(a figure of a clause, that of the row which it names, the row's words)."""
    words = set(terms(clause))
    told = [match[0] for match in _SAID.finditer(clause)]
    figure = told[0].replace(" ", "") if len(told) == 1 else ""
    for rows in tables if figure else ():
        named = [row for row in rows if row.words & words]
        columns = [at for row in rows for at, one in row.figures.items() if figure in _forms(one)]
        own = named[0].figures.get(columns[0], "") if len(named) == 1 and len(columns) == 1 else ""
        if own and figure not in _forms(own):
            yield told[0], _forms(own)[-1] if figure.endswith("%") else own, named[0].words & words


def _forms(figure: str) -> tuple[str, ...]:
    """A figure as it is, and as a share of a hundred where it is one."""
    if figure.startswith("0.") and figure[2:].isdecimal():
        return figure, f"{float(figure) * _PER_CENT:.6g}%"
    return (figure,)


def _tables(text: str) -> Iterator[list[_Row]]:
    block: list[list[str]] = []
    shape: tuple[bool, ...] = ()
    for line in (*text.splitlines(), ""):
        cells = [cell for cell in _CELLS.split(line.strip()) if cell]
        own = tuple(bool(_FIGURE.fullmatch(cell)) for cell in cells)
        fits = MIN_COLUMNS <= len(cells) <= MAX_COLUMNS and any(own) and not all(own) and not own[0]
        if fits and own == shape:
            block.extend([] if cells in block else [cells])
            continue
        if MIN_ROWS <= len(block) <= MAX_ROWS:
            yield _rows(block)
        block, shape = ([cells], own) if fits else ([], ())


def _rows(block: Sequence[Sequence[str]]) -> list[_Row]:
    named = [
        {
            term
            for cell in cells
            if not _FIGURE.fullmatch(cell)
            for term in terms(re.sub(r"[-_./]", " ", cell))
        }
        for cells in block
    ]
    rows: list[_Row] = []
    for place, cells in enumerate(block):
        others = set[str]().union(*(words for at, words in enumerate(named) if at != place))
        figures = {at: cell for at, cell in enumerate(cells) if _FIGURE.fullmatch(cell)}
        rows.append(_Row(frozenset(named[place] - others), figures))
    return rows
