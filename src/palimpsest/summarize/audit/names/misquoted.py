"""Numbers without a unit that a summary tells in the source's words, and that the source does not have: "Kestrel Lane
41" for 14, "overflows at 255" for 256.

Rules kept here:

- Only a number that the source has in no form is judged, neither in figures nor in words, and that no two numbers near
  it come to.
- It is the source's other number that stands beside the same word in a sentence of the same words; beside that word
  alone where both have the same figures in another order.
- What a line reckons for itself, an average, a rest or a sum, is none of the source's numbers.
- Where a change is told, the number was made up: there is nothing in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from palimpsest.patterns import later
from palimpsest.summarize.alike import are_alike, with_forms
from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.numbers.amounts import UNIT
from palimpsest.summarize.audit.numbers.numerals import readings
from palimpsest.summarize.audit.numbers.quantities import to_figures
from palimpsest.summarize.audit.numbers.rough import BEFORE_CHARS, calls_rough
from palimpsest.summarize.sentences import terms

MAX_NUMBERED, MAX_ASKED = 2_000, 60
"""Numbers of a source that are looked at, the newest; numbers of a summary that are asked about."""
LINE_CHARS = 2_000
MAX_CLAUSE_NUMBERS = 6
"""A clause with more is a list, or output."""
BACK_WORDS = 4
"""How many words before a number the word may stand that it is known by."""
SAME_SHARE, MIN_SHARED = 0.6, 2
"""So much of what a clause says, and so many words, are the same sentence."""
SLACK = 1e-6

_CLAUSE = later(r"[.;!?]\s|[。；！？，]|,\s|[|\n]")
_TOKEN = later(
    r"(?P<number>(?<![A-Za-z0-9_.,:/#$€£¥+~≈-])\d{1,9}(?:[.,]\d{1,4})?(?![A-Za-z0-9_:/%°+-]|[.,]\d|\s?[%°€$£¥]))|"
    r"(?P<sign>[\u3040-\u30ff\u3400-\u9fff])|(?P<word>[^\W\d\u3040-\u30ff\u3400-\u9fff]\w*(?:[-'’]\w+)*)"
)
_CHANGED = later(
    r"\b(?:increas\w+|rais\w+|lower\w+|reduc\w+|chang\w+|set to|bumped|updated?|erhöh\w+|gesenkt|geändert|gesetzt|"
    r"augment\w+|réduit\w*|modifi\w+|aument\w+|reduc\w+|cambi\w+|subid\w+)\b|提高|改为|改成|降低|変更|引き上げ",
)
_MEASURED = later(
    rf"\d[\d.,]* (?:{UNIT}|[nµu]?s|ms|secs?|seconds?|mins?|minutes?|h|hours?|[kKMGT]?i?[bB]ytes?|[kKMGT]i?B|"
    r"percent|uhr|秒|分|時間|小时|分钟|時|时)",
    re.IGNORECASE,
)
"""What other rules judge: a number with a unit."""
_RECKONED = later(
    r"\b(?:average|mean|median|per|each|total|sum|altogether|combined|overall|both|left|remain\w*|rest|others?|more|fewer|"
    r"less|another|except|besides|durchschnitt\w*|im schnitt|je|pro|insgesamt|zusammen|übrig\w*|rest\w*|weitere\w*|"
    r"moyenne|chacune?|total|autres?|promedio|cada|restan\w*|otr[oa]s?)\b|平均|每|总共|一共|剩|其余|合計|残り",
    re.IGNORECASE,
)
"""How a line tells of a number that it reckons."""


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A number with the words that it is known by: those before it, the one behind it, and its clause; `start` and
    `end` are where it stands with its nearest word.
    """

    raw: str
    before: frozenset[str]
    behind: str
    start: int
    end: int
    clause: str


