"""Hits as passages for a model: each with some of its neighbours, under one token budget.

- A passage has messages in order, each with its speaker; the hit has its id. Known times are shown, and so is a hit
  on an abandoned branch.
- A long hit is cut around its best part, its neighbours to their beginnings. A message that is a hit itself is not
  shown as another one's neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest.search.question import Question
from palimpsest.search.ranking import Ranked
from palimpsest.search.retrieval_candidates import Candidate
from palimpsest.search.snippet import locate
from palimpsest.search.word_folding import spaced
from palimpsest.text.cut import safe_end

HIT_CHARS = 1_200
CONTEXT_CHARS = 240
LEAST_TOKENS = 24
"""A passage is not cut to fewer tokens: it is left out."""

OUTDATED = ", left behind by an edit"
_MAX_CUTS = 12


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit as shown, with the tokens of that text."""

    ranked: Ranked
    text: str
    tokens: int


def make_passages(
    question: Question,
    ranked: Sequence[Ranked],
    around: Sequence[Candidate],
    budget_tokens: int,
    count: Callable[[str], int],
    when: Callable[[float | None], str],
) -> list[Passage]:
    """Return the hits as passages, best first, within `budget_tokens`; what does not fit even when cut is left out."""
    place = {(one.branch, one.seq): one for one in around if one.kind == "message"}
    hits = {one.candidate.id for one in ranked}
    phrases = phrases_of(question)
    made: list[Passage] = []
    left = budget_tokens
    for one in ranked:
        text = _fitting(one.candidate, place, hits, phrases, left, count, when)
        if text:
            made.append(Passage(one, text, count(text)))
            left -= made[-1].tokens
    return made


def phrases_of(question: Question) -> tuple[str, ...]:
    """Return what a hit is cut around: every form of every word, once."""
    forms = (spaced(form) for concept in question.concepts for form in concept.forms)
    return tuple(dict.fromkeys(form for form in forms if form))


def _fitting(
    hit: Candidate,
    place: dict[tuple[int, int], Candidate],
    hits: set[str],
    phrases: Sequence[str],
    left: int,
    count: Callable[[str], int],
    when: Callable[[float | None], str],
) -> str:
    """Return the passage of a hit with its context, without it, or cut; "" if too little room is left."""
    if left < LEAST_TOKENS:
        return ""
    near = {}
    if hit.kind == "message":
        near = {step: _beside(hit, step, place) for step in (-1, 1)}
    lines = {
        step: f"{one.id} {_line(one, _clip(one.text, CONTEXT_CHARS))}"
        for step, one in near.items()
        if one and one.id not in hits and (one.current or not hit.current)
    }
    time = f" {when(hit.time_s)}" if hit.time_s is not None else ""
    head = f"[{hit.id}{time}{'' if hit.current else OUTDATED}]"
    size = HIT_CHARS
    found = None
    for tries in range(_MAX_CUTS):
        said = hit.text
        if len(hit.text) > size:
            found = found or locate(hit.text, phrases)
            said = found.cut(size, ("", ""))
        around = [lines[-1]] if -1 in lines and not tries else []
        after = [lines[1]] if 1 in lines and not tries else []
        text = "\n".join([head, *around, _line(hit, said), *after])
        if count(text) <= left:
            return text
        size = min(size, len(hit.text)) * 2 // 3 if tries else size
        if size < 40:
            break
    return ""


def _beside(hit: Candidate, step: int, place: dict[tuple[int, int], Candidate]) -> Candidate | None:
    """Return the non-empty message on one side of a hit; None if it is unknown."""
    seq = hit.seq + step
    while (one := place.get((hit.branch, seq))) is not None and not one.says_something:
        seq += step
    return one


def _line(one: Candidate, text: str) -> str:
    return f"{one.name or one.role or one.kind}: {text.strip()}"


def _clip(text: str, size: int) -> str:
    return text if len(text) <= size else text[: safe_end(text, size)].rstrip() + "…"
