"""Reading back what left the window: messages in full, summaries as their sources, and what either costs.

Every read goes through the store with an owner, and stays with it; other conversations of the owner are read only where
none is named. What is asked for is walked in order, a page of the store at a time, until the budget is used: a summary
over a million messages costs what is read of it, and what lies under one is counted by the store, not read.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from palimpsest.budget.token_counts import text_tokens
from palimpsest.engine.engine_state import Memo
from palimpsest.engine.input_limits import checked_budget, checked_words
from palimpsest.engine.reading.paging import Cursor, cost_of, first_piece, read_cursor, size_of, texts_cost
from palimpsest.engine.reports import Entries, Entry, Outline
from palimpsest.errors import NotFound, UsageError
from palimpsest.lazy_regex import later
from palimpsest.ledger.noise import paths_in
from palimpsest.limits import MAX_ENTRIES, MAX_EXPANSION_CHARS, MAX_IDS
from palimpsest.ports import Store
from palimpsest.record.log import Stored
from palimpsest.record.message import Part, Reasoning, Text, ToolResult, readable_text
from palimpsest.record.summary import Summary
from palimpsest.record.times import iso_time
from palimpsest.redaction.detector import PLACEHOLDER
from palimpsest.text.identifiers import has_extension

if TYPE_CHECKING:
    from palimpsest.redaction.redactor import Redactor


PAGE = 64
"""What is read of the store at a time."""

FAR_OVER = 4
LEAST_TOKENS = 64
"""A budget under this holds nothing worth reading."""

SHOWN_MISSING = 5
_RANGE = later(r"(m\d{1,18})-(m\d{1,18})", re.ASCII)

Found = tuple[str, Stored | Summary]
"""What was found, and the conversation it stands in."""


def normal_id(given: str) -> str:
    """An id, or a range of them, as the store knows it: bare digits name a message, `secret:1a2b3c` a placeholder."""
    text = given.strip()
    if text.startswith("secret:"):
        return f"[{text}]"
    bare = text.replace("-", "", 1)
    if not bare.isascii() or not bare.isdigit() or text[:1] == "-" or text[-1:] == "-":
        return text
    return "-".join(f"m{end}" for end in text.split("-"))


def normal_ids(given: Iterable[object]) -> tuple[str, ...]:
    """Ids as the store knows them; one by itself is a list of one. Raises UsageError for what is no text."""
    found: list[str] = []
    for one in (given,) if isinstance(given, str) else given or ():
        if not isinstance(one, str):
            raise UsageError(f"an id is a {type(one).__name__}", hint="give ids such as m12 or s3")
        found.append(normal_id(one))
    return tuple(found)


async def read(store: Store, owner: str, conversation: str | None, ids: Iterable[str]) -> list[Found]:
    """What each id names, in order; of one conversation, or of any for None. Raises NotFound that names the unknown."""
    wanted = normal_ids(ids)
    found, away = await _look_up(store, owner, conversation, wanted)
    if missing := [one for one in wanted if one not in found]:
        raise _unknown(missing, away)
    return [found[one] for one in wanted]


async def _look_up(
    store: Store, owner: str, conversation: str | None, wanted: Sequence[str]
) -> tuple[dict[str, Found], Mapping[str, str]]:
    """What the known of these ids name, and of the others the conversation of the same owner's that has them."""
    if not wanted:
        raise UsageError("no id was given", hint="give ids such as m12 or s3, as hits name them")
    if len(wanted) > MAX_IDS:
        raise UsageError(f"{len(wanted):,} ids were given", hint=f"give at most {MAX_IDS:,} at a time")
    everything = await store.read(owner, wanted)
    found = {key: one for key, one in everything.items() if conversation is None or one[0] == conversation}
    return found, {key: one[0] for key, one in everything.items() if key not in found}


def _unknown(missing: Sequence[str], away: Mapping[str, str]) -> NotFound:
    """Says that some ids name nothing here, and where one of them stands that does elsewhere."""
    there = next((end for one in missing for end in ends_of(one) if end in away), None)
    rest = len(missing) - SHOWN_MISSING
    return NotFound(
        f"no message or summary {', '.join(one[:40] for one in missing[:SHOWN_MISSING])}"
        + (f" and {rest:,} more" if rest > 0 else ""),
        hint="ids look like m12 or s3, as hits, windows and summaries name them"
        if there is None
        else f"ask for all_conversations: {there} stands in another conversation, {away[there][:80]!r}",
    )


