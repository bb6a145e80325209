"""Stemming: Porter's stems of English, with irregular forms folded first (went is go, children child).

The word indexes stem in the same way but fold nothing, so a question passes every form of its words to them.
"""

from __future__ import annotations

from functools import lru_cache

from palimpsest.lazy_regex import later
from palimpsest.search.english_words import IRREGULAR

MAX_STEMMED_CHARS = 40
_CACHED_WORDS = 20_000

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("logi", "log"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic", "ou",
)  # fmt: skip
_VOWELS_THEN_REST = later(r"[aeiou]+[^aeiou]+")


def _shape(stem: str) -> str:
    """Return the stem with vowels, and each y after a consonant, marked as vowels, the others as consonants."""
    if "y" not in stem:
        return stem
    shape = ""
    for char in stem:
        shape += ("i" if shape and shape[-1] not in "aeiou" else "j") if char == "y" else char
    return shape


def _measure(stem: str) -> int:
    """Return how often consonants follow a run of vowels."""
    return len(_VOWELS_THEN_REST.findall(_shape(stem)))


def _has_vowel(stem: str) -> bool:
    return any(char in "aeiou" for char in _shape(stem))


def _ends_short(stem: str) -> bool:
    """Return whether it ends in consonant, vowel, consonant other than w, x, y."""
    if len(stem) < 3 or stem[-1] in "wxy":
        return False
    shape = _shape(stem)
    return shape[-1] not in "aeiou" and shape[-2] in "aeiou" and shape[-3] not in "aeiou"


def _doubled(stem: str) -> bool:
    return len(stem) > 1 and stem[-1] == stem[-2] and stem[-1] not in "aeiou"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word:
            break
    else:
        return word
    if not _has_vowel(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _doubled(stem) and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, other in endings:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            return stem + other if _measure(stem) > 0 else word
    return word


def _without_ending(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            fits = _measure(stem) > 1 and (ending != "ion" or stem.endswith(("s", "t")))
            return stem if fits else word
    return word


def porter(word: str) -> str:
    """Return Porter's stem of a word in lower case."""
    if len(word) < 3:
        return word
    word = _past(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _without_ending(_replaced(_replaced(word, _STEP_2), _STEP_3))
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


@lru_cache(maxsize=_CACHED_WORDS)
def stem(word: str) -> str:
    """Return the base form of a word in lower case; a non-English or very long word stays unchanged.

    A plural has the form of its singular, also if that is folded to another word: `decisions` and `decision` become
    `decide`. Other endings do not: a firm that was `founded` was not found.
    """
    if not word.isascii() or not word.isalpha() or len(word) > MAX_STEMMED_CHARS:
        return word
    return porter(IRREGULAR.get(word) or IRREGULAR.get(word.removesuffix("s"), word))
