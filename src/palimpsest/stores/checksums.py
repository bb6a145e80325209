"""A sum over each row that matters, stored with it, so that a changed byte is never read as what was written.

SQLite has no sums over its pages: a bit that flips inside a text is given back as if it had been stored so. The
hash chain finds that for what was said, but only where a whole history is gone through, and it leaves out times,
signatures, counts and what stands beside messages. So every such row carries a CRC-32 of its columns, as a
generated column of the schema: whatever statement writes a row, SQLite asks `crc` of the connection for it, and
`sound` compares when a row is read. It finds damage, not forgery: whoever writes to the file can write the sum as
well.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from operator import itemgetter

from palimpsest.errors import IntegrityError

SUMMED: Mapping[str, tuple[str, ...]] = {
    "conversation": ("name", "title", "parent", "system"),
    "branch": (
        "conversation_id", "parent_id", "fork_seq", "forked_after", "head_seq", "head_chain", "calls", "closed_seq",
        "version", "thinking_from", "tokens", "purged",
    ),
    "message": ("id", "seq", "role", "body", "tokens", "time_s", "gate", "gate_tokens"),
    "append_key": ("key", "message_ids"),
    "summary": (
        "id", "depth", "first_seq", "last_seq", "body", "tokens", "method", "model", "earliest_s", "latest_s", "quotes",
    ),
    "compaction": (
        "reason", "numbers", "replaced", "item_id", "item_kind", "note", "before_tokens", "after_tokens",
        "thinking_from", "calls", "evidence_kept", "evidence_left", "time_s", "evidence", "ledger", "ledger_through",
    ),
    "ledger": ("body",),
    "memo": ("body",),
    "pin": ("id", "quotes", "records", "tokens", "time_s"),
    "item": ("id", "kind", "first_seq", "last_seq", "note", "tokens"),
    "usage": (
        "input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "estimated_tokens", "window_mark",
        "last_seq", "model",
    ),
    "calibration": ("model", "kind", "estimated", "reported"),
    "account": ("body",),
    "spent": (
        "kind", "model", "time_s", "input_tokens", "cached_tokens", "written_tokens", "output_tokens", "cost",
        "never_cost", "units", "reported", "assumed",
    ),
}  # fmt: skip
"""The tables whose rows carry a sum, and the columns it is taken over, in order."""

_WAY_OUT = "`palimpsest verify` shows all that is damaged; restore a backup, or export what is intact"


def crc(*values: object) -> int:
    """CRC-32 of the values of a row: text, numbers, bytes, None."""
    text = "\x1f".join([value if type(value) is str else repr(value) for value in values])
    return zlib.crc32(text.encode("utf-8", "surrogateescape"))


def teach(connection: sqlite3.Connection) -> None:
    """Make `crc` known to a connection; without it no row that carries a sum can be written."""
    connection.create_function("crc", -1, crc, deterministic=True)


def is_sound(row: sqlite3.Row, table: str) -> bool:
    """Whether a row, read with all its summed columns, is as it was written."""
    return row["crc"] == crc(*[row[name] for name in SUMMED[table]])


def sound(row: sqlite3.Row, table: str, name: str) -> sqlite3.Row:
    """The row, if it is as it was written. Raises IntegrityError, which calls it `name`."""
    if not is_sound(row, table):
        raise IntegrityError(f"{name} is damaged: it is not what was stored", hint=_WAY_OUT)
    return row


def damaged(rows: Sequence[sqlite3.Row], table: str) -> sqlite3.Row | None:
    """The first of these rows that is not as it was written; in half the time that asking each of them takes."""
    if not rows:
        return None
    names = rows[0].keys()
    summed, written = itemgetter(*map(names.index, SUMMED[table])), names.index("crc")
    return next((row for row in rows if row[written] != crc(*summed(row))), None)