def ends_of(given: str) -> tuple[str, ...]:
    """The ids that an id or a range of them names."""
    found = _RANGE.fullmatch(given)
    return found.groups() if found is not None else (given,)


@dataclass(frozen=True, slots=True)
class Asked:
    """What an id or a range of them asks for: one thing, what it was made from, or the messages of a stretch."""

    home: str
    one: Stored | Summary
    first: int = 0
    last: int = 0

    @property
    def stretch(self) -> bool:
        """Whether messages are asked for by their positions."""
        return self.last > 0


@dataclass(frozen=True, slots=True)
class _There:
    """What of the ids asked for is there: the cursor that begins with it, what each of its ids asks for, the ids that
    name nothing here, and a sentence about these.
    """

    start: Cursor
    asked: tuple[Asked, ...]
    missing: tuple[str, ...]
    note: str


async def expand(
    store: Store,
    owner: str,
    conversation: str | None,
    ids: Iterable[str],
    *,
    include_results: bool = True,
    to_messages: bool = False,
    budget_tokens: int | None = None,
    cursor: str = "",
) -> Entries:
    """Messages in full, ranges of them ("m3-m9"), and summaries as what they were made from, one level down or
    (`to_messages`) to the messages; as much as the budget takes, and a cursor to go on with, which says all of it: with
    one, no ids are needed. With a budget, reasoning is left out, and a message larger than it comes in pieces.

    With `include_results` off, what tool results hold is left out and said so. Ids that name nothing here are told with
    what the others name. Raises NotFound where none names anything, and UsageError for a bad cursor, a range of no one
    history, or a budget under 64 tokens. A placeholder (`[secret:1a2b3c]`) names a message that holds its secret.
    """
    if budget_tokens is not None:
        checked_budget(budget_tokens, LEAST_TOKENS, "nothing")
    wanted = await placed(store, owner, conversation, normal_ids(ids))
    start = Cursor(wanted, include_results, to_messages)
    if cursor:
        start = _continued(read_cursor(checked_words(cursor, "cursor")), start.ids)
    there = await _asked(store, owner, conversation, start)
    read_back, rest = await _while_it_lasts(_walk(store, owner, there), budget_tokens)
    behind = await left_behind(store, owner, (found for found, _ in read_back))
    entries = [replace(one, current=False) if one.id in behind else one for _, one in read_back]
    return Entries(tuple(entries), "" if rest is None else str(rest), there.missing, there.note)


async def _while_it_lasts(
    walked: AsyncIterator[tuple[Cursor, Found]], budget_tokens: int | None
) -> tuple[list[tuple[Found, Entry]], Cursor | None]:
    """What is met on the way until the budget is used, and where the rest begins; None where there is none."""
    left, chars = budget_tokens, 0
    entries: list[tuple[Found, Entry]] = []
    async for here, found in walked:
        if len(entries) >= MAX_ENTRIES or chars >= MAX_EXPANSION_CHARS:
            return entries, here
        parts, left_out = _shown(found[1], here.include_results, plain=budget_tokens is not None)
        chars += size_of(parts)
        if left is None or budget_tokens is None:
            entries.append((found, _entry(found, parts, left_out)))
            continue
        whole = _cost_of_whole(found[1], parts, budget_tokens) if not here.char else 0
        if whole > left and entries and (whole <= budget_tokens or left < LEAST_TOKENS):
            return entries, here
        piece = first_piece(parts, here.char, left)
        size = size_of(parts)
        entries.append((found, _entry(found, piece.parts, left_out, here.char, size - piece.end)))
        left -= piece.tokens
        if piece.end < size:
            return entries, _later(here, here.place, piece.end)
    return entries, None


def _cost_of_whole(one: Stored | Summary, parts: Sequence[Part], budget_tokens: int) -> int:
    """What an entry costs; of one that is far over the budget the stored estimate, so that it need not be counted."""
    return one.tokens if one.tokens > FAR_OVER * budget_tokens else cost_of(parts)


def _continued(cursor: Cursor, ids: Sequence[str]) -> Cursor:
    if ids and not set(cursor.ids) <= set(ids):
        raise UsageError(
            f"this cursor goes on with {cursor.ids[0]}", hint="give the cursor alone, or the same ids"
        )
    return cursor


