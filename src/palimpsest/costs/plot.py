"""Plots of bills, with matplotlib (extra `plot`), which is imported when a plot is made.

One session: the size of its prompts call by call, by the price of each token, with compactions marked; below, the cost
up to each call, as recorded and under other policies. Several sessions: the total cost under each policy.

A plot contains no text of a session except its title, which is drawn literally, never as a formula.
"""

# pyright: reportUnknownMemberType=false
# matplotlib's keyword arguments have no types.

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from palimpsest.costs.bill import Bill, Outcome
from palimpsest.costs.replay import ECONOMIC, NEVER, THRESHOLD
from palimpsest.costs.report import AS_IT_WAS
from palimpsest.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Form = Literal["svg", "png"]

MOST_POINTS = 300
"""Of more calls, the one with the largest prompt represents its neighbours, so that a plot stays small."""

CACHED, WRITTEN, FRESH, OUTPUT, FEES = "#9ecae1", "#fd8d3c", "#cb181d", "#6a51a3", "#31a354"
_BLUE = "#08519c"
_LINES = {
    NEVER.name: ("#bdbdbd", "-", 4.0),
    THRESHOLD.name: ("#e6550d", "-", 2.2),
    ECONOMIC.name: (_BLUE, "-", 1.6),
    AS_IT_WAS: ("#000000", "--", 1.0),
}
"""Colour, dash and width of each line. The widest comes first, so that lines that coincide stay visible."""
_WIDE_FONTS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Zen Hei", "PingFang SC",
               "Microsoft YaHei")  # fmt: skip
_TITLE_CHARS = 80


def draw(bills: Sequence[Bill], form: Form) -> bytes:
    """A plot of one bill, or of the totals of several. Raises UsageError if matplotlib is not installed or there is
    nothing to draw.
    """
    if not any(bill.replies for bill in bills):
        raise UsageError("there is no call to draw", hint="name a session in which a model was called")
    try:
        import matplotlib as mpl
        from matplotlib import font_manager
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError(
            "a plot needs matplotlib, which is not installed", hint='pip install "palimpsest[plot]"'
        ) from error
    known = set(font_manager.get_font_names())
    fonts = ["DejaVu Sans", *(name for name in _WIDE_FONTS if name in known)]
    buffer = io.BytesIO()
    style = {"font.family": fonts, "svg.fonttype": "none", "svg.hashsalt": "palimpsest"}
    with mpl.rc_context(style), warnings.catch_warnings():  # pyright: ignore[reportArgumentType]
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=(9, 6), dpi=110, layout="constrained")
        if len(bills) == 1:
            _draw_session(figure, bills[0])
        else:
            _draw_totals(figure, bills)
        figure.savefig(buffer, format=form, metadata={"Date": None} if form == "svg" else None)
    return buffer.getvalue()


def _draw_session(figure: Figure, bill: Bill) -> None:
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    title = " ".join((bill.title or bill.id).split())
    shown = title if len(title) <= _TITLE_CHARS else title[: _TITLE_CHARS - 1] + "\u2026"
    figure.suptitle(shown, fontsize=10, x=0.01, ha="left", parse_math=False)
    _draw_prompts(above, bill)
    _draw_costs(below, bill)
    below.set_xlabel("model call")


