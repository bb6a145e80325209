"""What an engine tells of its work: one value for each thing done. They hold ids, counts, sums and reasons from a fixed
list, and never a word of a message, a key or a path, so that they can be logged and sent away as they are.

`took_s` is how long it took; what has none took no time worth telling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from palimpsest.record.log import ItemKind, Numbers
    from palimpsest.record.spending import Spent
    from palimpsest.record.summary import Method

CacheState = Literal["warm", "cold", "rewritten"]
"""What a request finds cached of the last one: its prefix; nothing any more; or nothing, because the prefix changed."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Messages were stored, of so many tokens (0 where a whole history came, of which most is known). `forked` says
    that they made a new branch; `repeated` that a key had stored them before.
    """

    conversation: str
    messages: int
    took_s: float
    tokens: int = 0
    forked: bool = False
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Assembled:
    """A request was made: its prompt, the room there is, and what is cached of it as far as can be told from here."""

    conversation: str
    model: str
    prompt_tokens: int
    capacity_tokens: int
    messages: int
    cache: CacheState
    took_s: float


@dataclass(frozen=True, slots=True)
class Decided:
    """A policy decided: what for (`steps`, by kind; none for nothing), why, and the numbers that it compared."""

    conversation: str
    policy: str
    steps: tuple[str, ...]
    reason: str
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class Compacted:
    """Items of a window gave way to one, whose id names the compaction."""

    conversation: str
    compaction: str
    kind: ItemKind
    reason: str
    replaced: int
    before_tokens: int
    after_tokens: int
    took_s: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A model was called: a summarizer, or an agent's for its reply. `failure` is why it gave none, "" where it did;
    tokens are 0 where it told none.
    """

    conversation: str
    provider: str
    model: str
    input_tokens: int
    output_tokens: int
    failure: str
    took_s: float
    purpose: Literal["summary", "reply"] = "summary"


@dataclass(frozen=True, slots=True)
class Escalated:
    """No reply of the first level could be used: how the text was made instead, and the calls before that. `refused`
    says of each call that was refused its level and why, in a word from a fixed list; `repairs` counts what was put
    right.
    """

    conversation: str
    method: Method
    calls: int
    refused: tuple[str, ...] = ()
    repairs: int = 0


@dataclass(frozen=True, slots=True)
class Paid:
    """A call was paid for."""

    conversation: str
    spent: Spent


@dataclass(frozen=True, slots=True)
class Failed:
    """A call of the engine, or work in the background, ended with an error of this kind and reason."""

    conversation: str
    doing: str
    kind: str
    reason: str = ""


Seen = Taken | Assembled | Decided | Compacted | Asked | Escalated | Paid | Failed
