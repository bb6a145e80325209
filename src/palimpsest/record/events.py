"""What an engine reports: one value for each event. They contain ids, counts, sums and reasons from a fixed list, and
never message text, keys or paths, so they can be logged.

`took_s` is the duration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from palimpsest.record.log import ItemKind, Numbers
    from palimpsest.record.spending import Spent
    from palimpsest.record.summary import Method

CacheState = Literal["warm", "cold", "rewritten"]
"""What a request finds cached of the last one: its prefix; nothing any more; or nothing, because the prefix changed.
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """Messages were stored, with this many tokens (0 for a whole history). `forked` means that they made a new
    branch; `repeated` that a key had stored them before.
    """

    conversation: str
    messages: int
    took_s: float
    tokens: int = 0
    forked: bool = False
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Assembled:
    """A request was made: its prompt, the capacity, and the estimated cache state."""

    conversation: str
    model: str
    prompt_tokens: int
    capacity_tokens: int
    messages: int
    cache: CacheState
    took_s: float


@dataclass(frozen=True, slots=True)
class Decided:
    """A policy decided: steps by kind (none for nothing), the reason, and the compared numbers."""

    conversation: str
    policy: str
    steps: tuple[str, ...]
    reason: str
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class Compacted:
    """Window items were replaced by one, whose id names the compaction."""

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
    """A model was called: a summarizer, or an agent's model. `failure` is the reason of a failure, "" for success;
    tokens are 0 if not reported.
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
    """No reply of the first level was usable: how the text was made instead, and the calls before. `refused` has the
    level and the reason of each refused call; `repairs` counts corrections.
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
    """A call of the engine, or background work, ended with an error of this kind and reason."""

    conversation: str
    doing: str
    kind: str
    reason: str = ""


Seen = Taken | Assembled | Decided | Compacted | Asked | Escalated | Paid | Failed
