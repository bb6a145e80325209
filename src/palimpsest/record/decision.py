"""A policy's input and output. `policy(State) -> Decision` is a pure function; a plan is a printable value."""

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
    """Tokens of each part of a request, in order."""

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
        """The sum of all parts."""
        return self.fixed + self.summaries + self.ledger + self.pins + self.history

    @property
    def fixed(self) -> int:
        """The parts that no compaction changes."""
        return self.system + self.memory + self.tools + self.injections


@dataclass(frozen=True, slots=True)
class Budget:
    """used = regions + correction; capacity = window - output reserve - margin. All in tokens.

    `correction_tokens` is the estimate's error according to the provider's last report, 0 without one. `ruled_tokens`
    is the use by the settings' `counting`, None where that is our own estimate.
    """

    regions: Regions
    window_tokens: int
    output_reserve_tokens: int
    margin_tokens: int
    correction_tokens: int = 0
    ruled_tokens: int | None = None

    @property
    def used_tokens(self) -> int:
        return max(0, self.regions.total + self.correction_tokens)

    @property
    def capacity_tokens(self) -> int:
        return max(0, self.window_tokens - self.output_reserve_tokens - self.margin_tokens)

    @property
    def history_budget_tokens(self) -> int:
        """The room for the history: the capacity minus all other parts."""
        return max(0, self.capacity_tokens - (self.regions.total - self.regions.history))


@dataclass(frozen=True, slots=True)
class State:
    """Everything a policy may use. `refused` holds item id runs whose replacement could not be made smaller.

    `now_s` is the time; `failed_s` when the summarizer last failed, None if it has succeeded since. `economy` is the
    cost state before a call, None before the first. `reading_tool` names the offered tool that reads a message back,
    "" if there is none.
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
        """Return whether the summarizer failed so recently that it is not to be asked. A failure in the future means
        that the clock was put back, and is ignored.
        """
        return (
            self.failed_s is not None and 0 <= self.now_s - self.failed_s < self.settings.failure_cooldown_s
        )


@dataclass(frozen=True, slots=True)
class Step:
    """Replace these items by one. `target_tokens` is its target size, `depth` the depth of a summary.

    `quotes` is the position of a user request among them that the summary shows verbatim, 0 for none. `note` is a
    stub's note. `summarizer` is who writes, "" for the setting. `group_tokens` is the room for the tool group in
    progress that the summary shows, 0 if there is none.
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
    """Return the step that replaces these adjacent items."""
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
    """Steps to take in order, or none; the reason; and the compared numbers. `then` are expected later steps: for
    display only, and decided again.
    """

    steps: tuple[Step, ...]
    reason: str
    numbers: Numbers = ()
    then: tuple[Step, ...] = ()
