"""Outlines of what a compaction replaces, and of what stays when messages are deleted; both without a model.

- An outline is made of messages, never of an outline. The pieces that the last outline showed and the next best ones
  are at hand (`OutlineCandidates`); only newer messages are read.
- What is likely to be needed is estimated from these pieces and from all verbatim messages of the window.
- Candidates are stored with the ledger. Without them, or for an outline with a focus, the range is read again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import replace

from palimpsest.budget.assemble import count_summary
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.background_pauses import give_way, off_loop, pause
from palimpsest.engine.compacting.outline_cache import OutlineCandidates, candidates_from_json
from palimpsest.engine.conversation_state import ConversationState
from palimpsest.limits import READ_MESSAGES
from palimpsest.record.forgetting import Reach, Rewritten, is_blank
from palimpsest.record.log import Stored
from palimpsest.record.message import readable_text
from palimpsest.record.summary import Summary
from palimpsest.record.summary_source import LOOKED_AT, Entry, MessageEntry, Source, SummaryEntry
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, StubItem, SummaryItem
from palimpsest.redaction.redactor import Redactor, protect
from palimpsest.summarize.outline.need_estimator import Need, Reader, Texts, expected, focused, texts_of
from palimpsest.summarize.outline.outline import outline_of_rows
from palimpsest.summarize.outline.pieces import Piece, Row, grain_for, rows_of
from palimpsest.summarize.source import looked_at
from palimpsest.toolcalls.calls_in_text import with_calls

READ_CHARS = 4_000_000
"""Of a conversation's text, so many of the newest characters are read to estimate need."""

MIN_SUMMARY_TOKENS = 24
"""A summary below this could hold nothing worth reading."""

FROM_THE_CONVERSATION = "# From the conversation itself"
"""The line before the outline that follows a model's summary of the same messages."""


def without_outline(source: Source) -> Source:
    """The source for a model: of earlier summaries only what a model wrote, if it wrote anything."""
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


async def outline_range(
    state: ConversationState,
    source: Source,
    first: int,
    last: int,
    budget_tokens: int,
    shown: Sequence[str] = (),
) -> str:
    """The outline of the messages at these positions, without what `shown` texts and the rest of the window say."""
    branch, window = await state.load()
    redactor = await state.engine_state.redactor()
    candidates = state.ledger_state.candidates or candidates_from_json(
        state.ledger_state.saved_candidates_json
    )
    if (
        branch is None
        or source.focus
        or candidates is None
        or not candidates.serves(branch, first, last, budget_tokens)
    ):
        branch_id, purged = (branch.id, branch.purged) if branch is not None else (0, 0)
        candidates = OutlineCandidates(branch_id, purged, len(redactor))
    elif candidates.secrets != len(redactor):
        rows = await give_way(_redacted(candidates.rows, redactor))
        candidates = replace(candidates, secrets=len(redactor), rows=rows)
    candidates, texts = await _with_missing(state, candidates, window, first, last, budget_tokens, redactor)
    reader = await give_way(_reader(candidates, texts, window))
    others = [text for item in window.items if not first <= item.first <= last for text in _texts(item)]
    rows = [candidates.rows[seq] for seq in sorted(candidates.rows) if first <= seq <= last]
    outline = await give_way(
        outline_of_rows(
            rows, _need(reader, source.focus), reader.vocabulary, budget_tokens, count_text, (*shown, *others)
        )
    )
    if not source.focus:
        kept = {seq: row for seq, row in candidates.rows.items() if not first <= seq <= last}
        kept.update((row.place, row) for row in outline.rows)
        starts = {seq: candidates.starts[seq] for seq in kept}
        state.ledger_state.candidates = replace(candidates, rows=kept, starts=starts)
        state.ledger_state.saved_candidates_json = ""
    return outline.text


