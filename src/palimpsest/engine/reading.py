"""Reading back what left the window: messages in full, summaries as their sources, and what either costs.

Every read goes through the store with an owner, and stays with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from palimpsest.budget.assemble import iso_time
from palimpsest.engine.reports import Entry, Outline
from palimpsest.errors import NotFound, UsageError
from palimpsest.ports import Store
from palimpsest.record.log import Stored
from palimpsest.record.message import ToolResult, searchable_text
from palimpsest.record.summary import Summary
from palimpsest.summarize.names import find_paths

MAX_FILES = 50
MAX_IDS = 1_000
_FILES_CHARS = 4_000


def normal_id(given: str) -> str:
    """An id as the store knows it: bare digits name a message."""
    text = given.strip()
    return f"m{text}" if text.isascii() and text.isdigit() else text


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
