"""Finding and reading back what left the window. Every read goes through the store with an owner, and stays with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from palimpsest.budget.assemble import iso_time
from palimpsest.budget.pieces import count_text
from palimpsest.engine.reports import Entry, Hit, Hits, Outline, Passage, Passages
from palimpsest.errors import NotFound, UsageError
from palimpsest.ports import SearchScope, Store
from palimpsest.record.log import Stored
from palimpsest.record.message import ToolResult, searchable_text
from palimpsest.record.summary import Summary
from palimpsest.search.passages import LEAST_TOKENS, cut
from palimpsest.search.query import parse
from palimpsest.search.question import read_question
from palimpsest.search.rank import rank
from palimpsest.search.snippet import snippet
from palimpsest.summarize.names import find_paths

MAX_LIMIT = 1_000
PASSAGE_TOKENS = 2_000
MAX_FILES = 50
MAX_IDS = 1_000
_FILES_CHARS = 4_000


def normal_id(given: str) -> str:
    """An id as the store knows it: bare digits name a message."""
    text = given.strip()
    return f"m{text}" if text.isascii() and text.isdigit() else text


async def grep(
    store: Store, owner: str, conversation: str | None, pattern: str, *, scope: str = "both", limit: int = 20
) -> Hits:
    """Messages and summaries that hold every word of `pattern`; all of the owner's conversations for None.

    Raises UsageError for a pattern with nothing to look for, an unknown scope, or a limit outside 1 to 1,000.
    """
    checked = _scope(scope)
    if not 1 <= limit <= MAX_LIMIT:
        raise UsageError(f"limit cannot be {limit}", hint=f"give a number from 1 to {MAX_LIMIT:,}")
    query = parse(pattern)
    found = await store.search(owner, conversation, query, scope=checked, limit=limit)
    hits = tuple(
        Hit(
            id=one.id,
            kind=one.kind,
            conversation=one.conversation,
            role=one.role,
            time=iso_time(one.time_s),
            rank=one.rank,
            depth=one.depth,
            snippet=snippet(one.text, query),
            tokens=one.tokens,
            covers=one.covers,
        )
        for one in found.hits
    )
    return Hits(found.total, hits)


def _scope(scope: str) -> SearchScope:
    match scope:
        case "summary" | "message" | "both":
            return scope
        case _:
            raise UsageError(f"scope cannot be {scope!r}", hint="choose one of summary, message, both")


async def search(
    store: Store,
    owner: str,
    conversation: str | None,
    question: str,
    *,
    limit: int = 10,
    budget_tokens: int = PASSAGE_TOKENS,
    now_s: float | None = None,
) -> Passages:
    """Passages that may answer a question, best first: at most `limit`, in at most `budget_tokens` together.

    "Last week" in the question counts from `now_s`. Raises UsageError for a question without a word, a limit outside 1
    to 1,000 or a budget too small for any passage.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise UsageError(f"limit cannot be {limit}", hint=f"give a number from 1 to {MAX_LIMIT:,}")
    if budget_tokens < LEAST_TOKENS:
        raise UsageError(
            f"a budget of {budget_tokens} tokens holds no passage", hint=f"give at least {LEAST_TOKENS}"
        )
    asked = read_question(question, now_s)
    pool = await store.recall(owner, conversation, [one.forms for one in asked.concepts])
    best = rank(asked, pool)[:limit]
    return Passages(
        tuple(
            Passage(
                id=one.ranked.candidate.id,
                kind=one.ranked.candidate.kind,
                conversation=one.ranked.candidate.conversation,
                score=round(one.ranked.score, 4),
                text=one.text,
                tokens=one.tokens,
                role=one.ranked.candidate.role,
                time=iso_time(one.ranked.candidate.time_s),
            )
            for one in cut(asked, best, pool.found, budget_tokens, count_text, iso_time)
        )
    )


async def read(
    store: Store, owner: str, conversation: str | None, ids: Iterable[str]
) -> list[tuple[str, Stored | Summary]]:
    """(conversation, message or summary) for each id, in order; those of one conversation, or of any for None.

    Raises NotFound naming the unknown ones.
    """
    wanted = [normal_id(one) for one in ids]
    if not wanted:
        raise UsageError("no id was given", hint="give ids such as m12 or s3, as grep prints them")
    if len(wanted) > MAX_IDS:
        raise UsageError(f"{len(wanted):,} ids were given", hint=f"give at most {MAX_IDS:,} at a time")
    everything = await store.read(owner, wanted)
    found = {key: one for key, one in everything.items() if conversation is None or one[0] == conversation}
    unknown = [one for one in wanted if one not in found]
    if unknown:
        raise NotFound(
            f"no message or summary {', '.join(unknown[:5])}",
            hint="ids look like m12 or s3; grep and show print them",
        )
    return [found[one] for one in wanted]


