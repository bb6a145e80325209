"""Hits as passages for a model: each with a little of what stands around it, all of them under a token budget.

A passage's lines are messages in order, each with who said it, the hit under its id and its neighbours behind theirs; a
time stands where it is known, and that an edit or a rewind of the history left the hit behind. The hit itself is cut
around its best part if it is long, its neighbours to their beginnings. A message that is a hit of its own is no other
hit's context.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest.search.question import Question
from palimpsest.search.ranking import Ranked
from palimpsest.search.retrieval_candidates import Candidate
from palimpsest.search.snippet import searched
from palimpsest.search.word_folding import spaced
from palimpsest.text.cut import safe_end

HIT_CHARS = 1_200
CONTEXT_CHARS = 240
LEAST_TOKENS = 24
"""A passage is not cut to fewer tokens than that: it is left out."""

OUTDATED = ", left behind by an edit"
_MAX_CUTS = 12


@dataclass(frozen=True, slots=True)
class Cut:
    """A hit as it is shown, with the tokens of that text."""

    ranked: Ranked
    text: str
    tokens: int


def cut(
    question: Question,
    ranked: Sequence[Ranked],
    around: Sequence[Candidate],
    budget_tokens: int,
    count: Callable[[str], int],
    when: Callable[[float | None], str],
) -> list[Cut]:
    """The hits as passages, best first, while `budget_tokens` last; what does not fit even when cut is left out."""
    place = {(one.branch, one.seq): one for one in around if one.kind == "message"}
    hits = {one.candidate.id for one in ranked}
    phrases = phrases_of(question)
    made: list[Cut] = []
    left = budget_tokens
    for one in ranked:
        text = _fitting(one.candidate, place, hits, phrases, left, count, when)
        if text:
            made.append(Cut(one, text, count(text)))
            left -= made[-1].tokens
    return made


def phrases_of(question: Question) -> tuple[str, ...]:
    """What a hit is cut around: every form of every word, each once."""
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
    """The passage of a hit with its context, without it, or cut to what is left; "" where that is too little."""
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
            found = found or searched(hit.text, phrases)
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
    """The message on one side of a hit, past those that say nothing; None where it is not known."""
    seq = hit.seq + step
    while (one := place.get((hit.branch, seq))) is not None and not one.says_something:
        seq += step
    return one


def _line(one: Candidate, text: str) -> str:
    return f"{one.name or one.role or one.kind}: {text.strip()}"


def _clip(text: str, size: int) -> str:
    return text if len(text) <= size else text[: safe_end(text, size)].rstrip() + "…"
