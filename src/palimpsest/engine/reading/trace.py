"""Find where a summary's lines come from: for each line, the messages that say it.

- A line of an outline comes from the message whose id stands above it.
- A summary of summaries is followed down level by level, each line only through summaries that say it.
- The writer of a summary also sees the summaries before its part, and may repeat them. A line that nothing beneath says
  is searched in earlier messages, then in earlier summaries.
"""

from __future__ import annotations

import asyncio
import re

from palimpsest.engine.reading.expand import read
from palimpsest.engine.reports import Trace, Traced
from palimpsest.errors import UsageError
from palimpsest.ports import Store
from palimpsest.record.log import Stored
from palimpsest.record.summary import Summary
from palimpsest.record.summary_source import Entry, MessageEntry, Source, SummaryEntry
from palimpsest.summarize.provenance import Hold, says_all, sources_of, strongest

MAX_SUMMARIES = 200
"""Summaries that are opened for one answer."""
MAX_LINES = 400
LINE_CHARS = 2_000
PAGE = 500
"""Sources of one summary read at a time, and earlier messages searched at each end."""
MAX_EARLIER = 40
"""The newest earlier summaries that are searched."""

_HEADER = re.compile(r"\[(\S{1,80}) (?:user|assistant|system|tool|result|summary)\](?: [^\n]{0,200})?")
"""The line above a message's lines in an outline."""
_VERBATIM: Hold = (True, frozenset(), 1.0)

Places = dict[str, dict[str, tuple[int, Hold]]]
"""For each line, by id, the position of a source and how well it says the line."""


async def trace(store: Store, owner: str, conversation: str | None, summary_id: str, text: str = "") -> Trace:
    """For each line of a summary, or for the `text` alone, the ids of messages that say it, oldest first. A line may
    also come from earlier messages, or from an earlier summary, whose id is given then.

    Raises NotFound for an unknown id, UsageError for one that names no summary.
    """
    ((name, one),) = await read(store, owner, conversation, [summary_id])
    if not isinstance(one, Summary):
        raise UsageError(f"{summary_id} is a message", hint="give the id of a summary, such as s3")
    lines = [text[:LINE_CHARS]] if text.strip() else _lines(one.text)
    found: Places = {line: {} for line in lines}
    if not text.strip():
        await _add_headed(store, owner, one, found)
    pending: list[tuple[Summary, list[str]]] = [(one, [line for line in lines if not found[line]])]
    for _ in range(MAX_SUMMARIES):
        if not pending:
            break
        pending += await _add_sources(store, owner, *pending.pop(0), found)
    if not text.strip():
        await _add_earlier(store, owner, name, one, found)
    return Trace(one.id, name, tuple(Traced(line, _best(places)) for line, places in found.items()))


async def _add_sources(
    store: Store, owner: str, summary: Summary, lines: list[str], found: Places
) -> list[tuple[Summary, list[str]]]:
    """Add the source messages of a summary that say one of the lines; returns the source summaries that do."""
    sources: dict[str, Stored | Summary] = {}
    for start in range(0, len(summary.sources), PAGE):
        page = await store.read(owner, summary.sources[start : start + PAGE])
        sources.update({name: one for name, (_, one) in page.items()})
    source = Source("leaf", tuple(_entry(sources[name]) for name in summary.sources if name in sources))
    below: dict[str, list[str]] = {}
    for line, names in await asyncio.to_thread(sources_of, lines, source):
        for name, hold in names:
            one = sources[name]
            if isinstance(one, Stored):
                found[line][name] = one.seq, hold
            else:
                below.setdefault(name, []).append(line)
    return [(one, lines) for name, lines in below.items() if isinstance(one := sources[name], Summary)]


async def _add_headed(store: Store, owner: str, summary: Summary, found: Places) -> None:
    """Add the messages whose headers stand above lines of an outline."""
    headed: list[tuple[str, str]] = []
    name = ""
    for line in map(str.strip, summary.text.splitlines()):
        if header := _HEADER.fullmatch(line):
            name = header[1]
        elif name and line[:LINE_CHARS] in found:
            headed.append((line[:LINE_CHARS], name))
    names = list(dict.fromkeys(name for _, name in headed))
    positions: dict[str, int] = {}
    for start in range(0, len(names), PAGE):
        page = await store.read(owner, names[start : start + PAGE])
        positions.update((at, one.seq) for at, (_, one) in page.items() if isinstance(one, Stored))
    for line, at in headed:
        if summary.first <= positions.get(at, 0) <= summary.last:
            found[line][at] = positions[at], _VERBATIM


async def _add_earlier(store: Store, owner: str, conversation: str, summary: Summary, found: Places) -> None:
    """Add earlier messages that say all of a line without a source, or else earlier summaries that do."""
    before = summary.first - 1
    if not before or all(found.values()):
        return
    messages = await store.history(owner, summary.id, 1, min(before, PAGE))
    if before > PAGE:
        newest = await store.history(owner, summary.id, max(before - PAGE, PAGE) + 1, before)
        messages = [*messages, *newest]
    await _add_saying_all([(one.seq, _entry(one)) for one in messages], found)
    if all(found.values()):
        return
    records = await store.compactions(owner, conversation)
    ids = [one.item_id for one in records if one.item_kind == "summary"]
    page = await store.read(owner, ids[-PAGE:])
    earlier = [one for _, one in page.values() if isinstance(one, Summary) and one.last <= before]
    for one in sorted(earlier, key=lambda one: (-one.last, one.depth))[:MAX_EARLIER]:
        await _add_saying_all([(one.last, _entry(one))], found)


async def _add_saying_all(entries: list[tuple[int, Entry]], found: Places) -> None:
    """Add those of these entries that say all of a line without a source."""
    lines = [line for line, places in found.items() if not places]
    by_name = {_name(entry): (place, entry) for place, entry in entries}
    source = Source("leaf", tuple(entry for _, entry in entries))
    for line, names in await asyncio.to_thread(sources_of, lines, source):
        found[line] = {
            name: (by_name[name][0], hold) for name, hold in names if says_all(line, by_name[name][1], hold)
        }


def _lines(text: str) -> list[str]:
    """The lines of a summary without headings and headers."""
    stripped = (line.strip() for line in text.splitlines())
    lines = (line for line in stripped if line and not line.startswith("#") and not _HEADER.fullmatch(line))
    return list(dict.fromkeys(line[:LINE_CHARS] for line in lines))[:MAX_LINES]


def _best(places: dict[str, tuple[int, Hold]]) -> tuple[str, ...]:
    """The ids of the sources that say a line best, oldest first."""
    in_order = sorted(places.items(), key=lambda one: one[1][0])
    return tuple(name for name, _ in strongest([(name, hold) for name, (_, hold) in in_order]))


def _entry(one: Stored | Summary) -> Entry:
    return SummaryEntry(one) if isinstance(one, Summary) else MessageEntry(one.id, one.message, one.tokens)


def _name(entry: Entry) -> str:
    return entry.id if isinstance(entry, MessageEntry) else entry.summary.id
