"""When a conversation is compacted: because somebody asks, or of itself after a turn or a step, awaited where the
preset says so, else in the background.

Of itself it rests where `compact_threshold` is None, and after two compactions that did not help (`budget.effect`). A
request that would not fit is compacted whatever this says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from palimpsest.budget.compaction_effect import Effect, compacted, reported
from palimpsest.budget.regions import trigger
from palimpsest.engine.background_pauses import off_loop
from palimpsest.engine.compacting.compactor import Compactor, goal_tokens
from palimpsest.engine.compacting.report import joined
from palimpsest.engine.compacting.request_fit import does_not_fit, lighter, refuse_hopeless
from palimpsest.engine.reports import Event, Report
from palimpsest.plan.economic import judge
from palimpsest.plan.policies import MAX_PASSES, POLICIES, Policy, fit

if TYPE_CHECKING:
    from palimpsest.budget.assemble import Request
    from palimpsest.engine.compacting.background import Background, Work
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.record.decision import Decision, State
    from palimpsest.record.log import Branch
    from palimpsest.record.window import Window

READING = "ledger"
"""The background work of reading messages into the ledger."""

DECIDING = "decision"
"""The background work of deciding whether to compact, where that takes long."""

FEW_ITEMS = 1_000
"""Of a window of no more it is decided at once whether anything is due."""

READ_FROM_TOKENS, READ_EVERY_MESSAGES, READ_AT_A_REQUEST = 10_000, 4, 16
"""A conversation is read from so many tokens on, so many messages at a time: after a turn, or, where nobody tells that
a turn is over, before a request.
"""

EMBEDDING = "vectors"
"""The background work of making vectors of messages."""


def _asked(policy: Policy, state: State, *, under_tokens: int | None) -> Decision:
    return policy.asked(state, under_tokens)


def _cached(state: State) -> State:
    """The state once its prompt was sent: it is in the cache then."""
    economy = state.economy
    return state if economy is None else replace(state, economy=replace(economy, warm=True))


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What is due for one conversation."""

    desk: Desk
    compactor: Compactor
    background: Background

    @property
    def policy(self) -> Policy:
        """The policy that the settings name."""
        return POLICIES[self.desk.settings.policy]

    @property
    def before_calls(self) -> bool:
        """Whether it is before each call that a compaction is decided on."""
        settings = self.desk.settings
        return settings.compact_when == "call" or settings.policy == "economic"

    async def awaited(self) -> Report | None:
        """Do what a turn or a step may wait for; None where nothing was due."""
        kind = self.policy.due[0][0]
        if self.background.running(self.desk.conversation, kind) or await self._state() is None:
            return None
        policy = self.policy
        done = await self.compactor.carry_out(self.desk, policy.awaited, rounds=policy.awaited_rounds)
        return await self._noted(done)

    async def before_call(self, branch: Branch, window: Window) -> bool:
        """Do what is due before a call; whether the window may have changed. A compaction is made in the background,
        for a later call, unless the settings say "call". What does not fit is left to `make_fit`.

        In the background the price is that of a cached prompt, cached or not: this call is sent as it stands, and its
        prompt is in the cache when the compaction is done.
        """
        settings = self.desk.settings
        kind = self.policy.due[0][0]
        if settings.compact_threshold is None or self._under_way(kind):
            return False
        state = self.compactor.state(self.desk, window, branch)
        behind = settings.compact_when != "call"
        state = _cached(state) if behind else state
        economy, inline = state.economy, not behind and self.compactor.complete is None
        if economy is not None:
            verdict, meter = judge(state, roughly=behind)
            self.desk.till.accrued(meter)
            asks = verdict.action == "compact" and verdict.summarizer != "extractive"
            inline = not behind and not asks
            if not inline and not economy.warm:
                verdict, _ = judge(state := _cached(state))
            if verdict.action == "nothing":
                return False
        if self.desk.memo.effect.rests(state.budget.used_tokens):
            return False
        if inline:
            return (
                bool((await off_loop(self.policy.awaited, state)).steps) and await self.awaited() is not None
            )
        if state.budget.used_tokens <= state.budget.capacity_tokens:
            self.background.start(self.desk.conversation, DECIDING, self._start_if_due, light=True)
        return False

    def _under_way(self, kind: str) -> bool:
        """Whether a compaction is being made or decided on: what it makes of the window is not known yet."""
        running, name = self.background.running, self.desk.conversation
        return running(name, kind) or running(name, DECIDING)

    async def _start_if_due(self) -> None:
        """Start a compaction in the background, if there is anything to compact."""
        state, kind = await self._state(), self.policy.due[0][0]
        if state is not None and (await off_loop(self.policy.awaited, _cached(state))).steps:
            self.background.start(self.desk.conversation, kind, partial(self._carry_out, kind))

    async def start(self) -> None:
        """Start the first kind of work that is due, in the background; the next follows when it is done.

        One that is still under way since an earlier turn does not hold up the next: where turns come as fast as leaves
        are made, nothing would ever be condensed.
        """
        if not self.before_calls:
            await self._start_from(0)
        branch, _ = await self.desk.load()
        if branch is not None:
            self.read_soon(branch)
            self.embed_soon()

    def read_before_request(self, branch: Branch) -> None:
        """As `read_soon`, where nobody told that turns were over."""
        self.read_soon(branch, READ_AT_A_REQUEST)

    def read_soon(self, branch: Branch, least_messages: int = READ_EVERY_MESSAGES) -> None:
        """Begin to read what a compaction will need, in the background, a few messages at a time, once there is enough
        to compact.
        """
        if branch.tokens < READ_FROM_TOKENS or not self.desk.settings.ledger_tokens:
            return
        if self.desk.unread(branch) >= least_messages:
            self.background.start(self.desk.conversation, READING, self._read_on, light=True)

    def embed_soon(self) -> None:
        """Begin to make the vectors that are lacking, in the background, where there is an embedder."""
        if self.desk.embedding is not None:
            self.background.start(self.desk.conversation, EMBEDDING, self._embed)

    async def _embed(self) -> None:
        """Make the vectors that messages of the conversation lack."""
        if self.desk.embedding is not None:
            await self.desk.embedding.fill(self.desk.owner, self.desk.conversation)

    async def _read_on(self) -> None:
        """Bring the ledger up to date, so that a compaction need not."""
        branch, _ = await self.desk.load()
        if branch is not None:
            await self.desk.notes.read_on(branch)
            await self.desk.memo.save()

    async def _start_from(self, place: int) -> None:
        state = await self._state()
        if state is None:
            return
        for kind, decide in self.policy.due[place:]:
            work = partial(self._carry_out, kind)
            decided = decide(state) if len(state.window.items) <= FEW_ITEMS else await off_loop(decide, state)
            if decided.steps and self.background.start(self.desk.conversation, kind, work):
                return

    async def compact(self, until_under_tokens: int | None, focus: str) -> Report | None:
        """See `Conversation.compact`."""
        from palimpsest.engine.compacting.report import Tally

        tally = Tally()
        branch, window = await self.desk.load()
        await refuse_hopeless(self.desk, window, branch, until_under_tokens)
        report = await self.compactor.carry_out(
            self.desk,
            partial(_asked, self.policy, under_tokens=until_under_tokens),
            rounds=self.policy.asked_rounds,
            focus=focus,
            under_tokens=until_under_tokens,
            tally=tally,
        )
        branch, window = await self.desk.load()
        budget = self.desk.budget(window, branch)
        if budget.used_tokens > goal_tokens(budget, until_under_tokens):
            more = await self.compactor.until_under(self.desk, until_under_tokens, focus=focus, tally=tally)
            report = joined(report, more)
            branch, window = await self.desk.load()
            budget = self.desk.budget(window, branch)
            budget = lighter(self.desk, window, branch, budget, until_under_tokens)
        if budget.used_tokens > (goal := goal_tokens(budget, until_under_tokens)):
            raise does_not_fit(window, budget, goal)
        return report

    async def planned(self, until_under_tokens: int | None) -> Decision:
        """See `Conversation.plan_compact`."""
        branch, window = await self.desk.load()
        state = self.desk.state(window, branch)
        decision = self.policy.asked(state, until_under_tokens)
        return decision if decision.steps else fit(state, goal_tokens(state.budget, until_under_tokens))

    def work(self, kind: str) -> Work | None:
        """The background work of a kind, None for one that the policy does not know."""
        if kind == READING:
            return self._read_on
        if kind == EMBEDDING:
            return self._embed if self.desk.embedding is not None else None
        return partial(self._carry_out, kind) if self.policy.decide(kind) else None

    async def _carry_out(self, kind: str) -> Report | None:
        kinds = [name for name, _ in self.policy.due]
        decide = self.policy.decide(kind)
        if decide is None:
            return None
        rounds = 1 if self.before_calls else MAX_PASSES
        done = await self.compactor.carry_out(self.desk, lambda state: decide(_cached(state)), rounds=rounds)
        report = await self._noted(done)
        await self._start_from(kinds.index(kind) + 1)
        return report

    async def _state(self) -> State | None:
        """What a policy sees, None where nothing may start of itself."""
        branch, window = await self.desk.load()
        if branch is None or self.desk.settings.compact_threshold is None:
            return None
        state = self.compactor.state(self.desk, window, branch)
        return None if self.desk.memo.effect.rests(state.budget.used_tokens) else state

    async def _noted(self, report: Report | None) -> Report | None:
        if report is not None and (report.summaries or report.stubs or report.omitted):
            self.desk.memo.effect = compacted(self.desk.memo.effect)
            await self.desk.memo.save()
        return report

    async def learn(self, prompt_tokens: int, request: Request) -> None:
        """Take note of a request's real prompt; say so where it shows that compacting does not help."""
        limit, _ = trigger(request.budget, self.desk.settings)
        before: Effect = self.desk.memo.effect
        self.desk.memo.effect = after = reported(before, prompt_tokens, limit, request.mark)
        await self.desk.memo.save()
        if after.rest_until_tokens not in {0, before.rest_until_tokens}:
            self.background.publish(
                Event(
                    "paused",
                    self.desk.conversation,
                    message="two compactions in a row did not help: automatic compaction rests until a request uses "
                    f"{after.rest_until_tokens:,} tokens (now {prompt_tokens:,})",
                )
            )
