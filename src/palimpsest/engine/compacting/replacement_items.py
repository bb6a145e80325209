"""What a step of a plan reads, and the item that it puts in place of others: values from values.

- A summary's sources are messages and summaries, never the note of an omitted range, so that everything a summary
  covers can be read back through it.
- A summarizer is shown the note of an omitted range as a summary.
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
from palimpsest.plan.blocks import MIN_SOURCE_TOKENS, shown_request
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
"""How many items before a source are searched for earlier summaries."""

NOTHING_DROPPED: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def preface_tokens(window: Window, step: Step) -> int:
    """The tokens of the preface, which the first summary or omission of a window adds. A small leaf need not save
    them: it is due from a number of messages on, however short they are.
    """
    is_first = not any(isinstance(item, SummaryItem | OmittedItem) for item in window.items)
    is_small = step.kind == "leaf" and step.source_tokens < MIN_SOURCE_TOKENS
    return PREFACE_TOKENS if is_first and step.kind != "stub" and not is_small else 0


def make_source(
    window: Window, start: int, end: int, step: Step, focus: str = "", system: str = ""
) -> Source:
    """What a step summarizes, with the summaries before it as context. Stubs give their whole message."""
    items = window.items[start:end]
    before = reversed(window.items[max(0, start - EARLIER_ITEMS) : start])
    summaries = (item.summary for item in before if isinstance(item, SummaryItem))
    earlier = [without_progress(one.text) for one in islice(summaries, EARLIER_SUMMARIES)][::-1]
    return Source(
        kind="roll" if step.kind == "roll" else "condense" if step.kind == "condense" else "leaf",
        entries=with_calls([entry for item in items for entry in _entries(item)]),
        earlier=tuple(earlier),
        focus=focus,
        tokens=step.source_tokens,
        system="" if step.kind == "condense" else system,
        quoted=quoted_among(items, step.quotes) is not None,
        answered=_is_answered(window.items[end:]),
    )


def _entries(item: Item) -> tuple[Entry, ...]:
    match item:
        case SummaryItem(summary=summary, quoted=quoted):
            own = SummaryEntry(replace(summary, text=without_progress(summary.text)))
            return (own, MessageEntry(quoted.id, quoted.message, quoted.tokens)) if quoted else (own,)
        case MessageItem(stored=stored) | StubItem(stored=stored):
            return (MessageEntry(stored.id, stored.message, stored.tokens),)
        case OmittedItem(id=name, first=first, last=last, note=note, tokens=tokens):
            return (SummaryEntry(Summary(name, 0, note, tokens, first, last, (), "truncated")),)


def _is_answered(later: Sequence[Item]) -> bool:
    """Whether the assistant ended a turn in these items: with text and no call, last or before a user message."""
    shown = (item.stored.message for item in later if isinstance(item, MessageItem | StubItem))
    messages = [message for message in shown if message.role != "system"]
    return any(
        one.role == "assistant"
        and not one.calls
        and one.text.strip()
        and (after is None or after.role == "user")
        for one, after in zip_longest(messages, messages[1:])
    )


def quoted_among(items: Iterable[Item], quotes: int) -> Stored | None:
    """The message at the position `quotes`, if one of the items shows it verbatim."""
    shown = (shown_request(item) for item in items)
    return next((stored for stored in shown if stored is not None and stored.seq == quotes), None)


def summary_item(
    items: Sequence[Item],
    depth: int,
    draft: Draft,
    quoted: Stored | None = None,
    dropped: Mapping[str, tuple[str, ...]] = NOTHING_DROPPED,
) -> SummaryItem:
    """The item of a finished text, with its tokens; the store gives it an id.

    `dropped` holds, by the id of an omitted range among the items, the ids of its messages.
    """
    sources: list[str] = []
    times: list[float | None] = []
    for item in items:
        match item:
            case MessageItem(stored=stored) | StubItem(stored=stored):
                sources.append(stored.id)
                times.append(stored.message.time_s)
            case SummaryItem(summary=summary):
                sources.append(item.id)
                times += [summary.earliest_s, summary.latest_s]
            case OmittedItem():
                sources += dropped.get(item.id, ())
    known_times = [time_s for time_s in times if time_s is not None]
    made = Summary(
        id="",
        depth=depth,
        text=draft.text,
        tokens=0,
        first=items[0].first,
        last=items[-1].last,
        sources=tuple(sources),
        method=draft.method,
        model=draft.model,
        earliest_s=min(known_times, default=None),
        latest_s=max(known_times, default=None),
        quotes=quoted.seq if quoted else 0,
    )
    tokens = count_summary(made) + (quoted.tokens if quoted else 0)
    return SummaryItem(replace(made, tokens=tokens), quoted)


def shown_progress(window: Window, items: Sequence[Item]) -> SummaryItem | None:
    """The summary among these items that shows a tool group in progress, unless a reply in the window followed it."""
    for item in reversed(window.items):
        if isinstance(item, MessageItem | StubItem) and item.stored.message.role == "assistant":
            return None
        if isinstance(item, SummaryItem):
            shows = item in items and without_progress(item.summary.text) != item.summary.text
            return item if shows else None
    return None


def progress_text(group: Sequence[MessageItem | StubItem], room_tokens: int, tool: str) -> str:
    """The text of a tool group in progress: verbatim if it fits the room, else pruned; "" for no group."""
    lines: list[str] = []
    for item, note in group_notes(group, room_tokens, tool):
        message = stubbed(item.stored.message, note) if note else item.stored.message
        texts = [text for part in message.parts if (text := _part_text(part))]
        lines.append(f"[{item.stored.id}] {message.role}: " + "\n".join(texts))
    text = "\n".join(lines)
    for mark in (IN_PROGRESS, TOOLS_SAID):
        text = text.replace(mark, mark.removeprefix("# "))
    return f"{IN_PROGRESS}\n{text}" if text else ""


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
    """A message pruned to a note; None for other items, and for an empty note."""
    if not isinstance(item, MessageItem | StubItem) or not note:
        return None
    return StubItem("", item.stored, note, count_stub(item.stored.message, note))


def omitted_item(items: Sequence[Item], first_id: str, last_id: str) -> OmittedItem:
    """The note in place of dropped items; the ids are those of the messages at their ends."""
    first, last = items[0].first, items[-1].last
    note = omitted_note(first_id, last_id, last - first + 1)
    return OmittedItem("", first, last, note, count_note(note))
