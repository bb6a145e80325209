"""Draws values as text: bars, columns, sizes, ids. Pure functions, plain characters, no colour.

Text from a transcript has to pass `clean` before it is shown, because terminals obey control characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells, set_cell_size

if TYPE_CHECKING:
    from palimpsest.engine.reports import Report
    from palimpsest.record.decision import Budget

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_WORDS = re.compile(r"(?:(?<!\s)\s+)?\S+")
_SHORTEST_PREFIX = 8
_UNSHORTENED_CHARS = 12
REGION_MARKS = (
    ("system", "█"), ("memory", "▤"), ("tools", "▚"), ("summaries", "▓"), ("ledger", "▩"), ("pins", "▣"),
    ("history", "▒"),
)  # fmt: skip
FREE, RESERVE, CORRECTION = "·", "╱", "▞"
_OVER = "!"
_LEAST_LAST_CELLS = 12


def clean(text: str) -> str:
    """The text with each control character except newline and tab, and each one that changes the text direction,
    replaced by its picture (ESC is ␛), or by �.
    """
    return _CONTROLS.sub(_picture, text.replace("\r\n", "\n"))


def _picture(found: re.Match[str]) -> str:
    code = ord(found.group())
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "�"


def clip(text: str, cells: int) -> str:
    """One line of at most `cells` terminal cells: white space folded, cut with an ellipsis."""
    line = " ".join(clean(text[: 8 * cells + 64]).split())
    if cell_len(line) <= cells:
        return line
    return set_cell_size(line, max(0, cells - 1)).rstrip() + "…"


def shorten_text(text: str, lines: int, chars: int) -> str:
    """The beginning of a text, at most `lines` lines and `chars` characters, and how much is left out."""
    shown = "\n".join(text[:chars].split("\n")[:lines])
    left = len(text) - len(shown)
    return clean(shown) + (f"\n… {left:,} more characters" if left > 0 else "")


def wrap(line: str, cells: int) -> list[str]:
    """A line broken at spaces into pieces of at most `cells` cells; scripts without spaces are broken anywhere."""
    if cell_len(line) <= cells:
        return [line]
    import textwrap

    from palimpsest.search.word_folding import unspaced

    if cell_len(line) == len(line) and not unspaced(line):
        return textwrap.wrap(line, cells) or [line]
    lines = [""]
    for word in _WORDS.findall(line):
        longer = lines[-1] + word
        if cell_len(longer) <= cells:
            lines[-1] = longer
        elif unspaced(word):
            lines[-1:] = chop_cells(longer, cells)
        else:
            lines += chop_cells(word.strip(), cells)
    return [one for one in lines if one.strip()] or [line]


def count(number: int, noun: str) -> str:
    """ "1 message", "1,204 messages", "2 summaries"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def joined(*facts: str) -> str:
    """The facts that are not empty, two spaces between."""
    return "  ".join(fact for fact in facts if fact)


def shorten_list(lines: Sequence[str], shown: int) -> list[str]:
    """The first lines of many, and how many more there are."""
    rest = len(lines) - shown
    return [*lines[:shown], *([f"... and {rest:,} more"] if rest > 0 else [])]


def changes(report: Report) -> list[str]:
    """What a compaction did besides its summaries: "1 result shortened", "12 messages left out". Messages that were
    summarized before are listed separately: "the summary of 106 messages left out".
    """
    before = report.omitted_summarized
    listed = [
        (report.stubs, f"{count(report.stubs, 'result')} shortened"),
        (report.omitted - before, f"{count(report.omitted - before, 'message')} left out"),
        (before, f"the summary of {count(before, 'message')} left out"),
    ]
    return [words for number, words in listed if number]


def trouble(report: Report) -> str:
    """How and why the model failed in a compaction; "" if it did not."""
    if report.failure:
        return clean(
            f"the model cannot be reached, so the messages it should summarize stay as they are: {report.failure}"
        )
    if report.refused:
        return clean(f"no reply of the model could be used, so rules wrote the summary: {report.refused}")
    return ""


def size(size_bytes: int) -> str:
    """A size in bytes: "812 B", "4.2 MB"."""
    value = float(size_bytes)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.0f} GB" if value >= 100 else f"{value:.1f} GB"


def when(iso: str) -> str:
    """An ISO time to the minute, "" for an unknown one."""
    return iso[:16].replace("T", " ")


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """A short form of each id. Every part between slashes is cut to eight characters, or to as many as distinguish all
    ids; a part of up to twelve is not cut.
    """
    chars = _SHORTEST_PREFIX
    while True:
        short = {
            one: "/".join(
                part if len(part) <= _UNSHORTENED_CHARS else part[:chars] for part in one.split("/")
            )
            for one in ids
        }
        if len(set(short.values())) == len(short):
            return short
        chars += 1


def bar(share: float, cells: int) -> str:
    """A bar of `cells` cells, filled by `share`; above 1 it consists of exclamation marks."""
    if share > 1:
        return _OVER * cells
    filled = round(max(0.0, share) * cells)
    return "█" * filled + FREE * (cells - filled)


