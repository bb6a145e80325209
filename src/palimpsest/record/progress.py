"""How whoever does long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Is told what is being done, and how far that has come of what. What it raises ends the work."""


def unwatched(what: str, done: int, of: int) -> None:
    """Nobody is told."""


def not_searched(left_out: int) -> tuple[str, ...]:
    """What is to be said of texts that were not searched, in one sentence; nothing where there are none."""
    told = f"up to {left_out:,} older texts are not searched yet: the search index is being made anew"
    return (told,) if left_out else ()
