"""Sessions as files: the store is the truth, and a session file is its projection.

- `SessionLog.follow` writes what a conversation's file lacks. It reads from the file itself what is there, so it may be
  called after every turn, after a crash, and by several processes at once: nothing is lost or written twice. An edited
  or rewound history continues after a rewind line. A message that may still grow is written later.
- A message becomes one line. A compaction that put a summary at the window's beginning becomes a marker, after the last
  message that it covers if that is not written yet, else at the end with its range. It quotes the request that its
  summary quotes.
- Messages are read in pages while others write. If the conversation leaves the branch, the lines end early, and the
  next call writes the rest.
- `load_context` reads what an agent continues with: everything from the last marker on.
- An agent's files and its own store are in its workspace (`open_workspace`), so agents never share by accident.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, cast

from palimpsest.agent.session_file import (
    SUFFIX,
    add,
    file_name,
    locked,
    make_folder,
    mend,
    read_bytes,
    refill,
    write_whole,
)
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.conversation_state import ConversationState
from palimpsest.engine.deletion import register_file
from palimpsest.engine.engine import Engine
from palimpsest.engine.opening import Opening, open_engine
from palimpsest.errors import StoreError, UsageError
from palimpsest.formats.transcripts.crabtalk import Mark, context_of, read_file
from palimpsest.formats.transcripts.session_lines import (
    Meta,
    chain_text,
    encode,
    marker_row,
    message_line,
    meta_row,
    rewind_row,
)
from palimpsest.record.log import Branch, Stored
from palimpsest.record.message import Message
from palimpsest.record.summary import Summary
from palimpsest.record.times import iso_time

FOLDER = "sessions"
STORE_NAME = "palimpsest.db"
MAX_NAMES = 100
MAX_KNOWN = 256
"""Files whose content is remembered, so that only their size is checked next time."""
PAGE_MESSAGES = 500
"""Messages read from the store at a time."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written to a file: messages, markers, and the bytes of a torn line that were set aside before."""

    path: Path
    messages: int = 0
    markers: int = 0
    torn_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Exported:
    """A whole conversation as the bytes of a session file."""

    data: bytes
    messages: int
    markers: int


@dataclass(slots=True)
class _Known:
    """The content of a file of a certain size: its metadata, the chain hash of each message, and the markers with the
    positions they reach. `others` are compactions that need no marker.
    """

    size_bytes: int
    inode: int
    meta: Meta | None
    chains: list[str]
    marks: dict[Mark, int]
    others: set[Mark] = field(default_factory=set[Mark])


def load_context(path: str | Path) -> tuple[Meta, tuple[Message, ...]]:
    """The metadata of a session file, and what its agent continues with: the last marker's text as a user message, and
    the messages that it does not cover. Unreadable lines are skipped. Raises NotFound, StoreError.
    """
    found = read_file(read_bytes(Path(path)))
    return found.meta or Meta(), context_of(found)


def open_workspace(path: str | Path, **options: object) -> Opening:
    """Open the agent's own store, `<path>/sessions/palimpsest.db`, with the options of `palimpsest.open`.

    Missing folders are made. Raises SettingsError at once, StoreError when entered.
    """
    folder = Path(path) / FOLDER
    opening = cast("Callable[..., Opening]", open_engine)(folder / STORE_NAME, **options)

    async def start() -> Engine:
        make_folder(folder)
        return await opening

    return Opening(start)


async def render_session(conversation: Conversation, agent: str = "") -> Exported:
    """The whole conversation, including messages that may still grow. Raises UsageError if it is empty.

    `agent` is the name in the metadata, by default the owner's.
    """
    state = state_of(conversation)
    branch = await state.store.branch(state.owner, state.conversation)
    if branch is None:
        raise UsageError(f"conversation {state.conversation!r} has no messages", hint="append one first")
    data = [encode(meta_row(await _make_meta(state, agent or state.owner)))]
    messages = markers = 0
    pending, _ = await _pending_markers(state, branch, ())
    async for page in _pages(state, branch, 0, branch.head.seq, pending):
        data.append(page.data)
        messages, markers = messages + len(page.messages), markers + len(page.markers)
    if messages < branch.head.seq:
        failure = StoreError(
            f"conversation {state.conversation!r} changed while it was read", hint="try again"
        )
        failure.retryable = True
        raise failure
    return Exported(b"".join(data), messages, markers)


