"""Delete for real: messages, conversations, all data of an owner, and what is too old or too large.

Summaries that cover deleted messages are made again here, from what stays, without a model. The store applies all of it
in one step. Afterwards freed data is swept out of indexes, free pages and the write-ahead log; if the process ends
before that, the next one's `resume` continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palimpsest.errors import NotFound, StoreError, UsageError, reason_of
from palimpsest.file_writing import remove_left
from palimpsest.record.forgetting import Copy, Erased, Reach, Weight, summed
from palimpsest.record.log import Stored

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.engine.state_cache import StateCache
    from palimpsest.ports import Clock, Store
    from palimpsest.settings import Settings

MAX_RANGE = 1_000_000
"""Messages of one range."""

MAX_HEAD_BYTES = 16_000_000
"""The largest first line of a session file, which has the system prompt in it."""

REWRITTEN = ("session", "export")
"""Kinds of files that can be written again from the store."""

EXPORT = "export"
"""A file that a person asked for: it is deleted only where that is asked for, too."""


@dataclass(frozen=True, slots=True)
class Forgotten(Erased):
    """What was deleted, or would be if not `applied`.

    `messages` counts deleted messages, `also` those that nobody named: the rest of a tool group, copies on other
    branches. `rebuilt` and `emptied` are summaries, made again or left without content. `pins` are the ids of pins that
    repeat what was deleted. `deleted` are files that were deleted, with the `.part` files that killed processes left of
    copies. `changed` are files that hold something else by now and were left alone. `stale` are files that hold deleted
    messages until they are written again, and `holding` are exports and backups that still hold them. `left` says what
    could not be swept yet.
    """

    conversations: tuple[str, ...] = ()
    also: int = 0
    deleted: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    stale: tuple[Copy, ...] = ()
    holding: tuple[Copy, ...] = ()
    left: tuple[str, ...] = ()
    applied: bool = False


@dataclass(frozen=True, slots=True)
class Retained:
    """What retention deleted, or would: the conversations `going`, and how many are `kept`."""

    going: tuple[Weight, ...]
    kept: int
    kept_bytes: int
    forgotten: Forgotten = Forgotten()

    @property
    def freed_bytes(self) -> int:
        """The size of the deleted conversations."""
        return sum(one.size_bytes for one in self.going)


class DeletionMixin:
    """The part of an engine that deletes."""

    store: Store
    owner: str
    settings: Settings
    _clock: Clock
    _states: StateCache

    def _make_state(self, name: str) -> ConversationState:
        raise NotImplementedError

    async def copies(self) -> list[Copy]:
        """The files that are known to hold this owner's data: session files, exports and backups. A file that was
        deleted by other means is left out.
        """
        known = await self.store.forgetting.copies(self.owner)
        return await asyncio.to_thread(lambda: [one for one in known if Path(one.path).exists()])

    async def forget(
        self, conversation: str, *ids: str, dry_run: bool = False, exports: bool = False
    ) -> Forgotten:
        """Delete messages (ids, or ranges such as "m3-m9"), or the whole conversation with those of its subagents if
        none is named. A `dry_run` only returns what would be deleted. `exports` also deletes the exports that hold it.

        Raises NotFound; UsageError for what is no message of the conversation.
        """
        from palimpsest.engine.compacting.outline_summaries import rebuild_summaries

        forgetting = self.store.forgetting
        if not ids:
            family = await self._family(conversation)
            return await self._forget_conversations(family, dry_run=dry_run, exports=exports)
        named = await _named_messages(self.store, self.owner, conversation, ids)
        reach = await forgetting.reach(self.owner, conversation, named)
        state = self._make_state(conversation)
        rewritten = await rebuild_summaries(state, reach)
        copies = await self.copies()
        going = [
            one for one in copies if exports and one.kind == EXPORT and one.conversation in {"", conversation}
        ]
        files: dict[str, Any] = {
            "stale": tuple(
                one
                for one in copies
                if one.conversation == conversation and one.kind in REWRITTEN and one not in going
            ),
            "holding": tuple(one for one in copies if not one.conversation and one not in going),
        }
        if dry_run or not reach.messages:
            names = [one.id for one in reach.summaries]
            rebuilt = tuple(name for name in names if name in rewritten)
            emptied = tuple(name for name in names if name not in rewritten)
            expected = Erased(len(reach.messages), rebuilt, emptied, reach.pins)
            deleted = tuple(one.path for one in going)
            return _forgotten((conversation,), expected, reach, **files, deleted=deleted)
        files |= await self._delete_files(going)
        await state.load()
        ledger = state.ledger[0]
        erased = await forgetting.forget(self.owner, conversation, named, rewritten)
        self._states.start_over(conversation, whole=False)
        if ledger:
            await self._rewrite_ledger(conversation, state, ledger)
        left = await forgetting.sweep()
        return _forgotten((conversation,), erased, reach, **files, left=left, applied=True)

    async def forget_everything(self, *, dry_run: bool = False, exports: bool = False) -> Forgotten:
        """Delete all data of this owner, including the names by which an import would recognize it. `exports` as in
        `forget`.
        """
        names = tuple(row.name for row in await self.store.conversations(self.owner))
        return await self._forget_conversations(names, dry_run=dry_run, everything=True, exports=exports)

    async def retain(
        self, older_than_s: float | None = None, larger_than_bytes: int | None = None, *, apply: bool = False
    ) -> Retained:
        """Delete the conversations that last changed longer ago than `older_than_s`, then the oldest until the rest
        takes at most `larger_than_bytes`. A conversation goes together with those of its subagents, at the age of the
        youngest. Without `apply` it only returns what would go. Raises UsageError without a limit.
        """
        if older_than_s is None and larger_than_bytes is None:
            raise UsageError("retention needs an age or a size", hint="give one of the two")
        weights = await self.store.forgetting.weights(self.owner)
        going = overdue(weights, self._clock(), older_than_s, larger_than_bytes)
        names = tuple(one.conversation for one in going)
        kept = [one for one in weights if one.conversation not in names]
        retained = Retained(tuple(going), len(kept), sum(one.size_bytes for one in kept))
        if not going:
            return retained
        return replace(retained, forgotten=await self._forget_conversations(names, dry_run=not apply))

    async def _check_not_deleted(self, conversation: str, *, again: bool) -> None:
        """Raise UsageError if a conversation of this name was deleted; `again` allows it to be imported again."""
        if again:
            await self.store.forgetting.take_back(self.owner, conversation)
        elif await self.store.forgetting.was_forgotten(self.owner, conversation):
            raise UsageError(
                "it was forgotten, and is not taken in again", hint="palimpsest import --again PATH"
            )

    async def _forget_conversations(
        self, names: Sequence[str], *, dry_run: bool, everything: bool = False, exports: bool = False
    ) -> Forgotten:
        """Delete conversations, or everything of the owner. Their files go first: they are known only as long as the
        conversation is.
        """
        forgetting = self.store.forgetting
        copies = await self.copies()
        holds = [one for one in copies if not one.conversation or everything or one.conversation in names]
        own = [one for one in holds if (exports if one.kind == EXPORT else one.kind in REWRITTEN)]
        holding = tuple(one for one in holds if one not in own)
        if dry_run:
            rows = await self.store.conversations(self.owner)
            erased = Erased(sum(row.messages for row in rows if row.name in names))
            return _forgotten(names, erased, deleted=tuple(one.path for one in own), holding=holding)
        files = await self._delete_files(own)
        parts = [await forgetting.forget_owner(self.owner)] if everything else []
        for name in names:
            if not everything:
                parts.append(await forgetting.forget_conversation(self.owner, name))
            self._states.start_over(name)
        left = await forgetting.sweep()
        await forgetting.shrink()
        return _forgotten(names, summed(parts), holding=holding, **files, left=left, applied=True)

    async def _family(self, conversation: str) -> tuple[str, ...]:
        """A conversation and those that were spawned from it, itself last. Raises NotFound."""
        rows = await self.store.conversations(self.owner)
        if all(row.name != conversation for row in rows):
            raise NotFound(
                f"no conversation {conversation!r}",
                hint="`palimpsest list` shows the conversations there are",
            )
        found = {conversation}
        for _ in rows:
            more = {row.name for row in rows if row.parent in found} - found
            if not more:
                break
            found |= more
        return (*(row.name for row in rows if row.name in found and row.name != conversation), conversation)

    async def _rewrite_ledger(self, conversation: str, state: ConversationState, before: str) -> None:
        """Render the window's ledger again without what was deleted, and no longer than it was."""
        from palimpsest.budget.ledger_and_pins import (
            LEDGER_FENCE_TOKENS,
            ledger_limit,
            render_ledger,
            tokens_of,
        )

        state.invalidate()
        branch, window = await state.load()
        limit_tokens = min(ledger_limit(state.effective_settings()), tokens_of(render_ledger(before)))
        if branch is not None and limit_tokens > LEDGER_FENCE_TOKENS:
            budget_tokens = limit_tokens - LEDGER_FENCE_TOKENS
            text, through = await state.ledger_state.render(branch, window, budget_tokens)
            await self.store.forgetting.restate(self.owner, conversation, branch, text, through)

    async def _delete_files(self, copies: Sequence[Copy]) -> dict[str, Any]:
        """Delete files: the paths `deleted`, and those `changed`, which hold something else by now. What killed
        processes left of any copy is deleted too.
        """
        known = [Path(one.path) for one in await self.store.forgetting.copies(self.owner)]
        left = await asyncio.to_thread(lambda: [path for one in known for path in remove_left(one)])
        deleted: list[str] = list(left)
        changed: list[str] = []
        for copy in copies:
            try:
                (deleted if await asyncio.to_thread(_delete_file, copy) else changed).append(copy.path)
            except FileNotFoundError:
                pass
            except OSError as error:
                raise StoreError(
                    f"{copy.path} cannot be deleted: {reason_of(error)}",
                    hint="nothing was forgotten; delete it yourself",
                ) from error
            await self.store.forgetting.drop_copy(copy.path)
        return {"deleted": tuple(deleted), "changed": tuple(changed)}


