"""What a word search means in every store, as pure functions.

Word indexes divide text as FTS5's `unicode61` does and stem English. Where an index finds nothing, the words are looked
for as plain strings in a conversation's newest messages, which finds the inside of an identifier or of a hash.
"""

from __future__ import annotations

import re

from palimpsest.search.query import Query, segment
from palimpsest.stores.codec import storable

TOKENIZER = "porter unicode61"
MAX_SCANNED_MESSAGES = 20_000
MAX_SCANNED_HITS = 1_000

_RUN = re.compile(r"[a-z0-9]+")


def indexed(text: str) -> str:
    """A text as it is given to an index."""
    return segment(storable(text))


def expression(query: Query) -> str:
    """The index's expression for a text that holds every word of the query: quoted phrases, so that nothing a person
    types is an operator.
    """
    return " AND ".join(f'"{indexed(word).replace(chr(34), " ")}"' for word in query.words)


def occur_in(query: Query, text: str) -> bool:
    """Whether every word of the query stands in the text as a plain string, case folded."""
    folded = text.casefold()
    return all(word.casefold() in folded for word in query.words)


def longest_run(query: Query) -> str:
    """The longest run of ASCII letters and digits, in lower case, that a text must hold however it is escaped; "" for
    none.
    """
    runs = [run for word in query.words for run in _RUN.findall(word.casefold())]
    return max(runs, key=len, default="")
