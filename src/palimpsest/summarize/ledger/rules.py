"""The user's rules: the newest word counts.

Rules kept here:

- A rule that takes another back ("no, use spaces after all") takes its place, where it says that it does and shares
  most of its words, or answers the rule just before it in the same form (`retract`). Both stay where that is not clear:
  in the order in which they were said, so that a reader knows which one counts.
- A changed mind that says a rule again with other numbers takes its place, whether that forbids or not.
- What adds to a rule ("also run the linter before a commit") takes nothing back.
- What allows something that a rule forbids ("you can push to main now") is as good as a rule.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.ledger.asking import asks_anew
from palimpsest.summarize.ledger.entries import Entry, Ledger, normal, note_dropped, note_line, template
from palimpsest.summarize.ledger.lines import flat, stands
from palimpsest.summarize.ledger.new_figures import counts_anew, is_about_no_more, may_count_anew, read_of
from palimpsest.summarize.ledger.retract import (
    MAX_READ,
    MIN_TERMS,
    SAME_SHARE,
    done,
    held_by,
    permits,
    says_anew,
    standing_of,
    taken_by,
    taking_of,
    words_of,
)
from palimpsest.summarize.ledger.set_anew import (
    may_set_anew,
    newest_of,
    rest_of,
    sets_anew,
    sets_surely,
    with_topic,
)
from palimpsest.summarize.spoken.changes import COMMON, CONSENTS, PLACES, swap_in
from palimpsest.summarize.spoken.consent import CITES, consent_in
from palimpsest.summarize.spoken.cues import CHANGING, FORBIDS, LEADING, bare
from palimpsest.summarize.spoken.errands import bids_once
from palimpsest.summarize.spoken.moment import tells_past
from palimpsest.summarize.spoken.orders import LIMITS, NOW
from palimpsest.summarize.spoken.remarks import LASTING_WEIGHT

RELATED_SHARE = 0.33
"""So many of the words of what was told are in a rule that says that something changes."""
FEW_TERMS = 3
"""Of a sentence of so few words one that is shared tells enough."""
MAX_JOINED, JOINED_WEIGHT = 3, 0.25
"""So many told sentences may join the rules that are about the same, and weigh so little there."""

_CLAUSES = later(r"[,:;，、：；](?!\d)")
_PARTS = later(r"[,;，、；](?!\d)")


def note_rule(ledger: Ledger, text: str, weight: float = 1.0, before: str = "") -> None:
    """Note a rule of the user's, and let go of one that it takes back, and of what he only told; `before` is what he
    said just before it.
    """
    table = ledger.tables["rule"]
    leading = LEADING.match(text)
    if leading and normal(text[leading.end() :]) in table:
        text = text[leading.end() :]
    taking = taking_of(text)
    said = text
    known = {key: entry.text for lines in (table, ledger.tables["remark"]) for key, entry in lines.items()}
    meant = _only_of([key for key, rule in known.items() if _may_say_anew(text, rule)], known, before)
    for lines, next_to in ((table, True), (ledger.tables["remark"], False)):
        texts = {key: entry.text for key, entry in lines.items()}
        taken = taken_by(taking, texts, next_to=next_to) if taking is not None else []
        anew = [key for key, rule in texts.items() if _says_anew(text, rule)]
        anew = anew or [key for key in meant if key in texts]
        again = (key for key, rule in texts.items() if key != normal(text) and restores(text, rule))
        for key in dict.fromkeys((*taken, *anew, *again)):
            entry = lines.pop(key)
            rest = rest_of(entry.text, text) if key in anew else ""
            behind = text
            if rest:
                lines[normal(rest)] = replace(entry, text=rest)
            elif key in anew and not asks_anew(text, entry.text):
                behind = said = with_topic(text, entry.text)
            if behind == text or sets_surely(text, entry.text):
                _let_go(ledger, entry, text)
    if taking is not None or NOW.search(text):
        _join(ledger, text)
    for old in [one for one in ledger.dropped if _is_back(text, one)]:
        del ledger.dropped[old]
    note_line(ledger, "rule", said, weight)


def _is_back(text: str, dropped: str) -> bool:
    """Whether a sentence demands again what was taken back: in its words, or of the same that somebody be asked."""
    if stands(flat(dropped), flat(text)) and not permits(text, text):
        return True
    asks = [one for one in (consent_in(text), consent_in(dropped)) if one and not one.frees]
    if len(asks) > 1:
        return done(asks[0].about) == done(asks[1].about)
    return any(_says_again(one, dropped) for one in _clauses(text))


def _clauses(text: str) -> list[str]:
    """A sentence and its clauses, without what says that they are new."""
    return [NOW.sub(" ", bare(one)).strip() for one in dict.fromkeys((text, *_CLAUSES.split(text)))]


def _let_go(ledger: Ledger, entry: Entry, text: str) -> None:
    """Note that a rule was taken back, where what takes its place does not only say it again, or goes on from it."""
    if ledger.seq not in entry.seqs and not _says_again(text, entry.text):
        note_dropped(ledger, newest_of(entry.text), entry.seqs[0] if entry.seqs else 0)


def _says_again(text: str, rule: str) -> bool:
    """Whether a sentence demands what a rule does, in other words: both say no, or neither, of much the same."""
    one, other = standing_of(NOW.sub(" ", text)), standing_of(rule)
    if bool(one.noes) != bool(other.noes) or swap_in(text).topic or permits(text, text):
        return False
    said, before = one.forbidden - COMMON, other.forbidden - COMMON
    if not said or not before or _says_anew(text, rule) or says_anew(said, before):
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
    first, second = (standing_of(text).words - COMMON for text in (one, other))
    least = min(len(first), len(second))
    terms = MIN_TERMS if least > FEW_TERMS or share >= SAME_SHARE else 1
    shared = with_forms(first, second) if terms > 1 else first & second
    return bool(least) and len(shared) >= max(terms, share * least)


def newer_of(told: Sequence[str], ledger: Ledger, shown: Collection[int]) -> list[str]:
    """The rules that were said behind one of those `told` that allows or changes something, about the same as it, and
    stand in no message at one of the positions `shown`.
    """
    order = list(ledger.of("rule").values())
    places = {entry.text: at for at, entry in enumerate(order)}
    found: dict[str, None] = {}
    for text in told:
        if taking_of(text) is None and consent_in(text) is None:
            continue
        for newer in order[places.get(text, len(order)) + 1 :]:
            fresh = newer.text not in told and not any(seq in shown for seq in newer.seqs)
            if fresh and _is_related(text, newer.text, SAME_SHARE):
                found[newer.text] = None
    return list(found)


def lifts(ledger: Ledger, text: str, before: str = "") -> bool:
    """Whether a sentence that is no rule by itself takes one back: "you may push to main from now on"; or allows some
    of what one forbids: it shares words with it, or one and says that this is new; or says how it now is with most of
    what one is about, or sets a figure of a unit that one has, be it clear which one or not. The same for what the user
    only told.
    """
    rules = [*ledger.of("rule").values(), *(one for one in ledger.of("remark").values() if one.weight)]
    if not rules or text.endswith(("?", "？", "؟")):
        return False
    if any(_says_anew(text, entry.text) or restores(text, entry.text) for entry in rules):
        return True
    texts = {entry.text: entry.text for entry in rules}
    if any(_may_say_anew(text, one) for one in texts):
        return True
    taking = taking_of(text)
    if (taking or (NOW.search(text) and not bids_once(text))) and _is_news(text, list(texts)):
        return True
    if taking is None:
        return False
    least = 1 if taking.fresh or CONSENTS.match(text) else MIN_TERMS
    held = any(len(held_by(taking, standing_of(text))) >= least for text in texts)
    return held or bool(taken_by(taking, texts, next_to=False))


def _is_news(text: str, rules: Sequence[str]) -> bool:
    """Whether a sentence says something new of what most words of a rule, or of a part of it, are about."""
    said = words_of(text)
    for part in (part for rule in rules for part in _PARTS.split(rule)):
        words = standing_of(part).words - COMMON
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
    taking = taking_of(rule)
    taken = taking is not None and bool(taken_by(taking, {"": earlier}, next_to=next_to))
    return taken or _says_anew(rule, earlier)


def restores(text: str, rule: str) -> bool:
    """Whether a sentence says, in one of its clauses, what a rule has taken back: a ban of what that allows, or the
    figure that it gave up. One of less, or for somebody, and one that is only cited restore nothing.
    """
    if counts_anew(rule, text):
        return is_about_no_more(text, rule) and not _is_said_of(text)
    bans = _bans(text)
    if not bans:
        return False
    taking = taking_of(rule)
    if taking is None or (taking.allowed is None and not taking.swap.topic) or taking_of(text) == taking:
        return False
    return any(_bans_as_much(one, text, rule) and taken_by(taking, {"": one}, next_to=False) for one in bans)


@lru_cache(MAX_READ)
def _bans(text: str) -> tuple[str, ...]:
    """The clauses of a sentence that ban something; none where it asks or cites."""
    bans = [one for one in _clauses(text) if FORBIDS.search(one) and not permits(one, one)]
    return () if _is_said_of(text) else tuple(bans)


def _is_said_of(text: str) -> bool:
    return text.endswith(("?", "？")) or CITES.search(text) is not None


def _bans_as_much(ban: str, text: str, rule: str) -> bool:
    """Whether a clause of a sentence bans no less than a rule allows: it says nothing that the rule does not, and
    nothing stands before it, or says behind it when or where.
    """
    opening = CHANGING.match(text)
    before, _, behind = text[opening.end() if opening else 0 :].rpartition(ban)
    said = done(FORBIDS.sub(" ", ban))
    if len(with_forms(said, done(rule))) < len(said) or tells_past(ban):
        return False
    return not done(FORBIDS.sub(" ", NOW.sub(" ", before))) and not (
        LIMITS.search(f"{ban} {behind}") or PLACES.match(behind.lstrip(" ,;，；"))
    )


def _only_of(keys: list[str], texts: Mapping[str, str], before: str) -> list[str]:
    """The only one, or of several the only one whose figure was named just before; or none."""
    if len(keys) > 1:
        keys = [key for key in keys if read_of(newest_of(texts[key])).figures & read_of(before).figures]
    return keys if len(keys) == 1 else []


def _says_anew(text: str, rule: str) -> bool:
    """Whether a sentence says of another figure, or of whether somebody is asked first, how it is now with a rule."""
    return counts_anew(text, rule) or asks_anew(text, rule) or sets_anew(text, rule)


def _may_say_anew(text: str, rule: str) -> bool:
    """Whether a sentence that does not say what it is about may say of a figure how it is now."""
    return may_count_anew(text, rule) or may_set_anew(text, rule)