async def export_session(conversation: Conversation, path: str | Path, agent: str = "") -> Written:
    """Write the whole conversation to a session file, all or nothing, replacing an existing one."""
    exported = await render_session(conversation, agent)
    await asyncio.to_thread(write_whole, Path(path), exported.data)
    return Written(Path(path), exported.messages, exported.markers)


class SessionLog:
    """The session files of one agent, in `<workspace>/sessions/`. `agent` is its name, by default the workspace's."""

    def __init__(self, workspace: str | Path, agent: str = "") -> None:
        self.folder = Path(workspace) / FOLDER
        self.agent = agent or Path(workspace).absolute().name
        self._known: dict[Path, _Known] = {}

    async def follow(self, conversation: Conversation) -> Written:
        """Write to the conversation's file what it lacks. Raises StoreError; what was written before that stays.

        A conversation without messages gets no file. A file of the same name with other content is left alone.
        """
        state = state_of(conversation)
        branch = await state.store.branch(state.owner, state.conversation)
        if branch is None:
            return Written(self.folder / (file_name(state.conversation) + SUFFIX))
        make_folder(self.folder)
        for attempt in range(MAX_NAMES):
            path = self.folder / (file_name(state.conversation, attempt) + SUFFIX)
            async with locked(path) as file:
                known, torn_bytes = await asyncio.to_thread(self._look, file, path)
                if not _is_of(known, state):
                    continue
                if branch.purged and await _is_stale(state, path):
                    agent = known.meta.agent if known.meta else self.agent
                    exported = await render_session(conversation, agent)
                    await asyncio.to_thread(refill, file, path, exported.data)
                    await register_file(state, "session", path)
                    return Written(path, exported.messages, exported.markers)
                await register_file(state, "session", path)
                written = await self._write(state, file, path, known)
                return replace(written, torn_bytes=torn_bytes)
        raise StoreError(
            f"no name is left for {state.conversation!r} in {self.folder}", hint="clear the folder"
        )

    def _look(self, file: BinaryIO, path: Path) -> tuple[_Known, int]:
        """The content of the file, read again if somebody else has written to it, and the size of a torn line."""
        known = self._known.pop(path, None)
        if known is not None and (known.size_bytes, known.inode) == _stat(file):
            return known, 0
        data, torn_bytes = mend(file, path)
        found = read_file(data)
        return _Known(*_stat(file), found.meta, found.chains, found.marks), torn_bytes

    async def _write(self, state: ConversationState, file: BinaryIO, path: Path, known: _Known) -> Written:
        """Bring a file up to date. Its content is remembered if that succeeds."""
        branch = await state.store.branch(state.owner, state.conversation)
        if branch is None:
            return Written(path)
        head = await self._head(state, branch, known)
        pending, others = await _pending_markers(state, branch, known.marks.keys() | known.others)
        known.others.update(others)
        messages = markers = 0
        async for page in _pages(state, branch, len(known.chains), branch.closed_seq, pending):
            if head or page.data:
                await asyncio.to_thread(add, file, path, head + page.data)
            head = b""
            known.chains.extend(chain_text(one.chain) for one in page.messages)
            known.marks.update((one.mark, one.through) for one in page.markers)
            messages, markers = messages + len(page.messages), markers + len(page.markers)
        known.size_bytes, known.inode = _stat(file)
        if not head:
            self._known[path] = known
            if len(self._known) > MAX_KNOWN:
                del self._known[next(iter(self._known))]
        return Written(path, messages, markers)

    async def _head(self, state: ConversationState, branch: Branch, known: _Known) -> bytes:
        """The lines before new messages: metadata if it changed, and a rewind line if the history was edited."""
        before = known.meta
        known.meta = await (_with_system(state, before) if before else _make_meta(state, self.agent))
        head = encode(meta_row(known.meta)) if known.meta != before else b""
        shared = await _shared_prefix(state, branch, known.chains)
        if shared < len(known.chains):
            head += encode(rewind_row(shared, known.chains[shared - 1] if shared else ""))
            del known.chains[shared:]
            known.marks = {mark: through for mark, through in known.marks.items() if through <= shared}
        return head


