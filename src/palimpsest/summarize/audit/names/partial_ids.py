"""Ids, numbers and accounts of which a summary tells the beginning or the end, whatever they are made of: with signs
for the rest (`0376…0142`), or in words ("che finisce in 20b65e").

Rules kept here:

- A part is compared without what parts the groups of a number: `03765550142` is `0376 555 0142`.
- A part that several names have may be any of them: the words beside it decide (`which.py`). A part that the source
  tells by itself is none.
- Words that say "ending in" go with the part. Where only a word near it speaks of an end or a beginning, figures become
  the whole; letters and figures do so without any.
- Of many things of which only the beginning or the end is told ("ids beginning with 1024", "both begin with 1024") none
  is meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact, plainly

PART_CHARS, SURE_CHARS, WHOLE_CHARS = 4, 8, 8
"""So much of a name is a part of it; so much behind an ellipsis and a space; and so long is what has parts."""
MAX_SERIES = 6
"""More names that begin alike are a series, but for ids in hexadecimal signs."""
MAX_GROUPS = 6
"""Groups of a number before or behind what stands for the rest."""
BEFORE_CHARS, BEHIND_CHARS = 40, 14
"""How near a word stands that tells of an end."""

_REST = later(
    r"[\[(]?(?:…{1,3}|\.{2,6}|(?:\*{3,16}|[•·]{2,16}|(?<![A-Za-z0-9])[xX]{2,12}|(?<=[ -])#{2,12})"
    r"(?:[ -](?:[*•·]{2,16}|[xX#]{2,12})){0,5})[\])]?"
)
_BEFORE = later(r"\+?[A-Za-z0-9]{1,40}(?:[ -][A-Za-z0-9]{1,40}){0,9}[ -]?\Z")
_BEHIND = later(r"[ -]?[A-Za-z0-9]{1,40}(?:[ -][A-Za-z0-9]{1,40}){0,9}")
_GROUP = later(r"\+?[A-Za-z0-9]+")
_PART = r"[`\"'«„“*]{0,2}(?=[A-Za-z-]{0,23}\d)(?P<%s>[A-Za-z0-9][A-Za-z0-9-]{2,23})[`\"'»“”*]{0,2}"
TOLD = later(
    r"(?<![^\W\d_])(?:"
    r"(?:(?:that |which )?(?:ends?|ending|starts?|starting|begins?|beginning) (?:in|with|on)|"
    r"(?:(?:die|der|das) )?(?:endet|enden|endend\w{0,2}|beginnt|beginnen|beginnend\w{0,2}) (?:auf|mit)|"
    r"(?:qui )?(?:se )?(?:finit|finiss[ae]nt|termine|termin[ae]nt|terminée?|commence|commen[cç][ae]nt|débute|"
    r"début[ae]nt) (?:par|en)|"
    r"(?:que )?(?:terminan?|terminad[oa]|acaban?|acabad[oa]|finalizan?|empiezan?|comienzan?|começam?|inician?) "
    r"(?:en|em|con|com|por)|"
    r"(?:che )?(?:finiscono|finisce|termina(?:no)?|terminante|inizia(?:no)?|comincia(?:no)?) (?:in|con|per)|"
    r"(?:die |dat )?(?:eindigt|eindigend|begint|beginnend) (?:op|met)|"
    r"(?:któr\w{1,4} )?(?:kończ\w{1,6} się na|zaczyn\w{1,6} się (?:od|na))|"
    r"(?:котор\w{1,3} )?(?:заканчива|оканчива|начина)\w{1,5}ся (?:на|со?))\s"
    + _PART % "part"
    + r"(?![A-Za-z0-9_-]|[.,]\d)|(?:(?:die|der|das) )?(?:auf|mit) "
    + _PART % "german"
    + r" (?:endet|endend\w{0,2}|beginnt|beginnend\w{0,2})(?!\w))|"
    r"以\s?"
    + _PART % "han"
    + r"\s?为?(?:结尾|结束|开头|起头)的?|(?:尾号|末尾|末[四五六]位)[为是がは]?\s?"
    + _PART % "tail"
    + r"(?![A-Za-z0-9])|(?<![A-Za-z0-9_-])"
    + _PART % "kana"
    + r"\s?で(?:終わる|始まる)|(?<![A-Za-z0-9_-])"
    + _PART % "hangul"
    + r"\s?으?로 (?:끝나는|시작하는)",
    re.IGNORECASE,
)
"""How words tell a part."""
_TOKEN = later(
    r"(?<![A-Za-z0-9_\u00c0-\u024f./:#@+-])[A-Za-z0-9][A-Za-z0-9-]{2,22}[A-Za-z0-9](?![A-Za-z0-9_\u00c0-\u024f-]|[.:/,]\w)"
)
_NEAR = later(
    r"\b(?:end(?:s|ing|ed)?|last|final|first|begins?|beginning|starts?|starting|letzte\w?|erste\w?|end(?:ziffer|ung)\w*|"
    r"endet|beginnt|anfang\w*|derni[eè]r\w*|premi[eè]r\w*|fini\w*|termin\w*|commen\w*|[uúù]ltim\w*|primer\w*|prim[ei]\w?|"
    r"acab\w*|empiez\w*|comien\w*|inizi\w*|cominci\w*|primeir\w*|começ\w*|laatste|eerste|eindig\w*|begint|ostatni\w*|"
    r"pierwsz\w*|kończ\w*|zaczyn\w*|końców\w*|последн\w*|перв\w*|оканч\w*|заканч\w*|начина\w*)(?!\w)|"
    r"尾|末|开头|结尾|最后|[前后後]\s?[0-9一二三四五六七八]位|[下上頭]\s?[0-9一二三四五六七八]桁|終わ|始ま|끝|뒷|앞자리|시작",
    re.IGNORECASE,
)
_MANY = later(
    r"\b(?:ids|keys|hashes|names|numbers|tokens|codes|commits|files|any\w*|all|every\w*|each|those|alle[ns]?|jede\w?|"
    r"tou(?:te)?s|tod[oa]s|tutt[ie]|wszystki\w+|все|всех)\b[^.;:]{0,40}$|(?:すべて|全て|所有|全部|모든)[^。；]{0,20}$",
    re.IGNORECASE,
)
_COUNTS = later(r"\s?[A-Za-z\u00c0-\u024f\u0400-\u04ff%件行枚個个通人円元条回日月年本台]")
"""What stands behind a number that counts something."""
_YEAR = later(r"(?:19|20)\d\d")


def masked(text: str, exact: Exact) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(what was shortened, what it may be the part of) of the parts with signs for what is left out."""
    for rest in _REST.finditer(text):
        before = _BEFORE.search(text, max(0, rest.start() - 80), rest.start())
        behind = _BEHIND.match(text, rest.end())
        heads = [(rest.start(), "")] + [
            (found.start(), text[found.start() : rest.start()])
            for found in (list(_GROUP.finditer(text, before.start(), rest.start())) if before else [])[
                -MAX_GROUPS:
            ][::-1]
        ]
        tails = [(rest.end(), "")] + [
            (found.end(), text[rest.end() : found.end()])
            for found in (list(_GROUP.finditer(text, rest.end(), behind.end())) if behind else [])[
                :MAX_GROUPS
            ]
        ]
        is_dots = rest[0].strip("[]()")[0] in ".…"
        best = ("", tuple[str, ...](), 0)
        for start, head in heads:
            for end, tail in tails:
                size = len(plainly(head) + plainly(tail))
                loose = is_dots and not head and tail.startswith(" ")
                if size <= best[2] or size < (SURE_CHARS if loose else PART_CHARS):
                    continue
                if wholes := _told_by(head, tail, exact):
                    best = (text[start:end], wholes, size)
        if best[0] and best[0] not in exact.text:
            yield best[0], best[1]


