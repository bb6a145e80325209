"""The terms of a text: what it is compared by.

Rules kept here:

- Terms are lower-case words; in scripts without spaces they are pairs of neighbouring characters.
- Stop words say nothing, and are left out.
"""

from __future__ import annotations

import re

from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.spoken.texts import PARTICLES, STOP

UNSPACED = r"\u0e00-\u0eff\u2e80-\u2fff\u3040-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"([{UNSPACED}]{{1,40}})|[^\W_{UNSPACED}]{{2,40}}")
_ASCII_RUN = re.compile(r"[a-z0-9]{2,40}")
"""The same in a text that has no other letters, which is searched several times as fast."""


@remembered()
def terms_of(text: str) -> tuple[str, ...]:
    """The terms of a text, in order."""
    if text.isascii():
        return tuple(run for run in _ASCII_RUN.findall(text.lower()) if run not in STOP)
    found: list[str] = []
    for match in _RUN.finditer(text.lower()):
        run = match[0]
        if match[1]:
            pairs = [run[at : at + 2] for at in range(max(1, len(run) - 1))]
            found.extend(pair for pair in pairs if not PARTICLES.intersection(pair))
        elif run not in STOP:
            found.append(run)
    return tuple(found)
