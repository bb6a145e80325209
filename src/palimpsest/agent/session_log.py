"""Sessions as files: the store is the truth, a session file is its projection.

- `SessionLog.follow` writes what a conversation's file lacks. It finds out from the file itself what is there, so that
  it may be called after every turn, after a crash, and by several processes at once: nothing is lost and nothing is
  written twice. A history that was edited or rewound goes on behind a rewind line. A message that may still grow is
  written once it no longer can.
- `load_context` reads what an agent goes on with: from the last marker on. Everything before it stays in the file.
- An agent's files lie in its workspace, its own store among them (`open_workspace`): agents never share by accident.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
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
from palimpsest.agent.store_to_lines import meta_for, pages, pending_markers, shared_prefix, with_system
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.engine.opening import Opening, open_engine
from palimpsest.errors import StoreError, UsageError
from palimpsest.formats.transcripts.crabtalk import Mark, context_of, read_file
from palimpsest.formats.transcripts.session_lines import Meta, chain_text, encode, meta_row, rewind_row
from palimpsest.record.log import Branch
from palimpsest.record.message import Message

FOLDER = "sessions"
STORE_NAME = "palimpsest.db"
MAX_NAMES = 100
MAX_KNOWN = 256
"""Files whose content is remembered, so that the next look at one reads only its size."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written where: messages, markers, and how many bytes of a torn line were put aside before."""

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
    """What a file of a certain size holds: its meta data, the chain hash of each message, the markers and their reach.

    `others` are compactions that need no marker.
    """

    size_bytes: int
    inode: int
    meta: Meta | None
    chains: list[str]
    marks: dict[Mark, int]
    others: set[Mark] = field(default_factory=set[Mark])


def load_context(path: str | Path) -> tuple[Meta, tuple[Message, ...]]:
    """Whose session a file holds, and what its agent goes on with: the last marker's text as a message of the user,
    and the messages it does not stand for. Lines that cannot be read are passed over. Raises NotFound, StoreError.
    """
    found = read_file(read_bytes(Path(path)))
    return found.meta or Meta(), context_of(found)


def open_workspace(path: str | Path, **options: object) -> Opening:
    """Open the agent's own store, `<path>/sessions/palimpsest.db`. Takes the options of `palimpsest.open`.

    The folders are made if they are not there. Raises SettingsError at once, StoreError when entered.
    """
    folder = Path(path) / FOLDER
    opening = cast("Callable[..., Opening]", open_engine)(folder / STORE_NAME, **options)

    async def start() -> Engine:
        make_folder(folder)
        return await opening

    return Opening(start)


async def render_session(conversation: Conversation, agent: str = "") -> Exported:
    """The whole conversation as it stands, messages that may still grow included. Raises UsageError where it is empty.

    `agent` is the name in the meta line, the owner's where not given.
    """
    branch = await conversation.store.branch(conversation.owner, conversation.id)
    if branch is None:
        raise UsageError(f"conversation {conversation.id!r} has no messages", hint="append one first")
    data = [encode(meta_row(await meta_for(conversation, agent or conversation.owner)))]
    messages = markers = 0
    pending, _ = await pending_markers(conversation, branch, ())
    async for page in pages(conversation, branch, 0, branch.head.seq, pending):
        data.append(page.data)
        messages, markers = messages + len(page.messages), markers + len(page.markers)
    if messages < branch.head.seq:
        failure = StoreError(f"conversation {conversation.id!r} changed while it was read", hint="try again")
        failure.retryable = True
        raise failure
    return Exported(b"".join(data), messages, markers)


async def export_session(conversation: Conversation, path: str | Path, agent: str = "") -> Written:
    """Write the whole conversation to a session file, in place of one that may be there; all or nothing."""
    exported = await render_session(conversation, agent)
    await asyncio.to_thread(write_whole, Path(path), exported.data)
    return Written(Path(path), exported.messages, exported.markers)


