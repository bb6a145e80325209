"""What the demo tells, as pure functions over values: lines of 80 cells, and the choice of a fact to look for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.cli.text_drawing import clean, clip, count, spread, wrap
from palimpsest.record.log import Stored
from palimpsest.record.message import readable_text
from palimpsest.record.summary import Summary
from palimpsest.record.window import Window
from palimpsest.record.window_items import SummaryItem

LINE_CELLS = 79
_BAR_CELLS = 30
_LOOKED_AT_CHARS = 4_000
_MAX_LOOKED_AT = 2_000
_ROLE_ORDER = {"user": 0, "assistant": 1, "tool": 2}
_EXACT = re.compile(
    r"(?<![\w./:-])(?=[\w./:-]*\d)(?=[\w./:-]*[A-Za-z])[A-Za-z0-9][\w./:-]{4,38}[A-Za-z0-9](?![\w./:-])"
)


@dataclass(frozen=True, slots=True)
class Fall:
    """One time that the window became smaller: at which message, from and to how many tokens, and what was made."""

    position: int
    before_tokens: int
    after_tokens: int
    capacity_tokens: int
    made: tuple[Summary, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """An exact string that left the window, and the message that holds it."""

    text: str
    message_id: str


def fall_heading(capacity_tokens: int) -> str:
    """The heading over the lines of `fall_line`."""
    window = f"█ kept  ░ left  of {capacity_tokens:,}"
    return f"{'after':>5}  {window:<{_BAR_CELLS + 2}}  {'tokens':<16}  became"


def fall_line(fall: Fall) -> str:
    """One compaction as a line: what stayed and what went, as a share of the capacity."""
    gone = max(0, fall.before_tokens - fall.after_tokens)
    free = max(0, fall.capacity_tokens - fall.before_tokens)
    cells = spread([fall.after_tokens, gone, free], _BAR_CELLS)
    drawn = "".join(mark * wide for mark, wide in zip("█░·", cells, strict=True))
    tokens = f"{fall.before_tokens:,} → {fall.after_tokens:,}"
    return f"{fall.position:>5}  ▕{drawn}▏  {tokens:<16}  {_made(fall.made)}"


def _made(summaries: Sequence[Summary]) -> str:
    """ "s4", "s4, s5", "s9 of s1-s4": the newest summaries of a fall, by id."""
    if not summaries:
        return "shorter results"
    newest = summaries[-1]
    if newest.depth:
        return f"{newest.id} from {newest.sources[0]}..{newest.sources[-1]}"
    return ", ".join(one.id for one in summaries) if len(summaries) < 3 else f"{summaries[0].id}..{newest.id}"


def new_summaries(window: Window, seen: set[str]) -> tuple[Summary, ...]:
    """The summaries of a window that are not in `seen`, in the order they were made."""
    items = (item.summary for item in window.items if isinstance(item, SummaryItem))
    made = (summary for summary in items if summary.id not in seen)
    return tuple(sorted(made, key=lambda summary: (len(summary.id), summary.id)))


def summary_lines(summary: Summary, lines: int) -> list[str]:
    """The beginning of a summary, each line cut to the page."""
    written = [line for line in summary.text.split("\n") if line.strip()]
    shown = [f"  │ {clip(line, LINE_CELLS - 4)}" for line in written[:lines]]
    rest = len(written) - len(shown)
    return [*shown, f"  │ ... {count(rest, 'more line')}"] if rest > 0 else shown


def exact_strings(text: str) -> Iterator[str]:
    """Strings with letters and digits that a summary tends to lose: ids, versions, paths with numbers."""
    seen: set[str] = set()
    for found in _EXACT.finditer(text[:_LOOKED_AT_CHARS]):
        if found.group() not in seen:
            seen.add(found.group())
            yield found.group()


def pick_fact(left: Iterable[Stored], sent: str, preferred: Sequence[str]) -> Fact | None:
    """A string that stands in a message that left the window and nowhere in what is sent now (`sent`).

    One of `preferred` where it was said in words, else another exact string from such words, else the same from calls
    and results. People's words come before the model's, short messages before long ones. None where nothing will do.
    """
    ordered = sorted(left, key=lambda one: (_ROLE_ORDER.get(one.message.role, 3), one.tokens))[
        :_MAX_LOOKED_AT
    ]
    words = [(one.id, one.message.text) for one in ordered]
    everything = [(one.id, readable_text(one.message)) for one in ordered]

    def wanted(text: str) -> list[str]:
        return [one for one in preferred if one in text]

    found = (
        Fact(string, message_id)
        for texts in (words, everything)
        for strings_in in (wanted, exact_strings)
        for message_id, text in texts
        for string in strings_in(text)
    )
    return next((fact for fact in found if fact.text not in sent), None)


def around(text: str, fact: str, lines: int) -> list[str]:
    """The part of a message that holds the fact, set in at most `lines` lines."""
    written = [
        part for line in clean(text).split("\n") if line.strip() for part in wrap(line, LINE_CELLS - 4)
    ]
    place = next((index for index, line in enumerate(written) if fact in line), 0)
    start = max(0, min(place - lines // 2, len(written) - lines))
    shown = [f"  │ {line}" for line in written[start : start + lines]]
    before = ["  │ ..."] if start else []
    after = ["  │ ..."] if start + lines < len(written) else []
    return [*before, *shown, *after]
