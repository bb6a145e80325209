"""Ranking of what may answer a question: values in, values out.

A message is judged by what it says, by what stands around it, and by where, when and by whom it was said. Each of
these is a feature between 0 and about 1; a score is their sum, weighted by `weights.WEIGHTS`. No weight is negative: a
feature that speaks against a message in one kind of conversation speaks for it in another.

What stands around a message counts in proportion to how short the message is: "Yes, last Tuesday" says little by
itself, and a page of prose needs no neighbours.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from palimpsest.search.dates import day_of, names_time, overlaps, spans
from palimpsest.search.question import Question, words_of
from palimpsest.search.stems import stem
from palimpsest.search.weights import FEATURES, WEIGHTS

MAX_SCANNED_CHARS = 20_000
MAX_MATCHES = 30
"""More words of the question in one text are not counted."""

K1 = 1.2
B = 0.4
MEAN_WORDS = 40
"""The length of a text, in words, at which its length neither helps nor harms."""

SHORT_WORDS = 80
"""A text of so many words counts half on what stands around it."""

SESSION_GAP_S = 3_600.0
SESSION_MESSAGES = 16
"""Messages without times are taken for sessions of so many."""

ASKING_CHARS = 200
"""A text asks if a question mark is among its last characters."""

CLOSE_CHARS = 40
"""Two words of the question within so many characters stand close together."""

ECHO_FROM = 5
ECHO_WORDS = 10
ECHO_TO = 60
"""The first so many give the words that the first so many are ranked again by."""

REPEATED_SHARE = 0.9
VARIED_TO = 25
COMPARED_CHARS = 1_000
"""Of the first so many hits, one that shares so much of its words with a better one goes behind the others; words are
those at the beginning.
"""

SUMMARY_SHARE = 0.9
"""What a summary's score counts for: the messages under it say the same in full."""

NAME_SHARE = 0.3
"""What a word counts for that names a speaker or a date: others call them by their names, and dates are read apart."""

