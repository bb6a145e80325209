"""Store a history that a client sent: what it continues, and what of it is new.

A history is matched by its beginning (`Store.sync`), or by an overlap if the client shortened it (`history_overlap`). A
shortened history continues the stored one: nothing is stored twice, and what the client dropped stays part of the
conversation. A summary that the client put in its place is adopted as a compaction, like a transcript's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palimpsest.budget.result_truncation import limit_of
from palimpsest.engine.history_overlap import (
    DELETED,
    KnownEnd,
    Overlap,
    ShortenedHistory,
    accepted,
    overlap_at_end,
    overlap_inside,
    shared_identity,
    size_of,
    summary_before,
)
from palimpsest.engine.history_sync import ParsedHistory, parse_whole
from palimpsest.engine.message_input import count, may_truncate
from palimpsest.errors import StaleCommit
from palimpsest.plan.turns import units
from palimpsest.ports import Counted
from palimpsest.record.chain import Head, heads
from palimpsest.record.message import Message
from palimpsest.record.summary import Summary

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.ports import Synced
    from palimpsest.record.log import Branch, Stored

MAX_TRIES = 3
"""How often a history is stored again while others change the conversation."""

CLIENTS_REASON = "the client's own compaction"

SPARE_IDENTITIES = 64
"""Identities of the branch's end that are remembered beyond those of the sent history: the next may be longer."""


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """What the store did, the system prompts that the history begins with, and the client's own summary: how often it
    was adopted, and why not.
    """

    done: Synced
    system: str | None
    compactions: int = 0
    notes: tuple[str, ...] = ()


async def store_history(
    state: ConversationState, history: Sequence[object], summary_messages: int = 0
) -> StoredHistory:
    """Store a history, whose first `summary_messages` are a summary of what is stored.

    Raises FormatError, StoreError, and StaleCommit if others went on changing the conversation.
    """
    now_s = state.clock()
    history = list(history) if isinstance(history, list) else history
    if state.shortened.end is not None:
        short = state.shortened.parse(history, now_s)
        found = await _store_shortened(state, *short.split(), history) if short is not None else None
        if found is not None:
            return found
        state.shortened = ShortenedHistory()
    if summary_messages:
        whole = parse_whole(history, now_s)
        found = await _store_after_summary(state, whole, summary_messages, history)
        if found is not None:
            return found
    tries, tools = 0, state.prefix.tools
    parsed = state.sent_history.parse(history, now_s)
    if parsed.after is not None and not _knows_truncated_calls(parsed, state):
        parsed = state.sent_history.parse(history, now_s, whole=True)
    while True:
        tries += 1
        known = 0
        if parsed.after is None and tries < MAX_TRIES:
            known = await state.store.match(state.owner, state.conversation, parsed.messages, parsed.heads)
            if known < len(parsed.messages):
                found = await _store_shortened(state, parsed.system, parsed.messages, None, history, known)
                if found is not None:
                    return found
        messages = state.with_prefix_in(parsed)
        entries = count(messages, state.settings, tools=tools, known=known, calls=parsed.calls)
        try:
            done = await state.store.sync(
                state.owner,
                state.conversation,
                entries,
                now_s=state.clock(),
                known=parsed.heads,
                after=parsed.after,
            )
        except StaleCommit:
            if parsed.after is not None:
                parsed, tries = state.sent_history.parse(history, now_s, whole=True), 0
            elif tries >= MAX_TRIES:
                raise
            continue
        state.sent_history.remember(parsed)
        return StoredHistory(done, parsed.system)


async def _store_shortened(
    state: ConversationState,
    system: str | None,
    messages: tuple[Message, ...],
    identities: tuple[bytes, ...] | None,
    history: Sequence[object],
    prefix: int | None = None,
) -> StoredHistory | None:
    """Store a history that the client shortened; None if it did not. `identities` are those of the messages, and
    `prefix` is how many of them begin a known history, as far as the caller knows.
    """
    branch = await state.store.branch(state.owner, state.conversation)
    if branch is None or not branch.head.seq or not messages:
        return None
    prefix = await _known_prefix(state, messages) if prefix is None else prefix
    if prefix in (len(messages), branch.head.seq):
        return None
    sent = identities if identities is not None else tuple(map(shared_identity, messages))
    end = await _known_end(state, branch, sent)
    overlap = overlap_at_end(sent, end.identities, branch.head.seq) if end is not None else None
    head = branch.head
    if overlap is None or not accepted(overlap, prefix, _size(messages, overlap), at_end=True):
        if prefix:
            return None
        stored = await state.store.messages(state.owner, state.conversation, 1, branch.head.seq)
        overlap = overlap_inside(sent, [shared_identity(one.message) for one in stored])
        if overlap is None or not accepted(overlap, prefix, _size(messages, overlap), at_end=False):
            return None
        head = _head_at(stored, overlap.through)
    done = await _store_rest(state, messages, overlap, head, branch)
    adopted, notes = await _adopt_summary(state, messages, overlap, prefix)
    await _remember(state, history, branch, end, len(sent))
    return StoredHistory(done, system, adopted, notes)


def _size(messages: Sequence[Message], overlap: Overlap) -> int:
    return size_of(messages[overlap.start : overlap.end])


