"""The features of what may answer a question, each between 0 and about 1, in the order of `weights.FEATURES`.

A message is judged by what it says, by what stands around it, and by where, when and by whom it was said. What stands
around a message counts in proportion to how short the message is: "Yes, last Tuesday" says little by itself, and a page
of prose needs no neighbours.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest.lazy_regex import later
from palimpsest.search.dates import names_time, spans
from palimpsest.search.day_spans import day_of, overlaps
from palimpsest.search.question import Question, words_of
from palimpsest.search.retrieval_candidates import Candidate, Pool
from palimpsest.search.text_scan import MAX_SCANNED_CHARS, Seen, closeness, finder, scan, together

K1 = 1.2
B = 0.4
MEAN_WORDS = 40
"""The length of a text, in words, at which its length neither helps nor harms."""

REACH = 2
"""What holds nothing of the question, and stands no nearer to what does, is left out."""

SESSION_GAP_S = 3_600.0
SESSION_MESSAGES = 16
"""Messages without times are taken for sessions of so many."""

TOLD_CHARS = 2_000
"""Whether a text speaks of its speaker, or of numbers, is told by its beginning."""

ASKING_CHARS = 200
"""A text asks if a question mark is among its last characters."""

OTHERS_NAMED = 0.3
"""Who is named first in a question is mostly who it is about. Others count so much."""

NAMES_TOLD = 2
"""A text that tells so many names tells some for sure; one may be anything with a capital."""

ASKED_AROUND = ((-1, 1.0), (-2, 0.8), (-3, 0.6))
"""What is asked in the message before is told by it and by those before it, which count so much."""

NAME_SHARE = 0.1
DATE_SHARE = 0.3
"""What a word counts for that names a speaker, or a date: others call them by their names, and dates are read apart."""


@dataclass(frozen=True, slots=True)
class _Sight:
    """A pool as a question sees it: what each text holds, the concepts' shares of its weight, how much each speaker is
    meant, words that are no answer to who or which, the places of the messages that hold anything and of those that
    ask, how good each one's session and conversation are, and what the session covers as a whole.
    """

    question: Question
    found: tuple[Candidate, ...]
    seen: list[Seen]
    shares: list[float]
    named: dict[str, float]
    known: set[str]
    place: Mapping[int, Mapping[int, Seen]]
    asking: set[tuple[int, int]]
    session: list[float]
    talk: list[float]
    session_covered: list[float]


def features(question: Question, pool: Pool) -> list[tuple[float, ...] | None]:
    """For each candidate its features in the order of `FEATURES`, None where nothing is for it."""
    sight = _look(question, pool)
    return [_row(sight, number) for number in range(len(pool.found))]


def _look(question: Question, pool: Pool) -> _Sight:
    speakers = {one.name.lower(): words_of(one.name) for one in pool.found if one.name}
    name_words = {word for words in speakers.values() for word in words}
    shares = _shares(question, pool, name_words)
    using = finder(question)
    seen = [scan(one.text, using) for one in pool.found]
    for one in seen:
        if one.counts:
            norm = K1 * (1 - B + B * one.words / MEAN_WORDS)
            one.held = held = {concept: shares[concept] * value for concept, value in one.strength.items()}
            one.own = sum([held[concept] * tf * (K1 + 1) / (tf + norm) for concept, tf in one.counts.items()])
            one.covered = together(one)
    place: dict[int, dict[int, Seen]] = defaultdict(dict)
    for one, there in zip(pool.found, seen, strict=True):
        if there.counts and one.kind == "message":
            place[one.branch][one.seq] = there
    sessions = _sessions(pool.found)
    session = _best_of(sessions, seen)
    talk = _best_of([one.conversation for one in pool.found], seen)
    asking = {(one.branch, one.seq) for one in pool.found if one.kind == "message" and _asks(one.text)}
    known = name_words | {concept.word for concept in question.concepts}
    return _Sight(
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


def _shares(question: Question, pool: Pool, name_words: set[str]) -> list[float]:
    """The share of each concept in the question's weight: the rarer, the more. Words as one that nobody wrote count
    nothing; a word that nobody said counts, because then nothing covers the question. Those of one for nothing but a
    time count nothing: what was said then need not hold them.
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
    """How much each speaker, given with the words of the name, is meant by the question."""
    order = {concept.word: number for number, concept in enumerate(question.concepts)}
    places = {
        name: min(order[word] for word in words if word in order)
        for name, words in speakers.items()
        if not order.keys().isdisjoint(words)
    }
    first = min(places.values(), default=0)
    return {name: 1.0 if at == first else OTHERS_NAMED for name, at in places.items()}