async def expand(
    store: Store,
    owner: str,
    conversation: str | None,
    ids: Iterable[str],
    *,
    include_results: bool = True,
    to_messages: bool = False,
) -> list[Entry]:
    """Messages in full; summaries as what they were made from, one level down or (`to_messages`) to the messages.

    With `include_results` off, what tool results hold is left out and said so. Raises NotFound for an unknown id.
    """
    entries: list[Entry] = []
    for home, one in await read(store, owner, conversation, ids):
        if isinstance(one, Stored):
            entries.append(_entry(home, one, include_results))
        else:
            for place, child in await _children(store, owner, one, to_messages):
                entries.append(_entry(place, child, include_results))
    return entries


async def _children(
    store: Store, owner: str, summary: Summary, to_messages: bool
) -> list[tuple[str, Stored | Summary]]:
    """What a summary was made from, in order; opened down to the messages on request."""
    pending = list(await _sources(store, owner, summary))[::-1]
    found: list[tuple[str, Stored | Summary]] = []
    while pending:
        conversation, one = pending.pop()
        if to_messages and isinstance(one, Summary):
            pending.extend(list(await _sources(store, owner, one))[::-1])
        else:
            found.append((conversation, one))
    return found


async def _sources(store: Store, owner: str, summary: Summary) -> Sequence[tuple[str, Stored | Summary]]:
    found = await store.read(owner, summary.sources)
    return [found[source] for source in summary.sources if source in found]


def _entry(conversation: str, one: Stored | Summary, include_results: bool) -> Entry:
    if isinstance(one, Summary):
        return Entry(
            one.id,
            "summary",
            conversation,
            "",
            iso_time(one.latest_s),
            one.text,
            (),
            one.sources,
            one.tokens,
            one.depth,
        )
    message = one.message
    parts = message.parts
    if not include_results:
        parts = tuple(
            ToolResult(part.call_id, (), part.is_error, part.extra) if isinstance(part, ToolResult) else part
            for part in parts
        )
    text = message.text or "\n".join(
        part.text for part in parts if isinstance(part, ToolResult) and part.text
    )
    if not include_results and message.results:
        text = f"{text}\n[results left out]".strip()
    return Entry(
        one.id, "message", conversation, message.role, iso_time(message.time_s), text, parts, (), one.tokens
    )


async def describe(store: Store, owner: str, conversation: str | None, given: str) -> Outline:
    """What lies under an id: time span, counts, files, and the cost of reading each level. Raises NotFound."""
    ((home, one),) = await read(store, owner, conversation, [given])
    if isinstance(one, Stored):
        when = iso_time(one.message.time_s)
        files = tuple(islice(_files([one]), MAX_FILES))
        return Outline(one.id, "message", home, 0, when, when, 1, {0: one.tokens}, files, ())
    tokens: dict[int, int] = {}
    messages: list[Stored] = []
    pending: list[Stored | Summary] = [one]
    while pending:
        node = pending.pop()
        if isinstance(node, Summary):
            tokens[node.depth + 1] = tokens.get(node.depth + 1, 0) + node.tokens
            pending.extend([child for _, child in await _sources(store, owner, node)][::-1])
        else:
            messages.append(node)
    tokens[0] = sum(message.tokens for message in messages)
    return Outline(
        id=one.id,
        kind="summary",
        conversation=home,
        depth=one.depth,
        first_time=iso_time(one.earliest_s),
        last_time=iso_time(one.latest_s),
        messages=len(messages),
        tokens_by_level=dict(sorted(tokens.items())),
        files=tuple(islice(_files(messages), MAX_FILES)),
        children=one.sources,
    )


def _files(messages: Iterable[Stored]) -> Iterable[str]:
    """Paths named in the messages, each once, in order: those of calls, and of the beginning of everything else."""
    seen: set[str] = set()
    for one in messages:
        for path in find_paths(searchable_text(one.message)[:_FILES_CHARS]):
            if path not in seen:
                seen.add(path)
                yield path
