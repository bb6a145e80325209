"""Send thinking exactly while its prefix stands.

Some Claude models bind each thinking block to what was before it: system prompt, tools, messages, and the thinking
blocks among them. They refuse a request in which any of that has changed. Source: Anthropic's page "Preserved
thinking".

The digest of a request is a chain: it begins with system texts and tools, and each message adds its own. The engine
stores with each reply the digest of the request that it answers. A later request sends the reply's thinking if its
own chain has the same digest at that place, and leaves it out otherwise. Thinking that is left out changes the chain,
so everything that was made after it is left out as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from palimpsest.formats.anthropic.model_abilities import is_same_model
from palimpsest.record.message import Message, Reasoning, ToolDef

BOUND_WIRES = frozenset(("anthropic",))
"""The forms whose signed reasoning may be bound to its prefix. The others' formats have rules of their own."""

ELSEWHERE = "elsewhere"
"""The prefix of a reply that answers another request than the last one. It stands behind no request."""

_encode = msgspec.msgpack.Encoder().encode


def is_bound(message: Message) -> bool:
    """Whether a message has reasoning that may be bound to what precedes it."""
    return message.wire in BOUND_WIRES and any(
        isinstance(part, Reasoning) and (part.signature or part.redacted) for part in message.parts
    )


def without_reasoning(message: Message) -> Message:
    """The message without its reasoning."""
    return replace(message, parts=tuple(part for part in message.parts if not isinstance(part, Reasoning)))


@dataclass(frozen=True, slots=True)
class Chain:
    """The messages of a request as they were `given` and as they are `sent`, and the digest after each one.

    `start` is the digest of what precedes the messages. `rule` says by what rule reasoning was left out.
    """

    start: str
    given: tuple[Message, ...]
    sent: tuple[Message, ...]
    digests: tuple[str, ...]
    rule: tuple[bool, bool, str]

    @property
    def digest(self) -> str:
        """The digest of the whole request."""
        return self.digests[-1] if self.digests else self.start

    def then(self, messages: Sequence[Message]) -> str:
        """The digest of the request with these messages after it."""
        digest = self.digest
        for message in messages:
            digest = _after(digest, message)
        return digest


def start_digest(texts: Sequence[str], tools: Sequence[ToolDef]) -> str:
    """The digest of system texts and tools."""
    return _digest("", (tuple(texts), tuple(tools)))


def make_chain(
    start: str,
    given: tuple[Message, ...],
    before: Chain | None,
    *,
    checks: bool,
    trusts_unknown: bool,
    model: str = "",
) -> Chain:
    """The chain of a request. What it shares with the one `before` is not computed again.

    Unless it `checks`, all reasoning is sent. `trusts_unknown` sends reasoning whose own prefix is unknown. Reasoning
    of another model than `model` is left out.
    """
    rule, known = (checks, trusts_unknown, model), 0
    if before is not None and (before.start, before.rule) == (start, rule):
        known = _shared(before.given, given)
    first_sent, first_digests = (
        (before.sent[:known], before.digests[:known]) if before is not None else ((), ())
    )
    sent: list[Message] = []
    digests: list[str] = []
    digest = first_digests[-1] if first_digests else start
    for message in given[known:]:
        shown = message
        if checks and is_bound(message):
            stands = message.prefix == digest if message.prefix else trusts_unknown
            stands = stands and is_same_model(message.model, model)
            shown = message if stands else without_reasoning(message)
        digest = _after(digest, shown, start)
        sent.append(shown)
        digests.append(digest)
    return Chain(start, given, (*first_sent, *sent), (*first_digests, *digests), rule)


def _shared(before: tuple[Message, ...], given: tuple[Message, ...]) -> int:
    """How many messages two requests share from their start."""
    size = min(len(before), len(given))
    if before[:size] == given[:size]:
        return size
    return next(place for place in range(size) if before[place] != given[place])


def _after(digest: str, message: Message, start: str = "") -> str:
    stands_for = message.prefix.partition("/")
    if stands_for[1] and stands_for[0] == start:
        return stands_for[2]
    return _digest(digest, (message.role, message.name, message.wire, message.extra, message.parts))


def _digest(before: str, value: object) -> str:
    try:
        data = _encode(value)
    except UnicodeEncodeError:  # lone surrogates have no UTF-8 form
        data = repr(value).encode("utf-8", "surrogatepass")
    return hashlib.sha256(before.encode() + data).hexdigest()[:32]
