"""A disk that is full, a clock that goes back: a typed error with the way out, nothing half written, and on it goes."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from palimpsest.errors import StoreError
from palimpsest.stores.sqlite import SqliteStore
from tests.contract.kit import (
    ANN,
    NOW_S,
    TALK,
    append,
    compact,
    counted,
    ids,
    numbered,
    say,
    texts,
    window_of,
)
from tests.stores.damage import examined, filled, seen


@contextmanager
def files_at_most(size_bytes: int) -> Iterator[None]:
    """No file may grow over so many bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def log_size(path: Path) -> int:
    """How large the write-ahead log is."""
    return Path(f"{path}-wal").stat().st_size


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(one.name for one in folder.iterdir())


async def test_on_a_full_disk_nothing_is_half_written_and_all_that_was_acknowledged_stays(
    tmp_path: Path,
) -> None:
    path = tmp_path / "talks.db"
    store = await SqliteStore.open(path)
    await append(store, numbered(1, 6))
    acknowledged = await ids(store)
    with files_at_most(log_size(path) + 60_000):
        for number in range(200):
            try:
                acknowledged += [one.id for one in await append(store, [say(f"filler {number} " * 200)])]
            except StoreError as error:
                failed = error
                break
        assert failed.hint
        with pytest.raises(StoreError):
            await store.append(ANN, TALK, counted([say("too large " * 20_000)]), key="k", now_s=NOW_S)
        assert await ids(store) == acknowledged
    (later,) = await append(store, [say("there is room again")])
    assert await ids(store) == [*acknowledged, later.id]
    await store.close()
    assert (await examined(path)).sound


async def test_a_compaction_on_a_full_disk_leaves_the_window_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    store = await SqliteStore.open(path)
    await append(store, numbered(1, 6))
    before = await window_of(store)
    with files_at_most(log_size(path)), pytest.raises(StoreError) as caught:
        await compact(store, 1, 4, text="a long summary " * 1_000)
    assert caught.value.hint
    assert await window_of(store) == before
    await compact(store, 1, 4)
    await store.close()
    assert (await examined(path)).sound


async def test_a_copy_that_does_not_fit_leaves_no_file(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    store = await SqliteStore.open(path)
    before = await seen(store)
    with files_at_most(4_096):
        with pytest.raises(StoreError) as of_backup:
            await store.keeper.backup(tmp_path / "copy.db", now_s=NOW_S)
        with pytest.raises(StoreError) as of_export:
            await store.keeper.export(ANN, tmp_path / "all.jsonl", made_at="now", now_s=NOW_S)
    assert "copy.db" in of_backup.value.message
    assert "all.jsonl" in of_export.value.message
    assert of_backup.value.hint
    assert of_export.value.hint
    assert await seen(store) == before
    await store.close()
    assert names(tmp_path) == ["talks.db"]


async def test_a_pipe_or_a_device_is_no_file_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(StoreError, match="is not a file"):
            await SqliteStore.open(place)


async def test_a_clock_that_goes_back_changes_no_order_and_holds_up_no_work(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await store.append(ANN, TALK, counted([say("first")]), now_s=NOW_S)
    assert await store.lease("leaf", "one", ttl_s=60, now_s=NOW_S)
    back_s = NOW_S - 86_400
    await store.append(ANN, TALK, counted([say("second")]), now_s=back_s)
    assert await texts(store) == ["first", "second"]
    assert (await store.conversations(ANN))[0].updated_s == NOW_S
    assert not await store.lease("leaf", "two", ttl_s=60, now_s=NOW_S)
    assert await store.lease("leaf", "two", ttl_s=60, now_s=back_s)
    assert (await store.keeper.check(None)).sound
    await store.close()
