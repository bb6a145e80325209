"""Everything of an owner out of a database and into another: nothing is lost, and what is seen is the same."""

from __future__ import annotations

import asyncio
import hashlib
import json
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from palimpsest.errors import FormatError, StoreError, UsageError
from palimpsest.record.health_report import Exported, Restored
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.maintenance.restore import LOST
from tests.contract.kit import ANN, NOW_S, TALK, append, found, history, numbered, say, texts, window_of
from tests.contract.test_model import EVERYWHERE, Stores, see
from tests.effort import examples
from tests.stores.damage import OTHER, examined, fill, filled, flip, raw, seen

MADE_AT = "2027-01-15T08:00:00Z"


async def export(store: SqliteStore, path: Path, owner: str = ANN) -> Exported:
    """Write everything of an owner."""
    return await store.keeper.export(owner, path, made_at=MADE_AT, now_s=NOW_S)


async def moved(path: Path, out: Path, into: Path, *, owner: str = ANN, of: str = ANN) -> Restored:
    """Export one file's owner and import that into another file."""
    store = await SqliteStore.open(path)
    await export(store, out, of)
    await store.close()
    other = await SqliteStore.open(into)
    done = await other.keeper.restore(owner, out)
    await other.close()
    return done


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(one.name for one in folder.iterdir())


