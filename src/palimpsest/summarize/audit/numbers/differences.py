"""Quantities of a summary that are reckoned from two of its source: what is between them, both together, a share.

Rules kept here:

- Nearly every number is the sum or the difference of some two others. So one is taken for reckoned only where its
  clause says that it compares, adds or tells a rest, and not behind a word for where something went from or to.
- A percent is a share by itself. It takes a line with two numbers, and words of the clause that stand in it: two of
  them, or one where the clause compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.numbers.quantities import (
    MAX_OPERANDS,
    Quantity,
    is_same,
    quantities,
    sizes,
    to_figures,
)
from palimpsest.summarize.sentences import terms

LINE_CHARS = 400
"""Of a line of a source, in which two numbers stand that another is reckoned from."""
SHARED_TERMS, SHARED_COMPARED = 2, 1
"""Words that a clause with a percent has in common with the line that it was reckoned from."""
OPENING_TERMS = 2
"""So few words before a comma belong to the clause behind it: "In total, ..."."""

_CLAUSE = later(r"[,;.:!?]\s|[，；、。：！？\n]")
_RECKONS = later(
    r"\b(?:less|more|fewer|than|by(?= [\d~])|faster|slower|lower|higher|(?:small|larg|bigg|long|short)er|reduc\w+|"
    r"(?:in|de)creas\w+|dropp?\w*|fell|fall\w*|rose|rais\w+|gr[eo]w\w*|gain\w*|shr[aiu]nk\w*|cut\w*|sav(?:ed|es?|ings?)|"
    r"freed|differ\w*|delta|gap|apart|sum|total\w*|together|altogether|combined|overall|both|left|remain\w*|"
    r"rest(?! api)|free|spare|available|unused|"
    r"weniger|mehr|als|um(?= [\d~])|schneller|langsamer|niedriger|höher|kleiner|größer|länger|"
    r"kürzer|gesunken|sank|gestiegen|stieg|"
    r"gespart|eingespart|unterschied|differenz|abstand|summe|insgesamt|gesamt\w*|zusammen|beide|übrig|verbleib\w*|frei|"
    r"moins|plus|réduit\w*|baiss\w*|augment\w*|écart|différence|somme|ensemble|reste\w*|libres?|"
    r"menos|más|mais|redu\w+|baj[óa]\w*|aument\w*|subi\w+|diferen\w+|suma|soma|juntos|quedan?|restan?|restantes?|libres|"
    r"livres?|sobram?|meno|più|ridott\w+|cal[oa]\w*|differenza|somma|insieme|resta\w*|rimang\w+|liber[oi]|totale?|"
    r"меньше|больше|быстрее|медленнее|ниже|выше|разниц\w*|сниз\w+|упал\w*|вырос\w*|сумм\w*|вместе|всего|итого|"
    r"остал\w*|оста[её]т\w*|свободн\w*)\b|"
    r"[比更剩]|减少|增加|降低|缩短|节省|[快慢多少高低]了|相差|差[距值异]|[一总]共|共计|[合总]计|其余|余下|空闲|"
    r"より|[減増残]|短縮|節約|の差|差[はが]|合計|空き|"
    r"보다|빠르|느리|차이|줄(?:었|어|여|인)|늘(?:었|어)|남(?:은|았|아)|합계|모두|총 ",
    re.IGNORECASE,
)
"""How it is told that something is compared, added, or left over."""
_PLACED = later(r"(?:\b(?:from|to|auf|à|a|до)\s|[到至从為为])\s?$", re.IGNORECASE)
"""Before a quantity that something went from, or to."""


def is_difference(one: Quantity, said: str, text: str) -> bool:
    """Whether a quantity, that a summary has in `said`, is the sum or the difference of two in its unit that stand in
    one line of a source, or in per cent the share of one number in the other of a line that has two.
    """
    clauses = list(_clauses(one, said))
    if one.kind == "share":
        return any(
            _is_share(one, clause, line[:LINE_CHARS]) for clause in clauses for line in text.splitlines()
        )
    return any(map(_RECKONS.search, clauses)) and any(
        is_same(one.size, first + second) or is_same(one.size, abs(first - second))
        for line in text.splitlines()
        for first, second in combinations(_like(one, line[:LINE_CHARS]), 2)
    )


def _clauses(one: Quantity, said: str) -> Iterator[str]:
    """The clauses that have a quantity, where it is no place that something went from or to."""
    for opening, piece in dict.fromkeys(pairwise(("", *_CLAUSE.split(said)))):
        if one.said in opening or one.said in piece:
            clause = f"{opening if len(terms(opening)) <= OPENING_TERMS else ''} {piece}"
            before, found, _ = clause.partition(one.said)
            if found and not _PLACED.search(before):
                yield clause


def _like(one: Quantity, line: str) -> list[float]:
    """The quantities of a line in the unit of this one."""
    like = [it.size for it in quantities(line) if (it.kind, it.scale) == (one.kind, one.scale)]
    return list(dict.fromkeys(like[:MAX_OPERANDS]))


def _is_share(one: Quantity, clause: str, line: str) -> bool:
    """Whether a percent is the share of one number of a line in the other; where it compares, also how much is between
    them.
    """
    plain = sorted(set(sizes(line)))
    if len(plain) != 2 or plain[0] <= 0:
        return False
    compares = bool(_RECKONS.search(clause))
    share = plain[0] / plain[1]
    shares = (share, 1 - share, 1 / share - 1) if compares else (share,)
    if all(to_figures(100 * it, one.figures) != float(one.number) for it in shares):
        return False
    common = with_forms(set(terms(clause)) - LITTLE, set(terms(line)) - LITTLE)
    return len(common) >= (SHARED_COMPARED if compares else SHARED_TERMS)
