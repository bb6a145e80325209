"""OpenClaw's session files. They are pi's, so pi's reader reads them; only the name differs.

A session is OpenClaw's when its path, its head or one of the entries that are no messages says so: what somebody wrote
in the conversation decides nothing.
"""

from __future__ import annotations

from palimpsest.formats.transcripts import pi
from palimpsest.formats.transcripts.reader_base import Head, JsonObject, Reading, Source, as_text

NAME = "openclaw"

_SIGNS = ("id", "cwd", "provider", "modelId", "customType", "agent")


def read(source: Source) -> Reading:
    """The session in `source`."""
    return pi.read_as(source, NAME)


def detect(head: Head) -> bool:
    """Whether a file is a session of pi's form that OpenClaw wrote."""
    return pi.detect(head) and (
        ".openclaw/" in head.path.replace("\\", "/") or any(_signed(row) for row in head.rows)
    )


def _signed(row: JsonObject) -> bool:
    return row.get("type") != "message" and any("openclaw" in as_text(row.get(key)) for key in _SIGNS)
