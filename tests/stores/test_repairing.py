"""Repairing a database: whatever is derived can be made again, as it was, and nothing else is ever touched."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import StoreError
from palimpsest.record.health_report import Repaired
from palimpsest.stores.sqlite import SqliteStore
from tests.contract.kit import NOW_S
from tests.effort import examples
from tests.stores.damage import examined, filled, raw, seen

SPOILS = (
    "DELETE FROM item",
    "UPDATE item SET last_seq = last_seq + 1, note = 'other'",
    "UPDATE item SET standing = 1 - standing",
    "DELETE FROM item WHERE branch_id = 2",
    "INSERT INTO message_index (message_index) VALUES ('delete-all')",
    "INSERT INTO summary_index (summary_index) VALUES ('delete-all')",
    "INSERT INTO word_index (word_index) VALUES ('delete-all')",
    "INSERT INTO message_index (rowid, scope, body) VALUES (3, 'o1 c1 user', 'planted number3')",
    "DELETE FROM word WHERE id % 2",
    "UPDATE word SET stem = 'x'",
    "UPDATE branch SET head_chain = X'01', tokens = 0, thinking_from = 99, calls = '[\"c9\"]'",
    "UPDATE summary SET message_tokens = 0",
)
MESSAGES = "SELECT id, branch_id, seq, role, body, tokens, time_s, chain, gate, crc FROM message ORDER BY id"
SUMMARIES = "SELECT id, branch_id, first_seq, last_seq, body, crc FROM summary ORDER BY id"


async def repaired(path: Path, keep: Path) -> Repaired:
    """What repairing a file gives."""
    store = await SqliteStore.open(path)
    try:
        return await store.keeper.repair(keep, now_s=NOW_S)
    finally:
        await store.close()


async def shown(path: Path) -> list[object]:
    """Everything that can be seen of every owner, but how often a branch was changed."""
    store = await SqliteStore.open(path)
    try:
        return [repr(await seen(store, owner)).split("version=") for owner in ("ann", "bob")]
    finally:
        await store.close()


def without_versions(seen_once: list[object]) -> str:
    """The same, where the number of changes is left out."""
    return repr([[part.split(",", 1)[-1] for part in one] for one in seen_once if isinstance(one, list)])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str]:
    """A sound database, and all that can be seen of it."""
    path = tmp_path_factory.mktemp("whole") / "talks.db"
    asyncio.run(filled(path))
    return path.read_bytes(), without_versions(asyncio.run(shown(path)))


@examples(12)
@given(scripts=st.lists(st.sampled_from(SPOILS), min_size=1, max_size=4))
def test_whatever_derived_is_spoilt_is_made_again_as_it_was(
    whole: tuple[bytes, str], scripts: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "talks.db"
        path.write_bytes(whole[0])
        with raw(path) as connection:
            before = connection.execute(MESSAGES).fetchall(), connection.execute(SUMMARIES).fetchall()
            for script in scripts:
                connection.execute(script)
        done = asyncio.run(repaired(path, Path(folder) / "kept.db"))
        assert done.after.sound, done.after.faults
        assert done.before.sound == (not done.parts)
        assert without_versions(asyncio.run(shown(path))) == whole[1]
        with raw(path) as connection:
            assert (
                connection.execute(MESSAGES).fetchall(),
                connection.execute(SUMMARIES).fetchall(),
            ) == before


async def test_a_backup_is_made_before_anything_is_repaired(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    with raw(path) as connection:
        connection.execute("DELETE FROM item")
    done = await repaired(path, tmp_path / "kept.db")
    assert (done.backup, done.parts) == (str(tmp_path / "kept.db"), ("windows",))
    assert (tmp_path / "kept.db").stat().st_mode & 0o777 == 0o600
    assert not (await examined(tmp_path / "kept.db")).sound
    assert (await examined(path)).sound


async def test_a_sound_database_is_left_alone(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    done = await repaired(path, tmp_path / "kept.db")
    assert (done.backup, done.parts) == ("", ())
    assert not (tmp_path / "kept.db").exists()


@pytest.mark.parametrize(
    "script",
    [
        "UPDATE message SET body = replace(body, 'number2', 'number9') WHERE id = 2",
        "DELETE FROM summary WHERE id = 1",
        "DELETE FROM message WHERE id = 2",
        "DELETE FROM compaction WHERE id = 1",
    ],
)
async def test_what_is_no_ones_copy_is_never_repaired_and_still_told(tmp_path: Path, script: str) -> None:
    path = await filled(tmp_path / "talks.db")
    with raw(path) as connection:
        connection.executescript(f"{script}; INSERT INTO word_index (word_index) VALUES ('delete-all')")
        before = connection.execute(MESSAGES).fetchall(), connection.execute(SUMMARIES).fetchall()
    done = await repaired(path, tmp_path / "kept.db")
    assert not done.after.sound
    assert "search indexes" in done.parts
    with raw(path) as connection:
        assert (connection.execute(MESSAGES).fetchall(), connection.execute(SUMMARIES).fetchall()) == before


async def test_a_repair_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    with raw(path) as connection:
        connection.execute("DELETE FROM item")
        before = connection.execute("SELECT count(*) FROM item").fetchall()
    store = await SqliteStore.open(path)
    with pytest.raises(StoreError, match="cannot write"):
        await store.keeper.repair(tmp_path / "nowhere" / "kept.db", now_s=NOW_S)
    await store.close()
    with raw(path) as connection:
        assert connection.execute("SELECT count(*) FROM item").fetchall() == before
