"""BM25 of a phrase in a few of very many texts, counted in themselves.

For a rank an index goes through all texts that hold a phrase, only to count them: of frequent words that takes longer
than reading 2,000 short texts. So where these are shorter than what the index would go through is long, the phrase is
counted in them, and so are their words, as the index counts them: the order is the index's. How many texts hold the
phrase, which only scales the ranks of all, is estimated as it is for a question (`candidates`).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

import msgspec

from palimpsest.errors import IntegrityError
from palimpsest.record.message import Message
from palimpsest.search.fold import MAX_WORD_CHARS, folded_lines, index_stem
from palimpsest.search.query import All, Node, Not, Term
from palimpsest.stores.candidates import COMMON_HITS, holding
from palimpsest.stores.codec import decode_said, dumps, said_in, storable
from palimpsest.stores.sqlite.db import Db
from palimpsest.stores.sqlite.finding.helper import Readers
from palimpsest.stores.sqlite.finding.words import Vocabulary
from palimpsest.stores.words import any_of, index_scope

MOST_WORDS = 400_000
"""Texts of more words together are not read."""

CHARS_OF_A_WORD = 6

MAX_CHARS = 100_000
"""A longer text is not read together with others."""

WORDS_OF_A_ROW = 20
"""Finding a text takes as long as reading so many words of it."""

HELD_TO_A_WORD = 3
"""To read a word takes as long as to go through so many places of words in the index."""

MOST_FORMS = 100
"""A word in more forms is left to the index."""

_LINE_END = re.compile("\n")
_MARKS = bytes(code if code in b" \n" else ord("x") for code in range(256))
"""What is left of folded words to count them by."""

_NUMBERS = msgspec.json.Decoder(list[int])
_BODIES = msgspec.json.Decoder(list[msgspec.Raw])
_SCOPE_WORDS = {
    mark: len(index_scope(1, 1, Message("user", (), time_s=time_s)).split())
    for mark, time_s in (("0", None), ("1", 1.0))
}
"""The words that the index has of a message besides what it says, without a time and with one."""

_K1, _B = 1.2, 0.75
_LEAST = 1e-6
"""What SQLite takes for the weight of what more than half of all texts hold."""


class _Said(msgspec.Struct, frozen=True, gc=False):
    """What a message says, and how many words the index has of it besides. Nothing that a collector of garbage would
    count: with thousands more of those it looks through everything that there is, which takes as long as the index.
    """

    number: int
    text: str
    scope: int


def phrase_of(root: Node) -> Term | None:
    """The one phrase that a query asks for, whatever it rules out; None where it asks for anything else."""
    wanted = [part for part in root.parts if not isinstance(part, Not)] if isinstance(root, All) else [root]
    match wanted:
        case [Term(words=words, whole=True, inner=False) as term] if " " in words:
            return term
        case _:
            return None


def weighed(
    known: Vocabulary, phrase: Term, numbers: Sequence[int], readers: Readers | None = None
) -> Callable[[], dict[int, float] | None]:
    """What tells the ranks of those of these messages, newest first, that hold a phrase, the lower the better; None
    where the index ranks faster. The readers begin now.
    """
    held = sum(_holding(known.db, dict.fromkeys(phrase.words.split(" "))))
    most = held // HELD_TO_A_WORD - WORDS_OF_A_ROW * len(numbers)
    return read(known, phrase, numbers, min(MOST_WORDS, most), readers)


def read(
    known: Vocabulary, phrase: Term, numbers: Sequence[int], most_words: int, readers: Readers | None = None
) -> Callable[[], dict[int, float] | None]:
    """See `weighed`; None for texts of more than `most_words`."""
    pattern = _pattern(known, phrase.words.split(" "))
    rows, words = _totals(known.db)
    if pattern is None or not words or words * len(numbers) > most_words * rows:
        return lambda: None
    reading = _Reading(most_words * CHARS_OF_A_WORD)
    parts = readers.begin(numbers, reading.read) if readers is not None else None

    def ranks() -> dict[int, float] | None:
        found = parts() if parts is not None else [reading.read(known.db, numbers)]
        if reading.chars_left < 0:
            return None
        (held,) = holding([numbers], rows)
        return _ranks(_counted(pattern, list(chain.from_iterable(found))), held, rows, words / rows)

    return ranks


@dataclass(slots=True)
class _Reading:
    """Some messages being read, as long as they are short enough together."""

    chars_left: int

    def read(self, db: Db, numbers: Sequence[int]) -> list[_Said]:
        """These messages, but damaged ones; fewer where they are too long."""
        found: list[_Said] = []
        for one in _said(db, numbers) if self.chars_left >= 0 else ():
            found.append(one)
            self.chars_left -= len(one.text)
            if self.chars_left < 0:
                break
        return found


def _said(db: Db, numbers: Sequence[int]) -> Iterable[_Said]:
    wanted = dumps(numbers)
    row = db.row("message_bodies_together", wanted, MAX_CHARS)
    with suppress(IntegrityError, msgspec.DecodeError, UnicodeEncodeError, AttributeError, ValueError):
        found, roles, timed, bodies = map(str, row) if row is not None else ("",) * 4
        return [
            _Said(number, storable(said_in(role, msgspec.json.decode(body))[1]), _SCOPE_WORDS[mark])
            for number, role, mark, body in zip(
                _NUMBERS.decode(f"[{found}]"),
                roles.split(","),
                timed.split(","),
                _BODIES.decode(f"[{bodies}]"),
                strict=True,
            )
        ]
    return _one_by_one(db, wanted)


def _one_by_one(db: Db, wanted: str) -> Iterator[_Said]:
    """The same where one is damaged, very long, or holds half of a surrogate pair."""
    for row in db.run("message_bodies", wanted):
        with suppress(IntegrityError):
            text = storable(decode_said(row["role"], row["body"])[1])
            yield _Said(int(row["id"]), text, _SCOPE_WORDS[str(row["timed"])])


def _counted(pattern: re.Pattern[str], said: Sequence[_Said]) -> Iterator[tuple[int, int, int]]:
    """The number of each text that holds a phrase, how often it does, and how many words the index has of it. All are
    gone through at once: to begin with each of 2,000 texts takes longer than to read it.
    """
    lines = folded_lines(one.text for one in said)
    ends = [end.start() for end in _LINE_END.finditer(lines)]
    places = Counter([bisect_left(ends, found.start()) for found in pattern.finditer(lines)])
    sizes = _sizes(lines)
    for place, count in places.items():
        yield said[place].number, count, sizes[place] + said[place].scope


def _sizes(lines: str) -> list[int]:
    """How many words the index has of each line of folded words."""
    marks = lines.encode().translate(_MARKS)
    if b"x" * (MAX_WORD_CHARS + 1) not in marks:
        return [line.count(b" x") for line in marks.split(b"\n")]
    return [sum(-(-len(word) // MAX_WORD_CHARS) for word in line.split()) for line in lines.split("\n")]


def _ranks(counts: Iterable[tuple[int, int, int]], held: int, rows: int, mean: float) -> dict[int, float]:
    """SQLite's BM25 of texts that have a phrase so often, among so many words; `held` of all rows hold it."""
    weight = max(_LEAST, math.log((rows - held + 0.5) / (held + 0.5)))
    return {
        number: -weight * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * size / mean))
        for number, count, size in counts
    }


