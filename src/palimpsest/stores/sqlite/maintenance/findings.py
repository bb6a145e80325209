"""What an examination has found so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from palimpsest.record.health_report import MAX_FAULTS, Fault, FaultKind, Health
from palimpsest.record.store_values import Progress, unwatched

MESSAGES_PER_STEP = 1_000
"""After so many messages it is told how far the examination is."""


@dataclass(slots=True)
class Findings:
    """Faults and counts. `place` says whose conversation is being looked at; of another owner's, faults are counted
    without saying more. `tell` is told how many of `of` messages were looked at.
    """

    tell: Progress = unwatched
    of: int = 0
    read: int = 0

    faults: list[Fault] = field(default_factory=list[Fault])
    found: int = 0
    elsewhere: int = 0
    conversation: str = ""
    own: bool = True
    counts: Counter[str] = field(default_factory=Counter[str])

    def place(self, conversation: str, *, own: bool = True) -> None:
        """Say what is being looked at from now on."""
        self.conversation, self.own = conversation, own

    def add(self, kind: FaultKind, text: str, public_id: str = "", *, repairable: bool = False) -> None:
        """Note a fault."""
        if not self.own:
            self.elsewhere += 1
            return
        self.found += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(kind, text, self.conversation, public_id, repairable))

    def count(self, what: str, number: int = 1) -> None:
        """Note that something was looked at."""
        if self.own:
            self.counts[what] += number

    def message(self) -> None:
        """Note that a message was looked at."""
        self.count("messages")
        self.read += 1
        if self.read % MESSAGES_PER_STEP == 0:
            self.tell("messages", self.read, max(self.read, self.of))

    def health(self, *, indexed: bool, to_index: int = 0) -> Health:
        """The result."""
        return Health(
            tuple(self.faults), self.found, self.elsewhere, self.counts["conversations"], self.counts["branches"],
            self.counts["messages"], self.counts["summaries"], self.counts["compactions"], indexed, to_index,
        )  # fmt: skip
