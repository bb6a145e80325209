"""Other programs' files that are edited as text: read, replaced all or nothing, and backed up next to the original.

- Writing is atomic, follows links, and never overwrites a concurrent change.
- A file that is not JSON in UTF-8 is not changed. A byte order mark stays.
"""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from palimpsest.config import json_edit
from palimpsest.errors import SettingsError, reason_of
from palimpsest.file_writing import PRIVATE, writing

BACKUP_NAME = "palimpsest"
MAX_FILE_BYTES = 100_000_000

Action = Literal["added", "changed", "unchanged", "restored", "removed", "absent"]


@dataclass(frozen=True, slots=True)
class Edit:
    """What was done to which file. `backup` is the path of the original's copy, "" for none."""

    action: Action
    path: str
    backup: str = ""


def places(path: Path) -> tuple[Path, Path]:
    """The file after following links, and the path of its backup."""
    try:
        target = path.resolve()
    except (OSError, RuntimeError) as error:
        raise SettingsError(f"{path}: the link cannot be resolved", hint="nothing was changed") from error
    return target, target.with_name(f"{target.name}.{BACKUP_NAME}-backup")


def decoded(data: bytes, path: Path) -> tuple[bytes, str]:
    """The byte order mark, if any, and the text of a JSON object. Raises SettingsError."""
    try:
        mark, text = marked(data)
        json_edit.check(text)
    except ValueError as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise SettingsError(
            f"{path} cannot be edited as JSON: {reason}", hint="correct it by hand; nothing was changed"
        ) from error
    return mark, text


def marked(data: bytes) -> tuple[bytes, str]:
    """The byte order mark of a file, if any, and its text. Raises ValueError."""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    return mark, data[len(mark) :].decode()


def read(path: Path) -> bytes | None:
    """A file's bytes, None if it does not exist. Raises SettingsError."""
    try:
        with path.open("rb") as file:
            kind = os.fstat(file.fileno())
            if not stat.S_ISREG(kind.st_mode) or kind.st_size > MAX_FILE_BYTES:
                raise SettingsError(f"{path} is not a file that can be edited", hint="nothing was changed")
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {reason_of(error)}", hint="nothing was changed") from error


def write(path: Path, data: bytes, expected: bytes | None, *, like: Path | None = None) -> None:
    """Replace a file atomically, if it still has the bytes `expected` (None: any). Raises SettingsError."""
    try:
        mode = stat.S_IMODE(like.stat().st_mode) if like is not None else PRIVATE
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing(path, mode=mode) as file:
            file.write(data)
            _check_unchanged(path, expected)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {reason_of(error)}", hint="nothing was changed") from error


def unlink(path: Path, expected: bytes) -> None:
    """Remove a file that still has these bytes. Raises SettingsError."""
    _check_unchanged(path, expected)
    try:
        path.unlink()
    except OSError as error:
        raise SettingsError(
            f"cannot remove {path}: {reason_of(error)}", hint="nothing was changed"
        ) from error


def _check_unchanged(path: Path, expected: bytes | None) -> None:
    if expected is not None and read(path) != expected:
        raise SettingsError(f"{path} was changed by another program just now", hint="try again")