def _sessions(found: Sequence[Candidate]) -> list[int]:
    """The session of each candidate: a stretch of a branch without a long pause."""
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


def _best_of(keys: Sequence[object], seen: Sequence[Seen]) -> list[float]:
    """For each text the sum of the three best texts of its key, as a share of the best key's."""
    scores: dict[object, list[float]] = defaultdict(list)
    for key, one in zip(keys, seen, strict=True):
        if one.covered:
            scores[key].append(one.covered)
    sums = {key: sum(sorted(values)[-3:]) for key, values in scores.items()}
    most = max(sums.values(), default=0.0) or 1.0
    return [sums.get(key, 0.0) / most for key in keys]


def _covered_by(keys: Sequence[object], seen: Sequence[Seen]) -> list[float]:
    """For each text the share of the question that all texts of its key cover together."""
    held: dict[object, dict[int, float]] = defaultdict(dict)
    for key, one in zip(keys, seen, strict=True):
        there = held[key]
        for concept, value in one.held.items():
            if value > there.get(concept, 0.0):
                there[concept] = value
    sums = {key: sum(there.values()) for key, there in held.items()}
    return [sums[key] for key in keys]


def _row(sight: _Sight, number: int) -> tuple[float, ...] | None:
    question, one, own = sight.question, sight.found[number], sight.seen[number]
    around: dict[int, Seen] = {}
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
    told = meant or speaker or question.asks_number or question.asks_name or question.asks_why
    start = one.text[:TOLD_CHARS] if told else ""
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


def _beside(around: Mapping[int, Seen], step: int) -> float:
    """What the message at a distance covers, the less the longer it is."""
    there = around.get(step)
    return there.short * there.covered if there is not None else 0.0


def _asked(around: Mapping[int, Seen]) -> float:
    """The share of the question that the message before, which asks, is about: "How old is she?" follows on a name."""
    held: dict[int, float] = {}
    for step, counts in ASKED_AROUND:
        there = around.get(step)
        for concept, value in there.held.items() if there is not None else ():
            held[concept] = max(held.get(concept, 0.0), value * counts)
    return sum(held.values())


def _context(own: Seen, around: Mapping[int, Seen]) -> tuple[Mapping[int, float], Mapping[int, float]]:
    """What a text holds of the question with its neighbours, and with those further off, counting less."""
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
    """The share of the one concept that weighs most: who holds the rarest word needs no other."""
    return max(held.values(), default=0.0)


_NOWHERE: Mapping[int, Seen] = {}
_STEPS = (-4, -3, -2, -1, 1, 2, 3, 4)
_FAINTER = (1.0, 0.7, 0.4, 0.25, 0.15)
"""What a text at a distance of so many messages counts for, as part of what stands around."""

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
    """Whether a text says I or we."""
    words = f" {text.lower().translate(_APART)} "
    return any(word in words for word in said)


def _names_told(text: str, known: set[str]) -> float:
    """How surely a text tells a name, from 0 to 1: words with a capital within a sentence, other than known ones."""
    found = {word.lower() for word in _CAPITAL.findall(text)} - known
    return min(1.0, len(found) / NAMES_TOLD)


def _asks(text: str) -> bool:
    """Whether a text asks something near its end."""
    end = text[-ASKING_CHARS:]
    return "?" in end or "\uff1f" in end


def _dated(question: Question, one: Candidate) -> bool:
    """Whether what was said names a day that the question names, or was said on one."""
    day = day_of(one.time_s) if one.time_s is not None else None
    if day is not None and overlaps(question.asked, ((day, day),)):
        return True
    return overlaps(question.asked, spans(one.text[:MAX_SCANNED_CHARS], one.time_s))
