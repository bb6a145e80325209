"""Everything the chat shows besides the model's words: a line for each event, the status line, the map of the window.

Pure functions. The status line consists of (style, text) fragments, so that the prompt and a plain stream can show it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import cast

from rich.cells import cell_len
from rich.text import Text

from palimpsest.agent.events import BudgetWarning, Done, ToolEnd, ToolStart
from palimpsest.cli.chat.reader import Fragments
from palimpsest.cli.drawing import (
    CORRECTION,
    FREE,
    REGION_MARKS,
    budget_parts,
    changes,
    clean,
    clip,
    count,
    spread,
    trouble,
    usage_line,
    wrap,
)
from palimpsest.engine.reports import Report, WindowView
from palimpsest.errors import PalimpsestError
from palimpsest.record.completion import Retrying
from palimpsest.record.decision import Budget, Decision
from palimpsest.record.message import Message, Usage
from palimpsest.record.window_items import kind_of

DIM = "bright_black"
EVENT = "magenta"
WAITING = "waiting for the model; Ctrl-C stops"
RUNNING = "running; Ctrl-C stops"
LEVELS = ((0.9, "red"), (0.75, "yellow"), (0.5, "cyan"), (0.0, "green"))
"""The colour of the bar from a share of the capacity on."""

SQUARES = 200
_BAR_CELLS = 24
_SHORTEST_BAR = 6
_SHOWN_IDS = 4
_SHOWN_ARGUMENT = 400
_WIDE_SQUARES = 20
_TABLE_CELLS = 35
_GAP = "   "
_STYLES = {
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
_KINDS = {
    "summary": ("summary", "summaries"),
    "message": ("message word for word", "messages word for word"),
    "stub": ("result shortened", "results shortened"),
    "omitted": ("gap", "gaps"),
}


@dataclass(frozen=True, slots=True)
class Status:
    """The content of the status line. `usage` is the provider's last report, None before the first."""

    conversation: str
    model: str
    budget: Budget
    usage: Usage | None = None


def level_style(share: float) -> str:
    """The colour of a window that is full to this share of its capacity."""
    return next(style for least, style in LEVELS if share >= least)


def used_share(budget: Budget) -> float:
    """The used share of the capacity; more than 1 if there is no room."""
    return budget.used_tokens / budget.capacity_tokens if budget.capacity_tokens else 2.0


def _percent(budget: Budget) -> str:
    return f"{100 * used_share(budget):.0f} %" if budget.capacity_tokens else "no room"


def region_bar(budget: Budget, cells: int) -> str:
    """The capacity as a bar that is filled as far as it is used, with the marks of the regions."""
    amounts = [getattr(budget.regions, name) for name, _ in REGION_MARKS]
    rest = max(0, budget.used_tokens - sum(amounts))
    filled = min(cells, max(1, round(used_share(budget) * cells))) if budget.used_tokens else 0
    marks = [*(mark for _, mark in REGION_MARKS), CORRECTION]
    drawn = "".join(mark * wide for mark, wide in zip(marks, spread([*amounts, rest], filled), strict=True))
    return drawn + FREE * (cells - len(drawn))


