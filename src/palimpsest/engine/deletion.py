"""Deleting for real: messages, conversations, everything of an owner, and what has grown too old or too large.

Part of the engine. What covers something forgotten is made again here, from what stays, by rules and without a
model; the store takes it all in as one step. What was freed is swept out of indexes, free pages and the log after
that; should the process end before, `resume` of the next goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palimpsest.errors import NotFound, StoreError, UsageError, reason_of
from palimpsest.record.forgetting import Copy, Erased, Reach, Rewritten, Weight, summed
from palimpsest.record.log import Stored

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.engine.state_cache import Desks
    from palimpsest.ports import Clock, Store
    from palimpsest.settings import Settings

MAX_RANGE = 1_000_000
"""Messages of one range."""

MAX_HEAD_BYTES = 16_000_000
"""Of the line that says whose session a file holds, the system prompt in it included."""

REWRITTEN = ("session", "export")
"""Kinds of files that can be written again from the store."""


@dataclass(frozen=True, slots=True)
class Forgotten(Erased):
    """What was forgotten, or would be where it was not `applied`.

    `messages` counts those that went, `also` those among them that nobody named: the rest of a tool group, copies on
    other branches. `rebuilt` and `emptied` are summaries, made again or with nothing left to stand for. `pins` are the
    ids of those that quote what was forgotten or say again what only it said. `deleted` are files that went, `changed`
    those that hold something else by now and were left alone, `stale` those that hold what was forgotten until they are
    written again, `holding` those that still hold it and are left alone, such as backups. `left` says what could not be
    swept yet.
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
    """What retention let go, or would. `going` are the conversations and what they take, `kept` counts the others."""

    going: tuple[Weight, ...]
    kept: int
    kept_bytes: int
    forgotten: Forgotten = Forgotten()

    @property
    def freed_bytes(self) -> int:
        """What those take that go."""
        return sum(one.size_bytes for one in self.going)


