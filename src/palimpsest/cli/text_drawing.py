"""How values look as text: bars, columns, sizes, ids. Pure functions, plain characters, no colour.

Whatever came from a transcript passes `clean` before it is shown: a terminal obeys control characters, and a
conversation is not to be trusted with that.
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
_WHOLE_CHARS = 12
REGION_MARKS = (
    ("system", "█"), ("memory", "▤"), ("tools", "▚"), ("summaries", "▓"), ("ledger", "▩"), ("pins", "▣"),
    ("history", "▒"),
)  # fmt: skip
FREE, RESERVE = "·", "╱"
_OVER = "!"
_LEAST_LAST_CELLS = 12


def clean(text: str) -> str:
    """The text without control characters other than newline and tab, and without those that turn the direction of what
    follows; each becomes its picture (ESC is ␛), or �.
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
    """The beginning of a text, at most `lines` lines and `chars` characters, saying how much is left out."""
    shown = "\n".join(text[:chars].split("\n")[:lines])
    left = len(text) - len(shown)
    return clean(shown) + (f"\n… {left:,} more characters" if left > 0 else "")


def wrap(line: str, cells: int) -> list[str]:
    """A line broken at blanks into pieces of at most `cells` cells; scripts without blanks are broken anywhere."""
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
    several = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else several}"


def changes(report: Report) -> list[str]:
    """What a compaction did beside its summaries: "1 result shortened", "12 messages left out". Messages that had left
    before are told apart: "the summary of 106 messages left out".
    """
    before = report.omitted_summarized
    told = [
        (report.stubs, f"{count(report.stubs, 'result')} shortened"),
        (report.omitted - before, f"{count(report.omitted - before, 'message')} left out"),
        (before, f"the summary of {count(before, 'message')} left out"),
    ]
    return [words for number, words in told if number]


def trouble(report: Report) -> str:
    """What a model did not do in a compaction, and why; "" where none failed."""
    if report.failure:
        return clean(f"the model cannot be asked, so what it should sum up stays as it is: {report.failure}")
    return clean(
        f"no reply of the model could be used, so rules wrote it: {report.refused}" * bool(report.refused)
    )


def size(size_bytes: int) -> str:
    """Bytes as people say them: "812 B", "4.2 MB"."""
    value = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def when(iso: str) -> str:
    """An ISO time to the minute, "" for an unknown one."""
    return iso[:16].replace("T", " ")


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """A short form of each id that names no other of them: every part between slashes cut to a prefix of eight
    characters, or as many as tell it from its siblings; a part of twelve is left whole.
    """
    siblings: dict[str, set[str]] = {}
    for one in ids:
        for folder, part in _parts(one):
            siblings.setdefault(folder, set()).add(part)
    prefixes = {folder: _prefixes(parts) for folder, parts in siblings.items()}
    return {one: "/".join(prefixes[folder][part] for folder, part in _parts(one)) for one in ids}


def _parts(one: str) -> list[tuple[str, str]]:
    """The parts of an id between slashes, each with everything before it."""
    parts = one.split("/")
    return [("/".join(parts[:index]) + "/" * bool(index), part) for index, part in enumerate(parts)]


def _prefixes(names: Iterable[str]) -> dict[str, str]:
    """For each long name the shortest prefix of eight characters or more that no other has."""
    ordered = sorted(names)
    short: dict[str, str] = {}
    for index, one in enumerate(ordered):
        neighbours = (*ordered[max(0, index - 1) : index], *ordered[index + 1 : index + 2])
        length = max([_SHORTEST_PREFIX, *(_common(one, other) + 1 for other in neighbours)])
        short[one] = one if len(one) <= _WHOLE_CHARS else one[:length]
    return short


def is_short_for(short: str, one: str) -> bool:
    """Whether `short` can stand for the id `one`: part by part a prefix of it."""
    mine, its = short.split("/"), one.split("/")
    return len(mine) == len(its) and all(long.startswith(part) for part, long in zip(mine, its, strict=True))


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def bar(share: float, cells: int) -> str:
    """A bar of `cells` cells, filled by `share` (0 to 1; more fills it with marks that say so)."""
    if share > 1:
        return _OVER * cells
    filled = round(max(0.0, share) * cells)
    return "█" * filled + FREE * (cells - filled)


def spread(amounts: Sequence[int], cells: int) -> list[int]:
    """`cells` shared out in proportion to `amounts`: sums to `cells`, and any amount above 0 gets one where it can."""
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


def budget_lines(budget: Budget, width: int) -> list[str]:
    """The budget as a bar over the whole window, with a legend that gives each part's tokens."""
    regions = budget.regions
    amounts = [getattr(regions, name) for name, _ in REGION_MARKS]
    used, capacity = budget.used_tokens, budget.capacity_tokens
    free = max(0, capacity - used)
    reserve = budget.window_tokens - capacity
    parts = [(name, mark, amount) for (name, mark), amount in zip(REGION_MARKS, amounts, strict=True)]
    if budget.correction_tokens > 0:
        parts.append(("correction", "▞", budget.correction_tokens))
    parts.extend((("free", FREE, free), ("reserve", RESERVE, reserve)))
    cells = spread([amount for _, _, amount in parts], max(10, width - 2))
    drawn = "".join(mark * wide for (_, mark, _), wide in zip(parts, cells, strict=True))
    percent = f"{100 * used / capacity:.0f} %" if capacity else "no room"
    over = f", {used - capacity:,} too many" if used > capacity else ""
    title = f"{used:,} of {capacity:,} tokens used ({percent}{over}); window {budget.window_tokens:,}"
    legend = [f"{mark} {name} {amount:,}" for name, mark, amount in parts if amount]
    return [title, f"▕{drawn}▏", *flow(legend, width)]


def flow(words: Iterable[str], width: int) -> list[str]:
    """Phrases set in lines of at most `width` cells, three blanks between."""
    lines: list[str] = []
    for word in words:
        if lines and cell_len(lines[-1]) + 3 + cell_len(word) <= width:
            lines[-1] += "   " + word
        else:
            lines.append(word)
    return lines


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows under headings. `right` names the headings whose column is set flush right."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[str] = frozenset()


def columns(listing: Listing, width: int = 0) -> list[str]:
    """A listing as lines of aligned columns.

    With a `width`, for a terminal: a rule under the headings, and the last column cut so that lines fit. Where next to
    nothing were left of it, it has a line of its own under the others; where these do not fit either, each cell has.
    Without a width nothing is cut.
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
    """Each row as a block: its first cell, and under it a line for each other cell that says anything. What the first
    cells are stands above them all.
    """
    label = max((cell_len(heading) for heading in listing.headings[1:]), default=0)
    title = clip(listing.headings[0], width)
    lines = [title, "─" * cell_len(title)] if title else []
    for first, *others in listing.rows:
        lines.append(clip(first, width))
        for heading, text in zip(listing.headings[1:], others, strict=True):
            if text:
                lines.append(f"  {heading:<{label}}  {clip(text, max(1, width - label - 4))}")
    return lines
