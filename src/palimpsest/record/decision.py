"""What a policy sees and what it answers. `policy(State) -> Decision` is a pure function; a plan is a
printable value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.record.log import Numbers
from palimpsest.record.spending import Economy
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item
from palimpsest.settings import Settings

StepKind = Literal["leaf", "condense", "roll", "stub", "omit"]


@dataclass(frozen=True, slots=True)
class Regions:
    """Tokens of each part of a request, in the order they are sent."""

    system: int = 0
    memory: int = 0
    tools: int = 0
    summaries: int = 0
    ledger: int = 0
    pins: int = 0
    history: int = 0
    injections: int = 0

    @property
    def total(self) -> int:
        """All parts together."""
        return self.fixed + self.summaries + self.ledger + self.pins + self.history

    @property
    def fixed(self) -> int:
        """What no compaction can change."""
        return self.system + self.memory + self.tools + self.injections


@dataclass(frozen=True, slots=True)
class Budget:
    """used = regions + correction; capacity = window - output reserve - margin. All in tokens.

    `correction_tokens` is what the provider's last report says the estimate was off by, 0 without one.
    """

    regions: Regions
    window_tokens: int
    output_reserve_tokens: int
    margin_tokens: int
    correction_tokens: int = 0

    @property
    def used_tokens(self) -> int:
        return max(0, self.regions.total + self.correction_tokens)

    @property
    def capacity_tokens(self) -> int:
        return max(0, self.window_tokens - self.output_reserve_tokens - self.margin_tokens)

    @property
    def history_budget_tokens(self) -> int:
        """What is left for the history: the capacity less all other parts."""
        return max(0, self.capacity_tokens - (self.regions.total - self.regions.history))


@dataclass(frozen=True, slots=True)
class State:
    """Everything a policy may look at. `refused` holds item id runs whose replacement could not be made smaller.

    `now_s` is the time, and `failed_s` when the summarizer last failed, None where it has not since it last succeeded.
    `economy` is what is known of money before a call, None before the first. `reading_tool` names the tool on
    offer that reads a message back, "" where there is none.
    """

    window: Window
    budget: Budget
    settings: Settings
    refused: frozenset[tuple[str, ...]] = frozenset()
    now_s: float = 0.0
    failed_s: float | None = None
    economy: Economy | None = None
    reading_tool: str = ""

    @property
    def summarizer_rests(self) -> bool:
        """Whether the summarizer failed so lately that it is not to be asked. A failure in the future tells of a clock
        that was put back, and holds up nothing.
        """
        return (
            self.failed_s is not None and 0 <= self.now_s - self.failed_s < self.settings.failure_cooldown_s
        )


@dataclass(frozen=True, slots=True)
class Step:
    """Replace these items by one. `target_tokens` is the size aimed at; `depth` that of the summary to be made.

    `quotes` is the position of a user request among them that the summary shows verbatim, 0 for none. `note` is the
    note of a stub. `summarizer` is who writes a summary, "" for whom the settings name. `group_tokens` is the room for
    the tool group in progress that the summary shows with its text, 0 where none is among the items.
    """

    kind: StepKind
    item_ids: tuple[str, ...]
    first: int
    last: int
    source_tokens: int
    target_tokens: int
    depth: int = 0
    quotes: int = 0
    note: str = ""
    summarizer: str = ""
    group_tokens: int = 0


def step_over(
    kind: StepKind,
    items: Sequence[Item],
    target_tokens: int,
    *,
    depth: int = 0,
    quotes: int = 0,
    note: str = "",
    summarizer: str = "",
) -> Step:
    """The step that replaces these adjacent items."""
    return Step(
        kind,
        tuple(item.id for item in items),
        items[0].first,
        items[-1].last,
        sum(item.tokens for item in items),
        target_tokens,
        depth,
        quotes,
        note,
        summarizer,
    )


@dataclass(frozen=True, slots=True)
class Decision:
    """Steps to take in order, or none; why; and the numbers that were compared. `then` are steps that are expected to
    follow when these are done: they are only told, and decided on anew, with sizes that are known by then.
    """

    steps: tuple[Step, ...]
    reason: str
    numbers: Numbers = ()
    then: tuple[Step, ...] = ()
