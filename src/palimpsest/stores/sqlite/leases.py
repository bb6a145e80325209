"""Leases, which one holder has at a time. Each function runs inside a transaction of its caller."""

from __future__ import annotations

from palimpsest.stores.lease_holders import has_ended
from palimpsest.stores.sqlite.statements import Db


def take_lease(db: Db, name: str, holder: str, *, ttl_s: float, now_s: float) -> bool:
    """See `Store.lease`."""
    if db.run("take_lease", name, holder, now_s + ttl_s, now_s).rowcount > 0:
        return True
    row = db.row("lease_holder", name)
    if row is None or not has_ended(str(row["holder"])):
        return False
    db.run("release_lease", name, row["holder"])
    return db.run("take_lease", name, holder, now_s + ttl_s, now_s).rowcount > 0


def release_lease(db: Db, name: str, holder: str) -> None:
    """See `Store.release`."""
    db.run("release_lease", name, holder)
