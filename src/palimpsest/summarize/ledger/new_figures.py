"""Rules that were said again with another figure: "lines of at most 96", "lines can have 110, 96 is too tight".

Rules kept here:

- Who names the figure of a rule and another one, says that something has changed, and names what the rule is about by
  a word that is no unit, has given it another figure. A unit is what stands beside a figure.
"""

from __future__ import annotations

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.changes import COMMON, RECOUNTS
from palimpsest.summarize.spoken.cues import FORBIDS

SHARED_SHARE = 0.25
"""Of what a rule says beside its figures and their units, so much is said again."""

_FIGURE = later(r"(?<![\w.,])\d+(?:[.,:]\d+)*(?![\w])")
_MEASURED = later(r"(?<![\w.,])\d+(?:[.,:]\d+)*\s?(?:[^\W\d_]{1,20}|%)?")


def counts_anew(text: str, rule: str) -> bool:
    """Whether a sentence gives a rule another figure."""
    old, new = frozenset(_FIGURE.findall(rule)), frozenset(_FIGURE.findall(text))
    if not old & new or not new - old or not RECOUNTS.search(text):
        return False
    about = frozenset(terms(FORBIDS.sub(" ", _MEASURED.sub(" ", rule)))) - COMMON
    shared = with_forms(about, frozenset(terms(_MEASURED.sub(" ", text))))
    return bool(shared) and len(shared) >= SHARED_SHARE * len(about)
