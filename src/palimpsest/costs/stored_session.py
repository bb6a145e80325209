"""What a stored conversation cost: from what was paid for as it ran, or, of one that was imported, from what its
messages report.
"""

from __future__ import annotations

import asyncio
import threading
from functools import partial

from palimpsest.costs.bill import Bill
from palimpsest.costs.report import make_bill
from palimpsest.errors import NotFound
from palimpsest.ports import Store
from palimpsest.record.message import Message
from palimpsest.record.store_values import Progress

PAGE = 2_000
MAX_MESSAGES = 1_000_000
"""The most messages of one conversation that are read for its bill: the first ones."""


class _Left(Exception):
    """Nobody waits for the bill any more."""


async def bill(
    store: Store,
    owner: str,
    conversation: str,
    *,
    model: str = "",
    window_tokens: int = 0,
    replayed: bool = True,
    step: Progress | None = None,
) -> Bill | None:
    """The bill of a conversation, None where no model was called. Calls of every branch count; what is replayed is the
    current history. `step` is told how far that is, from any thread. Raises NotFound.
    """
    branch = await store.branch(owner, conversation)
    if branch is None:
        raise NotFound(f"no conversation {conversation!r}", hint="Engine.conversations() lists them")
    left = threading.Event()

    def tell(what: str, done: int, of: int) -> None:
        if left.is_set():
            raise _Left
        if step is not None:
            step(what, done, of)

    history = await _history(store, owner, conversation, branch.head.seq, tell)
    behind = tuple(one.message for one in await store.left_behind(owner, conversation))
    spent = await store.spent(owner, conversation)
    reckon = partial(
        make_bill,
        conversation,
        (behind, history),
        spent=spent,
        model=model,
        window_tokens=window_tokens,
        replayed=replayed,
        step=tell,
    )
    try:
        return await asyncio.to_thread(reckon)
    finally:
        left.set()


async def _history(
    store: Store, owner: str, conversation: str, of: int, tell: Progress
) -> tuple[Message, ...]:
    found: list[Message] = []
    while len(found) < MAX_MESSAGES:
        tell("reading", len(found), of)
        page = await store.messages(owner, conversation, len(found) + 1, len(found) + PAGE)
        found.extend(one.message for one in page)
        if len(page) < PAGE:
            break
    return tuple(found)
