"""Conversations behind the proxy: store what a client sends, and decide what is sent on.

Every failure here is logged and counted, and the request goes on as it came.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from palimpsest.engine.conversation import state_of
from palimpsest.errors import PalimpsestError
from palimpsest.formats import wire_fields
from palimpsest.proxy import threads, wires
from palimpsest.proxy.threads import Session, Thread
from palimpsest.proxy.wires import Body, Call

if TYPE_CHECKING:
    from palimpsest.budget.assemble import Request
    from palimpsest.engine.conversation import Conversation
    from palimpsest.engine.engine import Engine
    from palimpsest.record.completion import Completion

LOGGER = logging.getLogger("palimpsest.proxy")
MAX_SESSIONS = 1_000
"""Sessions remembered; the one that was used longest ago is dropped, and found again in the store."""


@dataclass(slots=True)
class Sent:
    """A call on its way: what is sent in place of the client's body, None for the body as it came."""

    call: Call
    thread: Thread
    talk: Conversation
    request: Request
    body: Body | None = None
    recovered: bool = False


@dataclass(slots=True)
class Counts:
    """What the proxy did since it was started."""

    calls: int = 0
    rewritten: int = 0
    recovered: int = 0
    faults: int = 0
    passed: int = 0


@dataclass(slots=True)
class Conversations:
    """The conversations of all sessions. Calls of one session are prepared one after the other."""

    engine: Engine
    counts: Counts = field(default_factory=Counts)
    _sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock])

    async def prepare(self, call: Call, headers: Mapping[str, str]) -> Sent | None:
        """Store the history of a call and decide what is sent. None where the call is not kept, or after a fault."""
        name = threads.session_of(headers, call)
        self.counts.calls += 1
        try:
            async with self._locks.setdefault(name, asyncio.Lock()):
                return await self._prepare(call, name)
        except Exception as error:  # noqa: BLE001  (the request goes on as it came)
            self._fault("the request goes on as it came", error)
            return None

    async def _prepare(self, call: Call, name: str) -> Sent | None:
        history = wires.history_of(call)
        tools = threads.tools_digest(call)
        digests = threads.digests_of(history)
        session = await self._session(name)
        texts = [_text(one) for one in history[:8]] if name else []
        place = threads.place_of(session, digests, tools, texts, named=bool(name))
        thread = place.thread or session.add(Thread(_new_id(name, session)))
        thread.system = wires.system_of(call) if thread.system is None else thread.system
        talk = self.engine.conversation(thread.id)
        await talk.sync(history, summary_messages=place.summary_messages)
        thread.digests, thread.tools = digests, tools
        request = await talk.request(system=thread.system, tools=wires.tools_of(call), model=call.model_name)
        sent = Sent(call, thread, talk, request)
        if await _has_changed(talk):
            sent.body = wires.with_window(call, request)
            self.counts.rewritten += 1
        return sent

    async def recover(self, sent: Sent, error: object) -> bool:
        """Decide what is sent after the provider refused a call as too long, or because of its thinking; False if it
        refused it for another reason, or did so before.
        """
        if sent.recovered:
            return False
        sent.recovered = True
        try:
            sent.request = await sent.talk.recover(error)
            sent.body = wires.with_window(sent.call, sent.request)
        except PalimpsestError:
            return False
        except Exception as fault:  # noqa: BLE001  (the provider's answer goes on)
            self._fault("the refusal is passed on", fault)
            return False
        self.counts.recovered += 1
        return True

    async def finish(self, sent: Sent, completion: Completion) -> None:
        """Store a reply with its usage, and end the turn if the model called no tool."""
        try:
            message = completion.message
            if message is None:
                return
            sent.thread.reply = message.text
            await sent.talk.append(message)
            if completion.usage is not None:
                await sent.talk.record_usage(completion.usage, sent.request)
            if not message.calls:
                await sent.talk.end_turn()
        except Exception as error:  # noqa: BLE001  (the reply has been passed on)
            self._fault("the reply was passed on, and is stored with the next request", error)

    async def _session(self, name: str) -> Session:
        """The threads of a session; those of an earlier run are found in the store."""
        known = self._sessions.pop(name, None)
        if known is None:
            known = Session()
            if name:
                stored = [one.id for one in await self.engine.conversations()]
                mine = [one for one in stored if one == name or one.startswith(f"{name}/")]
                for one in sorted(mine, key=len):
                    known.add(await self._stored_thread(one))
        self._sessions[name] = known
        while len(self._sessions) > MAX_SESSIONS:
            oldest = next(iter(self._sessions))
            del self._sessions[oldest]
            self._locks.pop(oldest, None)
        return known

    async def _stored_thread(self, name: str) -> Thread:
        return Thread(name)

    def _fault(self, what: str, error: Exception) -> None:
        self.counts.faults += 1
        LOGGER.warning("%s: %s: %s", what, type(error).__name__, error)


def _new_id(name: str, session: Session) -> str:
    if not name:
        return f"proxy-{time.strftime('%Y%m%d')}-{uuid.uuid4().hex[:12]}"
    return name if not session.threads else f"{name}/{len(session.threads) + 1}"


async def _has_changed(talk: Conversation) -> bool:
    """Whether the window shows anything but the messages as they were stored."""
    _, window = await state_of(talk).load()
    return bool(window.changed or window.records)


def _text(message: object) -> str:
    """All text of a message dict."""
    found: list[str] = []
    stack: list[object] = [message]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, list):
            stack.extend(reversed(cast("list[object]", one)))
        elif isinstance(one, dict):
            fields = cast("wire_fields.Fields", one)
            stack.extend(fields[key] for key in ("parts", "content", "text") if key in fields)
    return "\n".join(found)
