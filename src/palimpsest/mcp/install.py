"""Adds the server to Claude Code's configuration, and removes it. The file is edited as text, with a backup next to it.

- Existing content stays byte for byte. `uninstall` restores the file; if that was edited since, it removes the entry.
- A file that is not JSON, or has an entry with our name that was not added by `install`, is not changed.
- Writing is atomic, follows links, and never overwrites a concurrent change.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from palimpsest.errors import SettingsError, reason_of
from palimpsest.file_writing import PRIVATE, writing
from palimpsest.mcp import json_edit
from palimpsest.mcp.clients import SERVER_NAME

SERVERS_KEY = "mcpServers"
_ENTRY = (SERVERS_KEY, SERVER_NAME)
MAX_FILE_BYTES = 100_000_000

Action = Literal["added", "changed", "unchanged", "restored", "removed", "absent"]


@dataclass(frozen=True, slots=True)
class Edit:
    """What was done to which file. `backup` is the path of the original's copy, "" for none."""

    action: Action
    path: str
    backup: str = ""


def install(path: Path, entry: Mapping[str, object]) -> Edit:
    """Add the server to a client's file, which is created if missing. Raises SettingsError."""
    target, backup = _places(path)
    before = _read(target)
    mark, text = _decoded(before, path) if before is not None else (b"", "{}\n")
    present = _present(text, path)
    if present == entry:
        return Edit("unchanged", str(path), str(backup) if backup.exists() else "")
    try:
        after = mark + json_edit.insert(text, _ENTRY, dict(entry)).encode()
    except ValueError as error:
        raise SettingsError(f"{path}: {error}", hint="nothing was changed") from error
    if before is not None and present is None:
        _write(backup, before, None, like=target)
    _write(target, after, before)
    return Edit(
        "changed" if present is not None else "added", str(path), str(backup) if backup.exists() else ""
    )


def uninstall(path: Path) -> Edit:
    """Remove the server from a client's file. Raises SettingsError."""
    target, backup = _places(path)
    now = _read(target)
    if now is None:
        return Edit("absent", str(path))
    mark, text = _decoded(now, path)
    present = _present(text, path)
    if present is None:
        return Edit("absent", str(path))
    original = _read(backup)
    if _installed_from(original, present) == now:
        if original is None:
            _unlink(target, now)
        else:
            _write(target, original, now)
        backup.unlink(missing_ok=True)
        return Edit("restored", str(path))
    text = json_edit.remove(text, _ENTRY)
    if json_edit.value_at(text, _ENTRY[:1]) == {} and not _had_servers(original):
        text = json_edit.remove(text, _ENTRY[:1])
    _write(target, mark + text.encode(), now)
    return Edit("removed", str(path), str(backup) if original is not None else "")


def _places(path: Path) -> tuple[Path, Path]:
    """The file after following links, and the path of its backup."""
    try:
        target = path.resolve()
    except (OSError, RuntimeError) as error:
        raise SettingsError(f"{path}: the link cannot be resolved", hint="nothing was changed") from error
    return target, target.with_name(f"{target.name}.{SERVER_NAME}-backup")


def _installed_from(original: bytes | None, entry: object) -> bytes | None:
    """The result of `install` on a file, None if it would refuse."""
    try:
        mark, text = _marked(original) if original is not None else (b"", "{}\n")
        json_edit.check(text)
        return mark + json_edit.insert(text, _ENTRY, entry).encode()
    except ValueError:
        return None


def _had_servers(original: bytes | None) -> bool:
    if original is None:
        return False
    try:
        _, text = _marked(original)
        json_edit.check(text)
    except ValueError:
        return False
    return json_edit.value_at(text, _ENTRY[:1]) is not None


def _present(text: str, path: Path) -> object:
    """Our entry, None if there is none. Raises SettingsError if it was not added by `install`."""
    found = json_edit.value_at(text, _ENTRY)
    if found is None:
        return None
    if not _is_ours(found):
        raise SettingsError(
            f'{path}: a server named "{SERVER_NAME}" exists that was not added by this command',
            hint="rename or remove it; nothing was changed",
        )
    return found


def _is_ours(entry: object) -> bool:
    """Whether an entry starts this program's server, with any options."""
    if not isinstance(entry, dict):
        return False
    fields = cast("dict[str, object]", entry)
    given = fields.get("args")
    words = [str(one) for one in cast("list[object]", given)] if isinstance(given, list) else []
    if words[:2] == ["-m", SERVER_NAME]:
        return words[2:3] == ["mcp"]
    return Path(str(fields.get("command", ""))).stem == SERVER_NAME and words[:1] == ["mcp"]


def _decoded(data: bytes, path: Path) -> tuple[bytes, str]:
    """The byte order mark, if any, and the text of a JSON object. Raises SettingsError."""
    try:
        mark, text = _marked(data)
        json_edit.check(text)
    except ValueError as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise SettingsError(
            f"{path} cannot be edited as JSON: {reason}", hint="correct it by hand; nothing was changed"
        ) from error
    return mark, text


def _marked(data: bytes) -> tuple[bytes, str]:
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    return mark, data[len(mark) :].decode()


def _read(path: Path) -> bytes | None:
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


def _write(path: Path, data: bytes, expected: bytes | None, *, like: Path | None = None) -> None:
    """Replace a file atomically, if it still has the bytes `expected` (None: any). Raises SettingsError."""
    try:
        mode = stat.S_IMODE(like.stat().st_mode) if like is not None else PRIVATE
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing(path, mode=mode) as file:
            file.write(data)
            _check_unchanged(path, expected)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {reason_of(error)}", hint="nothing was changed") from error


def _unlink(path: Path, expected: bytes) -> None:
    _check_unchanged(path, expected)
    try:
        path.unlink()
    except OSError as error:
        raise SettingsError(
            f"cannot remove {path}: {reason_of(error)}", hint="nothing was changed"
        ) from error


def _check_unchanged(path: Path, expected: bytes | None) -> None:
    if expected is not None and _read(path) != expected:
        raise SettingsError(f"{path} was changed by another program just now", hint="try again")