async def affected_messages(
    store: Store, owner: str, conversation: str, ids: Sequence[str]
) -> tuple[str, ...]:
    """The ids of all messages that `Engine.forget` would delete with these. Raises as it does."""
    named = await _named_messages(store, owner, conversation, ids)
    return (await store.forgetting.reach(owner, conversation, named)).messages


async def register_file(state: ConversationState, kind: str, path: str | Path) -> None:
    """Register a file with a conversation, which a deletion rewrites (kinds "session", "export") or reports."""
    place = await asyncio.to_thread(Path(path).absolute)
    await state.store.forgetting.note_copy(
        state.owner, state.conversation, kind, str(place), now_s=state.clock()
    )


async def finish_deletions(store: Store) -> tuple[str, ...]:
    """Finish an interrupted deletion, and return what is still left and why."""
    return await store.forgetting.sweep() if await store.forgetting.unswept() else ()


async def _named_messages(store: Store, owner: str, conversation: str, ids: Sequence[str]) -> list[str]:
    """The ids of all named messages, ranges included."""
    from palimpsest.engine.message_input import require_text

    hint = "forget the messages it covers: `describe` names them"
    found: dict[str, None] = {}
    for one in ids:
        require_text("an id", one)
        first, dash, last = one.partition("-")
        named = await find_range(
            store, owner, conversation, first, last if dash else first, MAX_RANGE, summary_hint=hint
        )
        found.update((stored.id, None) for stored in named)
    return list(found)


