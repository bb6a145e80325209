"""Conversations behind the proxy: store what a client sends, and decide what is sent on.

Every failure here is logged and counted, and the request goes on as it came.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from palimpsest.budget.bound_thinking import ELSEWHERE
from palimpsest.engine.conversation import state_of
from palimpsest.engine.history_overlap import shared_identity
from palimpsest.engine.message_input import parse_messages
from palimpsest.errors import PalimpsestError
from palimpsest.proxy import recalls, threads, wires
from palimpsest.proxy.histories import Histories, History, plain_history
from palimpsest.proxy.threads import Digests, Place, Session, Thread
from palimpsest.proxy.wires import Call
from palimpsest.redaction.redactor import redact_error_text

if TYPE_CHECKING:
    from palimpsest.budget.assemble import Request
    from palimpsest.engine.conversation import Conversation
    from palimpsest.engine.engine import Engine
    from palimpsest.record.completion import Completion
    from palimpsest.record.message import Message, ToolDef

LOGGER = logging.getLogger("palimpsest.proxy")
MAX_SESSIONS = 1_000
"""Sessions remembered; the one that was used longest ago is dropped, and found again in the store."""

MAX_STORED = 20
"""Stored conversations of a session that are looked at after a restart, newest first."""

MAX_MESSAGES = 10_000
ERROR_CHARS = 300
CLOSE_TIMEOUT_S = 5.0
STORE_AFTER_S = 0.005
"""A request that goes as it came is stored after this time: the provider is asked first."""

PREFIX = "proxy-"
"""With this begin the conversations' names: a transcript of the same session is another conversation."""


@dataclass(slots=True)
class Sent:
    """A call on its way: `body` is what is sent in place of the client's, None for that as it came.

    `looks` says that the call only looks at its thread. `rounds` are the calls that the proxy answered meanwhile.
    """

    call: Call
    thread: Thread
    talk: Conversation
    digests: Digests
    lock: asyncio.Lock
    request: Request | None = None
    body: bytes | None = None
    looks: bool = False
    recovered: bool = False
    offers: bool = False
    serial: int = 0
    rounds: list[Message] = field(default_factory=list["Message"])

    @property
    def betas(self) -> Sequence[str]:
        """Beta headers that the window needs."""
        return () if self.request is None or self.body is None else self.request.betas


