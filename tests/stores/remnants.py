"""Looking for what should be gone: in every row of every table, and in every byte of a database's files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

LEAST_CHARS = 12
"""A remnant may be a part: so many characters of what was forgotten count as one."""


def remnants(path: Path, markers: Sequence[str]) -> list[str]:
    """Where any of the markers, or a half of one, still stands: files of the database and rows."""
    parts = sorted({part for one in markers for part in (one[:LEAST_CHARS], one[-LEAST_CHARS:])})
    return [*_in_bytes(path, parts), *_in_rows(path, parts)]


def _in_bytes(path: Path, parts: Sequence[str]) -> list[str]:
    found: list[str] = []
    for file in sorted(path.parent.glob(path.name + "*")):
        data = file.read_bytes().lower()
        for part in parts:
            escaped = json.dumps(part)[1:-1]
            for form in {
                part.encode(), part.encode("utf-16-le"), escaped.encode(), json.dumps(escaped)[1:-1].encode(),
            }:  # fmt: skip
                found += [f"{file.name}: {part} at {data.index(form)}"] if form in data else []
    return found


def _in_rows(path: Path, parts: Sequence[str]) -> list[str]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        names = [
            str(row[0])
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not str(row[0]).endswith(("_index", "_idx"))
        ]
        assert len(names) > 10
        found: list[str] = []
        for name in names:
            for row in connection.execute(f'SELECT * FROM "{name}"'):
                text = repr(row).lower()
                found += [f"{name}: {part}" for part in parts if part in text]
    finally:
        connection.close()
    return found
