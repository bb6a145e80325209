"""Read back what left the window: messages in full, summaries as their sources, and what either costs.

Every read goes through the store with an owner. Other conversations of the owner are read only if none is named. What
is asked for is walked in order, a page of the store at a time, until the budget is used. So a summary over a million
messages costs what is read of it; what lies under a summary is counted by the store, not read.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from palimpsest.budget.token_counts import text_tokens
from palimpsest.engine.engine_state import EngineState, protect_messages
from palimpsest.engine.input_limits import checked_budget, checked_text
from palimpsest.engine.reading.paging import Cursor, cost_of, first_piece, read_cursor, size_of, texts_cost
from palimpsest.engine.reports import Entries, Entry, Outline
from palimpsest.errors import NotFound, UsageError
from palimpsest.lazy_regex import later
from palimpsest.ledger.extraction import paths_in
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
"""Messages or sources that are read at a time."""

MIN_TOKENS = 64
"""A smaller budget holds nothing worth reading."""

UNCOUNTED_FACTOR = 4
"""The size of an entry over this multiple of the budget is the stored estimate, not a count."""

SHOWN_MISSING = 5

MAX_LISTED_MESSAGES = 500
"""Messages beneath a summary that `describe` reads; of more only the summaries are read."""
MAX_LISTED_SUMMARIES = 200
MAX_FILES = 50
_FILES_CHARS = 4_000

MAX_PLACEHOLDER_CONVERSATIONS = 1_000
"""The newest conversations, in which a placeholder is searched if none is named."""
MAX_PLACEHOLDER_PAGES = 64
"""Pages of a conversation, the first and then the newest, that are searched for a placeholder."""

MAX_RUN = 1_000
"""Messages whose branches are compared at a time."""

_RANGE = later(r"(m\d{1,18})-(m\d{1,18})", re.ASCII)

Found = tuple[str, Stored | Summary]
"""What was found, after the name of its conversation."""


def normal_id(given: str) -> str:
    """An id or a range in the store's spelling: bare digits name a message, `secret:1a2b3c` a placeholder."""
    text = given.strip()
    if text.startswith("secret:"):
        return f"[{text}]"
    bare = text.replace("-", "", 1)
    if not bare.isascii() or not bare.isdigit() or text[:1] == "-" or text[-1:] == "-":
        return text
    return "-".join(f"m{end}" for end in text.split("-"))


def normal_ids(given: Iterable[object]) -> tuple[str, ...]:
    """Ids in the store's spelling; a single one is a list of one. Raises UsageError for what is no text."""
    found: list[str] = []
    for one in (given,) if isinstance(given, str) else given or ():
        if not isinstance(one, str):
            raise UsageError(f"an id is a {type(one).__name__}", hint="give ids such as m12 or s3")
        found.append(normal_id(one))
    return tuple(found)


def ends_of(given: str) -> tuple[str, ...]:
    """The id, or the two ids of a range."""
    found = _RANGE.fullmatch(given)
    return found.groups() if found is not None else (given,)


async def read(store: Store, owner: str, conversation: str | None, ids: Iterable[str]) -> list[Found]:
    """What each id names, in order, in one conversation or in any (None). Raises NotFound for unknown ones."""
    wanted = normal_ids(ids)
    found, elsewhere = await _look_up(store, owner, conversation, wanted)
    if missing := [one for one in wanted if one not in found]:
        raise _not_found(missing, elsewhere)
    return [found[one] for one in wanted]


async def _look_up(
    store: Store, owner: str, conversation: str | None, wanted: Sequence[str]
) -> tuple[dict[str, Found], Mapping[str, str]]:
    """What these ids name, and of those found elsewhere the owner's conversation that has them."""
    if not wanted:
        raise UsageError("no id was given", hint="give ids such as m12 or s3, as hits name them")
    if len(wanted) > MAX_IDS:
        raise UsageError(f"{len(wanted):,} ids were given", hint=f"give at most {MAX_IDS:,} at a time")
    everything = await store.read(owner, wanted)
    found = {key: one for key, one in everything.items() if conversation is None or one[0] == conversation}
    return found, {key: one[0] for key, one in everything.items() if key not in found}


def _not_found(missing: Sequence[str], elsewhere: Mapping[str, str]) -> NotFound:
    """The error that names unknown ids, and the conversation that has one of them."""
    known = next((end for one in missing for end in ends_of(one) if end in elsewhere), None)
    rest = len(missing) - SHOWN_MISSING
    hint = "ids look like m12 or s3, as hits, windows and summaries name them"
    if known is not None:
        hint = f"ask for all_conversations: {known} is in another conversation, {elsewhere[known][:80]!r}"
    return NotFound(
        f"no message or summary {', '.join(one[:40] for one in missing[:SHOWN_MISSING])}"
        + (f" and {rest:,} more" if rest > 0 else ""),
        hint=hint,
    )


