"""What an engine learnt of a conversation that its messages do not say, kept so that a restart does not forget it.

- When the summarizer last failed: a model that is down is not asked again within the cooldown, by the next process
  neither.
- Whether compactions help: where two did not, the next process rests as well.
- Which messages hold secrets. The secrets themselves are never kept: the messages are read again, so that a password
  that one message called so is known wherever it stands bare, and is forgotten with its message.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, cast

from palimpsest.budget.compaction_effect import Effect
from palimpsest.record.log import Stored

if TYPE_CHECKING:
    from palimpsest.redaction.redactor import Redactor

if TYPE_CHECKING:
    from palimpsest.ports import Store

MAX_SECRET_MESSAGES = 1_000
"""Messages with secrets that others do not hold which are remembered, the newest."""


@dataclass(slots=True)
class Memo:
    """The memo of one conversation. `effect` and `failed_s` as in `State` and `budget.effect`."""

    store: Store
    owner: str
    conversation: str
    failed_s: float | None = None
    effect: Effect = field(default_factory=Effect)
    _redactor: Redactor | None = field(default=None, repr=False)
    _unread: tuple[str, ...] = ()
    _saved: str | None = None

    async def load(self) -> None:
        """Take over what was kept, once."""
        if self._saved is not None:
            return
        body = await self.store.memo(self.owner, self.conversation)
        if self._saved is None:
            self._saved = body
            self._take(body)

    def _take(self, body: str) -> None:
        kept = _read(body)
        failed_s, effect = kept.get("failed_s"), kept.get("effect")
        if isinstance(failed_s, int | float) and self.failed_s is None:
            self.failed_s = float(failed_s)
        if isinstance(effect, dict) and self.effect == Effect():
            self.effect = _effect(cast("dict[str, object]", effect))
        self._unread = _secrets(kept)

    async def redactor(self) -> Redactor:
        """The secrets of the conversation that are known; whoever reads more of it adds to them."""
        from palimpsest.engine.compacting.model_calls import give_way
        from palimpsest.record.summary_source import MessageEntry, Source
        from palimpsest.redaction.redactor import Redactor, protect

        known = self._redactor = self._redactor or Redactor()
        while self._unread:
            ids, self._unread = self._unread, ()
            found = await self.store.read(self.owner, ids)
            held = [found[one][1] for one in ids if one in found and found[one][0] == self.conversation]
            entries = tuple(
                MessageEntry(one.id, one.message, one.tokens) for one in held if isinstance(one, Stored)
            )
            await give_way(protect(Source("leaf", entries), known))
        return known

    async def save(self) -> None:
        """Keep what has changed since it was last kept; messages in which others found secrets meanwhile stay known."""
        body = self._body()
        if self._saved is None or body == self._saved:
            return
        stands = await self.store.memo(self.owner, self.conversation)
        if stands != self._saved:
            known = self._secret()
            self._unread = (*(one for one in _secrets(_read(stands)) if one not in known), *self._unread)
            body = self._body()
        self._saved = body
        await self.store.save_memo(self.owner, self.conversation, body)

    def _secret(self) -> tuple[str, ...]:
        """The ids of messages that hold secrets, as far as they are known."""
        return (*self._unread, *(self._redactor.places if self._redactor is not None else ()))

    def _body(self) -> str:
        known = self._secret()[-MAX_SECRET_MESSAGES:]
        effect = self.effect
        tells = effect.awaiting or effect.strikes or effect.rest_until_tokens
        kept = {
            "failed_s": self.failed_s,
            "effect": asdict(effect) if tells else None,
            "secrets": list(known),
        }
        kept = {key: value for key, value in kept.items() if value}
        return json.dumps(kept, sort_keys=True) if kept else ""


def _read(body: str) -> dict[str, object]:
    """A memo as it was kept; {} for one that cannot be read."""
    try:
        value: object = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _secrets(kept: dict[str, object]) -> tuple[str, ...]:
    """The ids of the newest messages that hold secrets."""
    ids = kept.get("secrets")
    newest = cast("list[object]", ids)[-MAX_SECRET_MESSAGES:] if isinstance(ids, list) else ()
    return tuple(one for one in newest if isinstance(one, str))


def _effect(kept: dict[str, object]) -> Effect:
    def number(name: str) -> int:
        value = kept.get(name)
        return value if isinstance(value, int) else 0

    mark = kept.get("mark")
    return Effect(
        number("reported_tokens"),
        mark if isinstance(mark, str) else "",
        awaiting=kept.get("awaiting") is True,
        strikes=number("strikes"),
        rest_until_tokens=number("rest_until_tokens"),
    )
