"""BM25 of some rows, as the word index gives it. Part of the SQLite store.

For a rank SQLite goes through all texts that hold a word of the expression, to count them: 12 ms for 300,000, however
few rows are ranked. What a text has of several words adds up, so a second connection ranks by half of them meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.errors import IntegrityError
from palimpsest.search.query import All, Any, Node, Not, Term
from palimpsest.stores.codec import dumps
from palimpsest.stores.sqlite.db import Db
from palimpsest.stores.sqlite.finding.helper import Helper
from palimpsest.stores.sqlite.finding.matching import bounds
from palimpsest.stores.sqlite.finding.words import Vocabulary
from palimpsest.stores.words import NOTHING


def as_rank(value: object) -> float:
    """A rank as the index gives it. Raises IntegrityError for none, which a damaged index gives."""
    if not isinstance(value, float | int):
        raise IntegrityError("the word index is damaged", hint="`palimpsest doctor --fix` makes it anew")
    return float(value)


def ranks(db: Db, statement: str, matching: str, rows: Sequence[int]) -> dict[int, float]:
    """The ranks of those of these rows that match, the lower the better."""
    found = db.run(statement, matching, min(rows), max(rows), dumps(rows)) if rows else ()
    return {row[0]: as_rank(row[1]) for row in found}


def in_halves(
    known: Vocabulary, helper: Helper, statement: str, root: Node, rows: Sequence[int]
) -> dict[int, float] | None:
    """The same for a query of several terms, by two connections; None where it is anything else. What a query rules out
    none of the rows may hold.
    """
    found = [(one, bounds(known, one, NOTHING)) for one in _terms(root)]
    if len(found) < 2 or not rows or any(term.inner and not one.words for term, one in found):
        return None
    whole = isinstance(root, All)
    mine, theirs = (
        (" AND " if whole else " OR ").join(f"({one.most})" for _, one in part)
        for part in (found[::2], found[1::2])
    )
    helping = helper.begin(lambda db: ranks(db, statement, theirs, rows))
    first = ranks(known.db, statement, mine, rows)
    second = helping.result()
    if whole:
        return {row: rank + second[row] for row, rank in first.items() if row in second}
    return {row: first.get(row, 0.0) + second.get(row, 0.0) for row in {**first, **second}}


def _terms(root: Node) -> list[Term]:
    """The terms of a query that wants all of them, or any; none where it is anything else."""
    match root:
        case All(parts):
            wanted = [part for part in parts if not isinstance(part, Not)]
        case Any(parts):
            wanted = list(parts)
        case _:
            return []
    terms = [part for part in wanted if isinstance(part, Term)]
    return terms if len(terms) == len(wanted) else []
