"""What is known of followed files: which were taken in, as they were then. It is kept in a file beside the database.

The store stays the one truth. A file counts as taken in only while every conversation it gave is in the store, so that
one that was forgotten, or a whole database that is gone, is read again; to lose this file costs nothing but time.
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
    """A file as it was: enough to see that it was written to."""

    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that was read: as it was, what it gave, the files read along with it, and why nothing came of it."""

    stamp: Stamp
    conversations: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    reason: str = ""


def to_read(found: Mapping[str, Stamp], seen: Mapping[str, Seen]) -> dict[str, Stamp]:
    """The files to read, the newest last: new ones, those that changed, and those of which a related file changed."""
    readers = {path: reader for reader, one in seen.items() for path in one.related if reader in found}
    wanted: dict[str, int] = {}
    for path, stamp in found.items():
        known = seen.get(path)
        if known is not None and known.stamp == stamp:
            continue
        reader = readers.get(path, path)
        wanted[reader] = max(wanted.get(reader, 0), stamp.mtime_ns)
    return {path: found[path] for path in sorted(wanted, key=lambda path: wanted[path])}


def still_true(seen: Mapping[str, Seen], stored: Collection[str]) -> dict[str, Seen]:
    """What is left of `seen` in a store that holds these conversations."""
    return {path: one for path, one in seen.items() if all(name in stored for name in one.conversations)}


def within(seen: Mapping[str, Seen], folders: Sequence[Path]) -> dict[str, Seen]:
    """What is known of files beneath some folders."""
    begins = tuple(os.path.join(folder, "") for folder in folders)  # noqa: PTH118  (with its last separator)
    return {path: one for path, one in seen.items() if path.startswith(begins)}


def state_path(db: Path, owner: str) -> Path:
    """Where what an owner has seen is kept: beside the database."""
    digest = hashlib.sha256(owner.encode("utf-8", "replace")).hexdigest()[:8]
    return db.with_name(f"{db.name}.followed-{digest}.json")


def load(path: Path) -> dict[str, Seen]:
    """What was kept; nothing where it cannot be read."""
    try:
        held = msgspec.json.decode(path.read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        return {}
    return held.files if held.version == _VERSION else {}


def save(path: Path, seen: Mapping[str, Seen]) -> None:
    """Keep it, whole or not at all. What cannot be written is read again next time, and so are files whose names are
    no text, which a file system takes and JSON does not.
    """
    kept = {path: one for path, one in seen.items() if _is_text(path, one.reason, *one.related)}
    data = msgspec.json.encode(_Kept(_VERSION, kept))
    with suppress(OSError, UsageError):
        write(path, data, mode=PRIVATE)


def _is_text(*given: str) -> bool:
    try:
        "".join(given).encode()
    except UnicodeEncodeError:
        return False
    return True


class _Kept(msgspec.Struct):
    version: int
    files: dict[str, Seen]
