"""Whether a sentence has something done that is still open, however much else it tells of it.

Rules kept here:

- What is left to do is told as done where one clause has nearly all of its words and tells a deed, or has its state
  beside it ("...: done, ...", "... (completed, ...)").
- What a sentence adds makes nothing done; it may only take the deed back ("..., which is not written yet").
- A sign of a deed, or of a plan, that stands in the words of the task itself tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.told import DONE, FAILED, OF_USER, PLANNED, words_in
from palimpsest.summarize.injections import REPORTED
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.orders import SPARES

HELD_SHARE = 0.75
"""So much of what is left to do stands in a clause that speaks of it."""
LEAST, LEAST_MARKED = 3, 2
"""So many words it has at least, and where its state is told beside it; a sign of a script without spaces is half a
word.
"""
MAX_CLAUSES = 24

_CLAUSE = later(
    r"\s?[,;:]\s|[,;:](?=[\u3040-\u9fff])|[，；：、。]|\s[–—-]{1,2}\s|\s?[(（\[]|[)）\]]\s?",
)
_BEHIND, _ASIDE = later(r"[(（][^()（）]{0,300}[)）]?\W{0,3}$"), later(r"[()（）]")
_STATE = later(
    r"\W{0,4}(?:(?:it |this )?(?:is|was|has been|ist|wurde|est|está|all|now|already|jetzt|bereits|schon|déjà|"
    r"ya)\s){0,2}"
    r"(?:done|completed?|finished|erledigt|fertig\w*|abgeschlossen|umgesetzt|terminé\w*|fait\w*|achevé\w*|hech[oa]s?|"
    r"completad[oa]s?|terminad[oa]s?|list[oa]s?|feit[oa]s?|concluíd[oa]s?|fatt[oa]|completat[oa]|klaar|gotow[eya]|"
    r"готов\w*|выполнен\w*|сделан\w*)(?![\w-])|"
    r"\W{0,4}(?:(?:I|we|the assistant) (?:have |has )?)?(?!need|requir|plann|request|propos|suggest|ask|relat|"
    r"bas|block|schedul|assign|limit|delay|postpon)\w{3,20}ed\b(?! by\b)|"
    r"\W{0,4}(?:我|已)?(?:已经?|全部)?(?:完成|做完|写好|加好)|\W{0,4}(?:我?已)|\W{0,4}(?:対応|実装|追加|作成)?(?:完了|済)|"
    r"\W{0,4}(?:완료|끝)|\W{0,4}[✅✔☑]",
    re.IGNORECASE,
)
"""How the state of what is named before is told."""
_NOT_YET = later(
    r"\b(?:not|never|yet|still|pending|open|to ?do|left|remains?|remaining|missing|nicht|noch|offen\w*|aussteh\w*|"
    r"fehlt|pas|encore|reste|aún|todavía|pendiente|falta\w*|ainda|falta|ancora|manca|не|ещё|еще|осталось|nog|niet)\b|"
    r"n't\b|未|尚|还[没差需]|待|まだ|残り|残って|ません|ない|아직|않|남",
    re.IGNORECASE,
)
_DEED = later(
    r"^\W{0,4}(?:the |our |their )?[\w-]+(?: [\w-]+){0,2} (?:has |have )?\w{3,20}ed\b|[\u3400-\u9fff]了", re.I
)
"""How it is told that somebody did something."""


@dataclass(frozen=True, slots=True)
class Left:
    """What is left to do, as it is written, and its words."""

    text: str
    words: frozenset[str]

    @property
    def weight(self) -> float:
        return sum(0.5 if len(word) == 1 and not word.isascii() else 1 for word in self.words)


def has_done(sentence: str, left: Left) -> bool:
    """Whether a sentence tells as done what is left to do."""
    if left.weight < LEAST_MARKED or any(one[0] not in left.text for one in _NOT_YET.finditer(sentence)):
        return False
    flat = _ASIDE.sub(" ", _BEHIND.sub("", sentence))
    return any(_tells(clauses, left) for clauses in map(_clauses, dict.fromkeys((sentence, flat))))


def has_state(sentence: str, task: str) -> bool:
    """Whether a part of a sentence tells the state of what another part names, in words that the task does not have."""
    pairs = pairwise(_clauses(sentence))
    return any(found and found[0].strip() not in task for pair in pairs for found in _states(*pair))


def _states(before: str, behind: str) -> tuple[re.Match[str] | None, ...]:
    """The state that is told in front of what two clauses stand around, and behind it."""
    return _STATE.match(behind), _STATE.fullmatch(before.strip())


def _clauses(sentence: str) -> list[str]:
    return [one for one in _CLAUSE.split(sentence) if one.strip()][:MAX_CLAUSES]


def _tells(clauses: Sequence[str], left: Left) -> bool:
    for before, one, behind in _with_neighbours(clauses):
        if len(with_forms(left.words, words_in(one))) < HELD_SHARE * len(left.words):
            continue
        if any(_has(sign, one, left) for sign in (PLANNED, FORBIDS, SPARES, FAILED, REPORTED, OF_USER)):
            continue
        marked = any(found and found[0].strip() not in left.text for found in _states(before, behind))
        if marked or (left.weight >= LEAST and any(_has(sign, one, left) for sign in (DONE, _DEED))):
            return True
    return False


def _with_neighbours(clauses: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for (before, one), (_, behind) in pairwise(pairwise(("", *clauses, ""))):
        yield before, one, behind


def _has(sign: re.Pattern[str], clause: str, left: Left) -> bool:
    """Whether a clause has a sign that is no part of the words of what is left."""
    return any(found[0].strip() not in left.text for found in sign.finditer(clause))
