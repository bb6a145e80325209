"""Hashes and ids of which a summary has a part: the beginning, the end, both, or the midst, put right to the whole.

Rules kept here:

- What stands for the part that is left out is an ellipsis, stars, or signs that hide it (`9d1e4c77-xxxx-5c6d`); it may
  also be told in words: "ending in 5c6d".
- Of many things of which only the beginning or the end is told ("ids beginning with 1024") none is meant.
- A part is put right where exactly one name of the source has it; of a name that stands in a longer one, a link, the
  name itself is meant. Long runs of figures, of parcels and vouchers, are names here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact

END_CHARS = 4
"""So much of a hash or an id is a beginning or an end of it."""
_IDS = frozenset(("hash", "uuid", "opaque"))
MIDST_CHARS = 8
"""So much of one is a part of it that stands in its midst."""

_CUT = later(
    r"(?<![\w/.-])([A-Za-z0-9][\w-]{3,60}?)-?\[?(?:…|\.{2,6}|\*{3,})\]?(?:-\*{3,}){0,4}-?([\w-]{0,40})(?![\w*])"
)
_CUT_AHEAD = later(
    r"(?<![\w.…*\[-])\[?(?:…|\.{2,6}|\*{3,})\]?(?:-?|\s(?=[0-9a-f-]{8}))"
    r"(?P<tail>(?=[a-fA-F-]{0,40}\d)(?:[0-9a-f][0-9a-f-]{3,40}|[0-9A-F][0-9A-F-]{3,40}))(?![\w-]|[.,]\d)"
)
_CUT_PATH = later(
    r"(?<![\w/.…-])(?P<folder>[\w.-][\w./-]{0,120}?/|/)?(?:…|\.{3})/(?P<rest>[\w.-][\w./-]{1,160}\b)"
)
_HIDDEN = later(r"(?<![\w-])([0-9a-fA-F]{4,12})-?(?:[xX?#]{2,12}-?){1,5}([0-9a-fA-F]{3,12})(?![\w-])")
_PART = r"(?=[0-9a-f-]{0,23}\d)(?=[\d-]{0,23}[a-f]|[\d-]{8})[0-9a-f-]{4,24}"
_IN_WORDS = later(
    r"(?:(?:that |which )?(?:ends|ending|starts|starting|begins|beginning) (?:in|with|on)|(?:die |der )?"
    r"(?:endet|endend|beginnt|beginnend) (?:auf|mit)|que (?:termina|empieza|comienza) (?:en|con|por)|"
    r"(?:terminé|finissant|commençant|débutant) par)\s"
    rf"[`\"']?(?P<part>{_PART})[`\"']?(?![\w-])|"
    rf"以\s?[`\"']?(?P<han>{_PART})[`\"']?\s?为?(?:结尾|开头)|(?<![\w-])(?P<kana>{_PART})\s?で(?:終わる|始まる)",
    re.IGNORECASE | re.ASCII,
)
_IN_FIGURES = later(
    r"(?:(?:that |which )?(?:ends|ending) (?:in|with|on)|(?:die |der )?(?:endet|endend) (?:auf|mit)|"
    r"(?:que )?(?:termina|terminad[oa]) (?:en|con)|(?:qui )?(?:finit|finissant|terminé) par)\s"
    r"[`\"']?(?P<part>(?!(?:19|20)\d\d(?!\d))\d{4,7})[`\"']?(?![\w-]|[.,]\d)|(?:尾号|末尾|末[四五六]位)[为是が]?\s?(?P<tail>\d{4,7})(?!\d)",
    re.IGNORECASE,
)
"""A few figures that something ends in."""
_STUB = later(r"(?<![\w#./:-])(?=\d{0,5}[a-f])(?=[a-f]{0,5}\d)[0-9a-f]{5,6}(?![\w-]|[.:/]\w)", re.ASCII)
"""So few digits are no hash by their form: they are where one of the source's begins so."""
_MANY = later(
    r"\b(?:ids|keys|hashes|names|numbers|tokens|codes|commits|files|any\w*|all|every\w*|each|those|alle|"
    r"jede\w?)(?: that| which|,)? $",
    re.IGNORECASE,
)
_HEXADECIMAL = later(r"(?=[a-f-]{0,40}\d)(?=[\d-]{0,40}[a-f])[0-9a-f-]{6,60}")


