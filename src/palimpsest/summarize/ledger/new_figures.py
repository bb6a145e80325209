"""Rules that were said again with another figure: "lines of at most 96", "lines can have 110, 96 is too tight".

Rules kept here:

- Who names the figure of a rule and another one has given it that, where the sentence sets a limit or allows one, as a
  rule does, with a figure of the same unit, says that something has changed, and names what the rule is about by a word
  that is no unit. A unit is what stands behind a figure, or before it ("port 8080").
- A report that names both figures ("the talk went over 25 minutes, it took 31") gives a rule none.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.alike import are_alike, with_forms
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.changes import COMMON, INSTEAD_OF, KEEPS, LOOSE, RECOUNTS, SETS
from palimpsest.summarize.spoken.cues import FORBIDS

SHARED_SHARE = 0.25
"""Of what a rule says beside its figures and their units, so much is said again."""

_NUMBER = r"(?<![\w.,])\d+(?:[.,:]\d+)*"
_MEASURED = later(rf"{_NUMBER}\s?(?:[^\W\d_]{{1,20}}|%)?")
_WITH_UNIT = later(
    rf"(?:(?P<before>[^\W\d_]{{2,20}}) )?(?P<figure>{_NUMBER})\s?(?P<unit>[^\W\d_]{{1,20}}|[%€$£])?"
)
_CLAUSES = later(r"[,;，；、](?!\d)")


def counts_anew(text: str, rule: str) -> bool:
    """Whether a sentence gives a rule another figure."""
    old, new = (frozenset(match["figure"] for match in _WITH_UNIT.finditer(one)) for one in (rule, text))
    if not old & new or not new - old or text.endswith(("?", "？")) or not RECOUNTS.search(text):
        return False
    about = frozenset(terms(SETS.sub(" ", FORBIDS.sub(" ", _MEASURED.sub(" ", rule))))) - COMMON
    shared = _shared(about, text)
    enough = not about or (bool(shared) and len(shared) >= SHARED_SHARE * len(about))
    return enough and not KEEPS.search(text) and _sets_another(text, rule, old, about)


def _shared(about: frozenset[str], text: str) -> set[str]:
    return with_forms(about, frozenset(terms(_MEASURED.sub(" ", text))))


def _sets_another(text: str, rule: str, old: frozenset[str], about: frozenset[str]) -> bool:
    """Whether a clause of a sentence sets or allows another figure of what the rule is `about`, of the unit that one of
    the rule has that is named too; or one that it says stands instead of that one.
    """
    units = [match for match in _WITH_UNIT.finditer(rule) if match["figure"] in text]
    for clause in _CLAUSES.split(text):
        if not SETS.search(clause):
            continue
        instead = INSTEAD_OF.search(clause)
        if instead and instead["figure"] in old:
            return True
        fresh = [match for match in _WITH_UNIT.finditer(clause) if match["figure"] not in old]
        if (not about or _shared(about, clause)) and any(
            _is_of_one_unit(one, other) for one in fresh for other in units
        ):
            return True
    return False


def _is_of_one_unit(one: re.Match[str], other: re.Match[str]) -> bool:
    if ":" in one["figure"] or ":" in other["figure"]:
        return ":" in one["figure"] and ":" in other["figure"]
    if one["unit"] and other["unit"] and are_alike(one["unit"].lower(), other["unit"].lower()):
        return True
    before = (one["before"] or "").lower()
    return before == (other["before"] or "").lower() and before not in LOOSE and bool(terms(before))
