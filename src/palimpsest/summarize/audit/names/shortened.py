"""Hashes and ids of which a summary has a part: the beginning, the end, both, or the midst, put right to the whole.

Rules kept here:

- What stands for the part that is left out is an ellipsis, stars, or signs that hide it (`9d1e4c77-xxxx-5c6d`). What
  goes on beside it in another script is no part of it.
- A part is put right where exactly one name of the source has it; where several have it, the words beside it decide
  which is meant (`which.py`). Of a name that stands in a longer one, a link, the name itself is meant. Long runs of
  figures, of parcels and vouchers, are names here.
- A word in brackets that says what would stand there ("order <order-id>") stands for the one id that the source has
  behind the word before it, or has at all.
- A remark that a name was cut, "(shortened)", goes where the whole is put in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact, stands
from palimpsest.summarize.audit.names.partial_ids import TOLD, in_words, is_cut, least_of, masked

Wholes = tuple[str, ...] | None
"""What a shortened name may stand for: () where the source has no such name, None where it may be no name."""

END_CHARS = 4
"""So much of a hash or an id is a beginning or an end of it."""
MAX_PLACES = 20
"""Places of one id that are looked at."""
MIDST_CHARS = 8
"""So much of one is a part of it that stands in its midst."""

_CUT = later(
    r"(?<![A-Za-z0-9_\u00c0-\u024f/.-])([A-Za-z0-9][A-Za-z0-9_-]{3,60}?)-?\[?(?:…|\.{2,6}|\*{3,})\]?(?:-\*{3,}){0,4}-?"
    r"([A-Za-z0-9_-]{0,40})(?![A-Za-z0-9_\u00c0-\u024f*])"
)
_CUT_AHEAD = later(
    r"(?<![A-Za-z0-9_\u00c0-\u024f.…*\[-])\[?(?:…|\.{2,6}|\*{3,})\]?(?:-?|\s(?=[0-9a-f-]{8}))"
    r"(?P<tail>(?=[a-fA-F-]{0,40}\d)(?:[0-9a-f][0-9a-f-]{3,40}|[0-9A-F][0-9A-F-]{3,40}))(?![A-Za-z0-9_-]|[.,]\d)"
)
_CUT_PATH = later(
    r"(?<![\w/.…-])(?P<folder>[\w.-][\w./-]{0,120}?/|/)?(?:…|\.{3})/(?P<rest>[\w.-][\w./-]{1,160}\b)"
)
_HIDDEN = later(r"(?<![\w-])([0-9a-fA-F]{4,12})-?(?:[xX?#]{2,12}-?){1,5}([0-9a-fA-F]{3,12})(?![\w-])")
_BLANK = later(r"(?:<|\[|\{{1,2})(?i:[a-z][a-z _-]{0,30}[ _-])?(?i:id|uuid|guid|hash|sha)(?:>|\]|\}{1,2})")
"""What says that an id would stand there."""
_BEFORE = later(r"([^\W_]{2,30})[\W_]{0,4}$")
_SIGNS = (_CUT, _CUT_AHEAD, _HIDDEN)
_FIGURE = later(r"\d")
_CUT_WORD = (
    r"(?:shortened|truncated|abbreviated|abridged|abbrev\.?|cut (?:off|short)|"
    r"rest (?:is |was )?(?:left out|omitted)|(?:ab)?gekürzt|abgeschnitten|"
    r"(?:abrég|tronqu|raccourci|écourt)é?e?|(?:acorta|abrevia|trunca|recorta)d[oa]|"
    r"(?:abbrevia|accorcia|tronca|taglia)t[oa]|(?:encurta|abrevia|trunca|corta)d[oa]|ingekort|afgekort|afgekapt|"
    r"skrócon[yaeo]|skrót|uci[ęe]t[yaeo]|сокращ[её]н[оаы]?|сокращено|обрезан[оаы]?|усечен[оаы]?|"
    r"(?:以下|中|後|后)?略(?:记|記|称)?|(?:以下)?省略|缩[写短]|縮[寫短]|截断|短縮|생략|줄임|축약)"
)
_AROUND_CUT = (
    r"(?:(?:the|this|was|is|has|been|it|id|ids|uuid|hash|sha|name|here|for|brevity|by|me|die|der|das|ist|wurde|hier|"
    r"est|ici|le|la|el|il|aquí|qui|aqui|hier|tutaj|здесь|部分|我)|[Ii][Dd]は|을|를|は|が)"
)
_CUT_REMARK = (
    rf"(?:\s?[(\[（【]\s?(?:{_AROUND_CUT}\s?){{0,4}}"
    rf"(?:{_CUT_WORD}|(?:first|last) \d{{1,2}} (?:characters|chars|digits))"
    rf"(?:\s?{_AROUND_CUT}){{0,4}}\s?[)\]）】]|\s?以下(?:省)?略|[,，、]\s?{_CUT_WORD}(?=\s?(?:[.;:)。；）]|$)))"
)
"""How it is remarked behind a name that it was cut."""
_HEXADECIMAL = later(r"(?=[a-f-]{0,40}\d)(?=[\d-]{0,40}[a-f])[0-9a-f-]{6,60}")


def shortened(text: str, exact: Exact) -> Iterator[tuple[str, Wholes]]:
    """(what was shortened, the wholes it may stand for) of the shortened names of a text."""
    for match in _CUT_PATH.finditer(text):
        folder, rest = match["folder"] or "", f"/{match['rest']}"
        paths = {
            one for one in exact.paths if one.startswith(folder) and one.endswith(rest) and one != match[0]
        }
        whole = least_of(paths, exact)
        yield match[0], whole if len(whole) == 1 and match[0] not in exact.text else None
    text = _CUT_PATH.sub(" ", text)
    for match in _CUT.finditer(text):
        yield match[0], _cut_short(match, exact)
    for match in _CUT_AHEAD.finditer(text):
        yield match[0], _ends(exact, "", match["tail"].lower())
    for match in _HIDDEN.finditer(text):
        yield match[0], _ends(exact, match[1].lower(), match[2].lower())
    yield from _blanks(text, exact)
    for said, rights in masked(text, exact):
        yield said, rights
        text = text.replace(said, " ")
    for pattern in _SIGNS:
        text = pattern.sub(" ", text)
    yield from in_words(text, exact)


def _blanks(text: str, exact: Exact) -> Iterator[tuple[str, Wholes]]:
    for match in _BLANK.finditer(text):
        if match[0] in exact.text:
            continue
        before = _BEFORE.search(text[max(0, match.start() - 40) : match.start()])
        behind = re.compile(rf"(?i)\b{re.escape(before[1])}[\W_]{{0,4}}$") if before else None
        fitting = {
            name
            for name in exact.ids
            if behind
            and any(behind.search(exact.text[max(0, at - 40) : at]) for at in _places(name, exact.text))
        }
        found = fitting or set(exact.ids)
        yield match[0], tuple(found) if len(found) == 1 else ()


def _places(name: str, text: str) -> Iterator[int]:
    at = text.find(name)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(name, at + 1)


def without_shortened(text: str) -> str:
    """The text without its shortened names, so that no part of one is taken for a name."""
    for pattern in (_CUT_PATH, *_SIGNS, TOLD):
        text = pattern.sub(" ", text)
    return text


def without_remarks(text: str, rights: Mapping[str, str]) -> str:
    """The text without remarks behind its names, given whole by now, that they were cut; `rights` are the wholes of
    what stood for them. Of a file it may be told that it is cut.
    """
    wholes = {
        right
        for said, right in rights.items()
        if len(right) > len(said) and _FIGURE.search(right) and "/" not in right
    }
    if not wholes:
        return text
    names = "|".join(map(re.escape, sorted(wholes, key=len, reverse=True)))
    behind = re.compile(rf"((?:{names})[`*\"'»”]{{0,3}}){_CUT_REMARK}", re.IGNORECASE | re.MULTILINE)
    return behind.sub(lambda match: match[1], text)


def wholes_of(name: str, others: Sequence[str]) -> tuple[str, ...]:
    """Those of the others of which a name is the beginning, the end, both with a hyphen between, or the midst."""
    longer = [one for one in others if len(one) > len(name)]
    held = {one for one in longer if one.startswith(name) or one.endswith(name)}
    if not held and len(name) >= MIDST_CHARS and "-" not in name:
        held = {one for one in longer if "-" in one and one.replace("-", "").startswith(name)}
    if held and len(name) >= END_CHARS:
        return tuple(sorted(held))
    head, _, tail = name.rpartition("-")
    if not _HEXADECIMAL.fullmatch(name):
        return ()
    if min(len(head), len(tail)) >= END_CHARS:
        held = {one for one in longer if one.startswith(head) and one.endswith(tail)}
        if held:
            return tuple(sorted(held))
    held = {one for one in longer if name in one and _HEXADECIMAL.fullmatch(one)}
    return tuple(sorted(held)) if len(name) >= MIDST_CHARS else ()


def _ends(exact: Exact, head: str, tail: str) -> Wholes:
    """The longer names of the source that begin and end so."""
    fitting = {
        name
        for name in _known(exact)
        if len(name) > len(head) + len(tail) and name.lower().startswith(head) and name.lower().endswith(tail)
    }
    return least_of(fitting, exact) or None


def _known(exact: Exact) -> Iterator[str]:
    yield from (name for _, name in exact.names)
    yield from exact.runs


def _cut_short(match: re.Match[str], exact: Exact) -> Wholes:
    """What was shortened with an ellipsis, in whole; None where it may be no identifier."""
    head, tail = match[1], match[2].lstrip("-")
    fitting = {
        one
        for one in _known(exact)
        if len(one) > len(head) + len(tail) and one.startswith(head) and one.endswith(tail)
    }
    if not fitting and _HEXADECIMAL.fullmatch(head) and head not in exact.text:
        return ()
    wholes = least_of(fitting, exact)
    several = len(wholes) > 1 and (stands(head, exact.text, "hash") or not is_cut(head, wholes))
    return None if match[0] in exact.text or several else wholes or None
