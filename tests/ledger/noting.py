"""Ledgers of messages, and an entry of one."""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.ledger.entries import Entry, Ledger, entries
from palimpsest.ledger.update import update
from palimpsest.record.message import Message


def noted(messages: Sequence[Message], ledger: Ledger | None = None) -> Ledger:
    ledger = ledger or Ledger()
    for message in messages:
        update(ledger, message, ledger.seq + 1)
    return ledger


def entry_of(ledger: Ledger, text: str) -> Entry:
    return next(entry for entry in entries(ledger) if entry.text == text)
