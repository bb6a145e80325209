"""What an examination of a database found, and what was done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FaultKind = Literal["file", "row", "chain", "branch", "window", "summary", "reference", "index", "kept"]
"""What is damaged: the file's pages or a table's rows as SQLite sees them; a row that is not what was stored; the hash
chain; positions and forks of a branch; a window; a summary and its sources; a row that points nowhere; a search
index or what it is made from; what is kept beside (ledger, memo, usage, accounts).
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

    `elsewhere` counts faults in what belongs to other owners, where only one owner's was asked for. `to_index`
    texts, at most, are still to be taken into search indexes that are made anew.
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
    to_index: int = 0

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.found and not self.elsewhere

    @property
    def repairable(self) -> int:
        """How many of the listed faults can be repaired."""
        return sum(fault.repairable for fault in self.faults)


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export of everything wrote. `damaged` lists what was left out, of `damages` in all."""

    path: str
    conversations: int
    messages: int
    size_bytes: int
    damaged: tuple[Fault, ...] = ()
    damages: int = 0


@dataclass(frozen=True, slots=True)
class Restored:
    """What an import of everything took in. `there` are conversations that were stored already, `differing` those of a
    name that the owner has with another history; both were left as they are. `forgotten` are those that the owner had
    forgotten, which were left out. `moved` says that ids had to be changed.
    """

    conversations: int = 0
    messages: int = 0
    lost: int = 0
    there: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was put right: the parts that were made anew, the backup made before, and what an examination found
    after.
    """

    backup: str
    parts: tuple[str, ...]
    before: Health
    after: Health
