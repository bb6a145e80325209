"""What all adapters share: a thread of a framework as a stored conversation, and the window of it for each model call.

A framework sends its whole history with each call. `Thread` reads what is new in it, stores that, and asks the engine
for the request. The framework gets its own objects back wherever the window shows a message unchanged. So whatever a
provider demands of them (signatures, ids, images) stays as it is, and only what the engine made is written anew.

The cost of a call does not grow with the history: known objects are compared with what they were, field by field,
because frameworks also change them in place.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from operator import is_
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from palimpsest.engine.conversation import state_of
from palimpsest.errors import FormatError, NotFound, PalimpsestError
from palimpsest.formats.tool_pairing import pair_tool_groups
from palimpsest.formats.wire_fields import OPENING
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult

if TYPE_CHECKING:
    from palimpsest.budget.assemble import Request
    from palimpsest.engine.conversation import Conversation
    from palimpsest.engine.engine import Engine
    from palimpsest.record.message import Part, ToolDef

Native = TypeVar("Native")

LOGGER = logging.getLogger("palimpsest")

MAX_HISTORY = 1_000_000
"""Messages of a history that is read as a whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A message with the framework's object that it was read from, or the part of one. None: the engine made it."""

    message: Message
    native: object = None


class Codec(Protocol[Native]):
    """How one framework's messages are read and written.

    A codec with a true attribute `copies` is for a framework that sends new copies of its objects with each call. Two
    of them are the same if their fields are equal.
    """

    def fields(self, native: Native, /) -> tuple[object, ...]:
        """The values that `read` depends on. They are compared with those of the last call: by identity, or by
        value in a codec of copies.
        """
        ...

    def read(self, native: Native, /) -> Sequence[Piece]:
        """The messages in an object of the framework. A system prompt has the role of the system."""
        ...

    def write(self, pieces: Sequence[Piece], /) -> list[Native]:
        """Objects for the framework. Where a piece has a native part, that is used as it is."""
        ...


@dataclass(frozen=True, slots=True)
class _Read(Generic[Native]):
    """An object of the framework as it was read."""

    native: Native
    fields: tuple[object, ...]
    pieces: tuple[Piece, ...]