def _told_by(head: str, tail: str, exact: Exact) -> tuple[str, ...]:
    """The names that begin and end so; what stands alone is a part only where the source has it nowhere alone."""
    own = [one for one in (plainly(head), plainly(tail)) if one]
    if not any(map(str.isdecimal, "".join(own))):
        return ()
    if len(own) == 1 and (_stands_alone(own[0], exact) or len(own[0]) < PART_CHARS):
        return ()
    return wholes_with(plainly(head), plainly(tail), exact)


def in_words(text: str, exact: Exact) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """(what tells a part, what it may be the part of) of the parts told in words; () where the source has no such name,
    None where it may be none, or what several names have.
    """
    spans: list[tuple[int, int]] = []
    for match in TOLD.finditer(text):
        part = next(filter(None, match.groups()))
        if _MANY.search(text[max(0, match.start() - BEFORE_CHARS) : match.start()]):
            continue
        spans.append(match.span())
        if _stands_alone(part, exact) or _YEAR.fullmatch(part):
            yield match[0], None
            continue
        rights = wholes_with("", plainly(part), exact) or wholes_with(plainly(part), "", exact)
        lone = len(part) < PART_CHARS or part.lower() in exact.text.lower() or not _is_of_figures(part)
        yield match[0], rights if len(rights) == 1 else (None if lone else ())
    for match in _TOKEN.finditer(text):
        part = match[0]
        if not any(map(str.isdecimal, part)) or any(start <= match.start() < end for start, end in spans):
            continue
        ahead = text[text.rfind("\n", 0, match.start()) + 1 : match.start()][-BEFORE_CHARS:]
        near = _NEAR.search(f"{ahead} | {text[match.end() : match.end() + BEHIND_CHARS]}")
        sure = len(part) > PART_CHARS and _is_mixed(part)
        if part.isdecimal() and _COUNTS.match(text, match.end()):
            continue
        if not (near or sure) or _YEAR.fullmatch(part) or _MANY.search(ahead) or _stands_alone(part, exact):
            continue
        rights = wholes_with("", plainly(part), exact) or wholes_with(plainly(part), "", exact)
        if len(rights) == 1 or (rights and sure and is_cut(part, rights)):
            yield part, rights


