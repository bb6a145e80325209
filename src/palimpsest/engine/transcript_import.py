"""Store transcripts: their messages as branches, and the compactions that their own agent made as summaries.

An adopted compaction is committed like any other: only if it is smaller than what it replaces, and cuts no tool group.
Refused ones are reported, and their messages stay verbatim. A compaction whose place a larger summary covers by now is
skipped silently; that is the normal case when a transcript is imported again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from palimpsest.budget.regions import PREFACE_TOKENS
from palimpsest.engine.message_input import count
from palimpsest.engine.reports import Imported
from palimpsest.errors import StaleCommit
from palimpsest.plan.turns import units
from palimpsest.ports import Commit
from palimpsest.record.chain import Head, heads_after
from palimpsest.record.forgetting import is_blank
from palimpsest.record.log import Compaction
from palimpsest.record.message import Message
from palimpsest.record.summary import Draft
from palimpsest.record.window_items import SummaryItem

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.formats.transcripts.reader_base import Marker, Transcript
    from palimpsest.record.log import Branch

REASON = "the transcript's own compaction"


async def import_transcript(
    state: ConversationState, transcript: Transcript, known: Sequence[Head] = ()
) -> Imported:
    """Store every path of a transcript as a branch, the current one last, and adopt its compactions.

    `known` are heads of the current path's messages.
    """
    store, owner, name = state.store, state.owner, state.conversation
    branch = await store.branch(owner, name)
    is_new = is_current = branch is None
    added, stored = 0, _StoredPaths(transcript.written_s)
    for path in transcript.paths[:-1]:
        added += await _store_path(state, path, stored)
    for path in transcript.paths[-1:]:
        is_current = branch is None or await _is_newest(state, branch, path)
        added += await _store_path(state, path, stored, known, is_current=is_current)
    current = transcript.paths[-1] if transcript.paths else ()
    if transcript.paths and (is_new or added):
        await store.describe_conversation(
            owner,
            name,
            title=transcript.title or None,
            parent=transcript.parent or None,
            system=transcript.system or None,
            now_s=_newest_s(current) or transcript.written_s or state.clock(),
        )
    if transcript.paths:
        await state.engine_state.note_source(transcript.format, transcript.cwd)
    adopted, notes = await adopt_compactions(state, transcript.markers if is_current else (), current)
    return Imported(
        conversation=name,
        messages=len(current),
        added=added,
        tool_calls=sum(len(message.calls) for message in current),
        tool_results=sum(len(message.results) for message in current),
        branches=len(transcript.paths),
        compactions=adopted,
        notes=notes,
        left_out=transcript.left_out,
    )


class _StoredPaths:
    """The paths stored so far: by the identity of a message its path, its position there, and the head after it.
    `written_s` is the time of messages without one.
    """

    def __init__(self, written_s: float | None) -> None:
        self.written_s = written_s
        self._places: dict[int, tuple[Sequence[Message], int, Head]] = {}

    def add(self, path: Sequence[Message], found: Sequence[Head]) -> None:
        """Add a path with the heads of its last messages."""
        for head in found:
            self._places[id(path[head.seq - 1])] = path, head.seq, head

    def shared(self, path: Sequence[Message]) -> Head | None:
        """Return the head after the messages that a path has in common with another one; None for none.

        The paths of a tree share message objects from the root to the fork, so halving finds the fork. What it finds
        is compared, so that it is true for paths of other origin too.
        """
        low, high = 0, len(path)
        while low < high:
            middle = (low + high + 1) // 2
            other = self._places.get(id(path[middle - 1]))
            low, high = (middle, high) if other is not None and other[1] == middle else (low, middle - 1)
        if not low:
            return None
        other, _, head = self._places[id(path[low - 1])]
        return head if path[:low] == other[:low] else None


async def _store_path(
    state: ConversationState,
    path: Sequence[Message],
    stored: _StoredPaths,
    known: Sequence[Head] = (),
    *,
    is_current: bool = False,
) -> int:
    """Store one path at the cost of what it does not share with those before; return how many messages were added."""
    after = stored.shared(path) if not known else None
    while True:
        own = path[after.seq :] if after is not None else path
        found = heads_after(known, own, after)
        try:
            matched = await state.store.match(state.owner, state.conversation, own, found, after)
            entries = await asyncio.to_thread(count, own, state.settings, known=matched)
            done = await state.store.sync(
                state.owner, state.conversation, entries, rewind=False, switch=is_current,
                now_s=_newest_s(own) or _newest_s(path) or stored.written_s or state.clock(), known=found, after=after,
            )  # fmt: skip
        except StaleCommit:
            if after is None:
                raise
            after = None
        else:
            stored.add(path, found)
            return done.added


async def _is_newest(state: ConversationState, branch: Branch, path: Sequence[Message]) -> bool:
    """Return whether a history becomes the current one: unless it ends before the current one does. The files of a
    session may be read in any order.
    """
    last = branch.head.seq
    found = await state.store.messages(state.owner, state.conversation, last, last) if last else []
    stored_s, newest_s = (found[0].message.time_s if found else None), _newest_s(path)
    return stored_s is None or newest_s is None or newest_s >= stored_s


def _newest_s(messages: Sequence[Message]) -> float | None:
    return max((one.time_s for one in messages if one.time_s is not None), default=None)


async def adopt_compactions(
    state: ConversationState, markers: Sequence[Marker], history: Sequence[Message], reason: str = REASON
) -> tuple[int, tuple[str, ...]]:
    """Commit the compactions of a history that was just imported: how many, and a sentence on each refused one."""
    from palimpsest.engine.compacting.compactor import newest_turn_position
    from palimpsest.engine.compacting.replacement_items import summary_item

    groups = units(history) if markers else ()
    inside_group = {place for unit in groups for place in range(unit.start + 1, unit.end + int(unit.open))}
    adopted = 0
    refused: list[str] = []
    for marker in markers:
        branch, window = await state.load()
        end = next((place for place, item in enumerate(window.items, 1) if item.last == marker.through), 0)
        items = window.items[:end]
        if branch is None or not items or not marker.text.strip():
            continue
        summaries = [item.summary for item in items if isinstance(item, SummaryItem)]
        if len(items) == 1 and summaries and summaries[0].text == marker.text:
            continue
        if branch.purged and await _has_deleted(state, marker.through):
            continue
        where = f"the summary of messages 1 to {marker.through}"
        if marker.through in inside_group or marker.through > branch.closed_seq:
            refused.append(f"{where} was not taken over: the step it ends in may still go on")
            continue
        if any(one in items for one in window.facts.told):
            refused.append(
                f"{where} was not taken over: the newest system message among them stays in the window"
            )
            continue
        quoted = None
        if marker.quotes:
            found = await state.store.messages(state.owner, state.conversation, marker.quotes, marker.quotes)
            quoted = found[0] if found else None
        depth = max((one.depth for one in summaries), default=-1) + 1
        item = summary_item(items, depth, Draft(marker.text, "imported"), quoted)
        before_tokens = sum(one.tokens for one in items)
        if item.tokens + (0 if summaries else PREFACE_TOKENS) >= before_tokens:
            refused.append(f"{where} was not taken over: it is not smaller than what it stands for")
            continue
        record = Compaction(
            reason=reason,
            numbers=(("messages", marker.through),),
            replaced=tuple(one.id for one in items),
            item_id="",
            item_kind="summary",
            before_tokens=before_tokens,
            after_tokens=item.tokens,
            time_s=state.clock() if marker.time_s is None else marker.time_s,
            thinking_from=newest_turn_position(window),
        )
        adopted += await state.commit(branch.id, Commit(item, record)) is not None
    return adopted, tuple(refused)


async def _has_deleted(state: ConversationState, through: int) -> bool:
    """Whether any message up to a position was deleted: the agent's own summary may tell of it."""
    stored = await state.store.messages(state.owner, state.conversation, 1, through)
    return any(is_blank(one.message) for one in stored)
