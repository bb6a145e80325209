"""What of a source's exact strings a summary still holds: paths, identifiers and the like, counted."""

from __future__ import annotations

from collections.abc import Generator

from palimpsest.record.message import searchable_text
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.source import MessageEntry, Source

LOOKED_AT_CHARS = 20_000
"""Of one message; what lies deeper is found by searching, not by reading a summary."""

_SLICE_CHARS = 4_000


def survival(source: Source, text: str) -> Generator[None, None, tuple[int, int]]:
    """(kept, left): how many distinct exact strings of the source stand in `text`, and how many do not.

    A path counts as kept when it or its file name does, because summaries show files as a tree. Yields between
    slices of about a millisecond of work.
    """
    strings: set[str] = set()
    for entry in source.entries:
        body = searchable_text(entry.message) if isinstance(entry, MessageEntry) else entry.summary.text
        for start in range(0, min(len(body), LOOKED_AT_CHARS), _SLICE_CHARS):
            piece = body[start : start + _SLICE_CHARS]
            strings.update(find_paths(piece))
            strings.update(name for _, name in find_names(piece))
            yield
    kept = sum(one in text or one.rpartition("/")[2] in text for one in strings if one.rpartition("/")[2])
    return kept, len(strings) - kept
