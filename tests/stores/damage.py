"""A database with something of everything in it, and ways to look into it and to damage it, shared by its tests."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from palimpsest.budget.calibration import KINDS, Calibration
from palimpsest.ports import ReportedUsage
from palimpsest.record.health_report import Health
from palimpsest.record.message import Message, Text, ToolCall, ToolResult, Usage
from palimpsest.record.pin import Pin, Quote
from palimpsest.record.spending import Account, Payment, Spent
from palimpsest.search.query_grammar import parse
from palimpsest.stores import checksums
from palimpsest.stores.sqlite import SqliteStore
from tests.contract.kit import (
    ANN,
    NOW_S,
    TALK,
    append,
    commit,
    compact,
    counted,
    history,
    numbered,
    omitted,
    stubbed,
    sync,
    window_of,
)

OTHER = "other"
WORDS = ("number3", "number12", "short", "list_files", "缓存", "longer")


async def fill(store: SqliteStore) -> None:
    """Two conversations of one owner and one of another: a fork, summaries over summaries, a stub, a dropped range,
    tools, a pin, usage, an account, calls that were paid for, a ledger, what was learnt, a key, noted work, a
    vector.
    """
    said = [replace(one, time_s=NOW_S + place) for place, one in enumerate(numbered(1, 12))]
    await store.append(ANN, TALK, counted(said), key="first", system="Be brief.", now_s=NOW_S)
    for first in (1, 4):
        await compact(store, first, first + 2, text=f"short {first}")
    await compact(store, 1, 6, text="shorter", tokens=5)
    await commit(store, stubbed(await window_of(store), 8))
    await commit(store, omitted(await window_of(store), 9, 10))
    edited = [one.message for one in await history(store)][:9]
    await sync(store, [*edited, Message("user", (Text("edited, and longer"),))])
    call = Message(
        "assistant", (Text("看看缓存"), ToolCall("c1", "list_files", '{"path": "src"}')), name="bot"
    )
    result = Message("tool", (ToolResult("c1", (Text("a.py\nb.py"),)),))
    await append(store, [Message("user", (Text("Which files?"),)), call, result], talk=OTHER)
    await append(store, numbered(1, 3), owner="bob")
    await _beside(store)


async def _beside(store: SqliteStore) -> None:
    branch = await store.branch(ANN, TALK)
    assert branch is not None
    learnt = Calibration(tuple(1.0 for _ in KINDS[:-1]), tuple(2.0 for _ in KINDS[:-1]))
    reported = ReportedUsage(Usage(10, 5, 2, 1), 11, "mark-of-usage", branch.head.seq, "m")
    await store.record_usage(ANN, TALK, branch.id, reported, learnt)
    spent = Spent("reply", "m", NOW_S, 10, 2, 1, 5, 0.5, 0.75, 20.0, True, False)
    await store.save_account(ANN, TALK, Payment(branch.id, Account(model="m", calls=1), (spent,)))
    await store.save_ledger(ANN, TALK, branch.id, '{"kept": "somehow"}')
    await store.save_memo(ANN, TALK, '{"secrets": ["m2"]}')
    await store.pin(ANN, TALK, Pin("", (Quote("message number3", "m3", "user"),), "", 12, NOW_S))
    await store.enqueue(ANN, TALK, "leaf", now_s=NOW_S)
    done = await store.vectors.next(ANN, TALK, "e", 100)
    assert done is not None
    await store.vectors.save(ANN, "e", done, [(done.texts[0][0], b"\x00\x00\x80?")])


async def filled(path: Path) -> Path:
    """A closed file of it."""
    store = await SqliteStore.open(path)
    await fill(store)
    await store.close()
    return path


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, without anybody looking after it."""
    connection = sqlite3.connect(path, isolation_level=None)
    checksums.register_crc(connection)
    try:
        yield connection
    finally:
        connection.close()


def flip(path: Path, text: bytes, *, to: bytes) -> None:
    """Change bytes of the file where they stand, as a failing disk would."""
    content = path.read_bytes()
    assert len(text) == len(to)
    assert content.count(text) >= 1
    path.write_bytes(content.replace(text, to))


async def examined(path: Path, *, owner: str | None = None) -> Health:
    """What an examination of the file finds."""
    store = await SqliteStore.open(path)
    try:
        return await store.keeper.check(owner)
    finally:
        await store.close()


async def seen(store: SqliteStore, owner: str = ANN) -> list[object]:
    """Everything that can be seen of an owner's data."""
    found: list[object] = [
        await store.pending(owner),
        await store.spending(owner),
        await store.calibration(owner, "m"),
    ]
    for row in await store.conversations(owner):
        loaded = await store.load_window(owner, row.name)
        found += [
            row,
            loaded,
            await store.messages(owner, row.name, 1, 1_000),
            await store.pins(owner, row.name),
        ]
        found += [await store.compactions(owner, row.name), await store.memo(owner, row.name)]
        found.append(await store.spent(owner, row.name))
        if loaded is not None:
            number = loaded.branch.id
            found += [
                await store.last_usage(owner, row.name, number),
                await store.account(owner, row.name, number),
            ]
            found.append(await store.ledger(owner, row.name, number))
    for word in WORDS:
        answer = await store.search(owner, None, parse(word))
        found.append((answer.total, sorted(hit.id for hit in answer.hits), [hit.rank for hit in answer.hits]))
    found.append(await store.vectors.nearest(owner, None, "e", b"\x00\x00\x80?", 5))
    return found
