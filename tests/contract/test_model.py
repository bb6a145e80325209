"""The stores and their model: whatever is done to both, everything that can be seen of them is the same."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from palimpsest.budget.calibration import Calibration
from palimpsest.errors import PalimpsestError
from palimpsest.ports import Commit, Counted, Loaded, ReportedUsage, Store
from palimpsest.record.log import Compaction, Stored
from palimpsest.record.message import Message, Usage
from palimpsest.record.window import check_coverage, fold
from palimpsest.record.window_items import Item
from palimpsest.search.query_grammar import parse
from palimpsest.stores.codec import decode_message, encode_message
from palimpsest.stores.sqlite import SqliteStore
from tests import strategies
from tests.contract.kit import chained, omitted, say, stubbed, summarized
from tests.effort import examples
from tests.reference_store import MemoryStore

Result = TypeVar("Result")

WORDS = ("alpha", "beta", "src/app.py", "缓存失效", "half", "")
QUERIES = tuple(map(parse, ("alpha", "app.py", "存失", "alf", "beta short")))
EVERYWHERE = tuple((owner, talk) for owner in ("ann", "bob") for talk in ("talk", "other"))

conversations = st.sampled_from((EVERYWHERE[0], EVERYWHERE[0], *EVERYWHERE))
places = st.integers(0, 12)


def carried(message: Message) -> Message:
    """The message as JSON can carry it: halves of a pair that stand together are one character."""
    return decode_message(message.role, encode_message(message), message.time_s)


speakers = st.sampled_from(("user", "assistant"))
plain = st.builds(say, st.lists(st.sampled_from(WORDS), max_size=2).map(" ".join), speakers)
messages = st.lists(plain | strategies.messages().map(carried), max_size=4)
tails = st.lists(
    st.builds(
        say,
        st.sampled_from(("half", "half and more", "half and whole")),
        st.sampled_from(("assistant", "tool")),
        growing=st.booleans(),
        origin=st.sampled_from(("", "line-2")),
    ),
    max_size=2,
)


class Stores(RuleBasedStateMachine):
    """A store and its model side by side, with every history that was ever sent to each conversation."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.model: Store = MemoryStore()
        self.store: Store = self.runner.run(SqliteStore.open(":memory:"))
        self.sent: dict[tuple[str, str], list[list[Message]]] = {}
        self.made: dict[str, Item] = {}
        self.plan: Commit | None = None
        self.touched = EVERYWHERE[0]
        self.now_s = 1_000.0

    def teardown(self) -> None:
        self.runner.run(self.model.close())
        self.runner.run(self.store.close())
        self.runner.close()

    def both(self, work: Callable[[Store], Awaitable[Result]]) -> Result | None:
        """Do the same to both, and see that both answer, or refuse, alike."""

        async def answer(store: Store) -> tuple[Result | None, type[PalimpsestError] | None]:
            try:
                return await work(store), None
            except PalimpsestError as error:
                return None, type(error)

        expected = self.runner.run(answer(self.model))
        assert self.runner.run(answer(self.store)) == expected
        return expected[0]

    @rule(place=conversations, said=messages, tail=tails, key=st.sampled_from((None, None, "k", "l")))
    def append(
        self, place: tuple[str, str], said: list[Message], tail: list[Message], key: str | None
    ) -> None:
        """Messages arrive."""
        self.touched, self.now_s = place, self.now_s + 1
        entries = [Counted(message, 100) for message in (*said, *tail)]
        self.both(lambda store: store.append(*place, entries, key=key, now_s=self.now_s))
        known = self.both(lambda store: store.messages(*place, 1, 1_000)) or []
        self.sent.setdefault(place, []).append([one.message for one in known])

    @rule(place=conversations, which=st.integers(0, 3), cut=st.integers(0, 3), said=messages, tail=tails,
          rewind=st.booleans(), counted=st.booleans())  # fmt: skip
    def sync(
        self, place: tuple[str, str], which: int, cut: int, said: list[Message], tail: list[Message],
        rewind: bool, counted: bool,
    ) -> None:  # fmt: skip
        """A client sends a history again: an earlier one, cut somewhere and continued."""
        self.touched, self.now_s = place, self.now_s + 1
        before = self.sent.setdefault(place, [[]])
        base = before[-1 - which % len(before)]
        sent = [*base[: max(0, len(base) - cut)], *said, *tail]
        self.take_in(place, sent, rewind, counted)

    @rule(place=conversations, which=places, text=st.sampled_from(("half and more", "half and whole")), tail=tails,
          whole=st.booleans(), rewind=st.booleans())  # fmt: skip
    def grow(
        self, place: tuple[str, str], which: int, text: str, tail: list[Message], whole: bool, rewind: bool
    ) -> None:
        """A source goes on: one of the messages that were not finished is, or says more."""
        self.touched, self.now_s = place, self.now_s + 1
        stored = [one.message for one in self.both(lambda store: store.messages(*place, 1, 1_000)) or []]
        unfinished = [at for at, message in enumerate(stored) if message.provisional]
        at = unfinished[which % len(unfinished)] if unfinished else len(stored)
        role, origin = (stored[at].role, stored[at].origin) if unfinished else ("assistant", "line-2")
        grown = say(text, role, growing=not whole, origin=origin)
        self.take_in(place, [*stored[:at], grown, *tail], rewind, counted=True)

    def take_in(self, place: tuple[str, str], sent: list[Message], rewind: bool, counted: bool) -> None:
        """Sync both with a history; without `counted`, its known messages come without token counts."""
        known = self.both(lambda store: store.match(*place, sent)) or 0
        entries = [
            Counted(message, -1 if at < known and not counted else 100) for at, message in enumerate(sent)
        ]
        done = self.both(lambda store: store.sync(*place, entries, rewind=rewind, now_s=self.now_s))
        assert done is not None
        assert done.added + done.replaced >= len(sent) - known
        self.sent.setdefault(place, [[]]).append(sent)
        self.both(lambda store: store.resolve(place[0], sent))

    @rule(place=conversations, first=places, size=places, kind=st.sampled_from((summarized, summarized, omitted)),
          tokens=st.sampled_from((1, 9, 50, 150)), late=st.booleans())  # fmt: skip
    def compact(
        self,
        place: tuple[str, str],
        first: int,
        size: int,
        kind: Callable[..., Commit],
        tokens: int,
        late: bool,
    ) -> None:
        """A run of items is replaced by one, at once or when it may be too late."""
        self.touched = place
        loaded = self.both(lambda store: store.load_window(*place))
        items = loaded.window.items if loaded is not None else ()
        if loaded is None or not items:
            return
        run = items[first % len(items) :][: size + 1]
        made = kind(loaded.window, run[0].first, run[-1].last, tokens=tokens)
        made = replace(made, compaction=replace(made.compaction, thinking_from=run[-1].last + 1))
        if late:
            self.plan = made
        else:
            self.commit(place, loaded.branch.id, made)

    @rule(place=conversations, first=places, tokens=st.sampled_from((1, 200)))
    def stub(self, place: tuple[str, str], first: int, tokens: int) -> None:
        """A message is replaced by a stub."""
        self.touched = place
        loaded = self.both(lambda store: store.load_window(*place))
        verbatim = (
            [item.first for item in loaded.window.items if item.id[0] == "m"] if loaded is not None else []
        )
        if loaded is not None and verbatim:
            made = stubbed(loaded.window, verbatim[first % len(verbatim)], tokens=tokens)
            self.commit(place, loaded.branch.id, made)

    @rule(place=conversations)
    def carry_out_late(self, place: tuple[str, str]) -> None:
        """A plan made some time ago is committed, perhaps to another conversation."""
        self.touched = place
        branch = self.both(lambda store: store.branch(*place))
        if self.plan is not None and branch is not None:
            self.commit(place, branch.id, self.plan)

    def commit(self, place: tuple[str, str], branch_id: int, made: Commit) -> None:
        """Commit to both, and remember what was made."""
        done = self.both(lambda store: store.commit(*place, branch_id, made))
        if done is not None:
            self.made[done[1].id] = done[1]

    @rule(place=conversations, title=st.none() | st.sampled_from(("", "Title")), number=places)
    def surround(self, place: tuple[str, str], title: str | None, number: int) -> None:
        """Titles, usage, noted work and leases."""
        self.now_s += 1
        holder, reported = place[1], ReportedUsage(Usage(number, 1, 2, 3), number, "mark", number, "m")
        learnt = Calibration((1.0 * number,) * 6, (2.0,) * 6) if number % 2 else None
        self.both(lambda store: store.lease("lease", holder, ttl_s=2, now_s=self.now_s))
        self.both(lambda store: store.enqueue(*place, "leaf" if number % 2 else "condense", now_s=self.now_s))
        self.both(lambda store: store.record_usage(*place, number, reported, learnt))
        self.both(lambda store: store.calibration(place[0], "m"))
        self.both(lambda store: store.last_usage(*place, number))
        if number < 4:
            self.both(lambda store: store.describe_conversation(*place, title=title, now_s=self.now_s))
            self.both(lambda store: store.finish(*place, "leaf"))
            self.both(lambda store: store.release("lease", holder))

    @invariant()
    def what_can_be_seen_is_the_same(self) -> None:
        """The touched conversation, and what is listed of its owner."""
        seen = self.both(lambda store: see(store, *self.touched))
        assert seen is not None
        assert chained(seen.messages)
        if seen.loaded is not None:
            check_coverage(seen.loaded.window, len(seen.messages))
            inherits = seen.loaded.branch.parent is not None
            assert inherits or fold(seen.messages, seen.compactions, self.made) == seen.loaded.window


@dataclass(frozen=True)
class Seen:
    """Everything that can be seen of a conversation and its owner."""

    loaded: Loaded | None
    messages: list[Stored]
    compactions: list[Compaction]
    others: tuple[object, ...]


async def see(store: Store, owner: str, talk: str) -> Seen:
    """Look at everything. Ranks and the size on disk are each store's own affair."""
    every_id = [f"{letter}{number}" for letter in "msxo" for number in range(1, 9)]
    found: list[object] = []
    for query in QUERIES:
        for place in (talk, None):
            answer = await store.search(owner, place, query, limit=10_000)
            found.append((answer.total, {replace(hit, rank=0.0) for hit in answer.hits}))
    return Seen(
        await store.load_window(owner, talk),
        await store.messages(owner, talk, 1, 1_000),
        await store.compactions(owner, talk),
        (
            found,
            await store.branch(owner, talk),
            await store.conversations(owner),
            await store.pending(owner),
            await store.read(owner, every_id),
            replace(await store.stats(owner), size_bytes=0),
        ),
    )


@pytest.mark.sampled
def test_a_store_and_its_model_answer_alike_whatever_is_done_to_both() -> None:
    run_state_machine_as_test(Stores, settings=settings(parent=examples(16), stateful_step_count=25))
