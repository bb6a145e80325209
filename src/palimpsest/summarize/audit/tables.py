"""Whether a line gives one row of a table another row's figure: "checkout 171Mi" for the row of the payments.

Rules kept here:

- A table is what a source has in lines one below the other, of as many columns, with figures in the same ones. What
  names a row are the words that none of its other rows has.
- A clause that names one row, with a figure that only other rows of the table have, has exchanged them; it is given
  back the figure of that row in the column.
- A bare number may count anything. It is taken for the table's only with a unit that the row has in one cell, with a
  word of the column's header, or where a line gives rows each other's figures.
- What the source has outside of the table with the row's words stands, in sentences, calls and results.
- A share may be told in per cent: 0.034 is 3.4 %.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from palimpsest.patterns import later
from palimpsest.summarize.sentences import terms

MIN_COLUMNS, MAX_COLUMNS = 2, 8
MIN_ROWS, MAX_ROWS = 2, 60
MAX_TABLES = 40
"""Tables of a source that are looked at, the last ones."""
ROW_CHARS = 400
"""A longer line is no row, and is looked at no further."""
MAX_PLACES = 200
"""Lines with a figure that are looked at for the words of a row."""
LINES_BEFORE = 8
"""Above a figure, in which its row's words stand: a call, and the first lines of its result."""

_CELLS = later(r"[\s|,;]+")
_FIGURE = later(r"\d[\d.,]*(?:%|[A-Za-z]{0,3})")
_SAID = later(r"(?<![\w.,:/#-])\d[\d.,]{0,12}(?<![.,])(?:\s?%|[A-Za-z]{1,3}\b|(?![\w:/-]))")
_CLAUSE = later(r"[;,(]\s?|[，；、（]|\s(?:and|und|et|y|e|aber|but)\s")
_PARTS = later(r"[-_./]")
_PER_CENT = 100


@dataclass(frozen=True, slots=True)
class _Row:
    """What names a row, and its figures by their columns."""

    words: frozenset[str]
    figures: dict[int, str]


@dataclass(frozen=True, slots=True)
class _Table:
    """The words above each column, if there are any, and the rows; `cells` are they as written."""

    header: tuple[frozenset[str], ...]
    rows: tuple[_Row, ...]
    cells: frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Slip:
    """A figure of a clause, from `start` to `end`, where its row has `own` in that column; `owners` are the words of
    the row whose it is. `sure` says that the clause means the column.
    """

    clause: str
    start: int
    end: int
    figure: str
    own: str
    row: frozenset[str]
    owners: frozenset[str]
    column: tuple[int, int]
    sure: bool


def misread(lines: Sequence[str], text: str) -> Iterator[tuple[str, str]]:
    """(line, the line with its row's figures) of lines that give a row of a table another one's."""
    tables = _tables(text)
    known = {cells for table in tables for cells in table.cells}
    outside: list[str] = []
    for line in lines if tables else ():
        clauses = list(filter(str.strip, _CLAUSE.split(line)))
        bare = {word for clause in clauses if not _SAID.search(clause) for word in terms(clause)}
        if any(
            row.words & bare for table in tables for row in table.rows
        ):  # names first, then the figures of all
            continue
        slips = [slip for clause in clauses for slip in _slips(clause, tables)]
        right = line
        for slip in slips:
            outside = outside or text.splitlines()
            if (slip.sure or _is_exchanged(slip, slips)) and not _is_told(slip, outside, known):
                mended = slip.clause[: slip.start] + slip.own + slip.clause[slip.end :]
                right = right.replace(slip.clause, mended)
        if right != line:
            yield line.strip(), right.strip()


def _slips(clause: str, tables: Sequence[_Table]) -> Iterator[_Slip]:
    """What a clause says of the one row that it names, and another row of the table has."""
    said = list(_SAID.finditer(clause))
    figure = said[0][0].replace(" ", "") if len(said) == 1 else ""
    words = set(terms(clause)) if figure else set[str]()
    named = [[row for row in table.rows if row.words & words] for table in tables]
    if any(figure in _forms(one) for rows in named for row in rows for one in row.figures.values()):
        return
    for place, (table, rows) in enumerate(zip(tables, named, strict=True)):
        whose = [(row, at) for row in table.rows for at, one in row.figures.items() if figure in _forms(one)]
        if len(rows) == 1 and len(whose) == 1:
            owner, column = whose[0]
            own = rows[0].figures[column]
            told = _forms(own)[-1] if figure.endswith("%") else own
            is_headed = bool(table.header) and not words.isdisjoint(table.header[column])
            yield _Slip(
                clause, said[0].start(), said[0].end(), figure, told, rows[0].words & words, owner.words,
                (place, column), sure=is_headed or _is_measured(figure, rows[0]),
            )  # fmt: skip