async def outline_source(state: ConversationState, source: Source, budget_tokens: int) -> str:
    """The outline of a source alone; need is estimated from the source."""
    safe, _ = await give_way(protect(looked_at(source), await state.engine_state.redactor()))
    reader = Reader()

    def read() -> Generator[None]:
        for entry in safe.entries:
            if isinstance(entry, MessageEntry):
                reader.read(entry.message)
                yield

    await give_way(read())
    rows = await give_way(rows_of(safe.entries, grain_for(budget_tokens)))
    outline = await give_way(
        outline_of_rows(rows, _need(reader, source.focus), reader.vocabulary, budget_tokens, count_text)
    )
    return outline.text


def _need(reader: Reader, focus: str) -> Callable[[Collection[int]], Generator[None, None, Need]]:
    def need(among: Collection[int]) -> Generator[None, None, Need]:
        return focused((yield from expected(reader, among=among)), focus)

    return need


def _redacted(rows: dict[int, Row], redactor: Redactor) -> Generator[None, None, dict[int, Row]]:
    """The rows without secrets that became known since they were made."""

    def redact(piece: Piece) -> Piece:
        text, call = redactor.without(piece.text), piece.call and redact(piece.call)
        same = text == piece.text and call == piece.call
        return piece if same else replace(piece, text=text, call=call, tokens=0)

    found: dict[int, Row] = {}
    for seq, row in rows.items():
        pieces = tuple(map(redact, row.pieces))
        header, said = redactor.without(row.header), redactor.without(row.said)
        found[seq] = replace(row, header=header, said=said, pieces=pieces)
        yield
    return found


async def _with_missing(
    state: ConversationState,
    candidates: OutlineCandidates,
    window: Window,
    first: int,
    last: int,
    budget_tokens: int,
    redactor: Redactor,
) -> tuple[OutlineCandidates, dict[int, Texts]]:
    """The candidates with the missing messages of a range, and the texts of those messages without secrets."""
    verbatim = {item.first: item.stored for item in window.items if isinstance(item, MessageItem | StubItem)}
    rows, starts, texts = dict(candidates.rows), dict(candidates.starts), dict[int, Texts]()
    chars = candidates.chars
    for start, end in candidates.missing(max(first, last - LOOKED_AT + 1), last):
        found: list[Stored] = []
        for begin in range(start, end + 1, READ_MESSAGES):
            stop = min(end, begin + READ_MESSAGES - 1)
            batch = [verbatim[seq] for seq in range(begin, stop + 1) if seq in verbatim]
            if len(batch) <= stop - begin:
                batch = await state.store.messages(state.owner, state.conversation, begin, stop)
            await pause()
            found += [one for one in batch if not is_blank(one.message)]
        plain = [MessageEntry(one.id, one.message, one.tokens) for one in found]
        entries = await off_loop(with_calls, plain)
        safe, _ = await give_way(protect(Source("leaf", entries), redactor))
        added = await give_way(rows_of(safe.entries, grain_for(budget_tokens), [one.seq for one in found]))
        at = chars if start > candidates.through else _chars_before(starts, start)
        for row, entry in zip(added, safe.entries, strict=True):
            if isinstance(entry, MessageEntry):
                texts[row.place] = texts_of(entry.message)
                rows[row.place], starts[row.place] = row, at
                at += texts[row.place].chars
        chars = max(chars, at)
    ranges = candidates.with_range(first, last, budget_tokens)
    return replace(candidates, ranges=ranges, rows=rows, starts=starts, chars=chars), texts


def _chars_before(starts: dict[int, int], seq: int) -> int:
    """The approximate number of characters before a position that lies among others."""
    known = sorted(starts)
    place = bisect_right(known, seq)
    return starts[known[place - 1]] if place else 0


