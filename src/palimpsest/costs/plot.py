"""Pictures of bills, with matplotlib (extra `plot`), which is imported only here and only when a picture is made.

One session: the size of its prompts call by call, by what was paid for each token, with compactions marked; below, what
the session cost up to each call, as it was and under other ways. Several: what each way would have cost in sum.

Nothing of a session's words is in a picture but its name, and that is drawn as it stands, never read as a formula.
"""

# pyright: reportUnknownMemberType=false
# matplotlib leaves its keyword arguments without types.

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from palimpsest.costs.bill import Bill, Outcome
from palimpsest.costs.replay_policies import NEVER, OURS
from palimpsest.costs.report import AS_IT_WAS, PLAIN_WAY
from palimpsest.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

Form = Literal["svg", "png"]

MOST_POINTS = 300
"""Of more calls, the one with the largest prompt stands for its neighbours, so that a picture stays small."""

CACHED, WRITTEN, FRESH, OUTPUT, FEES = "#9ecae1", "#fd8d3c", "#cb181d", "#6a51a3", "#31a354"
_BLUE = "#08519c"
_LINES = {
    NEVER.name: ("#bdbdbd", "-", 4.0),
    PLAIN_WAY: ("#e6550d", "-", 2.2),
    OURS.name: (_BLUE, "-", 1.6),
    AS_IT_WAS: ("#000000", "--", 1.0),
}
"""Colour, dash and width of each line; the widest is drawn first, so that lines that coincide are all seen."""
_WIDE_FONTS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Zen Hei", "PingFang SC",
               "Microsoft YaHei")  # fmt: skip
_TITLE_CHARS = 80


def draw(bills: Sequence[Bill], form: Form) -> bytes:
    """A picture of one bill, or of several in sum. Raises UsageError where matplotlib is not installed, or there is
    nothing to draw.
    """
    if not any(bill.replies for bill in bills):
        raise UsageError("there is no call to draw", hint="name a session in which a model was called")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError(
            "a plot needs matplotlib, which is not installed", hint='pip install "palimpsest[plot]"'
        ) from error
    buffer = io.BytesIO()
    with mpl.rc_context(_style()), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=(9, 6), dpi=110, layout="constrained")
        if len(bills) == 1:
            _one(figure, bills[0])
        else:
            _several(figure, bills)
        figure.savefig(buffer, format=form, metadata={"Date": None} if form == "svg" else None)
    return buffer.getvalue()


def _style() -> dict[RcKeyType, Any]:
    """Settings of this picture alone: text stays text, and nothing in a file is drawn by chance."""
    from matplotlib import font_manager

    known = set(font_manager.get_font_names())
    fonts = ["DejaVu Sans", *(name for name in _WIDE_FONTS if name in known)]
    return {"font.family": fonts, "svg.fonttype": "none", "svg.hashsalt": "palimpsest"}


def _one(figure: Figure, bill: Bill) -> None:
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    figure.suptitle(_title(bill), fontsize=10, x=0.01, ha="left", parse_math=False)
    _sawtooth(above, bill)
    _sums(below, bill)
    below.set_xlabel("model call")


def _title(bill: Bill) -> str:
    name = " ".join((bill.title or bill.id).split())
    return name if len(name) <= _TITLE_CHARS else name[: _TITLE_CHARS - 1] + "\u2026"


def _sawtooth(axes: Axes, bill: Bill) -> None:
    """Prompt sizes in thousands of tokens, stacked by what was paid for them."""
    replies = bill.replies
    places = _picked([one.input_tokens for one in replies])
    shown = [replies[place] for place in places]
    cached = [one.cached_tokens / 1_000 for one in shown]
    written = [(one.cached_tokens + one.written_tokens) / 1_000 for one in shown]
    whole = [one.input_tokens / 1_000 for one in shown]
    ends = [place + 0.5 for place in (*places, len(replies))]
    layers = ((None, cached, CACHED, "read from the cache"), (cached, written, WRITTEN, "written to the cache"),
              (written, whole, FRESH, "uncached"))  # fmt: skip
    for low, high, colour, label in layers:
        if low == high:
            continue
        bottom = _held(low) if low is not None else 0
        axes.fill_between(ends, bottom, _held(high), step="post", color=colour, linewidth=0, label=label)
    _mark(axes, bill)
    _sketch(axes, bill)
    axes.set_ylabel("prompt, thousand tokens")
    axes.set_ylim(bottom=0)
    axes.set_xlim(0.5, len(replies) + 0.5)
    _explain(axes)