class Moved(Stores):
    """The stores' state machine; at its end everything is taken out and in again."""

    @invariant()
    def nothing(self) -> None:
        """Nothing on the way."""

    def teardown(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.runner.run(self.moves(Path(folder)))
        super().teardown()

    async def moves(self, folder: Path) -> None:
        """Compare everything that can be seen of both owners before and after."""
        assert isinstance(self.store, SqliteStore)
        other = await SqliteStore.open(folder / "other.db")
        for owner in ("ann", "bob"):
            await export(self.store, folder / owner, owner)
            await other.keeper.restore(owner, folder / owner)
        for owner, talk in EVERYWHERE:
            before, after = await see(self.store, owner, talk), await see(other, owner, talk)
            assert (before.loaded, before.messages) == (after.loaded, after.messages)
            assert [replace(one, item_id="") for one in before.compactions] == [
                replace(one, item_id="") for one in after.compactions
            ]
            assert sorted(map(str, before.others[2:3])) == sorted(map(str, after.others[2:3]))
        assert (await other.keeper.check(None)).faults == ()
        await other.close()


@pytest.mark.sampled
def test_whatever_was_stored_is_the_same_after_export_and_import() -> None:
    run_state_machine_as_test(Moved, settings=settings(parent=examples(20), stateful_step_count=20))


async def test_everything_that_can_be_seen_comes_through(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    done = await moved(path, tmp_path / "all.jsonl", tmp_path / "new.db")
    assert (done.conversations, done.messages, done.lost, done.moved) == (2, 16, 0, False)
    of_bob = await moved(path, tmp_path / "bobs.jsonl", tmp_path / "new.db", owner="bob", of="bob")
    assert (of_bob.conversations, of_bob.messages, of_bob.moved) == (1, 3, False)
    before, after = await SqliteStore.open(path), await SqliteStore.open(tmp_path / "new.db")
    assert [await seen(after, one) for one in (ANN, "bob")] == [
        await seen(before, one) for one in (ANN, "bob")
    ]
    repeated = await after.append(ANN, TALK, [], key="first", now_s=NOW_S)
    assert (repeated.repeated, len(repeated.stored)) == (True, 12)
    (new,) = await append(after, [say("next")])
    assert new.id == "m20"
    await before.close()
    await after.close()
    assert (await examined(tmp_path / "new.db")).sound


async def test_ids_that_were_given_are_never_given_again(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    store = await SqliteStore.open(path)
    await append(store, numbered(1, 3))
    await append(store, numbered(1, 5), owner="bob")
    await store.close()
    await moved(path, tmp_path / "all.jsonl", tmp_path / "new.db")
    other = await SqliteStore.open(tmp_path / "new.db")
    (new,) = await append(other, [say("next")])
    assert new.id == "m9"
    await other.close()


async def test_into_a_database_that_has_its_ids_all_are_moved_alike(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    done = await moved(path, tmp_path / "all.jsonl", path, owner="carl")
    assert (done.conversations, done.moved) == (2, True)
    store = await SqliteStore.open(path)
    mine, theirs = await window_of(store), await window_of(store, owner="carl")
    assert [(one.first, one.last, one.tokens) for one in theirs.items] == [
        (one.first, one.last, one.tokens) for one in mine.items
    ]
    assert {one.id for one in mine.items}.isdisjoint(one.id for one in theirs.items)
    assert await texts(store, owner="carl") == await texts(store)
    assert (await found(store, "number3", owner="carl")).isdisjoint(await found(store, "number3"))
    pin = (await store.pins("carl", TALK))[0]
    assert pin.quotes[0].id in {one.id for one in await history(store, owner="carl")}
    assert (await store.keeper.check(None)).sound
    await store.close()


async def test_importing_again_changes_nothing_and_another_history_is_left_as_it_is(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    out = tmp_path / "all.jsonl"
    await moved(path, out, tmp_path / "new.db")
    store = await SqliteStore.open(tmp_path / "new.db")
    before = await seen(store)
    again = await store.keeper.restore(ANN, out)
    assert (again.conversations, again.there, again.differing) == (0, (TALK, OTHER), ())
    assert await seen(store) == before
    await append(store, [say("more")], talk=OTHER)
    third = await store.keeper.restore(ANN, out)
    assert (third.there, third.differing) == ((TALK,), (OTHER,))
    assert (await texts(store, talk=OTHER))[-1] == "more"
    await store.close()


async def test_what_was_forgotten_comes_back_only_where_that_is_asked_for(tmp_path: Path) -> None:
    store = await SqliteStore.open(await filled(tmp_path / "talks.db"))
    out = tmp_path / "all.jsonl"
    await export(store, out)
    await store.forgetting.forget_conversation(ANN, TALK)
    refused = await store.keeper.restore(ANN, out)
    assert (refused.conversations, refused.there, refused.forgotten) == (0, (OTHER,), (TALK,))
    assert await store.branch(ANN, TALK) is None
    asked = await store.keeper.restore(ANN, out, again=True)
    assert (asked.conversations, asked.forgotten) == (1, ())
    assert await texts(store)
    assert not await store.forgetting.was_forgotten(ANN, TALK)
    assert (await store.keeper.check(None)).sound
    await store.close()


@pytest.mark.parametrize("cut", ["end", "middle", "changed", "garbage", "nothing", "version"])
async def test_a_file_that_is_not_whole_is_refused_with_nothing_taken_in(tmp_path: Path, cut: str) -> None:
    path = await filled(tmp_path / "talks.db")
    out = tmp_path / "all.jsonl"
    await moved(path, out, tmp_path / "new.db")
    data = out.read_bytes()
    lines = data.splitlines(keepends=True)
    spoilt = {
        "end": b"".join(lines[:-1]),
        "middle": data[: len(data) // 2],
        "changed": data.replace(b"number5", b"number6"),
        "garbage": lines[0] + b"[1]\n" + b"".join(lines[1:]),
        "nothing": b"",
        "version": data.replace(b'"version":1', b'"version":9', 1),
    }
    out.write_bytes(spoilt[cut])
    store = await SqliteStore.open(tmp_path / "third.db")
    with pytest.raises(FormatError) as caught:
        await store.keeper.restore(ANN, out)
    assert caught.value.hint
    assert await store.conversations(ANN) == []
    await store.close()


async def test_what_is_damaged_is_left_out_and_every_intact_message_comes_through(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    flip(path, b"message number5", to=b"message number\xff")
    store = await SqliteStore.open(path)
    done = await export(store, tmp_path / "all.jsonl")
    await store.close()
    assert (done.messages, done.damages, [one.id for one in done.damaged]) == (15, 1, ["m5"])
    new = await SqliteStore.open(tmp_path / "new.db")
    taken = await new.keeper.restore(ANN, tmp_path / "all.jsonl")
    said = await texts(new)
    health = await new.keeper.check(None)
    window = await window_of(new)
    await new.close()
    assert (taken.lost, said[4], said[3], said[-1]) == (1, LOST, "message number4", "edited, and longer")
    assert (health.faults, window.items[0].last) == ((), 1)


async def test_messages_whose_rows_are_gone_leave_their_places(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    with raw(path) as connection:
        connection.executescript("DELETE FROM message WHERE id IN (2, 3, 12, 13)")
    done = await moved(path, tmp_path / "all.jsonl", tmp_path / "new.db")
    store = await SqliteStore.open(tmp_path / "new.db")
    said = await texts(store)
    assert (await store.keeper.check(None)).faults == ()
    await store.close()
    assert done.lost == 4
    assert [said.index(LOST), said.count(LOST), len(said)] == [1, 3, 10]


async def test_an_export_is_written_whole_for_its_owner_only_or_not_at_all(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await fill(store)
    await export(store, tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").stat().st_mode & 0o777 == 0o600
    with pytest.raises(StoreError, match="cannot write"):
        await export(store, tmp_path / "nowhere" / "all.jsonl")
    await store.close()
    assert names(tmp_path) == ["all.jsonl", "talks.db"]


async def test_an_export_that_nobody_waits_for_any_more_ends_and_leaves_no_file(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await fill(store)
    begun, left = threading.Event(), threading.Event()

    def step(what: str, done: int, of: int) -> None:
        begun.set()
        left.wait(60)

    exporting = asyncio.create_task(
        store.keeper.export(ANN, tmp_path / "all.jsonl", made_at=MADE_AT, now_s=NOW_S, step=step)
    )
    await asyncio.to_thread(begun.wait, 60)
    exporting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await exporting
    left.set()
    await asyncio.get_running_loop().shutdown_default_executor()
    await store.close()
    assert names(tmp_path) == ["talks.db"]


async def test_a_backup_is_one_moment_of_a_database_in_use(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await fill(store)
    stop = threading.Event()

    async def write_on() -> int:
        number = 0
        while not stop.is_set():
            await store.append("dora", "busy", [], key=str(number), now_s=NOW_S)
            number += 1
        return number

    writing = asyncio.create_task(write_on())
    size = await store.keeper.backup(tmp_path / "copy.db", now_s=NOW_S)
    stop.set()
    assert await writing > 0
    before = await seen(store)
    await store.close()
    assert size == (tmp_path / "copy.db").stat().st_size
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    copy = await SqliteStore.open(tmp_path / "copy.db")
    assert await seen(copy) == before
    assert (await copy.keeper.check(None)).sound
    await copy.close()


async def test_a_backup_replaces_no_file_unless_told(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await fill(store)
    (tmp_path / "copy.db").write_bytes(b"something else")
    with pytest.raises(UsageError, match="exists already"):
        await store.keeper.backup(tmp_path / "copy.db", now_s=NOW_S)
    with pytest.raises(UsageError, match="the database itself"):
        await store.keeper.backup(tmp_path / "talks.db", now_s=NOW_S, force=True)
    assert (tmp_path / "copy.db").read_bytes() == b"something else"
    await store.keeper.backup(tmp_path / "copy.db", now_s=NOW_S, force=True)
    with pytest.raises(StoreError, match="cannot write"):
        await store.keeper.backup(tmp_path / "nowhere" / "copy.db", now_s=NOW_S)
    await store.close()
    assert (await examined(tmp_path / "copy.db")).sound
    assert names(tmp_path) == ["copy.db", "talks.db"]


async def test_a_database_in_memory_can_be_kept_too(tmp_path: Path) -> None:
    store = await SqliteStore.open(":memory:")
    await fill(store)
    await store.keeper.backup(tmp_path / "copy.db", now_s=NOW_S)
    assert (await export(store, tmp_path / "all.jsonl")).messages == 16
    await append(store, [say("later")])
    await store.close()
    assert (await examined(tmp_path / "copy.db")).sound


async def test_imports_beside_a_writer_and_each_other_are_whole(tmp_path: Path) -> None:
    path, out = await filled(tmp_path / "talks.db"), tmp_path / "all.jsonl"
    store = await SqliteStore.open(path)
    await export(store, out)
    said = await texts(store)
    other = await SqliteStore.open(path)

    async def write() -> None:
        for number in range(20):
            await append(other, numbered(1, 2), owner="writer", talk=f"w{number}")

    owners = [f"owner{number}" for number in range(4)]
    *done, _ = await asyncio.gather(*(store.keeper.restore(one, out) for one in owners), write())
    assert {(one.conversations, one.messages) for one in done if one is not None} == {(2, 16)}
    for one in owners:
        assert await texts(store, owner=one) == said
    assert (await store.keeper.check(None)).sound
    await other.close()
    await store.close()


async def test_imports_of_the_same_ids_into_an_empty_file_do_not_collide(tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    source = await SqliteStore.open(await filled(tmp_path / "talks.db"))
    await export(source, out)
    said = await texts(source)
    await source.close()
    one, two = [await SqliteStore.open(tmp_path / "new.db") for _ in range(2)]
    done = await asyncio.gather(one.keeper.restore(ANN, out), two.keeper.restore("bob", out))
    assert sorted(each.conversations for each in done) == [2, 2]
    assert await texts(one) == await texts(one, owner="bob") == said
    assert (await one.keeper.check(None)).sound
    await one.close()
    await two.close()


async def test_a_conversation_that_appears_during_an_import_is_left_as_it_is(tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    source = await SqliteStore.open(await filled(tmp_path / "talks.db"))
    await export(source, out)
    await source.close()
    store = await SqliteStore.open(tmp_path / "new.db")

    appeared: list[int] = []

    async def appear() -> None:
        other = await SqliteStore.open(tmp_path / "new.db")
        await append(other, [say("mine")], talk=OTHER)
        await other.close()

    def step(what: str, done: int, of: int) -> None:
        thread = threading.Thread(target=lambda: asyncio.run(appear()))
        if not appeared:
            appeared.append(done)
            thread.start()
            thread.join()

    done = await store.keeper.restore(ANN, out, step=step)
    assert (done.conversations, done.differing) == (1, (OTHER,))
    assert await texts(store, talk=OTHER) == ["mine"]
    assert (await store.keeper.check(None)).sound
    await store.close()


@pytest.mark.parametrize("bad", [0, -1, 1 << 62, "3", None])
async def test_an_id_that_cannot_be_stored_is_refused_with_nothing_imported(
    tmp_path: Path, bad: object
) -> None:
    out = tmp_path / "all.jsonl"
    source = await SqliteStore.open(await filled(tmp_path / "talks.db"))
    await export(source, out)
    await source.close()
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    for line in lines:
        if line["type"] == "message":
            line["id"] = bad
    body = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines[:-1])
    end = lines[-1] | {"sha256": hashlib.sha256(body.encode()).hexdigest()}
    out.write_text(body + json.dumps(end, separators=(",", ":")) + "\n")
    store = await SqliteStore.open(tmp_path / "new.db")
    with pytest.raises(FormatError):
        await store.keeper.restore(ANN, out)
    assert await store.conversations(ANN) == []
    await store.close()
