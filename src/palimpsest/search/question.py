"""What a question asks for: its words with content, what may stand for them, who is meant, and when.

Nothing in a question is an operator. Each word with content becomes a `Concept`: the forms that the word indexes are
asked for, and how much a stem found in a text counts towards it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from palimpsest.errors import UsageError
from palimpsest.search.dates import Span, names_date, spans
from palimpsest.search.lexicon import FORMS, IRREGULAR, STOP_WORDS, SYNONYMS
from palimpsest.search.query import segment
from palimpsest.search.stems import stem

MAX_QUESTION_CHARS = 4_000
MAX_CONCEPTS = 24
SYNONYM_WEIGHT = 0.4
"""How much a word that may stand for another counts, against the word itself."""

WORD = re.compile(r"[^\W_]+")
_ASKS_WHEN = re.compile(
    r"\b(?:when|how long|what (?:day|date|month|year|time)|which (?:day|month|year))\b", re.IGNORECASE
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
    `dates` says that it is part of a date.
    """

    word: str
    forms: tuple[str, ...]
    stems: tuple[tuple[str, float], ...]
    dates: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """`speaker` is the role that the question means by I or you, "" for none; `asked` the days that it names."""

    concepts: tuple[Concept, ...]
    asks_when: bool = False
    speaker: str = ""
    asked: tuple[Span, ...] = ()


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; each Han, kana or hangul character is one."""
    return WORD.findall(segment(text).lower())


def read_question(text: str, now_s: float | None = None) -> Question:
    """What a question asks for; `now_s` is what "last week" counts from. Raises UsageError for one without any word."""
    if len(text) > MAX_QUESTION_CHARS:
        raise UsageError(
            f"the question has {len(text):,} characters",
            hint=f"give at most {MAX_QUESTION_CHARS:,} characters",
        )
    words = words_of(text)
    if not words:
        raise UsageError("the question holds no word to look for", hint="give at least one letter or digit")
    telling = [
        word
        for word in words
        if word not in STOP_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit())
    ]
    concepts: dict[str, Concept] = {}
    for word in _joined(telling or words):
        concepts.setdefault(stem(word), _concept(word))
        if len(concepts) == MAX_CONCEPTS:
            break
    speaker = "assistant" if _ASKED.search(text) else "user" if _ASKER.search(text) else ""
    asked = spans(text, now_s)
    return Question(tuple(concepts.values()), _ASKS_WHEN.search(text) is not None, speaker, asked)


def _joined(words: list[str]) -> Iterable[str]:
    """Words as they are, and neighbouring characters of scripts without spaces as pairs."""
    pending = ""
    for word in [*words, ""]:
        wide = len(word) == 1 and not word.isascii()
        if wide and pending:
            yield pending[-1] + word
        elif pending and len(pending) == 1:
            yield pending
        pending = (pending + word)[-2:] if wide else ""
        if word and not wide:
            yield word


def _concept(word: str) -> Concept:
    first = IRREGULAR.get(word, word)
    others = SYNONYMS.get(word) or SYNONYMS.get(first) or SYNONYMS.get(stem(word)) or ()
    if not others and word.endswith("s"):
        others = SYNONYMS.get(word[:-1], ())
    stems = {stem(other): SYNONYM_WEIGHT for other in others} | {stem(word): 1.0}
    forms = dict.fromkeys([word, first, *FORMS.get(first, ()), *others])
    return Concept(word, tuple(forms), tuple(stems.items()), names_date(word))
