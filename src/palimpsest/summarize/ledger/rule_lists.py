"""Lists of a user's: what stands for itself in them, and which of them are lists of rules.

Rules kept here:

- A list is one of rules where the line above it says so ("my wishes:"), or that it is to be minded or holds ("please
  mind in every letter:"); or where most of its items are rules by themselves, or half of them where that line says
  how often or when. Then all of its items are, but for work to be done.
- Under a line that only says that some things follow ("two points:") an item that states what is or was ("the login
  does not work") is no rule, and one that begins by saying no makes rules of the others.
- What somebody found or did is listed as well ("I found three bugs:"): a line that tells the past heads no rules.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.sentences import lists, sentences
from palimpsest.summarize.spoken.cues import FORBIDS, OBLIGES, RULE_WEIGHT
from palimpsest.summarize.spoken.errands import bids_once
from palimpsest.summarize.spoken.moment import tells_past
from palimpsest.summarize.spoken.orders import LASTING
from palimpsest.summarize.spoken.remarks import as_rule, gives_work
from palimpsest.summarize.spoken.texts import MINDED, NO_BEHIND, NOTED, RULED, STATES

MOST_SHARE, SOME_SHARE = 0.6, 0.5
LEAST_RULES = 2
"""So many items of a list are rules at least where nothing above it says that they are."""
_WHENEVER = later(
    r"\b(?:what|who|when|where)ever\b|\b(?:egal was|was auch|quoi que|lo que sea)\b", re.IGNORECASE
)
_CLAUSES = later(r"[,;，；] ?(?!\d)")
_COLONS = (":", "：")


def listed(block: str) -> tuple[frozenset[str], frozenset[str]]:
    """The items of a block, and those sentences of them that are rules by the list in which they stand."""
    alone: list[str] = []
    ruled: list[str] = []
    for lead, items in lists(block):
        alone.extend(items)
        if lead.endswith(_COLONS) and RULED.search(lead):
            ruled.extend(items)
        elif _is_of_rules(lead, items):
            noted = NOTED.match(lead) is not None and not MINDED.search(lead)
            meant = (item for item in items if not (noted and _states(item)))
            ruled.extend(one for item in meant for one in sentences(item) if not _is_work(one))
    return frozenset(alone), frozenset(ruled)


def _is_of_rules(lead: str, items: list[str]) -> bool:
    if not lead.endswith(_COLONS) or tells_past(f"{lead.rstrip(' :：')}."):
        return False
    if MINDED.search(lead):
        return True
    rules = sum(as_rule(item) >= RULE_WEIGHT or FORBIDS.match(item) is not None for item in items)
    if (LASTING.search(lead) or _WHENEVER.search(lead)) and rules >= SOME_SHARE * len(items):
        return rules > 0
    if NOTED.match(lead) and not any(tells_past(item) or item.endswith(("?", "？")) for item in items):
        return any(_demands(item) for item in items if not _states(item))
    return rules >= max(LEAST_RULES, MOST_SHARE * len(items))


def _demands(item: str) -> bool:
    said = FORBIDS.search(item) if NO_BEHIND.search(item) else FORBIDS.match(item)
    return said is not None or as_rule(item) >= RULE_WEIGHT


def _states(item: str) -> bool:
    """Whether an item states what is or was, and obliges nobody."""
    if OBLIGES.search(item) or any(_demands(one) for one in _CLAUSES.split(item)[1:]):
        return False
    return STATES.match(item) is not None or tells_past(item)


def _is_work(item: str) -> bool:
    return (bids_once(item) or gives_work(item)) and as_rule(item) < RULE_WEIGHT
