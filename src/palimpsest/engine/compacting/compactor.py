"""Carry out decisions: summarize each step, check the result, and commit it if its items have not changed.

No lock is held while a summary is made: appends and other compactions go on. A step whose items another step is
replacing waits for that one and is decided anew; a step with a focus of its own does not wait. A step whose result is
not strictly smaller is neither committed nor tried again.

What summarizes is imported when there is something to compact.
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
from palimpsest.budget.token_counts import thinking_tokens
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.background_pauses import give_way, off_loop
from palimpsest.engine.compacting.report import CommittedStep, make_report, merge_reports
from palimpsest.errors import StaleCommit
from palimpsest.limits import MAX_SUMMARY_CALLS
from palimpsest.ports import Clock, Commit, Compacts, Complete
from palimpsest.record.events import Compacted
from palimpsest.record.log import Branch, Compaction, Numbers, Stored
from palimpsest.record.summary import TOOLS_SAID
from palimpsest.record.window import Window, standing
from palimpsest.record.window_items import (
    BlockItem,
    Item,
    MessageItem,
    OmittedItem,
    StubItem,
    SummaryItem,
    kind_of,
)

if TYPE_CHECKING:
    from palimpsest.engine.compacting.background import Background
    from palimpsest.engine.compacting.commit_effects import CompactionStatistics, StepContext
    from palimpsest.engine.compacting.summary_drafts import SummaryWriter
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.engine.reports import Report
    from palimpsest.record.decision import Budget, Decision, State, Step
    from palimpsest.record.summary import Draft
    from palimpsest.record.summary_source import Source
    from palimpsest.settings import Settings

MAX_IDLE_ROUNDS = 3
"""Rounds without a commit, because others changed the window meanwhile, after which a call gives up."""

MAX_UNANSWERED = 2
"""Steps in a row without any reply of the model, after which it is not asked again in the same call."""

MAX_GROUP_MESSAGES = 500
"""Messages at the end of a summary among which its tool group in progress is searched."""

PROGRESS_MARGIN_TOKENS = 16
"""By how much two texts together may count more than each alone."""

DROP_ROUNDS = 3
"""The bound of dropping messages; one round nearly always suffices."""


def goal_tokens(budget: Budget, under_tokens: int | None) -> int:
    """What a request may use: at most the capacity, and at most what was asked for."""
    return budget.capacity_tokens if under_tokens is None else min(under_tokens, budget.capacity_tokens)


@dataclass(eq=False, slots=True)
class RunningStep:
    """The items of a step that is being carried out, and the event of its end."""

    conversation: str
    item_ids: frozenset[str]
    ended: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class Compactor:
    """Carries out decisions for one engine. `given` writes the summaries; see `writer`."""

    given: Complete | None
    clock: Clock
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    fallback: Complete | None = None
    running_steps: set[RunningStep] = field(default_factory=set[RunningStep])
    agent_models: list[Complete] = field(default_factory=list["Complete"])

    def writer(self, settings: Settings) -> Complete | None:
        """The model that writes summaries, None for outlines, which are the cheapest where none was given."""
        own = next(iter(self.agent_models), None) if settings.summarizer != "cheapest" else None
        return self.given or own

    def policy_state(self, state: ConversationState, window: Window, branch: Branch | None) -> State:
        """What a policy may look at, including who may write summaries."""
        from palimpsest.engine.compacting.summarizer_choice import with_summarizer

        policy_state = state.policy_state(window, branch)
        asks_provider = state.settings.summarizer == "provider" and self.provider() is not None
        return with_summarizer(
            policy_state,
            state.current_model(),
            self.writer(state.settings),
            self.fallback,
            asks_provider=asks_provider,
            is_own=self.given is None,
        )

    def provider(self) -> Compacts | None:
        """The client whose provider compacts, None for none: the agent's own first."""
        from palimpsest.engine.compacting.provider_compaction import compacting_client

        return compacting_client(*self.agent_models, self.fallback, self.given)

    async def carry_out(
        self,
        state: ConversationState,
        decide: Callable[[State], Decision],
        *,
        rounds: int,
        focus: str = "",
        resting: bool = False,
        under_tokens: int | None = None,
        statistics: CompactionStatistics | None = None,
    ) -> Report | None:
        """Decide and act, again and again, until nothing is left to do, nothing changes, or `rounds` are over.

        The model is not asked any more if it refuses every call, gave no reply to two steps in a row, is `resting`, or
        has had `MAX_SUMMARY_CALLS`. `under_tokens` limits a request to less than fits. `statistics` are those of the
        same call's earlier work.
        """
        from palimpsest.engine.compacting.commit_effects import CompactionStatistics, StepContext
        from palimpsest.engine.compacting.summary_drafts import SummarizerRefused

        statistics = statistics or CompactionStatistics()
        branch, window = await state.load()
        before_tokens, through = state.budget(window, branch).regions.total, window.last
        done: list[CommittedStep] = []
        decision: Decision | None = None
        complete = None if resting else self.writer(state.settings)
        asks_provider = not (resting or focus) and state.settings.summarizer == "provider"
        idle_rounds, failure = 0, ""
        for _ in range(rounds):
            branch, window = await state.load()
            planned = await off_loop(decide, self.policy_state(state, window, branch))
            state.telemetry.decided(state.conversation, state.settings.policy, planned)
            if branch is None or not planned.steps or idle_rounds >= MAX_IDLE_ROUNDS:
                break
            decision = decision or await _announced(state, planned)
            idle_rounds += 1
            goal, earned_tokens = goal_tokens(state.budget(window, branch), under_tokens), 0
            if asks_provider and (one := await self._by_provider(state, branch, planned, statistics, goal)):
                done.append(one)
                break
            asks_provider = False
            for number, step in enumerate(planned.steps, 1):
                last = number == len(planned.steps)
                context = StepContext(step, planned, complete, focus, statistics, earned_tokens, last, goal)
                try:
                    if not focus and await self._wait_for_overlapping(state, step):
                        idle_rounds = 0
                        break
                    with self._running(state, step, planned):
                        committed = await self._step(state, branch, context)
                except SummarizerRefused as refused:
                    failure = refused.reason
                    state.engine_state.failed_s = self.clock()
                    break
                if committed is not None:
                    done.append(committed)
                    earned_tokens += committed.saved_tokens
                    idle_rounds = 0
                    complete = self._still_asked(state, complete, done)
            if failure:
                break
        await state.engine_state.save()
        if done:
            await state.costs.compacted(summarized=any(not isinstance(one.item, StubItem) for one in done))
        if decision is None or not (done or failure):
            return None
        report = await make_report(state, decision, done, statistics, before_tokens, through)
        if done:
            await _announce(state, report)
        return replace(report, failure=failure)

    async def _by_provider(
        self,
        state: ConversationState,
        branch: Branch,
        planned: Decision,
        statistics: CompactionStatistics,
        goal: int,
    ) -> CommittedStep | None:
        """Let the provider compact what a decision would; None if it cannot, or does not."""
        from palimpsest.engine.compacting.commit_effects import StepContext
        from palimpsest.engine.compacting.provider_compaction import is_on_wire, provider_step

        _, window = await state.load()
        client = self.provider()
        step = provider_step(
            window,
            planned,
            tail_tokens=state.settings.tail_tokens,
            binds_thinking=state.binds_thinking(),
        )
        if step is None or client is None or not is_on_wire(window, client):
            return None
        context = StepContext(step, planned, self.writer(state.settings), "", statistics, 0, True, goal)
        if await self._wait_for_overlapping(state, step):
            return None
        with self._running(state, step, planned):
            return await self._step(state, branch, context)

    async def _wait_for_overlapping(self, state: ConversationState, step: Step) -> bool:
        """Wait for running steps that share items with this one; whether there were any. Only summaries wait."""
        ids = set(step.item_ids) if step.kind not in ("stub", "omit") else set[str]()
        ends = [
            one.ended
            for one in self.running_steps
            if one.conversation == state.conversation and not ids.isdisjoint(one.item_ids)
        ]
        for ended in ends:
            await ended.wait()
        return bool(ends)

    @contextmanager
    def _running(self, state: ConversationState, step: Step, decision: Decision) -> Generator[None]:
        """Mark the step as running."""
        running = RunningStep(state.conversation, frozenset(step.item_ids))
        self.running_steps.add(running)
        try:
            with state.telemetry.compacting(state.conversation, decision):
                yield
        finally:
            self.running_steps.discard(running)
            running.ended.set()

    def _still_asked(
        self, state: ConversationState, complete: Complete | None, done: list[CommittedStep]
    ) -> Complete | None:
        """The model, while it answers and is affordable. When it failed is remembered."""
        asked = [one for one in done if one.calls]
        if asked and asked[-1] is done[-1]:
            state.engine_state.failed_s = None if asked[-1].answered else self.clock()
            last = asked[-MAX_UNANSWERED:]
            silent = len(last) == MAX_UNANSWERED and not any(one.answered for one in last)
            if silent or asked[-1].failure:
                return None
        return _affordable(complete, done)

    def _writer(self, state: ConversationState, complete: Complete | None, *, is_full: bool) -> SummaryWriter:
        """The writer of summaries, whose calls are limited in time and reported."""
        from palimpsest.engine.compacting.model_calls import TimeLimited
        from palimpsest.engine.compacting.summarizer_choice import forker, name_of
        from palimpsest.engine.compacting.summary_drafts import SummaryWriter
        from palimpsest.engine.telemetry.reporting import provider_of

        own = forker(state.settings, state.current_model(), complete, self.fallback)
        main, fallback, own = (
            state.telemetry.watch(TimeLimited(one, provider_of(one)), state.conversation)
            if one is not None
            else None
            for one in (complete, self.fallback, own)
        )
        model = name_of(complete)
        return SummaryWriter(state, main, fallback, self.prompts, is_full, own, model, complete)

    async def until_under(
        self,
        state: ConversationState,
        under_tokens: int | None = None,
        *,
        focus: str = "",
        statistics: CompactionStatistics | None = None,
    ) -> Report | None:
        """Compact until a request uses at most `under_tokens` and fits, at last by dropping the oldest messages.

        A summarizer that failed lately is not asked.
        """
        from palimpsest.engine.compacting.commit_effects import CompactionStatistics
        from palimpsest.plan.policies import fit

        statistics = statistics or CompactionStatistics()

        def decide(policy_state: State, *, drop_only: bool = False) -> Decision:
            return fit(policy_state, goal_tokens(policy_state.budget, under_tokens), drop_only=drop_only)

        branch, window = await state.load()
        report = await self.carry_out(
            state,
            decide,
            rounds=state.settings.max_rounds,
            focus=focus,
            resting=state.policy_state(window, branch).summarizer_rests,
            under_tokens=under_tokens,
            statistics=statistics,
        )
        dropped = await self.carry_out(
            state,
            partial(decide, drop_only=True),
            rounds=DROP_ROUNDS,
            under_tokens=under_tokens,
            statistics=statistics,
        )
        return merge_reports(report, dropped)

    async def _step(
        self, state: ConversationState, branch: Branch, context: StepContext
    ) -> CommittedStep | None:
        """Carry out one step; None if its items have changed or cannot be made smaller."""
        from palimpsest.engine.compacting import replacement_items
        from palimpsest.engine.compacting.commit_effects import commit_effects

        step, started_s = context.step, perf_counter()
        present, window = await state.load()
        try:
            start, end = standing(window, step.item_ids)
        except StaleCommit:
            return None
        if present is None or present.id != branch.id:
            return None
        items, draft = window.items[start:end], None
        before_tokens = sum(item.tokens for item in items)
        first_id, last_id = [await _id_at(state, window, seq) for seq in (items[0].first, items[-1].last)]
        system = state.prefix.system or state.system
        source = await off_loop(
            replacement_items.make_source, window, start, end, step, context.focus, system
        )
        match step.kind:
            case "stub":
                item = replacement_items.stub_item(items[0], step.note)
            case "omit":
                item = replacement_items.omitted_item(items, first_id, last_id)
            case _:
                item, draft = await self._summarize(state, branch, context, window, items, source)
        preface = replacement_items.preface_tokens(window, step)
        effects = None
        if item is not None and item.tokens + preface < before_tokens:
            effects = await commit_effects(state, branch, context, item, source, preface)
        if item is None or effects is None:
            state.refuse(step.item_ids)
            return None
        _, window = await state.load()
        record = Compaction(
            reason=context.decision.reason,
            numbers=(*context.decision.numbers, *_consequences(state, window, items, item)),
            replaced=step.item_ids,
            item_id=item.id,
            item_kind=kind_of(item),
            before_tokens=before_tokens,
            after_tokens=item.tokens,
            time_s=self.clock(),
            thinking_from=newest_turn_position(window),
            calls=(*context.statistics.take_failed_calls(), *(draft.calls if draft else ())),
        )
        committed = await state.commit(branch.id, Commit(item, effects.added_to(record), present.version))
        if committed is None:
            return None
        numbers = (len(record.replaced), before_tokens, record.after_tokens, perf_counter() - started_s)
        state.telemetry.emit(
            Compacted(state.conversation, committed.id, record.item_kind, record.reason, *numbers)
        )
        context.statistics.add(items, committed, effects.strings, effects.evidence)
        return CommittedStep(
            committed,
            first_id,
            last_id,
            draft.calls if draft else (),
            messages=sum(isinstance(one, MessageItem | StubItem) for one in items),
            summarized_messages=sum(one.summary.covers for one in items if isinstance(one, SummaryItem)),
            saved_tokens=effects.saved_tokens,
            refused=draft.unused if draft else "",
            failure=draft.failure if draft else "",
        )

    async def _summarize(
        self,
        state: ConversationState,
        branch: Branch,
        context: StepContext,
        window: Window,
        items: Sequence[Item],
        source: Source,
    ) -> tuple[SummaryItem | None, Draft]:
        """A step's summary, None for one without text, and how it was made."""
        from palimpsest.engine.compacting.replacement_items import preface_tokens, quoted_among, summary_item
        from palimpsest.engine.compacting.summarizer_choice import fork_of

        step, complete = context.step, context.complete
        quoted = quoted_among(items, step.quotes)
        if step.summarizer == "provider":
            return await self._summarize_by_provider(state, context, window, items, source, quoted)
        room = sum(item.tokens for item in items) - preface_tokens(window, step)
        room -= quoted.tokens if quoted else 0
        progress = await _progress(state, window, step, items)
        room -= count_text(progress) + PROGRESS_MARGIN_TOKENS if progress else 0
        budget = state.budget(window, branch)
        is_full = complete is not None and budget.used_tokens > budget.capacity_tokens
        writer = self._writer(state, complete, is_full=is_full)
        await state.ledger_state.read_new(branch)  # a message outside of the source may reveal a secret in it
        draft = await writer.draft(source, step, room, partial(fork_of, state, window, branch))
        await state.costs.pay_summaries(draft.calls, self.clock())
        state.telemetry.drafted(state.conversation, draft)
        if not draft.text.strip():
            return None, draft
        if state.settings.summary_placement == "system":
            draft = replace(draft, text=_for_system_role(draft))
        if progress:
            redactor = await state.engine_state.redactor()
            progress = await give_way(redactor.redacting(progress))
            draft = replace(draft, text=f"{draft.text.rstrip()}\n\n{progress}")
        return summary_item(items, step.depth, draft, quoted, await _dropped_ids(state, items)), draft

    async def _summarize_by_provider(
        self,
        state: ConversationState,
        context: StepContext,
        window: Window,
        items: Sequence[Item],
        source: Source,
        quoted: Stored | None,
    ) -> tuple[SummaryItem | None, Draft]:
        """The provider's compaction of the first items of a window; None if it fails."""
        from palimpsest.engine.compacting.outline_summaries import MIN_SUMMARY_TOKENS, outline_range
        from palimpsest.engine.compacting.provider_compaction import ask_provider, block_item, items_tokens
        from palimpsest.engine.compacting.replacement_items import summary_item
        from palimpsest.record.summary import Draft

        client = self.provider()
        if client is None:
            return None, Draft("", "provider")
        found, block, calls = await ask_provider(state, client, window, items, quoted)
        await state.costs.pay_summaries(calls, self.clock())
        if found is None:
            context.statistics.failed_calls.extend(calls)
            draft = Draft("", "provider", calls=calls)
            state.telemetry.drafted(state.conversation, draft)
            return None, draft
        text = found.text.strip()
        if not text:
            budget_tokens = max(MIN_SUMMARY_TOKENS, min(context.step.target_tokens, items_tokens(found)))
            text = await outline_range(state, source, items[0].first, items[-1].last, budget_tokens)
        redactor = await state.engine_state.redactor()
        draft = Draft(await give_way(redactor.redacting(text)), "provider", block.model, calls)
        state.telemetry.drafted(state.conversation, draft)
        made = summary_item(items, context.step.depth, draft, quoted, await _dropped_ids(state, items))
        return block_item(made, block, found), draft