@dataclass(frozen=True, slots=True)
class _Target:
    """What an id asks for: one message, a summary's sources, or the messages from `first` to `last`."""

    conversation: str
    one: Stored | Summary
    first: int = 0
    last: int = 0


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
    (`to_messages`) to the messages. A budget limits the answer, whose cursor continues it; a cursor needs no ids. With
    a budget, reasoning is left out, and a message larger than it comes in pieces.

    Without `include_results` tool results are left out, and the text says so. Unknown ids are reported with what the
    others name. A placeholder (`[secret:1a2b3c]`) names a message that holds its secret. Raises NotFound if no id names
    anything; UsageError for a bad cursor, a range across histories, or a budget under 64 tokens.
    """
    if budget_tokens is not None:
        checked_budget(budget_tokens, MIN_TOKENS, "nothing")
    wanted = await resolve_placeholders(store, owner, conversation, normal_ids(ids))
    start = Cursor(wanted, include_results, to_messages)
    if cursor:
        start = read_cursor(checked_text(cursor, "cursor"))
        if wanted and not set(start.ids) <= set(wanted):
            raise UsageError(
                f"this cursor goes on with {start.ids[0]}", hint="give the cursor alone, or the same ids"
            )
    targets, missing, note = await _targets(store, owner, conversation, start)
    known = tuple(one for one in start.ids if one not in missing)
    if known[0] != start.ids[0]:
        start = replace(start, place=0, char=0)
    walk = _walk(store, owner, replace(start, ids=known), targets)
    shown, rest = await _within_budget(walk, budget_tokens)
    replaced = await replaced_ids(store, owner, (found for found, _ in shown))
    entries = tuple(replace(one, current=False) if one.id in replaced else one for _, one in shown)
    return Entries(entries, "" if rest is None else str(rest), missing, note)


async def _targets(
    store: Store, owner: str, conversation: str | None, cursor: Cursor
) -> tuple[list[_Target], tuple[str, ...], str]:
    """What the known ids of a cursor ask for, the unknown ids, and a note on these. Raises NotFound, UsageError."""
    ends = {one: ends_of(one) for one in cursor.ids}
    wanted = [end for one in cursor.ids for end in ends[one]]
    found, elsewhere = await _look_up(store, owner, conversation, wanted)
    missing = tuple(one for one in cursor.ids if any(end not in found for end in ends[one]))
    error = _not_found(missing, elsewhere) if missing else None
    if error is not None and len(missing) == len(cursor.ids):
        raise error
    targets: list[_Target] = []
    for one in cursor.ids:
        if one in missing:
            continue
        name, thing = found[ends[one][0]]
        if len(ends[one]) > 1:
            targets.append(await _range(store, owner, one, thing, found[ends[one][1]]))
        elif isinstance(thing, Summary) and cursor.to_messages:
            targets.append(_Target(name, thing, thing.first, thing.last))
        else:
            targets.append(_Target(name, thing))
    return targets, missing, str(error) if error is not None else ""


async def _range(store: Store, owner: str, given: str, begin: Stored | Summary, last: Found) -> _Target:
    """The messages from one to another of the same history. Raises UsageError if they have none."""
    name, end = last
    if isinstance(begin, Stored) and isinstance(end, Stored) and begin.seq <= end.seq:
        found = await store.history(owner, end.id, begin.seq, begin.seq)
        if found and found[0].id == begin.id:
            return _Target(name, end, begin.seq, end.seq)
    raise UsageError(
        f"{given} is no range of one history", hint="give ids one by one, or the earlier one first"
    )


async def _walk(
    store: Store, owner: str, start: Cursor, targets: Sequence[_Target]
) -> AsyncIterator[tuple[Cursor, Found]]:
    """What is asked for, in order, each with the cursor that begins with it."""
    for number, target in enumerate(targets):
        at = start if number == 0 else replace(start, ids=start.ids[number:], place=0, char=0)
        async for place, found in _contents(store, owner, target, at.place):
            yield replace(at, place=place, char=at.char if place == at.place else 0), found


async def _contents(
    store: Store, owner: str, target: _Target, place: int
) -> AsyncIterator[tuple[int, Found]]:
    """The messages of a range, the sources of a summary, or a single message, from a place on."""
    if target.last:
        position = max(target.first, place)
        while position <= target.last:
            end = min(target.last, position + PAGE - 1)
            page = await store.history(owner, target.one.id, position, end)
            if not page:
                return
            for stored in page:
                yield stored.seq, (target.conversation, stored)
            position = page[-1].seq + 1
    elif isinstance(target.one, Summary):
        sources = target.one.sources
        for start in range(place, len(sources), PAGE):
            found = await store.read(owner, sources[start : start + PAGE])
            for number, source in enumerate(sources[start : start + PAGE], start):
                if source in found:
                    yield number, found[source]
    elif place == 0:
        yield 0, (target.conversation, target.one)


async def _within_budget(
    walk: AsyncIterator[tuple[Cursor, Found]], budget_tokens: int | None
) -> tuple[list[tuple[Found, Entry]], Cursor | None]:
    """The entries of a walk until the budget is used, and the cursor of the rest; None at the end of all."""
    left, chars = budget_tokens, 0
    entries: list[tuple[Found, Entry]] = []
    async for here, found in walk:
        if len(entries) >= MAX_ENTRIES or chars >= MAX_EXPANSION_CHARS:
            return entries, here
        one = found[1]
        parts, left_out = _shown(one, here.include_results, plain=budget_tokens is not None)
        size = size_of(parts)
        chars += size
        if left is None or budget_tokens is None:
            entries.append((found, _entry(found, parts, left_out)))
            continue
        tokens = 0
        if not here.char:
            tokens = one.tokens if one.tokens > UNCOUNTED_FACTOR * budget_tokens else cost_of(parts)
        if tokens > left and entries and (tokens <= budget_tokens or left < MIN_TOKENS):
            return entries, here
        piece = first_piece(parts, here.char, left)
        entries.append((found, _entry(found, piece.parts, left_out, here.char, size - piece.end)))
        left -= piece.tokens
        if piece.end < size:
            return entries, replace(here, char=piece.end)
    return entries, None


def _shown(one: Stored | Summary, include_results: bool, *, plain: bool) -> tuple[tuple[Part, ...], int]:
    """The parts to show, and the tokens of results that are left out; `plain` is without reasoning."""
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
    conversation, one = found
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    if isinstance(one, Summary):
        role, time_s, sources, depth, parts = "", one.latest_s, one.sources, one.depth, ()
    else:
        role, time_s, sources, depth = one.message.role, one.message.time_s, (), 0
        text = text or "\n".join(part.text for part in parts if isinstance(part, ToolResult) and part.text)
    if left_out_tokens:
        text = f"{text}\n[results left out, about {left_out_tokens:,} tokens]".strip()
    return Entry(
        id=one.id,
        kind="summary" if isinstance(one, Summary) else "message",
        conversation=conversation,
        role=role,
        time=iso_time(time_s),
        text=text,
        parts=parts,
        sources=sources,
        tokens=one.tokens,
        depth=depth,
        before_chars=before_chars,
        after_chars=after_chars,
        left_out_tokens=left_out_tokens,
    )


async def replaced_ids(store: Store, owner: str, shown: Iterable[Found]) -> set[str]:
    """The ids of messages and summaries that are no longer in the current history after an edit or a rewind.

    A summary counts as its last message.
    """
    places: list[tuple[str, int, str, str]] = []
    for conversation, one in shown:
        ends = [one] if isinstance(one, Stored) else await store.history(owner, one.id, one.last, one.last)
        places += [(conversation, end.seq, end.id, one.id) for end in ends]
    runs: list[list[tuple[str, int, str, str]]] = []
    for place in sorted(places):
        run = runs[-1] if runs else []
        adjacent = bool(run) and place[0] == run[0][0] and place[1] <= run[-1][1] + 1
        if adjacent and place[1] - run[0][1] < MAX_RUN:
            run.append(place)
        else:
            runs.append([place])
    found: set[str] = set()
    for run in runs:
        present = {one.id for one in await store.messages(owner, run[0][0], run[0][1], run[-1][1])}
        found |= {name for _, _, message, name in run if message not in present}
    return found


async def describe(store: Store, owner: str, conversation: str | None, given: str) -> Outline:
    """What lies under an id: time span, counts, files, and the cost of reading each level. Raises NotFound."""
    ((name, one),) = await read(store, owner, conversation, [given])
    if isinstance(one, Stored):
        when = iso_time(one.message.time_s)
        files, results = files_in([readable_text(one.message)]), result_tokens(one)
        cost = text_tokens(one.message, one.tokens)
        return Outline(one.id, "message", name, 0, when, when, 1, {0: cost}, files, (), {0: 1}, True, results)
    under = await store.beneath(owner, one.id)
    levels = under.levels if under is not None else ()
    messages: list[Stored] = []
    if one.covers <= MAX_LISTED_MESSAGES:
        messages = await store.history(owner, one.id, one.first, one.last)
    texts = [readable_text(each.message) for each in messages] or await _summary_texts(store, owner, one)
    message_tokens = under.message_tokens if under is not None else 0
    return Outline(
        id=one.id,
        kind="summary",
        conversation=name,
        depth=one.depth,
        first_time=iso_time(one.earliest_s),
        last_time=iso_time(one.latest_s),
        messages=one.covers,
        tokens_by_level={0: message_tokens, **{depth + 1: tokens for depth, _, tokens in levels}},
        files=files_in(texts),
        children=one.sources,
        counts_by_level={0: one.covers, **{depth + 1: count for depth, count, _ in levels}},
        all_files=bool(messages),
        result_tokens=sum(map(result_tokens, messages)) if messages else None,
    )


async def _summary_texts(store: Store, owner: str, summary: Summary) -> list[str]:
    """The texts of a summary and of those beneath it, level by level."""
    texts = [summary.text]
    level: Sequence[Summary] = [summary]
    while level and len(texts) < MAX_LISTED_SUMMARIES:
        wanted = [one for node in level for one in node.sources if one.startswith("s")]
        found = await store.read(owner, wanted[: MAX_LISTED_SUMMARIES - len(texts)])
        level = [one for _, one in found.values() if isinstance(one, Summary)]
        texts.extend(one.text for one in level)
    return texts


def result_tokens(stored: Stored) -> int:
    """The approximate tokens of a message's tool results, 0 if it has none."""
    if not stored.message.results:
        return 0
    others = [part for part in stored.message.parts if not isinstance(part, ToolResult)]
    return max(1, stored.tokens - texts_cost(others))


