"""The user's rules: the newest word counts.

Rules kept here:

- A rule that takes another back ("no, use spaces after all") takes its place, where it says that it does and shares
  most of its words, or answers the rule just before it in the same form. Both stay where that is not clear: in the
  order in which they were said, so that a reader knows which one counts.
- What adds to a rule ("also run the linter before a commit") takes nothing back.
"""

from __future__ import annotations

import re

from palimpsest.summarize.cues import FORBIDS
from palimpsest.summarize.ledger.entries import Ledger, note_line
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.sentences import terms

SAME_SHARE = 0.5
"""A rule that is taken back shares this part of its words, and at least two, with what takes it back."""
SHORT_TERMS = 2
"""Of two rules as short as this their first word decides: "use tabs", "no, use spaces"."""

_CHANGING = re.compile(
    r"(?:ok(?:ay)?,? |sorry,? |hm+,? |but )?"
    r"(?:(?:no|nope|non|não)(?=[,.;:!]| (?:use|please|let'?s|it|we|i|you|always|never)\b)|"
    r"(?:actually|instead|rather|correction|scratch that|change of plans?|on second thoughts?|forget that|nein|"
    r"eigentlich|stattdessen|en fait|finalement|mejor|en realidad|нет)\b|"
    r"いや|やっぱり|やはり|不对|不是|不[,，]|还是|算了)[,.!，：:;、 -]{0,3}",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:instead|after all|no longer|any ?more|from now on|nicht mehr|doch lieber|stattdessen|ab jetzt|désormais|"
    r"à la place|ya no|en su lugar|a partir de ahora|вместо этого|больше не)\b|"
    r"改用|改为|改成|不再|从现在|今后|代わりに|今後",
    re.IGNORECASE,
)
_ADDING = re.compile(
    r"\b(?:also|too|as well|additionally|besides|auch|außerdem|aussi|también|além|также)\b|也|还要|并且|も",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\w+")


def note_rule(ledger: Ledger, text: str, weight: float = 1.0) -> None:
    """Note a rule of the user's, and let go of one that it takes back."""
    table = ledger.tables["rule"]
    last = next(reversed(table), "")
    gone = [key for key, entry in table.items() if takes_back(text, entry.text, next_to=key == last)]
    for key in gone:
        del table[key]
    note_line(ledger, "rule", text, weight)


def lifts(ledger: Ledger, text: str) -> bool:
    """Whether a sentence that is no rule by itself takes one back: "you may push to main from now on"."""
    if not _CHANGING.match(text) and not _CHANGED.search(text):
        return False
    return any(takes_back(text, entry.text) for entry in ledger.of("rule").values())


def bare(rule: str) -> str:
    """A rule without the words that say that it changes another: their "no" forbids nothing."""
    opening = _CHANGING.match(rule)
    return rule[opening.end() :] if opening else rule


def takes_back(rule: str, earlier: str, *, next_to: bool = False) -> bool:
    """Whether a rule takes an earlier one back; `next_to` says that no other was said between them, so that it may do
    so in fewer words, as it may where it begins and ends by saying so ("no, ... after all").
    """
    changing = _CHANGING.match(rule)
    if not (changing or _CHANGED.search(rule)) or _ADDING.search(rule):
        return False
    new = bare(rule)
    said, before = _words(new), _words(earlier)
    shared = said & before
    turned = len(FORBIDS.findall(new)) != len(FORBIDS.findall(earlier))
    if said <= before and not turned:
        return False
    if len(shared) >= 2 and len(shared) >= SAME_SHARE * len(before):
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