def _reader(
    candidates: OutlineCandidates, texts: dict[int, Texts], window: Window
) -> Generator[None, None, Reader]:
    """A reader of what need is estimated from: the rows (the whole texts of new ones), and later verbatim messages."""
    reader = Reader()
    min_start = candidates.chars - READ_CHARS
    starts = sorted((seq, candidates.starts[seq]) for seq in candidates.rows)
    for seq, start in starts:
        if start >= min_start:
            reader.read_texts(texts[seq] if seq in texts else _texts_of_row(candidates.rows[seq]), start)
            yield
    at = candidates.chars
    for item in window.items:
        if (
            isinstance(item, MessageItem | StubItem)
            and item.first not in candidates.starts
            and item.first > candidates.through
        ):
            said = texts_of(item.stored.message)
            reader.read_texts(said, at)
            at += said.chars
            yield
    reader.position = at
    return reader


def _texts_of_row(row: Row) -> Texts:
    def of(*kinds: str) -> str:
        return "\n".join(piece.text for piece in row.pieces if piece.kind in kinds)

    return Texts(row.said, "" if row.said else of("prose"), of("call", "argument"), of("result"))


def _texts(item: Item) -> tuple[str, ...]:
    """The texts that an item of the window shows."""
    match item:
        case MessageItem(stored=stored):
            return (readable_text(stored.message),)
        case StubItem(note=note):
            return (note,)
        case SummaryItem(summary=summary):
            return (summary.text,)
        case _:
            return ()


async def rebuild_summaries(state: ConversationState, reach: Reach) -> dict[str, Rewritten]:
    """The summaries over messages that will be deleted, made again from what stays, leaves first.

    A summary that would be empty or no shorter than before is not among them.
    """
    going, affected = set(reach.messages), {one.id for one in reach.summaries}
    rebuilt: dict[str, Rewritten] = {}
    for summary in reach.summaries:
        entries, times = await _remaining_entries(state, summary, going, affected, rebuilt)
        quoted_tokens = await _quoted_tokens(state, summary, going)
        limit_tokens = summary.tokens - quoted_tokens - count_summary(replace(summary, text=""))
        if not entries or limit_tokens < MIN_SUMMARY_TOKENS:
            continue
        source = Source("condense" if summary.depth else "leaf", tuple(entries))
        text = await outline_source(state, source, min(limit_tokens - 1, count_text(summary.text)))
        earliest_s, latest_s = min(times, default=None), max(times, default=None)
        new = replace(
            summary, text=text, model="", method="extractive", earliest_s=earliest_s, latest_s=latest_s
        )
        tokens = count_summary(new) + quoted_tokens
        if text.strip() and tokens < summary.tokens:
            rebuilt[summary.id] = Rewritten(summary.id, text, tokens, earliest_s, latest_s)
    return rebuilt


async def _remaining_entries(
    state: ConversationState,
    summary: Summary,
    going: set[str],
    affected: set[str],
    rebuilt: Mapping[str, Rewritten],
) -> tuple[list[Entry], list[float]]:
    """The sources of a summary that stay, and their times."""
    found = await state.store.read(state.owner, summary.sources)
    entries: list[Entry] = []
    times: list[float | None] = []
    for name in summary.sources:
        _, one = found.get(name, ("", None))
        if isinstance(one, Stored) and name not in going and not is_blank(one.message):
            entries.append(MessageEntry(name, one.message, one.tokens))
            times.append(one.message.time_s)
        elif isinstance(one, Summary) and name in rebuilt:
            new = rebuilt[name]
            entries.append(SummaryEntry(replace(one, text=new.text, tokens=new.tokens)))
            times += [new.earliest_s, new.latest_s]
        elif isinstance(one, Summary) and name not in affected:
            entries.append(SummaryEntry(one))
            times += [one.earliest_s, one.latest_s]
    return entries, [time_s for time_s in times if time_s is not None]


async def _quoted_tokens(state: ConversationState, summary: Summary, going: set[str]) -> int:
    """The tokens of the request that a summary quotes, if that stays."""
    if not summary.quotes:
        return 0
    found = await state.store.history(state.owner, summary.id, summary.quotes, summary.quotes)
    return sum(one.tokens for one in found if one.id not in going)
