"""Rows read off the pages of a file that SQLite cannot read any more; and the sums by which they are known."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.engine.conversation_state import ConversationState
from palimpsest.errors import StoreError, UsageError
from palimpsest.record.message import Message, Text
from palimpsest.record.spending import Account, Payment
from palimpsest.stores import checksums
from palimpsest.stores.sqlite import SqliteStore, migrations
from palimpsest.stores.sqlite.deletion.digest_key import key_file
from palimpsest.stores.sqlite.maintenance.salvage import Pages, salvage
from tests.contract.kit import ANN, NOW_S, TALK, append, history, say, texts
from tests.effort import examples
from tests.stores.damage import filled, raw


def test_the_sums_are_taken_over_the_columns_that_the_schema_says() -> None:
    (script,) = [text for number, text in migrations.migrations() if number == 1]
    tables = re.findall(r"CREATE TABLE (\w+) \((.*?)\n\) STRICT", script, re.DOTALL)
    found = {
        name: tuple(re.split(r",\s*", said[1]))
        for name, body in tables
        if (said := re.search(r"AS \(crc\((.*?)\)\) STORED", body, re.DOTALL)) is not None
    }
    assert found == dict(checksums.SUMMED)


async def test_every_row_of_a_whole_file_is_found(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    found = salvage(path, tmp_path / "new.db")
    assert (found["message"], found["conversation"], found["branch"], found["owner"]) == (19, 3, 4, 2)
    assert (found["summary"], found["compaction"], found["pin"], found["append_key"]) == (3, 5, 1, 1)
    store = await SqliteStore.open(tmp_path / "new.db")
    await store.keeper.repair(tmp_path / "kept.db", now_s=NOW_S)
    assert (await store.keeper.check(None)).faults == ()
    said = await history(store)
    await store.close()
    other = await SqliteStore.open(path)
    assert said == await history(other)
    await other.close()


async def test_a_file_without_its_beginning_gives_up_every_message(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    path.write_bytes(bytes(4_096) + path.read_bytes()[4_096:])
    with pytest.raises(StoreError):
        await SqliteStore.open(path)
    assert salvage(path, tmp_path / "new.db")["message"] == 19
    store = await SqliteStore.open(tmp_path / "new.db")
    assert len(await texts(store)) == 10
    await store.close()


async def test_a_row_that_runs_over_many_pages_is_read_whole(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    long = "缓存 and so on, " * 9_000
    await append(store, [Message("user", (Text(long),), time_s=5.0)])
    await store.close()
    salvage(tmp_path / "talks.db", tmp_path / "new.db")
    other = await SqliteStore.open(tmp_path / "new.db")
    assert await texts(other) == [long]
    await other.close()


async def test_what_is_still_in_the_log_is_read_too(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await append(store, [Message("user", (Text("only in the log"),))])
    for end in ("", "-wal"):
        shutil.copy(f"{tmp_path / 'talks.db'}{end}", f"{tmp_path / 'crashed.db'}{end}")
    await store.close()
    assert salvage(tmp_path / "crashed.db", tmp_path / "new.db")["message"] == 1


async def test_what_is_not_as_it_was_written_is_not_taken(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    path.write_bytes(path.read_bytes().replace(b"message number2", b"message number8"))
    assert salvage(path, tmp_path / "new.db")["message"] == 17


async def test_what_was_forgotten_stays_forgotten_in_the_new_file(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    said = [Message("user", (Text(f"word{number}"),)) for number in range(4)]
    async with palimpsest.open(path, owner=ANN) as engine:
        await engine.conversation("gone").append({"role": "user", "content": "farewell"})
        await engine.conversation(TALK).sync(said)
        await engine.forget(TALK, "m3")
        await engine.forget("gone")
    found = salvage(path, tmp_path / "new.db")
    assert (found["tombstone"], found["forgotten"]) == (1, 1)
    assert key_file(str(tmp_path / "new.db")).read_bytes() == key_file(str(path)).read_bytes()
    async with palimpsest.open(tmp_path / "new.db", owner=ANN) as engine:
        await engine.repair(tmp_path / "kept.db")
        done = await engine.conversation(TALK).sync([*said, Message("user", (Text("more"),))])
        assert (done.added, done.forked) == (1, False)
        assert not (await engine.grep("word1")).total
        assert await engine.store.forgetting.was_forgotten(ANN, "gone")
        assert (await engine.verify(everyone=True)).faults == ()


async def test_what_was_learnt_and_what_was_paid_come_along_and_a_ledger_is_made_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "talks.db"
    body = json.dumps({"failed_s": 5.0, "secrets": ["m1"]})
    store = await SqliteStore.open(path)
    await append(store, [say("look into /srv/harbour/tide.log please")])
    branch = await store.branch(ANN, TALK)
    assert branch is not None
    await store.save_memo(ANN, TALK, body)
    await store.save_account(ANN, TALK, Payment(branch.id, Account(model="some-model")))
    await store.save_ledger(ANN, TALK, branch.id, json.dumps({"seq": 1}), branch.version)
    await store.close()
    found = salvage(path, tmp_path / "new.db")
    assert (found["memo"], found["account"], found["ledger"]) == (1, 1, 0)
    other = await SqliteStore.open(tmp_path / "new.db")
    account = await other.account(ANN, TALK, branch.id)
    assert account is not None
    assert (await other.memo(ANN, TALK), account.model) == (body, "some-model")
    await other.close()
    async with palimpsest.open(tmp_path / "new.db", owner=ANN) as engine:
        desk = ConversationState(engine.store, ANN, TALK, engine.settings, lambda: NOW_S)
        now, _ = await desk.load()
        assert now is not None
        await desk.ledger_state.read_new(now)
        assert "tide.log" in str(desk.ledger_state.ledger)


async def test_messages_whose_owner_and_conversation_are_lost_stand_under_names_that_say_so(
    tmp_path: Path,
) -> None:
    path = await filled(tmp_path / "talks.db")
    with raw(path) as connection:
        connection.executescript("DELETE FROM owner; DELETE FROM conversation; DELETE FROM branch")
    assert salvage(path, tmp_path / "new.db")["message"] == 19
    store = await SqliteStore.open(tmp_path / "new.db")
    rows = await store.conversations("recovered-1")
    await store.close()
    assert {row.name for row in rows} == {"recovered-1", "recovered-2"}
    assert all(row.messages for row in rows)


async def test_nothing_is_replaced_and_no_file_is_no_database(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    with pytest.raises(UsageError, match="exists already"):
        salvage(path, path)
    with pytest.raises(StoreError, match="cannot be read"):
        salvage(tmp_path / "nowhere.db", tmp_path / "new.db")


@examples(60)
@given(data=st.binary(max_size=9_000), size=st.sampled_from((512, 4_096, 65_536)))
def test_whatever_bytes_a_file_holds_reading_its_pages_ends(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.db"
    header = b"SQLite format 3\0" + (1 if size == 65_536 else size).to_bytes(2, "big") + bytes(82)
    for kind in (b"\x0d", b"\x0a", b"\x02", b""):
        path.write_bytes(header + kind + data)
        assert len(list(Pages(path).records())) <= len(data) + 1
