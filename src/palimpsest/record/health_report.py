"""The result of verifying or repairing a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FaultKind = Literal["file", "row", "chain", "branch", "window", "summary", "reference", "index", "kept"]
"""What is damaged: the file's pages or a table according to SQLite, or a row. Or: the hash chain, positions and forks
of a branch, a window, a summary and its sources, a dangling reference, a search index, other data (ledger, usage).
"""

MAX_FAULTS = 1_000
"""The most faults that are listed; all are counted."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `id` is what is damaged ("m12", "s3", "p1", ...), "" if it has no id.

    `repairable` means that it can be rebuilt from intact data, without touching a message.
    """

    kind: FaultKind
    text: str
    conversation: str = ""
    id: str = ""
    repairable: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """What was checked, and what is wrong. `found` counts the faults, `faults` lists at most `MAX_FAULTS` of them.

    `elsewhere` counts faults in other owners' data, if only one owner's was asked for. `to_index` texts, at most, are
    still missing from a rebuild of the search indexes.
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
        """The number of listed faults that can be repaired."""
        return sum(fault.repairable for fault in self.faults)


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote. `damaged` lists what was left out, of `damages` in all."""

    path: str
    conversations: int
    messages: int
    size_bytes: int
    damaged: tuple[Fault, ...] = ()
    damages: int = 0


@dataclass(frozen=True, slots=True)
class Restored:
    """What an import stored. `there` are conversations that existed, `differing` those of an existing name with
    another history; both were left alone. `forgotten` are those that the owner had deleted, which were left out.
    `moved` means that ids were changed.
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
    """What was repaired: the rebuilt parts, the backup, and the verification afterwards."""

    backup: str
    parts: tuple[str, ...]
    before: Health
    after: Health
