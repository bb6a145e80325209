"""The features of a candidate, each between 0 and about 1, in the order of `weights.FEATURES`.

A message is judged by its text, its neighbours, and its place, time and speaker. Neighbours count more for a short
message: "Yes, last Tuesday" says little alone, and a page needs none.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest.lazy_regex import later
from palimpsest.search.calendar_ranges import day_of, overlaps
from palimpsest.search.date_parsing import names_time, spans
from palimpsest.search.question import Question, words_of
from palimpsest.search.retrieval_candidates import Candidate, CandidatePool
from palimpsest.search.text_scan import (
    MAX_SCANNED_CHARS,
    TextMatch,
    closeness,
    closest_weight,
    make_finder,
    scan,
)

K1 = 1.2
B = 0.4
MEAN_WORDS = 40
"""The length of a text, in words, at which its length is neutral."""

REACH = 2
"""A text without any of the question is left out, unless a text with some is this close."""

SESSION_GAP_S = 3_600.0
SESSION_MESSAGES = 16
"""Messages without times form sessions of this many."""

JUDGED_CHARS = 2_000
"""Whether a text is about its speaker, or about numbers, is judged by its beginning."""

ASKING_CHARS = 200
"""A text asks if a question mark is among its last characters."""

OTHERS_NAMED = 0.3
"""The person named first in a question is mostly its subject. Others count this much."""

NAMES_TOLD = 2
"""A text with this many names surely has some; a single one may be any capitalized word."""

ASKED_AROUND = ((-1, 1.0), (-2, 0.8), (-3, 0.6))
"""The subject of a question is taken from the message before and those before it, which count this much."""

NAME_SHARE = 0.1
DATE_SHARE = 0.3
"""The weight of a word that names a speaker or a date: others use their names, and dates are compared separately."""


@dataclass(frozen=True, slots=True)
class _Context:
    """The candidates in the light of a question: what each text has of it, and the concepts' shares of its weight.
    Also how much each speaker is meant, the words that answer no who or which, the positions of matching and of
    asking messages, the best of each session and conversation, and what a session covers.
    """

    question: Question
    found: tuple[Candidate, ...]
    seen: list[TextMatch]
    shares: list[float]
    named: dict[str, float]
    known: set[str]
    place: Mapping[int, Mapping[int, TextMatch]]
    asking: set[tuple[int, int]]
    session: list[float]
    talk: list[float]
    session_covered: list[float]


def features(question: Question, pool: CandidatePool) -> list[tuple[float, ...] | None]:
    """Return each candidate's features in the order of `FEATURES`, None if nothing speaks for it."""
    sight = _look(question, pool)
    return [_row(sight, number) for number in range(len(pool.found))]


def _look(question: Question, pool: CandidatePool) -> _Context:
    speakers = {one.name.lower(): words_of(one.name) for one in pool.found if one.name}
    name_words = {word for words in speakers.values() for word in words}
    shares = _shares(question, pool, name_words)
    using = make_finder(question)
    seen = [scan(one.text, using) for one in pool.found]
    for one in seen:
        if one.counts:
            norm = K1 * (1 - B + B * one.words / MEAN_WORDS)
            one.held = held = {concept: shares[concept] * value for concept, value in one.strength.items()}
            one.own = sum([held[concept] * tf * (K1 + 1) / (tf + norm) for concept, tf in one.counts.items()])
            one.covered = closest_weight(one)
    place: dict[int, dict[int, TextMatch]] = defaultdict(dict)
    for one, there in zip(pool.found, seen, strict=True):
        if there.counts and one.kind == "message":
            place[one.branch][one.seq] = there
    sessions = _sessions(pool.found)
    session = _best_of(sessions, seen)
    talk = _best_of([one.conversation for one in pool.found], seen)
    asking = {(one.branch, one.seq) for one in pool.found if one.kind == "message" and _asks(one.text)}
    known = name_words | {concept.word for concept in question.concepts}
    return _Context(
        question,
        pool.found,
        seen,
        shares,
        _named(question, speakers),
        known,
        place,
        asking,
        session,
        talk,
        session_covered=_covered_by(sessions, seen),
    )


