"""Rewrite files that were written from the store, without what was deleted since."""

from __future__ import annotations

import asyncio
from pathlib import Path

from palimpsest.agent.session_file import locked, read_bytes, refill
from palimpsest.agent.session_log import render_session
from palimpsest.engine.conversation import state_of
from palimpsest.engine.deletion import REWRITTEN, register_file
from palimpsest.engine.engine import Engine
from palimpsest.errors import PalimpsestError
from palimpsest.formats.transcripts.crabtalk import read_file


async def renew(engine: Engine) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Rewrite every registered file that may hold deleted messages: the paths of rewritten files, and of others with
    the reason. A file that is gone or holds something else is unregistered.
    """
    done: list[str] = []
    failed: list[tuple[str, str]] = []
    for copy in await engine.store.forgetting.copies(engine.owner):
        if not copy.stale or copy.kind not in REWRITTEN or not copy.conversation:
            continue
        path = Path(copy.path)
        try:
            if not await asyncio.to_thread(path.exists):
                await engine.store.forgetting.drop_copy(copy.path)
            elif await _rewrite(engine, copy.conversation, path):
                await register_file(state_of(engine.conversation(copy.conversation)), copy.kind, path)
                done.append(copy.path)
            else:
                await engine.store.forgetting.drop_copy(copy.path)
                failed.append((copy.path, "it holds something else by now"))
        except PalimpsestError as error:
            failed.append((copy.path, error.message))
    return tuple(done), tuple(failed)


async def _rewrite(engine: Engine, conversation: str, path: Path) -> bool:
    """Replace a locked file's content with the present conversation; False if the file is not the conversation's."""
    async with locked(path) as file:
        meta = read_file(await asyncio.to_thread(read_bytes, path)).meta
        if meta is None or meta.id != conversation:
            return False
        exported = await render_session(engine.conversation(conversation), meta.agent)
        await asyncio.to_thread(refill, file, path, exported.data)
        return True
