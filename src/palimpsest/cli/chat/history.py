"""The chat's input history: its file, and removing entries from it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from palimpsest.config.paths import user_path

HISTORY_FILE = "chat-history"


def history_file() -> Path | None:
    """The path of the input history, None without a home folder."""
    return user_path("state", HISTORY_FILE)


def read_entries(data: str) -> list[tuple[str, str]]:
    """(raw text, typed text) of each entry of a history: a comment with the time, then lines that begin with +."""
    found: list[tuple[str, str]] = []
    raw: list[str] = []
    typed: list[str] = []
    for line in [*data.splitlines(keepends=True), ""]:
        if raw and (not line or (typed and not line.startswith("+"))):
            found.append(("".join(raw), "\n".join(typed)))
            raw, typed = [], []
        raw.append(line)
        if line.startswith("+"):
            typed.append(line[1:].rstrip("\n"))
    return found


def remove_entries(path: Path, texts: Collection[str]) -> int:
    """Remove the entries with one of these texts, overwriting the file in place; returns how many there were."""
    unwanted = {text.strip() for text in texts if text.strip()}
    try:
        entries = read_entries(path.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:
        return 0
    kept = [raw for raw, typed in entries if typed.strip() not in unwanted]
    if len(kept) < len(entries):
        with path.open("r+", encoding="utf-8", errors="surrogateescape") as file:
            file.write("".join(kept))
            file.truncate()
    return len(entries) - len(kept)
