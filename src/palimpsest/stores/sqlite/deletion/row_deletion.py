"""Deleting messages, conversations and owners. Each function runs inside a transaction of its caller.

- The rows of deleted messages stay as tombstones (`record.forgetting`), so positions, ids and references hold.
  Everything derived from them is rebuilt or emptied, and the chain is computed again.
- Of a deleted conversation only a keyed digest of its name stays, so that an import recognizes it. Of an owner
  nothing stays.
- SQLite overwrites freed space with zeros (`secure_delete`); `purge` cleans indexes and log.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from palimpsest.budget.assemble import count_note
from palimpsest.budget.token_counts import count_message
from palimpsest.plan.blocks import request_position
from palimpsest.record.chain import Head, advance
from palimpsest.record.forgetting import (
    SALT_BYTES,
    Erased,
    Reach,
    Rewritten,
    blank_for,
    is_blank,
    name_mark,
    summed,
    tombstone_for,
)
from palimpsest.record.log import Branch, Stored
from palimpsest.record.message import Message, searchable_text
from palimpsest.record.summary import Summary
from palimpsest.record.window_items import Item, OmittedItem, kind_of
from palimpsest.stores.codec import (
    decode_calls,
    decode_message,
    decode_strings,
    dumps,
    encode_calls,
    encode_message,
)
from palimpsest.stores.deletion_rules import (
    REASON,
    added_copies,
    deleted_with,
    forgotten_note,
    forgotten_runs,
    pins_quoting,
    quiet_calls,
    restated,
    summaries_over,
    with_other_added,
    without_ids,
)
from palimpsest.stores.index_terms import indexed
from palimpsest.stores.log_rules import title_from
from palimpsest.stores.sqlite.deletion.digest_key import known_key, own_key
from palimpsest.stores.sqlite.fulltext.index import (
    index_message,
    index_summary,
    unindex_message,
    unindex_summary,
)
from palimpsest.stores.sqlite.fulltext.vocabulary_cleanup import drop_unused, in_messages
from palimpsest.stores.sqlite.ledger_pins import pins
from palimpsest.stores.sqlite.message_log import must_have, owner_number, row_number, to_branch, to_stored
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.window_rows import load_window, summary_id, to_summary


@dataclass(slots=True)
class ConversationRows:
    """A conversation as its branches and their own messages."""

    number: int
    owner: str
    name: str
    branches: dict[int, Branch] = field(default_factory=dict[int, Branch])
    own: dict[int, list[Stored]] = field(default_factory=dict[int, list[Stored]])
    histories: dict[int, list[Stored]] = field(default_factory=dict[int, list[Stored]])
    owners: dict[str, int] = field(default_factory=dict[str, int])

    def take(self, branch: Branch, stored: list[Stored]) -> None:
        """Add a branch with its own messages; a parent comes before its forks."""
        before = self.histories[branch.parent][: branch.fork_seq] if branch.parent is not None else []
        self.branches[branch.id], self.own[branch.id] = branch, stored
        self.histories[branch.id] = before + stored
        self.owners.update((one.id, branch.id) for one in stored)


def load_rows(db: Db, owner: str, name: str) -> ConversationRows:
    """Return everything that was said in a conversation. Raises NotFound."""
    talk = ConversationRows(must_have(db, owner, name), owner, name)
    for row in db.run("branches_to_forget", talk.number).fetchall():
        branch = to_branch(row)
        rows = db.run("messages_to_forget", branch.id)
        talk.take(branch, [to_stored(one, branch.closed_seq) for one in rows])
    return talk


def reach(db: Db, owner: str, name: str, ids: Iterable[str]) -> Reach:
    """See `Forgetting.reach`."""
    talk = load_rows(db, owner, name)
    asked = {one for one in ids if one in talk.owners}
    going = _going(talk, asked)
    over = _over(db, talk, going)
    return Reach(
        tuple(sorted(going, key=lambda one: int(one[1:]))),
        len(asked),
        tuple(over),
        tuple(_pins_over(db, talk, going)),
    )


def _going(talk: ConversationRows, asked: Iterable[str]) -> set[str]:
    """Return the messages to delete that are not deleted yet."""
    own = {one.id: one for stored in talk.own.values() for one in stored}
    going = deleted_with(talk.histories, talk.owners, {one for one in asked if one in own})
    return {one for one in going if not is_blank(own[one].message)}


def _over(db: Db, talk: ConversationRows, going: set[str]) -> list[Summary]:
    """Return the summaries that repeat any of the messages, deeper ones last, because sources are older."""
    summaries: list[Summary] = []
    quoting: set[str] = set()
    for row in db.run("summaries_to_forget", talk.number).fetchall():
        summary = to_summary(db, row)
        summaries.append(summary)
        if summary.quotes and talk.histories[row["branch_id"]][summary.quotes - 1].id in going:
            quoting.add(summary.id)
    numbers = {row_number(one, "m") for one in going}
    said = _said(talk, going)

    def held(word: str) -> bool:
        return in_messages(db, word, numbers, talk.number)

    return summaries_over(summaries, going, quoting, said, held)


def _said(talk: ConversationRows, going: set[str]) -> list[str]:
    return [searchable_text(one.message) for stored in talk.own.values() for one in stored if one.id in going]


def _pins_over(db: Db, talk: ConversationRows, going: set[str]) -> list[str]:
    """Return the pins that quote any of the messages."""
    stays = (
        searchable_text(one.message) for stored in talk.own.values() for one in stored
        if one.id not in going and not is_blank(one.message)
    )  # fmt: skip
    return pins_quoting(pins(db, talk.owner, talk.name), going, _said(talk, going), stays)


def forget(db: Db, owner: str, name: str, ids: Iterable[str], rewritten: Mapping[str, Rewritten]) -> Erased:
    """See `Forgetting.forget`."""
    talk = load_rows(db, owner, name)
    going = _going(talk, ids)
    if not going:
        return Erased()
    over = _over(db, talk, going)
    quoting = _pins_over(db, talk, going)
    gone = [one for stored in talk.own.values() for one in stored if one.id in going]
    texts = [searchable_text(one.message) for one in gone] + [one.text for one in over]
    key = own_key(db)
    vectors = sum(_blank(db, talk, one, key) for one in gone)
    _drop_copies(db, talk, going)
    _forget_keys(db, talk, going)
    _relink(db, talk, going)
    for statement in ("forget_usage", "forget_ledgers"):
        db.run(statement, talk.number)
    _blank_stubs(db, talk, gone)
    kept = {one.id for one in over if _rewrite(db, talk, one, rewritten.get(one.id), going)}
    records, ledgers = _clean_records(db, talk, going, {one.id for one in over})
    for pin in quoting:
        db.run("forget_pin", row_number(pin, "p"))
    _forget_secrets(db, talk, going)
    _retitle(db, talk, gone)
    for branch in talk.branches.values():
        _gather(db, talk, branch, {one.id: one for one in over})
    drop_unused(db, texts)
    db.run("stale_copies", talk.number)
    db.run("note_erasure")
    return Erased(
        messages=len(going),
        rebuilt=tuple(one.id for one in over if one.id in kept),
        emptied=tuple(one.id for one in over if one.id not in kept),
        pins=tuple(quoting),
        branches=sum(any(one.id in going for one in talk.histories[number]) for number in talk.branches),
        vectors=vectors,
        compactions=records,
        ledgers=ledgers,
    )


def _blank(db: Db, talk: ConversationRows, stored: Stored, key: bytes) -> int:
    """Replace a message by a tombstone; return how many vectors it had."""
    number = row_number(stored.id, "m") or 0
    owner_id = owner_number(db, talk.owner)
    unindex_message(db, number, talk.number, owner_id, stored.message)
    known = tombstone_for(stored.message, key, secrets.token_bytes(SALT_BYTES))
    blank = blank_for(stored.message)
    db.run("blank_message", blank.role, encode_message(blank), count_message(blank), number)
    db.run("add_tombstone", number, talk.number, known.salt, known.mark, known.origin_mark)
    index_message(db, number, talk.number, owner_id, blank)
    db.run("forget_shown_items", stored.id, talk.number)
    if db.run("forget_vector_behind", number).rowcount:
        db.run("embed_again_from", number)
    return db.run("forget_vector", number).rowcount


def _drop_copies(db: Db, talk: ConversationRows, going: set[str]) -> None:
    """Remove the texts after remaining messages that copy or quote deleted ones."""
    owner_id = owner_number(db, talk.owner)
    every = [one for stored in talk.own.values() for one in stored]
    copies = added_copies(every, going, _said(talk, going))
    for branch, stored in talk.own.items():
        for place, before in enumerate(stored):
            if before.id in copies:
                after = with_other_added(before, copies[before.id])
                number = row_number(before.id, "m") or 0
                unindex_message(db, number, talk.number, owner_id, before.message)
                db.run(
                    "rewrite_message", encode_message(after.message), after.tokens, after.gate_tokens, number
                )
                index_message(db, number, talk.number, owner_id, after.message)
                talk.own[branch][place] = after


def _forget_keys(db: Db, talk: ConversationRows, going: set[str]) -> None:
    for row in db.run("append_keys_to_forget", talk.number).fetchall():
        if not going.isdisjoint(decode_strings(row["message_ids"])):
            db.run("forget_append_key", talk.number, row["key"])


def _relink(db: Db, talk: ConversationRows, going: set[str]) -> None:
    """Compute the chain of every branch again, and store where each ends."""
    after: dict[int, list[Head]] = {}
    sums: dict[int, list[int]] = {}
    for number, branch in talk.branches.items():
        parent, fork_seq = branch.parent, branch.fork_seq
        heads = after[parent][:fork_seq] if parent is not None else []
        tokens = sums[parent][:fork_seq] if parent is not None else []
        head = heads[-1] if heads else Head()
        for stored in talk.own[number]:
            message: Message = blank_for(stored.message) if stored.id in going else stored.message
            head = advance(head, message)
            if head.chain != stored.chain:
                db.run("relink_message", head.chain, row_number(stored.id, "m"))
            heads.append(head)
            tokens.append(count_message(message) if stored.id in going else stored.tokens)
        after[number], sums[number] = heads, tokens
        db.run("relink_branch", head.chain, dumps(head.calls), sum(tokens), number)


def _blank_stubs(db: Db, talk: ConversationRows, gone: Iterable[Stored]) -> None:
    """Empty the stubs of a deleted message, whose notes quote it."""
    note = forgotten_note(1)
    places = {one.seq for one in gone}
    names = {one.id for one in gone}
    for number in talk.branches:
        held = {one.seq for one in talk.histories[number] if one.seq in places and one.id in names}
        for seq in held:
            for row in db.run("stubs_to_forget", number, seq).fetchall():
                tokens = min(row["tokens"], count_note(note))
                db.run("blank_item", note, tokens, row["id"], talk.number)
                db.run("blank_record", note, tokens, row["id"], talk.number)


def _rewrite(
    db: Db, talk: ConversationRows, before: Summary, given: Rewritten | None, going: set[str]
) -> bool:
    """Replace a summary's text; return whether the new text was used: one no longer than the old."""
    quoted = _quoted(talk, before, going)
    after, fits = restated(before, given, quoted)
    number = row_number(before.id, "s") or 0
    owner_id = owner_number(db, talk.owner)
    unindex_summary(db, number, talk.number, owner_id, before.text)
    index_summary(db, number, talk.number, owner_id, after.text)
    db.run(
        "rewrite_summary", after.text, after.tokens, after.earliest_s, after.latest_s, after.quotes, number
    )
    db.run("reckon_beneath", number)
    db.run("resize_item", after.tokens, before.id, talk.number)
    db.run("resize_record", after.tokens, before.id, talk.number)
    return fits


