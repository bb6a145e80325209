"""The kinds of file operation, from the weakest to the strongest."""

from __future__ import annotations

from typing import Literal

FileOperation = Literal["named", "read", "written", "edited", "deleted", "restored"]
"""`restored` undoes what was done before."""

FILE_OPERATIONS: tuple[FileOperation, ...] = ("named", "read", "written", "edited", "deleted")
"""The operations that a file is marked with, from the weakest up."""

CHANGES: frozenset[FileOperation] = frozenset(("edited", "written", "deleted"))
"""Operations that change a file."""


def parse_operation(word: str) -> FileOperation | None:
    """The operation with this name."""
    match word:
        case "named" | "read" | "written" | "edited" | "deleted":
            return word
        case _:
            return None
