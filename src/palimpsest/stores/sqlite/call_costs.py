"""Costs of calls. Each function runs inside a transaction of its caller."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace as with_changes
from typing import Literal, cast

import msgspec

from palimpsest.errors import IntegrityError
from palimpsest.record.spending import Account, Payment, Spent, carried_over
from palimpsest.stores.checksums import intact_row
from palimpsest.stores.codec import storable
from palimpsest.stores.sqlite import message_log
from palimpsest.stores.sqlite.statements import Db


def save(db: Db, owner: str, conversation: str, payment: Payment | None) -> None:
    """See `Store.save_account`."""
    if payment is None:
        return
    number = message_log.must_have(db, owner, conversation)
    if db.row("branch", payment.branch_id, number) is None:
        return
    kept = _kept(db, payment.branch_id) if payment.since is not None else None
    account = carried_over(kept, payment.since, payment.account)
    account = with_changes(account, model=storable(account.model))
    db.run("save_account", payment.branch_id, msgspec.json.encode(account).decode())
    for one in payment.spent:
        db.run(
            "add_spent", number, one.kind, storable(one.model), one.time_s, one.input_tokens, one.cached_tokens,
            one.written_tokens, one.output_tokens, one.cost, one.never_cost, one.units, one.reported, one.assumed,
        )  # fmt: skip


def _kept(db: Db, branch_id: int) -> Account | None:
    """Return the stored account; None for an unreadable one, which the next one replaces."""
    row = db.row("account", branch_id)
    with suppress(msgspec.MsgspecError):
        return msgspec.json.decode(row["body"], type=Account) if row is not None else None
    return None


def account(db: Db, owner: str, conversation: str, branch_id: int) -> Account | None:
    """See `Store.account`."""
    if not message_log.has_branch(db, owner, conversation, branch_id):
        return None
    row = db.row("account", branch_id)
    if row is None:
        return None
    try:
        return msgspec.json.decode(intact_row(row, "account", "an account")["body"], type=Account)
    except msgspec.MsgspecError as error:
        raise IntegrityError(
            "a stored account is not readable", hint="restore the database from a backup"
        ) from error


def spent(db: Db, owner: str, conversation: str, limit: int) -> list[Spent]:
    """See `Store.spent`."""
    number = message_log.find_conversation(db, owner, conversation)
    if number is None:
        return []
    rows = db.run("spent", number, limit).fetchall()
    return [
        Spent(
            cast("Literal['reply', 'summary']", row["kind"]), row["model"], row["time_s"], row["input_tokens"],
            row["cached_tokens"], row["written_tokens"], row["output_tokens"], row["cost"], row["never_cost"],
            row["units"], bool(row["reported"]), bool(row["assumed"]),
        )
        for row in (intact_row(row, "spent", "a call that was paid for") for row in reversed(rows))
    ]  # fmt: skip