class Thread(Generic[Native]):
    """A thread of a framework. Its coroutines run in the loop of the engine; see `Host.run`.

    The thread of an inner agent has a `parent`, with which it is listed and deleted.
    """

    def __init__(
        self,
        engine: Callable[[], Engine],
        codec: Codec[Native],
        name: str,
        owner: str | None,
        *,
        all_conversations: bool = False,
        parent: str = "",
    ) -> None:
        self.name, self.owner, self._parent = name, owner, parent
        self.codec = codec
        self._copies = bool(getattr(codec, "copies", False))
        self._engine, self._all = engine, all_conversations
        self._talk: Conversation | None = None
        self._lock: asyncio.Lock | None = None
        self._read: list[_Read[Native]] = []
        self._known: list[Hashable] = []
        self._stored = 0
        self._calls = 0
        self._natives: dict[Hashable, list[Piece]] = {}
        self._shown_last: Sequence[Message] = ()
        self._shown_cut = 0
        self._pieces_last: list[Piece] = []
        self._said: dict[int, tuple[Message, Hashable]] = {}

    @property
    def talk(self) -> Conversation:
        """The conversation of the thread."""
        if self._talk is None:
            engine = self._engine()
            self._talk = engine.conversation_for(self.name, owner=self.owner or engine.owner)
        return self._talk

    @property
    def held_messages(self) -> int:
        """How many of the framework's objects are held in memory."""
        return len(self._read)

    @property
    def lock(self) -> asyncio.Lock:
        """Held while the conversation is read and changed, never while a model is asked."""
        if self._lock is None:
            self._lock = asyncio.Lock()
        return self._lock

    async def start(
        self,
        history: Sequence[Native],
        *,
        system: str | None = None,
        tools: Sequence[ToolDef] | None = None,
        model: str = "",
    ) -> Call[Native]:
        """Store what is new in a history, and return the call to make. Raises what `append` and `request` raise."""
        async with self.lock:
            return await self._start(history, system, tools, model)

    async def _start(
        self, history: Sequence[Native], system: str | None, tools: Sequence[ToolDef] | None, model: str
    ) -> Call[Native]:
        pieces = self._pieces_of(history)
        first = next((place for place, one in enumerate(pieces) if one.message.role != "system"), len(pieces))
        leading = tuple(pieces[:first])
        if first == len(pieces):
            return Call(None, list(history))
        await self._store([one.message for one in pieces[first:]])
        texts = [text for text in (system, *(one.message.text for one in leading)) if text]
        asked = "\n\n".join(texts)
        request = await self.talk.request(system=asked, tools=tools, model=model)
        self._calls += 1
        return Call(request, *self._shown(request, leading, asked), leading, asked, self._calls)

    def _shown(
        self, request: Request, leading: Sequence[Piece], asked: str | None
    ) -> tuple[list[Native], str | None]:
        """A request as the framework's messages, and its system text unless it is the one that was asked for."""
        pieces = self._with_natives(request)
        system = "\n\n".join(request.system_texts)
        if system != asked:
            return self.codec.write(pieces), system
        return self.codec.write([*leading, *pieces]), None

    def _with_natives(self, request: Request) -> list[Piece]:
        """The messages of a request, valid for every provider: no call without its result, the user's first.

        Each comes with the native object that says exactly this, if there is one. Of several that say the same, the
        newest ones are taken, in order. What the request shares with the last one is not looked up again.
        """
        messages = request.all_messages
        known, cut = self._shown_last, self._shown_cut
        if cut and len(messages) >= cut and all(map(is_, known, messages[:cut])):
            rest = messages[cut:]
            if all(map(is_, pair_tool_groups(rest, opaque=True), rest)):
                pieces = [*self._pieces_last[:cut], *self._looked_up(rest)]
                return self._remembered(messages, messages, pieces)
        paired = pair_tool_groups(messages, opaque=True)
        if paired and paired[0].role != "user":
            paired = (Message("user", (Text(OPENING),)), *paired)
        return self._remembered(messages, paired, self._looked_up(paired))

    def _remembered(
        self, messages: Sequence[Message], paired: Sequence[Message], pieces: list[Piece]
    ) -> list[Piece]:
        """The pieces of a request, which is remembered up to its last reply: what follows may still change the rest."""
        same = messages is paired or (len(paired) == len(messages) and all(map(is_, paired, messages)))
        ends = (place for place in range(len(messages) - 1, 0, -1) if messages[place].role == "assistant")
        self._shown_cut = next(ends, 0) if same else 0
        self._shown_last, self._pieces_last = messages[: self._shown_cut], pieces
        return pieces

    def _looked_up(self, messages: Sequence[Message]) -> list[Piece]:
        used: dict[int, int] = {}
        pieces: list[Piece] = []
        for message in reversed(messages):
            natives = self._natives.get(_said(message), ())
            place = used[id(natives)] = used.get(id(natives), 0) + 1
            fits = place <= len(natives) and _shows(natives[-place].message, message)
            pieces.append(natives[-place] if fits else Piece(message))
        return pieces[::-1]

    def _pieces_of(self, history: Sequence[Native]) -> list[Piece]:
        """The messages of a history. Objects that are as they were in the last one are not read again."""
        known = self._read
        now = [
            one if _is_same(one, native, fields, copies=self._copies) else self._reading(native, fields)
            for one, native, fields in zip(known, history, map(self.codec.fields, history), strict=False)
        ]
        kept = len(now) == len(known) and all(map(is_, now, known))
        new = [self._reading(one, self.codec.fields(one)) for one in history[len(now) :]]
        self._read = [*now, *new]
        if not kept:
            self._natives.clear()
            self._shown_cut = 0
        for one in new if kept else self._read:
            self._index(one.pieces)
        return [piece for one in self._read for piece in one.pieces]

    def _reading(self, native: Native, fields: tuple[object, ...]) -> _Read[Native]:
        return _Read(native, fields, tuple(self.codec.read(native)))

    def _index(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            self._natives.setdefault(_said(piece.message), []).append(piece)

    async def _store(self, messages: list[Message]) -> None:
        """Store what is new: what follows the last known message, or whatever differs from what is stored."""
        known, said = len(self._known), self._said_by(messages)
        stored, self._stored = self._stored, 0
        new = messages[known:]
        if stored and new and said[:known] == self._known:
            done = await self.talk.append(*new)
            stored = done[-1].seq if done[0].seq == stored + 1 else 0
        else:
            stored = 0
        if not stored:
            stored = (await self.talk.sync(messages)).messages
            if self._parent:
                state = state_of(self.talk)
                await state.store.describe_conversation(
                    state.owner, self.name, parent=self._parent, now_s=state.clock()
                )
        self._known, self._stored = said, stored

    def _said_by(self, messages: Sequence[Message]) -> list[Hashable]:
        """What the messages say; the same message objects give the same values again."""
        known = self._said
        self._said = {id(one): known.get(id(one)) or (one, _said(one)) for one in messages}
        return [self._said[id(one)][1] for one in messages]

    async def stored(self) -> list[Message]:
        """All messages of the thread's present history."""
        async with self.lock:
            return [one.message for one in await self.talk.messages(1, MAX_HISTORY)]

    async def store(self, history: Sequence[Native], *, rewind: bool = False) -> None:
        """Store what is new in a history, without a call. One that ends earlier than what is known changes nothing,
        unless it is to `rewind` the thread.
        """
        async with self.lock:
            messages = [one.message for one in self._pieces_of(history)]
            said, last = self._said_by(messages), len(self._known) - 1
            if rewind or said != self._known[: len(messages)]:
                before = 0 < last < len(said) and said[:last] == self._known[:last]
                if before and said[last] != self._known[last] and messages[last].role == "assistant":
                    # What the last reply grew by may not be part of its identity, so it is stored anew.
                    await self._store(messages[:last])
                await self._store(messages)

    async def forget(self) -> None:
        """Delete the conversation, if there is one."""
        async with self.lock:
            self._read, self._known, self._stored, self._shown_cut = [], [], 0, 0
            self._natives.clear()
            engine = self._engine()
            with contextlib.suppress(NotFound):
                await engine.for_owner(self.owner or engine.owner).forget(self.name)

    async def finish(self, call: Call[Native], reply: Sequence[Native], usage: object = None) -> None:
        """Store the reply to a call with its usage. The turn ends with a reply that calls no tool.

        A reply is stored with the next history instead if other calls of the thread were made meanwhile, or if it
        cannot be stored now: the reply is paid for, so the run goes on, and a warning says why.
        """
        if call.request is None:
            return
        async with self.lock:
            try:
                await self._finish(call, call.request, reply, usage)
            except PalimpsestError as error:
                self._stored = 0
                LOGGER.warning("a reply is stored with the next history of its thread: %s", error)

    async def _finish(
        self, call: Call[Native], request: Request, reply: Sequence[Native], usage: object
    ) -> None:
        messages = [piece.message for one in reply for piece in self.codec.read(one)]
        if messages and self._stored and call.serial == self._calls:
            stored, self._stored = self._stored, 0
            done = await self.talk.append(*messages)
            if done[0].seq == stored + 1:
                self._known, self._stored = [*self._known, *map(_said, messages)], done[-1].seq
        if usage is not None:
            with contextlib.suppress(FormatError):  # a provider that counts nothing
                await self.talk.record_usage(usage, request)
        if messages and not any(one.calls for one in messages):
            await self.talk.end_turn()

    async def recover(self, call: Call[Native], error: Exception) -> Call[Native]:
        """The call to make after the provider refused one as too long, or because of its thinking.

        Raises `error` itself if it is something else.
        """
        if call.request is None:
            raise error
        async with self.lock:
            request = await self._recovered(error)
            self._calls += 1
            shown = self._shown(request, call.leading, call.asked)
            return replace(call, request=request, messages=shown[0], system=shown[1], serial=self._calls)

    async def shrink(self, error: Exception) -> None:
        """Make the next request smaller, after a call failed that nothing here could repeat; see `recover`."""
        async with self.lock:
            await self._recovered(error)

    async def _recovered(self, error: Exception) -> Request:
        try:
            return await self.talk.recover(error)
        except PalimpsestError:
            raise error from None

    async def recall(self, name: str, arguments: object) -> str:
        """The answer of a recall tool."""
        return await self.talk.tools(all_conversations=self._all).call(name, arguments)


@dataclass(frozen=True, slots=True)
class Call(Generic[Native]):
    """A call to make: the `messages` to send, and the system text to send with them, None for the framework's own.

    `request` is None for a history without messages, which is sent as it is.
    """

    request: Request | None
    messages: list[Native]
    system: str | None = None
    leading: tuple[Piece, ...] = ()
    asked: str | None = None
    serial: int = 0


def _is_same(known: _Read[Native], native: Native, fields: tuple[object, ...], *, copies: bool) -> bool:
    """Whether an object is the known one, unchanged. Tuples of objects are made anew for each call, and copies too."""
    if copies:
        return known.fields == fields
    same = known.native == native if isinstance(native, tuple) else known.native is native
    return same and len(known.fields) == len(fields) and all(map(is_, known.fields, fields))


def _said(message: Message) -> Hashable:
    """What makes a message the same one, whatever fields a framework adds: its words, calls, results and media.

    Frameworks may drop thinking from their history, so it is left out here.
    """
    return message.role, tuple(_content(part) for part in message.parts if not isinstance(part, Reasoning))


def _content(part: Part) -> Hashable:
    match part:
        case Text(text=text):
            return text
        case ToolCall(id=call_id, name=name, arguments=arguments):
            return call_id, name, arguments
        case ToolResult(call_id=call_id, content=content, is_error=is_error):
            return call_id, tuple(map(_content, content)), is_error
        case Media(uri=uri, data=data):
            return uri, data
        case _:
            return part


def _shows(native: Message, message: Message) -> bool:
    """Whether the framework's message has no thinking that the window leaves out."""
    thinking = [part for part in native.parts if isinstance(part, Reasoning)]
    return all(part in message.parts for part in thinking)