def _quoted(talk: ConversationRows, summary: Summary, going: set[str]) -> Stored | None:
    """Return the request that a summary still quotes."""
    if not summary.quotes:
        return None
    for number in talk.branches:
        history = talk.histories[number]
        if summary.quotes <= len(history) and any(one.id in summary.sources for one in history):
            stored = history[summary.quotes - 1]
            return None if stored.id in going else stored
    return None


def _clean_records(db: Db, talk: ConversationRows, going: set[str], over: set[str]) -> tuple[int, int]:
    """Remove quotes from the records of compactions; return how many records and ledgers changed."""
    changed = ledgers = 0
    for number in talk.branches:
        first = min((one.seq for one in talk.histories[number] if one.id in going), default=None)
        for row in db.run("records_to_forget", number).fetchall() if first is not None else ():
            calls = decode_calls(row["calls"])
            speaks = row["item_id"] in over and any(call.refused or call.repairs for call in calls)
            if speaks:
                db.run("blank_calls", encode_calls(quiet_calls(calls)), row["id"])
            stated = bool(row["ledger"]) and row["ledger_through"] >= (first or 0)
            if stated:
                db.run("blank_ledger", row["id"])
            changed += speaks or stated
            ledgers += stated
    return changed, ledgers


def _forget_secrets(db: Db, talk: ConversationRows, going: set[str]) -> None:
    """Remove deleted messages from the list of those that hold secrets."""
    row = db.row("memo", talk.number)
    if row is not None:
        db.run("save_memo", talk.number, without_ids(str(row["body"]), going))


