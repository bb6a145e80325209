"""Reads settings out of another agent's configuration and names the keys that have no effect here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from palimpsest.errors import SettingsError, brief

Table = Mapping[str, object]
Path = tuple[str, ...]

NO_EFFECT = "no effect here"


@dataclass(slots=True)
class TableReader:
    """Takes values from nested tables by their path. Every other key that has a value is reported by `ignored`."""

    table: Table
    changes: dict[str, object] = field(default_factory=dict[str, object])
    _read: set[Path] = field(default_factory=set[Path])
    _taken: dict[str, Path] = field(default_factory=dict[str, Path])

    def get(self, *path: str) -> object:
        """The value at a path, None if there is none; the key counts as read."""
        self._read.add(path)
        return table_at(self.table, *path[:-1]).get(path[-1])

    def take(self, setting: str, *path: str) -> object:
        """Use the value at a path as a setting. A later path replaces an earlier one, which then has no effect."""
        value = self.get(*path)
        if value is None or value == "":
            return None
        if setting in self._taken and self.changes[setting] != value:
            self._read.discard(self._taken[setting])
        self.changes[setting], self._taken[setting] = value, path
        return value

    def is_off(self, *path: str) -> bool:
        """Whether the value at a path is false. Raises SettingsError unless it is a boolean."""
        value = self.get(*path)
        if value is not None and not isinstance(value, bool):
            raise SettingsError(f"{'.'.join(path)} cannot be {brief(value)}", hint="give true or false")
        return value is False

    def ignored(self) -> tuple[tuple[str, str], ...]:
        """(key, reason) of every key with a value that was not read."""
        return tuple((".".join(path), NO_EFFECT) for path in self._unread(self.table, ()))

    def _unread(self, table: Table, above: Path) -> Iterator[Path]:
        for key, value in table.items():
            path = (*above, key)
            if path in self._read or value in (None, "", [], {}):
                continue
            inner = _keys_of(value)
            if inner and any(read[: len(path)] == path for read in self._read):
                yield from self._unread(inner, path)
            else:
                yield path


def table_at(table: Table, *path: str) -> Table:
    """The table at a path of keys, empty if there is none."""
    for key in path:
        inner = table.get(key)
        table = cast("Table", inner) if isinstance(inner, Mapping) else {}
    return table


def _keys_of(value: object) -> Table:
    """A table, or the keys of all tables in a list."""
    tables = cast("list[object]", value) if isinstance(value, list) else [value]
    found: dict[str, object] = {}
    for table in tables:
        found.update(cast("Table", table) if isinstance(table, Mapping) else {})
    return found
