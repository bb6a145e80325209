"""How well questions are answered in talks of kinds that no weight was learnt on, beside plain word search.

    python bench/recall_unseen.py [DATA...] [--json]

Talks made up for this (`recall_made_other.py`, `recall_made_year.py`) and, where DATA holds LoCoMo's dialogues, these
woven into one (`recall_made_over.py`): their words and questions are people's own, but what tells one message from
another is not the same. The weights were learnt on these dialogues as they are, so that only the form is new.
Figures are recall / any at ten, in percent, as in `recall.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from recall_data import Talk  # noqa: E402
from recall_made_other import other_talks  # noqa: E402
from recall_made_over import woven  # noqa: E402
from recall_made_year import year_talks  # noqa: E402
from recall_sources import talks  # noqa: E402
from recall_ways import WAYS, baseline, judged, searched  # noqa: E402

SEARCH = "search"


def measured(given: Sequence[Talk]) -> dict[str, dict[str, tuple[int, float, float]]]:
    """(questions, recall, any) by kind and way."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    ways = {way: [baseline(talk, *settings) for talk in given] for way, settings in WAYS.items()}
    ways[SEARCH] = asyncio.run(searched(given))[0]
    for way, answers in ways.items():
        for talk, hits in zip(given, answers, strict=True):
            for asked, one in zip(talk.questions, hits, strict=True):
                recall, held, _ = judged(talk, asked, one)
                found[talk.source][way].append((recall, held))
    return {
        source: {way: (len(values), *_percents(values)) for way, values in by_way.items()}
        for source, by_way in found.items()
    }


def _percents(values: Sequence[tuple[float, float]]) -> tuple[float, float]:
    recall, held = (round(100 * sum(part) / len(values), 1) for part in zip(*values, strict=True))
    return recall, held


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measured([*woven(talks(options.data)), *other_talks(), *year_talks()])
    if options.json:
        print(json.dumps(found))
        return
    for source, by_way in found.items():
        for way, (questions, recall, held) in by_way.items():
            print(f"{source:20} {way:38} {questions:5} {recall:8} / {held}")


if __name__ == "__main__":
    main()
