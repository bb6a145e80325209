"""The budget: what a request uses, what the window has room for, and where the trigger is. One formula for every use.

used     = system + memory + tools + summaries + ledger + pins + history + injections, corrected by the last report
capacity = window - output reserve - margin
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palimpsest.budget.assemble import PREFACE, render_summary
from palimpsest.budget.calibration import margin_tokens
from palimpsest.budget.stubs import stubbed
from palimpsest.budget.token_counts import (
    estimate_chars_over_4,
    estimate_message_tokens,
    estimate_tool_defs_tokens,
)
from palimpsest.record.decision import Budget, Regions
from palimpsest.record.log import Number, Numbers
from palimpsest.record.message import Message, Text, ToolDef
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.settings import MAX_TRIGGER_SHARE_OF_CAPACITY, READ_BY, Settings

PREFACE_TOKENS = 60
"""What the introduction of a request's summaries costs (the longer of the prefaces in `assemble`)."""


def measure(
    window: Window,
    settings: Settings,
    *,
    system_tokens: int = 0,
    memory_tokens: int = 0,
    tools_tokens: int = 0,
    injections_tokens: int = 0,
    ledger_tokens: int = 0,
    pins_tokens: int = 0,
    correction_tokens: int = 0,
    anchored_tokens: int = 0,
    unanchored_messages: int | None = None,
    script: str = "latin",
    ruled_tokens: int | None = None,
) -> Budget:
    """The budget of a window. The margin covers what the provider has not counted: the use less `anchored_tokens`.

    It is computed for at most what a request can contain, so that a history of any size leaves a capacity.
    """
    history = window.verbatim_tokens
    summaries = window.tokens - history
    regions = Regions(
        system=system_tokens,
        memory=memory_tokens,
        tools=tools_tokens,
        summaries=summaries + PREFACE_TOKENS if summaries else 0,
        ledger=ledger_tokens,
        pins=pins_tokens,
        history=history,
        injections=injections_tokens,
    )
    messages = len(window.items) if unanchored_messages is None else unanchored_messages
    room_tokens = max(0, settings.window_tokens - settings.max_tokens)
    estimated = min(max(0, regions.total + correction_tokens - anchored_tokens), room_tokens)
    return Budget(
        regions=regions,
        window_tokens=settings.window_tokens,
        output_reserve_tokens=settings.max_tokens,
        margin_tokens=margin_tokens(estimated, messages + 1, script),
        correction_tokens=correction_tokens,
        ruled_tokens=ruled_tokens,
    )


def shown_messages(window: Window, texts: Iterable[str] = ()) -> list[Message]:
    """The `texts` before a window, and the window, as messages: a record is one that says its text."""
    preface = PREFACE if any(isinstance(item, SummaryItem | OmittedItem) for item in window.items) else ""
    first = (Message("system", (Text(text),)) for text in (*texts, preface) if text)
    return [*first, *map(_shown, window.items)]


def _shown(item: Item) -> Message:
    match item:
        case MessageItem():
            return item.stored.message
        case StubItem():
            return stubbed(item.stored.message, item.note)
        case OmittedItem():
            return Message("user", (Text(item.note),))
        case _:
            quoted = item.quoted.message.parts if item.quoted is not None else ()
            return Message("user", (Text(render_summary(item.summary)), *quoted))


def ruled_tokens(
    settings: Settings, window: Window, texts: Iterable[str] = (), tools: Sequence[ToolDef] = ()
) -> int | None:
    """The use by the setting's documented rule: Crabtalk's of the history, PicoClaw's of the whole request, with the
    `texts` before its messages. None for our own estimate.
    """
    if "counting" not in READ_BY[settings.policy] or settings.counting == "estimate":
        return None
    if settings.counting == "quarter":
        return estimate_chars_over_4(shown_messages(window))
    return sum(map(estimate_message_tokens, shown_messages(window, texts))) + estimate_tool_defs_tokens(tools)


def is_over(budget: Budget, settings: Settings) -> tuple[bool, Numbers]:
    """Whether compaction is due, and the numbers behind it.

    A use by a documented rule is compared with the trigger as it is set, and our own estimate with 90 % of the
    capacity: `capped` is 1 where only that limit was exceeded.
    """
    limit, numbers = trigger(budget, settings)
    ruled = budget.ruled_tokens
    if ruled is None:
        return budget.used_tokens > limit, numbers
    wanted, cap = _wanted(budget, settings), int(budget.capacity_tokens * MAX_TRIGGER_SHARE_OF_CAPACITY)
    over, over_cap = ruled > wanted, budget.used_tokens > cap
    numbers = (
        ("used_tokens", budget.used_tokens),
        ("ruled_tokens", ruled),
        ("trigger_tokens", wanted),
        ("capacity_tokens", budget.capacity_tokens),
        ("capped", int(over_cap and not over)),
    )
    return over or over_cap, numbers


def trigger(budget: Budget, settings: Settings) -> tuple[int, tuple[tuple[str, Number], ...]]:
    """The use above which compaction starts, and the numbers behind it.

    It is the preset's share of its base, its absolute threshold, or the window less its reserve (a small window keeps
    at least half), and never more than 90 % of the capacity. `capped` is 1 where that limit applied."""
    wanted = _wanted(budget, settings)
    cap = int(budget.capacity_tokens * MAX_TRIGGER_SHARE_OF_CAPACITY)
    numbers = (
        ("used_tokens", budget.used_tokens),
        ("trigger_tokens", min(wanted, cap)),
        ("capacity_tokens", budget.capacity_tokens),
        ("capped", int(cap < wanted)),
    )
    return min(wanted, cap), numbers


def trigger_limits(settings: Settings) -> tuple[int, int]:
    """The trigger as it is set, and the use by our own estimate that it never exceeds, for settings with limits."""
    budget = measure(Window(), settings)
    return _wanted(budget, settings), int(budget.capacity_tokens * MAX_TRIGGER_SHARE_OF_CAPACITY)


def _wanted(budget: Budget, settings: Settings) -> int:
    """The trigger as it is set."""
    if settings.compact_threshold:
        return settings.compact_threshold
    if settings.trigger_reserve_tokens:
        return max(budget.window_tokens - settings.trigger_reserve_tokens, budget.window_tokens // 2)
    base = budget.window_tokens if settings.trigger_base == "window" else budget.capacity_tokens
    return int(base * settings.context_threshold_share)
