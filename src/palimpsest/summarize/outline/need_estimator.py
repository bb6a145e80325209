"""How likely each word and phrase of a conversation is to be needed again.

A word is needed if the agent or the user says it, or passes it to a tool, after the cut, and nothing between the cut
and that use shows it again. Transcripts label themselves, so two logistic regressions were trained on the words and
phrases that were needed in other sessions (`bench/train_need.py`); `weights.json` has the weights. The features depend
on no language: how many messages have the word, how long ago it occurred, who said it, and whether it was in a call.

A word is a run of letters, digits and underscores that begins with a letter, a run of digits, or one character of a
script that is written without spaces. Case does not count. A phrase is three words in a row within one text. Both are
numbered."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from math import exp, log, log1p
from typing import cast

from palimpsest.record.message import Message, ToolCall, ToolResult
from palimpsest.record.recall_mark import is_recalled

MOST_TEXT_CHARS = 40_000
"""The most characters of one text that are read, half of them from each end."""
MAX_ARGUMENT_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one message, "" for none. Arguments are decoded."""

    user: str = ""
    prose: str = ""
    arguments: str = ""
    results: str = ""

    @property
    def chars(self) -> int:
        """Characters of all of them."""
        return len(self.user) + len(self.prose) + len(self.arguments) + len(self.results)


def texts_of(message: Message) -> Texts:
    """The texts of a message, without what was read back from the store."""
    said = looked_at(message.text)
    by_user = message.role == "user"
    arguments = "\n".join(
        part for call in message.calls for part in (call.name, *argument_texts(call)) if part
    )
    return Texts(
        said if by_user else "",
        "" if by_user else said,
        looked_at(arguments),
        looked_at("\n".join(result_text(result) for result in message.results)),
    )


def result_text(result: ToolResult) -> str:
    """The text of a result, "" for what was read back from the store."""
    text = result.text
    return "" if is_recalled(text) else text


def looked_at(text: str) -> str:
    """A text, or the two ends of a long one."""
    return (
        text
        if len(text) <= MOST_TEXT_CHARS
        else f"{text[: MOST_TEXT_CHARS // 2]}\n{text[-MOST_TEXT_CHARS // 2 :]}"
    )


def argument_texts(call: ToolCall) -> tuple[str, ...]:
    """The scalar values of a call's arguments as texts, in order; the arguments themselves if they are no JSON."""
    if len(call.arguments) > 4 * MOST_TEXT_CHARS:
        return (looked_at(call.arguments),)
    try:
        value: object = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return (looked_at(call.arguments),)
    return tuple(_scalars(value, MAX_ARGUMENT_DEPTH))


def _scalars(value: object, depth: int) -> Iterator[str]:
    match value:
        case dict() if depth:
            for inner in cast("dict[str, object]", value).values():
                yield from _scalars(inner, depth - 1)
        case list() if depth:
            for inner in cast("list[object]", value):
                yield from _scalars(inner, depth - 1)
        case str() if value:
            yield looked_at(value)
        case int() | float() if not isinstance(value, bool):
            yield str(value)
        case _:
            pass


CJK = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9d\u0e00-\u0eff\U00020000-\U0003ffff"
"""Han, kana, hangul, and scripts of South East Asia that are written without spaces."""

_ASCII_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")
_ANY_WORD = re.compile(rf"[{CJK}]|[0-9]+|(?:(?![{CJK}])[^\W\d])(?:(?![{CJK}])\w)*")

WORD_BITS = 21
MAX_WORDS = 1 << WORD_BITS
"""The most different words; all others count as one."""


def words(text: str) -> list[str]:
    """The words of a text, in order, in lower case."""
    pattern = _ASCII_WORD if text.isascii() else _ANY_WORD
    return pattern.findall(text.lower())


class _Numbers(dict[str, int]):
    """The number of each word, assigned when it is first looked up."""

    def __missing__(self, word: str) -> int:
        number = self[word] = min(len(self), MAX_WORDS - 1)
        return number


