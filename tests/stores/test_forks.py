"""A process that was forked has a copy of everything but the threads that would do the work."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import pytest

from palimpsest.errors import StoreError
from palimpsest.stores.sqlite import SqliteStore
from tests.contract.kit import append, ids, numbered


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
async def test_a_store_from_before_a_fork_is_refused_and_can_be_closed(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await append(store, numbered(1, 6))
    child = os.fork()
    if not child:
        signal.alarm(20)
        code = 1
        with contextlib.suppress(BaseException):
            code = asyncio.new_event_loop().run_until_complete(_refused(store))
        os._exit(code)
    assert await asyncio.to_thread(os.waitpid, child, 0) == (child, 0)
    assert len(await ids(store)) == 6
    await store.close()


async def _refused(store: SqliteStore) -> int:
    try:
        await ids(store)
    except StoreError as error:
        await store.close()
        return 0 if "before this process was forked" in error.message else 2
    return 3