def files_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The files named at the beginning of each text, in order and each once, under its longest name."""
    found: list[str] = []
    for text in texts:
        for path in filter(has_extension, paths_in(text[:_FILES_CHARS])):
            if any(f"/{one}".endswith(f"/{path}") for one in found):
                continue
            shorter = next((at for at, one in enumerate(found) if path.endswith(f"/{one}")), None)
            if shorter is not None:
                found[shorter] = path
            elif len(found) < MAX_FILES:
                found.append(path)
    return tuple(found)


async def resolve_placeholders(
    store: Store, owner: str, conversation: str | None, ids: Sequence[str]
) -> tuple[str, ...]:
    """The ids, with each placeholder such as `[secret:1a2b3c]` as the id of a message that holds its secret.

    A placeholder that no message holds stays. Secrets are stored only in their messages, so messages that are known to
    hold some are redacted again. Then all messages of the conversation are searched, because a title or a shown call
    may have a placeholder of a message that was never read.
    """
    wanted = {one for one in ids if PLACEHOLDER.fullmatch(one)}
    holders: dict[str, str] = {}
    if wanted:
        async for message_id, redacted in _redacted_messages(store, owner, conversation, wanted):
            holders |= {one: message_id for one in wanted - holders.keys() if one in redacted}
            if len(holders) == len(wanted):
                break
    return tuple(holders.get(one, one) for one in ids)


async def _redacted_messages(
    store: Store, owner: str, conversation: str | None, wanted: set[str]
) -> AsyncIterator[tuple[str, str]]:
    """Redacted messages: those known to hold secrets, then those of conversations that may have a placeholder."""
    rows = [row for row in await store.conversations(owner) if conversation in (None, row.name)]
    rows = rows[:MAX_PLACEHOLDER_CONVERSATIONS]
    for row in rows:
        engine_state = EngineState(store, owner, row.name)
        await engine_state.load()
        redactor = await engine_state.redactor()
        places = list(redactor.places)
        for start in range(0, len(places), PAGE):
            page = places[start : start + PAGE]
            found = await store.read(owner, page)
            held = [one for place in page if place in found and isinstance(one := found[place][1], Stored)]
            for one in await _redact(held, redactor):
                yield one
    for row in rows:
        if conversation is not None or any(one in row.title for one in wanted):
            async for one in _redacted_history(store, owner, row.name):
                yield one


async def _redacted_history(store: Store, owner: str, conversation: str) -> AsyncIterator[tuple[str, str]]:
    """The messages of a conversation with their redacted texts, the first page before the newest."""
    from palimpsest.redaction.redactor import Redactor

    branch = await store.branch(owner, conversation)
    last = branch.head.seq if branch is not None else 0
    redactor = Redactor()
    for first in [1, *range(last - PAGE + 1, PAGE, -PAGE)][:MAX_PLACEHOLDER_PAGES]:
        page = await store.messages(owner, conversation, max(1, first), min(last, first + PAGE - 1))
        for one in await _redact(page, redactor):
            yield one


async def _redact(messages: Sequence[Stored], redactor: Redactor) -> list[tuple[str, str]]:
    """The ids of messages with their texts as a summarizer sees them."""
    from palimpsest.redaction.redactor import texts_of

    return [(one.id, "\n".join(texts_of(one))) for one in await protect_messages(messages, redactor)]