@dataclass(slots=True)
class Vocabulary:
    """Numbers of words, in the order in which they first occurred."""

    numbers: dict[str, int] = field(default_factory=_Numbers)

    def of(self, text: str) -> list[int]:
        """The numbers of a text's words, in order."""
        return list(map(self.numbers.__getitem__, words(text)))


def phrases(numbers: Sequence[int]) -> set[int]:
    """The phrases of a text as numbers, from the numbers of its words."""
    return {
        (first << 2 * WORD_BITS) | (second << WORD_BITS) | third
        for first, second, third in zip(numbers, numbers[1:], numbers[2:], strict=False)
    }


SHORT_CHARS, LONG_CHARS = 4_000, 100_000
"""The scales, in characters of the conversation, at which the age of a word's last use counts."""
COMMON_SHARE = 5
"""A word that more than one message in so many has is ignored."""
MAX_LOGIT = 8.0
LONG_WORD_CHARS = 8
STEP = 500
"""Words or phrases between two yields."""

_FIGURES = frozenset("0123456789")
_LEAST = (1 << WORD_BITS) - 1
MAX_LENGTH = 1_000
"""The length that counts for longer phrases."""

MESSAGES, LAST, USER, ARGUMENTS, RESULTS, SEEN_AT, PROSE = range(7)
"""Indexes into the record of a word: how many messages have it; the characters before the last; the newest user message
with it; how many calls and results; the newest message."""

WORD_FEATURES = "bias messages short long arguments newest length figure results".split()
"""Other features did not transfer to agents left out of training: a third age, who else said it, how often it was in
calls, how far apart its uses are, and whether only one result has it (`bench/train_need.py --features`)."""
PHRASE_FEATURES = [*WORD_FEATURES, "mean", "least"]


@dataclass(slots=True)
class Reader:
    """What was read of a conversation: where each word and phrase occurred."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    words: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    phrases: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    position: int = 0
    messages: int = 0
    newest_request: int = 0

    def read(self, message: Message) -> None:
        """Read the next message."""
        self.read_texts(texts_of(message))

    def read_texts(self, texts: Texts, position: int | None = None) -> None:
        """The same for a message whose texts are known. `position` are the characters before it, if not all were
        read.
        """
        self.messages += 1
        self.position = self.position if position is None else position
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
        self.position += texts.chars

    def _meet(self, known: dict[int, list[int]], found: Iterable[int], kind: int) -> None:
        position, at = self.position, self.messages
        for one in found:
            record = known.get(one)
            if record is None:
                record = known[one] = [1, position, -1, 0, 0, at]
            elif record[SEEN_AT] != at:
                record[MESSAGES] += 1
                record[SEEN_AT] = at
                record[LAST] = position
            if kind == USER:
                record[USER] = at
            elif kind != PROSE:
                record[kind] += 1


def has_figure(word: str) -> bool:
    """Whether a word holds a digit or an underscore."""
    if "_" in word:
        return True
    return not _FIGURES.isdisjoint(word) if word.isascii() else any(map(str.isdigit, word))


@dataclass(frozen=True, slots=True)
class Need:
    """The gain of showing each word and phrase: its probability of being needed, times its information.

    The gains of words add up to 1, and so do those of phrases. `vocabulary` numbers the words.
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


