"""Answer a question with passages, from one conversation or from all of an owner's."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.input_limits import checked_budget, checked_limit, checked_text
from palimpsest.engine.reports import Passage, Passages
from palimpsest.limits import PASSAGE_TOKENS
from palimpsest.ports import Store
from palimpsest.record.times import iso_time
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.passages import LEAST_TOKENS, make_passages
from palimpsest.search.question import Question, read_question
from palimpsest.search.rank_fusion import fuse
from palimpsest.search.ranking import Ranked, rank
from palimpsest.search.retrieval_candidates import Candidate

if TYPE_CHECKING:
    from palimpsest.engine.retrieval.embeddings import Embedding

MAX_TIMES = 3
"""Times named in a question that are searched separately."""

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Candidates:
    """What may answer a question, best first, with the messages around it. `word_scores` are the scores by words alone:
    a rank by vectors says what is nearest, not whether anything is near. `left_out` texts were not searched.
    """

    question: Question
    ranked: list[Ranked]
    around: tuple[Candidate, ...]
    word_scores: dict[str, float]
    left_out: int


async def candidates(
    store: Store,
    owner: str,
    conversation: str | None,
    question: str,
    *,
    now_s: float | None = None,
    embedding: Embedding | None = None,
    where: Where = ANYWHERE,
) -> Candidates:
    """What may answer a question; "last week" in it counts from `now_s`. Messages outside of `where` are only context.

    Raises UsageError for a question without a word.
    """
    parsed = read_question(checked_text(question, "question"), now_s)
    near = await embedding.nearest(owner, conversation, question, where) if embedding is not None else ()
    words = [one.forms for one in parsed.concepts]
    pool = await store.recall(owner, conversation, words, also=near, where=where)
    for time in _times(parsed, where):
        more = await store.recall(owner, conversation, () if parsed.only_time else words, where=time)
        pool = replace(pool, found=tuple({one.id: one for one in (*pool.found, *more.found)}.values()))
    ranked = rank(parsed, pool)
    word_scores = {one.candidate.id: one.score for one in ranked}
    inside = [one for one in fuse(ranked, near, pool) if _is_inside(where, one.candidate)]
    return Candidates(parsed, inside, pool.found, word_scores, pool.left_out)


def _times(question: Question, where: Where) -> Iterator[Where]:
    """The times that a question names, within `where`; frequent words are otherwise found only in new messages."""
    for first, last in question.asked[:MAX_TIMES]:
        since_s, before_s = first * DAY_S, (last + 1) * DAY_S
        since_s = since_s if where.since_s is None else max(since_s, where.since_s)
        before_s = before_s if where.before_s is None else min(before_s, where.before_s)
        if since_s < before_s:
            yield replace(where, since_s=since_s, before_s=before_s)


def _is_inside(where: Where, one: Candidate) -> bool:
    """Whether a candidate matches `where`; the store returns only matching summaries."""
    return one.kind == "summary" or where.holds(one.role, one.time_s, one.time_s)


async def search(
    store: Store,
    owner: str,
    conversation: str | None,
    question: str,
    *,
    limit: int = 10,
    budget_tokens: int = PASSAGE_TOKENS,
    now_s: float | None = None,
    embedding: Embedding | None = None,
    last_ids: Collection[str] = (),
    where: Where = ANYWHERE,
) -> Passages:
    """Passages that may answer a question, best first: at most `limit`, in at most `budget_tokens` together.

    `embedding` adds what is found by vectors; `last_ids` come after all others. Raises UsageError for a question
    without a word, a limit outside 1 to 1,000, or a budget too small for any passage.
    """
    shown, room_tokens = checked_limit(limit), checked_budget(budget_tokens, LEAST_TOKENS, "no passage")
    found = await candidates(
        store, owner, conversation, question, now_s=now_s, embedding=embedding, where=where
    )
    ranked = sorted(found.ranked, key=lambda one: one.candidate.id in last_ids)
    passages = make_passages(found.question, ranked[:shown], found.around, room_tokens, count_text, iso_time)
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
                current=one.ranked.candidate.current,
                expand_tokens=one.ranked.candidate.tokens,
            )
            for one in passages
        ),
        embedding.failure if embedding is not None else "",
        found.left_out,
    )
