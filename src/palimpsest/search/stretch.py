"""The part of a very long text that is examined.

Splitting and folding a text costs a hundred times as much as finding a string in it. So a page is scanned for the
beginnings of the searched words first, and only the best part is read. In a text of more than `FOLDED_CHARS` only the
two ends are folded; between them words are found as written, in any case.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from palimpsest.search.word_folding import index_stem, plain

FOLDED_CHARS = 600_000
"""Characters of one text that are folded, two thirds of them at its beginning."""


def beginning(word: str) -> str:
    """What the forms of a folded word begin with: "configur" of "configuration", "happ" of "happy"."""
    stem = index_stem(word)
    begin = stem[:-1] if len(stem) > 2 and stem[-1] in "iey" else stem
    return begin if word.startswith(begin) else word


def best_window(text: str, wanted: Sequence[Iterable[str]], size_chars: int) -> int:
    """Where the stretch of about `size_chars` begins that holds the most of what is `wanted`: things that count once
    each, by any of their beginnings in lower case, those in few places counting more. Of equal ones the first.
    """
    if len(text) <= size_chars:
        return 0
    half = max(1, size_chars // 2)
    blocks = [_folded(text, start, start + half) for start in range(0, len(text), half)]
    whole = "".join(blocks)
    stretches = [one + following for one, following in zip(blocks, [*blocks[1:], ""], strict=True)]
    worth = [0.0] * len(stretches)
    for forms in wanted:
        known = [form for form in forms if form and form in whole]
        holding = [at for at, there in enumerate(stretches) if any(form in there for form in known)]
        for at in holding:
            worth[at] += math.log(1 + len(stretches) / len(holding))
    return min(worth.index(max(worth)) * half, len(text) - half)


def _folded(text: str, start: int, end: int) -> str:
    """A block of a text, folded at its ends and in lower case between them."""
    last = FOLDED_CHARS // 3
    between = start >= FOLDED_CHARS - last and end <= len(text) - last
    return text[start:end].lower() if between else plain(text[start:end])
