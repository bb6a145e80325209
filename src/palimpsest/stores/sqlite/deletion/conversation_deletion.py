"""Forgetting whole conversations and owners in SQLite. Each function runs inside a transaction of its caller.

Of a conversation nothing stays but a digest of its name under a key that is kept apart, so that an import knows it.
Of an owner nothing stays at all.
"""

from __future__ import annotations

from palimpsest.record.forgetting import Erased, name_mark, summed
from palimpsest.record.log import Branch
from palimpsest.record.message import searchable_text
from palimpsest.stores.codec import decode_message
from palimpsest.stores.indexed_text import indexed
from palimpsest.stores.sqlite.deletion.digest_key import known_key, own_key
from palimpsest.stores.sqlite.fulltext.index import take_out, take_out_summary
from palimpsest.stores.sqlite.fulltext.vocabulary_cleanup import drop_unused
from palimpsest.stores.sqlite.message_log import must_have, owner_number
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.window_rows import summary_id

_PARTS = (
    "forget_usage", "forget_ledgers", "forget_vectors_of", "forget_vector_progress_of", "forget_items_of",
    "forget_accounts_of", "forget_records_of", "forget_sources_of", "forget_summaries_of", "forget_append_keys_of",
    "forget_pins_of", "forget_spent_of", "forget_memo_of", "forget_jobs_of", "forget_copies_of",
    "forget_tombstones_of", "forget_messages_of", "forget_branches_of", "forget_conversation",
)  # fmt: skip
"""What is deleted of a conversation, in an order that keeps every reference whole."""


def forget_conversation(db: Db, owner: str, name: str) -> Erased:
    """See `Forgetting.forget_conversation`."""
    number = must_have(db, owner, name)
    erased, texts = _delete(db, owner, name, number)
    db.run("add_forgotten_name", owner_number(db, owner), name_mark(own_key(db), name))
    _over(db, texts)
    return erased


def forget_owner(db: Db, owner: str) -> Erased:
    """See `Forgetting.forget_owner`."""
    number = owner_number(db, owner)
    texts: list[str] = []
    parts: list[Erased] = []
    for row in db.run("conversations", owner).fetchall():
        erased, words = _delete(db, owner, str(row["name"]), must_have(db, owner, str(row["name"])))
        parts.append(erased)
        texts += words
    for statement in ("forget_names", "forget_calibrations", "forget_copies_of_owner", "forget_owner"):
        db.run(statement, number)
    if number:
        _over(db, texts)
    return summed(parts)


def was_forgotten(db: Db, owner: str, name: str) -> bool:
    """Whether a conversation of this name was forgotten."""
    key = known_key(db)
    return key is not None and db.row("known_name", owner, name_mark(key, name)) is not None


def take_back(db: Db, owner: str, name: str) -> None:
    """Let a conversation of this name be as if it had never been forgotten: its words are gone all the same."""
    key = known_key(db)
    if key is not None:
        db.run("remove_forgotten_name", owner_number(db, owner), name_mark(key, name))


def _delete(db: Db, owner: str, name: str, number: int) -> tuple[Erased, list[str]]:
    """Delete a conversation; what went, and its texts."""
    texts: list[str] = []
    owner_id = owner_number(db, owner)
    branches = [int(row["id"]) for row in db.run("branches_to_forget", number)]
    for branch in branches:
        for row in db.run("messages_to_forget", branch).fetchall():
            message = decode_message(row["role"], row["body"], row["time_s"])
            texts.append(indexed(searchable_text(message)))
            take_out(db, row["id"], number, owner_id, message)
    summaries = db.run("summaries_to_forget", number).fetchall()
    for row in summaries:
        texts.append(indexed(row["body"]))
        take_out_summary(db, row["id"], number, owner_id, row["body"])
    counts = db.row("count_of_conversation", number)
    pins = tuple(f"p{row['id']}" for row in db.run("pins", number))
    db.run("forget_leases", f"\x1f{owner}\x1f{name}")
    for statement in _PARTS:
        db.run(statement, number)
    erased = Erased(
        messages=counts["messages"] if counts is not None else 0,
        emptied=tuple(summary_id(row["id"]) for row in summaries),
        pins=pins,
        branches=len(branches),
        vectors=counts["vectors"] if counts is not None else 0,
        compactions=counts["compactions"] if counts is not None else 0,
    )
    return erased, texts


def _over(db: Db, texts: list[str]) -> None:
    drop_unused(db, texts)
    db.run("note_erasure")
    for known in (db.conversations, db.owners, db.forks):
        known.clear()


def restate(db: Db, owner: str, conversation: str, at: Branch, text: str, through: int) -> bool:
    """See `Forgetting.restate`."""
    number = must_have(db, owner, conversation)
    row = db.row("branch", at.id, number)
    if (
        row is None
        or row["purged"] > at.version
        or not db.run("restate_ledger", text, through, at.id).rowcount
    ):
        return False
    db.run("note_change", number)
    return True
