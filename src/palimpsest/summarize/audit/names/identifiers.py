"""Exact strings in a summary, held against its source: known, altered, or invented.

Rules kept here:

- An identifier is known when it stands in the source as a whole. A part of a longer one is not: half a hash leads
  nowhere. A path is also known where a folder of the source and a path in it make it.
- An altered one is given back in the source's form where exactly one form fits: the whole of what was shortened, the
  path that ends with the same file name, the number that was rounded, the name that differs by a letter or two.
- A part that several names of the source have is told of as such: repair sees which of them is meant in which line.
- What fits nothing is invented only if no part of the source holds it. Words that merely look like names in code are
  called so only where the line marks them as names.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact, names_in, stands, without_separators
from palimpsest.summarize.audit.names.beginnings import begun
from palimpsest.summarize.audit.names.designations import misnamed
from palimpsest.summarize.audit.names.known_paths import (
    is_folder,
    is_known_path,
    is_meant,
    path_like,
    spaced_paths,
)
from palimpsest.summarize.audit.names.lettered import lettered
from palimpsest.summarize.audit.names.misquoted import misquoted
from palimpsest.summarize.audit.names.misspelt import alike, other_endings, turned
from palimpsest.summarize.audit.names.partial_ids import is_cut, least_of
from palimpsest.summarize.audit.names.references import misplaced_parts, turned_address
from palimpsest.summarize.audit.names.shortened import shortened, wholes_of, without_shortened
from palimpsest.summarize.audit.names.unheard import renumbered, unheard
from palimpsest.summarize.audit.names.which import BOTH, meant_in
from palimpsest.summarize.audit.numbers.amounts import judged
from palimpsest.summarize.audit.numbers.clocks import mistimed
from palimpsest.summarize.audit.numbers.dates import misdated
from palimpsest.summarize.audit.numbers.differences import is_difference
from palimpsest.summarize.audit.numbers.labels import misnumbered
from palimpsest.summarize.audit.numbers.quantities import (
    SCALE,
    Quantity,
    is_derived,
    is_held,
    is_judged,
    is_reckoned,
    quantities,
    rounded,
)
from palimpsest.summarize.audit.numbers.rough import calls_rough, is_rough, is_rough_count
from palimpsest.summarize.audit.numbers.totals import says_total
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.secrets.places import PLACEHOLDER

Standing = Literal["altered", "invented", "shared"]

MAX_IDENTIFIERS = 400
"""Identifiers of one summary that are looked at."""
SURE_FIGURES = 4
"""A number of fewer figures may be anybody's guess where it is called rough."""
LEAST_FIGURES = 8
"""So many figures are part of a name in figures."""
_LABELS = later(r"(?<![\w@./\\-])[A-Za-z0-9-]{2,40}(?:\.[A-Za-z0-9-]{2,40}){1,5}(?![\w([-]|\.\w)")
_NUMBER = later(
    r"(?<![\w.,/#:-])(?P<money>[$€£¥])?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d{1,6})?|\d{3,16}(?:\.\d{1,6})?|\d{1,3}\.\d{1,6}|\d{1,3}(?=\s?[kKM]\b))"
    r"(?P<unit>\s?[kKM]\b)?(?![\w]|[.,:/-]\d)"
)
_ALONE = later(
    r"\s{0,8}[-*•]\s{1,3}(?:[^\W\d_][\w ]{0,30}: )?(?=[\w./@-]{0,200}[\d:_@.]|`)"
    r"`?(?P<name>[A-Za-z0-9][\w.:@/-]{3,200})`?"
)
_JOINTS = later(r"[^a-z0-9]+")
_DIGIT = later(r"\d")
_YEAR, _DAY = later(r"(?:19|20)\d\d"), later(r"(?:19|20)\d\d[01]\d[0-3]\d")
_OPAQUE = ("uuid", "hash", "opaque")
"""Kinds of names that say nothing but which one is meant."""
_RANGE = later(r"(([A-Za-z]{1,20})\d{1,6})[-–](\2\d{1,6})")


