"""BM25 of a few of very many texts, counted in themselves.

For a rank an index goes through all texts that hold a phrase, only to count them: of frequent words that takes longer
than reading 2,000 short texts. So where these are shorter than what the index would go through is long, the words are
counted in them, and how many texts hold a word is estimated, as it is for a question (`candidates`): a phrase beside
other terms is taken to be as frequent as its rarest word.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter

from palimpsest.errors import IntegrityError
from palimpsest.search.fold import folded, index_stem
from palimpsest.search.query import All, Any, Node, Not, Term, leaves
from palimpsest.stores.candidates import COMMON_HITS, holding
from palimpsest.stores.codec import decode_said, dumps, storable
from palimpsest.stores.sqlite_db import Db
from palimpsest.stores.sqlite_words import Vocabulary
from palimpsest.stores.words import any_of

MOST_CHARS = 2_000_000
"""Texts of more characters together are not read."""

CHARS_OF_A_ROW = 200
"""Finding a text takes as long as reading so many characters of it."""

MOST_FORMS = 100
"""A word in more forms is left to the index."""

_K1, _B = 1.2, 0.75
_LEAST = 1e-6
"""What SQLite takes for the weight of what more than half of all texts hold."""


def is_readable(root: Node) -> bool:
    """Whether texts tell what a query's ranks are: it asks for several whole words, and nothing inside of others."""
    terms = _terms(root)
    return (
        sum(term.words.count(" ") + 1 for term in terms) > 1
        and all(term.whole and not term.inner for term in terms)
        and _is_plain(root)
    )


def weighed(known: Vocabulary, root: Node, numbers: Sequence[int]) -> dict[int, float] | None:
    """The ranks of those of these messages, newest first, that hold what `root` asks for, the lower the better; None
    where the index ranks faster. Every message is known to lack what is ruled out.
    """
    terms = _terms(root)
    words = list(dict.fromkeys(word for term in terms for word in term.words.split(" ")))
    held = dict(zip(words, _holding(known.db, words, known.db.number("newest_message")), strict=True))
    chars = sum(_gone_through(held, term) for term in terms) - CHARS_OF_A_ROW * len(numbers)
    return ranked(known, root, numbers, held, min(MOST_CHARS, chars)) if chars > 0 else None


def ranked(
    known: Vocabulary, root: Node, numbers: Sequence[int], held: Mapping[str, int], most_chars: int
) -> dict[int, float] | None:
    """See `weighed`. `held` is how many messages hold each word; None for texts of more than `most_chars`."""
    terms, total = _terms(root), known.db.number("newest_message")
    found = [pattern.findall for term in terms if (pattern := _pattern(known, term)) is not None]
    texts = _texts(known.db, numbers, most_chars) if len(found) == len(terms) else None
    if texts is None:
        return None
    if len(terms) == 1:
        counts = holding([numbers], total)
    else:
        counts = tuple(min(held[word] for word in term.words.split(" ")) for term in terms)
    weights = [max(_LEAST, math.log((total - count + 0.5) / (count + 0.5))) for count in counts]
    return _ranks(_holds(root, {term: place for place, term in enumerate(terms)}), found, weights, texts)


def _terms(root: Node) -> list[Term]:
    return list(dict.fromkeys(term for term, wanted in leaves(root) if wanted))


def _gone_through(held: Mapping[str, int], term: Term) -> int:
    """How many texts an index would look at to rank a term; those of a phrase twice, for where its words stand. Reading
    a character of a text takes about as long as that.
    """
    words = term.words.split(" ")
    return sum(held[word] for word in words) * (1 if len(words) == 1 else 2)


def _ranks(
    holds: Callable[[Sequence[int]], object],
    find: Sequence[Callable[[str], list[str]]],
    weights: Sequence[float],
    texts: Mapping[int, str],
) -> dict[int, float]:
    """The ranks of the texts that hold what is asked for, by how often they have each term. Lengths are characters."""
    mean = sum(map(len, texts.values())) / max(1, len(texts))
    ranks: dict[int, float] = {}
    for number, text in texts.items():
        counts = [len(found(text)) for found in find]
        if holds(counts):
            length = _K1 * (1 - _B + _B * len(text) / mean)
            rank = 0.0
            for weight, count in zip(weights, counts, strict=True):
                rank -= weight * count * (_K1 + 1) / (count + length)
            ranks[number] = rank
    return ranks


def _is_plain(node: Node) -> bool:
    """Whether what is ruled out is ruled out of all that is found."""
    match node:
        case Term():
            return True
        case Any(parts):
            return all(_is_plain(part) and not isinstance(part, Not) for part in parts)
        case All(parts):
            return all(isinstance(part, Not) or _is_plain(part) for part in parts)
        case Not():
            return False


def _holds(node: Node, places: Mapping[Term, int]) -> Callable[[Sequence[int]], object]:
    """What tells, by how often a text has each term, whether it holds what is asked for."""
    match node:
        case Term():
            return itemgetter(places[node])
        case Any(parts):
            tests = [_holds(part, places) for part in parts]
            return lambda counts: any(test(counts) for test in tests)
        case All(parts):
            tests = [_holds(part, places) for part in parts if not isinstance(part, Not)]
            return lambda counts: all(test(counts) for test in tests)
        case Not():
            return len


def _holding(db: Db, phrases: Sequence[str], total: int) -> tuple[int, ...]:
    """How many messages hold each phrase; estimated where these are many."""
    return holding(
        [[int(row[0]) for row in db.run("newest_messages", any_of([one]), COMMON_HITS)] for one in phrases],
        total,
    )


def _texts(db: Db, numbers: Sequence[int], most_chars: int) -> dict[int, str] | None:
    """The words of these messages, folded; None for more than so many characters. Damaged ones are left out."""
    rows: list[tuple[int, str, str, float | None]] = []
    for row in db.run("message_texts", dumps(numbers)):
        rows.append((row[0], row[1], row[2], row[3]))
        most_chars -= len(row[2])
        if most_chars < 0:
            return None
    texts: dict[int, str] = {}
    for number, role, body, time_s in rows:
        with suppress(IntegrityError):
            texts[number] = folded(storable(decode_said(role, body, time_s)[1]))
    return texts


def _pattern(known: Vocabulary, term: Term) -> re.Pattern[str] | None:
    """What finds each place of a phrase in a folded text, whatever the form of its words; None for too many forms."""
    forms = [sorted({word, *known.of_stem(index_stem(word))}) for word in term.words.split(" ")]
    if any(len(one) > MOST_FORMS for one in forms):
        return None
    first, *others = [f" (?:{'|'.join(map(re.escape, one))})" for one in forms]
    return re.compile(f"{first}(?={''.join(f' *{one}' for one in others)} )")