@dataclass(frozen=True, slots=True)
class Runtime:
    """What the package works with behind a conversation's handle; `runtime_of` gives it."""

    state: ConversationState
    compactor: Compactor
    background: Background


def _for_system_role(draft: Draft) -> str:
    """A summary that may stand in the system role: text that no model wrote is marked as said by tools."""
    from palimpsest.engine.compacting.outline_summaries import FROM_THE_CONVERSATION

    prose, outline = "", draft.text
    if draft.method in ("normal", "aggressive"):
        prose, _, outline = draft.text.partition(f"\n{FROM_THE_CONVERSATION}\n")
    return f"{prose.strip()}\n{TOOLS_SAID}\n{outline.strip()}".strip()


async def _announced(state: ConversationState, planned: Decision) -> Decision:
    """The decision, after the watchers heard of it."""
    for watcher in state.all_watchers():
        await watcher.before(planned)
    return planned


async def _announce(state: ConversationState, report: Report) -> None:
    """Let the watchers hear what was done."""
    for watcher in state.all_watchers():
        await watcher.after(report)


async def _progress(state: ConversationState, window: Window, step: Step, items: Sequence[Item]) -> str:
    """The text of a tool group in progress among a step's items, "" if there is none."""
    from palimpsest.engine.compacting.replacement_items import progress_text, shown_progress
    from palimpsest.plan.blocks import group_in_progress

    group, room_tokens = [item for item in group_in_progress(window) if item in items], step.group_tokens
    summary = shown_progress(window, items) if not group else None
    if summary is not None:
        first = max(summary.first, summary.last - MAX_GROUP_MESSAGES)
        stored = await state.store.messages(state.owner, state.conversation, first, summary.last)
        group = group_in_progress(Window(tuple(MessageItem(one) for one in stored)))
        room_tokens = step.target_tokens // 2
    return progress_text(group, room_tokens, reading_tool(state.prefix.tools))


