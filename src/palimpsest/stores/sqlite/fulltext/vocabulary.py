"""The vocabulary: every word ever indexed, so that words with a certain part can be found.

The word index has stems. A table has each word once, with a trigram index on it: it grows with the vocabulary, not
with the messages. It belongs to no owner and is never shown: its words are only looked up within an owner's own
texts.
"""

from __future__ import annotations

from collections.abc import Collection

from palimpsest.search.word_folding import RESERVED, index_stem
from palimpsest.stores.codec import dumps
from palimpsest.stores.sqlite.statements import Db

MAX_KNOWN_WORDS = 50_000
"""Known words that a connection remembers; beyond it the cache is cleared."""

MAX_LOOKED_AT = 50_000
"""The most words with the same trigrams that are compared."""

END = RESERVED
"""Follows a word in the trigram index, twice, so that its last letters are a trigram."""


def learn(db: Db, words: str) -> None:
    """Add the words of a text, as `search.word_folding.spaced` returns them."""
    db.refresh()
    for word in _unknown(db, words):
        _add(db, word)
        db.words.add(word)


def _unknown(db: Db, words: str) -> set[str]:
    if len(db.words) > MAX_KNOWN_WORDS:
        db.words.clear()
    return set(words.split()) - db.words


def _add(db: Db, word: str) -> None:
    stem = index_stem(word)
    cursor = db.run("add_word", word, stem if stem != word else None)
    if cursor.rowcount > 0:
        db.run("index_word", cursor.lastrowid, word + END * 2)


def known_stems(db: Db, stems: Collection[str]) -> set[str]:
    """Return those of these stems under which the word index ever had a word. Asking the index itself for a missing
    word takes ten times as long.
    """
    return {str(row[0]) for row in db.run("known_stems", dumps(list(stems)))}


class Vocabulary:
    """All words, within one transaction, with a cache of lookups."""

    def __init__(self, db: Db) -> None:
        self.db = db
        self._with_part: dict[tuple[str, bool, int], list[str] | None] = {}
        self._of_stem: dict[str, set[str]] = {}

    def with_part(self, part: str, *, at_end: bool, limit: int) -> list[str] | None:
        """Return the words that contain a part, or end with it; None for more than `limit`, or if the part is too
        short.
        """
        asked = part, at_end, limit
        if asked not in self._with_part:
            self._with_part[asked] = self._look_up(*asked)
        return self._with_part[asked]

    def _look_up(self, part: str, at_end: bool, limit: int) -> list[str] | None:
        sought = part + END * 2 if at_end else part
        if len(sought) < 3:
            return None
        parts = dict.fromkeys(sought[start : start + 3] for start in range(len(sought) - 2))
        asked = " AND ".join(f'"{one}"' for one in parts)
        found: dict[str, None] = {}
        for looked_at, row in enumerate(self.db.run("words_with_parts", asked)):
            word = str(row[0])
            if word.endswith(part) if at_end else part in word:
                found[word] = None
            if len(found) > limit or looked_at > MAX_LOOKED_AT:
                return None
        return list(found)

    def beginning_with(self, part: str, limit: int) -> list[str] | None:
        """Return the words that begin with a part; None for more than `limit`."""
        rows = self.db.run("words_between", part, part + "\U0010ffff", limit + 1)
        found = [str(row[0]) for row in rows]
        return found if len(found) <= limit else None

    def has_words(self, words: str) -> bool:
        """Return whether each of these words is known in this form."""
        return all(word in self.of_stem(index_stem(word)) for word in words.split(" "))

    def has_other_forms(self, words: str) -> bool:
        """Return whether the index's matches for these words may have only another form of one of them. A single word
        may be inside another.
        """
        if " " not in words:
            return any(words not in other for other in self.of_stem(index_stem(words)))
        return any(self.of_stem(index_stem(word)) - {word} for word in words.split(" "))

    def of_stem(self, stem: str) -> set[str]:
        """Return the words that the word index has under a stem."""
        found = self._of_stem.get(stem)
        if found is None:
            found = self._of_stem[stem] = {str(row[0]) for row in self.db.run("words_of_stem", stem)}
        return found