@dataclass(slots=True)
class Counts:
    """What the proxy did since it was started.

    - `calls` were read; `passed` requests were not. `rewritten` calls were sent with a window in place of the history,
      and `looks` only looked at a conversation.
    - `recalls` are answers to the model, `recovered` refusals, `followed` compactions of clients, `faults` its own.
    """

    calls: int = 0
    rewritten: int = 0
    looks: int = 0
    recalls: int = 0
    recovered: int = 0
    followed: int = 0
    faults: int = 0
    passed: int = 0

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(slots=True)
class Conversations:
    """The conversations of all sessions. Calls of one session are prepared one after the other."""

    engine: Engine
    inject_tools: bool = False
    folder: str = ""
    counts: Counts = field(default_factory=Counts)
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    _histories: Histories = field(default_factory=Histories)
    _sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    _tools: tuple[ToolDef, ...] = ()

    async def prepare(self, call: Call, headers: Mapping[str, str]) -> Sent | None:
        """Store the history of a call and decide what is sent. None where the call is not kept, or after a fault."""
        self.counts.calls += 1
        try:
            name = threads.session_of(headers, call)
            session = self._session(name)
            await session.lock.acquire()
            meanwhile = False
            try:
                sent, meanwhile = await self._prepare(call, name, session, threads.agent_of(headers))
            finally:
                if not meanwhile:
                    session.lock.release()
        except Exception as error:  # noqa: BLE001  (the request goes on as it came)
            self._fault("a request goes on as it came", error)
            return None
        return sent

    async def _prepare(self, call: Call, name: str, session: Session, agent: str) -> tuple[Sent | None, bool]:
        read = self._read(call, name)
        history, digests, tools = read.messages, read.digests, wires.tool_names(call)

        def texts() -> list[str]:
            return [wires.text_of(one) for one in history[: threads.QUOTED_MESSAGES]]

        place = threads.place_of(session, digests, tools, texts, named=bool(name))
        if place.thread is None and not call.counts:
            place = await self._stored_place(session, name, history, digests, texts)
        thread = place.thread
        if place.looks or call.counts:
            return (None if thread is None else self._look(call, thread, digests, session.lock)), False
        if thread is None:
            if not threads.begins_conversation(history, tools):
                return None, False
            thread = session.add(Thread(_new_id(name, session), agent=agent))
        sent = Sent(call, thread, self.engine.conversation(thread.id), digests, session.lock)
        try:
            return sent, await self._in_thread(sent, place.summary_messages, history, tools)
        except Exception as error:
            if thread.window is None:
                raise
            self._fault("a request goes on behind the last window", error)
            return self._look(call, thread, (), session.lock), False

    def _read(self, call: Call, name: str) -> History:
        """The history of a call, without cache marks."""
        raw = call.raw_history
        if raw[:1] != b"[":
            return plain_history(wires.messages_of(call))
        return self._histories.read(name, raw)

    def _look(self, call: Call, thread: Thread, digests: Digests, lock: asyncio.Lock) -> Sent:
        """A call that sees a thread's window, and is not stored: what followed it stands behind it."""
        sent = Sent(call, thread, self.engine.conversation(thread.id), digests, lock, looks=True)
        if digests and not call.counts:
            thread.look = digests
            self.counts.looks += 1
        if thread.window is not None:
            rest = wires.messages_of(call)[thread.covers :]
            sent.body = wires.with_messages(call, [*thread.window, *rest])
        return sent

    async def _in_thread(
        self, sent: Sent, summary_messages: int, history: list[object], tools: frozenset[str]
    ) -> bool:
        """Store a history, and decide what is sent. True if that goes on while the provider is asked: the window is
        unchanged so far and far from full, so the request goes as it came.
        """
        call, thread, digests = sent.call, sent.thread, sent.digests
        thread.system = wires.system_of(call) if thread.system is None else thread.system
        thread.serial = sent.serial = thread.serial + 1
        sent.offers = self.inject_tools and recalls.may_offer(tools)
        new = None if summary_messages else _new_messages(thread, history, digests)
        fits = bool(thread.room_bytes) and new is not None
        fits = fits and sum(len(str(one)) for one in history[len(thread.digests) :]) < thread.room_bytes
        known_tools = thread.tools
        thread.digests, thread.tools, thread.look = digests, tools, ()
        if fits and known_tools == tools and not (thread.hidden or sent.offers or thread.window):
            thread.covers = len(digests)
            self.spawn(self._store_meanwhile(sent, history, new))
            return True
        await self._store(sent, history, new, summary_messages)
        self.counts.followed += bool(summary_messages)
        await self._decide(sent)
        return False

    async def _store(
        self, sent: Sent, history: list[object], new: Sequence[Message] | None, summary_messages: int = 0
    ) -> None:
        """Store what is new in a history: only that if the rest is known to be stored, else whatever differs."""
        thread, expected = sent.thread, sent.thread.stored
        thread.stored = 0
        if new and expected:
            stored = await sent.talk.append(*new)
            if stored[0].seq == expected + 1:
                return
        whole = recalls.expand(history, sent.digests, thread.hidden) if thread.hidden else history
        await sent.talk.sync(whole, summary_messages=summary_messages)

    async def _store_meanwhile(
        self, sent: Sent, history: list[object], new: Sequence[Message] | None
    ) -> None:
        """Store a history whose request went as it came, and release the session."""
        try:
            await asyncio.sleep(STORE_AFTER_S)
            await self._store(sent, history, new)
            await self._decide(sent, went=True)
        except Exception as error:  # noqa: BLE001  (the request went as it came)
            sent.request = None
            self._fault("a request went as it came, and is stored with the next one", error)
        finally:
            sent.lock.release()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something while requests go on; `close` waits for it."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def close(self) -> None:
        """Wait until everything is stored."""
        while self.tasks:
            done, _ = await asyncio.wait(self.tasks, timeout=CLOSE_TIMEOUT_S)
            if not done:
                return

    async def _decide(self, sent: Sent, *, went: bool = False) -> None:
        """Make the next request of a thread, and what is sent for it, unless it `went` already as it came."""
        call, thread = sent.call, sent.thread
        offered = self._offered(sent)
        tools = [*wires.tools_of(call), *offered]
        sent.request = await sent.talk.request(system=thread.system, tools=tools, model=call.model_name)
        changed = _has_changed(sent.talk, sent.request)
        left_tokens = sent.request.budget.capacity_tokens - sent.request.tokens
        thread.room_bytes = 0 if changed else max(0, left_tokens)
        if went:
            if changed:
                sent.request = None
                _note_other_request(sent.talk)
            return
        if thread.hidden or sent.rounds or changed:
            self._use_window(sent)
            self.counts.rewritten += 1
            return
        thread.window, thread.covers = None, len(sent.digests)
        if offered:
            sent.body = call.changed(tools=recalls.tools_with(call, offered))

    def _use_window(self, sent: Sent) -> None:
        """Send the window of a request in place of the client's history."""
        if sent.request is None:
            return
        offered = self._offered(sent)
        added = {"tools": recalls.tools_with(sent.call, offered)} if offered else {}
        window = wires.window_of(sent.call, sent.request)
        sent.thread.window, sent.thread.covers = window, len(sent.digests)
        sent.body = wires.with_messages(sent.call, window, **added)

    def _offered(self, sent: Sent) -> tuple[ToolDef, ...]:
        if not sent.offers:
            return ()
        if not self._tools:
            self._tools = tuple(one.definition for one in self.engine.tools(sent.thread.id))
        return self._tools

    async def recover(self, sent: Sent, error: object) -> bool:
        """Decide what is sent after the provider refused a call as too long, or because of its thinking; False if it
        refused it for another reason, or did so before.
        """
        if sent.recovered or sent.looks:
            return False
        sent.recovered = True
        try:
            async with sent.lock:
                sent.request = await sent.talk.recover(error)
                self._use_window(sent)
        except PalimpsestError:
            return False
        except Exception as fault:  # noqa: BLE001  (the provider's answer goes on)
            self._fault("a refusal is passed on", fault)
            return False
        self.counts.recovered += 1
        return True

    async def answer(self, sent: Sent, completion: Completion) -> bool:
        """Answer the calls of a reply that are for the proxy. True if the model is to be asked again with `sent.body`;
        otherwise the reply goes to the client, without those calls.
        """
        message = completion.message
        own, others = recalls.split_calls(message) if message is not None else ([], False)
        if message is None or not own:
            return False
        try:
            spent = len(sent.rounds) >= 2 * recalls.MAX_ROUNDS
            texts: dict[str, str] = {}
            for call in own:
                given = sent.talk.tools()
                texts[call.id] = recalls.SPENT if spent else await given.call(call.name, call.arguments)
            self.counts.recalls += len(own)
            said = [message, recalls.answers(texts)]
            async with sent.lock:
                if sent.serial != sent.thread.serial:
                    return False
                await sent.talk.append(*said)
                sent.rounds += said
                if others or len(sent.rounds) > 2 * recalls.MAX_ROUNDS + 2:
                    self._hide(sent)
                    return False
                await self._decide(sent)
        except Exception as error:  # noqa: BLE001  (the reply goes to the client)
            self._fault("a call of a recall tool was not answered", error)
            return False
        return True

    def _hide(self, sent: Sent) -> None:
        """Remember what stands in the thread where the client has only a part of it."""
        at = len(sent.digests)
        hidden = [one for one in sent.thread.hidden if one.at < at]
        made = recalls.Hidden(at, recalls.chain_of(sent.digests), tuple(sent.rounds))
        sent.thread.hidden = [*hidden, made][-recalls.MAX_HIDDEN :]

    async def finish(self, sent: Sent, completion: Completion) -> None:
        """Store a reply with its usage, and end the turn if the model called no tool."""
        message = completion.message
        if message is None:
            return
        if sent.looks:
            sent.thread.replies[1] = message.text
            return
        try:
            async with sent.lock:
                if sent.serial != sent.thread.serial:
                    return
                sent.thread.serial += 1
                if message.text:
                    sent.thread.replies[0] = message.text
                if sent.rounds:
                    sent.rounds.append(message)
                    self._hide(sent)
                stored = await sent.talk.append(message)
                sent.thread.stored, sent.thread.reply = stored[-1].seq, shared_identity(message)
                if sent.thread.agent is not None:
                    source, sent.thread.agent = sent.thread.agent, None
                    await state_of(sent.talk).engine_state.note_source(source, self.folder)
                if completion.usage is not None and sent.request is not None:
                    await sent.talk.record_usage(completion.usage, sent.request)
                if not message.calls:
                    await sent.talk.end_turn()
        except Exception as error:  # noqa: BLE001  (the reply has been passed on)
            self._fault("a reply was passed on, and is stored with the next request", error)

    def _session(self, name: str) -> Session:
        """A session; of very many, the one that was used longest ago is dropped."""
        known = self._sessions.pop(name, None) or Session()
        self._sessions[name] = known
        while len(self._sessions) > MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return known

    async def _stored_place(
        self,
        session: Session,
        name: str,
        history: list[object],
        digests: Digests,
        texts: Callable[[], Sequence[str]],
    ) -> Place:
        """Find the conversation of an earlier run that a history continues."""
        if not name:
            return await self._stored_unnamed(session, history, digests)
        if session.stored is None:
            first = PREFIX + name
            known = [one.id for one in await self.engine.conversations()]
            session.stored = [one for one in known if one == first or one.startswith(f"{first}/")]
        held = {one.id for one in session.threads}
        names = [one for one in session.stored if one not in held][:MAX_STORED]
        if not names:
            return Place(None)
        sent = [shared_identity(one) for one in parse_messages(history, None).messages]
        found = [await self._stored_thread(one, history, digests, sent) for one in names]
        best, fit = max(found, key=lambda one: one[1])
        if fit <= 0:
            for thread, _ in found:
                if through := threads.quoted_through(thread.replies[0], texts()):
                    return Place(session.add(thread), through)
            return Place(None)
        return Place(session.add(best))

    async def _stored_unnamed(self, session: Session, history: list[object], digests: Digests) -> Place:
        """Without a session, only a history that begins with a whole stored one continues it."""
        if len(history) < 2:
            return Place(None)
        found = await self.engine.resolve(history)
        if (
            found is None
            or not found.id.startswith(PREFIX)
            or any(one.id == found.id for one in session.threads)
        ):
            return Place(None)
        sent = [shared_identity(one) for one in parse_messages(history, None).messages]
        thread, fit = await self._stored_thread(found.id, history, digests, sent)
        return Place(session.add(thread)) if fit >= 1 else Place(None)

    async def _stored_thread(
        self, name: str, history: list[object], digests: Digests, sent: Sequence[bytes]
    ) -> tuple[Thread, float]:
        """A thread of an earlier run, and how well a history fits it: 1 or more for a shared beginning, above 0 for
        one that shares most messages.
        """
        thread = Thread(name)
        stored = await self.engine.conversation(name).messages(1, MAX_MESSAGES)
        said = (one.message for one in reversed(stored) if one.message.role == "assistant")
        thread.replies[0] = next((one.text for one in said if one.text), "")
        messages = [one.message for one in stored]
        if self.inject_tools:
            thread.hidden = recalls.found_again(messages, history, digests)
            messages = recalls.shown(messages)
        known = [shared_identity(one) for one in messages]
        shared = threads.shared_beginning(known, sent)
        if shared and shared in (len(known), len(sent)):
            return thread, 1 + shared
        least = min(len(known), len(sent))
        common = len(set(known) & set(sent))
        return thread, common / least if least and 2 * common >= least else 0

    def _fault(self, what: str, error: Exception) -> None:
        self.counts.faults += 1
        LOGGER.warning("%s: %s: %s", what, type(error).__name__, redact_error_text(str(error))[:ERROR_CHARS])