@dataclass(frozen=True, slots=True)
class Doubt:
    """An identifier of a summary that is not the source's; `right` is the source's form, "" where there is none, and
    `among` are those that it is a part of, where these are several.
    """

    standing: Standing
    text: str
    right: str = ""
    among: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.among:
            return f"{self.text} is a part of several ({', '.join(self.among)}): give the whole"
        return f"{self.text} -> {self.right}" if self.right else f"{self.text} is not in the source"


def doubts(text: str, exact: Exact) -> list[Doubt]:
    """The identifiers of a summary that its source does not have in that form, each once, in order of kinds."""
    found: dict[str, Doubt | None] = {}
    for said, rights in list(shortened(text, exact))[:MAX_IDENTIFIERS]:
        found[said] = _stands_for(said, rights, text, exact)
    rest = without_shortened(text)
    lying = {said: _judged(said, right) for said, right in misplaced_parts(rest, exact)}
    paths = chain(spaced_paths(rest, exact), lettered(rest, exact))
    lying.update((said, _judged(said, right)) for said, right in paths)
    found.update(lying)
    rest = _without(rest, lying)
    for kind, name in _identifiers(rest):
        if name not in found and len(found) < MAX_IDENTIFIERS:
            found[name] = _doubt(kind, name, text, exact)
    for match in list(_LABELS.finditer(rest))[:MAX_IDENTIFIERS]:
        if (doubt := found.get(match[0]) or _cut_host(match[0], exact)) is not None:
            found[match[0]] = doubt
    for name in list(_listed(rest, exact))[:MAX_IDENTIFIERS]:
        found[name] = found.get(name) or Doubt("invented", name)
    for name in list(unheard(rest, exact))[:MAX_IDENTIFIERS]:
        found[name] = found.get(name) or Doubt("invented", name)
    for said, right in list(
        chain(
            begun(rest, exact),
            other_endings(rest, exact),
            turned(rest, exact),
            misquoted(rest, exact),
            renumbered(rest, exact),
        )
    )[:MAX_IDENTIFIERS]:
        found[said] = _judged(said, right)
    for said, right in list(misnamed(rest, exact.text))[:MAX_IDENTIFIERS]:
        found[said] = found.get(said) or _judged(said, right)
    numbers = dict(list(_measured(_without(rest, found), exact))[:MAX_IDENTIFIERS])
    for one in list(quantities(_without(rest, (*found, *numbers))))[:MAX_IDENTIFIERS]:
        numbers.setdefault(one.said, _quantity_doubt(one, text, exact))
    for match in list(_NUMBER.finditer(_without(rest, (*found, *numbers))))[:MAX_IDENTIFIERS]:
        numbers.setdefault(match[0], _number_doubt(match, text, exact))
    for said, doubt in numbers.items():
        if doubt and not _is_explained(doubt, text):
            found.setdefault(said, doubt)
    return [doubt for doubt in found.values() if doubt is not None and doubt.text != doubt.right]


def _judged(said: str, right: str | None) -> Doubt | None:
    return None if right is None else Doubt("altered" if right else "invented", said, right)


def _stands_for(said: str, rights: tuple[str, ...] | None, text: str, exact: Exact) -> Doubt | None:
    """What is wrong with a part of names: one of several is no fault where the part itself is meant."""
    if rights is None or len(rights) < 2:
        return _judged(said, rights[0] if rights else (None if rights is None else ""))
    lines = (line for line in text.splitlines() if said in line)
    is_meant = all(right == BOTH for line in lines for _, right in meant_in(line, said, rights, exact))
    return None if is_meant else Doubt("shared", said, among=rights)


def _without(text: str, names: Iterable[str]) -> str:
    """The text without these names, so that no part of one is taken for something of its own."""
    pieces = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(pieces, " ", text) if pieces else text


def _measured(text: str, exact: Exact) -> Iterator[tuple[str, Doubt | None]]:
    """Days, times of day, amounts and numbers behind nouns, with what is wrong with them."""
    for said in misdated(text, exact.calendar):
        yield said, Doubt("invented", said)
    for said, right in mistimed(text, exact.clocks):
        yield said, _judged(said, right)
    for said, right in misnumbered(text, exact.text):
        yield said, _judged(said, right)
    for line in text.splitlines():
        for said, right in judged(line, exact.held):
            yield said, _judged(said, right)