def wholes_with(head: str, tail: str, exact: Exact) -> tuple[str, ...]:
    """The longer names of the source that begin and end so, without what parts their groups."""
    if not head and not tail:
        return ()
    for known in (exact.plain, exact.plain_groups):
        fitting = {
            one
            for one, plain in known.items()
            if len(plain) > max(len(head) + len(tail), WHOLE_CHARS - 1)
            and plain.startswith(head)
            and plain.endswith(tail)
        }
        if fitting:
            return least_of(fitting, exact)
    return ()


def least_of(fitting: Collection[str], exact: Exact) -> tuple[str, ...]:
    """The one of the names that stands in all others; else those in which none of the others stands, where all of them
    are ids of which each is told by its signs alone; () otherwise, and of a whole series.
    """
    least = min(fitting, key=len, default="")
    if all(least in one for one in fitting):
        return (least,) if least else ()
    several = [one for one in sorted(fitting) if not any(two in one for two in fitting if two != one)]
    ids = exact.ids
    series = len(several) > MAX_SERIES and not all(map(is_hexadecimal, several))
    return tuple(several) if all(one in ids for one in several) and not series else ()


def is_cut(part: str, names: Sequence[str]) -> bool:
    """Whether a part ends in the midst of what has no signs between: what ends where a separator stands is the name of
    a series ("order-2024" of "order-2024-001"), but for ids in hexadecimal signs.
    """
    for name in names:
        at = name.lower().find(part.lower())
        beside = name[at + len(part) : at + len(part) + 1] if at == 0 else name[max(0, at - 1) : max(0, at)]
        if at >= 0 and not is_hexadecimal(name) and not beside.isalnum():
            return False
    return True


def is_hexadecimal(name: str) -> bool:
    """Whether a name has no letters but those of hexadecimal numbers."""
    return all(sign in "0123456789abcdef" for sign in plainly(name))


def _stands_alone(part: str, exact: Exact) -> bool:
    return bool(
        re.search(rf"(?<![A-Za-z0-9_-]){re.escape(part)}(?![A-Za-z0-9_-])", exact.apart, re.IGNORECASE)
    )


def _is_of_figures(part: str) -> bool:
    return part.isdecimal() or _is_mixed(part)


def _is_mixed(part: str) -> bool:
    """Whether a part is of letters and figures as ids are: hexadecimal, or in capitals; not a number with its unit."""
    plain = part.replace("-", "")
    return (
        (is_hexadecimal(plain) or plain.isupper())
        and any(map(str.isalpha, plain))
        and not re.fullmatch(r"\d+[A-Za-z]{1,2}", plain)
    )