def spread(amounts: Sequence[int], cells: int) -> list[int]:
    """Distribute `cells` in proportion to `amounts`. They sum to `cells`; amounts above 0 get one if possible."""
    total = sum(amounts)
    if total <= 0:
        return [0] * len(amounts)
    shares = [amount * cells / total for amount in amounts]
    given = [max(1, int(share)) if amount else 0 for share, amount in zip(shares, amounts, strict=True)]
    while sum(given) > cells:
        given[max(range(len(given)), key=lambda i: (given[i] > 1, given[i] - shares[i]))] -= 1
    while sum(given) < cells:
        given[max(range(len(given)), key=lambda i: shares[i] - given[i])] += 1
    return given


def budget_parts(budget: Budget) -> list[tuple[str, str, int]]:
    """(name, mark, tokens) of each part of the window, in the order of a request, including empty parts. Together they
    are the window, unless the request is too large for it.
    """
    regions = budget.regions
    return [
        *((name, mark, getattr(regions, name)) for name, mark in REGION_MARKS),
        ("injections", "▥", regions.injections),
        ("correction", CORRECTION, budget.correction_tokens),
        ("free", FREE, max(0, budget.capacity_tokens - budget.used_tokens)),
        ("reserve", RESERVE, budget.output_reserve_tokens),
        ("margin", "╲", budget.margin_tokens),
    ]


def usage_line(budget: Budget) -> str:
    """How much of the capacity is used."""
    used, capacity = budget.used_tokens, budget.capacity_tokens
    percent = f"{100 * used / capacity:.0f} %" if capacity else "no room"
    over = f", {used - capacity:,} too many" if used > capacity else ""
    return f"{used:,} of {capacity:,} tokens used ({percent}{over}); window {budget.window_tokens:,}"


def budget_lines(budget: Budget, width: int) -> list[str]:
    """The budget as a bar of the whole window, with a legend of each part's tokens."""
    parts = [part for part in budget_parts(budget) if part[2] > 0]
    cells = spread([tokens for _, _, tokens in parts], max(10, width - 2))
    drawn = "".join(mark * wide for (_, mark, _), wide in zip(parts, cells, strict=True))
    legend = [f"{mark} {name} {tokens:,}" for name, mark, tokens in parts]
    return [usage_line(budget), f"▕{drawn}▏", *flow(legend, width)]


def flow(phrases: Iterable[str], width: int) -> list[str]:
    """Phrases in lines of at most `width` cells, three spaces between."""
    lines: list[str] = []
    for phrase in phrases:
        if lines and cell_len(lines[-1]) + 3 + cell_len(phrase) <= width:
            lines[-1] += "   " + phrase
        else:
            lines.append(phrase)
    return lines


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows under headings. The columns of the headings in `right` are right-aligned."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[str] = frozenset()


def columns(listing: Listing, width: int = 0) -> list[str]:
    """A listing as lines of aligned columns.

    With a `width`, for a terminal: a rule under the headings, and the last column cut so that lines fit. If too little
    of it would be left, it gets a line of its own below the others; if the others do not fit either, each cell gets a
    line. Without a width nothing is cut.
    """
    rows: list[tuple[str, ...]] = [listing.headings, *listing.rows]
    widths = [max(cell_len(row[i]) for row in rows) for i in range(len(listing.headings))]
    if not width:
        return [_aligned(row, widths, listing) for row in rows]
    fixed = sum(widths[:-1]) + 2 * (len(widths) - 2)
    room = width - fixed - 2
    if room >= min(widths[-1], _LEAST_LAST_CELLS):
        widths[-1] = min(widths[-1], room)
        rows = [(*row[:-1], clip(row[-1], widths[-1])) for row in rows]
        rows.insert(1, tuple("─" * wide for wide in widths))
        return [_aligned(row, widths, listing) for row in rows]
    if fixed > width or len(widths) == 1:
        return _stacked(listing, width)
    lines = [_aligned(listing.headings[:-1], widths, listing), "─" * fixed]
    for row in listing.rows:
        lines.append(_aligned(row[:-1], widths, listing))
        lines.extend(["  " + clip(row[-1], width - 2)] if row[-1] else [])
    return lines


def _aligned(row: Sequence[str], widths: Sequence[int], listing: Listing) -> str:
    cells: list[str] = []
    for heading, text, wide in zip(listing.headings, row, widths, strict=False):
        padding = " " * (wide - cell_len(text))
        cells.append(padding + text if heading in listing.right else text + padding)
    return "  ".join(cells).rstrip()


def _stacked(listing: Listing, width: int) -> list[str]:
    """Each row as a block: its first cell, and below it a line for each other cell that is not empty."""
    label = max((cell_len(heading) for heading in listing.headings[1:]), default=0)
    title = clip(listing.headings[0], width)
    lines = [title, "─" * cell_len(title)] if title else []
    for first, *others in listing.rows:
        lines.append(clip(first, width))
        for heading, text in zip(listing.headings[1:], others, strict=True):
            if text:
                lines.append(f"  {heading:<{label}}  {clip(text, max(1, width - label - 4))}")
    return lines
