"""What of a user's message was typed, and what was pasted into it.

Rules kept here:

- A message of a few lines is typed. In a longer one each paragraph of prose is, where most of the rest is what programs
  print: a request between two logs is nobody else's. Where the rest is prose as well, such as a letter or a page, only
  a short paragraph at its beginning or at its end is.
"""

from __future__ import annotations

from palimpsest.patterns import later
from palimpsest.summarize.cues import is_code

TYPED_CHARS = 2_400
"""A longer message is taken to hold pasted text."""
PARAGRAPH_CHARS, EDGE_CHARS = 800, 400
"""A longer paragraph was pasted: beside what programs print, beside prose."""
PRINTED_SHARE = 0.5
LINES = 12
"""Lines of a paragraph that are looked at."""
PLAIN_SHARE, PLAIN_LINES_SHARE = 0.9, 0.8
DIGITS_SHARE = 0.25
MAX_TYPED = 24
"""Paragraphs that are taken for typed."""

_PARAGRAPHS = later(r"\n[ \t\r]{0,40}(?:\n[ \t\r]{0,40})+")
_PLAIN = later(r"""[^\W_]|[\s.,;:!?'"’()„“”«»¿¡…、。！？；：，（）「」-]""")
_DIGIT = later(r"\d")
_WORDS = later(r"\w\S*\s+\S+\s+\S|[^\x00-\x7f]{5}")


def parted(text: str) -> tuple[str, str]:
    """A message as (what was typed, what was pasted): paragraphs in their order, "" for none."""
    if len(text) <= TYPED_CHARS:
        return text, ""
    paragraphs = [one for one in _PARAGRAPHS.split(text) if one.strip()]
    prose = [is_prose(one) for one in paragraphs]
    printed = sum(len(one) for one, plain in zip(paragraphs, prose, strict=True) if not plain)
    if printed >= PRINTED_SHARE * len(text):
        places, most = range(len(paragraphs)), PARAGRAPH_CHARS
    else:
        places, most = (0, len(paragraphs) - 1), EDGE_CHARS
    typed = [place for place in places if prose[place] and len(paragraphs[place]) <= most]
    chosen = {*typed[: MAX_TYPED // 2], *typed[-MAX_TYPED // 2 :]}
    own = (one for place, one in enumerate(paragraphs) if place in chosen)
    rest = (one for place, one in enumerate(paragraphs) if place not in chosen)
    return "\n\n".join(own), "\n\n".join(rest)


def is_prose(paragraph: str) -> bool:
    """Whether most lines of a paragraph are made of words, as people write them."""
    lines = [line for line in paragraph[: LINES * 400].splitlines() if line.strip()][:LINES]
    plain = sum(_is_plain(line.strip()[:400]) for line in lines)
    return bool(lines) and plain >= PLAIN_LINES_SHARE * len(lines)


def _is_plain(line: str) -> bool:
    size = len(line)
    return (
        _WORDS.search(line) is not None
        and not is_code(line)
        and sum(1 for _ in _PLAIN.finditer(line)) >= PLAIN_SHARE * size
        and sum(1 for _ in _DIGIT.finditer(line)) <= DIGITS_SHARE * size
    )
