"""How surely exact strings are found: identifiers, paths and any part of them, over coding sessions.

    python bench/exact.py TRANSCRIPT... [--samples 1500] [--seed 1] [--json]

Files and folders are read as `bench/survival.py` reads them, all into one database. From the messages are drawn names
(runs of letters, digits and underscores that are no plain words), paths, and from both a random part of six characters
or more. Each is looked for as it stands with `grep`, over everything. It counts as found if the message it was drawn
from is among all hits, "top 10" is said of those that at most ten messages hold. The index is measured beside a plain
word index (FTS5, unicode61, contentless) of the same texts in the same run, and so is the time that indexing takes.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import platform
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from latency_report import percentile_ms  # noqa: E402
from survival_data import sessions  # noqa: E402

from palimpsest.engine.engine import Engine  # noqa: E402
from palimpsest.engine.opening import open_engine  # noqa: E402
from palimpsest.ports import Counted  # noqa: E402
from palimpsest.record.message import Message, searchable_text  # noqa: E402
from palimpsest.search.word_folding import spaced  # noqa: E402
from palimpsest.stores.index_terms import index_scope  # noqa: E402
from palimpsest.stores.sqlite.connection import connect  # noqa: E402
from palimpsest.stores.sqlite.fulltext.vocabulary import learn  # noqa: E402
from palimpsest.stores.sqlite.statements import Db  # noqa: E402

OWNER = "bench"
LIMIT = 1_000
RARE = 10
LEAST_CHARS = 6
BATCH = 500
_NAMES = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]{5,60}\b")
_TELLING = re.compile(r"[a-z][A-Z]|_[A-Za-z0-9]|[A-Za-z][0-9]|[0-9][A-Za-z]")
_PATHS = re.compile(r"(?:[\w.-]+/){1,8}[\w-]+\.[A-Za-z]{1,5}\b")
_INDEX_TABLES = ("message_index", "summary_index", "word", "sqlite_autoindex_word")


@dataclass(slots=True)
class Kind:
    """What was asked of one kind of string."""

    asked: int = 0
    found: int = 0
    rare: int = 0
    in_top: int = 0
    times: list[float] = field(default_factory=list[float])

    def row(self, name: str) -> dict[str, object]:
        """The table's row."""
        return {
            "what": name,
            "asked": self.asked,
            "found_percent": round(100 * self.found / max(1, self.asked), 2),
            "rare": self.rare,
            "top_10_percent": round(100 * self.in_top / max(1, self.rare), 2),
            "p50_ms": round(percentile_ms(self.times, 0.5), 2),
            "p95_ms": round(percentile_ms(self.times, 0.95), 2),
            "max_ms": round(percentile_ms(self.times, 1.0), 2),
        }


def strings_of(text: str) -> list[tuple[str, str]]:
    """(kind, string) of the names and the paths in a text."""
    names = {one for one in _NAMES.findall(text) if _TELLING.search(one)}
    paths = {one for one in _PATHS.findall(text) if len(one) <= 200}
    return sorted([("identifier", one) for one in names] + [("path", one) for one in paths])


def part_of(text: str, chance: random.Random) -> str:
    """A random part of a string, of six characters or more, that begins and ends with a letter or digit."""
    for _ in range(20):
        size = chance.randint(LEAST_CHARS, max(LEAST_CHARS, len(text) - 1))
        start = chance.randint(0, max(0, len(text) - size))
        part = text[start : start + size]
        if len(part) >= LEAST_CHARS and part[0].isalnum() and part[-1].isalnum():
            return part
    return text


def draw(texts: Sequence[str], samples: int, seed: int) -> list[tuple[str, str, int]]:
    """(kind, string, the place of the text it was drawn from): half as many of each kind as samples."""
    chance = random.Random(seed)
    found: dict[str, list[tuple[str, int]]] = {"identifier": [], "path": []}
    for place, text in enumerate(texts):
        for kind, one in strings_of(text):
            found[kind].append((one, place))
    drawn: list[tuple[str, str, int]] = []
    for kind, known in found.items():
        for one, place in chance.sample(known, min(samples, len(known))):
            drawn += [(kind, one, place), (f"part of {kind}", part_of(one, chance), place)]
    return drawn


