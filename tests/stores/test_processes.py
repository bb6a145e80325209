"""Several processes and one file: nothing acknowledged is lost to a kill, and nothing is mixed up."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.errors import StaleCommit
from palimpsest.record.log import Stored
from palimpsest.stores.sqlite import SqliteStore
from tests.contract.kit import (
    ANN,
    TALK,
    append,
    chained,
    commit,
    history,
    numbered,
    say,
    shape,
    summarized,
    window_of,
)
from tests.effort import size
from tests.house.tree import ROOT

ROUNDS = size(5, 40)


def start(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    """A process that writes."""
    command = [sys.executable, "-m", "tests.stores.writer", str(path), name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


async def stored_in(path: Path) -> list[Stored]:
    """The history in a file, after SQLite itself found the file sound."""
    store = await SqliteStore.open(path)
    found = await history(store)
    await window_of(store)
    await store.close()
    check = sqlite3.connect(path)
    assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    check.execute("INSERT INTO message_index (message_index) VALUES ('integrity-check')")
    check.close()
    return found


def acknowledged(writer: subprocess.Popen[str], lines: int) -> list[str]:
    """The ids that a process named until it was killed, some time after so many lines."""
    assert writer.stdout is not None
    seen = [writer.stdout.readline() for _ in range(lines)]
    writer.kill()
    rest = writer.stdout.read()  # `communicate` would pass over what `readline` has read ahead
    writer.communicate(timeout=60)
    whole = "".join(seen) + rest
    return whole[: whole.rfind("\n") + 1].split()


@pytest.mark.slow
@pytest.mark.sampled
async def test_no_acknowledged_message_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    promised: list[str] = []
    for number in range(ROUNDS):
        writer = await asyncio.to_thread(start, path, f"writer{number}", 100_000)
        promised += await asyncio.to_thread(acknowledged, writer, 1 + number % 4)
    kept = await stored_in(path)
    assert len(promised) >= 2 * ROUNDS
    assert set(promised) <= {one.id for one in kept}
    assert chained(kept)
    texts = [one.message.text for one in kept]
    assert [text.replace("asks", "answers") for text in texts[::2]] == texts[1::2]


async def test_what_is_acknowledged_stays_where_a_file_is_open_twice_here_and_used_elsewhere(
    tmp_path: Path,
) -> None:
    path = tmp_path / "talks.db"
    mine = await SqliteStore.open(path)
    await append(mine, [say("mine")])
    again = await SqliteStore.open(path)
    await again.close()
    written, _ = await asyncio.to_thread(start(path, "theirs", 1).communicate, timeout=60)
    assert written.split() == ["m2", "m3"]
    await append(mine, [say("mine, once they were gone")])
    count = (
        "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM message'))"
    )
    seen = await asyncio.to_thread(subprocess.check_output, [sys.executable, "-c", count, path], text=True)
    await mine.close()
    assert seen == "(4,)\n"


@pytest.mark.slow
async def test_two_processes_that_start_together_share_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    writers = [start(path, name, 100) for name in ("left", "right")]
    ended = [await asyncio.to_thread(writer.communicate, timeout=60) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], ended
    kept = await stored_in(path)
    assert len(kept) == 400
    assert chained(kept)
    assert {one.id for one in kept} == {public_id for said, _ in ended for public_id in said.split()}
    for name in ("left", "right"):
        mine = [one.message.text for one in kept if one.message.text.startswith(f"{name} asks")]
        assert mine == [f"{name} asks {place}" for place in range(100)]


@pytest.mark.parametrize(
    "begin", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN; SELECT * FROM sqlite_master"]
)
async def test_a_new_file_that_another_has_just_begun_to_use_is_waited_for(
    tmp_path: Path, begin: str
) -> None:
    path = tmp_path / "talks.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA user_version = 0")
    for statement in begin.split("; "):
        other.execute(statement).fetchall()
    opening = asyncio.create_task(SqliteStore.open(path))
    await asyncio.sleep(0.1)
    other.execute("ROLLBACK")
    other.close()
    store = await opening
    await append(store, [say("a")])
    assert len(await history(store)) == 1
    await store.close()


async def test_all_who_open_a_new_file_at_once_succeed(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    stores = await asyncio.gather(*(SqliteStore.open(path) for _ in range(8)))
    for number, store in enumerate(stores):
        await append(store, [say(f"from {number}")])
    assert len(await history(stores[0])) == 8
    for store in stores:
        await store.close()


async def test_what_one_process_stores_another_sees_at_once(tmp_path: Path) -> None:
    here = await SqliteStore.open(tmp_path / "talks.db")
    there = await SqliteStore.open(tmp_path / "talks.db")
    assert await there.branch(ANN, TALK) is None
    await append(here, numbered(1, 6))
    assert await history(there) == await history(here)
    plan = summarized(await window_of(there), 1, 4)
    await append(here, numbered(7, 8))
    await commit(there, plan)
    assert shape(await window_of(here))[0] == ("summary", 1, 4, 10)
    with pytest.raises(StaleCommit):
        await commit(here, plan)
    assert await there.lease("job", "there", ttl_s=10, now_s=0)
    assert not await here.lease("job", "here", ttl_s=10, now_s=0)
    await here.close()
    await there.close()
