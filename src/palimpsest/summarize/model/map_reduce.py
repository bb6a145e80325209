"""A source that is too large for its summarizer: parts are summarized, and the partial summaries merged.

- Parts have about the same tokens, are in order, and never separate a call from its results. The larger the messages,
  the smaller the parts, so that an error of one message in the estimate is small.
- A message larger than a part is divided into several, each of whole lines. If that makes too many parts, only the
  beginning and the end of the largest messages are shown.
- If summarizing fails, a message of more than half of the window is named instead of shown.
- If nothing helps, a note says how much there was; for the whole source, with a summary made without a model.

Numbers and cascade: the page on context window compression, "Staged summarization", and the engine it describes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from palimpsest.record.message import Message, Text, readable_text
from palimpsest.record.summary import Draft, Summary
from palimpsest.record.summary_source import Entry, MessageEntry, Source, SummaryEntry
from palimpsest.summarize.source import EARLIER_SUMMARIES, own_prompt, render_message
from palimpsest.text.cut import Count, fit_ends, fit_prefix, word_end

RATIO, LEAST_RATIO = 0.4, 0.15
"""The share of the summarizer's window that one part takes: at first, and at least."""
MARGIN = 1.2
"""Estimates are assumed to be too low by this factor."""
LARGE_SHARE = 0.1
"""Messages above this average share of the window make parts smaller ..."""
MOST_LESS = 0.25
"""... by at most this share of the window."""
LEAST_SHOWN_CHARS = 300
"""The least characters of a message that are shown."""
OVERSIZED_SHARE = 0.5
"""A message of more than this share of the window cannot be summarized with others."""
MAX_PARTS = 32
OVERHEAD_TOKENS = 900
"""The tokens of the prompt itself."""
FRAME_SHARE = 0.1
"""The largest share of the window each for the agent's own prompt, for earlier summaries, and for facts."""
NOTE = "Context contained"
WRAPPING_TOKENS = 24
"""What the fence of one message costs."""


def shown_tokens(entry: Entry) -> int:
    """About the tokens of an entry in a request to the summarizer."""
    if not isinstance(entry, MessageEntry):
        return entry.summary.tokens + WRAPPING_TOKENS
    size = max(1, len(readable_text(entry.message)))
    tokens = entry.tokens or size // 3
    shown = min(size, entry.most_chars or size)
    return tokens * shown // size + WRAPPING_TOKENS


def chunk_ratio(average_tokens: float, window_tokens: int) -> float:
    """The share of the window that one part takes: 0.4, down to 0.15 if messages are over a tenth of it."""
    share = average_tokens * MARGIN / max(1, window_tokens)
    if share <= LARGE_SHARE:
        return RATIO
    return max(LEAST_RATIO, RATIO - min(2 * share, MOST_LESS))


