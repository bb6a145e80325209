"""Carrying out a decision: summarize each step, check the result, commit it if the items still stand.

Nothing is locked while a summary is made: appends and other compactions go on, and the commit is refused only if
the very items it replaces have changed. A step over items that another step is at work on waits for that one, and
is decided on anew; one with a focus of its own does not wait. A step whose result is not strictly smaller is not
committed and not tried again.

What summarizes is imported once there is something to compact: most of the time a conversation only grows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from palimpsest.budget.result_truncation import reading_tool
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.background_pauses import off_loop
from palimpsest.engine.compacting.report import Done, accounted, joined
from palimpsest.engine.reports import Report
from palimpsest.errors import StaleCommit
from palimpsest.limits import MAX_SUMMARY_CALLS
from palimpsest.ports import Clock, Commit, Complete
from palimpsest.record.log import Branch, Compaction
from palimpsest.record.summary import TOOLS_SAID
from palimpsest.record.window import Window, standing
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem, kind_of

if TYPE_CHECKING:
    from palimpsest.engine.compacting.commit_effects import Entailing
    from palimpsest.engine.compacting.report import Tally
    from palimpsest.engine.compacting.summary_drafts import Drafting
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.record.decision import Budget, Decision, State, Step
    from palimpsest.record.summary import Draft
    from palimpsest.record.summary_source import Source

MAX_IDLE_ROUNDS = 3
"""Rounds without a commit, because others changed the window meanwhile, after which a call gives up."""

MAX_UNANSWERED = 2
"""Steps in a row to which the model gave no reply at all, after which it is not asked again in the same call."""

MAX_GROUP_MESSAGES = 500
"""Messages at the end of a summary among which its tool group in progress is looked for."""

PROGRESS_MARGIN_TOKENS = 16
"""By which a text and what is shown behind it may take more together than each alone."""

DROP_ROUNDS = 3
"""Bound of the last resort; one round nearly always suffices."""


def goal_tokens(budget: Budget, under_tokens: int | None) -> int:
    """What a request may use: the capacity as the margin now has it, and no more than asked for."""
    return budget.capacity_tokens if under_tokens is None else min(under_tokens, budget.capacity_tokens)


@dataclass(eq=False, slots=True)
class UnderWay:
    """The items of a step that is being carried out, and the event of its end."""

    conversation: str
    item_ids: frozenset[str]
    ended: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class Compactor:
    """Carries out decisions for one engine: with its model, or without one."""

    complete: Complete | None
    clock: Clock
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    fallback: Complete | None = None
    under_way: set[UnderWay] = field(default_factory=set[UnderWay])

    def state(self, desk: Desk, window: Window, branch: Branch | None) -> State:
        """What a policy may look at, with who may write summaries."""
        from palimpsest.engine.compacting.summarizer_choice import with_writers

        return with_writers(desk.state(window, branch), desk.asked_model(), self.complete, self.fallback)

    async def carry_out(
        self,
        desk: Desk,
        decide: Callable[[State], Decision],
        *,
        rounds: int,
        focus: str = "",
        resting: bool = False,
        under_tokens: int | None = None,
        tally: Tally | None = None,
    ) -> Report | None:
        """Decide, do, and decide again, until there is nothing to do, nothing changes, or `rounds` are over.

        A reply that cannot be used concerns its own step alone. A model that refuses every call (no credit, no valid
        key), or gave no reply at all to two steps in a row, is not asked again in this call, nor is one that is
        `resting` or after `MAX_SUMMARY_CALLS`. `under_tokens` is what a request is to use at most, where that is less
        than fits; `tally` what the same call has replaced before.
        """
        from palimpsest.engine.compacting.commit_effects import Entailing
        from palimpsest.engine.compacting.report import Tally
        from palimpsest.engine.compacting.summary_drafts import Withheld

        tally = tally or Tally()
        branch, window = await desk.load()
        before_tokens, through = desk.budget(window, branch).regions.total, window.last
        done: list[Done] = []
        decision: Decision | None = None
        complete = None if resting else self.complete
        idle_rounds, failure = 0, ""
        for _ in range(rounds):
            branch, window = await desk.load()
            planned = await off_loop(decide, self.state(desk, window, branch))
            desk.observing.decided(desk.conversation, desk.settings.policy, planned)
            if branch is None or not planned.steps or idle_rounds >= MAX_IDLE_ROUNDS:
                break
            if decision is None:
                for watcher in desk.told():
                    await watcher.before(planned)
            decision = decision or planned
            idle_rounds += 1
            goal = goal_tokens(desk.budget(window, branch), under_tokens)
            earned_tokens = 0
            for place, step in enumerate(planned.steps, 1):
                entailing = Entailing(tally, earned_tokens, place == len(planned.steps), goal)
                try:
                    if not focus and await self._joined(desk, step):
                        idle_rounds = 0
                        break
                    with self._noted(desk, step, planned):
                        one = await self._step(desk, branch, step, planned, complete, focus, entailing)
                except Withheld as withheld:
                    failure = withheld.reason
                    desk.memo.failed_s = self.clock()
                    break
                if one is not None:
                    done.append(one)
                    earned_tokens += one.saved_tokens
                    idle_rounds = 0
                    complete = self._still_asked(desk, complete, done)
            if failure:
                break
        await desk.memo.save()
        if done:
            await desk.till.compacted(summarized=any(not isinstance(one.item, StubItem) for one in done))
        if decision is None or not (done or failure):
            return None
        report = await accounted(desk, decision, done, tally, before_tokens, through)
        for watcher in desk.told() if done else ():
            await watcher.after(report)
        return replace(report, failure=failure)

    async def _joined(self, desk: Desk, step: Step) -> bool:
        """Wait for the steps that are at work on items of this one; whether there were any. What is no summary is made
        at once.
        """
        ids = set(step.item_ids) if step.kind not in ("stub", "omit") else set[str]()
        busy = [
            one.ended
            for one in self.under_way
            if one.conversation == desk.conversation and not ids.isdisjoint(one.item_ids)
        ]
        for ended in busy:
            await ended.wait()
        return bool(busy)

    @contextmanager
    def _noted(self, desk: Desk, step: Step, decision: Decision) -> Generator[None]:
        """While this lasts, the step of a decision is under way."""
        noted = UnderWay(desk.conversation, frozenset(step.item_ids))
        self.under_way.add(noted)
        try:
            with desk.observing.compacting(desk.conversation, decision):
                yield
        finally:
            self.under_way.discard(noted)
            noted.ended.set()

    def _still_asked(self, desk: Desk, complete: Complete | None, done: list[Done]) -> Complete | None:
        """The model, while it answers and fewer calls were made than one window may cost. When it failed is noted."""
        asked = [one for one in done if one.calls]
        if not asked or asked[-1] is not done[-1]:
            return _affordable(complete, done)
        desk.memo.failed_s = None if asked[-1].answered else self.clock()
        silent = len(asked) >= MAX_UNANSWERED and not any(one.answered for one in asked[-MAX_UNANSWERED:])
        return None if silent or asked[-1].failure else _affordable(complete, done)

    def _drafting(self, desk: Desk, complete: Complete | None, *, full: bool) -> Drafting:
        """What makes summaries, its calls bounded in time and told."""
        from palimpsest.engine.compacting.model_calls import Patient
        from palimpsest.engine.compacting.summarizer_choice import forker, name_of
        from palimpsest.engine.compacting.summary_drafts import Drafting
        from palimpsest.engine.telemetry.observers import provider_of

        own = forker(desk.settings, desk.asked_model(), complete, self.fallback)
        main, fallback, own = (
            desk.observing.watch(Patient(one, provider_of(one)), desk.conversation)
            if one is not None
            else None
            for one in (complete, self.fallback, own)
        )
        model = name_of(complete)
        return Drafting(desk, main, fallback, self.prompts, full=full, own=own, model=model, client=complete)

    async def until_under(
        self, desk: Desk, under_tokens: int | None = None, *, focus: str = "", tally: Tally | None = None
    ) -> Report | None:
        """Compact until a request uses at most `under_tokens` and fits, or nothing more can be made smaller.

        A summarizer that failed lately is not asked. What the rounds did not achieve, dropping the oldest does.
        """

        from palimpsest.engine.compacting.report import Tally
        from palimpsest.plan.policies import fit

        tally = tally or Tally()

        def decide(state: State, *, drop_only: bool = False) -> Decision:
            return fit(state, goal_tokens(state.budget, under_tokens), drop_only=drop_only)

        branch, window = await desk.load()
        resting = desk.state(window, branch).summarizer_rests
        report = await self.carry_out(
            desk,
            decide,
            rounds=desk.settings.max_rounds,
            focus=focus,
            resting=resting,
            under_tokens=under_tokens,
            tally=tally,
        )
        drop = partial(decide, drop_only=True)
        dropped = await self.carry_out(desk, drop, rounds=DROP_ROUNDS, under_tokens=under_tokens, tally=tally)
        return joined(report, dropped)

    async def _step(
        self,
        desk: Desk,
        branch: Branch,
        step: Step,
        decision: Decision,
        complete: Complete | None,
        focus: str,
        entailing: Entailing,
    ) -> Done | None:
        """One step; None if its items no longer stand or cannot be made smaller."""
        from palimpsest.engine.compacting import replacement_items
        from palimpsest.engine.compacting.commit_effects import consequence

        started_s = perf_counter()
        present, window = await desk.load()
        try:
            start, end = standing(window, step.item_ids)
        except StaleCommit:
            return None
        if present is None or present.id != branch.id:
            return None
        items, calls = window.items[start:end], None
        source_tokens = sum(item.tokens for item in items)
        first_id, last_id = [await _id_at(desk, window, seq) for seq in (items[0].first, items[-1].last)]
        apart = (window, start, end, step, focus, desk.fixed.system or desk.system)
        source = await off_loop(replacement_items.make_source, *apart)
        match step.kind:
            case "stub":
                item = replacement_items.stub_item(items[0], step.note)
            case "omit":
                item = replacement_items.omitted_item(items, first_id, last_id)
            case _:
                item, calls = await self._summarized(desk, branch, step, window, items, source, complete)
        preface = replacement_items.preface_tokens(window, step)
        entailed = None
        if item is not None and item.tokens + preface < source_tokens:
            entailed = await consequence(desk, branch, step, item, source, preface, entailing)
        if item is None or entailed is None:
            desk.refuse(step.item_ids)
            return None
        _, window = await desk.load()
        record = Compaction(
            reason=decision.reason,
            numbers=decision.numbers,
            replaced=step.item_ids,
            item_id=item.id,
            item_kind=kind_of(item),
            before_tokens=source_tokens,
            after_tokens=item.tokens,
            time_s=self.clock(),
            thinking_from=_thinking_from(window),
            calls=calls.calls if calls else (),
        )
        committed = await desk.commit(branch.id, Commit(item, entailed.noted(record), present.version))
        if committed is None:
            return None
        desk.observing.compacted(desk.conversation, committed.id, record, started_s)
        entailing.tally.take(items, committed, entailed.strings, entailed.evidence)
        return Done(
            committed,
            first_id,
            last_id,
            record.calls,
            stood=sum(isinstance(one, MessageItem | StubItem) for one in items),
            summarized=sum(one.summary.covers for one in items if isinstance(one, SummaryItem)),
            saved_tokens=entailed.saved_tokens,
            refused=calls.unused if calls else "",
            failure=calls.failure if calls else "",
        )

    async def _summarized(
        self,
        desk: Desk,
        branch: Branch,
        step: Step,
        window: Window,
        items: Sequence[Item],
        source: Source,
        complete: Complete | None,
    ) -> tuple[SummaryItem | None, Draft]:
        """A step's summary, None for one without words, and how it was made."""
        from palimpsest.engine.compacting.model_calls import give_way
        from palimpsest.engine.compacting.replacement_items import preface_tokens, quoted_among, summary_item
        from palimpsest.engine.compacting.summarizer_choice import fork_of

        quoted = quoted_among(items, step.quotes)
        room = sum(item.tokens for item in items) - preface_tokens(window, step)
        room -= quoted.tokens if quoted else 0
        progress = await _progress(desk, window, step, items)
        room -= count_text(progress) + PROGRESS_MARGIN_TOKENS if progress else 0
        full = complete is not None and _is_full(desk.budget(window, branch))
        drafting = self._drafting(desk, complete, full=full)
        await desk.notes.read_on(branch)  # a secret may be called one outside of what is summarized
        made = await drafting.draft(source, step, room, partial(fork_of, desk, window, branch))
        await desk.till.pay_summaries(made.calls, self.clock())
        desk.observing.drafted(desk.conversation, made)
        if not made.text.strip():
            return None, made
        if desk.settings.summary_placement == "system":
            made = replace(made, text=_for_system_role(made))
        if progress:
            progress = await give_way((await desk.memo.redactor()).redacting(progress))
            made = replace(made, text=f"{made.text.rstrip()}\n\n{progress}")
        dropped = await _dropped_ids(desk, items)
        return summary_item(items, step.depth, made, quoted, dropped), made