class Deleting:
    """The part of an engine that forgets."""

    store: Store
    owner: str
    settings: Settings
    _clock: Clock
    _desks: Desks

    async def forget(self, conversation: str, *ids: str, dry_run: bool = False) -> Forgotten:
        """Forget messages (ids, or ranges such as "m3-m9"), or the whole conversation with those of its subagents where
        none is named. With `dry_run` nothing is done but saying what would be.

        Raises NotFound; UsageError for what is no message of the conversation.
        """
        from palimpsest.engine.compacting.outline_summaries import rebuilt
        from palimpsest.engine.conversation_state import Desk

        if not ids:
            return await self._forget_whole(await self._family(conversation), dry_run=dry_run)
        named = await self._named(conversation, ids)
        reach = await self.store.forgetting.reach(self.owner, conversation, named)
        desk = Desk(self.store, self.owner, conversation, self.settings, self._clock)
        rewritten = await rebuilt(desk, reach)
        copies = await self.store.forgetting.copies(self.owner)
        stale = tuple(one for one in copies if one.conversation == conversation and one.kind in REWRITTEN)
        holding = tuple(one for one in copies if not one.conversation)
        if dry_run or not reach.messages:
            return _told((conversation,), _foreseen(reach, rewritten), reach, stale=stale, holding=holding)
        await desk.load()
        ledger = desk.ledger[0]
        erased = await self.store.forgetting.forget(self.owner, conversation, named, rewritten)
        self._desks.start_over(conversation, wholly=False)
        if ledger:
            await self._restated(conversation, desk, ledger)
        left = await self.store.forgetting.sweep()
        return _told((conversation,), erased, reach, stale=stale, holding=holding, left=left, applied=True)

    async def forget_everything(self, *, dry_run: bool = False) -> Forgotten:
        """Forget all that this owner has. Nothing stays by which an import would know it again."""
        rows = await self.store.conversations(self.owner)
        names = tuple(row.name for row in rows)
        copies = await self.store.forgetting.copies(self.owner)
        mine = [one for one in copies if one.conversation and one.kind in REWRITTEN]
        holding = tuple(one for one in copies if not one.conversation)
        if dry_run:
            messages = sum(row.messages for row in rows)
            return _told(names, Erased(messages), deleted=tuple(one.path for one in mine), holding=holding)
        deleted, changed = await self._removed(mine)
        erased = await self.store.forgetting.forget_owner(self.owner)
        for name in names:
            self._desks.start_over(name)
        left = await self.store.forgetting.sweep()
        await self.store.forgetting.shrink()
        return _told(
            names, erased, holding=holding, left=left, deleted=deleted, changed=changed, applied=True
        )

    async def retain(
        self, older_than_s: float | None = None, larger_than_bytes: int | None = None, *, apply: bool = False
    ) -> Retained:
        """Forget the conversations that last changed longer ago than `older_than_s`, then the oldest until what is left
        takes at most `larger_than_bytes`. A conversation goes together with those of its subagents, at the age of the
        youngest. Without `apply` nothing is done but saying what would go. Raises UsageError without a limit.
        """
        if older_than_s is None and larger_than_bytes is None:
            raise UsageError("retention needs an age or a size", hint="give one of the two")
        weights = await self.store.forgetting.weights(self.owner)
        going = overdue(weights, self._clock(), older_than_s, larger_than_bytes)
        names = {one.conversation for one in going}
        kept = [one for one in weights if one.conversation not in names]
        told = Retained(tuple(going), len(kept), sum(one.size_bytes for one in kept))
        if not going:
            return told
        done = await self._forget_whole(tuple(one.conversation for one in going), dry_run=not apply)
        return replace(told, forgotten=done)

    async def may_return(self, conversation: str, *, again: bool) -> None:
        """Raise UsageError where a conversation of this name was forgotten, unless it is to be taken in `again`."""
        if again:
            await self.store.forgetting.take_back(self.owner, conversation)
        elif await self.store.forgetting.was_forgotten(self.owner, conversation):
            raise UsageError(
                "it was forgotten, and is not taken in again", hint="palimpsest import --again PATH"
            )

    async def foreseen(self, conversation: str, *ids: str) -> tuple[str, ...]:
        """The ids of all messages that would be forgotten with these. Raises as `forget`."""
        named = await self._named(conversation, ids)
        return (await self.store.forgetting.reach(self.owner, conversation, named)).messages

    async def note_copy(self, conversation: str, kind: str, path: str | Path) -> None:
        """Take note of a file that was written and holds a conversation, so that forgetting reaches it: "session" and
        "export" are written again, of any other kind it is said that they hold what was forgotten.
        """
        place = await asyncio.to_thread(Path(path).absolute)
        await self.store.forgetting.note_copy(self.owner, conversation, kind, str(place), now_s=self._clock())

    async def copies(self) -> list[Copy]:
        """The files that were written from the store and are known to hold something of this owner's."""
        return await self.store.forgetting.copies(self.owner)

    async def sweep(self) -> tuple[str, ...]:
        """Finish what a forgetting that was interrupted left undone; what is still left and why."""
        return await self.store.forgetting.sweep() if await self.store.forgetting.unswept() else ()

    async def _forget_whole(self, names: Sequence[str], *, dry_run: bool) -> Forgotten:
        """Forget conversations. Their files go first: what they are is known only as long as the conversation is."""
        copies = await self.store.forgetting.copies(self.owner)
        mine = [one for one in copies if one.conversation in names and one.kind in REWRITTEN]
        holding = tuple(one for one in copies if not one.conversation)
        if dry_run:
            rows = {row.name: row for row in await self.store.conversations(self.owner)}
            messages = sum(rows[name].messages for name in names if name in rows)
            deleted = tuple(one.path for one in mine)
            return _told(names, Erased(messages), deleted=deleted, holding=holding)
        deleted, changed = await self._removed(mine)
        parts: list[Erased] = []
        for name in names:
            parts.append(await self.store.forgetting.forget_conversation(self.owner, name))
            self._desks.start_over(name)
        left = await self.store.forgetting.sweep()
        await self.store.forgetting.shrink()
        return _told(
            names, summed(parts), holding=holding, left=left, deleted=deleted, changed=changed, applied=True
        )

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

    async def _named(self, conversation: str, ids: Sequence[str]) -> list[str]:
        """The ids of all messages that are named, ranges included."""
        from palimpsest.engine.message_input import require_text

        found: dict[str, None] = {}
        for one in ids:
            require_text("an id", one)
            first, dash, last = one.partition("-")
            ends = [await self._message(conversation, end) for end in ((first, last) if dash else (first,))]
            if ends[0].seq > ends[-1].seq:
                raise UsageError(f"{first} comes after {last}", hint="give the earlier message first")
            if ends[-1].seq - ends[0].seq >= MAX_RANGE:
                raise UsageError(
                    f"{one} is a range of more than {MAX_RANGE:,} messages", hint="forget less at once"
                )
            between = ends[:1]
            if dash:
                between = await self.store.history(self.owner, ends[-1].id, ends[0].seq, ends[-1].seq)
                if not between or between[0].id != ends[0].id:
                    raise UsageError(
                        f"{first} and {last} are on different branches", hint="name them one by one"
                    )
            found.update((stored.id, None) for stored in between)
        return list(found)

    async def _message(self, conversation: str, message_id: str) -> Stored:
        found = await self.store.read(self.owner, [message_id])
        place, entry = found.get(message_id, ("", None))
        if entry is None or place != conversation:
            raise NotFound(
                f"conversation {conversation!r} has no message {message_id!r}",
                hint="`grep` and `window` show the ids of messages",
            )
        if not isinstance(entry, Stored):
            raise UsageError(
                f"{message_id} is a summary", hint="forget the messages it covers: `describe` names them"
            )
        return entry

    async def _restated(self, conversation: str, desk: Desk, before: str) -> None:
        """Make the ledger that stands in the window again, without what is forgotten and no longer than it was."""
        from palimpsest.budget.ledger_and_pins import (
            LEDGER_FENCE_TOKENS,
            ledger_limit,
            render_ledger,
            tokens_of,
        )

        desk.forget()
        branch, window = await desk.load()
        stood_tokens = tokens_of(render_ledger(before))
        most = min(ledger_limit(desk.effective()), stood_tokens) - LEDGER_FENCE_TOKENS
        if branch is None or most <= 0:
            return
        text, through = await desk.notes.text(branch, window, most)
        await self.store.forgetting.restate(self.owner, conversation, branch, text, through)

    async def _removed(self, copies: Sequence[Copy]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Delete files that were written from what is being forgotten: (those that were there, those that hold
        something else by now).
        """
        deleted: list[str] = []
        changed: list[str] = []
        for copy in copies:
            try:
                (deleted if await asyncio.to_thread(_remove, copy) else changed).append(copy.path)
            except FileNotFoundError:
                pass
            except OSError as error:
                raise StoreError(
                    f"{copy.path} cannot be deleted: {reason_of(error)}",
                    hint="nothing was forgotten; delete it yourself",
                ) from error
            await self.store.forgetting.drop_copy(copy.path)
        return tuple(deleted), tuple(changed)


def _remove(copy: Copy) -> bool:
    """Delete a file, unless it holds something else than what was written. Raises OSError."""
    from palimpsest.formats.transcripts.crabtalk import is_session_of

    path = Path(copy.path)
    with path.open("rb") as file:
        head = file.readline(MAX_HEAD_BYTES)
    if not is_session_of(head, copy.conversation):
        return False
    path.unlink()
    return True


def overdue(
    weights: Sequence[Weight], now_s: float, older_than_s: float | None, larger_than_bytes: int | None
) -> list[Weight]:
    """The conversations that retention lets go, the oldest first: by families, each as old as its youngest."""
    parents = {one.conversation: one.parent for one in weights}
    families: dict[str, list[Weight]] = {}
    for one in weights:
        families.setdefault(_root(one.conversation, parents), []).append(one)
    oldest_first = sorted(families.values(), key=lambda family: max(one.updated_s for one in family))
    left_bytes = sum(one.size_bytes for one in weights)
    going: list[Weight] = []
    for family in oldest_first:
        aged = older_than_s is not None and max(one.updated_s for one in family) < now_s - older_than_s
        if aged or (larger_than_bytes is not None and left_bytes > larger_than_bytes):
            going += family
            left_bytes -= sum(one.size_bytes for one in family)
    return going


def _root(name: str, parents: Mapping[str, str]) -> str:
    """The conversation that one was spawned from in the end."""
    seen: set[str] = set()
    while parents.get(name) in parents and name not in seen:
        seen.add(name)
        name = parents[name]
    return name


def _foreseen(reach: Reach, rewritten: Mapping[str, Rewritten]) -> Erased:
    """What forgetting would take out, as far as it is known before."""
    names = [one.id for one in reach.summaries]
    return Erased(
        messages=len(reach.messages),
        rebuilt=tuple(name for name in names if name in rewritten),
        emptied=tuple(name for name in names if name not in rewritten),
        pins=reach.pins,
    )


def _told(names: Sequence[str], erased: Erased, reach: Reach | None = None, **files: Any) -> Forgotten:
    """What was taken out, with what is to be said of files and the rest under the names of `Forgotten`."""
    also = max(0, len(reach.messages) - reach.asked) if reach is not None else 0
    return Forgotten(**asdict(erased), conversations=tuple(names), also=also, **files)
