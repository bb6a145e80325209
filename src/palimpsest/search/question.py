"""What a question asks for: its content words, their synonyms, who is meant, and when.

Nothing in a question is an operator. Each content word becomes a `Concept`: the forms to look up, and how much a stem
found in a text counts. Adjacent words are also searched as one: "retry with backoff" is `retryWithBackoff` in code,
and a head set may be a headset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from palimpsest.errors import UsageError
from palimpsest.lazy_regex import later
from palimpsest.limits import MAX_QUESTION_CHARS
from palimpsest.search import cjk, english_questions
from palimpsest.search.calendar_ranges import Span, narrowest
from palimpsest.search.date_parsing import NamedDays, named_days, names_date
from palimpsest.search.english_words import DOINGS, FORMS, STOP_WORDS, SYNONYMS
from palimpsest.search.languages import language_of
from palimpsest.search.stemming import stem
from palimpsest.search.word_folding import apart, composed, is_emoji, segment

MAX_CONCEPTS = 24
"""Of more words, the first and the last half of this many are used."""

MAX_PIECES = 240
"""Pieces of scripts without spaces. A question of as many characters is searched whole."""

SYNONYM_WEIGHT = 0.4
"""The weight of a synonym, relative to the word itself."""

MAX_JOINED = 40
MOST_JOINED = 4
LEAST_JOINED_CHARS = 5
"""The least characters and the most words that are joined into one; shorter ones mostly match by chance."""

PART_WEIGHT = 0.5
"""The weight of a part of an identifier, or of an emoji next to words, relative to a word."""

_IDENTIFIER = later(r"\b[a-z]{2,}(?:[A-Z][a-z0-9]+)+")
_HUMP = later(r"(?<=[a-z0-9])(?=[A-Z])")
_CLIPPED = frozenset(("s", "t", "d", "m", "ll", "re", "ve"))
"""What an apostrophe leaves behind, which is not part of a name."""

PERSONAL = (" i ", " my ", " me ", " we ", " our ", "我", "私")
"""First person words of a text."""


def _by_stem(given: Mapping[str, Sequence[str]], *, own: bool) -> Mapping[str, tuple[str, ...]]:
    """Map words by their stems, so that any form of them is found; also by themselves if `own`."""
    found: dict[str, dict[str, None]] = {}
    for word, others in given.items():
        there = found.setdefault(stem(word), {})
        there.update(dict.fromkeys((word, *others) if own else others))
    return {one: tuple(others) for one, others in found.items()}


@cache
def _forms() -> Mapping[str, tuple[str, ...]]:
    return _by_stem(FORMS, own=True)


@cache
def _synonyms() -> Mapping[str, tuple[str, ...]]:
    return _by_stem(SYNONYMS, own=False)


@dataclass(frozen=True, slots=True)
class Concept:
    """A word of the question. `forms` are looked up in the indexes, `stems` are what counts in a text, and how much.
    `dates` marks a part of a date, `weight` its relative weight, `spaced` a word in a script with spaces, `joined`
    adjacent words written as one, which no text is required to have.
    """

    word: str
    forms: tuple[str, ...]
    stems: tuple[tuple[str, float], ...]
    dates: bool = False
    weight: float = 1.0
    spaced: bool = True
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """`speaker` is the role that the question means by I or you, "" for none; `asked` the days that it names, and
    `only_time` that it names nothing else. Who, where, which and some uses of what ask for a name, why for a reason.
    """

    concepts: tuple[Concept, ...]
    asks_when: bool = False
    asks_number: bool = False
    asks_name: bool = False
    asks_why: bool = False
    speaker: str = ""
    asked: tuple[Span, ...] = ()
    only_time: bool = False
    personal: tuple[str, ...] = PERSONAL


def words_of(text: str) -> list[str]:
    """Return the words of a text, plain; each character of a script without spaces is one."""
    return apart(segment(text)).split()


def read_question(text: str, now_s: float | None = None) -> Question:
    """Return what a question asks for; `now_s` is the reference of "last week". Raises UsageError for one without
    words.
    """
    if len(text) > MAX_QUESTION_CHARS:
        half = MAX_QUESTION_CHARS // 2
        text = f"{text[:half]}\n{text[-half:]}"
    text = composed(text)
    words = words_of(text)
    if not words:
        raise UsageError("the question has no word", hint="give at least one letter, digit or emoji")
    other = language_of(words)
    times = named_days(text, now_s, past=True, language=other.language if other is not None else "")
    asked = narrowest(span for span, _, _ in times)
    stop = STOP_WORDS | other.stop if other is not None else STOP_WORDS
    content = english_questions.content(text) if other is None else text
    left = words_of(content) if other is None else other.content(words)
    only_time = bool(times) and not _content_beside(times, text, stop)
    concepts = _concepts(content, left, stop, {word for one in times for word in _words_at(one, text)})
    if other is not None:
        said = " ".join(left)
        return Question(
            concepts,
            asks_number=other.number.search(said) is not None,
            asks_name=other.name is not None and other.name.search(said) is not None,
            speaker="user" if other.means_asker(text) else "",
            asked=asked,
            only_time=only_time,
            personal=other.personal,
        )
    return Question(
        concepts,
        english_questions.WHEN.search(text) is not None or cjk.asks_when(text),
        asks_number=english_questions.NUMBER.search(text) is not None,
        asks_name=english_questions.NAME.search(text) is not None,
        asks_why=english_questions.WHY.search(text) is not None,
        speaker=english_questions.speaker(text) or cjk.speaker(text),
        asked=asked,
        only_time=only_time,
    )


def _words_at(time: NamedDays, text: str) -> list[str]:
    _, start, end = time
    return words_of(text[start:end])


def _content_beside(times: Sequence[NamedDays], text: str, stop: AbstractSet[str]) -> bool:
    """Return whether a question has content words besides its times; verbs of saying and doing do not count."""
    for _, start, end in times:
        text = text[:start] + " " * (end - start) + text[end:]
    left = english_questions.bare(text)
    spaced = [word for word in words_of(left) if not cjk.runs(word)]
    return any(stem(word) not in _doings() and word not in stop for word in spaced) or cjk.tells(left)


@cache
def _doings() -> AbstractSet[str]:
    return frozenset(map(stem, DOINGS))


def _concepts(
    text: str, words: list[str], stop: AbstractSet[str], timed: AbstractSet[str]
) -> tuple[Concept, ...]:
    """Return the content words, or all if there are none, each once, then joined words; pairs and single characters
    of scripts without spaces come last. `timed` are those that name a time.
    """
    runs = cjk.runs(text)
    spaced = [word for word in words if not (len(word) == 1 and cjk.runs(word))]
    telling = [
        word
        for word in spaced
        if word not in stop and (len(word) > 1 or not word.isascii() or word.isdigit())
    ]
    found: dict[str, Concept] = {}
    joined = _joined(words, stop)
    for word in telling or ([] if runs else spaced):
        parts_of = [one for one, parts in joined.items() if word in parts]
        found.setdefault(stem(word), _concept(word, parts_of, dates=word in timed))
    if len(found) > 1:
        found = {
            one: replace(of, weight=PART_WEIGHT) if is_emoji(one[0]) else of for one, of in found.items()
        }
    for word in _parts(text):
        found.setdefault(stem(word), replace(_concept(word, ()), weight=PART_WEIGHT))
    if joined:
        stems = tuple((one, 1.0) for one in dict.fromkeys(map(stem, joined)))
        found[""] = Concept("", tuple(joined), stems, joined=True)
    for piece, weight in cjk.pieces(runs):
        found.setdefault(piece, Concept(piece, (piece,), ((piece, 1.0),), weight=weight, spaced=False))
    spoken = [one for one in found.values() if one.spaced]
    pieces = [one for one in found.values() if not one.spaced]
    half = MAX_CONCEPTS // 2
    if len(spoken) > MAX_CONCEPTS:
        spoken = spoken[:half] + spoken[-half:]
    return (*spoken, *pieces[:MAX_PIECES])


def _parts(text: str) -> Iterator[str]:
    """Yield the content words inside identifiers such as `retryWithBackoff`."""
    for identifier in _IDENTIFIER.findall(text):
        for word in _HUMP.sub(" ", identifier).lower().split():
            if word not in STOP_WORDS and len(word) > 1:
                yield word


def _joined(words: list[str], stop: AbstractSet[str]) -> dict[str, list[str]]:
    """Yield adjacent words of a question written as one, with these words; one of them must have content."""
    found: dict[str, list[str]] = {}
    for size in range(2, MOST_JOINED + 1):
        for at in range(min(len(words) - size + 1, MAX_JOINED)):
            parts = words[at : at + size]
            one = "".join(parts)
            telling = not stop >= set(parts) and _CLIPPED.isdisjoint(parts)
            if telling and len(one) >= LEAST_JOINED_CHARS and one.isascii() and not one.isdecimal():
                found.setdefault(one, parts)
    return dict(islice(found.items(), MAX_JOINED))


def _concept(word: str, joined: Sequence[str], *, dates: bool = False) -> Concept:
    """Return the concept of a word; `joined` are the words it is part of. `dates` means that it names a time here."""
    one_form = stem(word)
    others = _synonyms().get(one_form, ())
    stems = {stem(other): SYNONYM_WEIGHT for other in others} | {stem(one): 1.0 for one in (*joined, word)}
    forms = dict.fromkeys([word, *_forms().get(one_form, ()), *others])
    return Concept(word, tuple(forms), tuple(stems.items()), dates or names_date(word))
