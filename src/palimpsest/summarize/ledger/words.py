"""What a user told that holds on, in the user's own words."""

from __future__ import annotations

from palimpsest.summarize.ledger.entries import Entry, Ledger


def remarks_in(ledger: Ledger) -> list[Entry]:
    """What the user told that holds on: the likeliest first, of these the newest."""
    told = [entry for entry in ledger.of("remark").values() if entry.weight]
    return sorted(told, key=lambda entry: entry.weight)[::-1]
