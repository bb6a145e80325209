"""Sessions of Codex that are spread over several files.

- A file whose head has `history_base` continues another one: the lines of that file whose `ordinal` is below
  `end_ordinal_exclusive`, then its own. `thread_id` names a file by the last id in its name.
- A thread that was reverted has several files with one session id. What the older file has behind the cut is an old
  branch. A fork has an id of its own, and does not have that branch.
- Only files of the same sessions folder are looked for: next to the file, and in its folders of days.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.formats.transcripts.reader_base import (
    JsonObject,
    Skipped,
    Source,
    as_object,
    as_text,
    lines,
)
from palimpsest.lazy_regex import later

MAX_FILES = 50
"""How many files a session may continue, one behind the other."""

_HEAD_LINES = 5
_NAME = later(r"[\w-]{1,100}")
_ENDINGS = (".jsonl", ".jsonl.zst")


@dataclass(frozen=True, slots=True)
class Segment:
    """A file that a session continues: its `head`, its lines before the cut, and its lines behind it."""

    head: JsonObject
    before: list[tuple[int, JsonObject]]
    behind: list[tuple[int, JsonObject]]


def base_of(head: JsonObject) -> JsonObject:
    """Return what a session's head says about the file it continues; nothing for one that continues none."""
    base = as_object(head.get("history_base"))
    return base if _NAME.fullmatch(as_text(base.get("thread_id"))) else {}


def _head(data: bytes) -> JsonObject:
    for number, line in lines(b"\n".join(data[:4_000_000].split(b"\n", _HEAD_LINES)[:_HEAD_LINES])):
        if not isinstance(line, Skipped) and line.get("type") == "session_meta":
            return as_object(line.get("payload"))
        if number >= _HEAD_LINES:
            break
    return {}


def related(source: Source) -> tuple[str, ...]:
    """Return the patterns of the files that a session continues, as far as they are known."""
    names = {
        as_text(base.get("thread_id"))
        for data in (source.data, *source.related.values())
        if (base := base_of(_head(data)))
    }
    folders = source.path.replace("\\", "/").split("/")[:-1]
    days = folders[-3:]
    places = [""]
    if len(days) == 3 and all(day.isdigit() for day in days):
        places += ["../../../*/*/*/", "../../../../archived_sessions/"]
    elif days[-1:] == ["archived_sessions"]:
        places.append("../sessions/*/*/*/")
    return tuple(
        f"{place}rollout-*{name}{ending}" for name in sorted(names) for place in places for ending in _ENDINGS
    )


def segments_of(base: JsonObject, files: Mapping[str, bytes]) -> tuple[list[Segment], str]:
    """Return the files that a session continues, the first one first, and the name of one that is missing."""
    found: list[Segment] = []
    used: set[str] = set()
    while base:
        name = as_text(base.get("thread_id"))
        path = next((path for path in sorted(files) if path not in used and _named(path, name)), "")
        if not path or len(found) == MAX_FILES:
            return found[::-1], name
        used.add(path)
        segment = _segment(files[path], base.get("end_ordinal_exclusive"))
        found.append(segment)
        base = base_of(segment.head)
    return found[::-1], ""


def _named(path: str, name: str) -> bool:
    return path.endswith(tuple(f"{mark}{name}{ending}" for mark in "-_" for ending in _ENDINGS))


def _segment(data: bytes, end: object) -> Segment:
    head, place = _head(data), 0
    before: list[tuple[int, JsonObject]] = []
    behind: list[tuple[int, JsonObject]] = []
    for number, line in lines(data):
        if isinstance(line, Skipped):
            continue
        ordinal = line.get("ordinal")
        place = ordinal if isinstance(ordinal, int) else place + 1
        is_before = not isinstance(end, int) or place < end
        (before if is_before and not behind else behind).append((number, line))
    return Segment(head, before, behind)
