"""What the newest request points at in results: "the firmware" of a request, and "Firmware 3.18" of a result.

Rules kept here:

- A result gives something a value where a piece of one of its lines is a name and behind it a value with a figure. The
  request points at it with a word of that name, and does not have the value itself.
- Of one name the newest value counts. What has many values is a listing, and nobody points at one line of it; what code
  gives a value is nothing of the world.
"""

from __future__ import annotations

from collections.abc import Iterable

from palimpsest.patterns import later
from palimpsest.summarize.alike import Known
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.cues import is_code

MAX_VALUES, MAX_POINTED = 2, 4
"""A name with more values is of a listing; and how many pieces are kept, the newest."""
LINE_CHARS = 600
_SIGNS = later(r"[\"'`{}\[\]*]")
_PARTS = later(r"\s[|·]\s|[;；，、\t]\s?|,(?:\s+|(?!\d))|(?<=\w)[.。]\s|[.。]$")
_VALUED = later(
    r"\s*(?P<name>[^\W\d_][^\d:=：]{1,40}?)\s{0,3}(?:[:=：]\s{0,3}|\s)"
    r"(?P<value>(?=\S*\d)[\w$€£.,:/%°+-]{1,40}(?: [^\W\d_]{1,12})?)\s*"
)


def pointed_at(request: str, lines: Iterable[str]) -> list[str]:
    """The pieces of lines of results that give a value to what a request names, in their order."""
    asked = Known(frozenset(terms(request)))
    found: dict[str, dict[str, str]] = {}
    for line in lines:
        plain = _SIGNS.sub("", line[:LINE_CHARS])
        for part in _PARTS.split(plain) if not is_code(plain) else ():
            match = _VALUED.fullmatch(part)
            if match and asked.of(terms(match["name"])) and match["value"] not in request:
                held = found.setdefault(" ".join(terms(match["name"])), {})
                held.pop(match["value"], None)
                held[match["value"]] = " ".join(part.split())
    newest = [list(held.values())[-1] for held in found.values() if len(held) <= MAX_VALUES]
    return newest[-MAX_POINTED:]
