"""What a placeholder such as `[secret:1a2b3c]` stands for: the message that holds the secret.

Secrets are kept nowhere but in their messages; which messages hold some is (`engine.memo`), and these are read again
as a summarizer sees them. What is shown of a message that none has read for a summary yet (in a title, or as the call
in a line that stands for its result) is looked for in the messages themselves.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from palimpsest.engine.engine_state import Memo
from palimpsest.ports import Store
from palimpsest.record.log import Stored
from palimpsest.redaction.detector import PLACEHOLDER

if TYPE_CHECKING:
    from palimpsest.redaction.redactor import Redactor

PAGE = 64
"""Messages that are read at a time."""
MAX_CONVERSATIONS = 1_000
"""The newest, of which one is looked for where none is named."""
MAX_PAGES = 64
"""So many pages of a conversation are looked through, the first and then the newest, where no known message has it."""


async def placed(store: Store, owner: str, conversation: str | None, ids: Sequence[str]) -> tuple[str, ...]:
    """The ids, each placeholder among them as the id of a message that holds its secret; one that none holds stays."""
    sought = {one for one in ids if PLACEHOLDER.fullmatch(one)}
    holders: dict[str, str] = {}
    if sought:
        async for message_id, shown in _holding(store, owner, conversation, sought):
            holders |= {one: message_id for one in sought - holders.keys() if one in shown}
            if len(holders) == len(sought):
                break
    return tuple(holders.get(one, one) for one in ids)


async def _holding(
    store: Store, owner: str, conversation: str | None, sought: set[str]
) -> AsyncIterator[tuple[str, str]]:
    """The messages that hold secrets, of one conversation or of the newest, with what is shown of them; then those of
    the conversation that is named, or whose title has one of the sought, that nobody has read.
    """
    rows = [row for row in await store.conversations(owner) if conversation in (None, row.name)]
    for row in rows[:MAX_CONVERSATIONS]:
        memo = Memo(store, owner, row.name)
        await memo.load()
        known = await memo.redactor()
        places = list(known.places)
        for start in range(0, len(places), PAGE):
            page = places[start : start + PAGE]
            found = await store.read(owner, page)
            held = [one for place in page if place in found and isinstance(one := found[place][1], Stored)]
            for one in await _shown(held, known):
                yield one
    for row in rows[:MAX_CONVERSATIONS]:
        if conversation is not None or any(one in row.title for one in sought):
            async for one in _unread(store, owner, row.name):
                yield one


async def _unread(store: Store, owner: str, conversation: str) -> AsyncIterator[tuple[str, str]]:
    """The messages of a conversation as they are shown, its first ones before its newest."""
    from palimpsest.redaction.redactor import Redactor

    branch = await store.branch(owner, conversation)
    last = branch.head.seq if branch is not None else 0
    known = Redactor()
    firsts = [1, *range(last - PAGE + 1, PAGE, -PAGE)][:MAX_PAGES]
    for first in firsts:
        page = await store.messages(owner, conversation, max(1, first), min(last, first + PAGE - 1))
        for one in await _shown(page, known):
            yield one


async def _shown(held: Sequence[Stored], known: Redactor) -> list[tuple[str, str]]:
    """Messages by their ids, each as its texts are shown to a summarizer."""
    from palimpsest.engine.compacting.model_calls import give_way
    from palimpsest.record.summary_source import MessageEntry, Source
    from palimpsest.redaction.redactor import protect, texts_of

    entries = tuple(MessageEntry(one.id, one.message, one.tokens) for one in held)
    source, _ = await give_way(protect(Source("leaf", entries), known))
    return [(one.id, "\n".join(texts_of(one))) for one in source.entries if isinstance(one, MessageEntry)]
