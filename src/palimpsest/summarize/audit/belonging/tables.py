"""Whether a line gives one row of a table another row's figure: "checkout 171Mi" for the row of the payments.

Rules kept here:

- A table is what a source has in lines one below the other, of as many columns, with figures in the same ones, or in
  objects with the same keys. What names a row are the words that none of its other rows has.
- A sentence that names no row speaks of the one that those before it in the line name, if it is one.
- A clause that names one row, with a figure that only other rows of the table have, has exchanged them; it is given
  back the figure of that row in the column.
- A bare number of one or two digits may count anything. It is taken for the table's only with a unit that the row has
  in one cell, with a word of the column's header, or where a line gives rows each other's figures.
- What the source has outside of the table with the row's words stands, in sentences, calls and results.
- A share may be told in per cent: 0.034 is 3.4 %.
- Which of two rows or columns has more is as their figures say, in one column at least.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from palimpsest.patterns import later
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.cues import FORBIDS

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

_CELLS, _BARS, _GAPS = later(r"[\s|;]+|,(?!\d{3}\b)"), later(r"\s{0,8}\|\s{0,8}"), later(r"\t|\s{2,80}")
_FIGURE = later(r"[$€£]?\d[\d.,]*(?:\s?%|\s?[A-Za-z][A-Za-z/]{0,5})?")
_SAID = later(r"(?<![\w.,:/#-])[$€£]?\d[\d.,]{0,12}(?<![.,])(?:\s?%|[A-Za-z]{1,3}\b|(?![\w:/-]))")
_CLAUSE = later(r"[;(]\s?|,(?!\d)\s?|[，；、（]|[.!?。！？](?=\s|$)|\s(?:and|und|et|y|e|aber|but)\s")
_NUMBER = later(r"\d+(?:\.\d+)?")
_LITTLER = (
    r"(?:más|plus|più) (?:barat|pequeñ|baj|rápid|cort|petit|bas|rapide|court|économ|bon |picc|veloc|econom)"
)
_MORE = later(
    rf"(?!\b{_LITTLER})\b(?:more|(?:high|larg|bigg|great|long|slow)(?:er|est)|most|rose|risen|gr[eo]wn?|increased|"
    r"mehr|meiste\w?|(?:höh|größ|läng|langsam|teur)er|gestiegen|gewachsen|más|mayor|plus|più)\b|[多高大慢贵长]",
    re.IGNORECASE,
)
_LESS = later(
    rf"\b(?:{_LITTLER}\w*|less|fewer|least|(?:low|small|short|fast|cheap)(?:er|est)|fell|fallen|decreased|"
    r"weniger|wenigste\w?|(?:niedrig|klein|kürz|schnell|billig)er|gesunken|gefallen|menos|menor|moins|meno)\b|"
    r"[少低小快短]|便宜",
    re.IGNORECASE,
)
_CHANGED = later(
    r"\b(?:rose|risen|gr[eo]wn?|increased|fell|fallen|decreased|gestiegen|gewachsen|gesunken|gefallen)\b",
    re.IGNORECASE,
)
_SPEED = later(r"\b(?:slow|fast|long|short|langsam|schnell|länger|kürz)\w{0,3}\b|[慢快]", re.IGNORECASE)
_TIME = later(r"(?:[mµun]?s|sec\w{0,4}|min\w{0,4}|h)\b")
_DEAR = later(
    r"\b(?:expensive|cheap|costl|teu[er]r|billig|car[oa]|barat|cher|chère)\w{0,3}\b|[贵]|便宜", re.IGNORECASE
)
_MONEY = later(
    r"price|cost|fare|fee|eur|usd|chf|[$€£]|prei|kosten|precio|coste|prix|tarif|[价费]", re.IGNORECASE
)
_COMMA = later(r"(?<=\d),(?=\d{1,2}(?!\d))")
"""A comma before the decimals."""
_THAN = later(r"\b(?:than|als|que)\b|比(?!例)", re.IGNORECASE)
_SENTENCE = later(r"(?<=[.!?])\s|(?<=[。！？])")
_OBJECT = later(r"[\[{](?=\s{0,20}[\"{\[])")
_APART = later(r"^[$€£]|,(?=\d{3}\b)|\s[A-Za-z][A-Za-z/]{0,5}$")
_BESIDE = later(r"^[$€£]|\s[A-Za-z][A-Za-z/]{0,5}$")
_PARTS = later(r"[-_./]|(?<=[a-z])(?=[A-Z])")
_PER_CENT = 100
LONG_DIGITS, PAIR = 3, 2
"""A bare number of so many digits is no other by chance."""
MAX_DEPTH, OBJECT_CHARS = 6, 20_000
"""How deep in JSON, and in so many characters of it, rows are sought."""


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
    """(sentence, it with its row's figures) of sentences that give a row of a table another one's."""
    tables = _tables(text)
    known = {cells for table in tables for cells in table.cells}
    outside: list[str] = []
    for line in lines if tables else ():
        before = set[str]()
        for one in _SENTENCE.split(line):
            own, right = _words(one), one
            if any(row.words & own for table in tables for row in table.rows):
                before = set[str]()
            clauses = list(filter(str.strip, _CLAUSE.split(one)))
            bare = {word for clause in clauses if not _SAID.search(clause) for word in terms(clause)}
            # names first, then the figures of all
            is_list = any(row.words & bare for table in tables for row in table.rows)
            slips = [] if is_list else [slip for clause in clauses for slip in _slips(clause, tables, before)]
            before = before or own
            for slip in slips:
                outside = outside or text.splitlines()
                if (slip.sure or _is_exchanged(slip, slips)) and not _is_told(slip, outside, known):
                    mended = slip.clause[: slip.start] + slip.own + slip.clause[slip.end :]
                    right = right.replace(slip.clause, mended)
            if right != one or _is_turned(one, tables):
                yield one.strip(), right.strip() if right != one else ""


def _is_turned(sentence: str, tables: Sequence[_Table]) -> bool:
    """Whether a sentence has less what has more in every table that it speaks of, or the other way round."""
    more, less = (len(how.findall(sentence)) for how in (_MORE, _LESS))
    if bool(more) == bool(less) or FORBIDS.search(sentence):
        return False
    first, than, second = _THAN.sub("\0", sentence, count=1).partition("\0")
    pairs = [list(_pairs(_words(first), _words(second), sentence, bool(than), one)) for one in tables]
    told = [[(one > other) == bool(more) for one, other in some if one != other] for some in pairs]
    return any(told) and not any(any(some) for some in told)


def _pairs(
    first: set[str], second: set[str], sentence: str, than: bool, table: _Table
) -> Iterator[tuple[float, float]]:
    """The figures that a sentence compares, by column: those of two rows, or of two columns in one."""
    rows, others = ([row for row in table.rows if row.words & words] for words in (first, second))
    columns, behind = (
        [at for at, column in enumerate(table.header) if column & words] for words in (first, second)
    )
    every = list({id(row): row for row in (*rows, *others)}.values())
    places: list[tuple[_Row, int, _Row, int]] = []
    if than and len(rows) == len(others) == 1 and len(every) == PAIR:
        one, other = every
        meant = [at for at in one.figures if _is_meant(sentence, at, one, table)]
        places = [(one, at, other, at) for at in columns + behind or meant or sorted(one.figures)]
    elif than and len(every) == len(columns) == len(behind) == 1:
        places = [(every[0], columns[0], every[0], behind[0])]
    elif not than and len(every) == 1 and len(columns) == PAIR and _CHANGED.search(sentence):
        early, late = sorted(columns, key=lambda at: min(map(sentence.lower().find, table.header[at])))
        places = [(every[0], late, every[0], early)]
    for place in places:
        yield from _sizes(*place)


def _is_meant(sentence: str, at: int, row: _Row, table: _Table) -> bool:
    """Whether a sentence on what is faster, or dearer, speaks of a column that says how long, or how much."""
    unit = row.figures[at].strip("0123456789., ")
    for how, what in ((_SPEED, _TIME), (_DEAR, _MONEY)):
        if how.search(sentence):
            return bool(what.match(unit)) or bool(table.header and any(map(what.match, table.header[at])))
    return False


def _sizes(one: _Row, at: int, other: _Row, place: int) -> Iterator[tuple[float, float]]:
    """The two figures as numbers, where they are such and have the same unit."""
    pair = [_plain(row.figures.get(column, "")) for row, column in ((one, at), (other, place))]
    numbers = [figure.removesuffix(_unit(figure)) for figure in pair]
    if len({*map(_unit, pair)}) == 1 and all(map(_NUMBER.fullmatch, numbers)):
        yield float(numbers[0]), float(numbers[1])


def _slips(clause: str, tables: Sequence[_Table], before: set[str]) -> Iterator[_Slip]:
    """What a clause says of the one row that it names, or that the sentence `before` it does, and another row of the
    table has, or the row in another column than the one that the clause names.
    """
    words = _words(clause)
    headers = {word for table in tables for column in table.header for word in column}
    said = [one for one in _SAID.finditer(clause) if one[0] not in headers]
    if len(said) != 1:
        return
    figure = _plain(said[0][0])
    named = [[row for row in table.rows if row.words & words] for table in tables]
    if not any(named):
        words |= before
        named = [[row for row in table.rows if row.words & before] for table in tables]
    own_figure = any(figure in _forms(one) for rows in named for row in rows for one in row.figures.values())
    for place, (table, rows) in enumerate(zip(tables, named, strict=True)):
        if len(rows) != 1:
            continue
        whose = [(row, at) for row in table.rows for at, one in row.figures.items() if figure in _forms(one)]
        meant = [at for at, column in enumerate(table.header) if column & words and at in rows[0].figures]
        columns = {at for _, at in whose}
        if own_figure:
            columns = {*meant} if len(meant) == 1 and columns and not columns & {*meant} else set[int]()
        if len(columns) == 1:
            column = columns.pop()
            own = rows[0].figures[column]
            told = _forms(own)[-1] if figure.endswith("%") else _BESIDE.sub("", own)
            told = told.replace(".", ",") if _COMMA.search(said[0][0]) and "," not in told else told
            is_headed = bool(table.header) and not words.isdisjoint(table.header[column])
            others = frozenset(word for row, _ in whose if row is not rows[0] for word in row.words)
            yield _Slip(
                clause, said[0].start() + len(said[0][0]) - len(said[0][0].lstrip("$€£")), said[0].end(), figure,
                told, rows[0].words & words, others, (place, column),
                sure=is_headed or _is_measured(figure, rows[0]) or _is_long(figure),
            )  # fmt: skip


def _is_long(figure: str) -> bool:
    """Whether a bare number is too long to be another one by chance."""
    return not _unit(figure) and sum(map(str.isdigit, figure)) >= LONG_DIGITS


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
    figure = re.compile(
        rf"(?<![\w.]){',?'.join('[.,]' if sign == '.' else sign for sign in number)}(?!\d|[.,]\d)"
    )
    places = (at for at, line in enumerate(lines) if figure.search(line))
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


def _words(text: str) -> set[str]:
    """The words of a text, those that are parts of its names too."""
    return {*terms(text), *terms(_PARTS.sub(" ", text))}


def _plain(figure: str) -> str:
    """A figure without its currency, what parts its thousands, and a unit that stands apart; with a decimal point."""
    return _APART.sub("", _COMMA.sub(".", figure.replace(" %", "%")))


def _forms(figure: str) -> tuple[str, ...]:
    """A figure as it is, and as a share of a hundred where it is one."""
    if figure.startswith("0.") and figure[2:].isdecimal():
        return figure, f"{float(figure) * _PER_CENT:.6g}%"
    return (_plain(figure),)


def _cells(line: str) -> list[str]:
    if len(line) > ROW_CHARS:
        return []
    parts = _BARS if "|" in line else _GAPS if _GAPS.search(line.strip()) else _CELLS
    return [cell.strip() for cell in parts.split(line) if cell.strip()]


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
    return [_table(header, rows) for header, rows in (*found, *islice(_objects(text), MAX_TABLES))]


def _objects(text: str) -> Iterator[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    """(keys, the values of each) of the objects with the same keys that stand beside each other in JSON."""
    decoder = json.JSONDecoder(parse_float=str, parse_int=str)
    end = 0
    for found in islice(_OBJECT.finditer(text), MAX_PLACES):
        if found.start() < end:
            continue
        try:
            value, end = decoder.raw_decode(text[: found.start() + OBJECT_CHARS], found.start())
        except (ValueError, RecursionError):
            continue
        yield from _alike(value, depth=0)


def _alike(value: object, depth: int) -> Iterator[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    if depth > MAX_DEPTH or not isinstance(value, dict | list):
        return
    held = cast("dict[str, object] | list[object]", value)
    inner = [("", one) for one in held] if isinstance(held, list) else list(held.items())
    rows = [{"": name, **_flat(cast("object", one))} for name, one in inner if isinstance(one, dict)]
    shared = [key for key in rows[0] if all(key in row for row in rows)] if len(rows) > 1 else []
    if MIN_ROWS <= len(rows) <= MAX_ROWS and len(shared) > 1:
        yield tuple(shared), tuple(tuple(row[key] for key in shared) for row in rows)
    for _, one in inner[:MAX_ROWS]:
        yield from _alike(one, depth + 1)


def _flat(value: object) -> dict[str, str]:
    """The plain values of an object and of those in it, by their keys."""
    found: dict[str, str] = {}
    for key, one in cast("dict[str, object]", value).items():
        if isinstance(one, dict):
            found.update(_flat(cast("object", one)))
        elif isinstance(one, str):
            found[key] = one
    return found


def _table(header: Sequence[str], block: Sequence[tuple[str, ...]]) -> _Table:
    named = [
        {term for cell in cells if not _FIGURE.fullmatch(cell) for term in _words(cell)} for cells in block
    ]
    often = Counter(word for words in named for word in words)
    rows = tuple(
        _Row(
            frozenset(word for word in words if often[word] == 1),
            {at: cell for at, cell in enumerate(cells) if _FIGURE.fullmatch(cell)},
        )
        for words, cells in zip(named, block, strict=True)
    )
    is_one = len(header) == len(block[0]) and not (header and _FIGURE.fullmatch(header[0]))
    shared = Counter(word for cell in header for word in _words(cell))
    above = (
        tuple(frozenset(one for one in _words(cell) if shared[one] == 1) for cell in header) if is_one else ()
    )
    return _Table(above, rows, frozenset(block))
