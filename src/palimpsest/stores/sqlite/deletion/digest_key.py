"""The key under which what was forgotten is known again, in a file of its own beside the database.

It is no part of the database, so that neither a copy of that file nor a backup says anything about what was forgotten
(`record.forgetting`). Made when something is first forgotten, readable by its owner only.
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
    """The key of the database that this connection is to, None before the first or where it is lost."""
    path = _path(db)
    if db.key is None and path:
        db.key = read_key(path)
    return db.key


def own_key(db: Db) -> bytes:
    """The key of the database that this connection is to, made if there is none; one in memory has it there as well."""
    path = _path(db)
    db.key = made_key(path) if path else db.key or secrets.token_bytes(KEY_BYTES)
    return db.key


def _path(db: Db) -> str:
    return next((str(row["file"]) for row in db.run("database_files") if row["name"] == "main"), "")


def key_file(path: str) -> Path:
    """Where the key of a database lies."""
    return Path(path + SUFFIX)


def read_key(path: str) -> bytes | None:
    """The key of a database, None where there is none. Raises StoreError for one that cannot be read."""
    place = key_file(path)
    try:
        key = place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{place} cannot be read: {reason_of(error)}", hint="make it readable") from error
    return key if len(key) == KEY_BYTES else None


def made_key(path: str) -> bytes:
    """The key of a database, made and brought to the disk if there is none. Raises StoreError."""
    known = read_key(path)
    if known is not None:
        return known
    key = secrets.token_bytes(KEY_BYTES)
    _write(key_file(path), key)
    return read_key(path) or key


def copy_key(path: str, target: str) -> None:
    """Put the key of a database beside one that takes its place, if it has one and there is none yet."""
    key = read_key(path)
    if key is not None and not key_file(target).exists():
        _write(key_file(target), key)


def _write(place: Path, key: bytes) -> None:
    """Bring a key to the disk, unless another process was first; one that is damaged gives way. Raises StoreError."""
    try:
        damaged = place.exists() and place.stat().st_size != KEY_BYTES
        write(place, key, mode=PRIVATE, replace=damaged)
    except FileExistsError:
        return
    except OSError as error:
        raise StoreError(
            f"{place} cannot be written: {reason_of(error)}", hint="make its folder writable"
        ) from error