def _shares(question: Question, pool: CandidatePool, name_words: set[str]) -> list[float]:
    """Return the share of each concept in the question's weight: more for rarer ones. Joined words that nobody wrote
    count nothing; a word that nobody said counts, because then nothing covers the question. Words of a question that
    only names a time count nothing.
    """
    if question.only_time:
        return [0.0] * len(question.concepts)
    idf = [
        concept.weight
        * math.log(1 + (pool.total - count + 0.5) / (count + 0.5))
        * (NAME_SHARE if concept.word in name_words else DATE_SHARE if concept.dates else 1.0)
        * (count > 0 or not concept.joined)
        for concept, count in zip(question.concepts, pool.holding, strict=True)
    ]
    whole = sum(idf) or 1.0
    return [value / whole for value in idf]


def _named(question: Question, speakers: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return how much each speaker, given with the words of the name, is meant by the question."""
    order = {concept.word: number for number, concept in enumerate(question.concepts)}
    places = {
        name: min(order[word] for word in words if word in order)
        for name, words in speakers.items()
        if not order.keys().isdisjoint(words)
    }
    first = min(places.values(), default=0)
    return {name: 1.0 if at == first else OTHERS_NAMED for name, at in places.items()}


def _sessions(found: Sequence[Candidate]) -> list[int]:
    """Return the session of each candidate: a stretch of a branch without a long pause."""
    order = sorted(range(len(found)), key=lambda number: (found[number].branch, found[number].seq))
    sessions = [0] * len(found)
    current = 0
    last: Candidate | None = None
    for number in order:
        one = found[number]
        current += last is None or _pause(last, one)
        last = one
        sessions[number] = current
    return sessions


def _pause(last: Candidate, one: Candidate) -> bool:
    if last.branch != one.branch:
        return True
    if one.time_s is not None and last.time_s is not None:
        return one.time_s - last.time_s > SESSION_GAP_S
    return one.seq // SESSION_MESSAGES != last.seq // SESSION_MESSAGES


def _best_of(keys: Sequence[object], seen: Sequence[TextMatch]) -> list[float]:
    """Return for each text the sum of the three best texts of its key, as a share of the best key's."""
    scores: dict[object, list[float]] = defaultdict(list)
    for key, one in zip(keys, seen, strict=True):
        if one.covered:
            scores[key].append(one.covered)
    sums = {key: sum(sorted(values)[-3:]) for key, values in scores.items()}
    most = max(sums.values(), default=0.0) or 1.0
    return [sums.get(key, 0.0) / most for key in keys]


def _covered_by(keys: Sequence[object], seen: Sequence[TextMatch]) -> list[float]:
    """Return for each text the share of the question that all texts of its key cover together."""
    held: dict[object, dict[int, float]] = defaultdict(dict)
    for key, one in zip(keys, seen, strict=True):
        there = held[key]
        for concept, value in one.held.items():
            if value > there.get(concept, 0.0):
                there[concept] = value
    sums = {key: sum(there.values()) for key, there in held.items()}
    return [sums[key] for key in keys]


def _row(sight: _Context, number: int) -> tuple[float, ...] | None:
    question, one, own = sight.question, sight.found[number], sight.seen[number]
    around: dict[int, TextMatch] = {}
    answers = 0.0
    if one.kind == "message":
        seq, place = one.seq, sight.place.get(one.branch, _NOWHERE)
        for step in _STEPS:
            there = place.get(seq + step)
            if there is not None:
                around[step] = there
        if (one.branch, seq - 1) in sight.asking:
            answers = _asked(around)
    if not question.only_time and not own.counts and not any(-REACH <= step <= REACH for step in around):
        return None
    dated = bool(question.asked) and _dated(question, one)
    if question.only_time and not dated:
        return None
    close, wider = _context(own, around)
    wide = sum(wider.values())
    meant = float(bool(question.speaker) and one.role == question.speaker)
    speaker = 0.0 if meant else sight.named.get(one.name.lower(), 0.0)
    timed = question.asks_when and names_time(one.text[:MAX_SCANNED_CHARS], own.when)
    asks_any = meant or speaker or question.asks_number or question.asks_name or question.asks_why
    start = one.text[:JUDGED_CHARS] if asks_any else ""
    names = _names_told(start, sight.known) if question.asks_name else 0.0
    reason = question.asks_why and _REASON.search(start) is not None
    about = min(1.0, 2 * wide)
    return (
        (1.0 - own.short) * own.own,
        own.short * _beside(around, -1),
        own.short * _beside(around, 1),
        own.short * (_beside(around, -2) + _beside(around, 2)),
        own.short * answers,
        own.covered,
        own.short * sum(close.values()),
        own.short * wide,
        max(_most(own.held), own.short * _most(wider)),
        closeness(own.places),
        sight.session[number],
        sight.session_covered[number],
        sight.talk[number],
        meant,
        meant * about,
        speaker,
        own.covered * speaker,
        meant + speaker if (meant or speaker) and _personal(start, question.personal) else 0.0,
        float(question.asks_number and _NUMBER.search(start) is not None),
        (1.0 + own.short) / 2 * names * about,
        reason * about,
        min(1.0, own.words / 20),
        float((one.branch, one.seq) not in sight.asking),
        float(dated),
        float(timed),
        own.covered if timed else 0.0,
    )


def _beside(around: Mapping[int, TextMatch], step: int) -> float:
    """Return what the message at a distance covers, less for a longer one."""
    there = around.get(step)
    return there.short * there.covered if there is not None else 0.0


def _asked(around: Mapping[int, TextMatch]) -> float:
    """Return the share of the question that the asking message before is about: "How old is she?" follows a name."""
    held: dict[int, float] = {}
    for step, counts in ASKED_AROUND:
        there = around.get(step)
        for concept, value in there.held.items() if there is not None else ():
            held[concept] = max(held.get(concept, 0.0), value * counts)
    return sum(held.values())


def _context(
    own: TextMatch, around: Mapping[int, TextMatch]
) -> tuple[Mapping[int, float], Mapping[int, float]]:
    """Return what a text has of the question with its neighbours; further ones count less."""
    if not around:
        return own.held, own.held
    near, wide = dict(own.held), dict(own.held)
    for step, other in around.items():
        close, short = -1 <= step <= 1, other.short
        fainter = short * _FAINTER[abs(step)]
        for concept, value in other.held.items():
            if value * fainter > wide.get(concept, 0.0):
                wide[concept] = value * fainter
            if close and value * short > near.get(concept, 0.0):
                near[concept] = value * short
    return near, wide


def _most(held: Mapping[int, float]) -> float:
    """Return the share of the heaviest concept: a text with the rarest word needs no other."""
    return max(held.values(), default=0.0)


_NOWHERE: Mapping[int, TextMatch] = {}
_STEPS = (-4, -3, -2, -1, 1, 2, 3, 4)
_FAINTER = (1.0, 0.7, 0.4, 0.25, 0.15)
"""The weight of a neighbour at this distance."""

_CAPITAL = later(r"(?<=[a-zß-ÿ,] )[A-ZÀ-ÖØ-Þ][^\W\d_]+")
_APART = str.maketrans("'’.,!?;:\n", "         ")
_NUMBER = later(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|"
    r"dozen|once|twice|half|couple|several|few|first|second|third)\b|[一二两三四五六七八九十百千万]",
    re.IGNORECASE,
)
_REASON = later(
    r"\b(?:because|'?cause|since|due to|thanks to|so that|(?:that|which)(?:['’]s| is) why|reasons?|in order to|"
    r"want(?:ed)? to|hop(?:e|ed|ing) to|(?:made|makes?|helps?|lets?) me|inspir\w+|motivat\w+)\b"
    r"|因为|因為|为了|為了|所以|ので|ため|때문",
    re.IGNORECASE,
)


def _personal(text: str, said: Sequence[str]) -> bool:
    """Return whether a text says I or we."""
    words = f" {text.lower().translate(_APART)} "
    return any(word in words for word in said)


def _names_told(text: str, known: set[str]) -> float:
    """Return how surely a text has a name, from 0 to 1: unknown capitalized words within a sentence."""
    found = {word.lower() for word in _CAPITAL.findall(text)} - known
    return min(1.0, len(found) / NAMES_TOLD)


def _asks(text: str) -> bool:
    """Return whether a text asks something near its end."""
    end = text[-ASKING_CHARS:]
    return "?" in end or "\uff1f" in end


def _dated(question: Question, one: Candidate) -> bool:
    """Return whether a text names a day that the question names, or was said on one."""
    day = day_of(one.time_s) if one.time_s is not None else None
    if day is not None and overlaps(question.asked, ((day, day),)):
        return True
    return overlaps(question.asked, spans(one.text[:MAX_SCANNED_CHARS], one.time_s))