class SessionLog:
    """The session files of one agent, in `<workspace>/sessions/`. `agent` is its name, the workspace's if not given."""

    def __init__(self, workspace: str | Path, agent: str = "") -> None:
        self.folder = Path(workspace) / FOLDER
        self.agent = agent or Path(workspace).absolute().name
        self._known: dict[Path, _Known] = {}

    async def follow(self, conversation: Conversation) -> Written:
        """Write to the conversation's file what it lacks. Raises StoreError; what was written until then counts.

        A conversation without messages gets no file. A file of the same name that holds something else is left alone.
        """
        branch = await conversation.store.branch(conversation.owner, conversation.id)
        if branch is None:
            return Written(self.folder / (file_name(conversation.id) + SUFFIX))
        make_folder(self.folder)
        for attempt in range(MAX_NAMES):
            path = self.folder / (file_name(conversation.id, attempt) + SUFFIX)
            async with locked(path) as file:
                known, torn_bytes = await asyncio.to_thread(self._look, file, path)
                if _is_of(known, conversation):
                    if await self._noted(conversation, branch, path):
                        return await self._again(conversation, file, path, known)
                    done = await self._write(conversation, file, path, known)
                    return replace(done, torn_bytes=torn_bytes)
        raise StoreError(f"no name is left for {conversation.id!r} in {self.folder}", hint="clear the folder")

    async def _noted(self, conversation: Conversation, branch: Branch, path: Path) -> bool:
        """Let the store know of the file, so that forgetting reaches it; whether it holds what was forgotten since."""
        forgetting, place = conversation.store.forgetting, _place(path)
        if branch.purged:
            copies = await forgetting.copies(conversation.owner)
            if any(one.stale and one.path == place for one in copies):
                return True
        if path not in self._known:
            await forgetting.note_copy(
                conversation.owner, conversation.id, "session", place, now_s=conversation.clock()
            )
        return False

    async def _again(self, conversation: Conversation, file: BinaryIO, path: Path, known: _Known) -> Written:
        """Write the whole file again, without what was forgotten."""
        exported = await render_session(conversation, known.meta.agent if known.meta else self.agent)
        await asyncio.to_thread(refill, file, path, exported.data)
        now_s = conversation.clock()
        await conversation.store.forgetting.note_copy(
            conversation.owner, conversation.id, "session", _place(path), now_s=now_s
        )
        return Written(path, exported.messages, exported.markers)

    def _look(self, file: BinaryIO, path: Path) -> tuple[_Known, int]:
        """What the file holds, read anew where somebody else has written to it, and the size of a torn line."""
        known = self._known.pop(path, None)
        if known is not None and (known.size_bytes, known.inode) == _stat(file):
            return known, 0
        data, torn_bytes = mend(file, path)
        found = read_file(data)
        return _Known(*_stat(file), found.meta, found.chains, found.marks), torn_bytes

    async def _write(self, conversation: Conversation, file: BinaryIO, path: Path, known: _Known) -> Written:
        """Bring a file up to date. What it holds is remembered if all went well."""
        branch = await conversation.store.branch(conversation.owner, conversation.id)
        if branch is None:
            return Written(path)
        head = await self._head(conversation, branch, known)
        pending, others = await pending_markers(conversation, branch, known.marks.keys() | known.others)
        known.others.update(others)
        messages = markers = 0
        async for page in pages(conversation, branch, len(known.chains), branch.closed_seq, pending):
            if head or page.data:
                await asyncio.to_thread(add, file, path, head + page.data)
            head = b""
            known.chains.extend(chain_text(one.chain) for one in page.messages)
            known.marks.update((one.mark, one.through) for one in page.markers)
            messages, markers = messages + len(page.messages), markers + len(page.markers)
        known.size_bytes, known.inode = _stat(file)
        if not head:
            self._remember(path, known)
        return Written(path, messages, markers)

    async def _head(self, conversation: Conversation, branch: Branch, known: _Known) -> bytes:
        """What is written before messages: who it is, where that is new, and where the history goes on."""
        before = known.meta
        known.meta = (
            await with_system(conversation, before) if before else await meta_for(conversation, self.agent)
        )
        head = encode(meta_row(known.meta)) if known.meta != before else b""
        shared = await shared_prefix(conversation, branch, known.chains)
        if shared < len(known.chains):
            head += encode(rewind_row(shared, known.chains[shared - 1] if shared else ""))
            del known.chains[shared:]
            known.marks = {mark: through for mark, through in known.marks.items() if through <= shared}
        return head

    def _remember(self, path: Path, known: _Known) -> None:
        self._known[path] = known
        if len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]


def _is_of(known: _Known, conversation: Conversation) -> bool:
    """Whether a file is empty, or the conversation's."""
    meta = known.meta
    if meta is None:
        return known.size_bytes == 0
    return (meta.id, meta.created_by) == (conversation.id, conversation.owner)


def _place(path: Path) -> str:
    return str(path.absolute())


def _stat(file: BinaryIO) -> tuple[int, int]:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_ino