def misquoted(text: str, exact: Exact) -> Iterator[tuple[str, str]]:
    """(a number with the word beside it, the source's form) of the numbers that are not the source's; "" for none."""
    known = exact.held.values
    asked = [
        (line, one)
        for line in text.splitlines()
        for one in _numbers(line[:LINE_CHARS])
        if known.isdisjoint(readings(one.raw)) and not _MEASURED.fullmatch(f"{one.raw} {one.behind}")
        if not _RECKONED.search(one.clause)
    ][:MAX_ASKED]
    if not asked:
        return
    told = list(_told(exact.text))
    for line, one in asked:
        beside = [other for other in told if _is_beside(one, other)]
        fitting = {other.raw for other in beside if _is_turned(one, other)}
        fitting = fitting or {other.raw for other in beside if _is_same(one, other)}
        if not fitting or _is_reckoned(one, line, beside):
            continue
        said = line[one.start : one.end]
        whole = {raw for raw in fitting if _rounds(raw, one.raw)}
        fitting = whole or fitting
        right = fitting.pop() if len(fitting) == 1 and (whole or not _CHANGED.search(line.lower())) else ""
        yield said, said.replace(one.raw, right) if right else ""


def _told(text: str) -> Iterator[_Numbered]:
    found = [one for line in text.splitlines() for one in _numbers(line[:LINE_CHARS])]
    return iter(found[-MAX_NUMBERED:])


def _numbers(line: str) -> Iterator[_Numbered]:
    """The plain numbers of a line."""
    begin = 0
    for end in (*(match.start() for match in _CLAUSE.finditer(line)), len(line)):
        tokens = list(_TOKEN.finditer(line, begin, end))
        numbers = [at for at, token in enumerate(tokens) if token["number"]]
        for at in numbers if len(numbers) <= MAX_CLAUSE_NUMBERS else ():
            words = [token for token in tokens[max(0, at - BACK_WORDS) : at] if not token["number"]]
            if calls_rough(line[max(begin, tokens[at].start() - BEFORE_CHARS) : tokens[at].start()]):
                continue
            behind = tokens[at + 1] if at + 1 < len(tokens) and not tokens[at + 1]["number"] else None
            content = [token[0].lower() for token in words if token[0].lower() not in LITTLE]
            near = words[-1] if words else tokens[at]
            if behind and behind[0].lower() not in LITTLE:
                near = behind
            yield _Numbered(
                tokens[at][0],
                frozenset(content or (token[0].lower() for token in words[-1:])),
                behind[0].lower() if behind else "",
                min(tokens[at].start(), near.start()),
                max(tokens[at].end(), near.end()),
                line[begin:end],
            )
        begin = end


def _is_beside(one: _Numbered, other: _Numbered) -> bool:
    """Whether two numbers stand beside the same word."""
    return bool(with_forms(one.before, other.before)) or bool(
        one.behind and other.behind and are_alike(one.behind, other.behind)
    )


def _is_same(one: _Numbered, other: _Numbered) -> bool:
    """Whether two numbers are told of the same: a name in code, or a sentence of the same words."""
    if any("_" in word for word in one.before & other.before):
        return True
    own, its = (_words(numbered) for numbered in (one, other))
    shared = with_forms(own, its)
    return len(shared) >= max(MIN_SHARED, SAME_SHARE * len(own))


def _is_turned(one: _Numbered, other: _Numbered) -> bool:
    """Whether two numbers have the same figures in another order."""
    return len(one.raw) > 1 and sorted(one.raw) == sorted(other.raw)


def _rounds(exactly: str, raw: str) -> bool:
    """Whether a number was rounded to the other, which has more than one figure and ends with zeros."""
    figures = len(re.sub(r"\D", "", raw).strip("0"))
    return raw.endswith("0") and any(
        figures > 1 and to_figures(value, figures) == number
        for value in readings(exactly)
        for number in readings(raw)
    )


def _words(one: _Numbered) -> set[str]:
    return {term for term in terms(one.clause) if not term[0].isdecimal() and term not in LITTLE}


def _is_reckoned(one: _Numbered, line: str, beside: Sequence[_Numbered]) -> bool:
    """Whether two numbers of the line, or of the source beside the same word, come to a number."""
    others = {
        value
        for raw in (*(other.raw for other in beside), *(other.raw for other in _numbers(line)))
        if raw != one.raw
        for value in readings(raw)
    }
    own = readings(one.raw)
    made = {
        result
        for first, second in combinations(others, 2)
        for result in (first + second, abs(first - second), first * second)
    } | {2 * value for value in others}
    return any(abs(result - value) < SLACK for result in made for value in own)
