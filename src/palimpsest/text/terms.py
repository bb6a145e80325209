"""The terms of a text, by which texts are compared.

Terms are lower-case words of two letters or more; in scripts without spaces, pairs of neighbouring characters.
"""

from __future__ import annotations

import re
from functools import lru_cache

UNSPACED = r"\u0e00-\u0eff\u2e80-\u2fff\u3040-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
SHORT_CHARS, MAX_TEXTS = 400, 4_096
"""The terms of this many texts of up to this many characters are cached."""
_RUN = re.compile(rf"([{UNSPACED}]{{1,40}})|[^\W_{UNSPACED}]{{2,40}}")
_ASCII_RUN = re.compile(r"[a-z0-9]{2,40}")
"""The same for ASCII text, which is several times as fast."""


def terms(text: str) -> tuple[str, ...]:
    """The terms of a text, in order."""
    return _short_terms(text) if len(text) <= SHORT_CHARS else _terms(text)


@lru_cache(MAX_TEXTS)
def _short_terms(text: str) -> tuple[str, ...]:
    return _terms(text)


def _terms(text: str) -> tuple[str, ...]:
    if text.isascii():
        return tuple(_ASCII_RUN.findall(text.lower()))
    found: list[str] = []
    for match in _RUN.finditer(text.lower()):
        run = match[0]
        found.extend([run[at : at + 2] for at in range(max(1, len(run) - 1))] if match[1] else [run])
    return tuple(found)
