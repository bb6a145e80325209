"""Where what a summary says comes from: for each of its lines, the messages that hold it.

A summary of summaries is followed down, from what it was made from to what that was made from, each line only where it
is held. What one step reads is what one summary was made from; how many are read is bounded.

A line of an outline stands under the id of its message: it comes from that one.

The writer of a summary also sees the summaries before its part, and so may repeat what stands there. A line that
nothing beneath holds is looked for in what came before: in the messages first, then in the earlier summaries.
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
"""Sources of one summary that are read at a time; of what was said before it, so many at each end."""
MAX_EARLIER = 40
"""Summaries before one, the newest, in which a line of it is looked for."""

_HEADER = re.compile(r"\[(\S{1,80}) (?:user|assistant|system|tool|result|summary)\](?: [^\n]{0,200})?")
"""What the lines of a message stand under in an outline."""
_WORD_FOR_WORD: Hold = (True, frozenset(), 1.0)


async def trace(store: Store, owner: str, conversation: str | None, summary_id: str, text: str = "") -> Trace:
    """For each line of a summary, or for the `text` alone, the ids of the messages beneath it that hold what it says:
    oldest first; none where nothing beneath says it. A line of the summary may also come from what was said before it,
    or from a summary before it, whose id stands there.

    Raises NotFound for an unknown id, UsageError for one that names no summary.
    """
    ((home, one),) = await read(store, owner, conversation, [summary_id])
    if not isinstance(one, Summary):
        raise UsageError(f"{summary_id} is a message", hint="give the id of a summary, such as s3")
    lines = [text[:LINE_CHARS]] if text.strip() else _lines(one.text)
    found = {line: dict[str, tuple[int, Hold]]() for line in lines}
    if not text.strip():
        await _take_headed(store, owner, one, found)
    pending: list[tuple[Summary, list[str]]] = [(one, [line for line in lines if not found[line]])]
    for _ in range(MAX_SUMMARIES):
        if not pending:
            break
        summary, wanted = pending.pop(0)
        held: dict[str, list[str]] = {}
        entries: dict[str, Stored | Summary] = {}
        for start in range(0, len(summary.sources), PAGE):
            page = await store.read(owner, summary.sources[start : start + PAGE])
            entries.update({name: found_one for name, (_, found_one) in page.items()})
        source = Source("leaf", tuple(_entry(entries[name]) for name in summary.sources if name in entries))
        for line, names in await asyncio.to_thread(sources_of, wanted, source):
            for name, hold in names:
                under = entries[name]
                if isinstance(under, Stored):
                    found[line][name] = under.seq, hold
                else:
                    held.setdefault(name, []).append(line)
        pending.extend(
            (child, ones) for name, ones in held.items() if isinstance(child := entries[name], Summary)
        )
    if not text.strip():
        await _look_before(store, owner, home, one, found)
    return Trace(one.id, home, tuple(Traced(line, _best(places)) for line, places in found.items()))


async def _take_headed(
    store: Store, owner: str, summary: Summary, found: dict[str, dict[str, tuple[int, Hold]]]
) -> None:
    """Take up the messages under whose headers the lines of an outline stand."""
    headed: list[tuple[str, str]] = []
    name = ""
    for line in map(str.strip, summary.text.splitlines()):
        if header := _HEADER.fullmatch(line):
            name = header[1]
        elif name and line[:LINE_CHARS] in found:
            headed.append((line[:LINE_CHARS], name))
    names = list(dict.fromkeys(name for _, name in headed))
    known: dict[str, int] = {}
    for start in range(0, len(names), PAGE):
        page = await store.read(owner, names[start : start + PAGE])
        known.update((at, one.seq) for at, (_, one) in page.items() if isinstance(one, Stored))
    for line, at in headed:
        if summary.first <= known.get(at, 0) <= summary.last:
            found[line][at] = known[at], _WORD_FOR_WORD


async def _look_before(
    store: Store, owner: str, home: str, summary: Summary, found: dict[str, dict[str, tuple[int, Hold]]]
) -> None:
    """Take up the messages before a summary that say all of a line of it which nothing beneath holds, else the summary
    before it that does.
    """
    before = summary.first - 1
    if not before or all(found.values()):
        return
    said = await store.history(owner, summary.id, 1, min(before, PAGE))
    if before > PAGE:
        said = [*said, *await store.history(owner, summary.id, max(before - PAGE, PAGE) + 1, before)]
    await _take_up([(one.seq, _entry(one)) for one in said], found)
    if all(found.values()):
        return
    made = [one.item_id for one in await store.compactions(owner, home) if one.item_kind == "summary"]
    read_now = await store.read(owner, made[-PAGE:])
    earlier = [one for _, one in read_now.values() if isinstance(one, Summary) and one.last <= before]
    newest = sorted(earlier, key=lambda one: (-one.last, one.depth))[:MAX_EARLIER]
    for one in newest:
        await _take_up([(one.last, _entry(one))], found)


async def _take_up(entries: list[tuple[int, Entry]], found: dict[str, dict[str, tuple[int, Hold]]]) -> None:
    """Of texts at their places, take up those that say all of a line which nothing holds so far."""
    wanted = [line for line, places in found.items() if not places]
    under = {_name(entry): (place, entry) for place, entry in entries}
    source = Source("leaf", tuple(entry for _, entry in entries))
    for line, names in await asyncio.to_thread(sources_of, wanted, source):
        found[line] = {
            name: (under[name][0], hold) for name, hold in names if says_all(line, under[name][1], hold)
        }


def _lines(text: str) -> list[str]:
    """The lines of a summary that say something."""
    lines = (line.strip() for line in text.splitlines())
    said = (line for line in lines if line and not line.startswith("#") and not _HEADER.fullmatch(line))
    return list(dict.fromkeys(line[:LINE_CHARS] for line in said))[:MAX_LINES]


def _best(places: dict[str, tuple[int, Hold]]) -> tuple[str, ...]:
    """Those that hold a line best of what several summaries gave, oldest first."""
    in_order = sorted(places.items(), key=lambda one: one[1][0])
    return tuple(name for name, _ in strongest([(name, hold) for name, (_, hold) in in_order]))


def _entry(one: Stored | Summary) -> Entry:
    return SummaryEntry(one) if isinstance(one, Summary) else MessageEntry(one.id, one.message, one.tokens)


def _name(entry: Entry) -> str:
    return entry.id if isinstance(entry, MessageEntry) else entry.summary.id
