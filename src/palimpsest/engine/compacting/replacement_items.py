"""What a step of a plan reads, and the item that it puts in place of others: values from values.

- A summary's sources are messages and summaries, never the note of a dropped range, so that whatever a summary covers
  can be read back through it.
- What was dropped stays on record: a summarizer is shown the note, as a record of what it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from types import MappingProxyType

from palimpsest.budget.assemble import count_note, count_stub, count_summary, omitted_note
from palimpsest.budget.pruned_messages import group_notes
from palimpsest.budget.regions import PREFACE_TOKENS
from palimpsest.budget.stubs import stubbed
from palimpsest.plan.blocks import shown_request
from palimpsest.record.decision import Step
from palimpsest.record.log import Stored
from palimpsest.record.message import Part, Text, ToolCall, ToolResult
from palimpsest.record.summary import IN_PROGRESS, TOOLS_SAID, Draft, Summary, without_progress
from palimpsest.record.summary_source import Entry, MessageEntry, Source, SummaryEntry
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.summarize.source import EARLIER_SUMMARIES
from palimpsest.toolcalls.calls_in_text import with_calls

EARLIER_ITEMS = 200
"""How far back the summaries before a source are looked for."""

NOTHING_DROPPED: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def preface_tokens(window: Window, step: Step) -> int:
    """What the first record of what left the window costs besides: the preface that introduces it."""
    first = not any(isinstance(item, SummaryItem | OmittedItem) for item in window.items)
    return PREFACE_TOKENS if first and step.kind != "stub" else 0


def _entries(item: Item) -> tuple[Entry, ...]:
    match item:
        case SummaryItem(summary=summary, quoted=quoted):
            own = SummaryEntry(replace(summary, text=without_progress(summary.text)))
            return (own, MessageEntry(quoted.id, quoted.message, quoted.tokens)) if quoted else (own,)
        case MessageItem(stored=stored) | StubItem(stored=stored):
            return (MessageEntry(stored.id, stored.message, stored.tokens),)
        case OmittedItem(id=name, first=first, last=last, note=note, tokens=tokens):
            return (SummaryEntry(Summary(name, 0, note, tokens, first, last, (), "truncated")),)


def make_source(
    window: Window, start: int, end: int, step: Step, focus: str = "", system: str = ""
) -> Source:
    """What a step summarizes, with the summaries that stand before it as context. Stubs give their whole message."""
    entries = with_calls([entry for item in window.items[start:end] for entry in _entries(item)])
    before = (item for item in reversed(window.items[max(0, start - EARLIER_ITEMS) : start]))
    summaries = (item.summary for item in before if isinstance(item, SummaryItem))
    earlier = [without_progress(one.text) for one in islice(summaries, EARLIER_SUMMARIES)][::-1]
    return Source(
        kind="roll" if step.kind == "roll" else "condense" if step.kind == "condense" else "leaf",
        entries=entries,
        earlier=tuple(earlier),
        focus=focus,
        tokens=step.source_tokens,
        system="" if step.kind == "condense" else system,
        quoted=quoted_among(window.items[start:end], step.quotes) is not None,
        answered=_is_answered(window.items[end:]),
    )


def _is_answered(behind: Sequence[Item]) -> bool:
    """Whether the assistant ended a turn in these items: with words and no call, at their end or before the user."""
    said = [item.stored.message for item in behind if isinstance(item, MessageItem | StubItem)]
    return any(
        one.role == "assistant"
        and not one.calls
        and one.text.strip()
        and (after is None or after.role == "user")
        for one, after in zip_longest(said, said[1:])
    )


def quoted_among(items: Iterable[Item], quotes: int) -> Stored | None:
    """The message at the position `quotes` that one of the items shows verbatim."""
    shown = (shown_request(item) for item in items)
    return next((stored for stored in shown if stored is not None and stored.seq == quotes), None)


def summary_item(
    items: Sequence[Item],
    depth: int,
    draft: Draft,
    quoted: Stored | None = None,
    dropped: Mapping[str, tuple[str, ...]] = NOTHING_DROPPED,
) -> SummaryItem:
    """A finished text as the item that stands for `items`, with its tokens; the store gives it its id.

    `dropped` holds, by the id of a dropped range among the items, the ids of its messages.
    """
    times = [time_s for item in items for time_s in _times(item) if time_s is not None]
    summary = Summary(
        id="",
        depth=depth,
        text=draft.text,
        tokens=0,
        first=items[0].first,
        last=items[-1].last,
        sources=tuple(source for item in items for source in _sources(item, dropped)),
        method=draft.method,
        model=draft.model,
        earliest_s=min(times, default=None),
        latest_s=max(times, default=None),
        quotes=quoted.seq if quoted else 0,
    )
    tokens = count_summary(summary) + (quoted.tokens if quoted else 0)
    return SummaryItem(replace(summary, tokens=tokens), quoted)


def _sources(item: Item, dropped: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    match item:
        case MessageItem(stored=stored) | StubItem(stored=stored):
            return (stored.id,)
        case SummaryItem():
            return (item.id,)
        case OmittedItem():
            return dropped.get(item.id, ())


def _times(item: Item) -> tuple[float | None, ...]:
    match item:
        case SummaryItem(summary=summary):
            return (summary.earliest_s, summary.latest_s)
        case MessageItem(stored=stored) | StubItem(stored=stored):
            return (stored.message.time_s,)
        case OmittedItem():
            return ()


def shown_progress(window: Window, items: Sequence[Item]) -> SummaryItem | None:
    """The summary among these items that shows a tool group which no reply in the window has followed, else None."""
    for item in reversed(window.items):
        if isinstance(item, MessageItem | StubItem) and item.stored.message.role == "assistant":
            return None
        if isinstance(item, SummaryItem):
            shows = item in items and without_progress(item.summary.text) != item.summary.text
            return item if shows else None
    return None


def progress_text(group: Sequence[MessageItem | StubItem], room_tokens: int, tool: str) -> str:
    """The tool group in progress as a summary shows it, "" for none: whole where it takes no more than its room, else
    at level 1.
    """
    said: list[str] = []
    for item, note in group_notes(group, room_tokens, tool):
        message = stubbed(item.stored.message, note) if note else item.stored.message
        texts = [text for part in message.parts if (text := _part_text(part))]
        said.append(f"[{item.stored.id}] {message.role}: " + "\n".join(texts))
    own = "\n".join(said)
    for mark in (IN_PROGRESS, TOOLS_SAID):
        own = own.replace(mark, mark.removeprefix("# "))
    return f"{IN_PROGRESS}\n{own}" if own else ""


def _part_text(part: Part) -> str:
    match part:
        case ToolCall(name=name, arguments=arguments):
            return f"called {name} {arguments}"
        case ToolResult():
            return part.text or "[no text]"
        case Text():
            return part.text
        case _:
            return ""


def stub_item(item: Item, note: str) -> StubItem | None:
    """A message as a note shows it; None for anything else, and for a note that says nothing."""
    if not isinstance(item, MessageItem | StubItem) or not note:
        return None
    return StubItem("", item.stored, note, count_stub(item.stored.message, note))


def omitted_item(items: Sequence[Item], first_id: str, last_id: str) -> OmittedItem:
    """The note that stands for items that are dropped; the ids are of the messages at their ends."""
    first, last = items[0].first, items[-1].last
    note = omitted_note(first_id, last_id, last - first + 1)
    return OmittedItem("", first, last, note, count_note(note))
