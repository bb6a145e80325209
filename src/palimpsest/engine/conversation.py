"""One conversation: append, request, compact, search. The way of one message, called step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest.budget.assemble import Request
from palimpsest.engine import retrieve
from palimpsest.engine.background import Background, Work
from palimpsest.engine.compactor import Compactor, goal_tokens
from palimpsest.engine.desk import Desk, make_fixed
from palimpsest.engine.ingest import count, require_text, take_in
from palimpsest.engine.reports import Entry, Hits, Outline, Report, Synced, WindowView, joined
from palimpsest.errors import DoesNotFit, StaleCommit, UsageError
from palimpsest.formats import parse_tool, parse_usage
from palimpsest.plan.hierarchical import condense, immovable, leaf, leaves, newest_request
from palimpsest.plan.squeeze import squeeze
from palimpsest.ports import Clock, ReportedUsage, Store
from palimpsest.record.decision import Budget, Decision, State
from palimpsest.record.log import Branch, Stored
from palimpsest.record.message import ToolDef
from palimpsest.record.window import Window

MAX_SYNC_TRIES = 3
MAX_REQUEST_TRIES = 5
"""How often a request is made to fit again because others went on appending meanwhile."""

MAX_PASSES = 200
"""Bound of the leaves or condensings of one call; each makes the window smaller, so far fewer are ever needed."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A handle on one conversation of one owner. It exists in the store from its first message on."""

    id: str
    store: Store
    owner: str
    desk: Desk
    compactor: Compactor
    background: Background
    clock: Clock

    async def append(self, *messages: object, key: str | None = None) -> list[Stored]:
        """Store messages (OpenAI or Anthropic dicts, or `Message`) at the end, all or none, and return them
        with their ids.

        The same `key` again stores nothing and returns what it stored the first time. A system or developer message
        is no history: it becomes the conversation's system prompt. Raises FormatError for what cannot be read,
        StoreError.
        """
        now_s = self.clock()
        given = take_in(messages, now_s)
        if not given.messages:
            await self._keep_system(given.system)
            return []
        done = await self.store.append(
            self.owner, self.id, count(given.messages), key=key, system=given.system, now_s=now_s
        )
        self.desk.appended(done)
        if given.system is not None and not done.repeated:
            self.desk.keep_system(given.system)
        return list(done.stored)

    async def sync(self, history: Sequence[object]) -> Synced:
        """Take in a whole history that a client sent again: match what is known, append the rest, or fork.

        An edited, rewound or truncated history makes a new branch, which becomes current; nothing is overwritten.
        """
        given = take_in(history, self.clock())
        tries = 0
        while True:
            tries += 1
            known = (
                await self.store.match(self.owner, self.id, given.messages) if tries < MAX_SYNC_TRIES else 0
            )
            entries = count(given.messages, known=known)
            try:
                done = await self.store.sync(self.owner, self.id, entries, now_s=self.clock())
            except StaleCommit:
                if tries >= MAX_SYNC_TRIES:
                    raise
                continue
            self.desk.forget()
            await self._keep_system(given.system)
            return Synced(self.id, done.branch.id, done.branch.head.seq, done.added, done.forked)

    async def _keep_system(self, system: str | None) -> None:
        """Note a system prompt that came by append or sync; None where none did."""
        if system is None or system == self.desk.system == self.desk.fixed.system:
            return
        await self.store.describe_conversation(self.owner, self.id, system=system, now_s=self.clock())
        self.desk.keep_system(system)

    async def request(
        self,
        system: str | None = None,
        memory: str | None = None,
        tools: Sequence[Mapping[str, object] | ToolDef] | None = None,
        model: str = "",
        inject: Sequence[str] = (),
    ) -> Request:
        """The request to send next: it fits the window, and is valid for its provider.

        `system` None means the conversation's own (or the last one given), `tools` None those of the last request;
        tools are OpenAI or Anthropic dicts. `inject` are texts for this request only, such as what a memory recalled:
        they follow the newest message and are never stored. Over budget it compacts first. Raises DoesNotFit naming the
        parts that are too large, and UsageError before the first message.
        """
        require_text("system", system)
        require_text("memory", memory)
        for text in inject:
            require_text("an injection", text)
        branch, window = await self._prepare(system, memory, tools, tuple(inject))
        if branch is None or not window.items:
            raise UsageError(f"conversation {self.id!r} has no messages", hint="append one first")
        fixed = self.desk.fixed
        budget = self.desk.budget(window, branch)
        tries = 0
        while budget.used_tokens > budget.capacity_tokens:
            self._refuse_hopeless(window, branch)
            planned_through, tries = window.last, tries + 1
            await self.compactor.until_under(self.desk)
            branch, window = await self.desk.load()
            self.desk.fixed = fixed
            budget = self.desk.budget(window, branch)
            over = budget.used_tokens > budget.capacity_tokens
            if branch is None or (over and (window.last == planned_through or tries >= MAX_REQUEST_TRIES)):
                raise self._does_not_fit(window, budget)
        return Request(
            conversation=self.id,
            branch_id=branch.id,
            system=fixed.system,
            memory=fixed.memory,
            messages=self.desk.show(window),
            injections=fixed.injections,
            tools=fixed.tools,
            model=model,
            budget=budget,
            mark=self.desk.mark(window, branch),
        )

    async def _prepare(
        self,
        system: str | None,
        memory: str | None,
        tools: Sequence[Mapping[str, object] | ToolDef] | None,
        inject: tuple[str, ...],
    ) -> tuple[Branch | None, Window]:
        branch, window = await self.desk.load()
        before = self.desk.fixed
        parsed = before.tools if tools is None else tuple(as_tool(one) for one in tools)
        self.desk.fixed = make_fixed(
            before, before.system if system is None else system, memory or "", parsed, inject
        )
        return branch, window

    def _refuse_hopeless(
        self, window: Window, branch: Branch | None, under_tokens: int | None = None
    ) -> None:
        """Raise DoesNotFit, before anything is replaced, where what cannot shrink is over the goal already."""
        least = immovable(window)
        budget = self.desk.budget(least, branch)
        goal = goal_tokens(budget, under_tokens)
        if budget.used_tokens > goal:
            raise self._does_not_fit(least, budget, goal)

    def _does_not_fit(self, window: Window, budget: Budget, goal: int | None = None) -> DoesNotFit:
        """The error that says what is too large for the capacity, or for a lower goal."""
        room = f"{budget.window_tokens:,} less {budget.output_reserve_tokens:,} for the reply and the margin"
        asked = goal is not None and goal < budget.capacity_tokens
        goal = goal if goal is not None and asked else budget.capacity_tokens
        request = newest_request(window)
        largest = max(window.items, key=lambda item: item.tokens, default=None)
        parts = [
            ("system prompt", budget.regions.system),
            ("memory", budget.regions.memory),
            ("tools", budget.regions.tools),
            ("injections", budget.regions.injections),
        ]
        if request is not None:
            parts.append((f"newest request {request.id}", request.tokens))
        if largest is not None and largest is not request:
            parts.append((f"largest other item {largest.id}", largest.tokens))
        named = ", ".join(
            f"{name} {tokens:,}" for name, tokens in sorted(parts, key=lambda part: -part[1]) if tokens
        )
        return DoesNotFit(
            f"no request fits {goal:,} tokens ({'asked for' if asked else room}); what cannot shrink: {named}",
            parts=[part for part in parts if part[1]],
            capacity_tokens=goal,
            hint="use a larger window_tokens, a smaller max_tokens, or shorten the parts named",
        )

    async def record_usage(self, usage: object, request: Request) -> None:
        """Keep the usage that the provider reported for `request`; it anchors the estimates that follow.

        Takes the usage of an OpenAI, Anthropic or Gemini reply, as an object or a dict. One without input
        tokens is ignored.
        """
        reported = parse_usage(usage)
        if reported.input_tokens <= 0:
            return
        kept = ReportedUsage(reported, request.regions.total, request.mark)
        await self.store.record_usage(self.owner, self.id, request.branch_id, kept)
        self.desk.anchor(kept, request.branch_id)

    async def end_turn(self) -> Report | None:
        """Tell that a turn is over. Returns what this call committed itself; the rest is done in the background.

        With `compact_when = "end_turn"` one leaf is made here and awaited, as PicoClaw's compression has it.
        """
        report = None
        if self.desk.settings.compact_when == "end_turn" and not self.background.running(self.id, "leaf"):
            report = await self.compactor.carry_out(self.desk, leaf, rounds=1)
        await self.start_background()
        return report

    async def start_background(self) -> None:
        """Start what the window calls for: leaves, which start condensing when they are done, or condensing alone.

        Nothing is waited for.
        """
        branch, window = await self.desk.load()
        if branch is None:
            return
        state = self.desk.state(window, branch)
        if leaf(state).steps:
            self.background.start(self.id, "leaf", self._all_leaves)
        elif condense(state).steps:
            self.background.start(self.id, "condense", self._all_condensing)

    async def _all_leaves(self) -> Report | None:
        report = await self.compactor.carry_out(self.desk, leaves, rounds=MAX_PASSES)
        branch, window = await self.desk.load()
        if condense(self.desk.state(window, branch)).steps:
            self.background.start(self.id, "condense", self._all_condensing)
        return report

    async def _all_condensing(self) -> Report | None:
        return await self.compactor.carry_out(self.desk, condense, rounds=MAX_PASSES)

    def work(self, kind: str) -> Work | None:
        """The background work of a kind, None for an unknown one."""
        return {"leaf": self._all_leaves, "condense": self._all_condensing}.get(kind)

    async def compact(self, until_under_tokens: int | None = None, focus: str = "") -> Report | None:
        """Compact now and wait for it; None if there was nothing to do.

        Makes every leaf and condensed summary the policy calls for, and then, if a request still uses more than
        `until_under_tokens` (default: the capacity), whatever else makes it fit. `focus` names what to keep above all.
        Raises DoesNotFit if it still does not, with what was done kept.
        """
        if until_under_tokens is not None and until_under_tokens < 1:
            raise UsageError(
                f"until_under_tokens cannot be {until_under_tokens}", hint="give a positive number"
            )
        branch, window = await self.desk.load()
        self._refuse_hopeless(window, branch, until_under_tokens)
        report = await self.compactor.carry_out(self.desk, usual, rounds=MAX_PASSES, focus=focus)
        branch, window = await self.desk.load()
        budget = self.desk.budget(window, branch)
        if budget.used_tokens > goal_tokens(budget, until_under_tokens):
            more = await self.compactor.until_under(self.desk, until_under_tokens, focus=focus)
            report = joined(report, more)
            branch, window = await self.desk.load()
            budget = self.desk.budget(window, branch)
        if budget.used_tokens > (goal := goal_tokens(budget, until_under_tokens)):
            raise self._does_not_fit(window, budget, goal)
        return report

    async def plan_compact(self, until_under_tokens: int | None = None) -> Decision:
        """What `compact` would do first: a dry run."""
        branch, window = await self.desk.load()
        state = self.desk.state(window, branch)
        decision = usual(state)
        if decision.steps:
            return decision
        return squeeze(state, goal_tokens(state.budget, until_under_tokens))

    async def window(self) -> WindowView:
        """The window as it stands, with its budget."""
        branch, window = await self.desk.load()
        fixed = self.desk.fixed
        return WindowView(self.id, window, self.desk.budget(window, branch), fixed.system or self.desk.system)

    async def messages(self, start: int = 1, limit: int = 100) -> list[Stored]:
        """At most `limit` messages of the current history, from position `start` (from 1) on."""
        return await self.store.messages(self.owner, self.id, start, start + limit - 1)

    async def grep(self, pattern: str, scope: str = "both", limit: int = 20) -> Hits:
        """Messages and summaries of this conversation that hold every word of `pattern` (quoted: the whole phrase)."""
        return await retrieve.grep(self.store, self.owner, self.id, pattern, scope=scope, limit=limit)

    async def expand(
        self, ids: Sequence[str], include_results: bool = True, to_messages: bool = False
    ) -> list[Entry]:
        """Messages in full; summaries as what they were made from (`to_messages`: down to the messages)."""
        return await retrieve.expand(
            self.store, self.owner, self.id, ids, include_results=include_results, to_messages=to_messages
        )

    async def describe(self, id: str) -> Outline:  # noqa: A002  (the settled name of the argument)
        """What lies under an id of this conversation: time span, counts, files, and the cost of reading each level."""
        return await retrieve.describe(self.store, self.owner, self.id, id)


def as_tool(tool: Mapping[str, object] | ToolDef) -> ToolDef:
    """A tool definition, read from a provider's dict where it is one."""
    return tool if isinstance(tool, ToolDef) else parse_tool(tool)


def usual(state: State) -> Decision:
    """The ordinary policy in one: leaves where they are due, else condensing."""
    decision = leaves(state)
    return decision if decision.steps else condense(state)