def _new_id(name: str, session: Session) -> str:
    if not name:
        return f"{PREFIX}{time.strftime('%Y%m%d')}-{uuid.uuid4().hex[:12]}"
    taken = len({*(one.id for one in session.threads), *(session.stored or ())})
    return f"{PREFIX}{name}/{taken + 1}" if taken else PREFIX + name


def _has_changed(talk: Conversation, request: Request) -> bool:
    """Whether the window of the last request shows anything but the messages as they were stored."""
    window = state_of(talk).last_window
    return bool(window.changed or window.records or request.injections)


def _new_messages(thread: Thread, history: list[object], digests: Digests) -> Sequence[Message] | None:
    """What follows the last reply, if a history is the last one with that reply and more behind it."""
    known = len(thread.digests)
    if not thread.stored or not known or len(history) <= known or digests[:known] != thread.digests:
        return None
    parsed = parse_messages(history[known:], time.time())
    messages = (*parsed.leading, *parsed.messages)
    if len(messages) < 2 or shared_identity(messages[0]) != thread.reply:
        return None
    return messages[1:]


def _note_other_request(talk: Conversation) -> None:
    """Note that the model was not sent the request that was made last: its thinking belongs to another prefix."""
    state = state_of(talk)
    if state.answering is not None:
        state.answering = (state.answering[0], ELSEWHERE)