def _is_of(known: _Known, state: ConversationState) -> bool:
    """Whether a file is empty, or the conversation's."""
    meta = known.meta
    if meta is None:
        return known.size_bytes == 0
    return (meta.id, meta.created_by) == (state.conversation, state.owner)


async def _is_stale(state: ConversationState, path: Path) -> bool:
    """Whether a file holds messages that were deleted since."""
    copies = await state.store.forgetting.copies(state.owner)
    return any(one.stale and one.path == _place(path) for one in copies)


def _place(path: Path) -> str:
    return str(path.absolute())


def _stat(file: BinaryIO) -> tuple[int, int]:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_ino


@dataclass(frozen=True, slots=True)
class _PendingMarker:
    """A marker to write: its line, and the last message that it covers."""

    line: bytes
    through: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class _Page:
    """Lines in the order they are written, with the messages and the markers among them."""

    data: bytes
    messages: Sequence[Stored] = ()
    markers: Sequence[_PendingMarker] = ()


async def _make_meta(state: ConversationState, agent: str) -> Meta:
    """The metadata of a conversation, which began with its first message."""
    store, owner, name = state.store, state.owner, state.conversation
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
    return await _with_system(state, meta)


async def _with_system(state: ConversationState, meta: Meta) -> Meta:
    """The metadata with the conversation's present system prompt."""
    await state.load()
    return replace(meta, system=state.system)


async def _shared_prefix(state: ConversationState, branch: Branch, chains: Sequence[str]) -> int:
    """How many of a file's messages, from its start, the branch has too. A chain hash stands for all before it."""

    async def same(count: int) -> bool:
        found = await state.store.messages(state.owner, state.conversation, count, count)
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


async def _pending_markers(
    state: ConversationState, branch: Branch, known: Collection[Mark]
) -> tuple[list[_PendingMarker], list[Mark]]:
    """The markers of compactions that are not `known`, and the compactions that need none."""
    records = [
        one
        for one in await state.store.compactions(state.owner, state.conversation)
        if one.item_kind == "summary" and (one.item_id, one.time_s) not in known
    ]
    found = await state.store.read(state.owner, [one.item_id for one in records]) if records else {}
    pending: list[_PendingMarker] = []
    others: list[Mark] = []
    for record in records:
        mark = (record.item_id, record.time_s)
        _, summary = found.get(record.item_id, ("", None))
        if not isinstance(summary, Summary) or summary.first != 1:
            others.append(mark)
        elif summary.last <= branch.closed_seq:
            line = await _marker_line(state, summary, record.time_s)
            pending.append(_PendingMarker(line, summary.last, mark))
    return pending, others


async def _marker_line(state: ConversationState, summary: Summary, made_s: float) -> bytes:
    store, owner, name = state.store, state.owner, state.conversation
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


async def _pages(
    state: ConversationState, branch: Branch, written: int, last: int, pending: Sequence[_PendingMarker]
) -> AsyncGenerator[_Page]:
    """The lines of the messages after position `written` up to `last`, and of the markers; at least one page."""
    store, owner, name = state.store, state.owner, state.conversation
    while True:
        end = min(last, written + PAGE_MESSAGES)
        stored = await store.messages(owner, name, written + 1, end) if end > written else []
        present = await store.branch(owner, name)
        if present is None or present.id != branch.id:
            return
        page = _make_page(stored, pending, end)
        yield page
        pending = pending[len(page.markers) :]
        written = end
        if written >= last:
            return


def _make_page(stored: Sequence[Stored], pending: Sequence[_PendingMarker], end: int) -> _Page:
    """Messages up to position `end`, each marker as soon as what it covers is written."""
    lines: list[bytes] = []
    count = 0
    for one in stored:
        while count < len(pending) and pending[count].through < one.seq:
            lines.append(pending[count].line)
            count += 1
        lines.append(message_line(one.message, id=one.id, chain=chain_text(one.chain)))
    while count < len(pending) and pending[count].through <= end:
        lines.append(pending[count].line)
        count += 1
    return _Page(b"".join(lines), stored, pending[:count])
