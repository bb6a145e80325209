"""Ranking of what may answer a question: values in, values out.

A score is the sum of a text's features, weighted by `weights.WEIGHTS`. No weight is negative: a feature that speaks
against a message in one kind of conversation speaks for it in another.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import mul

import msgspec

from palimpsest.search.calendar_ranges import day_of
from palimpsest.search.features import features
from palimpsest.search.question import Question, words_of
from palimpsest.search.retrieval_candidates import Candidate, CandidatePool
from palimpsest.search.weights import FEATURES, WEIGHTS

REPEATED_SHARE, ALIKE_SHARE = 0.9, 0.6
MOST_ALIKE = 3
VARIED_TO = 30
COMPARED_CHARS = 1_000
"""A hit that shares this much of its first words with a better one, or less with several, moves behind the others;
only the first hits are compared.
"""

SUMMARY_SHARE = 0.9
"""The weight of a summary's score: the messages below it say the same in full."""

LEFT_SHARE = 0.95
"""The weight of a score on an abandoned branch, whose replacement mostly says nearly the same."""


class Ranked(msgspec.Struct, frozen=True, gc=False):
    """A candidate and its score: higher is better, comparable within one question only."""

    candidate: Candidate
    score: float


def rank(question: Question, pool: CandidatePool, weights: Mapping[str, float] = WEIGHTS) -> list[Ranked]:
    """Return the candidates by score, best first; among equals current ones, then later ones. Candidates without any
    of the question, also in their neighbours, are left out, and so are empty ones.
    """
    spoken = [one for one in pool.found if one.says_something]
    table = features(question, replace(pool, found=_closed_up(pool.found)))
    used = [weights[name] for name in FEATURES]
    scored: list[Ranked] = []
    for candidate, row in zip(spoken, table, strict=True):
        if row is not None:
            scored.append(Ranked(candidate, sum(map(mul, used, row)) * _share(candidate)))
    scored.sort(key=_order)
    return _varied(_by_turns(scored) if question.only_time else scored)


def _by_turns(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the best of every day, then the second best, and so on, for a question that only names a time."""
    met: dict[int | None, int] = defaultdict(int)
    rounds: list[tuple[int, int]] = []
    for place, one in enumerate(ranked):
        day = day_of(one.candidate.time_s) if one.candidate.time_s is not None else None
        rounds.append((met[day], place))
        met[day] += 1
    return [ranked[place] for _, place in sorted(rounds)]


def _closed_up(found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the non-empty ones, at positions without the others."""
    silent: dict[int, list[int]] = defaultdict(list)
    for one in found:
        if not one.says_something:
            silent[one.branch].append(one.seq)
    for places in silent.values():
        places.sort()
    return tuple(
        msgspec.structs.replace(one, seq=one.seq - bisect(silent[one.branch], one.seq))
        if one.branch in silent
        else one
        for one in found
        if one.says_something
    )


def _share(candidate: Candidate) -> float:
    """Return the weight of a candidate's score."""
    return (SUMMARY_SHARE if candidate.kind == "summary" else 1.0) * (
        1.0 if candidate.current else LEFT_SHARE
    )


def _order(one: Ranked) -> tuple[float, bool, int, str]:
    return -one.score, not one.candidate.current, -one.candidate.seq, one.candidate.id


def _varied(ranked: list[Ranked]) -> list[Ranked]:
    """Return the ranking with texts that repeat better ones moved behind the first hits."""
    kept: list[Ranked] = []
    repeated: list[Ranked] = []
    sets: list[set[str]] = []
    for one in ranked[:VARIED_TO]:
        words = {word for word in words_of(one.candidate.text[:COMPARED_CHARS]) if len(word) > 2}
        shares = [_shared(words, other) for other in sets]
        again = max(shares, default=0.0) >= REPEATED_SHARE
        again = again or sum(share >= ALIKE_SHARE for share in shares) >= MOST_ALIKE
        (repeated if again else kept).append(one)
        sets.append(words)
    return kept + repeated + ranked[VARIED_TO:]


def _shared(words: set[str], other: set[str]) -> float:
    """Return the share of words that two texts have in common; 0 if it is surely less than `ALIKE_SHARE`."""
    if min(len(words), len(other)) < ALIKE_SHARE * max(len(words), len(other), 1):
        return 0.0
    shared = len(words & other)
    return shared / max(1, len(words) + len(other) - shared)
