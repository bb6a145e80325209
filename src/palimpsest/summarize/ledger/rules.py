"""The user's rules: the newest word counts.

Rules kept here:

- A rule that takes another back ("no, use spaces after all") takes its place, where it says that it does and shares
  most of its words, or answers the rule just before it in the same form. Both stay where that is not clear: in the
  order in which they were said, so that a reader knows which one counts.
- What forbids is taken back only by what speaks of all that it forbids: "never import on production" stands beside
  "actually, import on staging", and a path is no other path.
- Of what says that it changes something and is the same as a rule but for one word, that word takes the other's place.
- A changed mind that says a rule again with other numbers takes its place, whether that forbids or not.
- What adds to a rule ("also run the linter before a commit") takes nothing back.
- What says by name what it replaces ("pnpm instead of yarn"), or that a ban is lifted, takes back the rule about that:
  one that says little else, or shares more with it.
- What allows something that a rule forbids ("you can push to main now") is as good as a rule. It takes the rule's place
  where it says nothing else; where it allows less, or something beside, both stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.ledger.entries import Entry, Ledger, normal, note_dropped, note_line, template
from palimpsest.summarize.ledger.new_figures import counts_anew
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.anycase import Cue
from palimpsest.summarize.spoken.changes import (
    ADDING,
    CHANGED,
    COMMON,
    CONSENTS,
    CONTRAST,
    DEMANDING,
    REASON,
    Swap,
    swap_in,
    tells_of_others,
)
from palimpsest.summarize.spoken.cues import CHANGING, FORBIDS, LEADING
from palimpsest.summarize.spoken.errands import bids_once
from palimpsest.summarize.spoken.orders import LIMITS, NOW, PERMITS, SPARES
from palimpsest.summarize.spoken.remarks import LASTING_WEIGHT

SAME_SHARE = 0.5
"""A rule that is taken back shares this part of its words, and at least two, with what takes it back."""
MIN_TERMS = 2
SHORT_TERMS = 2
"""Of two rules as short as this their first word decides: "use tabs", "no, use spaces"."""
RELATED_SHARE = 0.33
"""So many of the words of what was told are in a rule that says that something changes."""
FEW_TERMS = 3
"""Of a sentence of so few words one that is shared tells enough."""
MAX_JOINED, JOINED_WEIGHT = 3, 0.25
"""So many told sentences may join the rules that are about the same, and weigh so little there."""
MAX_READ = 1_024
"""Sentences whose words are kept: each is held against every rule of its conversation, which are a few hundred."""

_PERMITS = Cue(PERMITS)
REST_TERMS = 1
"""A rule that says at most so much beside what is not done any more is about that."""
_FIRST = later(r"\w+")
_PARTS = later(r"[,;，、；](?!\d)")
_NO, _DIGIT = later(r"\bno\b", re.IGNORECASE), later(r"\d")


@dataclass(frozen=True, slots=True)
class _Standing:
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
class _Taking:
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


def note_rule(ledger: Ledger, text: str, weight: float = 1.0) -> None:
    """Note a rule of the user's, and let go of one that it takes back, and of what he only told."""
    table = ledger.tables["rule"]
    leading = LEADING.match(text)
    if leading and normal(text[leading.end() :]) in table:
        text = text[leading.end() :]
    taking = _taking(text)
    for lines, next_to in ((table, True), (ledger.tables["remark"], False)):
        texts = {key: entry.text for key, entry in lines.items()}
        taken = _taken(taking, texts, next_to=next_to) if taking is not None else []
        anew = (key for key, rule in texts.items() if counts_anew(text, rule))
        for key in dict.fromkeys((*taken, *anew)):
            _let_go(ledger, lines.pop(key), text)
    if taking is not None or NOW.search(text):
        _join(ledger, text)
    note_line(ledger, "rule", text, weight)


def _let_go(ledger: Ledger, entry: Entry, text: str) -> None:
    """Note that a rule was taken back, where what takes its place does not only say it again, or goes on from it."""
    if ledger.seq not in entry.seqs and not _says_again(text, entry.text):
        note_dropped(ledger, entry.text, entry.seqs[0] if entry.seqs else 0)


def _says_again(text: str, rule: str) -> bool:
    """Whether a sentence demands what a rule does, in other words: both say no, or neither, of much the same."""
    one, other = _standing(NOW.sub(" ", text)), _standing(rule)
    if bool(one.noes) != bool(other.noes) or swap_in(text).topic or _permits(text, text):
        return False
    said, before = one.forbidden - COMMON, other.forbidden - COMMON
    if not said or not before or counts_anew(text, rule) or _counts_anew(said, before):
        return False
    again, shared = with_forms(said, before), with_forms(before, said)
    less = len(again) == len(said) or len(shared) == len(before)
    return less and 2 * len(shared) >= len(before) and 2 * len(again) >= len(said)


