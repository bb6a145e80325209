"""The features that the weights of the need estimator are trained on, one word or phrase at a time.

`palimpsest.summarize.outline.need_estimator` computes the same for all words and phrases at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log, log1p

from palimpsest.summarize.outline.need_estimator import (
    ARGUMENTS,
    LAST,
    LONG_CHARS,
    LONG_WORD_CHARS,
    MAX_LOGIT,
    MAX_WORDS,
    MESSAGES,
    RESULTS,
    SHORT_CHARS,
    USER,
    WORD_BITS,
    Reader,
    Vocabulary,
    has_figure,
)


def words_of(phrase: int) -> tuple[int, int, int]:
    """The numbers of a phrase's words."""
    least = MAX_WORDS - 1
    return phrase >> 2 * WORD_BITS, (phrase >> WORD_BITS) & least, phrase & least


def features(reader: Reader, record: list[int], length: float, *, figure: bool) -> list[float]:
    """What is known of a word or phrase, in the order of `WORD_FEATURES`."""
    age = reader.position - record[LAST]
    return [
        1.0,
        log1p(record[MESSAGES]),
        exp(-age / SHORT_CHARS),
        exp(-age / LONG_CHARS),
        1.0 if record[ARGUMENTS] else 0.0,
        1.0 if record[USER] == reader.newest_request else 0.0,
        length,
        1.0 if figure else 0.0,
        log1p(record[RESULTS]),
    ]


def word_features(reader: Reader, word: str, record: list[int]) -> list[float]:
    """The features of a word."""
    figure = has_figure(word)
    return features(reader, record, 1.0 if len(word) > LONG_WORD_CHARS else 0.0, figure=figure)


def phrase_features(
    reader: Reader, phrase: int, record: list[int], logits: Mapping[int, float], lengths: Mapping[int, int]
) -> list[float]:
    """The features of a phrase, with the mean and the least of its words' logits."""
    parts = words_of(phrase)
    known = [logits.get(part, -MAX_LOGIT) for part in parts]
    length = log(2 + sum(abs(lengths.get(part, 1)) for part in parts))
    figure = any(lengths.get(part, 1) < 0 for part in parts)
    return [*features(reader, record, length, figure=figure), sum(known) / 3, min(known)]


def word_lengths(vocabulary: Vocabulary) -> dict[int, int]:
    """The number of characters of each word, negative where it holds a digit or an underscore."""
    return {
        number: -len(word) if has_figure(word) else len(word) for word, number in vocabulary.numbers.items()
    }
