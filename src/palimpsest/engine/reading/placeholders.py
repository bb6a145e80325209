"""What a placeholder such as `[secret:1a2b3c]` stands for: the message that holds the secret.

Secrets are kept nowhere but in their messages; which messages hold some is (`engine.memo`), and these are read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from palimpsest.engine.memo import Memo
from palimpsest.ports import Store
from palimpsest.record.log import Stored
from palimpsest.record.message import readable_text
from palimpsest.summarize.secrets.places import PLACEHOLDER

PAGE = 64
"""Messages that are read at a time."""
MAX_CONVERSATIONS = 1_000
"""The newest, of which one is looked for where none is named."""


async def placed(store: Store, owner: str, conversation: str | None, ids: Sequence[str]) -> tuple[str, ...]:
    """The ids, each placeholder among them as the id of a message that holds its secret; one that none holds stays."""
    sought = {one for one in ids if PLACEHOLDER.fullmatch(one)}
    holders: dict[str, str] = {}
    if sought:
        async for message_id, shown in _holding(store, owner, conversation):
            holders |= {one: message_id for one in sought - holders.keys() if one in shown}
            if len(holders) == len(sought):
                break
    return tuple(holders.get(one, one) for one in ids)


async def _holding(store: Store, owner: str, conversation: str | None) -> AsyncIterator[tuple[str, str]]:
    """The messages that hold secrets, of one conversation or of the newest, with what is shown of them."""
    named = [conversation] if conversation is not None else []
    rows = [] if named else await store.conversations(owner)
    for name in named or [row.name for row in rows[:MAX_CONVERSATIONS]]:
        memo = Memo(store, owner, name)
        await memo.load()
        known = await memo.redactor()
        places = list(known.places)
        for start in range(0, len(places), PAGE):
            page = places[start : start + PAGE]
            found = await store.read(owner, page)
            held = [one for place in page if place in found and isinstance(one := found[place][1], Stored)]
            for one in held:
                yield one.id, await asyncio.to_thread(known.redact, readable_text(one.message))