def shortened(text: str, exact: Exact) -> Iterator[tuple[str, str | None]]:
    """(what was shortened, the whole) of the shortened names of a text; "" where the source has no such name, None
    where it may be no name.
    """
    for match in _CUT_PATH.finditer(text):
        folder, rest = match["folder"] or "", f"/{match['rest']}"
        paths = {
            one for one in exact.paths if one.startswith(folder) and one.endswith(rest) and one != match[0]
        }
        yield match[0], None if match[0] in exact.text else _least(paths)
    text = _CUT_PATH.sub(" ", text)
    for match in _CUT.finditer(text):
        yield match[0], _cut_short(match, exact)
    for match in _CUT_AHEAD.finditer(text):
        yield match[0], _only(exact, "", match["tail"].lower())
    for match in _HIDDEN.finditer(text):
        yield match[0], _only(exact, match[1].lower(), match[2].lower())
    for match in _IN_WORDS.finditer(text):
        if _MANY.search(text[max(0, match.start() - 40) : match.start()]):
            continue
        part = (match["part"] or match["han"] or match["kana"]).lower()
        yield match[0], _only(exact, "", part) or _only(exact, part, "")
    for match in _IN_FIGURES.finditer(text):
        if not _MANY.search(text[max(0, match.start() - 40) : match.start()]):
            part = match["part"] or match["tail"]
            known = re.search(rf"(?<!\d){part}(?!\d)", exact.text)
            yield (
                match[0],
                None if known else _only(exact, "", part) or ("" if part not in exact.text else None),
            )
    for match in _STUB.finditer(text):
        ids = {one for kind, one in exact.names if kind in _IDS and one.lower().startswith(match[0])}
        if ids and (right := _least(ids)) and not re.search(rf"(?<!\w){match[0]}(?!\w)", exact.text):
            yield match[0], right


def without_shortened(text: str) -> str:
    """The text without its shortened names, so that no part of one is taken for a name."""
    for pattern in (_CUT_PATH, _CUT, _CUT_AHEAD, _HIDDEN, _IN_WORDS, _IN_FIGURES):
        text = pattern.sub(" ", text)
    return text


def whole_of(name: str, others: Sequence[str]) -> str:
    """The one of the others of which a name is the beginning, the end, both with a hyphen between, or the midst."""
    longer = [one for one in others if len(one) > len(name)]
    held = {one for one in longer if one.startswith(name) or one.endswith(name)}
    if not held and len(name) >= MIDST_CHARS and "-" not in name:
        held = {one for one in longer if "-" in one and one.replace("-", "").startswith(name)}
    if len(held) == 1 and len(name) >= END_CHARS:
        return held.pop()
    head, _, tail = name.rpartition("-")
    if not _HEXADECIMAL.fullmatch(name):
        return ""
    if min(len(head), len(tail)) >= END_CHARS:
        held = {one for one in longer if one.startswith(head) and one.endswith(tail)}
        if len(held) == 1:
            return held.pop()
    held = {one for one in longer if name in one and _HEXADECIMAL.fullmatch(one)}
    return held.pop() if len(held) == 1 and len(name) >= MIDST_CHARS else ""


def _only(exact: Exact, head: str, tail: str) -> str | None:
    """The one longer name of the source that begins and ends so."""
    return _least(
        {
            name
            for name in _known(exact)
            if len(name) > len(head) + len(tail)
            and name.lower().startswith(head)
            and name.lower().endswith(tail)
        }
    )


def _known(exact: Exact) -> Iterator[str]:
    yield from (name for _, name in exact.names)
    yield from exact.runs


def _least(fitting: set[str]) -> str | None:
    """The one of the names that stands in all others; None where there is no such."""
    least = min(fitting, key=len, default=None)
    return least if least is not None and all(least in one for one in fitting) else None


def _cut_short(match: re.Match[str], exact: Exact) -> str | None:
    """What was shortened with an ellipsis, in whole; None where it may be no identifier."""
    head, tail = match[1], match[2].lstrip("-")
    fitting = {
        one
        for one in _known(exact)
        if len(one) > len(head) + len(tail) and one.startswith(head) and one.endswith(tail)
    }
    if not fitting and _HEXADECIMAL.fullmatch(head) and head not in exact.text:
        return ""
    return None if match[0] in exact.text else _least(fitting)