def _is_measured(figure: str, row: _Row) -> bool:
    """Whether a figure has a unit, and the row has that unit in one cell."""
    unit = _unit(figure)
    like = [one for one in row.figures.values() if unit in map(_unit, _forms(one))]
    return bool(unit) and len(like) == 1


def _is_exchanged(slip: _Slip, slips: Sequence[_Slip]) -> bool:
    """Whether the rows of a line have each other's figures of a column."""
    like = [one for one in slips if one.column == slip.column]
    return len(like) > 1 and sorted(one.figure for one in like) == sorted(one.own for one in like)


def _is_told(slip: _Slip, lines: Sequence[str], known: set[tuple[str, ...]]) -> bool:
    """Whether a source has the figure outside of its tables, in any unit, with words of the row and none of the row
    whose figure it is: in a clause, or in a line and those above it.
    """
    number = slip.figure.removesuffix(_unit(slip.figure))
    figure = re.compile(rf"(?<![\w.]){re.escape(number)}(?!\d|[.,]\d)")
    places = (at for at, line in enumerate(lines) if number in line and figure.search(line))
    plain = (at for at in places if tuple(_cells(lines[at])) not in known)
    for at in islice(plain, MAX_PLACES):
        above = [
            line for line in lines[max(0, at - LINES_BEFORE) : at + 1] if tuple(_cells(line)) not in known
        ]
        clauses = [one for one in _CLAUSE.split(lines[at]) if figure.search(one)]
        for stretch in (*clauses, "\n".join(above)):
            words = set(terms(stretch))
            if slip.row & words and not slip.owners & words:
                return True
    return False


def _unit(figure: str) -> str:
    return figure.lstrip("0123456789.,")


def _forms(figure: str) -> tuple[str, ...]:
    """A figure as it is, and as a share of a hundred where it is one."""
    if figure.startswith("0.") and figure[2:].isdecimal():
        return figure, f"{float(figure) * _PER_CENT:.6g}%"
    return (figure,)


def _cells(line: str) -> list[str]:
    return [cell for cell in _CELLS.split(line) if cell] if len(line) <= ROW_CHARS else []


def _tables(text: str) -> list[_Table]:
    """The last tables of a text, each once. A block of more rows than a table has is not kept."""
    found: deque[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]] = deque(maxlen=MAX_TABLES)
    block: dict[tuple[str, ...], None] = {}
    shape: tuple[bool, ...] = ()
    above: tuple[str, ...] = ()
    header = above
    for line in (*text.splitlines(), ""):
        cells = tuple(_cells(line))
        own = tuple(_FIGURE.fullmatch(cell) is not None for cell in cells[: MAX_COLUMNS + 1])
        fits = MIN_COLUMNS <= len(cells) <= MAX_COLUMNS and any(own) and not all(own) and not own[0]
        if not fits or own != shape:
            if MIN_ROWS <= len(block) <= MAX_ROWS and (header, tuple(block)) not in found:
                found.append((header, tuple(block)))
            block, shape, header = {}, own if fits else (), above
        if fits and len(block) <= MAX_ROWS:
            block[cells] = None
        above = cells if any(map(str.isalpha, "".join(cells))) else above
    return [_table(header, rows) for header, rows in found]


def _table(header: Sequence[str], block: Sequence[tuple[str, ...]]) -> _Table:
    named = [
        {
            term
            for cell in cells
            if not _FIGURE.fullmatch(cell)
            for term in terms(_PARTS.sub(" ", cell))
        }
        for cells in block
    ]  # fmt: skip
    often = Counter(word for words in named for word in words)
    rows = tuple(
        _Row(
            frozenset(word for word in words if often[word] == 1),
            {at: cell for at, cell in enumerate(cells) if _FIGURE.fullmatch(cell)},
        )
        for words, cells in zip(named, block, strict=True)
    )
    is_one = len(header) == len(block[0]) and not any(map(_FIGURE.fullmatch, header))
    above = tuple(frozenset(terms(cell)) for cell in header) if is_one else ()
    return _Table(above, rows, frozenset(block))
