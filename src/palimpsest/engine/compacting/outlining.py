"""Outlines of what a compaction replaces, made from the stored messages themselves.

An outline is never made of an outline: the messages of the whole range are read again. What is likely to be needed is
estimated from the conversation up to now, the newest `READ_CHARS` of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from palimpsest.budget.pieces import count_text
from palimpsest.engine.compacting.drive import give_way
from palimpsest.engine.desk import Desk
from palimpsest.limits import READ_MESSAGES
from palimpsest.record.forgetting import is_blank
from palimpsest.record.item import Item, MessageItem, StubItem, SummaryItem
from palimpsest.record.log import Stored
from palimpsest.record.message import Message, readable_text
from palimpsest.summarize.outline.need import Reader, expected, focused
from palimpsest.summarize.outline.outline import outline
from palimpsest.summarize.secrets.redact import protect
from palimpsest.summarize.source import LOOKED_AT, Entry, MessageEntry, Source, SummaryEntry, looked_at
from palimpsest.summarize.textcalls import with_calls

READ_CHARS = 4_000_000
"""Of a conversation's text, the newest are read to estimate need."""
FROM_THE_CONVERSATION = "# From the conversation itself"
"""The line behind which a summary by a model has an outline of the same messages."""


def without_outline(source: Source) -> Source:
    """The source for a model: of earlier summaries what a model wrote, where it wrote anything."""
    entries = tuple(
        replace(entry, summary=replace(entry.summary, text=_prose(entry.summary.text)))
        if isinstance(entry, SummaryEntry)
        else entry
        for entry in source.entries
    )
    return replace(source, entries=entries)


def _prose(text: str) -> str:
    prose, mark, _ = text.partition(f"\n{FROM_THE_CONVERSATION}\n")
    return prose.strip() if mark and prose.strip() else text


async def outlined(
    desk: Desk, source: Source, first: int, last: int, budget_tokens: int, shown: Sequence[str] = ()
) -> str:
    """The outline of the messages at these positions, in at most so many tokens. `shown` are texts that will stand
    beside it; what the rest of the window shows is known.
    """
    _, window = await desk.load()
    entries = await _entries(desk, source, first, last)
    beside = [text for item in window.items if not first <= item.first <= last for text in _shown(item)]
    need = focused(await give_way(expected(await _read(desk, window.last))), source.focus)
    safe, _ = await give_way(protect(looked_at(replace(source, entries=entries)), await desk.memo.redactor()))
    return await give_way(outline(safe.entries, need, budget_tokens, count_text, (*shown, *beside)))


async def outline_of(desk: Desk, source: Source, budget_tokens: int) -> str:
    """The outline of a source alone, as a text that stands by itself: need is estimated from the source."""
    reader = Reader()
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            reader.read(entry.message)
    safe, _ = await give_way(protect(looked_at(source), await desk.memo.redactor()))
    need = focused(await give_way(expected(reader)), source.focus)
    return await give_way(outline(safe.entries, need, budget_tokens, count_text))


def _shown(item: Item) -> tuple[str, ...]:
    """What an item of the window shows."""
    match item:
        case MessageItem(stored=stored):
            return (readable_text(stored.message),)
        case StubItem(note=note):
            return (note,)
        case SummaryItem(summary=summary):
            return (summary.text,)
        case _:
            return ()


async def _entries(desk: Desk, source: Source, first: int, last: int) -> tuple[Entry, ...]:
    """The messages of a range, without forgotten ones; the source's own entries where they are messages already."""
    if all(isinstance(entry, MessageEntry) for entry in source.entries):
        return source.entries
    first = max(first, last - LOOKED_AT + 1)
    found: list[Entry] = []
    for start in range(first, last + 1, READ_MESSAGES):
        end = min(last, start + READ_MESSAGES - 1)
        found += [
            MessageEntry(one.id, one.message, one.tokens)
            for one in await desk.store.messages(desk.owner, desk.conversation, start, end)
            if not is_blank(one.message)
        ]
    return with_calls(found)


async def _read(desk: Desk, last: int) -> Reader:
    """What was read of the conversation's newest messages."""
    batches: list[Sequence[Stored]] = []
    chars, end = 0, last
    while end > max(0, last - LOOKED_AT) and chars < READ_CHARS:
        start = max(1, end - READ_MESSAGES + 1)
        batch = await desk.store.messages(desk.owner, desk.conversation, start, end)
        batches.append(batch)
        chars += sum(_chars(one.message) for one in batch)
        end = start - 1
    reader = Reader()

    def reading():
        for batch in reversed(batches):
            for one in batch:
                reader.read(one.message)
                yield

    await give_way(reading())
    return reader


def _chars(message: Message) -> int:
    """About how long a message is."""
    calls = sum(len(call.arguments) for call in message.calls)
    return len(message.text) + calls + sum(len(result.text) for result in message.results)