async def _store_after_summary(
    state: ConversationState, parsed: ParsedHistory, summary_messages: int, history: Sequence[object]
) -> StoredHistory | None:
    """Store what follows a summary of the whole conversation; None for a conversation without messages."""
    branch = await state.store.branch(state.owner, state.conversation)
    if branch is None or not branch.head.seq:
        return None
    end = min(summary_messages, len(parsed.messages))
    overlap = Overlap(end, end, branch.head.seq)
    done = await _store_rest(state, parsed.messages, overlap, branch.head, branch)
    adopted, notes = await _adopt_summary(state, parsed.messages, overlap, 0)
    await _remember(state, history, branch, KnownEnd(branch, ()), len(parsed.messages))
    return StoredHistory(done, parsed.system, adopted, notes)


async def _remember(
    state: ConversationState, history: Sequence[object], branch: Branch, end: KnownEnd | None, size: int
) -> None:
    """Remember a history that was matched, and the end of the branch that it continued."""
    short = state.shortened.parse(history, state.clock())
    now = await state.store.branch(state.owner, state.conversation)
    if short is None or end is None or now is None or not end.continues(now):
        state.shortened = ShortenedHistory()
        return
    stored = await state.store.messages(state.owner, state.conversation, branch.head.seq + 1, now.head.seq)
    state.shortened.remember(short, end.grown(now, stored, size + SPARE_IDENTITIES))


async def _known_prefix(state: ConversationState, messages: Sequence[Message]) -> int:
    """How many of the messages, from the first on, the conversation has as the beginning of a history."""
    first = await state.store.match(state.owner, state.conversation, messages[:1], heads(messages[:1]))
    if not first:
        return 0
    return await state.store.match(state.owner, state.conversation, messages, heads(messages))


async def _known_end(state: ConversationState, branch: Branch, sent: Sequence[bytes]) -> KnownEnd | None:
    """The newest identities of the branch, as many as were sent; None if its newest message was not sent."""
    seq, size = branch.head.seq, min(len(sent), branch.head.seq)
    known = state.shortened.end

    async def read(first: int) -> list[Stored]:
        return await state.store.messages(state.owner, state.conversation, first, seq)

    if known is not None and known.continues(branch) and len(known.identities) >= size - 1:
        return known.grown(branch, await read(known.branch.head.seq + 1), size + SPARE_IDENTITIES)
    newest = KnownEnd(branch, ()).grown(branch, await read(seq), 1)
    if newest.identities[-1] not in (*sent, DELETED):
        return None
    return KnownEnd(branch, ()).grown(branch, await read(seq - size + 1), size)


def _head_at(stored: Sequence[Stored], position: int) -> Head:
    """The head after the message at a position, counted from 1."""
    asked = (one.message.calls for one in reversed(stored[:position]) if one.message.role == "assistant")
    return Head(stored[position - 1].chain, position, tuple(call.id for call in next(asked, ())))


async def _store_rest(
    state: ConversationState, messages: Sequence[Message], overlap: Overlap, head: Head, branch: Branch
) -> Synced:
    """Store what follows the overlap. Where something was deleted, the store needs the whole history."""
    new = tuple(messages[overlap.end :])
    parsed = ParsedHistory(new, tuple(heads(new, head)), None, head, {})
    calls = {call.id: call for message in messages[: overlap.end] for call in message.calls}
    entries = count(state.with_prefix_in(parsed), state.settings, tools=state.prefix.tools, calls=calls)
    if not branch.purged:
        return await state.store.sync(
            state.owner, state.conversation, entries, now_s=state.clock(), known=parsed.heads, after=head
        )
    stored = await state.store.messages(state.owner, state.conversation, 1, head.seq)
    whole = [*(Counted(one.message, -1) for one in stored), *entries]
    return await state.store.sync(state.owner, state.conversation, whole, now_s=state.clock())


async def _adopt_summary(
    state: ConversationState, messages: Sequence[Message], overlap: Overlap, prefix: int
) -> tuple[int, tuple[str, ...]]:
    """Adopt the client's own summary of what it dropped, once: a later summary of ours may have taken it in."""
    from palimpsest.engine.transcript_import import REASON, adopt_compactions
    from palimpsest.formats.transcripts import Marker

    text = summary_before(messages, overlap, prefix)
    if not text:
        return 0, ()
    state.invalidate()
    branch, window = await state.load()
    made = await state.store.compactions(state.owner, state.conversation)
    ids = [one.item_id for one in made if one.reason in (REASON, CLIENTS_REASON)]
    adopted = (one for _, one in (await state.store.read(state.owner, ids)).values())
    if branch is None or any(isinstance(one, Summary) and one.text == text for one in adopted):
        return 0, ()
    stored = await state.store.messages(state.owner, state.conversation, 1, branch.head.seq)
    history = [one.message for one in stored]
    inside = {place for unit in units(history) for place in range(unit.start + 1, unit.end)}
    ends = [item.last for item in window.items if item.last <= overlap.dropped_through]
    through = max((end for end in ends if end not in inside), default=0)
    if not through:
        return 0, (
            "the client's own summary was not adopted: the window already summarizes what it stands for",
        )
    marker = Marker(text, through, state.clock())
    return await adopt_compactions(state, [marker], history, CLIENTS_REASON)


def _knows_truncated_calls(parsed: ParsedHistory, state: ConversationState) -> bool:
    """Whether the calls of all results that may be truncated are among what was parsed."""
    if not may_truncate(parsed.messages, limit_of(state.settings, state.prefix.tools)):
        return True
    known = {*parsed.calls, *(call.id for message in parsed.messages for call in message.calls)}
    return all(result.call_id in known for message in parsed.messages for result in message.results)
