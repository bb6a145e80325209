"""Keys of other agents' files that nobody reads, and what to say of them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

ELSEWHERE = "it does not concern the context"
_NEAR, _LEAST_CHARS = 0.85, 8
"""How alike a key must be to one that is known, and how long, to be taken for a slip of the hand."""


def unknown_key(key: str, known: Iterable[str], otherwise: str = ELSEWHERE) -> str:
    """What to say of a key that nobody reads: what it may have been meant for, or else the given reason."""
    near = get_close_matches(key, known, 1, _NEAR) if len(key) >= _LEAST_CHARS else []
    return f"it is unknown: did you mean {near[0]}?" if near else otherwise
