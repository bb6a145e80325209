"""How likely each word and phrase of a conversation is to be needed again.

A word is needed if the agent or the user says it, or passes it to a tool, after the cut, and nothing between the cut
and that use shows it again. Transcripts label themselves, so two logistic regressions were trained on which words and
phrases were needed in other sessions (`bench/train_need.py`); `weights.json` holds them. The features know no
language: how many messages have the word, how long ago it was met, who said it, and whether it went into a call.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from math import exp, log, log1p

from palimpsest.record.message import Message
from palimpsest.summarize.outline.texts import Texts, texts_of
from palimpsest.summarize.outline.words import Vocabulary, phrases, words, words_of

SHORT_CHARS, LONG_CHARS = 4_000, 100_000
"""The scales, in characters of the conversation, at which the age of a word's last use counts."""
COMMON_SHARE = 5
"""A word that more than one message in so many has tells nothing."""
MAX_LOGIT = 8.0
LONG_WORD_CHARS = 8
STEP = 500
"""Words or phrases that are looked at between two pauses."""

MESSAGES, LAST, USER, ARGUMENTS, RESULTS, SEEN_AT, PROSE = range(7)
"""Places in the record of a word: how many messages have it; the characters before its last; the newest message of the
user with it; how many calls and results; the newest message."""

WORD_FEATURES = "bias messages short long arguments newest length figure results".split()
"""What else was tried did not transfer to agents left out of training: a third age, who else said it, how often it went
into calls, how far apart its uses are, and whether only one result has it (`bench/train_need.py --features`)."""
PHRASE_FEATURES = [*WORD_FEATURES, "mean", "least"]


@dataclass(slots=True)
class Reader:
    """What was read of a conversation: for each word and phrase where it was met."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    words: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    phrases: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    position: int = 0
    messages: int = 0
    newest_request: int = 0

    def read(self, message: Message) -> None:
        """Take note of the next message."""
        self.read_texts(texts_of(message))

    def read_texts(self, texts: Texts) -> None:
        """The same, of a message whose texts are known already."""
        self.messages += 1
        if texts.user:
            self.newest_request = self.messages
        for text, kind in (
            (texts.results, RESULTS),
            (texts.user, USER),
            (texts.prose, PROSE),
            (texts.arguments, ARGUMENTS),
        ):
            if text:
                numbers = self.vocabulary.of(text)
                self._meet(self.words, set(numbers), kind)
                self._meet(self.phrases, phrases(numbers), kind)
        self.position += len(texts.results) + len(texts.user) + len(texts.prose) + len(texts.arguments)

    def _meet(self, known: dict[int, list[int]], found: Iterable[int], kind: int) -> None:
        position, at = self.position, self.messages
        for one in found:
            record = known.get(one)
            if record is None:
                record = known[one] = [0, position, -1, 0, 0, -1]
            if record[SEEN_AT] != at:
                record[MESSAGES] += 1
                record[SEEN_AT] = at
                record[LAST] = position
            if kind == USER:
                record[USER] = at
            elif kind != PROSE:
                record[kind] += 1


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
    figure = "_" in word or any(sign.isdigit() for sign in word)
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


@dataclass(frozen=True, slots=True)
class Need:
    """The gain of showing each word and phrase: its probability of being needed, times what it tells. The words'
    gains add up to 1, and so do the phrases'. `vocabulary` numbers the words.
    """

    vocabulary: Vocabulary
    words: Mapping[int, float]
    phrases: Mapping[int, float]


@cache
def weights() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The trained weights of words and of phrases."""
    text = (resources.files("palimpsest.summarize.outline") / "weights.json").read_text("utf-8")
    held = json.loads(text)
    word, phrase = held["words"], held["phrases"]
    return tuple(word[name] for name in WORD_FEATURES), tuple(phrase[name] for name in PHRASE_FEATURES)


def word_lengths(vocabulary: Vocabulary) -> dict[int, int]:
    """The number of characters of each word, negative where it holds a digit or an underscore."""
    return {
        number: -len(word) if "_" in word or any(sign.isdigit() for sign in word) else len(word)
        for word, number in vocabulary.numbers.items()
    }


def expected(
    reader: Reader, trained: tuple[tuple[float, ...], tuple[float, ...]] | None = None
) -> Generator[None, None, Need]:
    """Yield None between small pieces of work and return what is expected to be needed of what was read."""
    by_word, by_phrase = trained or weights()
    messages = reader.messages
    logits: dict[int, float] = {}
    gains: dict[int, float] = {}
    for at, (word, number) in enumerate(reader.vocabulary.numbers.items()):
        if at % STEP == 0:
            yield
        record = reader.words.get(number)
        if record is None:
            continue
        logit = sum(map(_times, by_word, word_features(reader, word, record)))
        logits[number] = logit = max(-MAX_LOGIT, min(MAX_LOGIT, logit))
        if record[MESSAGES] * COMMON_SHARE < messages:
            gains[number] = log(messages / record[MESSAGES]) / (1 + exp(-logit))
    yield
    lengths = word_lengths(reader.vocabulary)
    yield
    whole: dict[int, float] = {}
    for at, (phrase, record) in enumerate(reader.phrases.items()):
        if at % STEP == 0:
            yield
        logit = sum(map(_times, by_phrase, phrase_features(reader, phrase, record, logits, lengths)))
        whole[phrase] = 1 / (1 + exp(-max(-MAX_LOGIT, min(MAX_LOGIT, logit))))
    yield
    return Need(reader.vocabulary, _shares(gains), _shares(whole))


def focused(need: Need, focus: str) -> Need:
    """The need where a caller wants all that is said of some words kept above all: these are needed as much as all
    others together. Words that most messages have are left aside, unless the focus has no others.
    """
    numbers = {need.vocabulary.numbers.get(word, -1) for word in words(focus)} - {-1}
    wanted = numbers & need.words.keys() or numbers
    more = {number: need.words.get(number, 0.0) + 1 / len(wanted) for number in wanted}
    return replace(need, words=_shares({**need.words, **more}))


def _times(weight: float, value: float) -> float:
    return weight * value


def _shares(gains: dict[int, float]) -> dict[int, float]:
    total = sum(gains.values())
    return {one: gain / total for one, gain in gains.items()} if total else gains
