"""Which languages a text is in: by its script, and in Latin letters by its little words.

Rules kept here:

- A language counts with a good part of a text. Where letters or little words are too few, nothing is said about it.
- Two texts of which nothing is known agree.
"""

from __future__ import annotations

from collections import Counter

from palimpsest.patterns import later

MIN_LETTERS = 60
MIN_STOPS = 8
"""Letters and little words below which nothing is said about a language."""
FEW_STOPS = 3
"""Of a user who says less, so many little words tell the language."""
SAME_SHARE = 0.25
"""A language with this share of what was said is one of the conversation's."""

_LATIN = later(r"[A-Za-z\u00c0-\u024f]")
_SCRIPTS = (
    ("han", later(r"[\u3400-\u9fff\uf900-\ufaff]")),
    ("kana", later(r"[\u3040-\u30ff]")),
    ("hangul", later(r"[\uac00-\ud7af]")),
    ("cyrillic", later(r"[\u0400-\u04ff]")),
    ("arabic", later(r"[\u0600-\u06ff]")),
    ("hebrew", later(r"[\u0590-\u05ff]")),
    ("devanagari", later(r"[\u0900-\u097f]")),
    ("thai", later(r"[\u0e00-\u0e7f]")),
    ("greek", later(r"[\u0370-\u03ff]")),
    ("latin", _LATIN),
)
_DENSE = frozenset(("han", "kana", "hangul"))
"""Scripts in which a letter says about three times as much."""
_STOPS = {
    "en": "the and of to is was that with for this not from are be it has have which were will",
    "de": "der die das und ist nicht ein eine zu den mit von für auf im dem sich wurde werden wird noch dass",
    "fr": "le les et est une des du dans pour pas sur au qui que avec sont été ne ce il elle cette",
    "es": "el los las y una del por con para su que es se está fue más como pero ya este esta",
    "pt": "o os as e um uma do da em para com não que foi mais como mas já este esta está",
    "it": "il lo gli e un una di che non per con è sono del della nel alla anche stato questo",
    "nl": "de het een en van is niet dat met voor op te zijn wordt ook naar aan deze werd",
}
_LANGUAGES = {language: frozenset(words.split()) for language, words in _STOPS.items()}
_WORD = later(r"[^\W\d_]+")


def languages(text: str, least: int = 0) -> frozenset[str]:
    """The languages that make up a good part of a text; for Latin letters by their little words. Of so few letters that
    its language is not sure, those of other scripts tell it from `least` on.
    """
    letters = {
        script: len(pattern.findall(text)) * (3 if script in _DENSE else 1) for script, pattern in _SCRIPTS
    }
    whole = sum(letters.values())
    if whole - letters["latin"] * (whole < MIN_LETTERS) < (least or MIN_LETTERS):
        return frozenset()
    found = {script for script, count in letters.items() if count >= SAME_SHARE * whole}
    if "kana" in found or letters["kana"] * 8 >= whole:
        found = (found | {"kana"}) - {"han"}
    if "latin" in found:
        found.discard("latin")
        found |= _latin(text, FEW_STOPS if least else MIN_STOPS) or {"latin"}
    return frozenset(found)


def agree(own: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether two texts can be in one language; in Latin letters with too few little words, any of theirs."""
    if not own or not theirs or own & theirs:
        return True
    latin = {"latin", *_LANGUAGES}
    return bool(own & latin and theirs & latin) and ("latin" in own or "latin" in theirs)


def _latin(text: str, least: int) -> set[str]:
    words = Counter(_WORD.findall(text.lower()))
    hits = {language: sum(words[word] for word in stops) for language, stops in _LANGUAGES.items()}
    best = max(hits.values())
    return {language for language, hit in hits.items() if hit >= 0.6 * best} if best >= least else set()


def latin_letters(text: str) -> int:
    """How many Latin letters a text has."""
    return len(_LATIN.findall(text))