def _for_system_role(made: Draft) -> str:
    """A summary whose text by a model may stand in the system role: what was not written by one is a tool's."""
    from palimpsest.engine.compacting.outline_summaries import FROM_THE_CONVERSATION

    by_model = made.method in ("normal", "aggressive")
    prose, _, outline = (
        made.text.partition(f"\n{FROM_THE_CONVERSATION}\n") if by_model else ("", "", made.text)
    )
    return f"{prose.strip()}\n{TOOLS_SAID}\n{outline.strip()}".strip()


async def _progress(desk: Desk, window: Window, step: Step, items: Sequence[Item]) -> str:
    """The tool group in progress as the summary of a step shows it, "" where none is among what it replaces."""
    from palimpsest.engine.compacting.replacement_items import progress_text, shown_progress
    from palimpsest.plan.open_group import in_progress

    group, room_tokens = [item for item in in_progress(window) if item in items], step.group_tokens
    shown = shown_progress(window, items) if not group else None
    if shown is not None:
        first, last = max(shown.first, shown.last - MAX_GROUP_MESSAGES), shown.last
        stored = await desk.store.messages(desk.owner, desk.conversation, first, last)
        group = in_progress(Window(tuple(MessageItem(one) for one in stored)))
        room_tokens = step.target_tokens // 2
    return progress_text(group, room_tokens, reading_tool(desk.fixed.tools))


