"""Texts that may answer a question, found in plain structures by looking at everything."""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.record.message import searchable_text
from palimpsest.search.rank import Candidate, Pool
from palimpsest.stores.memory_log import Memory, WordIndex
from palimpsest.stores.words import COMMON_HITS, any_form, recall_expression, stretches


def recall(
    memory: Memory, index: WordIndex, owner: str, conversation: str | None, words: Sequence[Sequence[str]], limit: int
) -> Pool:
    """See `Store.recall`."""
    talks = [talk for talk in memory.talks if talk.owner == owner and conversation in {None, talk.name}]
    known = {
        one.id: (line.branch.id, one.seq)
        for talk in talks
        for line in talk.lines
        for one in line.messages
        if one.seq > line.branch.fork_seq
    }
    holding = tuple(
        min(COMMON_HITS, sum(one in known for one, _ in index.matched_by(any_form(forms)))) for forms in words
    )
    found: list[Candidate] = []
    if asked := recall_expression(words, holding):
        best = [known[one] for one, _ in index.matched_by(asked) if one in known][:limit]
        at = {place: one for one, place in known.items()}
        for branch_id, first, last in stretches(best):
            around = [at[branch_id, seq] for seq in range(first, last + 1) if (branch_id, seq) in at]
            found += [_message(memory, branch_id, one) for one in around]
    if anything := " OR ".join(any_form(forms) for forms in words):
        made = {one for one, (talk, _) in memory.summaries.items() if talk in talks}
        best = [one for one, _ in index.matched_by(anything) if one in made][:limit]
        found += [_summary(memory, one) for one in best]
    return Pool(len(known), holding, tuple(found))


def _message(memory: Memory, branch_id: int, public_id: str) -> Candidate:
    talk, _, stored = memory.messages[public_id]
    said = stored.message
    text = searchable_text(said)
    who = (said.role, said.name, said.time_s)
    return Candidate(public_id, "message", talk.name, branch_id, stored.seq, *who, text, stored.tokens)


def _summary(memory: Memory, public_id: str) -> Candidate:
    talk, one = memory.summaries[public_id]
    return Candidate(public_id, "summary", talk.name, 0, one.last, "", "", one.latest_s, one.text, one.tokens)