def _retitle(db: Db, talk: ConversationRows, gone: Iterable[Stored]) -> None:
    """Replace a conversation's title if it was taken from deleted text."""
    row = db.row("conversation_system", talk.number)
    title = str(row["title"]) if row is not None else ""
    if title and any(_is_from(title, searchable_text(one.message)) for one in gone):
        names = {one.id for one in gone}
        texts = (
            one.message.text for stored in talk.own.values() for one in stored
            if one.message.role == "user" and one.id not in names and not is_blank(one.message)
        )  # fmt: skip
        db.run("retitle", title_from(texts), talk.number)


def _is_from(title: str, text: str) -> bool:
    """Return whether a title was taken from a text, ignoring placeholders in it."""
    from palimpsest.redaction.detector import PLACEHOLDER

    pieces = [piece for piece in PLACEHOLDER.split(title) if piece.strip()]
    return all(piece in text for piece in pieces)


def _gather(db: Db, talk: ConversationRows, branch: Branch, over: Mapping[str, Summary]) -> None:
    """Replace adjacent deleted messages in a branch's window by one line, and note that its prefix changed: reasoning
    before the newest request is bound to the old one.
    """
    row = db.row("branch", branch.id, talk.number)
    if row is None:
        return
    window = load_window(db, to_branch(row))
    thinking_from = max(1, request_position(window))
    changed = False
    for run in forgotten_runs(window.items):
        note = forgotten_note(run[-1].last - run[0].first + 1)
        if count_note(note) < sum(item.tokens for item in run):
            made = OmittedItem("", run[0].first, run[-1].last, note, count_note(note))
            made = replace(made, id=f"o{int(db.run('number_item').lastrowid or 0)}")
            _note(db, branch.id, run, made, sum(item.tokens for item in run), thinking_from)
            changed = True
    for item in window.items:
        if not changed and item.id in over and item.tokens < over[item.id].tokens:
            _note(db, branch.id, [item], item, over[item.id].tokens, thinking_from)
            changed = True
    if changed:
        db.run("mark_compacted", thinking_from, branch.id)