def _draw_prompts(axes: Axes, bill: Bill) -> None:
    """Prompt sizes in thousands of tokens, stacked by price; compactions; and the prompts of the economic policy."""
    replies = bill.replies
    picked = _pick([one.input_tokens for one in replies])
    ends = [index + 0.5 for index in (*picked, len(replies))]
    calls = [replies[index] for index in (*picked, picked[-1])]  # a step needs an end
    bottom = [0.0] * len(calls)
    for colour, label, tokens in (
        (CACHED, "read from the cache", [one.cached_tokens for one in calls]),
        (WRITTEN, "written to the cache", [one.written_tokens for one in calls]),
        (FRESH, "uncached", [one.input_tokens - one.cached_tokens - one.written_tokens for one in calls]),
    ):
        if any(tokens) or label == "read from the cache":
            top = [low + number / 1_000 for low, number in zip(bottom, tokens, strict=True)]
            axes.fill_between(ends, bottom, top, step="post", color=colour, linewidth=0, label=label)
            bottom = top
    shrinks = bill.compactions[:MOST_POINTS]
    if shrinks:
        tops = [one.before_tokens / 1_000 for one in shrinks]
        across = [one.index + 0.5 for one in shrinks]
        axes.plot(across, tops, "v", color="#252525", markersize=5, label="compacted", clip_on=False)
    outcome = bill.outcome(ECONOMIC.name)
    if outcome is not None and len(outcome.prompts) > 1:
        picked = _pick(outcome.prompts)
        scale = len(replies) / len(outcome.prompts)
        across = [0.5 + (index + 0.5) * scale for index in picked]
        sizes = [outcome.prompts[index] / 1_000 for index in picked]
        axes.plot(across, sizes, color=_BLUE, linewidth=1, label="under the economic rules")
    axes.set_ylabel("prompt, thousand tokens")
    axes.set_ylim(bottom=0)
    axes.set_xlim(0.5, len(replies) + 0.5)
    _add_legend(axes)


def _draw_costs(axes: Axes, bill: Bill) -> None:
    """The replayed cost up to each call, in dollars, or in thousands of units for a model that costs no money."""
    for name, (colour, dash, width) in _LINES.items():
        outcome = bill.outcome(name)
        if outcome is None:
            continue
        sums = [one * (outcome.unit_dollars or 1 / 1_000) for one in outcome.unit_sums]
        scale = len(bill.replies) / len(sums)
        indexes = range(0, len(sums), max(1, len(sums) // MOST_POINTS))
        across = [0.5 + (index + 1) * scale for index in indexes]
        axes.plot(across, [sums[index] for index in indexes], dash, color=colour, linewidth=width, label=name)
    axes.set_ylabel(f"cost so far, {'dollars' if _costs_money(bill) else 'thousand units'}")
    axes.set_ylim(bottom=0)
    _add_legend(axes)


def _costs_money(bill: Bill) -> bool:
    return bill.price.rates.input > 0


def _draw_totals(figure: Figure, bills: Sequence[Bill]) -> None:
    """The total cost under each policy, by price."""
    axes = figure.subplots()
    replayed = [bill for bill in bills if bill.outcome(NEVER.name) is not None and _costs_money(bill)]
    replayed = [bill for bill in replayed if bill.outcome(AS_IT_WAS) is not None] or replayed
    names = [one.name for one in (replayed[0].outcomes if replayed else ())]
    names = [name for name in names if all(bill.outcome(name) is not None for bill in replayed)]
    if not names:
        raise UsageError("there is nothing to compare", hint="name sessions whose models cost money")
    labels = ("read from the cache", "written to the cache", "output", "summarizers")
    parts = {
        name: [_parts(one, bill) for bill in replayed for one in bill.outcomes if one.name == name]
        for name in names
    }
    left = [0.0] * len(names)
    for layer, (label, colour) in enumerate(zip(labels, (CACHED, WRITTEN, OUTPUT, FEES), strict=True)):
        widths = [sum(one[layer] for one in parts[name]) for name in names]
        axes.barh(names, widths, left=left, color=colour, label=label)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel(f"dollars, {len(replayed)} sessions")
    axes.legend(loc="lower right", fontsize=8)
    _simplify(axes)


def _parts(outcome: Outcome, bill: Bill) -> tuple[float, float, float, float]:
    """The dollars of one policy by price."""
    use, rates = outcome.use, bill.price.rates
    return use.cached * rates.cached, use.written * rates.write, use.output * rates.output, outcome.fees


def _pick(values: Sequence[int]) -> list[int]:
    """The indexes of at most `MOST_POINTS` values: of each run of neighbours, the largest."""
    width = max(1, -(-len(values) // MOST_POINTS))
    starts = range(0, len(values), width)
    return [max(range(start, min(start + width, len(values))), key=values.__getitem__) for start in starts]


def _add_legend(axes: Axes) -> None:
    """A legend above the axes."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(
            loc="lower left", bbox_to_anchor=(0, 1), fontsize=8, frameon=False, ncols=5, columnspacing=1.2
        )
    _simplify(axes)


def _simplify(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
