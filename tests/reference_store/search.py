"""Finding by pattern in plain structures: every text is held against the query, as other stores are compared with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from palimpsest.budget.token_counts import text_tokens
from palimpsest.ports import Found, FoundAll
from palimpsest.record.message import out_of_search, searchable_text
from palimpsest.search.filters import Where
from palimpsest.search.query_grammar import Query, Term, leaves, with_literal_names, with_literal_signs
from palimpsest.search.query_matching import Body, inside, matches
from palimpsest.search.rank_fusion import ranked_behind
from palimpsest.search.word_folding import stemmed
from palimpsest.stores.codec import storable
from tests.reference_store.log import Memory, Talk, is_current

_K1, _B = 1.2, 0.75


def search(
    memory: Memory, owner: str, conversation: str | None, query: Query, where: Where, limit: int
) -> FoundAll:
    """See `Store.search`."""
    talks = [talk for talk in memory.talks if talk.owner == owner and conversation in {None, talk.name}]
    bodies = {one.id: Body.of(storable(one.text)) for one, _ in _texts(memory, talks)}
    found = [
        one
        for one, earliest_s in _texts(memory, talks)
        if where.scope in {"both", one.kind}
        and where.holds(one.role, earliest_s, one.time_s)
        and matches(query.root, bodies[one.id])
    ]
    ranks = _ranks(query, {one: body for one, body in bodies.items() if one[0] == "m"})
    ranks |= _ranks(query, {one: body for one, body in bodies.items() if one[0] == "s"})
    ranks = {one.id: ranks[one.id] for one in found}
    written = {
        word for one, _ in _texts(memory, memory.talks) for word in Body.of(storable(one.text)).words.split()
    }

    def are_words(words: str) -> bool:
        return written.issuperset(words.split(" "))

    for typed in (with_literal_names(query.root, are_words), with_literal_signs(query.root, are_words)):
        ahead = {one: rank for one, rank in ranks.items() if matches(typed, bodies[one])}
        ranks = ranked_behind(ahead, {one: rank for one, rank in ranks.items() if one not in ahead})
    ranked = [replace(one, rank=ranks[one.id]) for one in found]
    ranked.sort(key=lambda one: (one.rank, one.kind, -int(one.id[1:])))
    return FoundAll(len(found), tuple(ranked[:limit]), complete=True, weighed=len(found))


def _texts(memory: Memory, talks: list[Talk]) -> Iterator[tuple[Found, float | None]]:
    """Every message and summary as a hit without a rank, with when the first of it was said."""
    for public_id, (talk, _, stored) in memory.messages.items():
        said = stored.message
        if talk in talks and not out_of_search(said):
            yield (
                Found(
                    public_id, "message", talk.name, said.role, said.time_s, 0.0, 0, searchable_text(said),
                    stored.tokens, 1, public_id, public_id, is_current(talk, stored.seq, public_id),
                    text_tokens(said, stored.tokens),
                ),
                said.time_s,
            )  # fmt: skip
    for public_id, (talk, one) in memory.summaries.items():
        if talk in talks:
            line = memory.made_on[public_id]
            first, last = line.messages[one.first - 1], line.messages[one.last - 1]
            yield (
                Found(
                    public_id, "summary", talk.name, "", one.latest_s, 0.0, one.depth, one.text, one.tokens,
                    one.covers, first.id, last.id, is_current(talk, one.last, last.id),
                    sum(_tokens(memory, source) for source in one.sources),
                ),
                one.earliest_s,
            )  # fmt: skip


def _tokens(memory: Memory, public_id: str) -> int:
    """What reading a source of a summary costs; a dropped range is no text."""
    if public_id in memory.messages:
        return memory.messages[public_id][2].tokens
    return memory.summaries[public_id][1].tokens if public_id in memory.summaries else 0


def _ranks(query: Query, bodies: dict[str, Body]) -> dict[str, float]:
    """BM25 of each text, the lower the better; a place inside a word weighs a tenth of a word."""
    lengths = {one: body.words.count(" ") for one, body in bodies.items()}
    mean = sum(lengths.values()) / max(1, len(lengths)) or 1.0
    ranks = dict.fromkeys(bodies, 0.0)
    for term in {term for term, wanted in leaves(query.root) if wanted}:
        counts = {one: _count(term, body) for one, body in bodies.items()}
        holding = sum(count > 0 for count in counts.values())
        weight = max(1e-6, math.log((len(bodies) - holding + 0.5) / (holding + 0.5)))
        for one, count in counts.items():
            length = _K1 * (1 - _B + _B * lengths[one] / mean)
            ranks[one] -= weight * count * (_K1 + 1) / (count + length)
    return ranks


def _count(term: Term, body: Body) -> float:
    whole = body.stems.count(f" {stemmed(term.words)} ") if term.whole else 0
    return whole or (0.1 if term.inner and inside(term, body) else 0.0)
