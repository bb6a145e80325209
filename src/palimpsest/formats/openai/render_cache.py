"""A cache of rendered chat dicts for a growing history.

A message's rendering depends only on the messages since the assistant message before it, unless a result answers an
earlier call (`tool_pairing`). So the dicts before the newest assistant message are kept, as long as the same message
objects come again. Every request gets its own dicts, because clients change them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import cast

from palimpsest.formats.openai.request import rendered_messages
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import Message


@dataclass(slots=True)
class RenderCache:
    """The last rendering: messages up to a cut, and their dicts."""

    _kept: tuple[tuple[Message, ...], list[Fields]] = field(default=((), []), repr=False)

    def messages(self, given: Sequence[Message]) -> list[Fields]:
        """Return the dicts of these messages, as `rendered_messages` returns them."""
        known, found = self._kept
        begins = (
            len(given) >= len(known) and all(map(is_, known, given)) and _stands_alone(given[len(known) :])
        )
        known, found = (known, found) if begins else ((), [])
        rest = given[len(known) :]
        cut = next((at for at in range(len(rest) - 1, 0, -1) if rest[at].role == "assistant"), 0)
        if not cut or not _stands_alone(rest[cut:]):
            return [*map(_copied, found), *rendered_messages(rest)]
        new = rendered_messages(rest[:cut])
        self._kept = ((*known, *rest[:cut]), [*found, *map(_copied, new)])
        return [*map(_copied, found), *new, *rendered_messages(rest[cut:])]


def _stands_alone(messages: Sequence[Message]) -> bool:
    """Return whether every result among these messages answers a call before it among them."""
    called: set[str] = set()
    for message in messages:
        called.update(call.id for call in message.calls)
        if not all(result.call_id in called for result in message.results):
            return False
    return True


def _copied(fields: Fields) -> Fields:
    return {key: _copy(value) for key, value in fields.items()}


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return _copied(cast("Fields", value))
    return [_copy(inner) for inner in cast("list[object]", value)] if isinstance(value, list) else value
