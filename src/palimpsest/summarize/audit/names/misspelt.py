"""Which of a source's names a name of a summary is a misspelling of, or has another ending of.

Rules kept here:

- Names are alike as wholes and part for part: in a long path another file's name is a small part.
- Numbers are not misspelt: a short name with other digits is another one, and so is a path or a host.
- Where two names are about as near, neither is meant.
- A file's path with another ending is meant to be that file's: one without a folder only where files end so, and none
  where its line tells that the file becomes another, or that there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.names import has_extension

LEAST_CHARS = 6
"""Shorter names are never taken for misspellings."""
LIKE_SHARE = 0.86
"""From this likeness on, a name is taken for a misspelling of another."""
PART_CHARS, PART_SHARE = 4, 0.75
"""A part of a path or a host that is at least so long, and so like another, is taken for a misspelling of it."""
MAX_LIKE_NAMES = 400
TURNED = 2
"""Letters that differ where two have changed places."""
SURE_CHARS = 20
"""A shorter name that differs from another in its digits alone is another name."""

_DIGITS = later(r"\d+")
_ENDING = later(
    r"(?<![\w./\\:@-])(?P<stem>(?:/|~/|\./)?(?:[\w@+-]{1,80}/){0,24}[\w@+-]{2,80})\.(?P<ending>[A-Za-z][A-Za-z0-9]{0,7})"
    r"(?![\w/\\(-]|\.\w)"
)
BECOMES = later(
    r"\b(?:convert\w*|renam\w*|become\w*|became|migrat\w*|port(?:ed|ing)?|turn(?:s|ed)? into|replac\w*|instead|"
    r"creat\w*|no|not|never|without|missing|new|wird|werden|umbenannt\w*|kein\w*|statt|neue?\w?|devient|sera|renommé\w*|nouveau|"
    r"pas|será|renombrad\w*|nuev\w|sin)\b|改名|重命名|变为|没有|新建|リネーム|変更|新規",
    re.IGNORECASE,
)
"""How a line tells that a file becomes another, or that there is none."""
_DASHED = later(r"(?a:(?<![\w./@-])[a-z][a-z0-9]{2,30}(?:-[a-z0-9]{2,30}){1,4}(?![\w/@-]|\.\w))")
"""A name of parts that could be words."""
_PARTS = later(r"[/\\.:?&=@]")


def alike(name: str, others: Sequence[str], *, same_numbers: bool = False) -> str:
    """The only one of the others that is nearly the same; "" for short names, and where only digits differ. With
    `same_numbers`, for names of several parts, no number of it may differ, and no part be another.
    """
    if len(name) < LEAST_CHARS:
        return ""
    if same_numbers:
        numbers = _DIGITS.findall(name)
        others = [other for other in others if _DIGITS.findall(other)[: len(numbers)] == numbers]
    if len(name) < SURE_CHARS:
        others = [other for other in others if _DIGITS.sub("", other) != _DIGITS.sub("", name)]
    near: dict[str, float] = {}
    for other in list(dict.fromkeys(others))[-MAX_LIKE_NAMES:]:
        if abs(len(other) - len(name)) > max(4, len(name) // 4):
            continue
        likeness = SequenceMatcher(None, name, other, autojunk=False)
        if likeness.real_quick_ratio() < LIKE_SHARE or (ratio := likeness.ratio()) < LIKE_SHARE:
            continue
        if not same_numbers or _in_parts(name, other):
            near[other] = ratio
    best = sorted(near, key=lambda other: -near[other])
    return best[0] if len(best) == 1 or (best and near[best[0]] - near[best[1]] > 0.05) else ""


def turned(text: str, exact: Exact) -> Iterator[tuple[str, str]]:
    """(name, the source's) of the names that have two letters of a single one of the source's in another order."""
    strange = [name for name in dict.fromkeys(_DASHED.findall(text)) if name not in exact.text][
        :MAX_LIKE_NAMES
    ]
    known = set(_DASHED.findall(exact.text)) if strange else set[str]()
    for name in strange:
        near = [
            other for other in known if sorted(other) == sorted(name) and _differing(name, other) == TURNED
        ]
        if len(near) == 1:
            yield name, near[0]


def _differing(name: str, other: str) -> int:
    return sum(one != two for one, two in zip(name, other, strict=True))


def _in_parts(name: str, other: str) -> bool:
    """Whether two names of several parts differ by misspelt parts alone: in a long path `paixu.py` is nearly all of
    `fenpei.py`, and so is another host of one domain, but it is another one.
    """
    ours, theirs = _PARTS.split(name), _PARTS.split(other)
    return len(ours) == len(theirs) and all(
        one == two or (min(len(one), len(two)) >= PART_CHARS and _likeness(one, two) >= PART_SHARE)
        for one, two in zip(ours, theirs, strict=True)
    )


def _likeness(one: str, two: str) -> float:
    return SequenceMatcher(None, one, two, autojunk=False).ratio()


def other_endings(text: str, exact: Exact) -> Iterator[tuple[str, str]]:
    """(path, the source's) of the paths of a text that the source has with another ending alone."""
    stems: dict[str, set[str]] = {}
    for path in exact.paths:
        stem, dot, _ = path.rpartition(".")
        if dot and has_extension(path):
            stems.setdefault(stem, set()).add(path)
            stems.setdefault(stem.split("/")[-1], set()).add(path)
    for match in _ENDING.finditer(text) if stems else ():
        own = stems.get(match["stem"], set[str]())
        known = match[0] in exact.text or (match["stem"] in exact.text and not own)
        if len(own) == 1 and not known and ("/" in match["stem"] or has_extension(match[0])):
            line = text[text.rfind("\n", 0, match.start()) + 1 :].split("\n", 1)[0]
            named = any(path in line or path.rpartition("/")[2] in line for path in own)
            if not (named or BECOMES.search(line)):
                yield match[0], next(iter(own))