async def ask(
    engine: Engine, drawn: Sequence[tuple[str, str, int]], ids: Sequence[str], texts: Sequence[str]
) -> dict[str, Kind]:
    """What `grep` gave for each string."""
    folded = [f" {spaced(text)} " for text in texts]
    kinds: dict[str, Kind] = {}
    for kind, one, place in drawn:
        begin = time.perf_counter()
        got = await engine.grep(one)
        took = time.perf_counter() - begin
        noted = kinds.setdefault(kind, Kind())
        noted.asked += 1
        noted.times.append(took)
        hits = [hit.id for hit in got.hits]
        if got.total <= RARE or sum(spaced(one) in text for text in folded) <= RARE:
            noted.rare += 1
            noted.in_top += ids[place] in hits[:RARE]
        if ids[place] not in hits and (got.total > len(hits) or not got.complete):
            hits = [hit.id for hit in (await engine.grep(one, limit=LIMIT)).hits]
        noted.found += ids[place] in hits or got.total > LIMIT
    return kinds


def sizes(path: Path, texts: Sequence[str], folder: Path) -> dict[str, float]:
    """Bytes of the indexes, and of a plain word index of the same texts; milliseconds that indexing a message takes."""
    plain = sqlite3.connect(folder / "plain.db")
    plain.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content = '', tokenize = 'unicode61')")
    begin = time.perf_counter()
    plain.executemany("INSERT INTO words (rowid, body) VALUES (?, ?)", enumerate(texts, 1))
    plain.commit()
    plain_s = time.perf_counter() - begin
    plain.execute("INSERT INTO words (words) VALUES ('optimize')")
    plain.commit()
    plain_bytes = plain.execute("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'words%'").fetchone()[0]
    plain.close()
    own = sqlite3.connect(path)
    for index in ("message_index", "word_index"):
        own.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    own.commit()
    known = own.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
    own_bytes = sum(size for name, size in known if str(name).startswith(_INDEX_TABLES))
    own.close()
    db = Db(connect(str(folder / "own.db"), 1.0))
    begin = time.perf_counter()
    db.connection.execute("BEGIN")
    for number, text in enumerate(texts, 1):
        words = spaced(text)
        db.run("index_message", number, index_scope(1, 1, Message("user", time_s=float(number))), words)
        learn(db, words)
    db.connection.execute("COMMIT")
    own_s = time.perf_counter() - begin
    db.connection.close()
    count = max(1, len(texts))
    return {
        "plain_index_bytes": plain_bytes,
        "index_bytes": own_bytes,
        "index_to_plain": round(own_bytes / plain_bytes, 2),
        "plain_insert_ms": round(plain_s * 1_000 / count, 3),
        "insert_ms": round(own_s * 1_000 / count, 3),
    }


async def measure(
    messages: Sequence[Message], samples: int, seed: int
) -> tuple[list[dict[str, object]], dict[str, float]]:
    """The rows of the table, and sizes."""
    texts = [searchable_text(one) for one in messages]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "exact.db"
        async with open_engine(path, owner=OWNER) as engine:
            ids: list[str] = []
            for start in range(0, len(messages), BATCH):
                given = [Counted(one, 1) for one in messages[start : start + BATCH]]
                ids += [one.id for one in (await engine.store.append(OWNER, "all", given, now_s=0.0)).stored]
            kinds = await ask(engine, draw(texts, samples, seed), ids, texts)
        return [kind.row(name) for name, kind in sorted(kinds.items())], sizes(path, texts, Path(name))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("transcripts", nargs="+", type=Path)
    parser.add_argument("--samples", type=int, default=1_500, help="so many identifiers, and so many paths")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    messages = [one for session in sessions(options.transcripts) for one in session.messages]
    rows, sized = asyncio.run(measure(messages, options.samples, options.seed))
    data = hashlib.sha256("\n".join(searchable_text(one) for one in messages).encode("utf-8", "replace"))
    record = {
        "rows": rows,
        "sizes": sized,
        "messages": len(messages),
        "data": data.hexdigest()[:16],
        "settings": {"samples": options.samples, "seed": options.seed},
        "machine": {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "machine": platform.machine(),
        },
    }
    if options.json:
        print(json.dumps(record))
        return
    print(f"{len(messages):,} messages, data {record['data']}")
    print(
        f"{'':20} {'asked':>6} {'found %':>8} {'rare':>6} {'top 10 %':>9} {'p50 ms':>7} {'p95 ms':>7} {'max ms':>7}"
    )
    for row in rows:
        print(
            f"{row['what']:20} {row['asked']:6} {row['found_percent']:8} {row['rare']:6} {row['top_10_percent']:9} "
            f"{row['p50_ms']:7} {row['p95_ms']:7} {row['max_ms']:7}"
        )
    for name, value in sized.items():
        print(f"{name:20} {value:,}")


if __name__ == "__main__":
    main()
