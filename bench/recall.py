"""How well questions are answered: recall@10 and any@10 of `search`, beside plain word search on the same data.

    python bench/recall.py DATA... [--latency 100000] [--json]

DATA are LoCoMo files and folders of BFCL's memory data, each given by path. The unit is a message (a dialogue turn).
Recall is the share of a question's evidence among the first ten hits, averaged over the questions that have any; "any"
counts questions with at least one. On BFCL a hit is a message that holds the quote which the question was made from.
The other rows are FTS5 in the same run: as SQLite comes (all words must occur), any word without stop words, and the
same with Porter's stems. Questions are asked within their conversation. The weights shipped were learnt on the
development part of these data; what they reach on talks that they were not learnt on is said by `train_recall.py`.

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
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from latency import BUILT_IN_SIZES, make_texts, percentile_ms  # noqa: E402
from recall_data import Talk  # noqa: E402
from recall_sources import talks  # noqa: E402

from palimpsest.engine.engine import open_engine  # noqa: E402
from palimpsest.ports import Counted  # noqa: E402
from palimpsest.record.message import Message, Text, searchable_text  # noqa: E402
from palimpsest.search.lexicon import STOP_WORDS  # noqa: E402
from palimpsest.search.query import segment  # noqa: E402
from palimpsest.search.question import words_of  # noqa: E402

AT = 10
ROOMY_TOKENS = 20_000
ASKED = 100
BATCH = 2_000
WAYS = {
    "FTS5, every word": ("unicode61", " AND ", frozenset[str]()),
    "FTS5, any word, no stop words": ("unicode61", " OR ", STOP_WORDS),
    "FTS5, any word, no stop words, porter": ("porter unicode61", " OR ", STOP_WORDS),
}
Found = dict[tuple[str, str, str], list[tuple[float, float]]]


def baseline(talk: Talk, tokenizer: str, joint: str, stop: frozenset[str]) -> list[set[int]]:
    """The places of the first hits of each question in a plain index."""
    index = sqlite3.connect(":memory:")
    index.execute(f"CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = '{tokenizer}')")
    texts = (segment(f"{one.name} {searchable_text(one)}") for one in talk.messages)
    rows = list(enumerate(texts, 1))
    index.executemany("INSERT INTO words (rowid, body) VALUES (?, ?)", rows)
    found: list[set[int]] = []
    for asked in talk.questions:
        words = [word for word in words_of(asked.text) if word not in stop] or words_of(asked.text)
        matching = joint.join(f'"{word}"' for word in words)
        hits = index.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (matching, AT)
        )
        found.append({int(row[0]) - 1 for row in hits})
    index.close()
    return found


async def searched(given: Sequence[Talk]) -> tuple[list[list[set[int]]], list[float]]:
    """The same for `search`, with the seconds of each question. "Now" is when the conversation ended."""
    found: list[list[set[int]]] = []
    times: list[float] = []
    now = [0.0]
    async with open_engine(":memory:", owner="bench", clock=lambda: now[0]) as engine:
        for talk in given:
            handle = engine.conversation(f"{talk.source} {talk.name}")
            places = {one.id: place for place, one in enumerate(await handle.append(*talk.messages))}
            now[0] = max((one.time_s or 0.0 for one in talk.messages), default=0.0)
            answers: list[set[int]] = []
            for asked in talk.questions:
                begin = time.perf_counter()
                got = await handle.search(asked.text, limit=AT, budget_tokens=ROOMY_TOKENS)
                times.append(time.perf_counter() - begin)
                answers.append({places[one.id] for one in got.passages if one.id in places})
            found.append(answers)
    return found, times


def add(found: Found, way: str, talk: Talk, answers: Sequence[set[int]]) -> None:
    """Note (recall, any) of each question under its source, and under its kind."""
    for asked, hits in zip(talk.questions, answers, strict=True):
        held = len(asked.evidence & hits)
        for kind in ("all", asked.kind):
            found[way, talk.source, kind].append((held / len(asked.evidence), float(held > 0)))


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
            "recall": round(100 * sum(recall for recall, _ in values) / len(values), 1),
            "any": round(100 * sum(hit for _, hit in values) / len(values), 1),
        }
        for (way, source, kind), values in found.items()
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", type=Path)
    parser.add_argument("--latency", type=int, metavar="MESSAGES")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    given = talks(options.data)
    found: Found = defaultdict(list)
    for way, settings in WAYS.items():
        for talk in given:
            add(found, way, talk, baseline(talk, *settings))
    answers, times = asyncio.run(searched(given))
    for talk, one in zip(given, answers, strict=True):
        add(found, "search", talk, one)
    rows = rows_of(found)
    took = {
        f"{name}_ms": round(percentile_ms(times, share), 2)
        for name, share in (("p50", 0.5), ("p95", 0.95))
        if times
    }
    long = asyncio.run(latency(options.latency)) if options.latency else {}
    files = sorted(
        one for path in options.data for one in (path.rglob("*.json") if path.is_dir() else [path])
    )
    data = hashlib.sha256(b"".join(one.read_bytes() for one in files)).hexdigest()[:16]
    if options.json:
        machine = {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "machine": platform.machine(),
        }
        settings = {"at": AT, "latency_messages": options.latency}
        record = {
            "rows": rows,
            "took": took,
            "latency": long,
            "data": data,
            "settings": settings,
            "machine": machine,
        }
        print(json.dumps(record))
        return
    print(f"data {data}; a question takes {took}")
    for row in rows:
        share = f"{row['recall']:6} {row['any']:6}"
        print(f"{row['source']:8} {row['way']:40} {row['kind']:14} {row['questions']:5} {share}")
    for name, value in long.items():
        print(f"{options.latency:,} messages: {name} {value}")


if __name__ == "__main__":
    main()