def _totals(db: Db) -> tuple[int, int]:
    """How many rows the index has, and how many words."""
    row = db.row("index_totals")
    rows, *words = _varints(row[0]) if row is not None else [0]
    return rows, sum(words) if rows else 0


def _varints(packed: bytes) -> list[int]:
    """Numbers as SQLite packs them: seven bits to a byte, the high bit set in all but the last."""
    found: list[int] = []
    value = 0
    for byte in packed:
        value = value << 7 | byte & 127
        if byte < 128:
            found.append(value)
            value = 0
    return found


def _holding(db: Db, words: Iterable[str]) -> tuple[int, ...]:
    """How many messages hold each word; estimated where these are many."""
    found = [db.numbers("numbers_of_newest_messages", any_of([one]), COMMON_HITS) for one in words]
    return holding(found, db.number("newest_message"))


def _pattern(known: Vocabulary, words: Sequence[str]) -> re.Pattern[str] | None:
    """What finds each place of a phrase in a line of folded words, whatever the form of its words; None for too many
    forms.
    """
    forms = [sorted({word, *known.of_stem(index_stem(word))}) for word in words]
    if any(len(one) > MOST_FORMS for one in forms):
        return None
    first, *others = [
        f" (?:{'|'.join(map(re.escape, one))})" if len(one) > 1 else f" {re.escape(one[0])}" for one in forms
    ]
    return re.compile(f"{first}(?={''.join(f' *{one}' for one in others)} )")
