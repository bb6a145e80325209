"""Remembers which followed files were imported, and their state then, in a file next to the database.

The store is authoritative: a file counts as imported only while all its conversations are in the store. Losing the file
only costs time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palimpsest.errors import UsageError
from palimpsest.file_writing import PRIVATE, write

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file's size and time, which show whether it was written to."""

    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that was read: its stamp, conversations, files read with it, and why it gave no conversation."""

    stamp: Stamp
    conversations: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    reason: str = ""


def to_read(found: Mapping[str, Stamp], seen: Mapping[str, Seen]) -> dict[str, Stamp]:
    """The files to read, newest last: new and changed ones, and those with a changed related file."""
    readers = {path: reader for reader, one in seen.items() for path in one.related if reader in found}
    wanted: dict[str, int] = {}
    for path, stamp in found.items():
        known = seen.get(path)
        if known is not None and known.stamp == stamp:
            continue
        reader = readers.get(path, path)
        wanted[reader] = max(wanted.get(reader, 0), stamp.mtime_ns)
    return {path: found[path] for path in sorted(wanted, key=lambda path: wanted[path])}


def still_stored(seen: Mapping[str, Seen], stored: Collection[str]) -> dict[str, Seen]:
    """The entries of `seen` whose conversations are all in the store."""
    return {path: one for path, one in seen.items() if all(name in stored for name in one.conversations)}


def within(seen: Mapping[str, Seen], folders: Sequence[Path]) -> dict[str, Seen]:
    """The entries of files below some folders."""
    begins = tuple(os.path.join(folder, "") for folder in folders)  # noqa: PTH118  (with its last separator)
    return {path: one for path, one in seen.items() if path.startswith(begins)}


def state_path(db: Path, owner: str) -> Path:
    """The path of an owner's state file: next to the database."""
    digest = hashlib.sha256(owner.encode("utf-8", "replace")).hexdigest()[:8]
    return db.with_name(f"{db.name}.followed-{digest}.json")


def load(path: Path) -> dict[str, Seen]:
    """The saved entries; none if the file cannot be read."""
    try:
        held = msgspec.json.decode(path.read_bytes(), type=_Saved)
    except (OSError, msgspec.DecodeError):
        return {}
    return held.files if held.version == _VERSION else {}


def save(path: Path, seen: Mapping[str, Seen]) -> None:
    """Save the entries atomically; a failure is ignored. Files whose names are not valid text are left out, because
    JSON cannot contain them, and are read again next time.
    """
    kept = {path: one for path, one in seen.items() if _is_text(path, one.reason, *one.related)}
    data = msgspec.json.encode(_Saved(_VERSION, kept))
    with suppress(OSError, UsageError):
        write(path, data, mode=PRIVATE)


def _is_text(*given: str) -> bool:
    try:
        "".join(given).encode()
    except UnicodeEncodeError:
        return False
    return True


class _Saved(msgspec.Struct):
    version: int
    files: dict[str, Seen]
