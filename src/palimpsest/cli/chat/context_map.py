"""What fills a window, as a map of coloured squares with a table. Pure.

The map is the whole window, a square for a two-hundredth of it, in the order in which a request is sent; every region
that holds anything has a square. The marks tell the regions apart where there is no colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.text import Text

from palimpsest.cli.text_drawing import FREE, REGION_MARKS, RESERVE, clip, count, spread, wrap
from palimpsest.engine.reports import WindowView
from palimpsest.record.decision import Budget
from palimpsest.record.window_items import kind_of

SQUARES = 200
_WIDE_SQUARES = 20
_TABLE_CELLS = 35
_GAP = "   "
STYLES = {
    "system": "magenta",
    "memory": "bright_magenta",
    "tools": "yellow",
    "summaries": "green",
    "ledger": "bright_green",
    "pins": "bright_yellow",
    "history": "cyan",
    "injections": "bright_blue",
    "correction": "bright_black",
    "free": "bright_black",
    "reserve": "blue",
    "margin": "red",
}

_KINDS = (
    ("summary", "summary", "summaries"),
    ("message", "message word for word", "messages word for word"),
    ("stub", "result shortened", "results shortened"),
    ("omitted", "gap", "gaps"),
)


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the window: its name, mark and tokens."""

    name: str
    mark: str
    tokens: int

    @property
    def style(self) -> str:
        """Its colour."""
        return STYLES[self.name]


def areas(budget: Budget) -> list[Area]:
    """The parts of the window in the order of a request, those of no tokens included; together they are the window,
    unless the request is too large for it.

    A correction below zero stands in the table only: what is free is larger by it.
    """
    regions = budget.regions
    found = [Area(name, mark, getattr(regions, name)) for name, mark in REGION_MARKS]
    free = max(0, budget.capacity_tokens - budget.used_tokens)
    return [
        *found,
        Area("injections", "▥", regions.injections),
        Area("correction", "▞", budget.correction_tokens),
        Area("free", FREE, free),
        Area("reserve", RESERVE, budget.output_reserve_tokens),
        Area("margin", "╲", budget.margin_tokens),
    ]


def map_lines(parts: Sequence[Area], columns: int = _WIDE_SQUARES, squares: int = SQUARES) -> list[Text]:
    """The squares in rows of `columns`, a blank between two."""
    cells = spread([max(0, part.tokens) for part in parts], squares)
    row = [(part.mark, part.style) for part, wide in zip(parts, cells, strict=True) for _ in range(wide)]
    return [
        Text(" ").join(Text(mark, style) for mark, style in row[start : start + columns])
        for start in range(0, len(row), columns)
    ]


def table_lines(budget: Budget) -> list[Text]:
    """A row for each part of the window that holds anything, with its tokens and its share of the window."""
    whole = max(1, budget.window_tokens)
    rows = [part for part in areas(budget) if part.tokens or part.name == "free"]
    return [
        Text.assemble(
            (part.mark, part.style), f" {part.name:<12}{part.tokens:>12,}{100 * part.tokens / whole:>7.1f} %"
        )
        for part in rows
    ]


def context_lines(view: WindowView, width: int, model: str = "") -> list[Text]:
    """The whole picture for `/context`: facts, the map, and the table beside it or, in a narrow terminal, below."""
    budget = view.budget
    used, capacity = budget.used_tokens, budget.capacity_tokens
    share = f"{100 * used / capacity:.0f} %" if capacity else "no room"
    over = f", {used - capacity:,} too many" if used > capacity else ""
    facts = [
        f"{view.conversation}  {model}".rstrip(),
        f"{used:,} of {capacity:,} tokens used ({share}{over}); window {budget.window_tokens:,}",
        _held(view),
    ]
    first, *rest = [clip(facts[0], width), *(line for fact in facts[1:] for line in wrap(fact, width))]
    lines = [Text(first, "bold"), *(Text(line) for line in rest), Text()]
    columns = min(_WIDE_SQUARES, max(1, (width + 1) // 2))
    drawn, table = map_lines(areas(budget), columns), table_lines(budget)
    if width < 2 * _WIDE_SQUARES - 1 + len(_GAP) + _TABLE_CELLS:
        return [*lines, *drawn, Text(), *table]
    blank = Text(" " * (2 * _WIDE_SQUARES - 1))
    for left, right in zip_longest(drawn, table):
        lines.append(Text.assemble(left or blank, _GAP, right or ""))
    return lines


def _held(view: WindowView) -> str:
    """What the window is made of, in words."""
    items = view.window.items
    kinds = Counter(kind_of(item) for item in items)
    told = [
        f"{kinds[kind]:,} {one if kinds[kind] == 1 else many}" for kind, one, many in _KINDS if kinds[kind]
    ]
    covered = sum(item.last - item.first + 1 for item in items)
    return (
        f"{count(covered, 'message')} stored; in the window: {', '.join(told)}"
        if told
        else "nothing said yet"
    )