def status_line(status: Status, width: int) -> Fragments:
    """One line of at most `width` cells: the bar, the used share, and as much else as there is room for."""
    budget, usage = status.budget, status.usage
    style = level_style(used_share(budget))
    bar = region_bar(budget, min(_BAR_CELLS, max(_SHORTEST_BAR, width // 3)))
    fragments: Fragments = [("", " "), (style, f"▕{bar}▏"), (style, f" {_percent(budget)}")]
    room = width - sum(cell_len(text) for _, text in fragments)
    more = [
        f" of {budget.capacity_tokens:,}",
        f"  {clip(status.model, 40)}",
        f"  {clip(status.conversation, 30)}",
    ]
    if usage is not None and usage.input_tokens and usage.cached_tokens:
        more.append(f"  {100 * usage.cached_tokens / usage.input_tokens:.0f} % cached")
    for text in more:
        if cell_len(text) <= room:
            fragments.append((DIM, text))
            room -= cell_len(text)
    return fragments


def plain_status(status: Status) -> str:
    """The status as a remark, for a pipe."""
    budget = status.budget
    return f"[{budget.used_tokens:,} of {budget.capacity_tokens:,} tokens, {_percent(budget)}]"


def compaction_line(report: Report) -> Text:
    """A compaction: tokens before and after, the ids of its summaries, the savings so far, and a model's failure."""
    made = [one.id for one in report.summaries]
    named = made[:_SHOWN_IDS] + [f"{len(made) - _SHOWN_IDS:,} more"] * (len(made) > _SHOWN_IDS)
    facts = [", ".join(named), *changes(report)]
    result = "compacted" if any(facts) else "unchanged"
    line = f"[context {result}] {report.before_tokens:,} -> {report.after_tokens:,} tokens"
    text = ", ".join(fact for fact in (line, *facts, report.net) if fact)
    return Text("; ".join(filter(None, (text, trouble(report)))), EVENT)


def compacting_text(decision: Decision, summarizer: str) -> str:
    """What is awaited while a compaction is made."""
    tokens = sum(step.source_tokens for step in decision.steps)
    asks = summarizer and any(step.kind in ("leaf", "condense", "roll") for step in decision.steps)
    what = f"{summarizer} writes a summary" if asks else "no model is asked"
    return f"compacting {tokens:,} tokens: {what}; Ctrl-C stops the turn, and nothing is lost"


def warning_line(warning: BudgetWarning) -> Text:
    """A share of the capacity that was reached."""
    numbers = f"{warning.used_tokens:,} of {warning.capacity_tokens:,} tokens"
    return Text(f"the window is over {100 * warning.share:.0f} % full: {numbers}", level_style(warning.share))


def retry_line(retrying: Retrying, width: int, *, shown: bool) -> Text:
    """A call that is made again; `shown`: words of the failed one are on the screen."""
    void = "; ignore the words above" * shown
    head = f"try {retrying.attempt} failed, again in {retrying.wait_s:.1f} s{void}: "
    return Text(head + clip(retrying.message, max(20, width - len(head))), "yellow")


def call_line(started: ToolStart, width: int) -> Text:
    """The start of a tool call, with its arguments."""
    arguments = _arguments_text(started.arguments, max(8, width - len(started.name) - 3))
    return Text.assemble(("● ", "cyan"), (clean(started.name), "bold"), " ", (arguments, DIM))


def _arguments_text(arguments: str, cells: int) -> str:
    """A call's JSON arguments as one line, "name=value" for each."""
    try:
        value: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = arguments
    if not isinstance(value, Mapping):
        return clip(str(value), cells)
    named = cast("Mapping[str, object]", value)
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in named.values()]
    if len(texts) == 1:
        return clip(texts[0], cells)
    shown = (f"{name}={one[:_SHOWN_ARGUMENT]}" for name, one in zip(named, texts, strict=True))
    return clip(" ".join(shown), cells)


def result_line(ended: ToolEnd, width: int, *, named: bool = False) -> Text:
    """The end of a tool call: the beginning of its result, its length, and the elapsed time."""
    lines = [line for line in ended.text.splitlines() if line.strip()]
    more = f" (+{count(len(lines) - 1, 'line')})" if len(lines) > 1 else ""
    took = f" {ended.elapsed_s:.1f} s" if ended.elapsed_s >= 1 else ""
    name = f"{clean(ended.name)}: " if named else ""
    room = max(8, width - 4 - cell_len(more + took + name))
    text = clip(lines[0], room) if lines else "nothing"
    return Text(f"  └ {name}{text}{more}{took}", "red" if ended.is_error else DIM)


def outcome_line(done: Done) -> Text | None:
    """Why a turn ended, if it did not end normally."""
    text = {
        "length": "the answer was cut off at the model's output limit",
        "refused": "the model refused to answer",
        "max_steps": f"stopped after {count(done.steps, 'step')}; Enter goes on",
        "other": "the model stopped without giving a reason",
    }.get(done.outcome)
    if text is None and not done.text.strip():
        text = "the model answered nothing"
    return Text(text, "yellow") if text is not None else None


def error_lines(error: PalimpsestError, *, unfinished: bool = False) -> list[Text]:
    """An error, and what to do."""
    lines = [Text.assemble(("error: ", "bold red"), clean(error.message))]
    hints = [clean(error.hint), "Enter or /retry asks again" if unfinished else ""]
    text = "; ".join(hint for hint in hints if hint)
    return [*lines, Text.assemble(("   do: ", "bold"), text)] if text else lines


def question_lines(command: str, width: int) -> list[Text]:
    """A command that needs permission, complete, with visible control characters."""
    lines = [part for line in clean(command).split("\n") for part in wrap(line, max(10, width - 4)) or [""]]
    marks = ["  $ ", *["    "] * (len(lines) - 1)]
    return [Text.assemble((mark, DIM), (line, "bold")) for mark, line in zip(marks, lines, strict=True)]


def recalled_lines(messages: Sequence[Message], width: int) -> list[Text]:
    """The newest messages of a conversation that is continued, a line each."""
    return [
        Text(("> " if one.role == "user" else "  ") + clip(one.text.strip(), max(8, width - 2)), DIM)
        for one in messages
        if one.role in {"user", "assistant"} and one.text.strip()
    ]


def is_cut_short(newest: Message | None) -> bool:
    """Whether a conversation ends before its answer: with a request, calls, or results."""
    return newest is not None and (newest.role != "assistant" or bool(newest.calls))


def map_lines(budget: Budget, columns: int = _WIDE_SQUARES) -> list[Text]:
    """The window as 200 squares in rows of `columns`; every region with tokens has at least one square."""
    parts = budget_parts(budget)
    cells = spread([max(0, tokens) for _, _, tokens in parts], SQUARES)
    row = [
        (mark, _STYLES[name]) for (name, mark, _), wide in zip(parts, cells, strict=True) for _ in range(wide)
    ]
    return [
        Text(" ").join(Text(mark, style) for mark, style in row[start : start + columns])
        for start in range(0, len(row), columns)
    ]


def table_lines(budget: Budget) -> list[Text]:
    """A row for each part of the window with tokens: its tokens and its share of the window."""
    total = max(1, budget.window_tokens)
    return [
        Text.assemble((mark, _STYLES[name]), f" {name:<12}{tokens:>12,}{100 * tokens / total:>7.1f} %")
        for name, mark, tokens in budget_parts(budget)
        if tokens or name == "free"
    ]


def context_lines(view: WindowView, width: int, model: str = "") -> list[Text]:
    """The output of `/context`: facts, the map, and the table next to it or, in a narrow terminal, below."""
    facts = [usage_line(view.budget), _content_text(view)]
    lines = [
        Text(clip(f"{view.conversation}  {model}".rstrip(), width), "bold"),
        *(Text(line) for fact in facts for line in wrap(fact, width)),
        Text(),
    ]
    drawn = map_lines(view.budget, min(_WIDE_SQUARES, max(1, (width + 1) // 2)))
    table = table_lines(view.budget)
    map_cells = 2 * _WIDE_SQUARES - 1
    if width < map_cells + len(_GAP) + _TABLE_CELLS:
        return [*lines, *drawn, Text(), *table]
    blank = Text(" " * map_cells)
    rows = zip_longest(drawn, table)
    return [*lines, *(Text.assemble(left or blank, _GAP, right or "") for left, right in rows)]


def _content_text(view: WindowView) -> str:
    """What the window consists of."""
    items = view.window.items
    kinds = Counter(kind_of(item) for item in items)
    parts = [
        f"{kinds[kind]:,} {one if kinds[kind] == 1 else many}" for kind, (one, many) in _KINDS.items() if kinds[kind]
    ]  # fmt: skip
    covered = sum(item.last - item.first + 1 for item in items)
    return (
        f"{count(covered, 'message')} stored; in the window: {', '.join(parts)}"
        if parts
        else "no messages yet"
    )


def two_columns(rows: Iterable[tuple[str, str]], width: int, left_cells: int = 22) -> list[str]:
    """Rows of a term and its meaning, wrapped; in a narrow terminal the meaning is below the term."""
    lines: list[str] = []
    for term, meaning in rows:
        if width < 2 * left_cells + 8:
            lines.append(clean(term))
            lines.extend(f"    {line}" for line in _wrapped(meaning, max(10, width - 4)))
            continue
        parts = _wrapped(meaning, width - left_cells) or [""]
        lines.append(f"{term:<{left_cells}}{parts[0]}")
        lines.extend(" " * left_cells + part for part in parts[1:])
    return [line.rstrip() for line in lines]


def _wrapped(text: str, width: int) -> list[str]:
    return [line for line in wrap(text, width) if line] if text else []
