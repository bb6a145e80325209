"""The key for digests of deleted content, in a file of its own next to the database.

It is not part of the database, so neither a copy nor a backup of that file reveals what was deleted
(`record.forgetting`). It is created at the first deletion, readable only by its owner.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from palimpsest.errors import StoreError, reason_of
from palimpsest.file_writing import PRIVATE, write
from palimpsest.record.forgetting import KEY_BYTES
from palimpsest.stores.sqlite.statements import Db

SUFFIX = "-key"


def known_key(db: Db) -> bytes | None:
    """Return the key of the connection's database, None before the first deletion or if it is lost."""
    path = _path(db)
    if db.key is None and path:
        db.key = read_key(path)
    return db.key


def own_key(db: Db) -> bytes:
    """Return the key of the connection's database, created if there is none. A database in memory keeps it there."""
    path = _path(db)
    db.key = made_key(path) if path else db.key or secrets.token_bytes(KEY_BYTES)
    return db.key


def _path(db: Db) -> str:
    return next((str(row["file"]) for row in db.run("database_files") if row["name"] == "main"), "")


def key_file(path: str) -> Path:
    """Return the path of a database's key."""
    return Path(path + SUFFIX)


def read_key(path: str) -> bytes | None:
    """Return the key of a database, None if there is none. Raises StoreError if it cannot be read."""
    place = key_file(path)
    try:
        key = place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{place} cannot be read: {reason_of(error)}", hint="make it readable") from error
    return key if len(key) == KEY_BYTES else None


def made_key(path: str) -> bytes:
    """Return the key of a database, created and synced to disk if there is none. Raises StoreError."""
    known = read_key(path)
    if known is not None:
        return known
    key = secrets.token_bytes(KEY_BYTES)
    _write(key_file(path), key)
    return read_key(path) or key


def copy_key(path: str, target: str) -> None:
    """Copy the key of a database next to its replacement, if it has one and the replacement has none."""
    key = read_key(path)
    if key is not None and not key_file(target).exists():
        _write(key_file(target), key)


def _write(place: Path, key: bytes) -> None:
    """Write and sync a key, unless another process was faster; a damaged one is replaced. Raises StoreError."""
    try:
        damaged = place.exists() and place.stat().st_size != KEY_BYTES
        write(place, key, mode=PRIVATE, replace=damaged)
    except FileExistsError:
        return
    except OSError as error:
        raise StoreError(
            f"{place} cannot be written: {reason_of(error)}", hint="make its folder writable"
        ) from error