def _later(cursor: Cursor, place: int, char: int = 0) -> Cursor:
    return Cursor(cursor.ids, cursor.include_results, cursor.to_messages, place, char)


async def _walk(store: Store, owner: str, there: _There) -> AsyncIterator[tuple[Cursor, Found]]:
    """What is still asked for, in order, each with the cursor that begins with it."""
    start = there.start
    for number, one in enumerate(there.asked):
        at = start if number == 0 else Cursor(start.ids[number:], start.include_results, start.to_messages)
        if one.stretch:
            source = _stretch(store, owner, one, at.place)
        elif isinstance(one.one, Summary):
            source = _children(store, owner, one.one, at.place)
        else:
            source = _alone(one, at.place)
        async for place, found in source:
            yield _later(at, place, at.char if place == at.place else 0), found


async def _asked(store: Store, owner: str, conversation: str | None, cursor: Cursor) -> _There:
    """What the ids of a cursor ask for. Raises NotFound where none names anything, UsageError."""
    ends = {one: ends_of(one) for one in cursor.ids}
    wanted = [end for one in cursor.ids for end in ends[one]]
    found, away = await _look_up(store, owner, conversation, wanted)
    known = tuple(one for one in cursor.ids if all(end in found for end in ends[one]))
    missing = tuple(one for one in cursor.ids if one not in known)
    error = _unknown(missing, away) if missing else None
    if error is not None and not known:
        raise error
    asked: list[Asked] = []
    for one in known:
        home, thing = found[ends[one][0]]
        if len(ends[one]) > 1:
            asked.append(await _range(store, owner, one, (home, thing), found[ends[one][1]]))
        elif isinstance(thing, Summary) and cursor.to_messages:
            asked.append(Asked(home, thing, thing.first, thing.last))
        else:
            asked.append(Asked(home, thing))
    kept = known[0] == cursor.ids[0]
    start = replace(cursor, ids=known) if kept else _later(replace(cursor, ids=known), 0)
    return _There(start, tuple(asked), missing, str(error) if error is not None else "")


async def _range(store: Store, owner: str, given: str, first: Found, last: Found) -> Asked:
    """The messages from one to another of the same history. Raises UsageError where they are of none."""
    begin, end = first[1], last[1]
    if isinstance(begin, Stored) and isinstance(end, Stored) and begin.seq <= end.seq:
        there = await store.history(owner, end.id, begin.seq, begin.seq)
        if there and there[0].id == begin.id:
            return Asked(last[0], end, begin.seq, end.seq)
    raise UsageError(
        f"{given} is no range of one history", hint="give ids one by one, or the earlier one first"
    )


async def _alone(asked: Asked, place: int) -> AsyncIterator[tuple[int, Found]]:
    if place == 0:
        yield 0, (asked.home, asked.one)


async def _stretch(store: Store, owner: str, asked: Asked, place: int) -> AsyncIterator[tuple[int, Found]]:
    """Messages of a history by their positions, from `place` on."""
    position = max(asked.first, place)
    while position <= asked.last:
        page = await store.history(owner, asked.one.id, position, min(asked.last, position + PAGE - 1))
        if not page:
            return
        for stored in page:
            yield stored.seq, (asked.home, stored)
        position = page[-1].seq + 1


async def _children(
    store: Store, owner: str, summary: Summary, place: int
) -> AsyncIterator[tuple[int, Found]]:
    """What a summary was made from, in order, from the child number `place` on."""
    for start in range(place, len(summary.sources), PAGE):
        sources = summary.sources[start : start + PAGE]
        found = await store.read(owner, sources)
        for number, source in enumerate(sources, start):
            if source in found:
                yield number, found[source]


def _shown(one: Stored | Summary, include_results: bool, *, plain: bool) -> tuple[tuple[Part, ...], int]:
    """The parts to show, and the tokens of what is left out of the results; `plain` is without reasoning."""
    if isinstance(one, Summary):
        return (Text(one.text),), 0
    parts = one.message.parts
    if plain:
        parts = tuple(part for part in parts if not isinstance(part, Reasoning))
    if include_results or not one.message.results:
        return parts, 0
    bare = tuple(
        ToolResult(part.call_id, (), part.is_error, part.extra) if isinstance(part, ToolResult) else part
        for part in parts
    )
    return bare, result_tokens(one)


