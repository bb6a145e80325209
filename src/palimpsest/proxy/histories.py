"""Read the history of a call at the cost of what is new in it.

A client sends its whole history each time. The last ones of a session are remembered as bytes, with the end of each
message. Of a history that begins with the same bytes, only the messages behind them are parsed. Cache marks are left
out: they move, and change nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import cast

import msgspec

MARK = "cache_control"
MAX_BYTES = 64_000_000
"""Bytes of remembered histories; those of the sessions that were used longest ago are dropped."""

MAX_HISTORIES = 4
"""Histories remembered of one session: its main one, and those of subagents."""

DIGEST_BYTES = 12
_MARK = MARK.encode()
_serialize = msgspec.msgpack.Encoder().encode
_parts = msgspec.json.Decoder(list[msgspec.Raw]).decode


@dataclass(frozen=True, slots=True)
class History:
    """The messages or items of a history with their digests. `raw` are its bytes, `ends` where
    its messages end, up to the first that is no object."""

    messages: list[object]
    digests: tuple[bytes, ...]
    raw: bytes = b""
    ends: tuple[int, ...] = ()


@dataclass(slots=True)
class Histories:
    """The last histories of each session."""

    max_bytes: int = MAX_BYTES
    size: int = 0
    _known: OrderedDict[str, list[History]] = field(default_factory=OrderedDict[str, list[History]])

    def read(self, name: str, raw: bytes) -> History:
        """Read a history of a session. Raises ValueError for what is no JSON list."""
        known = self._known.get(name, [])
        best, count = None, 0
        for one in known:
            shared = _shared(one, raw)
            if shared > count:
                best, count = one, shared
        made = _read(raw, best, count)
        kept = [one for one in known if one is not best] if count * 2 > len(made.ends) else known
        self._keep(name, [made, *kept][:MAX_HISTORIES])
        return made

    def _keep(self, name: str, histories: list[History]) -> None:
        self.size += sum(len(one.raw) for one in histories)
        self.size -= sum(len(one.raw) for one in self._known.pop(name, ()))
        self._known[name] = histories
        while self.size > self.max_bytes and self._known:
            _, dropped = self._known.popitem(last=False)
            self.size -= sum(len(one.raw) for one in dropped)


def plain_history(messages: Sequence[object]) -> History:
    """Return the history of parsed messages, which is not remembered."""
    return History(list(messages), tuple(map(_digest, messages)))


def _shared(known: History, raw: bytes) -> int:
    """With how many messages of a known history these bytes begin."""
    first, second = memoryview(known.raw), memoryview(raw)
    low, high = 0, len(known.ends)
    if high and first[: known.ends[-1]] == second[: known.ends[-1]]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        end = known.ends[middle - 1]
        if first[:end] == second[:end]:
            low = middle
        else:
            high = middle - 1
    return low


def _read(raw: bytes, known: History | None, count: int) -> History:
    start = known.ends[count - 1] if known is not None and count else 0
    tail = b"[" + raw[start:].lstrip(b" \t\r\n").removeprefix(b",") if start else raw
    messages = known.messages[:count] if known is not None else []
    digests = list(known.digests[:count]) if known is not None else []
    ends = list(known.ends[:count]) if known is not None else []
    for part in _parts(tail):
        data = bytes(part)
        start = raw.index(data, start) + len(data)
        message: object = msgspec.json.decode(data)
        if _MARK in data:
            message = without_marks(message)
        messages.append(message)
        digests.append(_digest(message))
        if len(ends) + 1 == len(digests) and data.endswith(b"}"):
            ends.append(start)
    return History(messages, tuple(digests), raw, tuple(ends))


def _digest(message: object) -> bytes:
    try:
        data = _serialize(message)
    except OverflowError:
        data = repr(message).encode("utf-8", "replace")
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


def without_marks(value: object) -> object:
    """Return a value without cache marks at any depth."""
    if isinstance(value, list):
        return [without_marks(one) for one in cast("list[object]", value)]
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {key: without_marks(one) for key, one in fields.items() if key != MARK}
    return value
