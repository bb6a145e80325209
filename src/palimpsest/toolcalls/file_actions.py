"""What is done to a file."""

from __future__ import annotations

from typing import Literal

Deed = Literal["named", "read", "written", "edited", "deleted", "restored"]
"""The last takes back what was done."""

DEEDS: tuple[Deed, ...] = ("named", "read", "written", "edited", "deleted")
"""What a file is marked with."""

CHANGES: frozenset[Deed] = frozenset(("edited", "written", "deleted"))
"""Deeds after which a file is another one."""


def deed_named(word: str) -> Deed | None:
    """The deed that a word stands for."""
    match word:
        case "named" | "read" | "written" | "edited" | "deleted":
            return word
        case _:
            return None