def _affordable(complete: Complete | None, done: list[Done]) -> Complete | None:
    """The model while fewer calls were made than one window may cost."""
    return complete if sum(len(one.calls) for one in done) < MAX_SUMMARY_CALLS else None


def _is_full(budget: Budget) -> bool:
    return budget.used_tokens > budget.capacity_tokens


async def _id_at(desk: Desk, window: Window, seq: int) -> str:
    """The id of the message at a position, whether or not it stands in the window."""
    for item in window.items:
        if isinstance(item, MessageItem | StubItem) and item.first == seq:
            return item.stored.id
    found = await desk.store.messages(desk.owner, desk.conversation, seq, seq)
    return found[0].id if found else ""


async def _dropped_ids(desk: Desk, items: Iterable[Item]) -> dict[str, tuple[str, ...]]:
    """The ids of the messages under each dropped range among the items."""
    found: dict[str, tuple[str, ...]] = {}
    for item in items:
        if isinstance(item, OmittedItem):
            stored = await desk.store.messages(desk.owner, desk.conversation, item.first, item.last)
            found[item.id] = tuple(one.id for one in stored)
    return found


def _thinking_from(window: Window) -> int:
    """Where the newest turn begins: reasoning before it is bound to a prefix that this compaction changes."""
    from palimpsest.plan.hierarchical import request_position

    return max(1, request_position(window))