def _note(
    db: Db, branch_id: int, gone: Sequence[Item], made: Item, before_tokens: int, thinking_from: int
) -> None:
    """Replace items in a window, with a record like that of every other replacement. A rewritten summary replaces
    itself.
    """
    for item in gone:
        db.run("retire_item", branch_id, item.id)
    note = made.note if isinstance(made, OmittedItem) else ""
    db.run("add_item", branch_id, made.id, kind_of(made), made.first, made.last, note, made.tokens)
    db.run(
        "add_compaction", branch_id, REASON, "{}", dumps([item.id for item in gone]), made.id, kind_of(made), note,
        before_tokens, made.tokens, thinking_from, "[]", 0, 0, 0.0, "[]", *_stated(db, branch_id),
    )  # fmt: skip


def _stated(db: Db, branch_id: int) -> tuple[str, int]:
    """Return the current ledger of a branch, which the record of a deletion does not change."""
    row = db.row("last_ledger", branch_id, 1 << 62)
    return (str(row["ledger"]), int(row["ledger_through"])) if row is not None else ("", 0)


_PARTS = (
    "forget_usage", "forget_ledgers", "forget_vectors_of", "forget_vector_progress_of", "forget_items_of",
    "forget_accounts_of", "forget_records_of", "forget_sources_of", "forget_summaries_of", "forget_append_keys_of",
    "forget_pins_of", "forget_spent_of", "forget_memo_of", "forget_jobs_of", "forget_copies_of",
    "keep_exports_of",
    "forget_tombstones_of", "forget_messages_of", "forget_branches_of", "forget_conversation",
)  # fmt: skip
"""The tables of a conversation, in an order of deletion that keeps references valid."""


def forget_conversation(db: Db, owner: str, name: str) -> Erased:
    """See `Forgetting.forget_conversation`."""
    number = must_have(db, owner, name)
    erased, texts = _delete(db, owner, name, number)
    db.run("add_forgotten_name", owner_number(db, owner), name_mark(own_key(db), name))
    _drop_words_and_caches(db, texts)
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
        _drop_words_and_caches(db, texts)
    return summed(parts)


def was_forgotten(db: Db, owner: str, name: str) -> bool:
    """Return whether a conversation of this name was deleted."""
    key = known_key(db)
    return key is not None and db.row("known_name", owner, name_mark(key, name)) is not None


def take_back(db: Db, owner: str, name: str) -> None:
    """Drop the record that a conversation of this name was deleted; its content stays deleted."""
    key = known_key(db)
    if key is not None:
        db.run("remove_forgotten_name", owner_number(db, owner), name_mark(key, name))


def _delete(db: Db, owner: str, name: str, number: int) -> tuple[Erased, list[str]]:
    """Delete a conversation; return what was deleted, and its texts."""
    texts: list[str] = []
    owner_id = owner_number(db, owner)
    branches = [int(row["id"]) for row in db.run("branches_to_forget", number)]
    for branch in branches:
        for row in db.run("messages_to_forget", branch).fetchall():
            message = decode_message(row["role"], row["body"], row["time_s"])
            texts.append(indexed(searchable_text(message)))
            unindex_message(db, row["id"], number, owner_id, message)
    summaries = db.run("summaries_to_forget", number).fetchall()
    for row in summaries:
        texts.append(indexed(row["body"]))
        unindex_summary(db, row["id"], number, owner_id, row["body"])
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


def _drop_words_and_caches(db: Db, texts: list[str]) -> None:
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