def _affordable(complete: Complete | None, done: list[CommittedStep]) -> Complete | None:
    """The model, while fewer calls were made than one window may cost."""
    return complete if sum(len(one.calls) for one in done) < MAX_SUMMARY_CALLS else None


def _consequences(state: ConversationState, window: Window, items: Sequence[Item], made: Item) -> Numbers:
    """What a replacement costs beyond its own price: the prompt tokens after it, which are written to the cache again,
    and the thinking among them that the model can no longer read.
    """
    later = [item for item in reversed(window.items) if item.first > items[-1].last]
    numbers: Numbers = (("cache_rewritten_tokens", sum(item.tokens for item in later)),)
    if not state.binds_thinking():
        return numbers
    if isinstance(made, BlockItem) and (state.staying or not made.block.words):
        return (*numbers, ("thinking_dropped_tokens", 0))
    kept = (item.stored.message for item in later if isinstance(item, MessageItem | StubItem))
    return (*numbers, ("thinking_dropped_tokens", sum(map(thinking_tokens, kept))))


async def _id_at(state: ConversationState, window: Window, seq: int) -> str:
    """The id of the message at a position, whether or not the window shows it."""
    for item in window.items:
        if isinstance(item, MessageItem | StubItem) and item.first == seq:
            return item.stored.id
    found = await state.store.messages(state.owner, state.conversation, seq, seq)
    return found[0].id if found else ""


async def _dropped_ids(state: ConversationState, items: Iterable[Item]) -> dict[str, tuple[str, ...]]:
    """The ids of the messages under each omitted range among the items."""
    found: dict[str, tuple[str, ...]] = {}
    for item in items:
        if isinstance(item, OmittedItem):
            stored = await state.store.messages(state.owner, state.conversation, item.first, item.last)
            found[item.id] = tuple(one.id for one in stored)
    return found


def newest_turn_position(window: Window) -> int:
    """Where the newest turn begins. Reasoning before it is bound to a prefix that a compaction changes."""
    from palimpsest.plan.blocks import request_position

    return max(1, request_position(window))