_CHARS_PER_WORD = 5.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message or a summary that may answer. `branch` and `seq` are its place; `name` is who said it, where known."""

    id: str
    kind: Literal["message", "summary"]
    conversation: str
    branch: int
    seq: int
    role: str
    name: str
    time_s: float | None
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates with their neighbours. `total` texts were searched; `holding` says how many hold each concept."""

    total: int
    holding: tuple[int, ...]
    found: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate and its score: higher is better, comparable within one question only."""

    candidate: Candidate
    score: float


@dataclass(slots=True)
class _Seen:
    """What a text holds of the question."""

    counts: dict[int, int] = field(default_factory=dict[int, int])
    strength: dict[int, float] = field(default_factory=dict[int, float])
    places: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    words: float = 0.0
    own: float = 0.0
    covered: float = 0.0


def rank(question: Question, pool: Pool, weights: Mapping[str, float] = WEIGHTS) -> list[Ranked]:
    """The candidates by their scores, best first, and the later of two equal ones. Those that hold nothing of the
    question and stand beside nothing that does are left out.
    """
    table = features(question, pool)
    used = [weights[name] for name in FEATURES]
    scored: list[Ranked] = []
    for candidate, row in zip(pool.found, table, strict=True):
        if row is not None:
            score = sum(weight * value for weight, value in zip(used, row, strict=True))
            scored.append(Ranked(candidate, score * (SUMMARY_SHARE if candidate.kind == "summary" else 1.0)))
    scored.sort(key=_order)
    return _varied(_echoed(question, scored, weights["echo"]))


def _order(one: Ranked) -> tuple[float, int, str]:
    return -one.score, -one.candidate.seq, one.candidate.id


def features(question: Question, pool: Pool) -> list[tuple[float, ...] | None]:
    """For each candidate its features in the order of `FEATURES` (`echo` is 0 here), None where nothing is for it."""
    seen, idf, named = _look(question, pool)
    place = {(one.branch, one.seq): number for number, one in enumerate(pool.found) if one.kind == "message"}
    sessions = _sessions(pool.found)
    best = _best_of(sessions, seen)
    talks = _best_of([one.conversation for one in pool.found], seen)
    return [
        _row(
            question,
            pool.found,
            seen,
            idf,
            named,
            place,
            number,
            best[sessions[number]],
            talks[one.conversation],
        )
        for number, one in enumerate(pool.found)
    ]


def _look(question: Question, pool: Pool) -> tuple[list[_Seen], list[float], dict[str, bool]]:
    """What each text holds, the weight of each concept, and the speakers there are: whether the question names them."""
    speakers = {one.name.lower() for one in pool.found if one.name}
    asked = {concept.word for concept in question.concepts}
    named = {name: bool(asked.intersection(words_of(name))) for name in speakers}
    name_words = {word for name in speakers for word in words_of(name)}
    idf = [
        math.log(1 + (pool.total - count + 0.5) / (count + 0.5))
        * (NAME_SHARE if concept.word in name_words or concept.dates else 1.0)
        for concept, count in zip(question.concepts, pool.holding, strict=True)
    ]
    whole = sum(idf) or 1.0
    matcher, index = _matcher(question)
    seen = [_scan(one.text, matcher, index) for one in pool.found]
    for one in seen:
        norm = K1 * (1 - B + B * one.words / MEAN_WORDS)
        held = [(idf[concept] * one.strength[concept], tf) for concept, tf in one.counts.items()]
        one.own = sum(value * tf * (K1 + 1) / (tf + norm) for value, tf in held) / whole
        one.covered = sum(value for value, _ in held) / whole
    return seen, [value / whole for value in idf], named


def _matcher(question: Question) -> tuple[re.Pattern[str], dict[str, list[tuple[int, float]]]]:
    """Finds words that may be of the question; and which concept a stem counts for, and how much."""
    index: dict[str, list[tuple[int, float]]] = defaultdict(list)
    starts: set[str] = set()
    wide: set[str] = set()
    for number, concept in enumerate(question.concepts):
        for one, weight in concept.stems:
            index[one].append((number, weight))
            (starts if one.isascii() else wide).add(one)
        starts.update(form for form in concept.forms if form.isascii())
    prefixes = {one[:-1] if len(one) > 3 and one[-1] in "iey" else one for one in starts}
    parts = [rf"\b(?:{'|'.join(map(re.escape, sorted(prefixes)))})[a-z0-9]*"] if prefixes else []
    parts += [re.escape(one) for one in sorted(wide)]
    return re.compile("|".join(parts)), index


def _scan(text: str, matcher: re.Pattern[str], index: Mapping[str, list[tuple[int, float]]]) -> _Seen:
    seen = _Seen(words=max(1.0, len(text) / _CHARS_PER_WORD))
    scanned = text[:MAX_SCANNED_CHARS].lower().replace("_", " ")
    for match in islice(matcher.finditer(scanned), MAX_MATCHES):
        for concept, weight in index.get(stem(match[0]), ()):
            seen.counts[concept] = seen.counts.get(concept, 0) + 1
            seen.strength[concept] = max(weight, seen.strength.get(concept, 0.0))
            seen.places.append((match.start(), concept))
    return seen


def _sessions(found: Sequence[Candidate]) -> list[tuple[int, int]]:
    """The session of each candidate: a stretch of a branch without a long pause."""
    order = sorted(range(len(found)), key=lambda number: (found[number].branch, found[number].seq))
    sessions = [(0, 0)] * len(found)
    current, last = 0, None
    for number in order:
        one = found[number]
        pause = (
            last is None
            or last.branch != one.branch
            or (
                one.time_s - last.time_s > SESSION_GAP_S
                if one.time_s is not None and last.time_s is not None
                else one.seq // SESSION_MESSAGES != last.seq // SESSION_MESSAGES
            )
        )
        current += pause
        last = one
        sessions[number] = (one.branch, current)
    return sessions


def _best_of(keys: Sequence[object], seen: Sequence[_Seen]) -> dict[object, float]:
    """For each key the sum of its three best texts, as a share of the best key's."""
    scores: dict[object, list[float]] = defaultdict(list)
    for key, one in zip(keys, seen, strict=True):
        scores[key].append(one.covered)
    sums = {key: sum(sorted(values)[-3:]) for key, values in scores.items()}
    most = max(sums.values(), default=0.0) or 1.0
    return {key: value / most for key, value in sums.items()}


