"""What a question asks for: its words with content, what may stand for them, who is meant, and when.

Nothing in a question is an operator. Each word with content becomes a `Concept`: the forms that the word indexes are
asked for, and how much a stem found in a text counts towards it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from palimpsest.errors import UsageError
from palimpsest.limits import MAX_QUESTION_CHARS
from palimpsest.search import wide
from palimpsest.search.dates import Span, names_date, spans
from palimpsest.search.fold import composed, segment
from palimpsest.search.lexicon import FORMS, IRREGULAR, STOP_WORDS, SYNONYMS
from palimpsest.search.stems import stem

MAX_CONCEPTS = 24
"""Of more, the first and the last half of that are looked for."""

SYNONYM_WEIGHT = 0.4
"""How much a word that may stand for another counts, against the word itself."""

WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile("[\u0300-\u036f]+")
_ASKS_WHEN = re.compile(
    r"\b(?:when|how long|what (?:day|date|month|year|time)|which (?:day|month|year))\b", re.IGNORECASE
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|old|often|far|big|tall)\b|多少|几[个次天年岁]", re.IGNORECASE
)
_ASKER = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:(?:did|have|had|do|were|can|could) you|you (?:\w+ )?"
    r"(?:said|told|gave|recommended|suggested|mentioned|provided|listed|wrote|made|explained))\b",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Concept:
    """A word of the question. `forms` are what the indexes look for, `stems` what counts in a text, and how much;
    `dates` says that it is part of a date, `weight` what it counts for beside others, `spaced` that spaces set it off.
    """

    word: str
    forms: tuple[str, ...]
    stems: tuple[tuple[str, float], ...]
    dates: bool = False
    weight: float = 1.0
    spaced: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """`speaker` is the role that the question means by I or you, "" for none; `asked` the days that it names."""

    concepts: tuple[Concept, ...]
    asks_when: bool = False
    asks_number: bool = False
    speaker: str = ""
    asked: tuple[Span, ...] = ()


def plain(text: str) -> str:
    """A text in lower case and without accents, as the word indexes fold it: Größe is grosse, Café is cafe."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    apart = unicodedata.normalize("NFD", composed(lowered).replace("ß", "ss"))
    return unicodedata.normalize("NFC", _MARKS.sub("", apart))


def words_of(text: str) -> list[str]:
    """The words of a text, plain; each Han, kana or hangul character is one."""
    return WORD.findall(plain(segment(text)))


def read_question(text: str, now_s: float | None = None) -> Question:
    """What a question asks for; `now_s` is what "last week" counts from. Raises UsageError for one without any word."""
    if len(text) > MAX_QUESTION_CHARS:
        half = MAX_QUESTION_CHARS // 2
        text = f"{text[:half]}\n{text[-half:]}"
    text = composed(text)
    words = words_of(text)
    if not words:
        raise UsageError("the question holds no word to look for", hint="give at least one letter or digit")
    speaker = "assistant" if _ASKED.search(text) else "user" if _ASKER.search(text) else wide.speaker(text)
    asks_when = _ASKS_WHEN.search(text) is not None or wide.asks_when(text)
    return Question(
        _concepts(text, words), asks_when, _ASKS_NUMBER.search(text) is not None, speaker, spans(text, now_s)
    )


def _concepts(text: str, words: list[str]) -> tuple[Concept, ...]:
    """The words with content, or all where none has any, each once; pairs and single characters of scripts without
    spaces come last.
    """
    runs = wide.runs(text)
    spaced = [word for word in words if not (len(word) == 1 and wide.runs(word))]
    telling = [
        word
        for word in spaced
        if word not in STOP_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit())
    ]
    found: dict[str, Concept] = {}
    for word in telling or ([] if runs else spaced):
        found.setdefault(stem(word), _concept(word))
    for piece, weight in wide.pieces(runs):
        found.setdefault(piece, Concept(piece, (piece,), ((piece, 1.0),), weight=weight, spaced=False))
    concepts = tuple(found.values())
    if len(concepts) <= MAX_CONCEPTS:
        return concepts
    if runs and not telling:
        return concepts[:MAX_CONCEPTS]
    half = MAX_CONCEPTS // 2
    return concepts[:half] + concepts[-half:]


def _concept(word: str) -> Concept:
    first = IRREGULAR.get(word, word)
    others = SYNONYMS.get(word) or SYNONYMS.get(first) or SYNONYMS.get(stem(word)) or ()
    if not others and word.endswith("s"):
        others = SYNONYMS.get(word[:-1], ())
    stems = {stem(other): SYNONYM_WEIGHT for other in others} | {stem(word): 1.0}
    forms = dict.fromkeys([word, first, *FORMS.get(first, ()), *others])
    return Concept(word, tuple(forms), tuple(stems.items()), names_date(word))
