"""What goes over the border of a store: values that it takes or gives, besides messages, windows and records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from palimpsest.record.log import Branch, Compaction, Stored
from palimpsest.record.message import Message, Usage
from palimpsest.record.pin import Pin
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item


@dataclass(frozen=True, slots=True)
class Counted:
    """A message about to be stored, with its token estimate; -1 for one that is known to be stored already.

    `gate` and `gate_tokens` are those of `Stored`.
    """

    message: Message
    tokens: int
    gate: str = ""
    gate_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append did: the branch as it is now, and the messages (those of the first time, where the key
    was seen).
    """

    branch: Branch
    stored: tuple[Stored, ...]
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Synced:
    """What taking in a whole history did: `added` messages were new, `forked` says whether a new branch was needed."""

    branch: Branch
    added: int
    forked: bool
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class Loaded:
    """A branch with its window, the conversation's current system prompt, and what stands beside the window: the ledger
    that its newest compaction froze (with the position it was made through), and the pins.

    A fork starts with the newest ledger made from nothing after it.
    """

    branch: Branch
    window: Window
    system: str = ""
    ledger: str = ""
    ledger_through: int = 0
    pins: tuple[Pin, ...] = ()


@dataclass(frozen=True, slots=True)
class Commit:
    """Replace the items `compaction.replaced` by `item`. The store assigns ids to `item` (and to its
    summary) and returns it. `read_at` is the branch's version when they were read, None where nothing was taken from
    them.
    """

    item: Item
    compaction: Compaction
    read_at: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One hit of a search, with the text that matched. `rank` is BM25: lower is better. `time_s` is when it
    was said, `first_id` to `last_id` the messages it is or covers, `expand_tokens` what it was made from costs. Not
    `current`: an edit of the history left it behind.
    """

    id: str
    kind: Literal["message", "summary"]
    conversation: str
    role: str
    time_s: float | None
    rank: float
    depth: int
    text: str
    tokens: int
    covers: int = 1
    first_id: str = ""
    last_id: str = ""
    current: bool = True
    expand_tokens: int = 0


@dataclass(frozen=True, slots=True)
class FoundAll:
    """Hits in order, and how many there are in all: at least so many where not `complete`. `weighed` is how many of
    them, the newest, the order is made of. `left_out` texts, at most, were not searched: they are not in the index yet.
    """

    total: int
    hits: tuple[Found, ...]
    complete: bool = True
    weighed: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Beneath:
    """What lies under a summary, itself included: (depth, number, tokens) of summaries, and the messages' tokens."""

    levels: tuple[tuple[int, int, int], ...]
    message_tokens: int


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """What a provider reported for a request: `estimated_tokens` is our estimate of the same prompt, `last` the
    position of its newest message, `model` the one it was for.

    It corrects later estimates while the request's prefix stands: same branch, `window_mark` unchanged.
    """

    usage: Usage
    estimated_tokens: int
    window_mark: str
    last: int = 0
    model: str = ""


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Counts over one owner's data; `size_bytes` is of the whole database, and so is `to_index`: how many texts, at
    most, are still to be taken into search indexes that are made anew.
    """

    messages: int
    tokens: int
    conversations: int
    summaries_by_depth: tuple[tuple[int, int], ...]
    compactions: int
    size_bytes: int
    summaries_by_method: tuple[tuple[str, int], ...] = ()
    to_index: int = 0


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation as listed. `updated_s` is when it last changed, `parent` the conversation it was spawned from."""

    name: str
    title: str
    parent: str
    messages: int
    tokens: int
    window_tokens: int
    updated_s: float
    system: str = ""


Progress = Callable[[str, int, int], None]
"""Is told what is being done, and how far that has come of what. What it raises ends the work."""


def unwatched(what: str, done: int, of: int) -> None:
    """Nobody is told."""


def not_searched(left_out: int) -> tuple[str, ...]:
    """What is to be said of texts that were not searched, in one sentence; nothing where there are none."""
    told = f"up to {left_out:,} older texts are not searched yet: the search index is being made anew"
    return (told,) if left_out else ()
