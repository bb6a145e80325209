"""What the chat says beside the model's words: a line for each event, and the status line. Pure.

The status line is (style, text) fragments, so that the prompt and a plain stream can both show it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from rich.cells import cell_len
from rich.text import Text

from palimpsest.agent.events import BudgetWarning, Done, ToolEnd, ToolStart
from palimpsest.cli.text_drawing import FREE, REGION_MARKS, changes, clean, clip, count, spread, trouble
from palimpsest.engine.reports import Report
from palimpsest.errors import PalimpsestError
from palimpsest.record.completion import Retrying
from palimpsest.record.decision import Budget
from palimpsest.record.message import Message, Usage

DIM = "bright_black"
EVENT = "magenta"
LEVELS = ((0.9, "red"), (0.75, "yellow"), (0.5, "cyan"))
"""Shares of the capacity from which on the bar has a colour of its own; below them it is green."""

_CALM = "green"
_BAR_CELLS = 24
_SHORTEST_BAR = 6
_NAMED_IDS = 4
_SHOWN_ARGUMENT = 400

Fragments = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Status:
    """What the status line tells. `usage` is what the provider reported last, None before that."""

    conversation: str
    model: str
    budget: Budget
    usage: Usage | None = None


def level_style(share: float) -> str:
    """The colour of a window that is full to this share of its capacity."""
    return next((style for least, style in LEVELS if share >= least), _CALM)


def used_share(budget: Budget) -> float:
    """The share of the capacity that is used; more than 1 where there is no room."""
    if not budget.capacity_tokens:
        return 2.0
    return budget.used_tokens / budget.capacity_tokens


def region_bar(budget: Budget, cells: int) -> str:
    """The capacity as a bar, filled as far as it is used; the mark of each region stands for its share of that."""
    amounts = [getattr(budget.regions, name) for name, _ in REGION_MARKS]
    rest = max(0, budget.used_tokens - sum(amounts))
    filled = min(cells, max(1, round(used_share(budget) * cells))) if budget.used_tokens else 0
    marks = [*(mark for _, mark in REGION_MARKS), "▞"]
    widths = spread([*amounts, rest], filled)
    drawn = "".join(mark * wide for mark, wide in zip(marks, widths, strict=True))
    return drawn + FREE * (cells - len(drawn))


def status_line(status: Status, width: int) -> Fragments:
    """One line of at most `width` cells: the bar, how full it is, and as much else as there is room for."""
    budget = status.budget
    share = used_share(budget)
    style = level_style(share)
    percent = f"{100 * share:.0f} %" if budget.capacity_tokens else "no room"
    bar_cells = min(_BAR_CELLS, max(_SHORTEST_BAR, width // 3))
    bar = f"▕{region_bar(budget, bar_cells)}▏"
    fragments: Fragments = [("", " "), (style, bar), (style, f" {percent}")]
    room = width - sum(cell_len(text) for _, text in fragments)
    tokens = f" of {budget.capacity_tokens:,}"
    more = [
        tokens,
        f"  {clip(status.model, 40)}",
        f"  {clip(status.conversation, 30)}",
        _cached(status.usage),
    ]
    for text in more:
        if text and cell_len(text) <= room:
            fragments.append((DIM, text))
            room -= cell_len(text)
    return fragments


def _cached(usage: Usage | None) -> str:
    """What share of the last prompt the provider had cached."""
    if usage is None or not usage.input_tokens or not usage.cached_tokens:
        return ""
    return f"  {100 * usage.cached_tokens / usage.input_tokens:.0f} % cached"


def plain_status(status: Status) -> str:
    """The status as a remark, for a stream."""
    budget = status.budget
    percent = f"{100 * used_share(budget):.0f} %" if budget.capacity_tokens else "no room"
    return f"[{budget.used_tokens:,} of {budget.capacity_tokens:,} tokens, {percent}]"


def compaction_line(report: Report) -> Text:
    """A compaction: tokens before and after, the ids of the summaries it made, what compacting has saved, and where a
    model failed why.
    """
    made = [one.id for one in report.summaries]
    named = made[:_NAMED_IDS] + [f"{len(made) - _NAMED_IDS:,} more"] * (len(made) > _NAMED_IDS)
    facts = [", ".join(named), *changes(report)]
    done = "compacted" if any(facts) else "as it was"
    line = f"[context {done}] {report.before_tokens:,} -> {report.after_tokens:,} tokens"
    told = ", ".join(fact for fact in (line, *facts, report.net) if fact)
    return Text("; ".join(filter(None, (told, trouble(report)))), EVENT)


def warning_line(warning: BudgetWarning) -> Text:
    """A share of the capacity that is reached."""
    numbers = f"{warning.used_tokens:,} of {warning.capacity_tokens:,} tokens"
    return Text(f"the window is over {100 * warning.share:.0f} % full: {numbers}", level_style(warning.share))


def retry_line(retrying: Retrying, width: int, *, said: bool) -> Text:
    """A call that is made again; `said` tells that words of the failed one have been shown."""
    void = "; the words above are void" * said
    head = f"try {retrying.attempt} failed, again in {retrying.wait_s:.1f} s{void}: "
    return Text(head + clip(retrying.message, max(20, width - len(head))), "yellow")


def call_line(started: ToolStart, width: int) -> Text:
    """A tool call that begins, with its arguments."""
    room = max(8, width - len(started.name) - 3)
    return Text.assemble(
        ("● ", "cyan"), (clean(started.name), "bold"), " ", (told_arguments(started.arguments, room), DIM)
    )


def told_arguments(arguments: str, cells: int) -> str:
    """A call's JSON arguments as one line, "name=value" for each."""
    try:
        value: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = arguments
    if not isinstance(value, Mapping):
        return clip(str(value), cells)
    named = cast("Mapping[str, object]", value)
    told = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in named.values()]
    if len(told) == 1:
        return clip(told[0], cells)
    shown = (f"{name}={one[:_SHOWN_ARGUMENT]}" for name, one in zip(named, told, strict=True))
    return clip(" ".join(shown), cells)