def note_remark(ledger: Ledger, text: str, weight: float) -> None:
    """Note what the user only told; as a rule where it says no, when or how often of what a rule is about: of these
    the newest word counts.
    """
    table = ledger.of("rule")
    if normal(text) in table:
        note_rule(ledger, text, table[normal(text)].weight)
    elif weight >= LASTING_WEIGHT and template(text) not in ledger.of("remark") and _may_join(text, table):
        note_rule(ledger, text, JOINED_WEIGHT)
    else:
        note_line(ledger, "remark", text, weight)


def _may_join(text: str, rules: Mapping[str, Entry]) -> bool:
    """Whether a sentence is about what a rule is about, and few have joined them already."""
    own = [entry for entry in rules.values() if entry.weight > JOINED_WEIGHT]
    few = len(rules) - len(own) < MAX_JOINED
    return few and any(_is_related(text, entry.text, SAME_SHARE) for entry in own)


def _join(ledger: Ledger, text: str) -> None:
    """Put what was told before about what a rule is about among the rules, so that they stand as they were said. What
    was told many times is no condition but reports.
    """
    told = ledger.tables["remark"]
    related = [key for key, entry in told.items() if entry.weight and _is_related(text, entry.text)]
    if not related or len(related) > MAX_JOINED:
        return
    joined = {normal(entry.text): entry for entry in map(told.pop, related)}
    rules = {key: replace(one, kind="rule", weight=JOINED_WEIGHT) for key, one in joined.items()}
    rules = {key: one for key, one in rules.items() if key != normal(text)} | ledger.tables["rule"]
    ledger.tables["rule"] = dict(sorted(rules.items(), key=lambda item: item[1].at))


def _is_related(one: str, other: str, share: float = RELATED_SHARE) -> bool:
    """Whether two sentences share such a part of the words of the shorter one; of more than a few words two."""
    first, second = (_standing(text).words - COMMON for text in (one, other))
    least = min(len(first), len(second))
    terms = MIN_TERMS if least > FEW_TERMS or share >= SAME_SHARE else 1
    shared = with_forms(first, second) if terms > 1 else first & second
    return bool(least) and len(shared) >= max(terms, share * least)


def lifts(ledger: Ledger, text: str) -> bool:
    """Whether a sentence that is no rule by itself takes one back: "you may push to main from now on"; or allows some
    of what one forbids: it shares words with it, or one and says that this is new; or says how it now is with most of
    what one is about. The same for what the user only told.
    """
    rules = [*ledger.of("rule").values(), *(one for one in ledger.of("remark").values() if one.weight)]
    if not rules or text.endswith(("?", "？", "؟")):
        return False
    if any(counts_anew(text, entry.text) for entry in rules):
        return True
    taking = _taking(text)
    if (taking or (NOW.search(text) and not bids_once(text))) and _is_news(
        text, [entry.text for entry in rules]
    ):
        return True
    if taking is None:
        return False
    least = 1 if taking.fresh or CONSENTS.match(text) else MIN_TERMS
    texts = {entry.text: entry.text for entry in rules}
    held = any(len(_held(taking, _standing(text))) >= least for text in texts)
    return held or bool(_taken(taking, texts, next_to=False))


def _is_news(text: str, rules: Sequence[str]) -> bool:
    """Whether a sentence says something new of what most words of a rule, or of a part of it, are about."""
    said = _words(text)
    for part in (part for rule in rules for part in _PARTS.split(rule)):
        words = _standing(part).words - COMMON
        shared = with_forms(words, said)
        if len(shared) >= max(MIN_TERMS, SAME_SHARE * len(words)) and (
            said - with_forms(said, words) or CHANGING.match(text)
        ):
            return True
    return False


def takes_back(rule: str, earlier: str, *, next_to: bool = False) -> bool:
    """Whether a rule takes an earlier one back; `next_to` says that no other was said between them, so that it may do
    so in fewer words, as it may where it begins and ends by saying so ("no, ... after all").
    """
    taking = _taking(rule)
    taken = taking is not None and bool(_taken(taking, {"": earlier}, next_to=next_to))
    return taken or counts_anew(rule, earlier)


def _taken(taking: _Taking, rules: dict[str, str], *, next_to: bool) -> list[str]:
    """The keys of the rules that are taken back; `next_to` says that none was said behind the last of them. What only
    names what a rule is about takes none back where there are several such.
    """
    standing = {key: _standing(text) for key, text in rules.items()}
    last = next(reversed(rules), "") if next_to else None
    about = [key for key, rule in standing.items() if _is_about(taking, rule)]
    return [
        key for key, rule in standing.items() if about == [key] or _takes(taking, rule, next_to=key == last)
    ]


