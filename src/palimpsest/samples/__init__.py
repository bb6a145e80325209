"""A coding session to try things on: `ferry_timetable.jsonl`, invented from the first line to the last.

Three working days on the timetable service of some island ferries, as Claude Code writes them down: boards that are
an hour off, an import that drops night boats, slow queries, a widget, a release. Nobody in it is real, and every host
ends in `.example` or is localhost. `bench/make_sample.py` writes the file; it is never edited by hand.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

NAME = "ferry_timetable.jsonl"

FACTS: tuple[str, ...] = (
    "2025-10-19T04:02:12Z",
    "1.38 usec",
    "var/seed.sql",
    "18 of 536 rows",
    "48.3 s",
    "60911 primitive calls",
    "//filer.example/dev",
    "7a615cc",
    "9f2b6c01d4e7",
    "c1a7e2f4-60b3-4d5e-9a08-3f7712d0be95",
)
"""Exact strings, in the order of their first occurrence, that stand in the first six tenths of the session only."""


def path() -> Path:
    """The session's file, where the package is installed."""
    return Path(str(files(__name__) / NAME))
