"""A process that appends to a database until it has done enough or is killed, and prints each id once it is stored.

Usage: python -m tests.stores.writer DATABASE NAME COUNT
"""

from __future__ import annotations

import asyncio
import sys

from palimpsest.stores.sqlite import SqliteStore
from tests.contract.kit import append, say


async def write(path: str, name: str, count: int) -> None:
    """Append `count` messages of two parts each to the tests' conversation."""
    store = await SqliteStore.open(path)
    for place in range(count):
        stored = await append(
            store, [say(f"{name} asks {place}"), say(f"{name} answers {place}", "assistant")]
        )
        print(*(one.id for one in stored), flush=True)
    await store.close()


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1], sys.argv[2], int(sys.argv[3])))
