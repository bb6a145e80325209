"""The budget: what a request uses, what the window has room for, and where the trigger is. One formula for every use.

used     = system + memory + tools + summaries + ledger + pins + history + injections, corrected by the last report
capacity = window - output reserve - margin
"""

from __future__ import annotations

from palimpsest.budget.calibration import margin_tokens
from palimpsest.record.decision import Budget, Regions
from palimpsest.record.log import Number
from palimpsest.record.window import Window
from palimpsest.settings import MAX_TRIGGER_SHARE_OF_CAPACITY, Settings

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
    )


def trigger(budget: Budget, settings: Settings) -> tuple[int, tuple[tuple[str, Number], ...]]:
    """The use above which compaction starts, and the numbers behind it.

    It is the preset's share of its base, its absolute threshold, or the window less its reserve (a small window keeps
    at least half), and never more than 90 % of the capacity. `capped` is 1 where that limit applied."""
    base = budget.window_tokens if settings.trigger_base == "window" else budget.capacity_tokens
    wanted = settings.compact_threshold or int(base * settings.context_threshold_share)
    if settings.trigger_reserve_tokens and not settings.compact_threshold:
        wanted = max(budget.window_tokens - settings.trigger_reserve_tokens, budget.window_tokens // 2)
    cap = int(budget.capacity_tokens * MAX_TRIGGER_SHARE_OF_CAPACITY)
    numbers = (
        ("used_tokens", budget.used_tokens),
        ("trigger_tokens", min(wanted, cap)),
        ("capacity_tokens", budget.capacity_tokens),
        ("capped", int(cap < wanted)),
    )
    return min(wanted, cap), numbers
