"""Indexes that other rules made: they are made anew in steps, whatever happens meanwhile, and forgetting is complete
at every moment of it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import NotFound
from palimpsest.record.message import Message, Text, ToolCall, ToolResult, searchable_text
from palimpsest.record.pin import Pin, Quote
from palimpsest.search.query_grammar import parse
from palimpsest.search.word_folding import index_stem
from palimpsest.stores.index_terms import TOKENIZER, hours_between, index_scope, indexed
from palimpsest.stores.sqlite import SqliteStore, message_log
from palimpsest.stores.sqlite import history_sync as store_sync
from palimpsest.stores.sqlite.connection import WRITE, connect, transaction
from palimpsest.stores.sqlite.deletion import row_deletion
from palimpsest.stores.sqlite.deletion import row_deletion as messages
from palimpsest.stores.sqlite.deletion.purge import sweep
from palimpsest.stores.sqlite.fulltext.index import (
    RULES,
    SOON_MADE,
    index_waiting,
    rebuild_step,
    start_rebuild,
)
from palimpsest.stores.sqlite.statements import Db
from tests.contract.kit import ANN, NOW_S, TALK, append, compact, counted, say, sync
from tests.effort import examples
from tests.stores.damage import OTHER
from tests.stores.remnants import remnants

T = TypeVar("T")
SECRET = "quetzalcoatlword"
BACKWARDS = "drowltaoclazteuq"
OLD, NEWER = 0, RULES + 1

HARD = (
    "Größe und GROSSE, Łódź, IĞDIR, Þórr, œuvre, naïve café",
    "看看缓存 ｶﾞ ㍿ 한글 ภาษาไทย 👩‍🚀 ☃ e\u0301 \u200bzero",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 plain",
    "src/app_main.py:42 fooBarBaz HTTP_2 a-b_c 3.14159 0x1F v1.2.3",
    "mañana\ud83d half \udc00 pair \x00 nul \u00ad soft",
    "מילים עִם ניקוד وَكَلِمَات مُشَكَّلَة ελληνικά Ά",
    "x" * 600 + " running runs ran argued arguing skies dies sses ies",
    r"C:\temp\new.txt caf\u00e9 \n tab\t",
)
"""Texts of the kinds that the rules treat apart."""


def hard_messages() -> list[Message]:
    """The same as what is said, called with and returned."""
    said = [Message("user", (Text(text),), time_s=NOW_S) for text in HARD]
    called, returned = list[Message](), list[Message]()
    for place, text in enumerate(HARD):
        called.append(Message("assistant", (ToolCall("c", "run", json.dumps({"at": place, "text": text})),)))
        result = (Text(json.dumps({"out": text, "at": [1]})), Text(text))
        returned.append(Message("tool", (ToolResult("c", result),)))
    return said + called + returned


def test_the_number_of_the_rules_grows_whenever_they_give_a_text_other_words() -> None:
    """Where this fails the rules are others: give `RULES` the next number, and both stand here."""
    given = [TOKENIZER, *hours_between(3, 40_000)]
    for message in hard_messages():
        words = indexed(searchable_text(message))
        given += [index_scope(7, 3, message), words, *map(index_stem, words.split())]
    digest = hashlib.sha256("\n".join(given).encode()).hexdigest()[:16]
    assert (RULES, digest) == (1, "ed007467bec7b2dd")


def outdated(path: Path, rules: int = OLD) -> None:
    """Give a file indexes of other rules, by which every word is written backwards."""
    with closing(connect(str(path), 1.0)) as connection:
        db = Db(connection)
        rows = [*db.run("messages_after", 0), *db.run("summaries_after", 0)]
        transaction("", db, WRITE, start_rebuild)
        for row in rows:
            kind = "message" if "role" in row.keys() else "summary"  # noqa: SIM118  (a row has no `in`)
            words = " ".join(word[::-1] for word in indexed(str(row["body"])).split())
            connection.execute(
                f"INSERT INTO {kind}_index (rowid, scope, body) VALUES (?, '', ?)", (row["id"], words)
            )
            for word in set(words.split()):
                connection.execute("INSERT OR IGNORE INTO word (word) VALUES (?)", (word,))
        connection.execute(
            "UPDATE indexing SET rules = ?, messages_left = 0, summaries_done = 1000000", (rules,)
        )
        connection.execute("INSERT OR IGNORE INTO unindexed SELECT max(id) FROM message")


def write(path: Path, work: Callable[[Db], T]) -> T:
    """One transaction of a process that then is killed: nothing that is done behind the writes is."""
    with closing(connect(str(path), 5.0)) as connection:
        return transaction("", Db(connection), WRITE, work)


def step(path: Path, most: int) -> int:
    """One step of making indexes anew."""
    return write(path, lambda db: rebuild_step(db, most))


async def finished(path: Path) -> SqliteStore:
    """The file opened, with nothing left to take in."""
    store = await SqliteStore.open(path)
    await store.keeper.index_all()
    return store


async def talked(path: Path) -> Path:
    """A closed file with a secret in the midst of other things, in messages and in a summary."""
    store = await SqliteStore.open(path)
    for place in range(12):
        said = [say(f"{SECRET} stands at {place}"), say("I see", "assistant")] if place % 3 == 0 else []
        await append(store, [*said, say(f"a heron {place}")])
    for first in (1, 5):
        await compact(store, first, first + 3, text=f"the {SECRET} and a heron {first}")
    await append(store, [say("an egret"), say("another egret")], talk=OTHER)
    await sync(store, [say("a"), say("it grows", "assistant", growing=True, origin="g1")], talk="grown")
    await store.close()
    return path


def secrets(db: Db) -> list[str]:
    """The messages that hold the secret."""
    return [f"m{row['id']}" for row in db.run("messages_after", 0) if SECRET in row["body"]]


def drop_other(db: Db) -> None:
    """Forget the other conversation, if it is still there."""
    with suppress(NotFound):
        row_deletion.forget_conversation(db, ANN, OTHER)


GROWN = counted([say("a"), say("it grows on", "assistant", origin="g1")])
DONE: dict[str, Callable[[Db], object]] = {
    "step1": lambda db: rebuild_step(db, 1),
    "step4": lambda db: rebuild_step(db, 4),
    "step9": lambda db: rebuild_step(db, 9),
    "catch up": index_waiting,
    "append": lambda db: message_log.append(
        db, ANN, TALK, counted([say("one more heron")]), None, None, NOW_S
    ),
    "import": lambda db: message_log.append(db, ANN, "in", counted([say("a heron")] * 20), None, None, NOW_S),
    "grow": lambda db: store_sync.sync(db, ANN, "grown", GROWN, rewind=True, switch=True, now_s=NOW_S),
    "forget": lambda db: messages.forget(db, ANN, TALK, secrets(db), {}),
    "drop": drop_other,
    "begin": start_rebuild,
}
"""What may happen to a file while its indexes are made anew."""


@examples(25)
@given(things=st.lists(st.sampled_from(sorted(DONE)), max_size=8))
def test_whatever_happens_between_two_steps_the_indexes_are_the_same_in_the_end(things: list[str]) -> None:
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = await talked(Path(folder) / "talks.db")
            outdated(path)
            for what in things:
                write(path, DONE[what])
            store = await finished(path)
            health = await store.keeper.check(None)
            assert (health.faults, health.to_index, health.indexed) == ((), 0, True)
            assert (await store.search(ANN, None, parse("heron"))).left_out == 0
            await store.close()

    asyncio.run(run())


@examples(15)
@given(
    steps=st.integers(0, 14),
    most=st.integers(1, 4),
    wholly=st.booleans(),
    rules=st.sampled_from([OLD, NEWER]),
)
def test_whatever_is_forgotten_meanwhile_leaves_nothing_behind(
    steps: int, most: int, wholly: bool, rules: int
) -> None:
    """Neither the words that the rules of today make of it, nor those that others made."""

    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = await talked(Path(folder) / "talks.db")
            outdated(path, rules)
            for _ in range(steps):
                step(path, most)
            if wholly:
                write(path, lambda db: row_deletion.forget_conversation(db, ANN, TALK))
            else:
                write(path, DONE["forget"])
            assert sweep(str(path)) == ()
            assert remnants(path, [SECRET, BACKWARDS]) == []
            store = await finished(path)
            assert (await store.keeper.check(None)).faults == ()
            await store.close()
            assert remnants(path, [SECRET, BACKWARDS]) == []

    asyncio.run(run())


async def test_pins_stay_where_a_message_that_is_still_to_be_taken_in_has_their_words_too(
    tmp_path: Path,
) -> None:
    """To forget single messages waits until all others are found."""
    path = tmp_path / "talks.db"
    store = await SqliteStore.open(path)
    await append(store, [say("quetzalword7 flies"), *[say("a heron")] * 300, say("so quetzalword7 is back")])
    await store.pin(ANN, TALK, Pin("", (Quote("remember quetzalword7 always"),), "", 9, NOW_S))
    await store.close()
    outdated(path)
    store = await SqliteStore.open(path)
    assert (await store.forgetting.reach(ANN, TALK, ["m302"])).pins == ()
    assert (await store.forgetting.forget(ANN, TALK, ["m302"], {})).pins == ()
    assert len(await store.pins(ANN, TALK)) == 1
    await store.close()


async def large(path: Path, messages: int = SOON_MADE + 600) -> Path:
    """A closed file with more messages than a search waits for, and indexes of earlier rules."""
    store = await SqliteStore.open(path)
    await append(store, [say(f"heron {place}") for place in range(messages)])
    await store.close()
    outdated(path)
    return path


async def test_a_search_meanwhile_answers_at_once_and_says_how_much_it_may_miss(tmp_path: Path) -> None:
    path = await large(tmp_path / "talks.db")
    store = await SqliteStore.open(path)
    found = await store.search(ANN, TALK, parse("heron"))
    assert 0 < found.left_out <= SOON_MADE + 601
    assert found.total + found.left_out >= SOON_MADE + 600
    assert (await store.recall(ANN, TALK, [["heron"]])).left_out > 0
    assert (await store.stats(ANN)).to_index > 0
    await store.keeper.index_all()
    assert ((found := await store.search(ANN, TALK, parse("heron"))).total, found.left_out) == (
        SOON_MADE + 600,
        0,
    )
    await store.close()


async def test_the_newest_messages_are_found_first(tmp_path: Path) -> None:
    path = await large(tmp_path / "talks.db")
    step(path, 10)
    with closing(connect(str(path), 1.0)) as connection:
        rows = [
            row[0]
            for row in connection.execute("SELECT rowid FROM message_index WHERE message_index MATCH 'heron'")
        ]
    assert rows == list(range(SOON_MADE + 591, SOON_MADE + 601))


async def test_it_goes_on_behind_whoever_has_the_file_open(tmp_path: Path) -> None:
    path = await large(tmp_path / "talks.db", 500)
    store = await SqliteStore.open(path)
    for _ in range(6_000):
        if not (await store.stats(ANN)).to_index:
            break
        await asyncio.sleep(0.01)
    assert (await store.stats(ANN)).to_index == 0
    assert (await store.keeper.check(None)).sound
    await store.close()


async def test_what_is_left_of_it_is_no_fault_and_a_repair_finishes_it(tmp_path: Path) -> None:
    path = await large(tmp_path / "talks.db")
    step(path, 10)
    store = await SqliteStore.open(path)
    done = await store.keeper.repair(tmp_path / "kept.db", now_s=NOW_S)
    assert done.before.sound
    assert done.before.to_index > 0
    assert (done.parts, done.backup, done.after.sound, done.after.to_index) == (
        ("search indexes",),
        "",
        True,
        0,
    )
    await store.close()


KILLED = """
import asyncio, sys
from palimpsest.stores.sqlite import SqliteStore, message_log
from palimpsest.stores.sqlite import history_sync as store_sync

