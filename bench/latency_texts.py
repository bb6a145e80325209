"""Invented messages in the proportions of real ones: a few words are everywhere, most are rare, some are names.

Words follow Zipf's law over a vocabulary of made-up ones, as words of any language do. A few planted words occur in a
known share of the messages, so that a query can say how common its words are; paths and identifiers, which no other
message holds, stand for what agents look for most.
"""

from __future__ import annotations

import itertools
import random
from functools import cache

VOCABULARY = 40_000
MEAN_WORDS = 34
"""With what is planted and named this makes messages of about 226 characters."""

PLANTED = {
    "compass": 1 / 3,
    "lantern": 1 / 3,
    "harbour": 0.1,
    "anchor": 0.02,
    "breakwater": 0.002,
    "sextant": 0.0001,
}
"""A word, and the share of the messages that hold it. The first two stand in every third: 300,000 of 900,000."""

NAMED_SHARE = 0.15
"""Of the messages so many name a path and an identifier."""

CHINESE_SHARE = 0.02
_CHINESE = "我们 昨天 把 灯塔 的 时间表 改成 星期三 因为 渡轮 晚点 了 请 检查 缓存".split()
_ONSETS = "b c d f g h l m n p r s t v br cl dr fl gr pl st tr".split()
_VOWELS = "a e i o u ai ea ou".split()
_CODAS = ("", "n", "r", "s", "t", "l", "m", "ck")


class Writer:
    """Writes messages; the same seed writes the same ones."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._words = vocabulary()
        self._shares = list(itertools.accumulate(1 / (place + 2.7) for place in range(VOCABULARY)))
        self._count = 0

    def write(self) -> str:
        """The next message."""
        chance = self._chance
        if chance.random() < CHINESE_SHARE:
            return "".join(chance.choices(_CHINESE, k=MEAN_WORDS)) + "。"
        size = max(3, int(chance.gammavariate(2.0, MEAN_WORDS / 2)))
        words = chance.choices(self._words, cum_weights=self._shares, k=size)
        for word, share in PLANTED.items():
            if chance.random() < share:
                words[chance.randrange(size)] = word
        if chance.random() < NAMED_SHARE:
            words.append(self._name(words))
        return " ".join(words) + "."

    def _name(self, words: list[str]) -> str:
        digits = f"{self._chance.getrandbits(40):010x}"
        self._count += 1
        return f"`src/{words[0]}/{words[-1]}_{digits[:6]}.py` {words[1]}_{digits[6:]}_{self._count}"


@cache
def vocabulary() -> list[str]:
    """Made-up words from the most frequent to the rarest, the frequent ones short."""
    chance = random.Random(0)
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        syllables = 1 if len(words) < 200 else chance.choice((2, 2, 3))
        word = "".join(chance.choice(_ONSETS) + chance.choice(_VOWELS) for _ in range(syllables))
        words[word + chance.choice(_CODAS)] = None
    return list(words)