def _identifiers(text: str) -> Iterator[tuple[str, str]]:
    for match in PLACEHOLDER.finditer(text):
        yield "secret", match[0]
    for path in find_paths(text):
        yield "path", path
    yield from names_in(PLACEHOLDER.sub(" ", text))


def _doubt(kind: str, name: str, text: str, exact: Exact) -> Doubt | None:
    if stands(name, exact.text, kind):
        return None
    if kind == "path" and is_known_path(name, exact):
        return None
    if kind == "port" and stands(re.findall(r"\d+", name)[-1], exact.text, "number"):
        return None
    if kind == "version" and any(
        stands(one, exact.text, kind) for one in (f"v{name}", name.removeprefix("v"))
    ):
        return None
    if kind == "short":
        return _short_doubt(name, exact)
    if several := _several(kind, name, exact):
        return _stands_for(name, several, text, exact)
    right = path_like(name, exact) if kind == "path" else _name_like(kind, name, exact)
    if right and (kind != "path" or is_meant(name, right, text, exact)):
        return Doubt("altered", name, right)
    is_place = kind == "address" or (
        kind in ("host", "port") and ":" in name
    )  # of which a beginning is another one
    held = (not is_place and name.lower() in exact.text.lower()) or _is_range(name, exact)
    held = held or (is_place and stands(name.lower(), exact.text.lower(), kind))
    return (
        None
        if held or kind == "symbol" or (kind == "path" and is_folder(name, exact))
        else Doubt("invented", name)
    )


def _short_doubt(name: str, exact: Exact) -> Doubt | None:
    """What is wrong with a code of a few signs: the one of the source that differs by a sign, or by their order, is
    meant; a code of no kind that the source has is left alone.
    """
    others = {other for kind, other in exact.names if kind == "short" and len(other) == len(name)}
    if name.lower() in exact.text.lower():
        return None
    near = [
        other for other in others if sorted(other) == sorted(name) or sum(map(operator.ne, other, name)) == 1
    ]
    if len(near) == 1:
        return Doubt("altered", name, near[0])
    shapes = {_DIGIT.sub("0", other) for other in others}
    return Doubt("invented", name) if near or _DIGIT.sub("0", name) in shapes else None


def _listed(text: str, exact: Exact) -> Iterator[str]:
    """What a list of identifiers has alone in a line, and the source neither as a whole nor in its parts."""
    known = exact.text.lower()
    for heading, lines in FORMS["sections"].parse(text):
        for line in lines if heading == "Critical identifiers" else ():
            found = _ALONE.fullmatch(line.rstrip())
            if found and found["name"].lower() not in known:
                parts = [part for part in _JOINTS.split(found["name"].lower()) if part]
                is_number = not any(map(str.isalpha, found["name"]))
                if len(parts) > 1 and not is_number and not all(part in known for part in parts):
                    yield found["name"]


def _is_range(name: str, exact: Exact) -> bool:
    """Whether a name says from which to which of the source's: "STEP14-STEP20"."""
    match = _RANGE.fullmatch(name)
    return bool(match) and all(stands(end, exact.text, "ticket") for end in (match[1], match[3]))


def _name_like(kind: str, name: str, exact: Exact) -> str:
    others = [other for other_kind, other in exact.names if _comparable(kind, other_kind)]
    parted = kind in (*_OPAQUE, "version", "link", "ticket", "code")
    wholes = wholes_of(name, others) if parted else ()
    if len(wholes) == 1:
        return wholes[0]
    if kind == "link":
        longest = max((one for one in others if name.startswith((f"{one}#", f"{one}?"))), key=len, default="")
        if longest:
            return longest
    if kind == "address":
        here = {one for one in others if ":" in name and one.startswith(f"{name.split(':', maxsplit=1)[0]}:")}
        return here.pop() if len(here) == 1 else turned_address(name, exact)
    cased = [one for one in others if one.lower() == name.lower()]
    if len(set(cased)) == 1:
        return cased[0]
    return alike(name, others, same_numbers=kind in ("link", "host"))


