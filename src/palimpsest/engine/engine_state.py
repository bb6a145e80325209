"""What an engine learnt of a conversation, stored so that the next process knows it.

- When the summarizer last failed: a model that is down is not asked again within the cooldown.
- Whether compactions help: after two that did not, automatic compaction rests.
- The agent and the folder of the conversation, for lists (see `record/conversation_source.py`).
- What its requests begin with, how often that changed (see `appended_changes`), and up to where the provider refused
  thinking.
- Which messages hold secrets. The secrets themselves are never stored: these messages are read again, so that their
  secrets are known wherever they occur, and are forgotten together with their messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import msgspec

from palimpsest.budget.compaction_effect import Effect
from palimpsest.budget.request_start import SentStart
from palimpsest.record.log import Stored

if TYPE_CHECKING:
    from palimpsest.ports import Store
    from palimpsest.record.summary_source import MessageEntry
    from palimpsest.redaction.redactor import Redactor

MAX_SECRET_MESSAGES = 1_000
"""Messages with secrets that are remembered, the newest."""


@dataclass(slots=True)
class EngineState:
    """The stored state of one conversation. `failed_s` is when its summarizer last failed."""

    store: Store
    owner: str
    conversation: str
    failed_s: float | None = None
    effect: Effect = field(default_factory=Effect)
    start: SentStart | None = None
    breaks: dict[str, int] = field(default_factory=dict[str, int])
    unbound_from: int = 0
    agent: str = ""
    folder: str = ""
    keeps_said_secrets: bool = False
    _redactor: Redactor | None = field(default=None, repr=False)
    _unread: tuple[str, ...] = ()
    _saved: str | None = None

    async def load(self) -> None:
        """Load what was stored, once."""
        if self._saved is not None:
            return
        body = await self.store.memo(self.owner, self.conversation)
        if self._saved is None:
            self._saved, loaded = body, _parse(body)
            self.failed_s = loaded.failed_s if self.failed_s is None else self.failed_s
            if loaded.effect is not None and self.effect == Effect():
                self.effect = loaded.effect
            self.start = self.start or loaded.start
            self.breaks = {**loaded.breaks, **self.breaks}
            self.unbound_from = max(self.unbound_from, loaded.unbound_from)
            self.agent, self.folder = self.agent or loaded.agent, self.folder or loaded.folder
            self._unread = loaded.secrets[-MAX_SECRET_MESSAGES:]

    def note_break(self, reason: str) -> None:
        """Count a request that does not begin as the one before it."""
        self.breaks[reason] = self.breaks.get(reason, 0) + 1

    async def note_source(self, agent: str, folder: str) -> None:
        """Store the agent and the folder of the conversation, unless they are unknown or stored already."""
        await self.load()
        self.agent, self.folder = agent or self.agent, folder or self.folder
        await self.save()

    async def redactor(self) -> Redactor:
        """The conversation's redactor, with its known secrets; further messages that are read add theirs."""
        from palimpsest.redaction.redactor import Redactor

        redactor = self._redactor = self._redactor or Redactor(self.keeps_said_secrets)
        while self._unread:
            ids, self._unread = self._unread, ()
            found = await self.store.read(self.owner, ids)
            held = [found[one][1] for one in ids if one in found and found[one][0] == self.conversation]
            await protect_messages([one for one in held if isinstance(one, Stored)], redactor)
        return redactor

    async def save(self) -> None:
        """Store what has changed. Messages in which another process found secrets meanwhile stay known."""
        body = self._body()
        if self._saved is None or body == self._saved:
            return
        stored = await self.store.memo(self.owner, self.conversation)
        if stored != self._saved:
            known = self._known_secret_ids()
            self._unread = (*(one for one in _parse(stored).secrets if one not in known), *self._unread)
            body = self._body()
        self._saved = body
        await self.store.save_memo(self.owner, self.conversation, body)

    def _known_secret_ids(self) -> tuple[str, ...]:
        return (*self._unread, *(self._redactor.places if self._redactor is not None else ()))

    def _body(self) -> str:
        effect = self.effect
        matters = effect.awaiting or effect.strikes or effect.rest_until_tokens
        fields = {
            "failed_s": self.failed_s,
            "effect": asdict(effect) if matters else None,
            "start": asdict(self.start) if self.start is not None else None,
            "breaks": self.breaks,
            "unbound_from": self.unbound_from,
            "agent": self.agent,
            "folder": self.folder,
            "secrets": list(self._known_secret_ids()[-MAX_SECRET_MESSAGES:]),
        }
        fields = {key: value for key, value in fields.items() if value}
        return json.dumps(fields, sort_keys=True) if fields else ""


async def protect_messages(messages: Iterable[Stored], redactor: Redactor) -> list[MessageEntry]:
    """The messages without their secrets, which the redactor knows from then on."""
    from palimpsest.engine.background_pauses import give_way
    from palimpsest.record.summary_source import MessageEntry, Source
    from palimpsest.redaction.redactor import protect

    entries = tuple(MessageEntry(one.id, one.message, one.tokens) for one in messages)
    source, _ = await give_way(protect(Source("leaf", entries), redactor))
    return [one for one in source.entries if isinstance(one, MessageEntry)]


@dataclass(frozen=True, slots=True)
class _Body:
    """The stored fields."""

    failed_s: float | None = None
    effect: Effect | None = None
    start: SentStart | None = None
    breaks: dict[str, int] = field(default_factory=dict[str, int])
    unbound_from: int = 0
    agent: str = ""
    folder: str = ""
    secrets: tuple[str, ...] = ()


def _parse(body: str) -> _Body:
    """The stored fields; the defaults for a body that cannot be read."""
    try:
        return msgspec.json.decode(body, type=_Body) if body else _Body()
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return _Body()
