"""Arguments and results of a store, other than messages, windows and records."""

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
    """A message to store, with its token estimate; -1 for one that is known to be stored.

    `gate` and `gate_tokens` are those of `Stored`.
    """

    message: Message
    tokens: int
    gate: str = ""
    gate_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Appended:
    """The result of an append: the branch, and the messages (the first ones for a repeated key)."""

    branch: Branch
    stored: tuple[Stored, ...]
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Synced:
    """The result of a sync: `added` messages were new; `forked` means that a new branch was created."""

    branch: Branch
    added: int
    forked: bool
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class Loaded:
    """A branch with its window, the conversation's current system prompt, the ledger of its newest compaction (with
    the position through which it was made), and the pins.

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
    """Replace the items `compaction.replaced` by `item`. The store assigns ids to `item` (and its summary) and
    returns it. `read_at` is the branch's version when they were read, None if nothing was taken from them.
    """

    item: Item
    compaction: Compaction
    read_at: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One hit of a search, with the matched text. `rank` is BM25: lower is better. `time_s` is when it was said,
    `first_id` to `last_id` the messages it is or covers, `expand_tokens` the cost of its sources. It is not `current`
    on an abandoned branch.
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
    """Hits in order, and their total: a lower bound if not `complete`. `weighed` is how many, the newest, were
    ranked. `left_out` texts, at most, are not indexed yet.
    """

    total: int
    hits: tuple[Found, ...]
    complete: bool = True
    weighed: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Beneath:
    """What is below a summary, itself included: (depth, number, tokens) of summaries, and the messages' tokens."""

    levels: tuple[tuple[int, int, int], ...]
    message_tokens: int


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """A provider's report for a request: `estimated_tokens` is our estimate of the same prompt, `last` the position
    of its newest message, `model` its model.

    It corrects later estimates while the request's prefix stands: same branch, same `window_mark`.
    """

    usage: Usage
    estimated_tokens: int
    window_mark: str
    last: int = 0
    model: str = ""


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Counts of one owner's data; `size_bytes` is that of the whole database, and so is `to_index`: how many texts,
    at most, a rebuild of the search indexes still lacks.
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
    """A conversation in a list. `updated_s` is its last change, `parent` the conversation that started it."""

    name: str
    title: str
    parent: str
    messages: int
    tokens: int
    window_tokens: int
    updated_s: float
    system: str = ""


Progress = Callable[[str, int, int], None]
"""Receives the progress of long work. An exception in it ends the work."""


def unwatched(what: str, done: int, of: int) -> None:
    """Ignore the progress."""


def not_searched(left_out: int) -> tuple[str, ...]:
    """Return a sentence about texts that were not searched; "" if there are none."""
    told = f"up to {left_out:,} older texts are not searched yet: the search index is being made anew"
    return (told,) if left_out else ()
