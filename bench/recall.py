"""How well questions are answered: recall of `search`, beside plain word search on the same data, in the same run.

    python bench/recall.py DATA... [--quick] [--latency 100000] [--json]

DATA are files and folders in any arrangement (see `recall_sources.py`): LoCoMo, BFCL's memory data, MemoryBank in Chinese
and English, transcripts of coding agents; made-up chats with an assistant are always asked, too. The unit is a message
(a dialogue turn). Recall is the share of a question's evidence among the first ten hits, averaged over the questions
that have any; "any" counts questions with at least one; "session" is the share of the evidence's sessions among the
first five that hits come from.

- FTS5 as SQLite comes (all words must occur), any word without stop words, and the same with Porter's stems.
- search: the weights that are shipped. They were learnt on the development part of these data.
- search, held out: each fifth of every kind's talks by weights learnt on all the others given here (not with --quick).
- search, sessions apart: each session is a conversation of its own, and all conversations are asked.

`--latency` fills a conversation with so many made-up messages and times questions in it, beside one bare ranked FTS5
query for the same words.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import platform
import random
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from latency import BUILT_IN_SIZES, make_texts, percentile_ms  # noqa: E402
from recall_data import Talk  # noqa: E402
from recall_made import made_talks  # noqa: E402
from recall_sources import talks  # noqa: E402
from recall_ways import AT, WAYS, baseline, judged, searched  # noqa: E402

from palimpsest.engine.engine import open_engine  # noqa: E402
from palimpsest.ports import Counted  # noqa: E402
from palimpsest.record.message import Message, Text  # noqa: E402
from palimpsest.search.lexicon import STOP_WORDS  # noqa: E402
from palimpsest.search.question import words_of  # noqa: E402

ASKED = 100
BATCH = 2_000
Judged = tuple[float, float, float | None]
Found = dict[tuple[str, str, str], list[Judged]]


def answered(given: Sequence[Talk], *, quick: bool) -> Iterator[tuple[str, list[list[list[int]]]]]:
    """(way, hits of each talk's questions) of every way but `search` itself."""
    for way, settings in WAYS.items():
        yield way, [baseline(talk, *settings) for talk in given]
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


async def latency(messages: int) -> dict[str, float]:
    """Milliseconds of questions in a long conversation, and of a bare ranked query for the same words."""
    chance = random.Random(7)
    texts = make_texts(BUILT_IN_SIZES, messages, seed=1)
    bare = sqlite3.connect(":memory:")
    bare.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content = '', tokenize = 'porter unicode61')")
    bare.executemany("INSERT INTO words (rowid, body) VALUES (?, ?)", enumerate(texts, 1))
    times: list[float] = []
    floor: list[float] = []
    async with open_engine(":memory:", owner="bench") as engine:
        talk = engine.conversation("long")
        said = [Counted(Message("user", (Text(text),)), len(text) // 4) for text in texts]
        for start in range(0, messages, BATCH):
            await engine.store.append("bench", "long", said[start : start + BATCH], now_s=0.0)
        for _ in range(ASKED):
            words = [word for word in words_of(chance.choice(texts)) if word not in STOP_WORDS]
            asked = chance.sample(words, min(5, len(words)))
            begin = time.perf_counter()
            await talk.search(f"what did we say about {' '.join(asked)}?")
            middle = time.perf_counter()
            matching = " OR ".join(f'"{word}"' for word in asked)
            bare.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10", (matching,)
            ).fetchall()
            times.append(middle - begin)
            floor.append(time.perf_counter() - middle)
    names = (("p50", 0.5), ("p95", 0.95))
    found = {f"search {name} ms": round(percentile_ms(times, share), 2) for name, share in names}
    return found | {f"bare query {name} ms": round(percentile_ms(floor, share), 2) for name, share in names}


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


def measured(paths: Sequence[Path], *, quick: bool) -> dict[str, object]:
    """The rows, how long a question took, and which data it was."""
    given = [*talks(paths), *made_talks()]
    found: Found = defaultdict(list)
    for way, answers in answered(given, quick=quick):
        for talk, one in zip(given, answers, strict=True):
            add(found, way, talk, one)
    ours, times = asyncio.run(searched(given))
    for talk, one in zip(given, ours, strict=True):
        add(found, "search", talk, one)
    names = (("p50_ms", 0.5), ("p95_ms", 0.95))
    said = "".join(f"{talk.source} {talk.name} {message.text}" for talk in given for message in talk.messages)
    return {
        "rows": rows_of(found),
        "took": {name: round(percentile_ms(times, share), 2) for name, share in names},
        "data": hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", type=Path)
    parser.add_argument("--quick", action="store_true", help="only what takes no learning")
    parser.add_argument("--latency", type=int, metavar="MESSAGES")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    record = measured(options.data, quick=options.quick)
    long = asyncio.run(latency(options.latency)) if options.latency else {}
    if options.json:
        machine = {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "machine": platform.machine(),
        }
        settings = {"at": AT, "latency_messages": options.latency, "quick": options.quick}
        print(json.dumps({**record, "latency": long, "settings": settings, "machine": machine}))
        return
    print(f"data {record['data']}; a question takes {record['took']}")
    print(f"{'':14} {'':38} {'':22} asked  recall@10  any@10  session@5")
    for row in sorted(rows_of_table(record), key=lambda row: (row["source"], row["kind"] != "all", row["kind"])):
        session = "" if row["session"] is None else f"{row['session']:8}"
        place = f"{row['source']:14} {row['way']:38} {row['kind']:22}"
        print(f"{place} {row['questions']:5} {row['recall']:8} {row['any']:8} {session}")
    for name, value in long.items():
        print(f"{options.latency:,} messages: {name} {value}")


def rows_of_table(record: dict[str, object]) -> list[dict[str, Any]]:
    """The rows of a record."""
    return cast("list[dict[str, Any]]", record["rows"])


if __name__ == "__main__":
    main()