@lru_cache(MAX_READ)
def _standing(rule: str) -> _Standing:
    words, noes = _words(rule), len(FORBIDS.findall(rule))
    forbidden = _words(FORBIDS.sub(" ", rule)) if noes else words
    forbidden = forbidden - COMMON or forbidden
    bare = _words(DEMANDING.sub(" ", rule)) if DEMANDING.search(rule) else words
    spares = bool(SPARES.search(rule))
    contrast = _words(" ".join(match["not"] for match in CONTRAST.finditer(rule)))
    return _Standing(words, bare, forbidden, noes, spares, contrast, _first(rule), rule)


@lru_cache(MAX_READ)
def _taking(text: str) -> _Taking | None:
    """What a sentence may take back; None where it neither allows nor changes anything, as most do not."""
    opening, goes_on = CHANGING.match(text), CHANGED.stands_in(text)
    new = text[opening.end() :] if opening else text
    permits = _permits(text, new)
    changes = (bool(opening) or goes_on) and not ADDING.search(text)
    swap = swap_in(text)
    if not permits and not changes and not swap.old and not swap.topic:
        return None
    allowed = _words(NOW.sub(" ", PERMITS.sub(" ", REASON.sub("", new)))) if permits else None
    words = _words(new) if changes else None
    return _Taking(
        allowed,
        words,
        fresh=bool(NOW.search(text)),
        limited=bool(LIMITS.search(text)),
        noes=len(FORBIDS.findall(new)),
        first=_first(new),
        begins=bool(opening),
        goes_on=goes_on,
        swap=swap,
        old=_words(swap.old) - COMMON,
        topic=_words(swap.topic),
        all=_words(new),
        others=tells_of_others(text),
    )


def _permits(text: str, new: str) -> bool:
    """Whether a sentence allows something. A bare "no" forbids nothing there: "you can push, no problem"."""
    return (
        not text.endswith(("?", "？")) and _PERMITS.stands_in(text) and not FORBIDS.search(_NO.sub("", new))
    )


def _held(taking: _Taking, rule: _Standing) -> set[str]:
    """The words of a rule that what allows something says; none where the rule forbids nothing."""
    if not (rule.noes or rule.spares) or taking.allowed is None:
        return set()
    return _meant(rule.forbidden, taking.allowed)


def _takes(taking: _Taking, earlier: _Standing, *, next_to: bool) -> bool:
    if taking.others and taking.first != earlier.first:
        return False
    if taking.allowed is not None and not taking.limited:
        held = _held(taking, earlier)
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
    if _demands_contrast(taking, earlier) or _counts_anew(said, before):
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


def _counts_anew(said: frozenset[str], before: frozenset[str]) -> bool:
    """Whether a changed mind says all that a rule says, but for numbers, and has others in their place."""
    old, new = (frozenset(filter(_DIGIT.search, words)) for words in (before, said))
    rest = before - old
    return bool(old and rest and new - old) and not old <= new and rest <= _meant(rest, said)


def _demands_contrast(taking: _Taking, earlier: _Standing) -> bool:
    """Whether a changed mind demands what a rule named only for contrast, about the same."""
    contrast, said = earlier.contrast, taking.words or frozenset()
    if not contrast or taking.noes or not taking.begins or len(_meant(contrast, said)) < len(contrast):
        return False
    about = earlier.words - contrast - COMMON
    return 2 * len(_meant(about, said)) >= len(about) - 1 and bool(_meant(about, said))


def _replaces(taking: _Taking, earlier: _Standing) -> bool:
    """Whether a sentence says by name that what a rule demands is replaced: the rule says little else, or most of what
    it says beside is said again.
    """
    if not taking.old or earlier.noes or len(_meant(taking.old, earlier.bare)) < len(taking.old):
        return False
    rest = earlier.bare - COMMON - _meant(earlier.bare, taking.old)
    again = _meant(rest, taking.all - taking.old)
    most = len(again) > SAME_SHARE * len(rest) or (taking.swap.ended and len(again) >= SAME_SHARE * len(rest))
    return len(rest) <= (REST_TERMS if taking.swap.stops else 0) or most


def _is_about(taking: _Taking, earlier: _Standing) -> bool:
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


def _words(rule: str) -> frozenset[str]:
    """The terms of a rule; a path is one."""
    paths = list(find_paths(rule))
    for path in paths:
        rule = rule.replace(path, " ")
    return frozenset((*terms(rule), *paths))


def _first(rule: str) -> str:
    found = _FIRST.search(rule.lower())
    return found[0] if found else ""
