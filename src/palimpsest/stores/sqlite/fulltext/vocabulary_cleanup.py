"""Removing words from the vocabulary once no text has them.

The vocabulary is shared by all owners, so a word is removed only if no other text has it. The word index tells by
stem which texts may have a word; those are read, newest first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from palimpsest.record.message import searchable_text
from palimpsest.stores.codec import decode_message
from palimpsest.stores.deletion_rules import holds
from palimpsest.stores.index_terms import any_scope, indexed
from palimpsest.stores.sqlite.fulltext.index import waiting_messages
from palimpsest.stores.sqlite.fulltext.vocabulary import END
from palimpsest.stores.sqlite.statements import Db


def drop_unused(db: Db, texts: Iterable[str]) -> None:
    """Remove the words of texts that left the index, unless another text has them. A text that is read for one word
    answers for all its words.
    """
    standing: set[str] = set()
    for word in sorted({word for text in texts for word in indexed(text).split()}):
        if word in standing:
            continue
        holder = next(_holders(db, word), None)
        if holder is not None:
            standing.update(indexed(holder).split())
            continue
        row = db.row("word_number", word)
        if row is not None:
            db.run("unindex_word", row[0], word + END * 2)
            db.run("forget_word", row[0])
    db.words.clear()


def in_messages(db: Db, word: str, but: Collection[int | None] = (), conversation: int | None = None) -> bool:
    """Return whether any message, or any of a conversation, has a word or consecutive words, except these messages."""
    return next(_messages(db, word, but, conversation), None) is not None


def _holders(db: Db, word: str) -> Iterator[str]:
    """Yield the texts with a word: messages, then summaries."""
    yield from _messages(db, word)
    for row in db.run("summaries_with_word", f'body : "{word}"'):
        if holds(body := str(row["body"]), word):
            yield body


def _messages(
    db: Db, word: str, but: Collection[int | None] = (), conversation: int | None = None
) -> Iterator[str]:
    asked = f'body : "{word}"' + (f" AND {any_scope([f'c{conversation}'])}" if conversation else "")
    found = (
        (row, decode_message(row["role"], row["body"], row["time_s"]))
        for row in db.run("messages_with_word", asked)
    )
    late = (one for one in waiting_messages(db) if conversation in {None, one[0]["conversation_id"]})
    for row, message in chain(found, late):
        if row["id"] not in but and holds(text := searchable_text(message), word):
            yield text
