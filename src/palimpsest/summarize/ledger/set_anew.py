"""Rules that are said anew with another figure or place, and without the old one: "let's make that 50 lines".

Rules kept here:

- Who says that something is set otherwise, with one figure of the unit that a rule has, has changed that rule, where
  the clause of the figure names what the rule is about and nothing beside. A path stands for a figure of its own kind.
- Two limits of the same kind about the same need no word that says that it is another: the newest counts.
- Where nothing is named but the unit, the only rule that has a figure of it is meant. It stands before the new words
  then, since they do not say what they are about: "at most 40 lines for each function → let's make that 50 lines".
- Where a sentence sets something, but may only tell of it, the rule stands before it: who reads both can tell.
- A question, a condition, what is cited or told of the past, and what comes beside ("also") set nothing; nor does a
  least what is a most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.ledger.new_figures import (
    LEAST_MORE,
    demands_more,
    is_qualified_otherwise,
    read_of,
    units_of,
)
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.changes import (
    ADDING,
    INSTEAD_OF,
    KEEPS,
    PLACES,
    SETS,
)
from palimpsest.summarize.spoken.consent import CITES
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.errands import bids_once
from palimpsest.summarize.spoken.figures import OUTGROWN
from palimpsest.summarize.spoken.moment import depends, tells_past
from palimpsest.summarize.spoken.nods import unnodded
from palimpsest.summarize.spoken.set_anew import (
    AND,
    ANOTHER,
    BEGINS,
    DOES,
    IDLE_SIGNS,
    LEAST,
    MOST,
    NO_UNITS,
    NUMBERED,
    PARTS,
    POINTS,
    RESETS,
    SOFTENED,
    STATES,
)

ARROW = " → "
"""Between a rule and what it became, where that does not say what it is about."""
MAX_READ = 1_024
MOST_FIGURES = 1
_HAN = later(r"[\u4e00-\u9fff]{2}$")
_PATH = "/"
_NAMED = later(r"[A-Za-z]+\d")
_NO = later(r"\bno\b", re.IGNORECASE)
"""A word for no that says where in another language."""


@dataclass(frozen=True, slots=True)
class _Setting:
    """A sentence that may set something: its clauses, the paths and figures of each, those that hold no longer by its
    words, and whether it says that something is another now.
    """

    text: str
    clauses: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    outgrown: frozenset[str]
    said: bool


@dataclass(frozen=True, slots=True)
class _New:
    """What a sentence sets beside a rule: a figure or a path, its units, and what is named as what it is about."""

    value: str
    units: frozenset[str]
    topic: frozenset[str]


def sets_anew(text: str, rule: str) -> bool:
    """Whether a sentence sets a rule another figure, or another place, and names what the rule is about."""
    setting = _setting_of(text)
    new = _new_in(setting, rule) if setting else None
    return setting is not None and new is not None and bool(new.topic) and _is_set_by(setting, new, rule)


def may_set_anew(text: str, rule: str) -> bool:
    """Whether a sentence that names nothing but a unit may set a rule another figure: sure only where no other has
    one of that unit.
    """
    setting = _setting_of(text)
    new = _new_in(setting, rule) if setting and setting.said else None
    if setting is None or new is None or new.topic or not new.units:
        return False
    return _is_set_by(setting, new, rule)


def with_topic(text: str, rule: str) -> str:
    """What a sentence sets behind the rule that it changes, where it does not name itself what that is about, or may
    only tell or ask something of the same.
    """
    if ARROW in text or (_said_of(text) and sets_surely(text, rule)):
        return text
    return f"{rule.partition(ARROW)[0]}{ARROW}{text}"


def sets_surely(text: str, rule: str) -> bool:
    """Whether a sentence that sets something sets a limit, names what holds no longer, or says that it is another."""
    if any(form.search(text) for form in (MOST, LEAST, FORBIDS, ANOTHER)):
        return True
    old = read_of(newest_of(rule)).figures | frozenset(find_paths(rule) if _PATH in rule else ())
    return bool((read_of(text).figures | frozenset(find_paths(text) if _PATH in text else ())) & old)


def newest_of(rule: str) -> str:
    """What was said last of a rule that stands behind another one."""
    return rule.rpartition(ARROW)[2]


def rest_of(rule: str, text: str) -> str:
    """The clauses of a rule that have figures of their own, of which a sentence that changes it says nothing."""
    parts = [part.strip() for part in PARTS.split(rule)]
    figures = [read_of(part).figures for part in parts]
    said = read_of(text).figures
    if ARROW in rule or not any(one & said for one in figures):
        return ""  # what is in force is the one figure that changes
    gone = said | _outgrown(read_of(rule).text)
    return ", ".join(part for part, one in zip(parts, figures, strict=True) if one and not one & gone)


def _said_of(text: str) -> bool:
    """Whether a sentence says what its figures are about."""
    read = read_of(RESETS.sub(" ", text))
    return bool(_named(OUTGROWN.sub(" ", read.text), units_of(read.text, read.figures)))


@lru_cache(MAX_READ)
def _setting_of(text: str) -> _Setting | None:
    """A sentence as one that may set something; None where it does not."""
    whole = unnodded(text)
    if not read_of(whole).figures and _PATH not in whole:
        return None
    text = BEGINS.sub("", whole, count=1) if BEGINS.match(whole) else whole
    paths = tuple(find_paths(text)) if _PATH in text else ()
    plain = text
    for path in paths:
        plain = plain.replace(path, " ")
    read, said = read_of(text), text != whole or RESETS.search(plain) is not None
    if (
        not (said or MOST.search(text))
        or text.endswith(("?", "？"))
        or KEEPS.search(text)
        or ADDING.search(OUTGROWN.sub(" ", text))
    ):
        return None
    if depends(text) or CITES.search(text) or POINTS.search(RESETS.sub(" ", text)):
        return None
    clauses = tuple(PARTS.split(read.text))
    values = tuple(tuple(_values(part, paths)) for part in clauses)
    return _Setting(text, clauses, values, _outgrown(read.text), said)


def _new_in(setting: _Setting, rule: str) -> _New | None:
    """The one thing that a sentence sets and a rule does not name, with what it says that it is about."""
    old = read_of(rule).figures | frozenset(find_paths(rule) if _PATH in rule else ()) | setting.outgrown
    fresh = [(at, one) for at, values in enumerate(setting.values) for one in values if one not in old]
    if len(fresh) != MOST_FIGURES:
        return None
    at, value = fresh[0]
    clause = setting.clauses[at]
    if tells_past(clause) or DOES.search(clause) or (STATES.search(clause) and not SETS.search(clause)):
        return None
    if _PATH in value:
        units = frozenset((_PATH,))
    else:
        units = _units(setting.text, (value,)) or _units(setting.text, setting.outgrown)
    before = [part for part, values in zip(setting.clauses[:at], setting.values, strict=False) if not values]
    rest = clause.replace(value, " " if _PATH in value else "0")
    return _New(value, units, _named(" ".join((*before, rest)), units))


def _values(clause: str, paths: Iterable[str]) -> list[str]:
    found = [path for path in paths if path in clause]
    return found or [one for one in read_of(clause).figures if not _counts_nothing(clause, one)]


def _counts_nothing(clause: str, figure: str) -> bool:
    """Whether a figure is the number of a thing, or stands in a name."""
    before, _, behind = clause.partition(figure)
    return NUMBERED.search(before) is not None or _NAMED.match(behind) is not None


@lru_cache(MAX_READ)
def _outgrown(text: str) -> frozenset[str]:
    """The figures that a sentence names as those that hold no longer."""
    found = [match["figure"] for match in OUTGROWN.finditer(text)]
    found += [next(filter(None, match.groups())) for match in INSTEAD_OF.finditer(text)]
    return frozenset(found)


def _units(text: str, figures: Iterable[str]) -> frozenset[str]:
    return units_of(text, figures) - NO_UNITS


def _named(text: str, units: frozenset[str]) -> frozenset[str]:
    """What words name, beside what sets a figure, and its unit."""
    plain = SOFTENED.sub(" ", RESETS.sub(" ", LEAST.sub(" ", MOST.sub(" ", text))))
    named = read_of(plain).about
    return frozenset(
        one
        for one in named
        if not with_forms({one}, units)
        and not any(unit in one for unit in units if not unit.isascii())
        and one not in NO_UNITS
        and not (_HAN.match(one) and set(one) & IDLE_SIGNS)
    )


def _is_set_by(setting: _Setting, new: _New, rule: str) -> bool:
    """Whether what is set is the only figure in force of a rule, or its place, of the same unit and about the same."""
    of_kind = _is_of_place(setting, new, rule) if _PATH in new.units else _is_of_unit(new, rule)
    whole = read_of(rule)
    if not of_kind or _limits_otherwise(setting.text, rule) or _demands_more(rule, new, setting):
        return False
    places = (
        frozenset(match["place"].lower() for match in PLACES.finditer(_NO.sub(" ", setting.text))) - NO_UNITS
    )
    if len(with_forms(places, whole.words)) < len(places):
        return False
    if is_qualified_otherwise(read_of(RESETS.sub(" ", setting.text)), read_of(RESETS.sub(" ", rule))):
        return False
    words = _named(rule, frozenset()) | frozenset(terms(rule))
    if not all(with_forms({one}, words) or (_HAN.match(one) and set(one) & set(rule)) for one in new.topic):
        return False
    if setting.said:
        return True
    about = _named(PARTS.split(whole.text)[0], _units(whole.text, whole.figures))
    return bool(MOST.search(rule) and about) and len(with_forms(about, new.topic)) == len(about)


def _demands_more(rule: str, new: _New, setting: _Setting) -> bool:
    """Whether a rule demands something beside what has a figure, of which a sentence says nothing."""
    said = read_of(setting.text)
    if demands_more(read_of(rule), said):
        return True
    parts = AND.split(rule) if ARROW not in rule and _PATH not in new.units else []
    others = [read_of(part) for part in parts if not read_of(part).figures]
    return any(len(one.about) >= LEAST_MORE and not with_forms(one.about, said.words) for one in others)


def _is_of_place(setting: _Setting, new: _New, rule: str) -> bool:
    """Whether a rule says of one path where something is, and a sentence of another one; none is banned."""
    mine = set(find_paths(rule))
    banned = FORBIDS.search(rule) or FORBIDS.search(setting.text)
    once = bids_once(setting.text) or tells_past(setting.text)
    return len(mine) == MOST_FIGURES and bool(new.topic) and setting.said and not banned and not once


def _is_of_unit(new: _New, rule: str) -> bool:
    """Whether one figure of a rule is in force, of the unit of the new one; a time has none."""
    whole, old = read_of(rule), read_of(newest_of(rule))
    outgrown = _outgrown(old.text)
    mine = old.figures - outgrown
    if len(mine) != MOST_FIGURES or (":" in new.value) != (":" in min(mine)):
        return False
    units = _units(old.text, mine) or _units(old.text, outgrown) or _units(whole.text, whole.figures)
    if new.units and units:
        return bool(with_forms(new.units, units))
    return bool(new.topic) and not new.units


def _limits_otherwise(text: str, rule: str) -> bool:
    """Whether one sets a least and the other a most."""
    least = (LEAST.search(text) is not None, LEAST.search(rule) is not None)
    most = (MOST.search(text) is not None, MOST.search(rule) is not None)
    return (least[0] and most[1] and not least[1]) or (most[0] and least[1] and not most[1])
