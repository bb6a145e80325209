"""Merging two rankings, by words and by vectors. Ranks are added, because the scores are not comparable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from palimpsest.search.ranking import Ranked
    from palimpsest.search.retrieval_candidates import CandidatePool

Key = TypeVar("Key")

STEEPNESS = 20
"""How little the first ranks differ from later ones (reciprocal rank fusion)."""

VECTOR_SHARE = 0.4
"""The weight of a rank by vectors: a small sentence model alone finds half as much as words."""

_BEHIND = 0.99
"""The best rank of the second group, as a share of the worst of the first."""


def fuse(ranked: list[Ranked], near: Sequence[str], pool: CandidatePool) -> list[Ranked]:
    """Return the candidates by both ranks, best first; unchanged if there are no vectors. `near` are ids, nearest
    first; those outside the pool are skipped. Scores lie between 0 and 1.
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


def ranked_behind(ahead: dict[Key, float], rest: dict[Key, float]) -> dict[Key, float]:
    """Return BM25 ranks with all of the first group before the second, each in its own order: the second is scaled to
    lie behind the first, and before 0.
    """
    if not ahead or not rest:
        return ahead | rest
    worst, best = max(ahead.values()), min(rest.values())
    return ahead | {one: _BEHIND * worst * (rank / best) if best else 0.0 for one, rank in rest.items()}