def _entry(
    found: Found, parts: tuple[Part, ...], left_out_tokens: int, before_chars: int = 0, after_chars: int = 0
) -> Entry:
    home, one = found
    said = "\n".join(part.text for part in parts if isinstance(part, Text))
    if isinstance(one, Summary):
        where, role, when = "summary", "", iso_time(one.latest_s)
    else:
        where, role, when = "message", one.message.role, iso_time(one.message.time_s)
        said = said or "\n".join(part.text for part in parts if isinstance(part, ToolResult) and part.text)
    if left_out_tokens:
        said = f"{said}\n[results left out, about {left_out_tokens:,} tokens]".strip()
    return Entry(
        id=one.id,
        kind=where,
        conversation=home,
        role=role,
        time=when,
        text=said,
        parts=() if isinstance(one, Summary) else parts,
        sources=one.sources if isinstance(one, Summary) else (),
        tokens=one.tokens,
        depth=one.depth if isinstance(one, Summary) else 0,
        before_chars=before_chars,
        after_chars=after_chars,
        left_out_tokens=left_out_tokens,
    )


async def describe(store: Store, owner: str, conversation: str | None, given: str) -> Outline:
    """What lies under an id: time span, counts, files, and the cost of reading each level. Raises NotFound."""
    ((home, one),) = await read(store, owner, conversation, [given])
    if isinstance(one, Stored):
        when = iso_time(one.message.time_s)
        files, results = files_in([readable_text(one.message)]), result_tokens(one)
        cost = text_tokens(one.message, one.tokens)
        return Outline(one.id, "message", home, 0, when, when, 1, {0: cost}, files, (), {0: 1}, True, results)
    under = await store.beneath(owner, one.id)
    levels = under.levels if under is not None else ()
    messages = await messages_under(store, owner, one)
    texts = [readable_text(each.message) for each in messages] or await summaries_under(store, owner, one)
    return Outline(
        id=one.id,
        kind="summary",
        conversation=home,
        depth=one.depth,
        first_time=iso_time(one.earliest_s),
        last_time=iso_time(one.latest_s),
        messages=one.covers,
        tokens_by_level={
            0: under.message_tokens if under is not None else 0,
            **{depth + 1: tokens for depth, _, tokens in levels},
        },
        files=files_in(texts),
        children=one.sources,
        counts_by_level={0: one.covers, **{depth + 1: count for depth, count, _ in levels}},
        all_files=bool(messages),
        result_tokens=sum(map(result_tokens, messages)) if messages else None,
    )


MAX_MESSAGES = 500
"""Messages beneath a summary that are looked at."""

MAX_SUMMARIES = 200
MAX_FILES = 50
_FILES_CHARS = 4_000


async def messages_under(store: Store, owner: str, summary: Summary) -> list[Stored]:
    """The messages beneath a summary, in order; none where they are many."""
    if summary.covers > MAX_MESSAGES:
        return []
    return await store.history(owner, summary.id, summary.first, summary.last)


async def summaries_under(store: Store, owner: str, summary: Summary) -> list[str]:
    """The texts of a summary and of those beneath it, the widest first."""
    texts = [summary.text]
    level: Sequence[Summary] = [summary]
    while level and len(texts) < MAX_SUMMARIES:
        wanted = [one for node in level for one in node.sources if one.startswith("s")]
        found = await store.read(owner, wanted[: MAX_SUMMARIES - len(texts)])
        level = [one for _, one in found.values() if isinstance(one, Summary)]
        texts.extend(one.text for one in level)
    return texts


def result_tokens(stored: Stored) -> int:
    """About what the results of tools in a message cost, 0 where it has none."""
    if not stored.message.results:
        return 0
    others = [part for part in stored.message.parts if not isinstance(part, ToolResult)]
    return max(1, stored.tokens - texts_cost(others))


