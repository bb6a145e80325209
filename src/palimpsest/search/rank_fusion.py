"""One ranking out of two. By words and by vectors, places are added up: the scores of the two mean different things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from palimpsest.search.ranking import Ranked
    from palimpsest.search.retrieval_candidates import Pool

Key = TypeVar("Key")

STEEPNESS = 20
"""How little the first ranks count beside later ones (reciprocal rank fusion)."""

VECTOR_SHARE = 0.4
"""What a rank by vectors counts for, against one by words: by a small model of sentences, alone, half as much is found
as by words."""

_BEHIND = 0.99
"""The best rank of what comes behind, as a share of the worst of what comes first."""


def fuse(ranked: list[Ranked], near: Sequence[str], pool: Pool) -> list[Ranked]:
    """The candidates by both ranks, best first; as they are where nothing was found by vectors. `near` are ids, nearest
    first; those that the pool does not hold are passed over. Scores lie between 0 and 1.
    """
    if not near:
        return ranked
    from palimpsest.search.ranking import Ranked

    most = (1 + VECTOR_SHARE) / (STEEPNESS + 1)
    scores: dict[str, float] = {}
    for place, one in enumerate(ranked, 1):
        scores[one.candidate.id] = 1 / (STEEPNESS + place)
    for place, one in enumerate(near, 1):
        scores[one] = scores.get(one, 0.0) + VECTOR_SHARE / (STEEPNESS + place)
    found = [Ranked(one, scores[one.id] / most) for one in pool.found if one.id in scores]
    return sorted(found, key=lambda one: (-one.score, -one.candidate.seq, one.candidate.id))


def behind(ahead: dict[Key, float], rest: dict[Key, float]) -> dict[Key, float]:
    """BM25 ranks in which all of the first come before the rest, each in its own order: those of the rest are scaled to
    lie behind the last of the former, and before 0.
    """
    if not ahead or not rest:
        return ahead | rest
    worst, best = max(ahead.values()), min(rest.values())
    return ahead | {one: _BEHIND * worst * (rank / best) if best else 0.0 for one, rank in rest.items()}