def result_line(ended: ToolEnd, width: int, *, named: bool = False) -> Text:
    """A tool call that is over: how its result begins, how long it is, how long it took."""
    lines = [line for line in ended.text.splitlines() if line.strip()]
    more = f" (+{count(len(lines) - 1, 'line')})" if len(lines) > 1 else ""
    took = f" {ended.elapsed_s:.1f} s" if ended.elapsed_s >= 1 else ""
    name = f"{clean(ended.name)}: " if named else ""
    room = max(8, width - 4 - cell_len(more + took + name))
    said = clip(lines[0], room) if lines else "nothing"
    style = "red" if ended.is_error else DIM
    return Text(f"  └ {name}{said}{more}{took}", style)


def outcome_line(done: Done) -> Text | None:
    """Why a turn ended, where that is not as it should be."""
    told = {
        "length": "the answer was cut off at the model's output limit",
        "refused": "the model refused to answer",
        "max_steps": f"stopped after {count(done.steps, 'step')}; Enter goes on",
        "other": "the model stopped without saying why",
    }.get(done.outcome)
    if told is None and not done.text.strip():
        told = "the model answered nothing"
    return Text(told, "yellow") if told is not None else None


def error_lines(error: PalimpsestError, *, unfinished: bool = False) -> list[Text]:
    """What went wrong, and the way out."""
    lines = [Text.assemble(("error: ", "bold red"), clean(error.message))]
    hints = [clean(error.hint), "Enter or /retry asks again" if unfinished else ""]
    told = "; ".join(hint for hint in hints if hint)
    return [*lines, Text.assemble(("   do: ", "bold"), told)] if told else lines


def recalled_lines(messages: Sequence[Message], width: int) -> list[Text]:
    """The newest words of a conversation that is gone on with, a line each."""
    shown: list[Text] = []
    for message in messages:
        words = message.text.strip()
        if message.role in {"user", "assistant"} and words:
            mark = "> " if message.role == "user" else "  "
            shown.append(Text(mark + clip(words, max(8, width - 2)), DIM))
    return shown


def is_cut_short(newest: Message | None) -> bool:
    """Whether a conversation ends before its answer: in a request, in calls, or in their results."""
    return newest is not None and (newest.role != "assistant" or bool(newest.calls))
