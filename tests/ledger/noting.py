"""Ledgers of messages, and an entry of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palimpsest.ledger.entries import KINDS, Entry, Kind, Ledger
from palimpsest.ledger.update import update
from palimpsest.record.message import Message


def entries(ledger: Ledger, *kinds: Kind) -> Iterator[Entry]:
    """All entries, or those of the kinds given."""
    for kind in kinds or KINDS:
        yield from ledger.tables[kind].values()


def noted(messages: Sequence[Message], ledger: Ledger | None = None) -> Ledger:
    ledger = ledger or Ledger()
    for message in messages:
        update(ledger, message, ledger.seq + 1)
    return ledger


def entry_of(ledger: Ledger, text: str) -> Entry:
    return next(entry for entry in entries(ledger) if entry.text == text)