def _held(values: Sequence[float]) -> list[float]:
    """The values with the last one once more: a step needs an end."""
    return [*values, values[-1]]


def _mark(axes: Axes, bill: Bill) -> None:
    """A triangle on each compaction, above the prompt that stood before it."""
    falls = bill.compactions[:MOST_POINTS]
    if falls:
        tops = [fall.before_tokens / 1_000 for fall in falls]
        axes.plot(
            [fall.place + 0.5 for fall in falls],
            tops,
            "v",
            color="#252525",
            markersize=5,
            label="compacted",
            clip_on=False,
        )


def _sketch(axes: Axes, bill: Bill) -> None:
    """The prompts that the economic rules would have sent, where each call of theirs answers one of the session's."""
    outcome = bill.outcome(OURS.name)
    if outcome is None or len(outcome.prompts) < 2:
        return
    places = _picked(outcome.prompts)
    scale = len(bill.replies) / len(outcome.prompts)
    across = [0.5 + (place + 0.5) * scale for place in places]
    axes.plot(across, [outcome.prompts[place] / 1_000 for place in places], color=_BLUE, linewidth=1,
              label="under the economic rules")  # fmt: skip


def _sums(axes: Axes, bill: Bill) -> None:
    """What the session cost up to each call, in the terms of a replay."""
    for name, (colour, dash, width) in _LINES.items():
        outcome = bill.outcome(name)
        if outcome is None:
            continue
        sums = _in_money(outcome, bill)
        scale = len(bill.replies) / len(sums)
        places = range(0, len(sums), max(1, len(sums) // MOST_POINTS))
        across = [0.5 + (place + 1) * scale for place in places]
        axes.plot(across, [sums[place] for place in places], dash, color=colour, linewidth=width, label=name)
    axes.set_ylabel("cost so far, " + _unit(bill))
    axes.set_ylim(bottom=0)
    _explain(axes)


def _in_money(outcome: Outcome, bill: Bill) -> Sequence[float]:
    """The sums in dollars; where the model costs no money, in thousands of units."""
    return outcome.sums if _costs(bill) else [one / 1_000 for one in outcome.unit_sums]


def _costs(bill: Bill) -> bool:
    return bill.price.rates.input > 0


def _unit(bill: Bill) -> str:
    return "dollars" if _costs(bill) else "thousand units"


def _several(figure: Figure, bills: Sequence[Bill]) -> None:
    """What each way would have cost in sum, by what is paid for."""
    axes = figure.subplots()
    replayed = [bill for bill in bills if bill.outcome(NEVER.name) is not None and _costs(bill)]
    replayed = [bill for bill in replayed if bill.outcome(AS_IT_WAS) is not None] or replayed
    names = [one.name for one in (replayed[0].outcomes if replayed else ())]
    names = [name for name in names if all(bill.outcome(name) is not None for bill in replayed)]
    if not names:
        raise UsageError("there is nothing to compare", hint="name sessions whose models cost money")
    labels = ("read from the cache", "written to the cache", "output", "summarizers")
    colours = (CACHED, WRITTEN, OUTPUT, FEES)
    parts = {
        name: [_parts(one, bill) for bill in replayed for one in bill.outcomes if one.name == name]
        for name in names
    }
    left = [0.0] * len(names)
    for layer, (label, colour) in enumerate(zip(labels, colours, strict=True)):
        widths = [sum(one[layer] for one in parts[name]) for name in names]
        axes.barh(names, widths, left=left, color=colour, label=label)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel(f"dollars, {len(replayed)} sessions")
    axes.legend(loc="lower right", fontsize=8)
    _bare(axes)


def _parts(outcome: Outcome, bill: Bill) -> tuple[float, float, float, float]:
    """The dollars of one way by what they were paid for."""
    use, rates = outcome.use, bill.price.rates
    return use.cached * rates.cached, use.written * rates.write, use.output * rates.output, outcome.fees


def _picked(values: Sequence[int]) -> list[int]:
    """The places of at most `MOST_POINTS` values: of each run of neighbours that of the largest."""
    width = -(-len(values) // MOST_POINTS)
    starts = range(0, len(values), max(1, width))
    return [max(range(start, min(start + width, len(values))), key=values.__getitem__) for start in starts]


def _explain(axes: Axes) -> None:
    """The legend above the drawing, where it hides nothing."""
    shown, labels = axes.get_legend_handles_labels()
    if shown:
        axes.legend(
            shown, labels, loc="lower left", bbox_to_anchor=(0, 1), fontsize=8, frameon=False, ncols=5,
            columnspacing=1.2,
        )  # fmt: skip
    _bare(axes)


def _bare(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
