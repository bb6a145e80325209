"""Texts that may answer a question, found in plain structures by looking at everything."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from palimpsest.record.message import Message, readable_text
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.retrieval_candidates import Candidate, CandidatePool
from palimpsest.stores.candidate_choice import (
    COMMON_HITS,
    MOST_THERE,
    any_form,
    best_candidates,
    candidates_of_scope,
    empty_positions,
    evenly_spaced,
    merged,
    neighbour_ranges,
    ranked_count,
    ranked_summaries,
    texts_per_word,
)
from tests.reference_store.log import Memory, WordIndex, is_current


def recall(
    memory: Memory,
    index: WordIndex,
    owner: str,
    conversation: str | None,
    words: Sequence[Sequence[str]],
    limit: int,
    also: Sequence[str] = (),
    where: Where = ANYWHERE,
) -> CandidatePool:
    """See `Store.recall`."""
    talks = [talk for talk in memory.talks if talk.owner == owner and conversation in {None, talk.name}]
    known = {
        one.id: (line.branch.id, one.seq)
        for talk in talks
        for line in talk.lines
        for one in line.messages
        if one.seq > line.branch.fork_seq
    }
    total, most = len(known), ranked_count(len(known), limit, len(memory.messages))
    inside = {one for one in known if _holds(where, memory.messages[one][2].message)}
    postings = [_newest(index, forms, inside, COMMON_HITS) for forms in words]
    counts = texts_per_word(postings, total)
    newest = sorted((int(one[1:]) for one in inside), reverse=True)[:MOST_THERE]
    numbers = candidates_of_scope(postings, counts, total, most) if words else evenly_spaced(newest, most)
    best = [known[f"m{one}"] for one in numbers]
    best += [place for one in also if (place := known.get(one)) is not None and place not in best]
    at = {place: one for one, place in known.items()}
    found = _around(memory, at, best)
    if quiet := empty_positions(found):
        found = merged(found, _around(memory, at, quiet))
    made = {
        public_id
        for public_id, (talk, one) in memory.summaries.items()
        if talk in talks and where.holds("", one.earliest_s, one.latest_s)
    }
    summaries = [_newest(index, forms, made, COMMON_HITS) for forms in words]
    covering = best_candidates(summaries, texts_per_word(summaries, total), total, ranked_summaries(most))
    return CandidatePool(total, counts, tuple(found + [_summary(memory, f"s{one}") for one in covering]))


def _around(
    memory: Memory, at: Mapping[tuple[int, int], str], places: Sequence[tuple[int, int]]
) -> list[Candidate]:
    """The messages at these places (branch, position), and around them."""
    return [
        _message(memory, branch_id, at[branch_id, seq])
        for branch_id, first, last in neighbour_ranges(places)
        for seq in range(first, last + 1)
        if (branch_id, seq) in at
    ]


def _newest(index: WordIndex, forms: Sequence[str], known: Collection[str], limit: int) -> list[int]:
    """The numbers of the newest texts that hold a word, newest first."""
    held = (one for one, _ in index.matched_by(any_form(forms)) if one in known)
    return sorted((int(one[1:]) for one in held), reverse=True)[:limit]


def _holds(where: Where, said: Message) -> bool:
    return where.holds(said.role, said.time_s, said.time_s)


def _message(memory: Memory, branch_id: int, public_id: str) -> Candidate:
    talk, _, stored = memory.messages[public_id]
    said = stored.message
    text = readable_text(said)
    who = (said.role, said.name, said.time_s)
    current = is_current(talk, stored.seq, public_id)
    return Candidate(
        public_id, "message", talk.name, branch_id, stored.seq, *who, text, stored.tokens, current
    )


def _summary(memory: Memory, public_id: str) -> Candidate:
    talk, one = memory.summaries[public_id]
    last = memory.made_on[public_id].messages[one.last - 1]
    said = ("", "", one.latest_s, one.text, one.tokens)
    return Candidate(public_id, "summary", talk.name, 0, one.last, *said, is_current(talk, one.last, last.id))
