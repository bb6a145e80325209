"""Find messages and summaries by a pattern, in one conversation or in all of an owner's.

Models write patterns as for other tools: `error|exception`, `LNK\\d+`, `useState*`, `timeout and retry`. `translated`
rewrites such a pattern in our grammar, for one that finds nothing as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from palimpsest.engine.input_limits import checked_limit, checked_text
from palimpsest.engine.reports import Hit, Hits
from palimpsest.lazy_regex import later
from palimpsest.record.message import as_shown
from palimpsest.record.times import iso_time
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.query_grammar import Query, leaves, parse
from palimpsest.search.snippet import snippet

if TYPE_CHECKING:
    from palimpsest.ports import Found, Store

Mark = tuple[str, str]
BRACKETS: Mark = ("[", "]")

_DIALECTS = (
    (later(r"\A\s*/(.+)/[a-z]{0,4}\s*\Z", re.DOTALL), r"\1"),
    (later(r"(?<!\S)(?:and|&+)(?!\S)"), "AND"),
    (later(r"(?<!\S)or(?!\S)"), "OR"),
    (later(r"\(\?:"), "("),
    (later(r"\(\?[a-z]{1,5}\)|\\[bBAZ]|[\^$]|\.[*+]\??|\\[sWnrt][*+]?"), " "),
    (later(r"(?:\\[dw]|\[[^\]]{1,80}\])(?:[*+?]|\{[\d,]{1,9}\})?|\*+"), "%"),
    (later(r"\\(\W)"), r"\1"),
    (later(r"\|+"), " OR "),
    (later(r"(?<!\w)%(?!\w)"), " "),
)
_SHORT_WORD = later(r"(?<![^\s(])(?!(?:AND|NOT)\b)\w{3,5}(?![^\s)])")
"""Words that a regular expression would find inside other words."""


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
    """The hits of `pattern`, in all of the owner's conversations for None. Snippets have matches between `mark`s.

    Raises UsageError for a pattern without anything to find, or a limit outside 1 to 1,000.
    """
    query = parse(checked_text(pattern, "pattern"))
    found = await store.search(owner, conversation, query, where=where, limit=checked_limit(limit))
    terms = list(leaves(query.root))
    unknown: list[str] = []
    if not found.total:
        for typed, term in {term.typed: term for term, wanted in terms if wanted}.items():
            if not (await store.search(owner, conversation, Query(term), limit=1)).total:
                unknown.append(typed)
    hits = tuple(_hit(one, query, mark) for one in found.hits)
    only_excludes = not any(wanted for _, wanted in terms)
    return Hits(
        found.total, hits, found.complete, found.weighed, tuple(unknown), only_excludes, found.left_out
    )


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


def translated(pattern: str) -> str:
    """A pattern with alternatives, wildcards or character classes in our grammar; any other as it is."""
    text = pattern
    for dialect, ours in _DIALECTS:
        text = dialect.sub(ours, text)
    return pattern if text == pattern else " ".join(_SHORT_WORD.sub(r"%\g<0>%", text).split())
