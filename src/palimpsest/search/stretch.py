"""Which stretch of a very long text is worth looking at closely.

To divide a text into words and fold them costs a hundred times what it costs to find a string in it. So a page is gone
over for the beginnings of what is looked for first, and only the stretch that holds the most of it is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from palimpsest.search.fold import index_stem


def beginning(word: str) -> str:
    """What the forms of a folded word begin with: "configur" of "configuration", "happ" of "happy"."""
    stem = index_stem(word)
    begin = stem[:-1] if len(stem) > 2 and stem[-1] in "iey" else stem
    return begin if word.startswith(begin) else word


def best_stretch(text: str, wanted: Sequence[Iterable[str]], size_chars: int) -> int:
    """Where the stretch of about `size_chars` begins that holds the most of what is `wanted`: things that count once
    each, by any of their beginnings in lower case, those in few places counting more. Of equal ones the first.
    """
    if len(text) <= size_chars:
        return 0
    lowered = text.lower()
    half = max(1, size_chars // 2)
    blocks = -(-len(lowered) // half)
    worth: dict[int, dict[int, float]] = {}
    for number, forms in enumerate(wanted):
        holding = {block for form in forms if form for block in _blocks(lowered, form, half)}
        for block in holding:
            worth.setdefault(block, {})[number] = math.log(1 + blocks / len(holding))
    starts = sorted({start for block in worth for start in (block - 1, block) if 0 <= start < blocks})
    best = max(starts, key=lambda start: _held(worth, start), default=0)
    return min(best * half, len(text) - half)


def _blocks(text: str, form: str, size_chars: int) -> Iterable[int]:
    """The blocks of a text in which a string begins."""
    place = text.find(form)
    while place >= 0:
        yield place // size_chars
        place = text.find(form, (place // size_chars + 1) * size_chars)


def _held(worth: dict[int, dict[int, float]], start: int) -> float:
    """What a block and the one behind it hold together."""
    return sum((worth.get(start, {}) | worth.get(start + 1, {})).values())
