"""What a summary is made from, as values: messages and earlier summaries in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palimpsest.record.message import Message
from palimpsest.record.summary import Summary

SourceKind = Literal["leaf", "condense", "roll"]
LOOKED_AT = 20_000
LOOKED_AT_FIRST = 1_000
"""Messages of a source, or of a backlog, that are read without a model, and how many are its first: seconds of work."""


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """A message to summarize, under the id it can be read back by; `tokens` as counted when it was stored. Where
    `most_chars` is not 0, so much of it is shown at most.
    """

    id: str
    message: Message
    tokens: int
    most_chars: int = 0


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """A summary to condense."""

    summary: Summary


Entry = MessageEntry | SummaryEntry


@dataclass(frozen=True, slots=True)
class Source:
    """Entries in order. `earlier` holds texts of the summaries before them, oldest first: context, not material.

    `focus` is what the caller wants kept above all, "" for nothing in particular. `tokens` is the size of the entries
    as they stand in a request, 0 where unknown. `system` is the agent's own prompt, which says who it is. `quoted` says
    that the newest request among the entries will stand word for word behind the summary. `answered` says
    that the assistant has given an answer behind the entries, so that none of their requests is pending.
    """

    kind: SourceKind
    entries: tuple[Entry, ...]
    earlier: tuple[str, ...] = ()
    focus: str = ""
    tokens: int = 0
    system: str = ""
    quoted: bool = False
    answered: bool = False

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages among the entries."""
        return tuple(entry.message for entry in self.entries if isinstance(entry, MessageEntry))

    @property
    def summaries(self) -> tuple[str, ...]:
        """The texts of summaries, those before the entries first."""
        return (*self.earlier, *(one.summary.text for one in self.entries if isinstance(one, SummaryEntry)))