async def main():
    store = await SqliteStore.open(sys.argv[1])
    print("open", flush=True)
    await store.keeper.index_all()

asyncio.run(main())
"""


def test_processes_that_work_at_it_together_and_are_killed_leave_it_whole(tmp_path: Path) -> None:
    path = asyncio.run(large(tmp_path / "talks.db", 1_200))
    for _ in range(3):
        workers = [
            subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE)
            for _ in range(2)
        ]
        for worker in workers:
            with worker:
                assert worker.stdout is not None
                assert worker.stdout.readline() == b"open\n"
                time.sleep(0.05)
                worker.send_signal(signal.SIGKILL)

    async def looked_at() -> tuple[object, ...]:
        store = await finished(path)
        health = await store.keeper.check(None)
        found = await store.search(ANN, TALK, parse("heron"))
        await store.close()
        return health.faults, health.to_index, found.total

    assert asyncio.run(looked_at()) == ((), 0, 1_200)


async def test_a_file_of_later_rules_is_read_and_what_is_added_waits_for_whoever_knows_them(
    tmp_path: Path,
) -> None:
    path = await talked(tmp_path / "talks.db")
    outdated(path, NEWER)
    store = await SqliteStore.open(path)
    await append(store, [say(f"late heron {place}") for place in range(20)])
    await compact(store, 9, 10, text="late heron")
    assert (await store.search(ANN, TALK, parse("heron"))).left_out > 20
    health = await store.keeper.check(None)
    assert (health.sound, health.indexed) == (True, False)
    await store.close()
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT rules FROM indexing").fetchone() == (NEWER,)
        assert raw.execute("SELECT count(*) FROM unindexed").fetchone() == (21,)


async def test_whoever_has_the_file_open_learns_its_words_again(tmp_path: Path) -> None:
    """A connection remembers which words are in the list; they are in it no more once the indexes were emptied."""
    path = tmp_path / "talks.db"
    store = await SqliteStore.open(path)
    await append(store, [say("a heron")] * 20)
    with closing(connect(str(path), 1.0)) as connection:
        transaction("", Db(connection), WRITE, start_rebuild)
    await store.keeper.index_all()
    assert (await store.keeper.check(None)).faults == ()
    assert (await store.search(ANN, TALK, parse("%ero%"))).total == 20
    await store.close()