def with_short_context(source: Source, window_tokens: int, count: Count) -> Source:
    """The source with as much of the agent's own prompt and of earlier summaries as fits into a small window."""
    room = int(window_tokens * FRAME_SHARE)
    earlier = source.earlier[-EARLIER_SUMMARIES:]
    return replace(
        source,
        system=own_prompt(source.system, room, count),
        earlier=tuple(fit_ends(text, room // EARLIER_SUMMARIES, count) for text in earlier),
    )


def narrowed(source: Source, window_tokens: int) -> Source:
    """The source as `MAX_PARTS` parts can show it: if it is larger, with only the ends of its largest messages."""
    room = MAX_PARTS * _part_tokens(source, window_tokens)
    sizes = sorted(shown_tokens(entry) for entry in source.entries)
    if sum(sizes) <= room:
        return source
    most, left = 0, len(sizes)
    for size in sizes:
        if size * left >= room:
            most = max(1, room // left)
            break
        room, left = room - size, left - 1
    return replace(source, entries=tuple(_narrowed(entry, most) for entry in source.entries))


def _narrowed(entry: Entry, most_tokens: int) -> Entry:
    shown = shown_tokens(entry)
    if not isinstance(entry, MessageEntry) or shown <= most_tokens:
        return entry
    chars = len(readable_text(entry.message)) * most_tokens // shown
    return replace(entry, most_chars=max(LEAST_SHOWN_CHARS, chars))


def _part_tokens(source: Source, window_tokens: int) -> int:
    """How large one part may be."""
    sizes = [shown_tokens(entry) for entry in source.entries]
    ratio = chunk_ratio(sum(sizes) / max(1, len(sizes)), window_tokens)
    return max(1, int(window_tokens * ratio / MARGIN))


def _split(source: Source, most_tokens: int) -> tuple[Entry, ...]:
    """The entries, with a message larger than a part divided into several, by lines if it has any."""
    found: list[Entry] = []
    names: dict[str, str] = {}
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            names.update((call.id, call.name) for call in entry.message.calls)
        size = shown_tokens(entry)
        if not isinstance(entry, MessageEntry) or size <= most_tokens:
            found.append(entry)
            continue
        text = render_message(entry.message, names, entry.most_chars)
        chars = max(LEAST_SHOWN_CHARS, len(text) * most_tokens // size)
        pieces = list(_pieces(text, chars))
        for place, piece in enumerate(pieces, 1):
            part = Message(
                entry.message.role, (Text(piece),), name=entry.message.name, time_s=entry.message.time_s
            )
            name = f"{entry.id} part {place} of {len(pieces)}"
            found.append(MessageEntry(name, part, max(1, size * len(piece) // max(1, len(text)))))
    return tuple(found)


def _pieces(text: str, chars: int) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = word_end(text, start + chars)
        near = text.rfind("\n", start + chars // 2, end) if end < len(text) else -1
        end = near + 1 if near >= 0 else max(end, start + 1)
        yield text[start:end]
        start = end


def fits(source: Source, window_tokens: int, reply_tokens: int, count: Count) -> bool:
    """Whether a summarizer with this window can read the source and write its reply."""
    shown = sum(shown_tokens(entry) for entry in source.entries)
    frame = sum(count(text) for text in (source.system, *source.earlier)) + int(window_tokens * FRAME_SHARE)
    return shown * MARGIN + frame + OVERHEAD_TOKENS + reply_tokens <= window_tokens


def parts_of(source: Source, window_tokens: int) -> tuple[Source, ...]:
    """The source in parts that fit, at most 32, in order."""
    most = _part_tokens(source, window_tokens)
    source = replace(source, entries=_split(source, most))
    sizes = [shown_tokens(entry) for entry in source.entries]
    whole = sum(sizes)
    share = max(whole / max(1, -(-whole // most)), whole / MAX_PARTS)
    groups: list[list[Entry]] = [[]]
    filled, left = 0, whole
    for entry, size in zip(source.entries, sizes, strict=True):
        answers = isinstance(entry, MessageEntry) and bool(entry.message.results)
        if groups[-1] and filled + size / 2 > share and not answers and len(groups) < MAX_PARTS:
            groups.append([])
            filled = 0
            share = max(share, left / (MAX_PARTS + 1 - len(groups)))  # none has to take all the rest
        groups[-1].append(entry)
        filled += size
        left -= size
    if len(groups) == 1:
        return (source,)
    return tuple(
        replace(
            source,
            kind="leaf" if source.kind == "roll" and place else source.kind,
            entries=tuple(group),
            earlier=source.earlier if place == 0 else (),
            tokens=sum(shown_tokens(entry) for entry in group),
        )
        for place, group in enumerate(groups)
    )


def without_oversized(source: Source, window_tokens: int) -> Source:
    """The source with a note in place of each message of more than half of the window."""
    most = int(window_tokens * OVERSIZED_SHARE)
    entries = tuple(
        _noted(entry) if isinstance(entry, MessageEntry) and shown_tokens(entry) * MARGIN > most else entry
        for entry in source.entries
    )
    return source if entries == source.entries else replace(source, entries=entries)


def _noted(entry: MessageEntry) -> MessageEntry:
    note = f"[{entry.message.role} message {entry.id} of {entry.tokens} tokens: too large to be summarized]"
    return MessageEntry(entry.id, Message(entry.message.role, (Text(note),)), len(note) // 4)


def merging(source: Source, drafts: Sequence[Draft], count: Count) -> Source:
    """The partial summaries as a source of their own, in order."""
    entries = tuple(
        SummaryEntry(Summary(f"part {place}", 0, draft.text, count(draft.text), 0, 0, (), draft.method))
        for place, draft in enumerate(drafts, 1)
    )
    return replace(
        source,
        kind="roll" if source.kind == "roll" else "condense",
        entries=entries,
        tokens=sum(entry.summary.tokens for entry in entries),
    )


def noted(source: Source, text: str, limit_tokens: int, count: Count) -> Draft:
    """The note in place of a summary: how much there was, and `text`, which needs no model."""
    messages = sum(
        1 if isinstance(entry, MessageEntry) else max(1, entry.summary.covers) for entry in source.entries
    )
    note = f"{NOTE} {messages} messages, summary unavailable"
    text = "\n".join(part for part in (note, text) if part)
    return Draft(fit_prefix(text, limit_tokens, count), "truncated")


def is_note(draft: Draft) -> bool:
    """Whether a draft is only such a note."""
    return draft.method == "truncated" and draft.text.startswith(NOTE)