def _several(kind: str, name: str, exact: Exact) -> tuple[str, ...]:
    """The ids of which a name is the same part, where these are several and the source does not call one so."""
    is_id = kind in _OPAQUE or (kind == "symbol" and _DIGIT.search(name))
    if not is_id or stands(name.lower(), exact.text.lower(), kind):
        return ()
    wholes = least_of(wholes_of(name, sorted(exact.ids)), exact)
    return wholes if len(wholes) > 1 and is_cut(name, wholes) else ()


def _comparable(kind: str, other: str) -> bool:
    return kind == other or (kind in _OPAQUE and other in _OPAQUE)


def _cut_host(labels: str, exact: Exact) -> Doubt | None:
    """The whole of a host of which only the first labels were kept; None where it is no host of the source's."""
    whole = {name for kind, name in exact.names if kind == "host" and name.startswith(f"{labels}.")}
    if len(whole) != 1 or stands(labels, exact.text, "host"):
        return None
    return Doubt("altered", labels, whole.pop())


def _number_doubt(match: re.Match[str], text: str, exact: Exact) -> Doubt | None:
    digits, unit = match["digits"], (match["unit"] or "").strip().lower()
    plain = without_separators(digits)
    if (plain in exact.numbers and not unit) or stands(match[0], exact.text, "number"):
        return None
    if len(plain) < SURE_FIGURES and calls_rough(match.string[max(0, match.start() - 40) : match.start()]):
        return None
    longer = {run for run in exact.runs if run != plain and (run.startswith(plain) or run.endswith(plain))}
    if plain == digits and len(plain) >= LEAST_FIGURES and not unit and longer and not _DAY.fullmatch(plain):
        return _stands_for(match[0], least_of(longer, exact), text, exact)
    value = float(plain) * SCALE[unit]
    if says_total(match[0], text) and value in exact.totals:
        return None
    held = exact.numbers.values()
    if value in exact.sizes or is_rough_count(match[0], value, text, exact.text, held):
        return None
    mantissa = plain.rstrip("0") if "." not in plain else plain
    figures = len(mantissa.replace(".", "").lstrip("0")) or 1
    fitting = {
        said
        for number, said in exact.numbers.items()
        if len(number) <= 18
        and (exactly := float(number)) != value
        and float(f"{exactly:.{figures - 1}e}") == value
    }
    if len(fitting) == 1:
        return Doubt("altered", match[0], f"{match['money'] or ''}{fitting.pop()}")
    whole = "." not in plain and len(plain) >= 3 and not unit and not _YEAR.fullmatch(plain)
    held = re.search(rf"(?<!\d){plain}(?!\d)", exact.text) if whole else None
    return Doubt("invented", match[0]) if whole and not fitting and not held else None


def _quantity_doubt(one: Quantity, text: str, exact: Exact) -> Doubt | None:
    if not is_judged(one) or is_held(one, exact.quantities, exact.text) or is_reckoned(one, exact.sizes):
        return None
    if float(one.number) in exact.held.spelled or (
        one.kind == "time" and one.scale == 60 and int(float(one.number)) in exact.clocks.between
    ):
        return None
    like = [other.size / one.scale for other in exact.quantities if other.kind == one.kind]
    if says_total(one.said, text) and float(one.number) in exact.totals:
        return None
    if is_difference(one, text, exact.text) or is_rough(one.said, float(one.number), text, like):
        return None
    right = rounded(one, exact.quantities)
    return Doubt("altered" if right else "invented", one.said, right)


def _is_explained(doubt: Doubt, text: str) -> bool:
    """Whether each line that has a number also has what it was rounded or reckoned from: "912 s, about 15 minutes"."""
    lines = [line for line in text.splitlines() if doubt.text in line]
    right = re.compile(rf"{re.escape(without_separators(doubt.right))}(?!\d)")
    return all(
        right.search(without_separators(line)) if doubt.right else is_derived(doubt.text, line)
        for line in lines
    )
