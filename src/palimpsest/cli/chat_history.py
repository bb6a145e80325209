"""The lines that were typed into the chat, which it remembers in a file: taking some of them out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path


def entries_of(data: str) -> list[tuple[str, str]]:
    """(as it stands in the file, what was typed) of each entry: a comment with the time, then lines after a +."""
    found: list[tuple[str, str]] = []
    raw: list[str] = []
    typed: list[str] = []
    for line in data.splitlines(keepends=True):
        if typed and not line.startswith("+"):
            found.append(("".join(raw), "\n".join(typed)))
            raw, typed = [], []
        raw.append(line)
        if line.startswith("+"):
            typed.append(line[1:].rstrip("\n"))
    if raw:
        found.append(("".join(raw), "\n".join(typed)))
    return found


def unlearn(path: Path, texts: Collection[str]) -> int:
    """Take the entries that are one of these texts out of the file; how many there were. It is overwritten in place."""
    wanted = {text.strip() for text in texts if text.strip()}
    try:
        data = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return 0
    kept = [raw for raw, typed in entries_of(data) if typed.strip() not in wanted]
    gone = len(entries_of(data)) - len(kept)
    if gone:
        with path.open("r+", encoding="utf-8", errors="surrogateescape") as file:
            file.write("".join(kept))
            file.truncate()
    return gone
