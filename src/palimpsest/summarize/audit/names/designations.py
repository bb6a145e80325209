"""What things are called by letters and figures in a summary, held against its source: `exp-02`, `QK7ZPT`,
`4500-883-21`, `VIII ZR 271/17`.

Rules kept here:

- One is judged where the source has its like: the same letters with other figures, or as many groups of as many
  figures.
- One with the figures of a single one of the source's in another order is that one; so is a code of letters and figures
  that has one sign more, less or another. With other figures it is another one.
- The next of several that are counted, and one between them, are what people count on to.
- Behind a single letter (`B-14`) figures in another order are looked for and nothing else: it may stand for anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.names import is_date

MAX_SAID = 100
"""Designations of one kind in a summary that are looked at."""
MAX_LIKE_CODES = 200
"""Designations of a source's that one of a summary's is held against."""

_CODE = later(r"(?<![\w./@:\\-])(?=[0-9]{0,7}[A-Z])(?=[A-Z]{0,7}[0-9])[A-Z0-9]{5,8}(?![\w/@\\-]|\.\w)")
_COUNTED = later(
    r"(?<![\w./@:\\-])[A-Za-z]{2,20}(?:-[A-Za-z][A-Za-z0-9]{0,11}){0,4}-[0-9]{1,6}(?![\w/@\\-]|\.\w)"
)
_LETTERED = later(r"(?a:(?<![\w./@:\\-])[A-Z]-[0-9]{2,4}(?![\w/@\\-]|\.\w))")
_GROUPED = later(r"(?<![\w./@:\\+-])(?<![0-9] )[0-9]{2,8}(?:-[0-9]{2,8}){2,4}(?![\w/@\\-]|\.\w)")
_FILED = later(r"(?<![\w./-])(?P<kind>[A-Z][A-Za-z]{0,3}) [0-9]{1,5}/[0-9]{2}(?![\w/-]|\.\w)")
_FIGURES = later(r"[0-9]+")


def misnamed(text: str, source: str) -> Iterator[tuple[str, str]]:
    """(what a text says, the source's) of the designations that the source does not have; "" where none is meant."""
    known = source.lower()
    for pattern in (_CODE, _COUNTED, _LETTERED, _GROUPED, _FILED):
        said = list(dict.fromkeys(match[0] for match in pattern.finditer(text)))[:MAX_SAID]
        strange = [one for one in said if not is_date(one) and not _stands(one.lower(), known)]
        others = list(dict.fromkeys(match[0] for match in pattern.finditer(source))) if strange else []
        for one in strange:
            right = _meant(one, others[-MAX_LIKE_CODES:], is_code=pattern is _CODE)
            if right if pattern is _LETTERED else right is not None:
                yield one, right or ""


def _stands(name: str, source: str) -> bool:
    at = source.find(name)
    while at >= 0:
        if not (source[at - 1 : at].isalnum() or source[at + len(name) : at + len(name) + 1].isalnum()):
            return True
        at = source.find(name, at + 1)
    return False


def _meant(said: str, others: Sequence[str], *, is_code: bool) -> str | None:
    """The one of the others that is meant, "" for none, None where nothing tells."""
    if is_code:
        near = [other for other in others if _is_near(said, other)]
        return near[0] if len(near) == 1 else None
    form = _form(said)
    like = [other for other in others if _form(other) == form]
    number, numbers = int(_figures(said)), [int(_figures(other)) for other in like]
    near = [
        other
        for other, its in zip(like, numbers, strict=True)
        if its == number or sorted(_figures(other)) == sorted(_figures(said))
    ]
    if not like or (len(like) > 1 and not near and min(numbers) < number <= max(numbers) + 1):
        return None
    return near[0] if len(near) == 1 else ""


def _form(name: str) -> str:
    """A designation without its figures; with their number where there are groups of them."""
    return _FIGURES.sub("#", name).lower() if any(map(str.isalpha, name)) else _FIGURES.sub(_sized, name)


def _sized(match: re.Match[str]) -> str:
    return "#" * len(match[0])


def _figures(name: str) -> str:
    return "".join(_FIGURES.findall(name))


def _is_near(one: str, other: str) -> bool:
    """Whether two differ by the order of their signs, or by one sign."""
    if len(one) == len(other):
        differing = sum(a != b for a, b in zip(one, other, strict=True))
        return sorted(one) == sorted(other) or differing == 1
    short, long = sorted((one, other), key=len)
    return len(long) == len(short) + 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
