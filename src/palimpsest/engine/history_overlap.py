"""Find where a shortened history belongs: a client that resends only its newest messages, or its own summary and some.

- Messages are compared by identity (`record/chain.py`), in order. The ordinal of an answered call is left out, because
  the call may be among what the client dropped.
- An overlap counts only if the client left something out: the overlap begins later in the stored history than in the
  sent one. A history of the same length with an edited message in it is an edit, and becomes a branch.
- A short overlap can be an accident ("yes" is said often). So the overlap must be longer than what is unknown before
  it, with the exceptions in `accepted`; otherwise the history becomes a branch, which loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec

from palimpsest.engine.message_input import parse_messages
from palimpsest.formats import openai
from palimpsest.record.chain import identity
from palimpsest.record.forgetting import is_blank
from palimpsest.record.message import Message

if TYPE_CHECKING:
    from palimpsest.record.log import Branch, Stored

MAX_COMPARISONS_EACH = 16
"""Comparisons for each sent message, on average; a repetitive history could need the square of its length."""

MAX_PLACES = 8
"""Stored places of one message that are tried, the newest first."""

SUMMARY_MESSAGES = 2
"""Messages in which a client gives its own summary: the summary, and an acknowledgement."""

MIN_CHARS_AFTER_UNKNOWN = 48
"""Size of an overlap that follows unknown messages; short answers occur again by accident."""

MIN_INNER_RUN = 2
MIN_RUN_AFTER_PREFIX = 3

MAX_HELD_BYTES = 4_000_000
"""Size of a shortened history in serialized form whose messages are remembered."""

DELETED = b""
"""The identity of a stored message that was deleted; it equals every other."""

_serialize = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True)
class Overlap:
    """The sent messages `start` to `end` (exclusive) are the stored ones up to position `through`, counted from 1."""

    start: int
    end: int
    through: int

    @property
    def dropped_through(self) -> int:
        """The position of the last stored message before the overlap."""
        return self.through - (self.end - self.start)


def shared_identity(message: Message) -> bytes:
    """Return what identifies a message wherever it stands in a history."""
    return DELETED if is_blank(message) else identity(message)


def overlap_at_end(sent: Sequence[bytes], known: Sequence[bytes], length: int) -> Overlap | None:
    """Return the longest run of sent messages that ends where the stored history ends.

    `known` are the newest identities of a stored history of `length` messages; as many as were sent are enough.
    """
    best_end = best = 0
    left = MAX_COMPARISONS_EACH * (len(sent) + 1)
    for end in range(len(sent), 0, -1):
        if end <= best or left < 0:
            break
        run, limit = 0, min(end, len(known))
        while run < limit and known[-1 - run] in (sent[end - 1 - run], DELETED):
            run += 1
        left -= run + 1
        if run > best:
            best_end, best = end, run
    return Overlap(best_end - best, best_end, length) if best else None


def overlap_inside(sent: Sequence[bytes], known: Sequence[bytes]) -> Overlap | None:
    """Return the longest run of sent messages anywhere in the whole stored history; of equal ones the newest."""
    places: dict[bytes, list[int]] = {}
    for place in range(len(known) - 1, -1, -1):
        found = places.setdefault(known[place], [])
        if len(found) < MAX_PLACES:
            found.append(place)
    best: Overlap | None = None
    size, start, left = 0, 0, MAX_COMPARISONS_EACH * (len(sent) + 1)
    while start + size < len(sent) and left > 0:
        longest = 0
        for place in places.get(sent[start], ()) if sent[start] else ():
            run, limit = 1, min(len(sent) - start, len(known) - place)
            while run < limit and known[place + run] in (sent[start + run], DELETED):
                run += 1
            left -= run
            longest = max(longest, run)
            if run > size:
                size, best = run, Overlap(start, start + run, place + run)
        start += max(1, longest)
        left -= 1
    return best


def accepted(overlap: Overlap, prefix: int, chars: int, *, at_end: bool) -> bool:
    """Return whether an overlap is evidence that the client shortened its history.

    `prefix` is how many sent messages, from the first on, are known as the beginning of a history, and `chars` the size
    of the overlap.
    """
    run = overlap.end - overlap.start
    if overlap.dropped_through <= overlap.start:
        return False
    if overlap.start > prefix and chars < MIN_CHARS_AFTER_UNKNOWN:
        return False
    if prefix:
        return (
            at_end
            and run >= MIN_RUN_AFTER_PREFIX
            and run > max(overlap.start - prefix, prefix - overlap.start)
        )
    if not at_end:
        return run >= MIN_INNER_RUN and run > overlap.start
    return overlap.start <= SUMMARY_MESSAGES or run > overlap.start


def size_of(messages: Sequence[Message]) -> int:
    """Return the characters of messages: texts, arguments of calls, results."""
    return sum(
        len(one.text)
        + sum(len(call.arguments) for call in one.calls)
        + sum(len(result.text) for result in one.results)
        for one in messages
    )


def summary_before(messages: Sequence[Message], overlap: Overlap, prefix: int) -> str:
    """Return the text that the client put in place of what it dropped, "" for none.

    Tool calls and results there are shortened forms of stored messages, not a summary.
    """
    unknown = messages[prefix : overlap.start]
    return "\n\n".join(one.text for one in unknown if one.text.strip() and not one.calls and not one.results)


@dataclass(frozen=True, slots=True)
class KnownEnd:
    """The newest identities of a branch, up to its head."""

    branch: Branch
    identities: tuple[bytes, ...]

    def continues(self, branch: Branch) -> bool:
        """Whether the branch only grew since."""
        own = self.branch
        return (own.id, own.purged) == (branch.id, branch.purged) and own.head.seq <= branch.head.seq

    def grown(self, branch: Branch, stored: Sequence[Stored], size: int) -> KnownEnd:
        """Add what the branch has more, and keep the newest `size`."""
        more = [shared_identity(one.message) for one in stored]
        return KnownEnd(branch, (*self.identities, *more)[-size:])


@dataclass(slots=True)
class ShortenedHistory:
    """The messages of the last history that was matched by overlap, by the digests of the client's dicts, to parse only
    what is new. `end` is the end of the branch it continued.
    """

    messages: Mapping[bytes, tuple[Message, ...]] = field(default_factory=dict[bytes, tuple[Message, ...]])
    identities: Mapping[bytes, tuple[bytes, ...]] = field(default_factory=dict[bytes, tuple[bytes, ...]])
    end: KnownEnd | None = None

    def parse(self, history: Sequence[object], now_s: float) -> ParsedShort | None:
        """Parse what is not remembered; None if the history is no list of plain dicts."""
        keys = digests(history)
        if keys is None or any(map(openai.may_be_item, history)):
            return None
        found: list[tuple[Message, ...]] = []
        known: list[tuple[bytes, ...]] = []
        for place, (key, one) in enumerate(zip(keys, history, strict=True)):
            messages = self.messages.get(key)
            if messages is None:
                messages = parse_messages([one], now_s, first=place, begun=True).messages
            found.append(messages)
            known.append(self.identities.get(key) or tuple(map(shared_identity, messages)))
        return ParsedShort(keys, tuple(found), tuple(known))

    def remember(self, parsed: ParsedShort, end: KnownEnd) -> None:
        """Remember a history that was matched."""
        self.messages = dict(zip(parsed.keys, parsed.messages, strict=True))
        self.identities = dict(zip(parsed.keys, parsed.identities, strict=True))
        self.end = end


@dataclass(frozen=True, slots=True)
class ParsedShort:
    """A history, dict by dict: the digest of the dict, its messages, and their identities."""

    keys: tuple[bytes, ...]
    messages: tuple[tuple[Message, ...], ...]
    identities: tuple[tuple[bytes, ...], ...]

    def split(self) -> tuple[str | None, tuple[Message, ...], tuple[bytes, ...]]:
        """Return the leading system prompts joined, and the other messages with their identities."""
        messages = [one for some in self.messages for one in some]
        known = [one for some in self.identities for one in some]
        start = next((place for place, one in enumerate(messages) if one.role != "system"), len(messages))
        system = "\n\n".join(one.text for one in messages[:start]) if start else None
        return system, tuple(messages[start:]), tuple(known[start:])


def digests(history: Sequence[object]) -> tuple[bytes, ...] | None:
    """Return a digest of each dict; None for other values, and for more than `MAX_HELD_BYTES`."""
    found: list[bytes] = []
    size = 0
    for one in history:
        if type(one) is not dict:
            return None
        try:
            data = _serialize(one)
        except (TypeError, ValueError, OverflowError, RecursionError):
            return None
        size += len(data)
        if size > MAX_HELD_BYTES:
            return None
        found.append(blake2b(data, digest_size=16).digest())
    return tuple(found)