def files_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The files named in texts, at most so many, in order: those in the beginning of each text. What is named in full
    and in short is given in full, in the place of the first.
    """
    found: list[str] = []
    for text in texts:
        for path in filter(has_extension, paths_in(text[:_FILES_CHARS])):
            if any(f"/{one}".endswith(f"/{path}") for one in found):
                continue
            short = next((at for at, one in enumerate(found) if path.endswith(f"/{one}")), None)
            if short is not None:
                found[short] = path
            elif len(found) < MAX_FILES:
                found.append(path)
    return tuple(found)


MAX_RUN = 1_000
"""Messages that are compared at a time."""


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    """Where something stands: the position and id of its message, or of the last message that it covers."""

    home: str
    seq: int
    message: str
    id: str


async def left_behind(store: Store, owner: str, shown: Iterable[tuple[str, Stored | Summary]]) -> set[str]:
    """The ids of those that were left behind, of messages and summaries with the conversations that they stand in."""
    places: list[_Place] = []
    for home, one in shown:
        ends = [one] if isinstance(one, Stored) else await store.history(owner, one.id, one.last, one.last)
        places += [_Place(home, end.seq, end.id, one.id) for end in ends]
    found: set[str] = set()
    for run in _runs(sorted(places)):
        present = {one.id for one in await store.messages(owner, run[0].home, run[0].seq, run[-1].seq)}
        found |= {one.id for one in run if one.message not in present}
    return found


def _runs(places: list[_Place]) -> Iterator[list[_Place]]:
    """Places in order, those together that follow one another."""
    run: list[_Place] = []
    for one in places:
        if run and (one.home != run[0].home or one.seq > run[-1].seq + 1 or one.seq - run[0].seq >= MAX_RUN):
            yield run
            run = []
        run.append(one)
    if run:
        yield run


PAGE = 64
"""Messages that are read at a time."""
MAX_CONVERSATIONS = 1_000
"""The newest, of which one is looked for where none is named."""
MAX_PAGES = 64
"""So many pages of a conversation are looked through, the first and then the newest, where no known message has it."""


async def placed(store: Store, owner: str, conversation: str | None, ids: Sequence[str]) -> tuple[str, ...]:
    """The ids, each placeholder among them as the id of a message that holds its secret; one that none holds stays."""
    sought = {one for one in ids if PLACEHOLDER.fullmatch(one)}
    holders: dict[str, str] = {}
    if sought:
        async for message_id, shown in _holding(store, owner, conversation, sought):
            holders |= {one: message_id for one in sought - holders.keys() if one in shown}
            if len(holders) == len(sought):
                break
    return tuple(holders.get(one, one) for one in ids)


async def _holding(
    store: Store, owner: str, conversation: str | None, sought: set[str]
) -> AsyncIterator[tuple[str, str]]:
    """The messages that hold secrets, of one conversation or of the newest, with what is shown of them; then those of
    the conversation that is named, or whose title has one of the sought, that nobody has read.
    """
    rows = [row for row in await store.conversations(owner) if conversation in (None, row.name)]
    for row in rows[:MAX_CONVERSATIONS]:
        memo = Memo(store, owner, row.name)
        await memo.load()
        known = await memo.redactor()
        places = list(known.places)
        for start in range(0, len(places), PAGE):
            page = places[start : start + PAGE]
            found = await store.read(owner, page)
            held = [one for place in page if place in found and isinstance(one := found[place][1], Stored)]
            for one in await _shown(held, known):
                yield one
    for row in rows[:MAX_CONVERSATIONS]:
        if conversation is not None or any(one in row.title for one in sought):
            async for one in _unread(store, owner, row.name):
                yield one


async def _unread(store: Store, owner: str, conversation: str) -> AsyncIterator[tuple[str, str]]:
    """The messages of a conversation as they are shown, its first ones before its newest."""
    from palimpsest.redaction.redactor import Redactor

    branch = await store.branch(owner, conversation)
    last = branch.head.seq if branch is not None else 0
    known = Redactor()
    firsts = [1, *range(last - PAGE + 1, PAGE, -PAGE)][:MAX_PAGES]
    for first in firsts:
        page = await store.messages(owner, conversation, max(1, first), min(last, first + PAGE - 1))
        for one in await _shown(page, known):
            yield one


async def _shown(held: Sequence[Stored], known: Redactor) -> list[tuple[str, str]]:
    """Messages by their ids, each as its texts are shown to a summarizer."""
    from palimpsest.engine.compacting.model_calls import give_way
    from palimpsest.record.summary_source import MessageEntry, Source
    from palimpsest.redaction.redactor import protect, texts_of

    entries = tuple(MessageEntry(one.id, one.message, one.tokens) for one in held)
    source, _ = await give_way(protect(Source("leaf", entries), known))
    return [(one.id, "\n".join(texts_of(one))) for one in source.entries if isinstance(one, MessageEntry)]