def expected(
    reader: Reader,
    trained: tuple[tuple[float, ...], tuple[float, ...]] | None = None,
    among: Iterable[int] | None = None,
) -> Generator[None, None, Need]:
    """Return what is expected to be needed, yielding None between small pieces of work; of phrases only those `among`,
    None for all.
    """
    by_word, by_phrase = trained or weights()
    messages = reader.messages
    judged = _Judged(reader, by_word)
    words, figures = reader.words, by_word[WORD_FEATURES.index("figure")]
    size = len(reader.vocabulary.numbers)
    logits, lengths = [-MAX_LOGIT] * size, [1] * size
    gains: dict[int, float] = {}
    for at, (word, number) in enumerate(reader.vocabulary.numbers.items()):
        if at % STEP == 0:
            yield
        figure = has_figure(word)
        lengths[number] = -len(word) if figure else len(word)
        record = words.get(number)
        if record is None:
            continue
        logit = judged.of(record) + (figures if figure else 0.0)
        if len(word) > LONG_WORD_CHARS:
            logit += judged.length
        logits[number] = logit = max(-MAX_LOGIT, min(MAX_LOGIT, logit))
        if record[MESSAGES] * COMMON_SHARE < messages:
            gains[number] = log(messages / record[MESSAGES]) / (1 + exp(-logit))
    yield
    whole = yield from _of_phrases(reader, by_phrase, among, logits, lengths)
    yield
    return Need(reader.vocabulary, _shares(gains), _shares(whole))


def _of_phrases(
    reader: Reader,
    trained: tuple[float, ...],
    among: Iterable[int] | None,
    logits: Sequence[float],
    lengths: Sequence[int],
) -> Generator[None, None, dict[int, float]]:
    """The probability that each phrase is needed, from the logits and lengths of words by their numbers."""
    judged = _Judged(reader, trained)
    base, phrases = judged.of, reader.phrases
    figures, mean, least = (trained[PHRASE_FEATURES.index(name)] for name in ("figure", "mean", "least"))
    by_length = [judged.length * log(2 + size) for size in range(MAX_LENGTH)]
    found: dict[int, float] = {}
    third = mean / 3
    for at, phrase in enumerate(phrases if among is None else among):
        if at % STEP == 0:
            yield
        record = phrases.get(phrase)
        if record is None:
            continue
        one, two, three = phrase >> 2 * WORD_BITS, (phrase >> WORD_BITS) & _LEAST, phrase & _LEAST
        a, b, c = logits[one], logits[two], logits[three]
        la, lb, lc = lengths[one], lengths[two], lengths[three]
        logit = base(record) + third * (a + b + c) + least * min(a, b, c)
        if la < 0 or lb < 0 or lc < 0:
            logit += figures
        logit += by_length[min(abs(la) + abs(lb) + abs(lc), MAX_LENGTH - 1)]
        found[phrase] = 1 / (1 + exp(-max(-MAX_LOGIT, min(MAX_LOGIT, logit))))
    return found


class _Judged:
    """What the features that words and phrases share add to a logit, cached."""

    def __init__(self, reader: Reader, trained: Sequence[float]) -> None:
        self._reader = reader
        self._weight = dict(zip(WORD_FEATURES, trained, strict=False))
        self.length = self._weight["length"]
        self._known: dict[tuple[int, int, int], float] = {}

    def of(self, record: Sequence[int]) -> float:
        """The sum without length and figure, which are not in the record."""
        messages, last, user, arguments, results, _ = record
        key = (messages, last, results)
        found = self._known.get(key)
        if found is None:
            weight, age = self._weight, self._reader.position - last
            found = self._known[key] = (
                weight["bias"]
                + weight["messages"] * log1p(messages)
                + weight["short"] * exp(-age / SHORT_CHARS)
                + weight["long"] * exp(-age / LONG_CHARS)
                + weight["results"] * log1p(results)
            )
        if arguments:
            found += self._weight["arguments"]
        return found + self._weight["newest"] if user == self._reader.newest_request else found


def focused(need: Need, focus: str) -> Need:
    """The need with a focus on some words, which are needed as much as all others together.

    Words that most messages have are ignored, unless the focus has no others.
    """
    numbers = {need.vocabulary.numbers.get(word, -1) for word in words(focus)} - {-1}
    wanted = numbers & need.words.keys() or numbers
    more = {number: need.words.get(number, 0.0) + 1 / len(wanted) for number in wanted}
    return replace(need, words=_shares({**need.words, **more}))


def _shares(gains: dict[int, float]) -> dict[int, float]:
    total = sum(gains.values())
    return {one: gain / total for one, gain in gains.items()} if total else gains