def _row(
    question: Question,
    found: Sequence[Candidate],
    seen: Sequence[_Seen],
    idf: Sequence[float],
    named: Mapping[str, bool],
    place: Mapping[tuple[int, int], int],
    number: int,
    session: float,
    talk: float,
) -> tuple[float, ...] | None:
    one, own = found[number], seen[number]
    near = {}
    if one.kind == "message":
        near = {step: place.get((one.branch, one.seq + step)) for step in (-2, -1, 1, 2)}
    around = {step: seen[at] for step, at in near.items() if at is not None}
    if not own.counts and not any(other.counts for other in around.values()):
        return None
    short = SHORT_WORDS / (SHORT_WORDS + own.words)
    held = dict(own.strength)
    for step, other in around.items():
        if abs(step) == 1:
            held |= {concept: max(value, held.get(concept, 0.0)) for concept, value in other.strength.items()}
    before = around.get(-1)
    asks = near.get(-1)
    answers = before.covered if before is not None and asks is not None and _asks(found[asks].text) else 0.0
    speaker = named.get(one.name.lower(), False) or (bool(question.speaker) and one.role == question.speaker)
    dated = bool(question.asked) and _dated(question, one)
    timed = question.asks_when and names_time(one.text[:MAX_SCANNED_CHARS])
    return (
        own.own,
        short * (before.covered if before is not None else 0.0),
        short * (around[1].covered if 1 in around else 0.0),
        short * sum(around[step].covered for step in (-2, 2) if step in around),
        short * answers,
        own.covered,
        short * sum(idf[concept] * value for concept, value in held.items()),
        _closeness(own.places),
        session,
        talk,
        float(speaker),
        own.covered if speaker else 0.0,
        min(1.0, own.words / 20),
        float(not _asks(one.text)),
        float(dated),
        float(timed),
        own.covered if timed else 0.0,
        0.0,
    )


def _asks(text: str) -> bool:
    """Whether a text asks something near its end."""
    return any(mark in text[-ASKING_CHARS:] for mark in ("?", "\uff1f"))


def _dated(question: Question, one: Candidate) -> bool:
    """Whether what was said names a day that the question names, or was said on one."""
    said = ((day_of(one.time_s), day_of(one.time_s)),) if one.time_s is not None else ()
    return overlaps(question.asked, said + spans(one.text[:MAX_SCANNED_CHARS], one.time_s))


def _closeness(places: Sequence[tuple[int, int]]) -> float:
    """How many different words of the question stand close together, from 0 (one) to 1 (four or more)."""
    most, tail = 1, 0
    for head, (start, _) in enumerate(places):
        while start - places[tail][0] > CLOSE_CHARS:
            tail += 1
        most = max(most, len({concept for _, concept in places[tail : head + 1]}))
    return min(1.0, (most - 1) / 3)


def _echoed(question: Question, ranked: list[Ranked], weight: float) -> list[Ranked]:
    """The ranking with a share for words that the first hits have in common (pseudo-relevance feedback)."""
    if not weight or len(ranked) <= ECHO_FROM:
        return ranked
    asked = {one for concept in question.concepts for one, _ in concept.stems}
    holding: dict[str, int] = defaultdict(int)
    sets = [_stems(one.candidate.text) for one in ranked[:ECHO_TO]]
    for words in sets:
        for word in words - asked:
            holding[word] += 1
    common: dict[str, float] = defaultdict(float)
    for words in sets[:ECHO_FROM]:
        for word in words - asked:
            common[word] += math.log(1 + len(sets) / holding[word])
    telling = sorted((word for word in common if holding[word] > 1), key=lambda word: (-common[word], word))[
        :ECHO_WORDS
    ]
    if not telling:
        return ranked
    again = [
        Ranked(one.candidate, one.score + weight * sum(word in words for word in telling) / len(telling))
        for one, words in zip(ranked, sets, strict=False)
    ]
    return sorted(again, key=_order) + ranked[ECHO_TO:]


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words_of(text[:COMPARED_CHARS]) if len(word) > 2}


def _varied(ranked: list[Ranked]) -> list[Ranked]:
    """The ranking with texts that repeat a better one moved behind the first hits."""
    kept: list[Ranked] = []
    repeated: list[Ranked] = []
    sets: list[set[str]] = []
    for one in ranked[:VARIED_TO]:
        words = _stems(one.candidate.text)
        again = any(len(words & other) >= REPEATED_SHARE * max(1, len(words | other)) for other in sets)
        (repeated if again else kept).append(one)
        sets.append(words)
    return kept + repeated + ranked[VARIED_TO:]
