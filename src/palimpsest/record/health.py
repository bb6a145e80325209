"""What an examination of a database found, and what was done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FaultKind = Literal["file", "row", "chain", "branch", "window", "summary", "reference", "index", "kept"]
"""What is damaged: the file's pages or a table's rows as SQLite sees them; a row that is not what was stored; the hash
chain; positions and forks of a branch; a window; a summary and its sources; a row that points nowhere; a search index or
what it is made from; what is kept beside (ledger, memo, usage, accounts).
"""

MAX_FAULTS = 1_000
"""Faults that are listed; all are counted."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. `id` is what is damaged ("m12", "s3", "p1", ...), "" where it has no id.

    `repairable` says that it can be made again from what is intact, without touching a message.
    """

    kind: FaultKind
    text: str
    conversation: str = ""
    id: str = ""
    repairable: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """What was looked at, and what is wrong. `found` counts the faults, `faults` lists at most `MAX_FAULTS` of them.

    `elsewhere` counts faults in what belongs to other owners, where only one owner's was asked for.
    """

    faults: tuple[Fault, ...] = ()
    found: int = 0
    elsewhere: int = 0
    conversations: int = 0
    branches: int = 0
    messages: int = 0
    summaries: int = 0
    compactions: int = 0
    indexed: bool = True

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.found and not self.elsewhere

    @property
    def repairable(self) -> int:
        """How many of the listed faults can be repaired."""
        return sum(fault.repairable for fault in self.faults)
