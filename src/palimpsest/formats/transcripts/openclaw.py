"""OpenClaw's session files. They have pi's format and are read by its reader; only the name differs.

A session is OpenClaw's if its path, its head or an entry that is not a message says so. The conversation's text
decides nothing.
"""

from __future__ import annotations

from palimpsest.formats.transcripts import pi
from palimpsest.formats.transcripts.reader_base import Head, JsonObject, Reading, Source, as_text

NAME = "openclaw"

_SIGNS = ("id", "cwd", "provider", "modelId", "customType", "agent")


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    return pi.read_as(source, NAME)


def detect(head: Head) -> bool:
    """Return whether a file is a session of pi's form that OpenClaw wrote."""
    return pi.detect(head) and (
        ".openclaw/" in head.path.replace("\\", "/") or any(_signed(row) for row in head.rows)
    )


def _signed(row: JsonObject) -> bool:
    return row.get("type") != "message" and any("openclaw" in as_text(row.get(key)) for key in _SIGNS)
