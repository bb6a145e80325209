"""Sessions whose middle is pruned and summarized, and a store that stops at any call.

Usage: python -m tests.engine.middles DATABASE CALL

compacts the conversation "work" under the preset `hermes`, and kills its process before the store's call of that
number.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.ports import Store
from palimpsest.record.message import Message
from palimpsest.record.window_items import OmittedItem, StubItem, SummaryItem
from palimpsest.settings import make_settings
from palimpsest.stores.sqlite import SqliteStore
from tests.engine.observed import bulk, said, tool_group

ROOM: dict[str, Any] = {"window_tokens": 16_000, "max_tokens": 1_000}
SUMMARY = """## Goal
The parser of src/app/reader.py works.
## Progress
- The files were read.
## Decisions
- The index stays.
## Files
- src/app/reader.py
## Next Steps
- Run make check."""
UPDATED = SUMMARY.replace("works.", "works, and the index that we decided to keep is in the cache.")


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = 1_000_000.0

    def __call__(self) -> float:
        return self.now_s


class Stopped(Exception):
    """What an interrupted process would not live to see."""


class StoppingStore:
    """A store that stops before its n-th call, or right after it has done it; 0 for never."""

    def __init__(self, inner: Store, call: int = 0, *, after: bool = False, kills: bool = False) -> None:
        self.inner = inner
        self.call = call
        self.after = after
        self.kills = kills
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.inner, name)

        async def stopping(*args: Any, **named: Any) -> Any:
            self.calls += 1
            if self.calls == self.call and not self.after:
                self._stop()
            done = await method(*args, **named)
            if self.calls == self.call:
                self._stop()
            return done

        return stopping

    def _stop(self) -> None:
        if self.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        raise Stopped


def hermes(store: Any, replies: list[Reply] | None = None, clock: Any = None, **changes: Any) -> Engine:
    """An engine of the preset, on a store of the caller's."""
    settings = make_settings("hermes", **{**ROOM, **changes})
    return Engine(
        store, settings=settings, complete=ScriptedModel(replies or [SUMMARY]), clock=clock or Clock()
    )


def session(results: int, size_chars: int, words: int = 0) -> list[Message]:
    """A task, so many groups with a result of this size each, and so many plain answers and questions between them."""
    found = [said("user", "Fix the parser, and keep its index.")]
    for number in range(results):
        found.extend(tool_group([f"c{number}"], [size_chars], [0], 1))
    for number in range(words):
        found.append(said("assistant", bulk(900, 100 + number)))
        found.append(said("user", f"go on with part {number}"))
    return found


def looks(window: Any) -> list[tuple[object, ...]]:
    """What a window's items are, without the ids that a store makes up."""
    return [
        (
            type(item).__name__,
            item.first,
            item.last,
            item.tokens,
            item.note if isinstance(item, StubItem | OmittedItem) else "",
            (item.summary.text, item.summary.depth) if isinstance(item, SummaryItem) else "",
        )
        for item in window.items
    ]


async def settled(talk: Conversation) -> list[tuple[object, ...]]:
    """The window after what is due at the end of a step."""
    await talk.end_step()
    return looks((await talk.window()).window)


async def _work(path: str, call: int) -> None:
    store = await SqliteStore.open(Path(path))
    async with hermes(StoppingStore(store, call, kills=True)) as engine:
        await engine.conversation("work").end_step()


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1], int(sys.argv[2])))
