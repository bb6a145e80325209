"""Opening a database: what is refused, with what advice, and that nothing is written to what is not ours."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from palimpsest.errors import IntegrityError, StoreError, UsageError
from palimpsest.ports import Counted
from palimpsest.search.query_grammar import parse
from palimpsest.stores import checksums
from palimpsest.stores.sqlite import SqliteStore, migrations
from tests.contract.kit import (
    ANN,
    NOW_S,
    TALK,
    append,
    commit,
    compact,
    found,
    ids,
    numbered,
    say,
    summarized,
    texts,
    window_of,
)


async def filled(path: Path) -> None:
    """A database with one conversation."""
    store = await SqliteStore.open(path)
    await append(store, numbered(1, 6))
    await store.close()


async def refusal(path: Path) -> StoreError:
    """The error that opening a path ends with."""
    with pytest.raises(StoreError) as caught:
        await SqliteStore.open(path, busy_timeout_s=0.05)
    return caught.value


def kept(path: Path) -> dict[str, bytes]:
    """The bytes of every file in a folder."""
    return {one.name: one.read_bytes() for one in path.iterdir()}


async def test_what_was_stored_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    await filled(tmp_path / "talks.db")
    store = await SqliteStore.open(tmp_path / "talks.db")
    assert len(await ids(store)) == 6
    assert await found(store, "number3") == {"m3"}
    await store.close()


async def test_a_closed_database_is_one_file(tmp_path: Path) -> None:
    await filled(tmp_path / "talks.db")
    assert list(kept(tmp_path)) == ["talks.db"]


async def test_a_new_file_and_folder_are_for_their_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        store = await SqliteStore.open(tmp_path / "new" / "talks.db")
        await append(store, [say("private")])
    finally:
        os.umask(before)
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in (tmp_path / "new").iterdir()}
    await store.close()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert modes["talks.db"] == 0o600
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3


async def test_a_store_in_memory_leaves_no_file(tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        store = await SqliteStore.open(":memory:")
        await append(store, [say("gone soon")])
        await store.close()
    assert kept(tmp_path) == {}


@pytest.mark.parametrize(
    "content",
    [b"x", b"short", b"just text\n" * 400, b"SQLite format 3\0" + b"\xff" * 84, b"\0" * 4096],
    ids=["a byte", "short", "text", "header", "zeros"],
)
async def test_a_file_that_is_no_database_is_refused_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    error = await refusal(path)
    assert (error.kind, error.exit_code) == ("store", 5)
    assert "notes.txt" in error.message
    assert error.hint
    assert kept(tmp_path) == {"notes.txt": content}


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE bookmark (id INTEGER)",
        "PRAGMA user_version = 7",
        "PRAGMA application_id = 1234",
        "PRAGMA application_id = 1234; CREATE TABLE message (id INTEGER)",
    ],
)
async def test_a_database_of_another_program_is_refused_untouched(tmp_path: Path, script: str) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.executescript(script)
    other.close()
    before = kept(tmp_path)
    error = await refusal(path)
    assert "another program" in error.message
    assert error.hint
    assert kept(tmp_path) == before


async def test_a_database_of_a_newer_version_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    await filled(path)
    newer = sqlite3.connect(path)
    newer.execute(f"PRAGMA user_version = {migrations.version() + 1}")
    newer.close()
    before = kept(tmp_path)
    error = await refusal(path)
    assert f"version {migrations.version() + 1}" in error.message
    assert "newer version" in error.hint
    assert kept(tmp_path) == before


async def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    path.touch()
    await filled(path)
    assert path.stat().st_size > 0


async def test_a_copy_without_write_ahead_log_is_opened_and_gets_one(tmp_path: Path) -> None:
    await filled(tmp_path / "talks.db")
    source = sqlite3.connect(tmp_path / "talks.db")
    checksums.register_crc(source)
    source.execute("VACUUM INTO ?", (str(tmp_path / "copy.db"),))
    source.close()
    store = await SqliteStore.open(tmp_path / "copy.db")
    assert len(await ids(store)) == 6
    await store.close()
    copy = sqlite3.connect(tmp_path / "copy.db")
    assert copy.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    copy.close()


@pytest.mark.parametrize("place", ["folder", "file/talks.db"])
async def test_a_path_that_cannot_be_a_file_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    error = await refusal(tmp_path / place)
    assert "cannot be opened" in error.message
    assert error.hint


async def test_a_locked_database_is_reported_as_worth_another_try(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    await filled(path)
    store = await SqliteStore.open(path, busy_timeout_s=0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as caught:
        await append(store, [say("too late")])
    assert caught.value.retryable
    assert "locked" in caught.value.message
    assert caught.value.hint
    assert len(await texts(store)) == 6
    other.execute("ROLLBACK")
    other.close()
    await append(store, [say("in time")])
    assert (await texts(store))[-1] == "in time"
    await store.close()


async def test_a_database_that_nobody_may_even_read_now_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    await filled(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    other.execute("PRAGMA user_version = 1")
    error = await refusal(path)
    other.close()
    assert error.retryable
    assert "locked" in error.message


def closed(folder: Path) -> None:
    """Let nothing be made in a folder."""
    folder.chmod(0o500)


async def test_a_read_only_file_can_be_read_and_says_why_it_cannot_be_written(ordinary_folder: Path) -> None:
    path = ordinary_folder / "talks.db"
    await filled(path)
    path.chmod(0o400)
    store = await SqliteStore.open(path)
    assert len(await ids(store)) == 6
    assert await found(store, "number3") == {"m3"}
    with pytest.raises(StoreError) as caught:
        await append(store, [say("never")])
    assert "read-only" in caught.value.message
    assert caught.value.hint
    assert len(await ids(store)) == 6
    await store.close()


async def test_a_database_in_a_read_only_folder_can_be_read_and_says_why_it_cannot_be_written(
    ordinary_folder: Path,
) -> None:
    path = ordinary_folder / "talks.db"
    await filled(path)
    before = kept(ordinary_folder)
    closed(ordinary_folder)
    store = await SqliteStore.open(path)
    assert len(await ids(store)) == 6
    assert await found(store, "number3") == {"m3"}
    assert (await store.keeper.check(None)).sound
    with pytest.raises(StoreError, match="read-only") as caught:
        await append(store, [say("never")])
    assert caught.value.hint
    await store.close()
    assert kept(ordinary_folder) == before


@pytest.mark.parametrize("sealed", [True, False])
async def test_a_file_of_an_earlier_version_that_cannot_be_written_is_searched_by_the_indexes_it_has(
    ordinary_folder: Path, sealed: bool
) -> None:
    path = ordinary_folder / "talks.db"
    shutil.copy(Path(__file__).parent / "versions" / "1.sqlite", path)
    path.chmod(0o400)
    if sealed:
        closed(ordinary_folder)
    store = await SqliteStore.open(path)
    answer = await store.search(ANN, TALK, parse("number3"))
    assert answer.total == 1
    assert answer.left_out > 0
    health = await store.keeper.check(None)
    assert (health.faults, health.indexed, health.to_index > 0) == ((), False, True)
    await store.close()


async def test_what_cannot_be_written_can_be_copied_and_the_log_says_what_is_not_noted(
    ordinary_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = ordinary_folder / "talks.db"
    await filled(path)
    path.chmod(0o400)
    store = await SqliteStore.open(path)
    copy, out = ordinary_folder / "copy.db", ordinary_folder / "all.jsonl"
    assert await store.keeper.backup(copy, now_s=NOW_S) == copy.stat().st_size
    assert (await store.keeper.export(ANN, out, made_at="", now_s=NOW_S)).messages == 6
    await store.forgetting.note_copy(ANN, TALK, "export", "one.jsonl", now_s=NOW_S)
    with pytest.raises(StoreError, match="read-only"):
        await store.forgetting.note_copy(ANN, TALK, "session", "two.jsonl", now_s=NOW_S)
    await store.close()
    assert [one.getMessage().split(" ")[0] for one in caplog.records] == [str(copy), str(out), "one.jsonl"]


async def test_nothing_is_made_in_a_read_only_folder(ordinary_folder: Path) -> None:
    closed(ordinary_folder)
    errors = [await refusal(ordinary_folder / place) for place in ("new.db", "sub/new.db")]
    assert [error.kind for error in errors] == ["store"] * 2
    assert all(error.hint for error in errors)
    assert kept(ordinary_folder) == {}


async def test_a_log_that_cannot_be_read_is_never_left_out(ordinary_folder: Path) -> None:
    path = ordinary_folder / "talks.db"
    await filled(path)
    store = await SqliteStore.open(path)
    await append(store, [say("only in the log")])
    log = Path(f"{path}-wal")
    kept = await asyncio.to_thread(log.read_bytes)
    await store.close()
    await asyncio.to_thread(log.write_bytes, kept)
    closed(ordinary_folder)
    assert (await refusal(path)).kind == "store"


async def test_a_damaged_database_is_reported_as_damaged(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    await filled(path)
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xa5" * (len(content) - 100))
    error = await refusal(path)
    assert "damaged" in error.message
    assert "backup" in error.hint


async def test_damage_that_is_met_later_is_reported_and_the_store_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    await filled(path)
    raw = sqlite3.connect(path)
    (page,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = 'message'").fetchone()
    (size,) = raw.execute("PRAGMA page_size").fetchone()
    raw.close()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size : page * size] = b"\xa5" * size
    path.write_bytes(content)
    store = await SqliteStore.open(path)
    with pytest.raises(StoreError, match="damaged"):
        await ids(store)
    assert len(await store.conversations(ANN + "other")) == 0
    await store.close()


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM message WHERE seq = 5",
        "UPDATE item SET last_seq = 5",
        "UPDATE item SET kind = 'riddle'",
        "DELETE FROM summary_source; DELETE FROM summary",
        "UPDATE message SET body = '{' WHERE seq = 5",
    ],
)
async def test_records_that_contradict_each_other_are_never_shown_as_a_window(
    tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "talks.db"
    store = await SqliteStore.open(path)
    await append(store, numbered(1, 6))
    await compact(store, 1, 4)
    await store.close()
    raw = sqlite3.connect(path)
    checksums.register_crc(raw)
    raw.executescript(damage)
    raw.close()
    store = await SqliteStore.open(path)
    with pytest.raises(IntegrityError):
        await store.load_window(ANN, TALK)
    await store.close()


async def test_a_closed_store_says_so_and_closing_twice_does_nothing(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await store.close()
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await append(store, [say("late")])
    with pytest.raises(StoreError, match="closed"):
        await found(store, "late")


async def test_a_step_that_fails_in_the_middle_leaves_nothing_behind(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    entries = [Counted(say("good"), 1), Counted(say("bad", "assistant"), 2**70)]
    with pytest.raises(OverflowError):
        await store.append(ANN, TALK, entries, key="k", now_s=NOW_S)
    assert await store.conversations(ANN) == []
    await append(store, [say("good too")], owner="bob")
    await store.append(ANN, TALK, entries[:1], key="k", now_s=NOW_S)
    assert await ids(store) == ["m2"]
    everywhere = await store.search(ANN, None, parse("good"))
    assert (everywhere.total, [hit.id for hit in everywhere.hits]) == (1, ["m2"])
    assert await found(store, "bad", talk=None) == set()
    await store.close()


async def test_a_commit_that_fails_in_the_middle_leaves_the_window_as_it_was(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await append(store, numbered(1, 6))
    before = await window_of(store)
    made = summarized(before, 1, 4, text="crimson")
    object.__setattr__(made.compaction, "evidence_kept", 2**70)
    with pytest.raises(OverflowError):
        await commit(store, made)
    assert await window_of(store) == before
    assert await found(store, "crimson") == set()
    assert (await compact(store, 1, 4)).id == "s1"
    await store.close()


async def test_a_name_that_cannot_be_written_is_the_callers_mistake(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    for owner, talk, key in (("\ud800", TALK, None), (ANN, "\ud800", None), (ANN, TALK, "\ud800")):
        with pytest.raises(UsageError):
            await store.append(owner, talk, [Counted(say("a"), 1)], key=key, now_s=NOW_S)
    assert await store.conversations(ANN) == []
    await store.close()
