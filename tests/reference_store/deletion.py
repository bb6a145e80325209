"""Forgetting in the in-memory store: the same rules over plain lists, and nothing on a disk to sweep."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from palimpsest.budget.assemble import count_note
from palimpsest.budget.calibration import Calibration
from palimpsest.budget.token_counts import count_message
from palimpsest.plan.blocks import request_position
from palimpsest.record.chain import Head, advance, heads_after
from palimpsest.record.forgetting import (
    KEY_BYTES,
    SALT_BYTES,
    Copy,
    Erased,
    Reach,
    Rewritten,
    Tombstone,
    Weight,
    blank_for,
    heads_past,
    is_blank,
    name_mark,
    summed,
    tombstone_for,
)
from palimpsest.record.log import Branch, Compaction, Stored
from palimpsest.record.message import Message, searchable_text
from palimpsest.record.summary import Summary
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem, kind_of
from palimpsest.stores.codec import storable
from palimpsest.stores.deletion_rules import (
    REASON,
    added_copies,
    deleted_with,
    forgotten_note,
    forgotten_runs,
    holds,
    pins_quoting,
    quiet_calls,
    restated,
    summaries_over,
    with_other_added,
    without_ids,
)
from palimpsest.stores.log_rules import title_from
from tests.reference_store.log import Line, Memory, Talk, WordIndex


class MemoryForgetting:
    """`Forgetting` over the lists of one store. `tombstones` are by message id."""

    def __init__(
        self, memory: Memory, index: WordIndex, jobs: dict[tuple[str, str, str], float],
        calibrations: dict[tuple[str, str], Calibration],
    ) -> None:  # fmt: skip
        self._memory, self._index = memory, index
        self._jobs, self._calibrations = jobs, calibrations
        self._key = secrets.token_bytes(KEY_BYTES)
        self._tombstones: dict[str, Tombstone] = {}
        self._names: set[tuple[str, bytes]] = set()
        self._copies: dict[str, tuple[str, Copy]] = {}

    def heads(
        self, owner: str, conversation: str | None, messages: Sequence[Message], known: Sequence[Head] = ()
    ) -> list[Head]:
        """The heads of a history, some of whose messages may have been forgotten; the first are `known`, unless any
        was.
        """
        blanks = self._blanks(owner, conversation)
        return heads_past(messages, blanks, self._key) if blanks else heads_after(known, messages)

    def has_forgotten(self, owner: str, conversation: str) -> bool:
        """Whether something of a conversation was forgotten."""
        return bool(self._blanks(owner, conversation))

    def _blanks(self, owner: str, conversation: str | None) -> dict[bytes, list[Tombstone]]:
        blanks: dict[bytes, list[Tombstone]] = {}
        for name, tombstone in self._tombstones.items():
            talk, _, stored = self._memory.messages[name]
            if talk.owner == owner and conversation in {None, talk.name}:
                blanks.setdefault(stored.chain, []).append(tombstone)
        return blanks

    async def reach(self, owner: str, conversation: str, ids: Sequence[str]) -> Reach:
        """See `Forgetting.reach`."""
        talk = self._memory.must_have(owner, conversation)
        asked = {one for one in ids if one in self._own(talk)}
        going = self._going(talk, asked)
        messages = tuple(sorted(going, key=lambda one: int(one[1:])))
        return Reach(
            messages, len(asked), tuple(self._over(talk, going)), tuple(self._pins_over(talk, going))
        )

    async def forget(
        self, owner: str, conversation: str, ids: Sequence[str], rewritten: Mapping[str, Rewritten]
    ) -> Erased:
        """See `Forgetting.forget`."""
        talk = self._memory.must_have(owner, conversation)
        own = self._own(talk)
        going = self._going(talk, {one for one in ids if one in own})
        if not going:
            return Erased()
        over, pins = self._over(talk, going), self._pins_over(talk, going)
        touched = sum(any(one.id in going for one in line.messages) for line in talk.lines)
        said = [searchable_text(own[name].message) for name in going]
        for name in going:
            salt = secrets.token_bytes(SALT_BYTES)
            self._tombstones[name] = tombstone_for(own[name].message, self._key, salt)
        copies = added_copies(own.values(), going, said)
        for line in talk.lines:
            for place, one in enumerate(line.messages):
                if one.id in copies:
                    line.messages[place] = with_other_added(one, copies[one.id])
                    self._index.remove(one.id)
                    self._index.add(one.id, searchable_text(line.messages[place].message))
        talk.keys = {key: names for key, names in talk.keys.items() if going.isdisjoint(names)}
        kept = {one.id: self._rewritten(talk, one, rewritten.get(one.id), going) for one in over}
        ledgers = sum(self._cleaned(line, going, set(kept)) for line in talk.lines)
        self._relink(talk, going)
        for line in talk.lines:
            self._shown_again(line, {one.id: one for one in over})
        talk.pins = [pin for pin in talk.pins if pin.id not in pins]
        talk.memo = without_ids(talk.memo, going)
        if talk.title and any(talk.title in text for text in said):
            talk.title = _title(talk)
        for path, (whose, copy) in self._copies.items():
            if (whose, copy.conversation) == (owner, conversation):
                self._copies[path] = (whose, replace(copy, stale=True))
        return Erased(
            messages=len(going),
            rebuilt=tuple(one.id for one in over if kept[one.id]),
            emptied=tuple(one.id for one in over if not kept[one.id]),
            pins=tuple(pins),
            branches=touched,
            compactions=ledgers,
            ledgers=ledgers,
        )

    def _own(self, talk: Talk) -> dict[str, Stored]:
        return {name: stored for name, (whose, _, stored) in self._memory.messages.items() if whose is talk}

    def _going(self, talk: Talk, asked: set[str]) -> set[str]:
        owners = {
            name: line.branch.id for name, (whose, line, _) in self._memory.messages.items() if whose is talk
        }
        found = deleted_with({line.branch.id: line.messages for line in talk.lines}, owners, asked)
        return {one for one in found if not is_blank(self._memory.messages[one][2].message)}

    def _over(self, talk: Talk, going: set[str]) -> list[Summary]:
        own: list[Summary] = []
        quoting: set[str] = set()
        for name, (whose, summary) in self._memory.summaries.items():
            if whose is talk:
                own.append(summary)
                history = self._memory.made_on[name].messages
                if summary.quotes and history[summary.quotes - 1].id in going:
                    quoting.add(name)
        said = [searchable_text(self._memory.messages[name][2].message) for name in going]
        others = self._said_but(going, talk)
        return summaries_over(own, going, quoting, said, lambda word: any(holds(one, word) for one in others))

    def _said_but(self, going: set[str], talk: Talk) -> list[str]:
        """What all messages of a conversation say but these."""
        return [searchable_text(one.message) for name, one in self._own(talk).items() if name not in going]

    def _pins_over(self, talk: Talk, going: set[str]) -> list[str]:
        own = {name: one.message for name, one in self._own(talk).items() if not is_blank(one.message)}
        said = [searchable_text(message) for name, message in own.items() if name in going]
        stays = [searchable_text(message) for name, message in own.items() if name not in going]
        return pins_quoting(talk.pins, going, said, stays)

    def _rewritten(self, talk: Talk, before: Summary, given: Rewritten | None, going: set[str]) -> bool:
        history = self._memory.made_on[before.id].messages
        quoted = history[before.quotes - 1] if before.quotes else None
        quoted = quoted if quoted is not None and quoted.id not in going else None
        after, fits = restated(before, given, quoted)
        self._memory.summaries[before.id] = (talk, after)
        self._index.remove(before.id)
        self._index.add(before.id, after.text)
        return fits

    def _cleaned(self, line: Line, going: set[str], over: set[str]) -> int:
        """Take out of a branch's records and notes what quotes anything; how many ledgers went."""
        first = min((one.seq for one in line.messages if one.id in going), default=None)
        line.usage, line.ledger = None, ""
        if first is None:
            return 0
        ledgers = 0
        for place, record in enumerate(line.compactions):
            stated = bool(record.ledger) and record.ledger_through >= first
            calls = quiet_calls(record.calls) if record.item_id in over else record.calls
            again = self._memory.summaries[record.item_id][1].tokens if record.item_id in over else 0
            line.compactions[place] = replace(
                record, calls=calls, ledger="" if stated else record.ledger,
                after_tokens=again or record.after_tokens,
            )  # fmt: skip
            ledgers += stated
        return ledgers

    def _relink(self, talk: Talk, going: set[str]) -> None:
        """Put what says so in place of forgotten messages, and compute every chain again."""
        changed: dict[str, Stored] = {}
        for line in talk.lines:
            head = Head()
            line.heads = []
            for place, stored in enumerate(line.messages):
                if stored.id not in changed:
                    message = blank_for(stored.message) if stored.id in going else stored.message
                    head = advance(head, message)
                    tokens = count_message(message) if stored.id in going else stored.tokens
                    gate = ("", 0) if stored.id in going else (stored.gate, stored.gate_tokens)
                    changed[stored.id] = Stored(stored.id, stored.seq, message, tokens, head.chain, *gate)
                    whose, owner, _ = self._memory.messages[stored.id]
                    self._memory.messages[stored.id] = (whose, owner, changed[stored.id])
                    if stored.id in going:
                        self._index.remove(stored.id)
                        self._index.add(stored.id, searchable_text(message))
                else:
                    head = advance(head, changed[stored.id].message)
                line.messages[place] = changed[stored.id]
                line.heads.append(head)
            version = line.branch.version + 1
            line.branch = replace(
                line.branch, head=head, version=version, purged=version,
                tokens=sum(one.tokens for one in line.messages),
            )  # fmt: skip

    def _shown_again(self, line: Line, over: Mapping[str, Summary]) -> None:
        """The window of a branch over what there is now, forgotten messages side by side as one line; and that its
        prefix has changed.
        """
        items = tuple(self._again(line, item) for item in line.window.items)
        window = Window(items, line.window.thinking_from)
        thinking_from = max(1, request_position(window))
        records: list[tuple[list[Item], Item, int]] = []
        for run in forgotten_runs(items):
            note = forgotten_note(run[-1].last - run[0].first + 1)
            before_tokens = sum(item.tokens for item in run)
            if count_note(note) < before_tokens:
                name = self._memory.next_id("o")
                made = OmittedItem(name, run[0].first, run[-1].last, note, count_note(note))
                records.append((run, made, before_tokens))
        again = [item for item in items if item.id in over and item.tokens < over[item.id].tokens]
        if again and not records:
            records.append((again[:1], again[0], over[again[0].id].tokens))
        ledger, through = line.talk.standing_ledger(line, 1 << 62)
        for gone, made, before_tokens in records:
            place = window.items.index(gone[0])
            rest = window.items
            window = Window((*rest[:place], made, *rest[place + len(gone) :]), window.thinking_from)
            line.compactions.append(
                Compaction(
                    REASON, (), tuple(item.id for item in gone), made.id, kind_of(made), before_tokens, made.tokens,
                    0.0, thinking_from, ledger=ledger, ledger_through=through,
                )
            )  # fmt: skip
        since = max(window.thinking_from, thinking_from) if records else window.thinking_from
        line.window = replace(window, thinking_from=since)
        line.branch = replace(line.branch, thinking_from=since)

    def _again(self, line: Line, item: Item) -> Item:
        match item:
            case MessageItem(stored=stored) | StubItem(stored=stored):
                now = line.messages[stored.seq - 1]
                if not is_blank(now.message):
                    return replace(item, stored=now)
                if isinstance(item, StubItem) and not item.gated:
                    note = forgotten_note(1)
                    return OmittedItem(
                        item.id, item.first, item.last, note, min(item.tokens, count_note(note))
                    )
                return MessageItem(now)
            case SummaryItem(summary=summary):
                now_summary = self._memory.summaries[summary.id][1]
                quoted = line.messages[now_summary.quotes - 1] if now_summary.quotes else None
                return SummaryItem(now_summary, quoted)
            case OmittedItem():
                return item

    async def forget_conversation(self, owner: str, conversation: str) -> Erased:
        """See `Forgetting.forget_conversation`."""
        erased = self._delete(self._memory.must_have(owner, conversation))
        self._names.add((owner, name_mark(self._key, conversation)))
        return erased

    async def forget_owner(self, owner: str) -> Erased:
        """See `Forgetting.forget_owner`."""
        parts = [self._delete(talk) for talk in list(self._memory.talks) if talk.owner == owner]
        self._names = {one for one in self._names if one[0] != owner}
        for known in [one for one in self._calibrations if one[0] == owner]:
            del self._calibrations[known]
        self._copies = {path: one for path, one in self._copies.items() if one[0] != owner}
        return summed(parts)

    def _delete(self, talk: Talk) -> Erased:
        messages = list(self._own(talk))
        summaries = [name for name, (whose, _) in self._memory.summaries.items() if whose is talk]
        for name in messages:
            del self._memory.messages[name]
            self._tombstones.pop(name, None)
            self._index.remove(name)
        for name in summaries:
            del self._memory.summaries[name], self._memory.made_on[name]
            self._index.remove(name)
        self._memory.talks.remove(talk)
        for job in [one for one in self._jobs if one[:2] == (talk.owner, talk.name)]:
            del self._jobs[job]
        for path, (whose, copy) in list(self._copies.items()):
            if (whose, copy.conversation) != (talk.owner, talk.name):
                continue
            del self._copies[path]
            if copy.kind == "export":
                self._copies[path] = (whose, replace(copy, conversation="", stale=True))
        return Erased(
            messages=len(messages), emptied=tuple(summaries), pins=tuple(pin.id for pin in talk.pins),
            branches=len(talk.lines), compactions=sum(len(line.compactions) for line in talk.lines),
        )  # fmt: skip

    async def restate(self, owner: str, conversation: str, at: Branch, text: str, through: int) -> bool:
        """See `Forgetting.restate`."""
        talk = self._memory.must_have(owner, conversation)
        line = talk.line(at.id)
        if line is None or line.branch.purged > at.version or not line.compactions:
            return False
        line.compactions[-1] = replace(line.compactions[-1], ledger=storable(text), ledger_through=through)
        talk.note_change()
        return True

    async def was_forgotten(self, owner: str, conversation: str) -> bool:
        """Whether a conversation of this name was forgotten."""
        return (owner, name_mark(self._key, conversation)) in self._names

    async def take_back(self, owner: str, conversation: str) -> None:
        """Let a conversation of this name be as if it had never been forgotten."""
        self._names.discard((owner, name_mark(self._key, conversation)))

    async def weights(self, owner: str) -> list[Weight]:
        """See `Forgetting.weights`."""
        talks = sorted(
            (talk for talk in self._memory.talks if talk.owner == owner),
            key=lambda talk: (talk.updated_s, talk.number),
        )
        return [Weight(talk.name, self._size(talk), talk.updated_s, talk.parent) for talk in talks]

    def _size(self, talk: Talk) -> int:
        texts = [repr(one.message.parts) for one in self._own(talk).values()]
        texts += [summary.text for whose, summary in self._memory.summaries.values() if whose is talk]
        return sum(len(storable(text).encode()) for text in texts)

    async def note_copy(self, owner: str, conversation: str, kind: str, path: str, *, now_s: float) -> None:
        """See `Forgetting.note_copy`."""
        self._copies[path] = (owner, Copy(kind, path, conversation, now_s))

    async def copies(self, owner: str) -> list[Copy]:
        """The files that are known to hold something of the owner's."""
        return [copy for whose, copy in self._copies.values() if whose in {"", owner}]

    async def drop_copy(self, path: str) -> None:
        """Forget that a file was written: it is gone."""
        self._copies.pop(path, None)

    async def unswept(self) -> bool:
        """Nothing ever is."""
        return False

    async def sweep(self) -> tuple[str, ...]:
        """There is nothing to let go of."""
        return ()

    async def shrink(self) -> bool:
        """There is no file."""
        return True


def _title(talk: Talk) -> str:
    """What the user first said that is still there."""
    texts = (
        one.message.text for line in talk.lines for one in line.messages
        if one.message.role == "user" and not is_blank(one.message)
    )  # fmt: skip
    return title_from(texts)
