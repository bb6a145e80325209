"""The source of a summary, as values: messages and earlier summaries in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palimpsest.record.message import Message
from palimpsest.record.summary import Summary

SourceKind = Literal["leaf", "condense", "roll"]
LOOKED_AT = 20_000
LOOKED_AT_FIRST = 1_000
"""Messages of a source that are read without a model, and how many are its first: seconds of work."""


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """A message to summarize, under its id; `tokens` as counted when it was stored. At most `most_chars` of it are
    shown, if not 0.
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
    """Entries in order. `earlier` holds texts of preceding summaries, oldest first: context only.

    - `focus` is what the caller wants kept above all, or "". `tokens` is the size of the entries in a request, 0 if
      unknown. `system` is the agent's own prompt.
    - `quoted` means that the newest request among the entries will be verbatim behind the summary. `answered` means
      that the assistant has answered behind the entries, so none of their requests is pending.
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
