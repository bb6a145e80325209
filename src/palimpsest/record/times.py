"""Times as text."""

from __future__ import annotations

from datetime import UTC, datetime


def iso_time(time_s: float | None) -> str:
    """Return ISO 8601 in UTC to the second, "" for an unknown or impossible time."""
    if time_s is None:
        return ""
    try:
        return datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return ""
