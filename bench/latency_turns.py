"""How long a turn waits: append one message and make the next request, in the long conversation of a filled database.

The floor is SQLite alone in the same run: one row of the same size and its entry in a word index, committed with the
same durability.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from latency_fill import BATCH, LONG, OWNER, messages_of, open_for
from latency_report import Times, row
from latency_texts import Writer

import palimpsest

MAX_CHARS = 4_000
BUILT_IN_SIZES = (12, 40, 80, 120, 200, 260, 340, 500, 700, 900, 1_400, 2_200, 3_600)
BULKS = 20
SYSTEM = "You are a careful engineer."

Rows = list[dict[str, object]]


def sizes_of(paths: Sequence[Path]) -> list[int]:
    """Lengths of the texts in transcripts, at most MAX_CHARS each; a built-in list without any."""
    found: list[int] = []
    for path in paths:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            message = entry.get("message") if isinstance(entry, dict) else None
            content = message.get("content") if isinstance(message, dict) else None
            blocks = content if isinstance(content, list) else [content]
            for block in blocks:
                text = block if isinstance(block, str) else json.dumps(block)
                if isinstance(text, str) and 0 < len(text) <= MAX_CHARS:
                    found.append(len(text))
    return found or list(BUILT_IN_SIZES)


def texts_of(sizes: Sequence[int], count: int, seed: int) -> Iterator[str]:
    """Texts of drawn sizes, no two alike, so that no cache of counts helps."""
    chance = random.Random(seed)
    writer = Writer(seed)
    for _ in range(count):
        size = chance.choice(sizes)
        text = writer.write()
        while len(text) < size:
            text += f"\n{writer.write()}"
        yield text[:size]


@contextmanager
def floor_commits(path: Path) -> Iterator[Callable[[str], None]]:
    """One durable commit of a row and its index entry, in SQLite alone, for each text that is given."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE message (id INTEGER PRIMARY KEY, body TEXT)")
    connection.execute(
        "CREATE VIRTUAL TABLE message_index USING fts5 (body, content = '', tokenize = 'porter')"
    )

    def commit(text: str) -> None:
        connection.execute("BEGIN IMMEDIATE")
        number = connection.execute("INSERT INTO message (body) VALUES (?)", (text,)).lastrowid
        connection.execute("INSERT INTO message_index (rowid, body) VALUES (?, ?)", (number, text))
        connection.execute("COMMIT")

    try:
        yield commit
    finally:
        connection.close()


def measure_floor(folder: Path, sizes: Sequence[int], turns: int) -> Times:
    """The floor by itself."""
    times = Times()
    with floor_commits(folder / "floor.db") as commit:
        for text in texts_of(sizes, turns, seed=3):
            with times.one():
                commit(text)
    return times


async def measure_turns(path: Path, sizes: Sequence[int], turns: int, floor: Times, *, hammer: bool) -> Rows:
    """Every append and request, in an engine that was just opened; see `timed_turns`."""
    async with open_for(path, OWNER) as engine:
        await engine.conversation(LONG).request(system=SYSTEM)
        named = await timed_turns(engine, texts_of(sizes, turns, seed=2), turns, hammer=hammer)
    return [row(name, times, floor) for name, times in named.items()]


async def timed_turns(
    engine: palimpsest.Engine, texts: Iterable[str], turns: int, *, hammer: bool
) -> dict[str, Times]:
    """Every append and request, and the same with the background of each turn inside the clock: the work that it left
    is waited for. `hammer` leaves the background no time of its own, and waits for all of it at the end.
    """
    append, request, both, whole, dicts = Times(), Times(), Times(), Times(), Times()
    talk = engine.conversation(LONG)
    for place, text in enumerate(texts):
        message = {"role": "assistant" if place % 2 else "user", "content": text}
        with whole.one():
            with both.one():
                with append.one():
                    await talk.append(message)
                with request.one():
                    made = await talk.request(system=SYSTEM)
            if place % 2:
                await talk.end_turn()
            if not hammer or place == turns - 1:
                await engine.idle()
        with dicts.one():
            made.openai()
    return {
        "append": append,
        "request": request,
        "append + request": both,
        "message, background included": whole,
        "as OpenAI dicts": dicts,
    }


async def measure_merging(path: Path, turns: int, floor: Times) -> Rows:
    """Appends one right after another behind a bulk of others, while the word index is merged."""
    bulk, after = Times(), Times()
    messages = messages_of(Writer(4), 1)
    async with open_for(path, OWNER) as engine:
        talk = engine.conversation("merging")
        for _ in range(BULKS):
            batch = [next(messages) for _ in range(BATCH)]
            with bulk.one():
                await talk.append(*batch)
        for _ in range(turns):
            message = next(messages)
            with after.one():
                await talk.append(message)
    return [
        row(f"append of {BATCH} at once", bulk, None),
        row("append behind these, while merging", after, floor),
    ]
