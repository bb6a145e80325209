"""Every word that was ever indexed, so that those with a certain part can be found. Part of the SQLite store.

The word index keeps stems. A table keeps the words themselves, each once, with an index of three-letter parts on it: it
grows with the vocabulary, not with the messages. It belongs to no owner and is never shown to any: what it gives is
looked for within an owner's own texts.

Each new word changes pages all over the table and its indexes, twice as many in one append as all the rest of it. So
an append only notes its new words, in one row; they are taken in behind the writes (`sqlite_upkeep`), and whoever looks
words up looks at those that wait as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from palimpsest.search.fold import RESERVED, index_stem
from palimpsest.stores.sqlite_db import Db

MAX_KNOWN_WORDS = 50_000
"""Words that a connection remembers to be in the table; then it begins anew."""

MAX_LOOKED_AT = 50_000
"""Of words that share the parts of what is looked for at most so many are looked at."""

MOST_NOTED = 512
"""Of a text with more new words none waits: they are taken in at once."""

WORDS_AT_ONCE = 256
"""So many words that wait are taken in by one step of some two milliseconds; an eighth of them where more wait, so that
no backlog grows.
"""

END = RESERVED
"""Stands after a word in the index of parts, twice, so that its last letters are a part of three."""


def learn(db: Db, words: str) -> None:
    """Take the words of a text in, given as `search.fold.spaced` gives them."""
    for word in _unknown(db, words):
        _add(db, word)
        db.words.add(word)


def note(db: Db, words: str) -> None:
    """Note the words of a text, so that they are found from now on, and taken in later."""
    new = sorted(_unknown(db, words))
    if len(new) > MOST_NOTED:
        return learn(db, words)
    for start in range(0, len(new), WORDS_AT_ONCE):
        db.run("note_words", " ".join(new[start : start + WORDS_AT_ONCE]))
    db.words.update(new)
    return None


def take_in(db: Db) -> int:
    """Take in the words that have waited longest; how many still wait."""
    rows = [(int(row["id"]), str(row["words"]).split()) for row in db.run("noted_words", 0)]
    waiting = sum(len(words) for _, words in rows)
    enough = max(WORDS_AT_ONCE, waiting // 8)
    taken = last = 0
    for number, words in rows:
        if taken and taken + len(words) > enough:
            break
        for word in words:
            _add(db, word)
        taken, last = taken + len(words), number
    if rows:
        db.run("drop_noted_words", last)
    return waiting - taken


def noted(db: Db) -> set[str]:
    """The words that wait."""
    return {word for row in db.run("noted_words", 0) for word in str(row["words"]).split()}


def _unknown(db: Db, words: str) -> set[str]:
    if len(db.words) > MAX_KNOWN_WORDS:
        db.words.clear()
    return set(words.split()) - db.words


def _add(db: Db, word: str) -> None:
    stem = index_stem(word)
    cursor = db.run("add_word", word, stem if stem != word else None)
    if cursor.rowcount > 0:
        db.run("index_word", cursor.lastrowid, word + END * 2)


class Vocabulary:
    """All words, as of one transaction."""

    def __init__(self, db: Db) -> None:
        self.db = db

    @cached_property
    def _waiting(self) -> list[str]:
        return sorted(noted(self.db))

    @cached_property
    def _waiting_by_stem(self) -> dict[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for word in self._waiting:
            found[index_stem(word)].add(word)
        return found

    def with_part(self, part: str, *, at_end: bool, limit: int) -> list[str] | None:
        """The words that hold a part, or end with it; None for more than `limit`, or where the part is too short to
        ask.
        """
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
        return self._and_waiting(
            found,
            (word for word in self._waiting if (word.endswith(part) if at_end else part in word)),
            limit,
        )

    def beginning_with(self, part: str, limit: int) -> list[str] | None:
        """The words that begin with a part; None for more than `limit`."""
        rows = self.db.run("words_between", part, part + "\U0010ffff", limit + 1)
        found = dict.fromkeys(str(row[0]) for row in rows)
        return self._and_waiting(found, (word for word in self._waiting if word.startswith(part)), limit)

    def has_words(self, words: str) -> bool:
        """Whether each of these words is known as it stands."""
        return all(word in self.of_stem(index_stem(word)) for word in words.split(" "))

    def has_other_forms(self, words: str) -> bool:
        """Whether what the word index finds by these words may hold one of them in another form only. A single word
        may be the inside of another.
        """
        if " " not in words:
            return any(words not in other for other in self.of_stem(index_stem(words)))
        return any(self.of_stem(index_stem(word)) - {word} for word in words.split(" "))

    def of_stem(self, stem: str) -> set[str]:
        """The words that the word index keeps under a stem."""
        known = {str(row[0]) for row in self.db.run("words_of_stem", stem)}
        return known | self._waiting_by_stem.get(stem, set())

    @staticmethod
    def _and_waiting(found: dict[str, None], waiting: Iterable[str], limit: int) -> list[str] | None:
        found.update(dict.fromkeys(waiting))
        return list(found) if len(found) <= limit else None
