"""How well questions are answered: recall of `search`, beside plain word search on the same data, in the same run.

    python bench/recall.py DATA... [--quick] [--embed MODEL] [--json]

DATA are files and folders in any arrangement (`recall_sources.py`): LoCoMo, BFCL's memory data, MemoryBank in Chinese
and English, transcripts of coding agents. LoCoMo's dialogues are asked as told to an assistant, too, and made-up chats
with one always. The unit is a message (a dialogue turn). Recall is the share of a question's evidence among the first
ten hits, averaged over the questions that have any; "any" counts questions with at least one; "session" is the share of
the evidence's sessions among the first five that hits come from.

- FTS5 as SQLite comes (all words must occur), any word without stop words, and the same with Porter's stems.
- search: the weights that are shipped. They were learnt on the development part of these data.
- search, held out: each fifth of every kind's talks by weights learnt on all the others given here (not with --quick).
- search, sessions apart: each session is a conversation of its own, and all conversations are asked.
- search, with vectors: of the model that `--embed` names, such as "ollama:nomic-embed-text", beside the words.

What `auto_recall_tokens` adds to a request is timed on the longest talk, and whether it brings what is asked for is
told by those talks whose evidence is marked by hand (LoCoMo; not with --quick). How long questions take among a million
messages is measured by `latency.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import platform
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from recall_data import Talk  # noqa: E402
from recall_made import made_talks  # noqa: E402
from recall_made_over import told  # noqa: E402
from recall_sources import talks  # noqa: E402
from recall_unasked import AUTO_TOKENS, added_ms, percentile_ms, reached  # noqa: E402
from recall_ways import AT, WAYS, baseline, judged, searched  # noqa: E402

Judged = tuple[float, float, float | None]
Found = dict[tuple[str, str, str], list[Judged]]


def answered(
    given: Sequence[Talk], *, quick: bool, embed: str | None
) -> Iterator[tuple[str, list[list[list[int]]]]]:
    """(way, hits of each talk's questions) of every way but `search` itself."""
    for way, settings in WAYS.items():
        yield way, [baseline(talk, *settings) for talk in given]
    if embed is not None:
        yield "search, with vectors", asyncio.run(searched(given, embed=embed))[0]
    if not quick:
        from train_recall import held_out_hits

        if len(given) > 1:
            yield "search, held out", asyncio.run(held_out_hits(given))
        yield "search, sessions apart", asyncio.run(searched(given, apart=True))[0]


def add(found: Found, way: str, talk: Talk, answers: Sequence[Sequence[int]]) -> None:
    """Note how each question was answered under its source, and under its kind."""
    for asked, hits in zip(talk.questions, answers, strict=True):
        for kind in dict.fromkeys(("all", asked.kind)):
            found[way, talk.source, kind].append(judged(talk, asked, hits))


def rows_of(found: Found) -> list[dict[str, object]]:
    """The table: a row for each way, source and kind."""
    return [
        {
            "way": way,
            "source": source,
            "kind": kind,
            "questions": len(values),
            "recall": _percent([recall for recall, _, _ in values]),
            "any": _percent([hit for _, hit, _ in values]),
            "session": _percent([sessions for *_, sessions in values if sessions is not None]),
        }
        for (way, source, kind), values in found.items()
    ]


def _percent(shares: Sequence[float]) -> float | None:
    return round(100 * sum(shares) / len(shares), 1) if shares else None


def measured(paths: Sequence[Path], *, quick: bool, embed: str | None) -> dict[str, object]:
    """The rows, how long a question took, and which data it was."""
    real = talks(paths)
    given = [*real, *told(real), *made_talks()]
    found: Found = defaultdict(list)
    for way, answers in answered(given, quick=quick, embed=embed):
        for talk, one in zip(given, answers, strict=True):
            add(found, way, talk, one)
    ours, times = asyncio.run(searched(given))
    for talk, one in zip(given, ours, strict=True):
        add(found, "search", talk, one)
    said = "".join(f"{talk.source} {talk.name} {message.text}" for talk in given for message in talk.messages)
    return {
        "rows": rows_of(found),
        "took": {"p50_ms": percentile_ms(times, 0.5), "p95_ms": percentile_ms(times, 0.95)},
        "recall": asyncio.run(added_ms(given))
        | ({} if quick else asyncio.run(reached([talk for talk in given if talk.source == "locomo"]))),
        "data": hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", type=Path)
    parser.add_argument("--quick", action="store_true", help="only what takes no learning")
    parser.add_argument("--embed", metavar="MODEL", help="search with its vectors, too")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    record = measured(options.data, quick=options.quick, embed=options.embed)
    if options.json:
        machine = {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "machine": platform.machine(),
        }
        settings = {
            "at": AT,
            "quick": options.quick,
            "embed": options.embed,
            "auto_recall_tokens": AUTO_TOKENS,
        }
        print(json.dumps({**record, "settings": settings, "machine": machine}))
        return
    print(f"data {record['data']}; a question takes {record['took']}")
    print(f"recall without being asked: {record['recall']}")
    print(f"{'':14} {'':38} {'':22} asked  recall@10  any@10  session@5")
    for row in sorted(
        rows_of_table(record), key=lambda row: (row["source"], row["kind"] != "all", row["kind"])
    ):
        session = "" if row["session"] is None else f"{row['session']:8}"
        place = f"{row['source']:14} {row['way']:38} {row['kind']:22}"
        print(f"{place} {row['questions']:5} {row['recall']:8} {row['any']:8} {session}")


def rows_of_table(record: dict[str, object]) -> list[dict[str, Any]]:
    """The rows of a record."""
    return cast("list[dict[str, Any]]", record["rows"])


if __name__ == "__main__":
    main()