async def find_range(
    store: Store,
    owner: str,
    conversation: str,
    first_id: str,
    last_id: str,
    max_messages: int,
    *,
    summary_hint: str,
) -> list[Stored]:
    """The messages of a conversation from one to another of the same branch. Raises NotFound, UsageError."""
    ends = [
        await find_message(store, owner, conversation, one, summary_hint=summary_hint)
        for one in dict.fromkeys((first_id, last_id))
    ]
    first, last = ends[0], ends[-1]
    if first.seq > last.seq:
        raise UsageError(f"{first.id} comes after {last.id}", hint="give the earlier message first")
    if last.seq - first.seq >= max_messages:
        raise UsageError(
            f"{first.id}-{last.id} is a range of more than {max_messages:,} messages",
            hint="give a smaller range",
        )
    if first.id == last.id:
        return ends
    found = await store.history(owner, last.id, first.seq, last.seq)
    if not found or found[0].id != first.id:
        raise UsageError(f"{first.id} and {last.id} are on different branches", hint="name them one by one")
    return found


async def find_message(
    store: Store, owner: str, conversation: str, message_id: str, *, summary_hint: str
) -> Stored:
    """A message of a conversation by its id. Raises NotFound, and UsageError with the hint for a summary."""
    found = await store.read(owner, [message_id])
    place, entry = found.get(message_id, ("", None))
    if entry is None or place != conversation:
        raise NotFound(
            f"conversation {conversation!r} has no message {message_id!r}",
            hint="`grep` and `window` show the ids of messages",
        )
    if not isinstance(entry, Stored):
        raise UsageError(f"{message_id} is a summary", hint=summary_hint)
    return entry


def _delete_file(copy: Copy) -> bool:
    """Delete a file, unless it holds something else than what was written. Raises OSError."""
    from palimpsest.formats.transcripts.crabtalk import is_session_of
    from palimpsest.stores.export_format import begins_so

    path = Path(copy.path)
    with path.open("rb") as file:
        head = file.readline(MAX_HEAD_BYTES)
    if not (begins_so(head) if not copy.conversation else is_session_of(head, copy.conversation)):
        return False
    path.unlink()
    return True


def overdue(
    weights: Sequence[Weight], now_s: float, older_than_s: float | None, larger_than_bytes: int | None
) -> list[Weight]:
    """The conversations that retention deletes, the oldest first: by families, each as old as its youngest."""
    parents = {one.conversation: one.parent for one in weights}
    families: dict[str, list[Weight]] = {}
    for one in weights:
        families.setdefault(_root(one.conversation, parents), []).append(one)
    oldest_first = sorted(families.values(), key=lambda family: max(one.updated_s for one in family))
    left_bytes = sum(one.size_bytes for one in weights)
    going: list[Weight] = []
    for family in oldest_first:
        is_old = older_than_s is not None and max(one.updated_s for one in family) < now_s - older_than_s
        if is_old or (larger_than_bytes is not None and left_bytes > larger_than_bytes):
            going += family
            left_bytes -= sum(one.size_bytes for one in family)
    return going


def _root(name: str, parents: Mapping[str, str]) -> str:
    """The first ancestor of a conversation."""
    seen: set[str] = set()
    while parents.get(name) in parents and name not in seen:
        seen.add(name)
        name = parents[name]
    return name


def _forgotten(names: Sequence[str], erased: Erased, reach: Reach | None = None, **files: Any) -> Forgotten:
    also = max(0, len(reach.messages) - reach.asked) if reach is not None else 0
    return Forgotten(**asdict(erased), conversations=tuple(names), also=also, **files)
