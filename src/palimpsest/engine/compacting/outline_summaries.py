"""Outlines of what a compaction replaces, made from the stored messages themselves.

- An outline is never made of an outline, and no message is read twice: of the messages before, what the last outline
  showed and the next best pieces are at hand (`Pool`), and what came since is added.
- What is likely to be needed is estimated from these and from all that stands verbatim in the window.
- The pool is kept in the store with the ledger. Where there is none, or an outline of another kind is asked for, the
  messages of the range are read again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from palimpsest.budget.assemble import count_summary
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.background_pauses import off_loop, pause
from palimpsest.engine.compacting.model_calls import give_way
from palimpsest.engine.compacting.summary_drafts import MIN_SUMMARY_TOKENS
from palimpsest.engine.conversation_state import Desk
from palimpsest.limits import READ_MESSAGES
from palimpsest.record.forgetting import Reach, Rewritten, is_blank
from palimpsest.record.log import Branch, Stored
from palimpsest.record.message import readable_text
from palimpsest.record.summary import Summary
from palimpsest.record.summary_source import LOOKED_AT, Entry, MessageEntry, Source, SummaryEntry
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, StubItem, SummaryItem
from palimpsest.redaction.redactor import Redactor, protect
from palimpsest.summarize.outline.message_texts import Texts, texts_of
from palimpsest.summarize.outline.need_estimator import Need, Reader, expected, focused
from palimpsest.summarize.outline.outline import outline_of_rows
from palimpsest.summarize.outline.pieces import Piece, Row, grain_for, rows_of
from palimpsest.summarize.source import looked_at
from palimpsest.toolcalls.calls_in_text import with_calls

READ_CHARS = 4_000_000
"""Of a conversation's text, the newest are read to estimate need."""
VERSION = 1
"""Of the form in which a pool is kept; another number makes it anew from the messages."""
LARGER = 2
"""A pool serves an outline of so many times the size that it was kept for."""
FROM_THE_CONVERSATION = "# From the conversation itself"
"""The line behind which a summary by a model has an outline of the same messages."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Of what outlines of one branch are made: rows by their positions, and the ranges (first, last, tokens of the
    outline) that they are from. `starts` has the characters of the conversation before each row, `chars` those before
    the message behind the newest range. `secrets` is how many were known when the rows were made.
    """

    branch_id: int
    purged: int
    secrets: int
    ranges: tuple[tuple[int, int, int], ...] = ()
    rows: dict[int, Row] = field(default_factory=dict[int, Row])
    starts: dict[int, int] = field(default_factory=dict[int, int])
    chars: int = 0
    version: int = VERSION

    @property
    def through(self) -> int:
        """The newest position that was taken in."""
        return max((last for _, last, _ in self.ranges), default=0)

    def serves(self, branch: Branch, first: int, last: int, budget_tokens: int) -> bool:
        """Whether an outline of these messages can be made of it."""
        if (self.branch_id, self.purged) != (branch.id, branch.purged):
            return False
        within = [tokens for start, end, tokens in self.ranges if start <= last and end >= first]
        return bool(within) and budget_tokens <= LARGER * max(within)

    def lacking(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The stretches of a range that were not taken in yet."""
        for start, end, _ in self.ranges:
            if start > last:
                break
            if end >= first:
                if first < start:
                    yield first, start - 1
                first = end + 1
        if first <= last:
            yield first, last

    def with_range(self, first: int, last: int, budget_tokens: int) -> tuple[tuple[int, int, int], ...]:
        """The ranges once these messages are among them."""
        apart = [one for one in self.ranges if one[1] < first or one[0] > last]
        return tuple(sorted((*apart, (first, last, budget_tokens))))


def pool_to_json(pool: Pool) -> str:
    """The pool as one line of JSON, of which `pool_from_json` makes an equal one; the secrets that are known count anew
    in each process. "" for one that cannot be written as UTF-8.
    """
    try:
        return msgspec.json.encode(replace(pool, secrets=-1)).decode()
    except UnicodeEncodeError:
        return ""


def pool_from_json(text: str) -> Pool | None:
    """The pool that `pool_to_json` wrote; None for anything else, and for other versions."""
    try:
        pool = msgspec.json.decode(text.encode("utf-8", "surrogatepass"), type=Pool) if text else None
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
    return pool if pool is not None and pool.version == VERSION else None


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
    branch, window = await desk.load()
    redactor = await desk.memo.redactor()
    pool = desk.pool or pool_from_json(desk.notes.kept_pool)
    if branch is None or source.focus or pool is None or not pool.serves(branch, first, last, budget_tokens):
        pool = Pool(branch.id if branch else 0, branch.purged if branch else 0, len(redactor))
    elif pool.secrets != len(redactor):
        pool = replace(pool, secrets=len(redactor), rows=await give_way(_redacted(pool.rows, redactor)))
    pool, texts = await _taken_in(desk, pool, window, first, last, budget_tokens, redactor)
    reader = await give_way(_reading(pool, texts, window))
    beside = [text for item in window.items if not first <= item.first <= last for text in _shown(item)]
    rows = [pool.rows[seq] for seq in sorted(pool.rows) if first <= seq <= last]
    made = await give_way(
        outline_of_rows(
            rows,
            _expecting(reader, source.focus),
            reader.vocabulary,
            budget_tokens,
            count_text,
            (*shown, *beside),
        )
    )
    if not source.focus:
        kept = {seq: row for seq, row in pool.rows.items() if not first <= seq <= last}
        kept.update((row.place, row) for row in made.rows)
        desk.pool = replace(pool, rows=kept, starts={seq: pool.starts[seq] for seq in kept})
        desk.notes.kept_pool = ""
    return made.text


async def outline_of(desk: Desk, source: Source, budget_tokens: int) -> str:
    """The outline of a source alone, as a text that stands by itself: need is estimated from the source."""
    safe, _ = await give_way(protect(looked_at(source), await desk.memo.redactor()))
    reader = Reader()

    def reading() -> Generator[None]:
        for entry in safe.entries:
            if isinstance(entry, MessageEntry):
                reader.read(entry.message)
                yield

    await give_way(reading())
    rows = await give_way(rows_of(safe.entries, grain_for(budget_tokens)))
    made = await give_way(
        outline_of_rows(rows, _expecting(reader, source.focus), reader.vocabulary, budget_tokens, count_text)
    )
    return made.text


def _expecting(reader: Reader, focus: str) -> Callable[[Collection[int]], Generator[None, None, Need]]:
    def expecting(among: Collection[int]) -> Generator[None, None, Need]:
        return focused((yield from expected(reader, among=among)), focus)

    return expecting


def _redacted(rows: dict[int, Row], redactor: Redactor) -> Generator[None, None, dict[int, Row]]:
    """The rows without secrets that became known since they were made."""

    def without(piece: Piece) -> Piece:
        text, call = redactor.without(piece.text), piece.call and without(piece.call)
        same = text == piece.text and call == piece.call
        return piece if same else replace(piece, text=text, call=call, tokens=0)

    found: dict[int, Row] = {}
    for seq, row in rows.items():
        pieces = tuple(map(without, row.pieces))
        header, said = redactor.without(row.header), redactor.without(row.said)
        found[seq] = replace(row, header=header, said=said, pieces=pieces)
        yield
    return found


async def _taken_in(
    desk: Desk, pool: Pool, window: Window, first: int, last: int, budget_tokens: int, redactor: Redactor
) -> tuple[Pool, dict[int, Texts]]:
    """The pool with the messages of a range, and the texts of those that were added, without their secrets."""
    verbatim = {item.first: item.stored for item in window.items if isinstance(item, MessageItem | StubItem)}
    rows, starts, texts = dict(pool.rows), dict(pool.starts), dict[int, Texts]()
    chars = pool.chars
    for start, end in pool.lacking(max(first, last - LOOKED_AT + 1), last):
        found: list[Stored] = []
        for begin in range(start, end + 1, READ_MESSAGES):
            stop = min(end, begin + READ_MESSAGES - 1)
            here = [verbatim[seq] for seq in range(begin, stop + 1) if seq in verbatim]
            if len(here) <= stop - begin:
                here = await desk.store.messages(desk.owner, desk.conversation, begin, stop)
            await pause()
            found += [one for one in here if not is_blank(one.message)]
        entries = await off_loop(_entries, found)
        safe, _ = await give_way(protect(Source("leaf", entries), redactor))
        places = [one.seq for one in found]
        added = await give_way(rows_of(safe.entries, grain_for(budget_tokens), places))
        at = chars if start > pool.through else _before(starts, start)
        for row, entry in zip(added, safe.entries, strict=True):
            if isinstance(entry, MessageEntry):
                said = texts[row.place] = texts_of(entry.message)
                rows[row.place], starts[row.place] = row, at
                at += said.chars
        chars = max(chars, at)
    ranges = pool.with_range(first, last, budget_tokens)
    return replace(pool, ranges=ranges, rows=rows, starts=starts, chars=chars), texts


def _entries(found: Sequence[Stored]) -> tuple[Entry, ...]:
    return with_calls([MessageEntry(one.id, one.message, one.tokens) for one in found])


def _before(starts: dict[int, int], seq: int) -> int:
    """About how many characters there are before a position that lies among others."""
    known = sorted(starts)
    place = bisect_right(known, seq)
    return starts[known[place - 1]] if place else 0


def _reading(pool: Pool, texts: dict[int, Texts], window: Window) -> Generator[None, None, Reader]:
    """What is read to estimate need: the rows of the pool, of those that are new the whole texts, and the messages of
    the window that stand behind them.
    """
    reader = Reader()
    least = pool.chars - READ_CHARS
    told = [(seq, pool.starts[seq]) for seq in pool.rows if pool.starts[seq] >= least]
    for seq, start in sorted(told):
        reader.read_texts(texts[seq] if seq in texts else _texts_of_row(pool.rows[seq]), start)
        yield
    at = pool.chars
    for item in window.items:
        if isinstance(item, MessageItem | StubItem) and item.first not in pool.starts:
            said = texts_of(item.stored.message)
            if item.first > pool.through:
                reader.read_texts(said, at)
                at += said.chars
                yield
    reader.position = at
    return reader


def _texts_of_row(row: Row) -> Texts:
    def of(*kinds: str) -> str:
        return "\n".join(piece.text for piece in row.pieces if piece.kind in kinds)

    return Texts(row.said, "" if row.said else of("prose"), of("call", "argument"), of("result"))


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


async def rebuilt(desk: Desk, reach: Reach) -> dict[str, Rewritten]:
    """The summaries over what is to be forgotten, made again by rules from what stays, the leaves first. One that would
    have nothing left to say, or would be no shorter than it was, is not among them.
    """
    going = set(reach.messages)
    over = {one.id for one in reach.summaries}
    made: dict[str, Rewritten] = {}
    for summary in reach.summaries:
        entries, times = await _entries(desk, summary, going, over, made)
        quoted_tokens = await _quoted_tokens(desk, summary, going)
        fence_tokens = count_summary(replace(summary, text=""))
        limit_tokens = summary.tokens - quoted_tokens - fence_tokens
        if not entries or limit_tokens < MIN_SUMMARY_TOKENS:
            continue
        source = Source("condense" if summary.depth else "leaf", tuple(entries))
        text = await outline_of(desk, source, min(limit_tokens - 1, count_text(summary.text)))
        again = replace(
            summary, text=text, model="", method="extractive",
            earliest_s=min(times, default=None), latest_s=max(times, default=None),
        )  # fmt: skip
        tokens = count_summary(again) + quoted_tokens
        if text.strip() and tokens < summary.tokens:
            made[summary.id] = Rewritten(summary.id, text, tokens, again.earliest_s, again.latest_s)
    return made


async def _entries(
    desk: Desk, summary: Summary, going: set[str], over: set[str], made: Mapping[str, Rewritten]
) -> tuple[list[Entry], list[float]]:
    """What stays of a summary's sources, and when it happened."""
    found = await desk.store.read(desk.owner, summary.sources)
    entries: list[Entry] = []
    times: list[float | None] = []
    for name in summary.sources:
        _, one = found.get(name, ("", None))
        if isinstance(one, Stored) and name not in going and not is_blank(one.message):
            entries.append(MessageEntry(name, one.message, one.tokens))
            times.append(one.message.time_s)
        elif isinstance(one, Summary) and name in made:
            again = made[name]
            entries.append(SummaryEntry(replace(one, text=again.text, tokens=again.tokens)))
            times += [again.earliest_s, again.latest_s]
        elif isinstance(one, Summary) and name not in over:
            entries.append(SummaryEntry(one))
            times += [one.earliest_s, one.latest_s]
    return entries, [time_s for time_s in times if time_s is not None]


async def _quoted_tokens(desk: Desk, summary: Summary, going: set[str]) -> int:
    """What the request costs that a summary quotes and goes on quoting."""
    if not summary.quotes:
        return 0
    found = await desk.store.history(desk.owner, summary.id, summary.quotes, summary.quotes)
    return sum(one.tokens for one in found if one.id not in going)
