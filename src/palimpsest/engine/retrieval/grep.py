"""Finding by pattern what left the window, within one conversation or over all of an owner's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.engine.input_limits import checked_limit, checked_words
from palimpsest.engine.reports import Hit, Hits
from palimpsest.record.message import as_shown
from palimpsest.record.times import iso_time
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.query_grammar import Query, leaves, parse
from palimpsest.search.snippet import snippet

if TYPE_CHECKING:
    from palimpsest.ports import Found, Store

Mark = tuple[str, str]
BRACKETS: Mark = ("[", "]")


async def grep(
    store: Store,
    owner: str,
    conversation: str | None,
    pattern: str,
    where: Where = ANYWHERE,
    limit: int = 20,
    *,
    mark: Mark = BRACKETS,
) -> Hits:
    """What `pattern` asks for; in all of the owner's conversations for None. Snippets have matches between `mark`s.

    Raises UsageError for a pattern with nothing to look for, or a limit outside 1 to 1,000.
    """
    query = parse(checked_words(pattern, "pattern"))
    found = await store.search(owner, conversation, query, where=where, limit=checked_limit(limit))
    unknown = () if found.total else await _unknown(store, owner, conversation, query)
    hits = tuple(_hit(one, query, mark) for one in found.hits)
    leaves_out = not any(wanted for _, wanted in leaves(query.root))
    return Hits(found.total, hits, found.complete, found.weighed, unknown, leaves_out, found.left_out)


def _hit(one: Found, query: Query, mark: Mark) -> Hit:
    return Hit(
        id=one.id,
        kind=one.kind,
        conversation=one.conversation,
        role=one.role,
        time=iso_time(one.time_s),
        rank=one.rank,
        depth=one.depth,
        snippet=snippet(as_shown(one.text), query.phrases, mark=mark),
        tokens=one.tokens,
        covers=one.covers,
        first_id=one.first_id,
        last_id=one.last_id,
        current=one.current,
        expand_tokens=one.expand_tokens,
    )


async def _unknown(store: Store, owner: str, conversation: str | None, query: Query) -> tuple[str, ...]:
    """What was typed of the words that find nothing by themselves, whoever said it and whenever."""
    terms = {term.typed: term for term, wanted in leaves(query.root) if wanted}
    return tuple(
        [
            typed
            for typed, term in terms.items()
            if not (await store.search(owner, conversation, Query(term), limit=1)).total
        ]
    )
