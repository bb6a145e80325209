"""The user's rules: the newest word counts.

Rules kept here:

- A rule that takes another back ("no, use spaces after all") takes its place, where it says that it does and shares
  most of its words, or answers the rule just before it in the same form. Both stay where that is not clear: in the
  order in which they were said, so that a reader knows which one counts.
- What adds to a rule ("also run the linter before a commit") takes nothing back.
- What allows something that a rule forbids ("you can push to main now") is as good as a rule. It takes the rule's place
  where it says nothing else; where it allows less, or something beside, both stay.
"""

from __future__ import annotations

import re

from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.cues import FORBIDS
from palimpsest.summarize.ledger.entries import Ledger, note_line
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.orders import LIMITS, NOW, PERMITS
from palimpsest.summarize.sentences import terms

SAME_SHARE = 0.5
"""A rule that is taken back shares this part of its words, and at least two, with what takes it back."""
MIN_TERMS = 2
SHORT_TERMS = 2
"""Of two rules as short as this their first word decides: "use tabs", "no, use spaces"."""

_CHANGING = re.compile(
    r"(?:ok(?:ay)?,? |sorry,? |hm+,? |but )?"
    r"(?:(?:no|nope|non|não)(?=[,.;:!]| (?:use|please|let'?s|it|we|i|you|always|never)\b)|"
    r"(?:actually|instead|rather|correction|scratch that|change of plans?|on second thoughts?|forget that|nein|"
    r"eigentlich|stattdessen|en fait|finalement|mejor|en realidad|pensándolo bien|pensando bem|na verdade|anzi|meglio|"
    r"нет|лучше|вообще-то|hayır|aslında|jednak|w sumie)\b|"
    r"いや|やっぱり|やはり|不对|不是|不[,，]|还是|算了|아니|그냥|لا،|नहीं,)[,.!，：:;、 -]{0,3}",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:instead|after all|no longer|any ?more|from now on|nicht mehr|doch lieber|stattdessen|ab jetzt|désormais|"
    r"à la place|ya no|en su lugar|a partir de ahora|em vez disso|invece|d'ora in poi|вместо этого|больше не|yerine|"
    r"zamiast)\b|"
    r"改用|改为|改成|还是用|不再|从现在|今后|代わりに|今後|やっぱり|대신|بدلا من|अब से",
    re.IGNORECASE,
)
_ADDING = re.compile(
    r"\b(?:also|too|as well|additionally|besides|auch|außerdem|aussi|también|além|также)\b|也|还要|并且|も",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\w+")
_NO = re.compile(r"\bno\b", re.IGNORECASE)


def note_rule(ledger: Ledger, text: str, weight: float = 1.0) -> None:
    """Note a rule of the user's, and let go of one that it takes back."""
    table = ledger.tables["rule"]
    last = next(reversed(table), "")
    gone = [key for key, entry in table.items() if takes_back(text, entry.text, next_to=key == last)]
    for key in gone:
        del table[key]
    note_line(ledger, "rule", text, weight)


def lifts(ledger: Ledger, text: str) -> bool:
    """Whether a sentence that is no rule by itself takes one back: "you may push to main from now on"; or allows some
    of what one forbids: it shares words with it, or one and says that this is new.
    """
    rules = ledger.of("rule").values()
    least = 1 if NOW.search(text) else MIN_TERMS
    if _permits(text) and any(len(_allowed(text, entry.text)[0]) >= least for entry in rules):
        return True
    if not _CHANGING.match(text) and not _CHANGED.search(text):
        return False
    return any(takes_back(text, entry.text) for entry in rules)


def _permits(text: str) -> bool:
    """Whether a sentence allows something. A bare "no" forbids nothing there: "you can push, no problem"."""
    return (
        not text.endswith(("?", "？"))
        and bool(PERMITS.search(text))
        and not FORBIDS.search(_NO.sub("", bare(text)))
    )


def _allowed(text: str, rule: str) -> tuple[set[str], set[str]]:
    """The words of a rule that what allows something says, and those that it says besides; nothing where the rule
    forbids nothing.
    """
    if not FORBIDS.search(rule):
        return set(), set()
    said = _words(NOW.sub(" ", PERMITS.sub(" ", bare(text))))
    before = _words(FORBIDS.sub(" ", rule))
    return with_forms(before, said), said - with_forms(said, before)


def bare(rule: str) -> str:
    """A rule without the words that say that it changes another: their "no" forbids nothing."""
    opening = _CHANGING.match(rule)
    return rule[opening.end() :] if opening else rule


def takes_back(rule: str, earlier: str, *, next_to: bool = False) -> bool:
    """Whether a rule takes an earlier one back; `next_to` says that no other was said between them, so that it may do
    so in fewer words, as it may where it begins and ends by saying so ("no, ... after all").
    """
    changing = _CHANGING.match(rule)
    if _permits(rule) and not LIMITS.search(rule):
        held, more = _allowed(rule, earlier)
        least = max(MIN_TERMS, SAME_SHARE * len(_words(FORBIDS.sub(" ", earlier))))
        if len(held) >= least and not more:
            return True
    if not (changing or _CHANGED.search(rule)) or _ADDING.search(rule):
        return False
    new = bare(rule)
    said, before = _words(new), _words(earlier)
    shared = with_forms(before, said)
    turned = len(FORBIDS.findall(new)) != len(FORBIDS.findall(earlier))
    if said <= before and not turned:
        return False
    if len(shared) >= MIN_TERMS and len(shared) >= SAME_SHARE * len(before):
        return True
    short = max(len(said), len(before)) <= SHORT_TERMS
    same_form = _first(new) == _first(earlier) and (short or len(shared) >= SAME_SHARE * len(before))
    sure = next_to or bool(_CHANGED.search(rule))
    return bool(changing) and sure and same_form


def _words(rule: str) -> set[str]:
    """The terms of a rule; a path is one."""
    paths = list(find_paths(rule))
    for path in paths:
        rule = rule.replace(path, " ")
    return {*terms(rule), *paths}


def _first(rule: str) -> str:
    found = _FIRST.search(rule.lower())
    return found[0] if found else ""
