"""Adds the server to Claude Code's configuration, and removes it. The file is edited as text, with a backup next to it.

- Existing content stays byte for byte. `uninstall` restores the file; if that was edited since, it removes the entry.
- A file that is not JSON, or has an entry with our name that was not added by `install`, is not changed.
- Writing is atomic, follows links, and never overwrites a concurrent change.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from palimpsest.config import edited_files, json_edit
from palimpsest.config.edited_files import Edit
from palimpsest.errors import SettingsError
from palimpsest.mcp.clients import SERVER_NAME

SERVERS_KEY = "mcpServers"
_ENTRY = (SERVERS_KEY, SERVER_NAME)


def install(path: Path, entry: Mapping[str, object]) -> Edit:
    """Add the server to a client's file, which is created if missing. Raises SettingsError."""
    target, backup = edited_files.places(path)
    before = edited_files.read(target)
    mark, text = edited_files.decoded(before, path) if before is not None else (b"", "{}\n")
    present = _present(text, path)
    if present == entry:
        return Edit("unchanged", str(path), str(backup) if backup.exists() else "")
    try:
        after = mark + json_edit.insert(text, _ENTRY, dict(entry)).encode()
    except ValueError as error:
        raise SettingsError(f"{path}: {error}", hint="nothing was changed") from error
    if before is not None and present is None:
        edited_files.write(backup, before, None, like=target)
    edited_files.write(target, after, before)
    return Edit(
        "changed" if present is not None else "added", str(path), str(backup) if backup.exists() else ""
    )


def uninstall(path: Path) -> Edit:
    """Remove the server from a client's file. Raises SettingsError."""
    target, backup = edited_files.places(path)
    now = edited_files.read(target)
    if now is None:
        return Edit("absent", str(path))
    mark, text = edited_files.decoded(now, path)
    present = _present(text, path)
    if present is None:
        return Edit("absent", str(path))
    original = edited_files.read(backup)
    if _installed_from(original, present) == now:
        if original is None:
            edited_files.unlink(target, now)
        else:
            edited_files.write(target, original, now)
        backup.unlink(missing_ok=True)
        return Edit("restored", str(path))
    text = json_edit.remove(text, _ENTRY)
    if json_edit.value_at(text, _ENTRY[:1]) == {} and not _had_servers(original):
        text = json_edit.remove(text, _ENTRY[:1])
    edited_files.write(target, mark + text.encode(), now)
    return Edit("removed", str(path), str(backup) if original is not None else "")


def _installed_from(original: bytes | None, entry: object) -> bytes | None:
    """The result of `install` on a file, None if it would refuse."""
    try:
        mark, text = edited_files.marked(original) if original is not None else (b"", "{}\n")
        json_edit.check(text)
        return mark + json_edit.insert(text, _ENTRY, entry).encode()
    except ValueError:
        return None


def _had_servers(original: bytes | None) -> bool:
    if original is None:
        return False
    try:
        _, text = edited_files.marked(original)
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
