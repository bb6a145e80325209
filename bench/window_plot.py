"""Draw what a session costs against what its windows hold, over target sizes.

    python bench/window.py DATA... --in-sample --sizes 4000 8000 12000 16000 20000 24000 32000 --json > windows.json
    python bench/cost.py DATA... --curve --tables anthropic-5m openai-5.6 deepseek --json > costs.json
    python bench/window_plot.py windows.json costs.json --out docs/images/window-curve.svg

A point is a target size: across, the share of never compacting that sessions cost (sums; re-reads charged), up, the
share of the words and phrases needed next that a window of this size holds, means over kinds of agents with long
sessions. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

KINDS = ("claude_code", "codex", "pi")
TABLES = {"anthropic-5m": "Anthropic, 5 minutes", "openai-5.6": "OpenAI", "deepseek": "DeepSeek"}
COLOURS = {"anthropic-5m": "#08519c", "openai-5.6": "#31a354", "deepseek": "#cb181d"}


def held(rows: Sequence[Mapping[str, Any]], column: str) -> dict[int, float]:
    """The share that windows of each size hold, the mean over kinds that have all sizes."""
    found: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        if row["way"] == "ours" and row["kind"] in KINDS and row["size"].replace(",", "").isdigit():
            found[int(row["size"].replace(",", ""))].append(row[column])
    return {size: sum(shares) / len(shares) for size, shares in found.items()}


def paid(points: Sequence[Mapping[str, Any]], group: str, floor_tokens: int) -> dict[str, dict[int, float]]:
    """What sessions of a group cost with each target, by price table."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for point in points:
        if point["group"] == group and point["floor_tokens"] == floor_tokens:
            found[point["table"]][point["target_tokens"]] = point["of_sums"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("windows", type=Path)
    parser.add_argument("costs", type=Path)
    parser.add_argument("--group", help="the group of sessions whose cost is drawn; the first by default")
    parser.add_argument("--floor", type=int, default=50_000)
    parser.add_argument("--default", type=int, default=20_000, help="the target that is marked")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib.figure import Figure

    rows = json.loads(args.windows.read_text("utf-8"))["rows"]
    points = json.loads(args.costs.read_text("utf-8"))["curve"]
    group = args.group or points[0]["group"]
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "palimpsest"}):
        figure = Figure(figsize=(9, 4.2), layout="constrained")
        for place, column in enumerate(("words", "phrases"), 1):
            axes = figure.add_subplot(1, 2, place)
            shares = held(rows, column)
            for table, costs in paid(points, group, args.floor).items():
                sizes = sorted(shares.keys() & costs.keys())
                across, up = [costs[size] for size in sizes], [shares[size] for size in sizes]
                axes.plot(
                    across, up, "o-", markersize=4, color=COLOURS.get(table), label=TABLES.get(table, table)
                )
                for size, x, y in zip(sizes, across, up, strict=True):
                    axes.annotate(
                        f"{size // 1_000}k", (x, y), xytext=(3, -10), textcoords="offset points", fontsize=7
                    )
                    if size == args.default:
                        axes.plot([x], [y], "o", markersize=10, fillstyle="none", color=COLOURS.get(table))
            axes.set_xlabel("cost of a session, never compacting = 1")
            axes.set_ylabel(f"{column} needed next that the window holds, %")
            axes.grid(alpha=0.3)
            if place == 1:
                axes.legend(fontsize=8, loc="lower right")
        figure.savefig(args.out, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
