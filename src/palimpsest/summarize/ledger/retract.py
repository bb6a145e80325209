"""Which rules a sentence takes back: what it allows, changes or replaces, held against what a rule says.

Rules kept here:

- What forbids is taken back only by what speaks of all that it forbids: "never import on production" stands beside
  "actually, import on staging", and a path is no other path.
- Of what says that it changes something and is the same as a rule but for one word, that word takes the other's place.
- What says by name what it replaces ("pnpm instead of yarn"), or that a ban is lifted, takes back the rule about that:
  one that says little else, or shares more with it.
- What is replaced only in a place that the rule does not name ("use spaces in YAML instead of tabs") stands beside it.
- What allows something that a rule forbids takes its place where it says nothing else; where it allows less, or
  something beside, both stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.anycase import Cue
from palimpsest.summarize.spoken.changes import (
    ADDING,
    CHANGED,
    COMMON,
    CONTRAST,
    DEMANDING,
    EARLIER,
    HELPING,
    INSTEAD,
    LATER,
    PLACES,
    REASON,
    WHY,
    Swap,
    swap_in,
    tells_of_others,
)
from palimpsest.summarize.spoken.cues import CHANGING, FORBIDS
from palimpsest.summarize.spoken.orders import LIMITS, NOW, PERMITS, SPARES

SAME_SHARE = 0.5
"""A rule that is taken back shares this part of its words, and at least two, with what takes it back."""
MIN_TERMS = 2
SHORT_TERMS = 2
"""Of two rules as short as this their first word decides: "use tabs", "no, use spaces"."""
MAX_READ = 1_024
"""Sentences whose words are kept: each is held against every rule of its conversation, which are a few hundred."""
REST_TERMS = 1
"""A rule that says at most so much beside what is not done any more is about that."""

VERB_CHARS = 3
"""Two forms of a verb begin with so many letters alike: "abras", "abrir"."""

_KANA = later(r"[\u3041-\u3096]")
_STEMS = later(r"[\u4e00-\u9fff]{2}|[\u4e00-\u9fff](?![\u4e00-\u9fff])|[\u30a1-\u30fc]{2,}|[A-Za-z][\w-]+")
_HANGUL = later(r"(?<![\uac00-\ud7a3])[\uac00-\ud7a3]{2}")
_PERMITS = Cue(PERMITS)
_FIRST = later(r"\w+")
_NO, _DIGIT = later(r"\bno\b", re.IGNORECASE), later(r"\d")


@dataclass(frozen=True, slots=True)
class Standing:
    """A rule as others may take it back: its words, those besides what demands in Chinese, those besides what forbids,
    how often it says no, whether it forbids without one, what it names only for contrast, its first word.
    """

    words: frozenset[str]
    bare: frozenset[str]
    forbidden: frozenset[str]
    noes: int
    spares: bool
    contrast: frozenset[str]
    first: str
    text: str


@dataclass(frozen=True, slots=True)
class Taking:
    """What a sentence may take back: `allowed` are the words that it allows, None where it allows nothing, `fresh` that
    it says that this is new, `limited` that it allows only some of it. `words` are those of what it puts in place of a
    rule, None where it changes nothing; with how often they say no, the first, how it begins and whether it goes on so.
    `old` are the words of what `swap` says is replaced, `topic` of what no rule is about any more, `all` its own;
    `others` that it says what others do.
    """

    allowed: frozenset[str] | None
    words: frozenset[str] | None
    fresh: bool
    limited: bool
    noes: int
    first: str
    begins: bool
    goes_on: bool
    swap: Swap
    old: frozenset[str]
    topic: frozenset[str]
    all: frozenset[str]
    others: bool
    text: str


def taken_by(taking: Taking, rules: dict[str, str], *, next_to: bool) -> list[str]:
    """The keys of the rules that are taken back; `next_to` says that none was said behind the last of them. What only
    names what a rule is about takes none back where there are several such.
    """
    standing = {key: standing_of(text) for key, text in rules.items()}
    last = next(reversed(rules), "") if next_to else None
    about = [key for key, rule in standing.items() if rule.text != taking.text and _is_about(taking, rule)]
    return [
        key for key, rule in standing.items() if about == [key] or _takes(taking, rule, next_to=key == last)
    ]


@lru_cache(MAX_READ)
def standing_of(rule: str) -> Standing:
    """A rule as others may take it back."""
    words, noes = words_of(rule), len(FORBIDS.findall(rule))
    forbidden = words_of(FORBIDS.sub(" ", rule)) if noes else words
    forbidden = forbidden - COMMON or forbidden
    bare = words_of(DEMANDING.sub(" ", rule)) if DEMANDING.search(rule) else words
    spares = bool(SPARES.search(rule))
    contrast = words_of(" ".join(match["not"] for match in CONTRAST.finditer(rule)))
    return Standing(words, bare, forbidden, noes, spares, contrast, _first(rule), rule)


@lru_cache(MAX_READ)
def taking_of(text: str) -> Taking | None:
    """What a sentence may take back; None where it neither allows nor changes anything, as most do not."""
    opening, goes_on = CHANGING.match(text), CHANGED.stands_in(text)
    new = text[opening.end() :] if opening else text
    allows = permits(text, new)
    changes = (bool(opening) or goes_on) and not ADDING.search(text)
    swap = swap_in(text)
    if not allows and not changes and not swap.old and not swap.topic:
        return None
    allowed = words_of(NOW.sub(" ", PERMITS.sub(" ", REASON.sub("", new)))) if allows else None
    words = words_of(new) if changes else None
    return Taking(
        allowed,
        words,
        fresh=bool(NOW.search(text)),
        limited=bool(LIMITS.search(PERMITS.sub(" ", text))),
        noes=len(FORBIDS.findall(new)),
        first=_first(new),
        begins=bool(opening),
        goes_on=goes_on,
        swap=swap,
        old=words_of(swap.old) - COMMON,
        topic=words_of(swap.topic),
        all=words_of(new),
        others=tells_of_others(text),
        text=text,
    )


def permits(text: str, new: str) -> bool:
    """Whether a sentence allows something. A bare "no" forbids nothing there: "you can push, no problem"."""
    return (
        not text.endswith(("?", "？")) and _PERMITS.stands_in(text) and not FORBIDS.search(_NO.sub("", new))
    )


def held_by(taking: Taking, rule: Standing) -> set[str]:
    """The words of a rule that what allows something says; none where the rule forbids nothing."""
    if not (rule.noes or rule.spares) or taking.allowed is None:
        return set()
    return _meant(rule.forbidden, taking.allowed)


def _takes(taking: Taking, earlier: Standing, *, next_to: bool) -> bool:
    if taking.others and taking.first != earlier.first:
        return False
    allows = taking.allowed is not None and not taking.limited and not _is_of_other_time(taking, earlier)
    if allows and _lifts(taking, earlier):
        return True
    if allows and taking.allowed is not None:
        held = held_by(taking, earlier)
        sure = taking.begins and taking.fresh
        few = min(MIN_TERMS, len(earlier.forbidden))
        enough = len(held) >= (1 if sure else max(few, SAME_SHARE * len(earlier.forbidden)))
        if enough and not taking.allowed - _meant(taking.allowed, earlier.forbidden):
            return True
    if _replaces(taking, earlier):
        return True
    if taking.words is None or (
        taking.swap.old and not taking.swap.ended and not taking.begins and not earlier.noes
    ):
        return False
    said, before = taking.words, earlier.words
    if taking.swap.ended and any(map(_DIGIT.search, said - before)):
        return False
    if said <= before and taking.noes == earlier.noes:
        return False
    shared = len(with_forms(before, said))
    if _demands_contrast(taking, earlier) or says_anew(said, before):
        return True
    if earlier.noes and not earlier.forbidden <= _meant(earlier.forbidden, said):
        return False
    if earlier.noes and earlier.forbidden and taking.begins and not taking.noes:
        return True
    alike = ((own, len(with_forms(own, said))) for own in (before, earlier.bare))
    if any(again >= max(MIN_TERMS, SAME_SHARE * len(own)) for own, again in alike):
        return True
    short = max(len(said), len(before)) <= SHORT_TERMS
    one_other = 1 <= shared == len(before) - 1 == len(said) - 1 and taking.noes == earlier.noes
    if taking.begins and one_other and taking.first == earlier.first:
        return True
    same_form = taking.first == earlier.first and (short or shared >= SAME_SHARE * len(before))
    return taking.begins and (next_to or taking.goes_on) and same_form


def _lifts(taking: Taking, earlier: Standing) -> bool:
    """Whether a sentence says that what a rule forbids may be done again, or now after all: most of it, and nothing
    beside, but for why.
    """
    if not (taking.fresh and (earlier.noes or earlier.spares)):
        return False
    ban = done(FORBIDS.sub(" ", WHY.sub("", earlier.text)))
    may = done(NOW.sub(" ", PERMITS.sub(" ", WHY.sub("", taking.text))))
    held = _meant(ban, may)
    more, less = may - _meant(may, ban), ban - held
    if len(more) == len(less) == 1 and next(iter(more))[:VERB_CHARS] == next(iter(less))[:VERB_CHARS]:
        return bool(held)
    return bool(ban) and not more and len(held) >= max(min(MIN_TERMS, len(ban)), SAME_SHARE * len(ban))


def done(text: str) -> frozenset[str]:
    """The words of what is allowed or forbidden; of Korean and Japanese ones how they begin, before what is put behind
    them.
    """
    stems = frozenset(_HANGUL.findall(text) or (_STEMS.findall(text) if _KANA.search(text) else ()))
    return (stems or words_of(text)) - COMMON - HELPING


def _is_of_other_time(taking: Taking, earlier: Standing) -> bool:
    """Whether a rule speaks of the time before something, and a sentence of the time after it."""
    before = (EARLIER.search(text) is not None for text in (taking.text, earlier.text))
    return len(set(before)) > 1 and LATER.search(taking.text) is not None


def says_anew(said: frozenset[str], before: frozenset[str]) -> bool:
    """Whether a changed mind says all that a rule says, but for numbers, and has others in their place."""
    old, new = (frozenset(filter(_DIGIT.search, words)) for words in (before, said))
    rest = before - old
    return bool(old and rest and new - old) and not old <= new and rest <= _meant(rest, said)


def _demands_contrast(taking: Taking, earlier: Standing) -> bool:
    """Whether a changed mind demands what a rule named only for contrast, about the same."""
    contrast, said = earlier.contrast, taking.words or frozenset()
    if not contrast or taking.noes or not taking.begins or len(_meant(contrast, said)) < len(contrast):
        return False
    about = earlier.words - contrast - COMMON
    return 2 * len(_meant(about, said)) >= len(about) - 1 and bool(_meant(about, said))


def _replaces(taking: Taking, earlier: Standing) -> bool:
    """Whether a sentence says by name that what a rule demands is replaced: the rule says little else, or most of what
    it says beside is said again.
    """
    spelt = not taking.swap.old.isascii() and taking.swap.old in earlier.text
    named = spelt or len(_meant(taking.old, earlier.bare)) == len(taking.old)
    if not taking.old or earlier.noes or not named:
        return False
    if _narrows(taking, earlier):
        return False
    rest = earlier.bare - COMMON - _meant(earlier.bare, taking.old)
    again = _meant(rest, taking.all - taking.old)
    most = len(again) > SAME_SHARE * len(rest) or (taking.swap.ended and len(again) >= SAME_SHARE * len(rest))
    return len(rest) <= (REST_TERMS if taking.swap.stops else 0) or most


def _narrows(taking: Taking, earlier: Standing) -> bool:
    """Whether what is replaced is so only in a place, or for something, that the rule does not name."""
    fresh = taking.all - taking.old - _meant(taking.all, earlier.words) - COMMON - INSTEAD
    places = words_of(" ".join(match["place"] for match in PLACES.finditer(taking.text)))
    return bool(fresh & places and fresh - places)


def _is_about(taking: Taking, earlier: Standing) -> bool:
    """Whether a rule is about what a sentence says that no rule is about any more; for most of its own words, where it
    is not said that this is a rule.
    """
    swap = taking.swap
    if not taking.topic or (swap.bans and not earlier.noes) or (swap.turns and "用" not in earlier.text):
        return False
    own = earlier.forbidden - COMMON
    if swap.vague and len(_meant(own, taking.topic)) < SAME_SHARE * len(own):
        return False
    named = len(_meant(taking.topic, earlier.words))
    return named > SAME_SHARE * len(taking.topic) or (2 * named == len(taking.topic) and not swap.bans)


def _meant(words: frozenset[str], said: frozenset[str]) -> set[str]:
    """Which of these words others say, in whatever form; a path only as it is."""
    return {one for one in with_forms(words, said) if "/" not in one or one in said}


def words_of(rule: str) -> frozenset[str]:
    """The terms of a rule; a path is one."""
    paths = list(find_paths(rule))
    for path in paths:
        rule = rule.replace(path, " ")
    return frozenset((*terms(rule), *paths))


def _first(rule: str) -> str:
    found = _FIRST.search(rule.lower())
    return found[0] if found else ""
