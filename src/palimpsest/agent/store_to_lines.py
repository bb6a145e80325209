"""From the store to the lines of a session file.

- A message becomes one line. A compaction that put a summary at the window's beginning becomes a marker: behind the
  last message it stands for where that is not written yet, and to the end otherwise, saying how far it reaches. It
  quotes the request that its summary quotes.
- Reading takes several steps while others write. Each page is read while the conversation stands on the branch that
  was asked for; when it has left that, the lines end early, and the next call sees to the rest.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass, replace

from palimpsest.engine.conversation import Conversation
from palimpsest.formats.transcripts.crabtalk import Mark
from palimpsest.formats.transcripts.session_lines import (
    Meta,
    chain_text,
    encode,
    marker_row,
    message_line,
)
from palimpsest.record.log import Branch, Stored
from palimpsest.record.summary import Summary
from palimpsest.record.times import iso_time

PAGE_MESSAGES = 500
"""So many messages are read from the store at once."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A marker that is to be written: its line, and the last message it stands for."""

    line: bytes
    through: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class Page:
    """Lines in the order they are written, with the messages and the markers among them."""

    data: bytes
    messages: Sequence[Stored] = ()
    markers: Sequence[Pending] = ()


async def meta_for(conversation: Conversation, agent: str) -> Meta:
    """Whose session a conversation is. It was begun when its first message was said."""
    store, owner, name = conversation.store, conversation.owner, conversation.id
    row = next((one for one in await store.conversations(owner) if one.name == name), None)
    first = await store.messages(owner, name, 1, 1)
    meta = Meta(
        agent=agent,
        created_by=owner,
        created_at=iso_time(first[0].message.time_s) if first else "",
        title=row.title if row else "",
        id=name,
        parent=row.parent if row else "",
    )
    return await with_system(conversation, meta)


async def with_system(conversation: Conversation, meta: Meta) -> Meta:
    """The same with the conversation's system prompt as it is now."""
    await conversation.desk.load()
    return replace(meta, system=conversation.desk.system)


async def shared_prefix(conversation: Conversation, branch: Branch, chains: Sequence[str]) -> int:
    """How many of a file's messages, from its start, the branch has too. A chain hash stands for all before it."""

    async def same(count: int) -> bool:
        found = await conversation.store.messages(conversation.owner, conversation.id, count, count)
        return bool(found) and chain_text(found[0].chain) == chains[count - 1]

    low, high = 0, min(len(chains), branch.head.seq)
    if not high or await same(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if await same(middle):
            low = middle
        else:
            high = middle
    return low


async def pending_markers(
    conversation: Conversation, branch: Branch, known: Collection[Mark]
) -> tuple[list[Pending], list[Mark]]:
    """The markers of compactions that are not `known`, and the compactions that need none."""
    store, owner, name = conversation.store, conversation.owner, conversation.id
    records = [
        one
        for one in await store.compactions(owner, name)
        if one.item_kind == "summary" and (one.item_id, one.time_s) not in known
    ]
    found = await store.read(owner, [one.item_id for one in records]) if records else {}
    pending: list[Pending] = []
    others: list[Mark] = []
    for record in records:
        mark = (record.item_id, record.time_s)
        _, summary = found.get(record.item_id, ("", None))
        if not isinstance(summary, Summary) or summary.first != 1:
            others.append(mark)
        elif summary.last <= branch.closed_seq:
            line = await _marker_line(conversation, summary, record.time_s)
            pending.append(Pending(line, summary.last, mark))
    return pending, others


async def _marker_line(conversation: Conversation, summary: Summary, made_s: float) -> bytes:
    store, owner, name = conversation.store, conversation.owner, conversation.id
    text = summary.text
    own: dict[str, object] = {"id": summary.id, "time_s": made_s, "through": summary.last}
    last = await store.messages(owner, name, summary.last, summary.last)
    if last:
        own["chain"] = chain_text(last[0].chain)
    quoted = await store.messages(owner, name, summary.quotes, summary.quotes) if summary.quotes else []
    if quoted:
        own |= {"quotes": summary.quotes, "chars": len(text)}
        text = f"{text}\n\n{quoted[0].message.text}"
    return encode(marker_row(text, iso_time(made_s), own))


async def pages(
    conversation: Conversation, branch: Branch, written: int, last: int, pending: Sequence[Pending]
) -> AsyncGenerator[Page]:
    """The lines of the messages behind position `written` up to `last`, and of the markers; at least one page."""
    store, owner, name = conversation.store, conversation.owner, conversation.id
    while True:
        end = min(last, written + PAGE_MESSAGES)
        stored = await store.messages(owner, name, written + 1, end) if end > written else []
        present = await store.branch(owner, name)
        if present is None or present.id != branch.id:
            return
        page = _interleaved(stored, pending, end)
        yield page
        pending = pending[len(page.markers) :]
        written = end
        if written >= last:
            return


def _interleaved(stored: Sequence[Stored], pending: Sequence[Pending], end: int) -> Page:
    """Messages up to position `end`, each marker as soon as what it stands for is written."""
    lines: list[bytes] = []
    due = 0
    for one in stored:
        while due < len(pending) and pending[due].through < one.seq:
            lines.append(pending[due].line)
            due += 1
        lines.append(message_line(one.message, id=one.id, chain=chain_text(one.chain)))
    while due < len(pending) and pending[due].through <= end:
        lines.append(pending[due].line)
        due += 1
    return Page(b"".join(lines), stored, pending[:due])
