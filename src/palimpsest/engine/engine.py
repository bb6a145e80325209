"""The engine: one owner's conversations over one store, with a model or without.

What a call needs besides the store is imported by the call, so that a search loads nothing that summarizes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import cached_property
from operator import attrgetter
from types import TracebackType
from typing import TYPE_CHECKING, Self

from palimpsest.engine.compacting.background import Background
from palimpsest.engine.deletion import DeletionMixin, finish_deletions
from palimpsest.engine.input_limits import checked_name
from palimpsest.engine.maintenance import MaintenanceMixin
from palimpsest.engine.state_cache import StateCache
from palimpsest.engine.telemetry.reporting import Telemetry
from palimpsest.errors import UsageError
from palimpsest.limits import PASSAGE_TOKENS
from palimpsest.search.filters import read_where
from palimpsest.settings import Settings, make_settings

if TYPE_CHECKING:
    from palimpsest.costs.bill import Bill
    from palimpsest.engine.compacting.compactor import Compactor, Runtime
    from palimpsest.engine.conversation import Conversation
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.engine.owner_engines import OwnerEngines
    from palimpsest.engine.reports import (
        ConversationInfo,
        Entries,
        Event,
        Hits,
        Imported,
        Outline,
        Passages,
        Stats,
        Trace,
    )
    from palimpsest.engine.retrieval.embeddings import Embedding
    from palimpsest.engine.tools.definitions import ModelTools
    from palimpsest.formats.transcripts.reader_base import Transcript
    from palimpsest.ports import Clock, Complete, Observer, Store
    from palimpsest.record.chain import Head
    from palimpsest.record.store_values import Progress

CLOSE_TIMEOUT_S = 5.0


class Engine(MaintenanceMixin, DeletionMixin):
    """Conversations of one owner. Make it with `palimpsest.open`; close it, or use it as a context manager."""

    def __init__(
        self,
        store: Store,
        *,
        owner: str = "me",
        settings: Settings | None = None,
        complete: str | Callable[..., object] | None = None,
        fallback: str | Callable[..., object] | None = None,
        clock: Clock = time.time,
        embedding: Embedding | None = None,
        observer: Observer | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        self.store = store
        self.owner = checked_name(owner, "owner")
        self.settings = settings or make_settings()
        self._clock = clock
        self._embedding = embedding
        self._telemetry = telemetry or Telemetry(observer)
        self._models: dict[str, Complete] = {}
        self._prompts: Mapping[str, str] = {}
        if self.settings.prompts_folder:
            from palimpsest.engine.compacting.custom_prompts import load_prompts

            self._prompts = load_prompts(self.settings.prompts_folder)
        self._complete = self.model(complete) if complete is not None else None
        self._fallback = self.model(fallback) if fallback is not None else None
        self._agent_models: list[Complete] = []
        self._shares = False
        self._background = Background(store, self.owner, clock, self._telemetry)
        self._states = StateCache(self._make_state)
        self._owners: OwnerEngines[Engine] | None = None
        self._closed = False
        self._closing = asyncio.Lock()

    @cached_property
    def _compactor(self) -> Compactor:
        from palimpsest.engine.compacting.compactor import Compactor

        return Compactor(
            self._complete,
            self._clock,
            self._prompts,
            self._fallback,
            agent_models=self._agent_models,
        )

    def conversation(self, conversation_id: str) -> Conversation:
        """A handle on a conversation; it exists in the store from its first message on."""
        from palimpsest.engine.conversation import Conversation

        name = checked_name(conversation_id, "conversation")
        return Conversation(name, self._runtime(name))

    def conversation_for(self, thread_id: str, *, owner: str) -> Conversation:
        """A handle on a conversation of any owner: one engine serves a program's threads of all its users.

        Owners never see each other's conversations. See `for_owner`.
        """
        return self.for_owner(owner).conversation(thread_id)

    def for_owner(self, owner: str) -> Engine:
        """The engine of another owner of the same database: with the same settings and models, closed with this one.

        Take the owner from your login, never from what a model or a client says.
        """
        name = checked_name(owner, "owner")
        if name == self.owner:
            return self
        if self._owners is None:
            from palimpsest.engine.owner_engines import OwnerEngines

            self._owners = OwnerEngines(self._make_for_owner)
        return self._owners.use(name)

    def _make_for_owner(self, owner: str) -> Engine:
        made = Engine(
            self.store, owner=owner, settings=self.settings, complete=self._complete, fallback=self._fallback,
            clock=self._clock, embedding=self._embedding, telemetry=self._telemetry,
        )  # fmt: skip
        made._models, made._agent_models, made._shares = self._models, self._agent_models, True
        return made

    @property
    def is_closed(self) -> bool:
        """Whether the engine was closed, or is about to be."""
        return self._closed

    @property
    def is_idle(self) -> bool:
        """Whether there is no background work, and no cost to save."""
        return not (self._background.is_busy or self._states.has_unsaved)

    def _runtime(self, name: str) -> Runtime:
        from palimpsest.engine.compacting.compactor import Runtime

        return Runtime(self._states.use(name), self._compactor, self._background)

    def _make_state(self, name: str) -> ConversationState:
        from palimpsest.engine.conversation_state import ConversationState

        return ConversationState(
            self.store, self.owner, name, self.settings, self._clock,
            embedding=self._embedding, telemetry=self._telemetry,
        )  # fmt: skip

    def model(self, given: str | Callable[..., object]) -> Complete:
        """A client for a model. One that is named ("provider:model") is made once, and closed with the engine.

        Raises UsageError, SettingsError.
        """
        from palimpsest.complete.model_adapter import as_complete

        if not isinstance(given, str):
            return as_complete(given)
        if given not in self._models:
            self._models[given] = as_complete(given)
        return self._models[given]

    async def conversations(self) -> list[ConversationInfo]:
        """All conversations of this owner, newest change first."""
        from palimpsest.engine.reports import as_listed

        memos = await self.store.memos(self.owner)
        rows = await self.store.conversations(self.owner)
        return [as_listed(row, memos.get(row.name, "")) for row in rows]

    async def resolve(self, messages: Sequence[object]) -> Conversation | None:
        """The conversation that holds the longest known prefix of this history, None if not even its start is known."""
        from palimpsest.engine.message_input import parse_messages

        found = await self.store.resolve(self.owner, parse_messages(messages, None).messages)
        return self.conversation(found[0]) if found is not None else None

    async def import_transcript(
        self, transcript: Transcript, *, again: bool = False, known: Sequence[Head] = ()
    ) -> Imported:
        """Store a transcript: every path of it as a branch, the current one last, and the compactions its own agent
        made. A repeated import adds only what is new. `known` are heads of the current path's messages that the caller
        has computed already. Raises UsageError for a conversation that was deleted, unless `again`.
        """
        from palimpsest.engine.compacting.automatic_compaction import embed_soon
        from palimpsest.engine.transcript_import import import_transcript
        from palimpsest.record.events import Taken

        name, started_s = checked_name(transcript.id, "conversation"), time.perf_counter()
        if await self.store.branch(self.owner, name) is None:
            await self._check_not_deleted(name, again=again)
        imported = await import_transcript(self._make_state(name), transcript, known)
        if (state := self._states.find(name)) is not None:
            state.invalidate()
        self._telemetry.emit(Taken(name, imported.added, time.perf_counter() - started_s))
        embed_soon(self._runtime(name))
        return imported

    async def grep(
        self,
        pattern: str,
        scope: str = "both",
        role: str | None = None,
        last: str | None = None,
        since: str | None = None,
        before: str | None = None,
        limit: int = 20,
    ) -> Hits:
        """The hits of a pattern in all of this owner's conversations; see `Conversation.grep`."""
        from palimpsest.engine.retrieval.grep import grep

        where = read_where(scope, role, last, since, before, now_s=self._clock())
        return await grep(self.store, self.owner, None, pattern, where, limit)

    async def search(
        self, question: str, limit: int = 10, budget_tokens: int = PASSAGE_TOKENS, role: str | None = None,
        last: str | None = None, since: str | None = None, before: str | None = None,
    ) -> Passages:  # fmt: skip
        """Passages of all of this owner's conversations that may answer a question; see `Conversation.search`."""
        from palimpsest.engine.retrieval.search import search

        now_s = self._clock()
        return await search(
            self.store, self.owner, None, question, limit=limit, budget_tokens=budget_tokens, now_s=now_s,
            embedding=self._embedding, where=read_where("both", role, last, since, before, now_s=now_s),
        )  # fmt: skip

    async def embed(self, *, step: Progress | None = None) -> int:
        """Make all missing vectors; returns how many. Raises UsageError without an embedder, ModelError."""
        if self._embedding is None:
            raise UsageError(
                "no embedder was given", hint="open the engine with embed=..., or set embed_model"
            )
        names = [row.name for row in await self.store.conversations(self.owner)]
        return await self._embedding.fill_all(self.owner, names, step)

    async def expand(
        self,
        ids: Sequence[str] = (),
        include_results: bool = True,
        to_messages: bool = False,
        budget_tokens: int | None = None,
        cursor: str = "",
    ) -> Entries:
        """Messages in full, and summaries as what they were made from; see `Conversation.expand`."""
        from palimpsest.engine.reading.expand import expand

        return await expand(
            self.store, self.owner, None, ids, include_results=include_results, to_messages=to_messages,
            budget_tokens=budget_tokens, cursor=cursor,
        )  # fmt: skip

    async def describe(self, id: str) -> Outline:  # noqa: A002  (the settled name of the argument)
        """What lies under an id: time span, counts, files, and the cost of reading each level."""
        from palimpsest.engine.reading.expand import describe

        return await describe(self.store, self.owner, None, id)

    async def trace(self, id: str, text: str = "") -> Trace:  # noqa: A002  (the settled name of the argument)
        """The messages that each line of a summary comes from; with `text`, those that say this text."""
        from palimpsest.engine.reading.trace import trace

        return await trace(self.store, self.owner, None, id, text)

    def tools(self, conversation: str | None = None, answer_tokens: int | None = None) -> ModelTools:
        """The tools with which a model reads one conversation, or all of this owner's."""
        from palimpsest.engine.tools.definitions import make_tools
        from palimpsest.engine.tools.handlers import ToolScope, tokens_of_answer

        if conversation is not None:
            return self.conversation(conversation).tools(answer_tokens)
        tokens = tokens_of_answer(self.settings, answer_tokens)
        return make_tools(ToolScope(self.store, self.owner, None, self._clock, tokens, self._embedding))

    async def stats(self) -> Stats:
        """Counts over this owner's data, what was spent, and what this engine did."""
        from palimpsest.engine.reports import stats_of

        await self._states.save_costs()
        found, spending = await self.store.stats(self.owner), await self.store.spending(self.owner)
        return stats_of(found, spending, self._telemetry.counts)

    async def cost(
        self, conversation: str, model: str = "", window_tokens: int = 0, *, step: Progress | None = None
    ) -> Bill | None:
        """What a conversation's calls cost, and what they would have cost with each way to compact; None if no model
        was called. The latter are for `model` and `window_tokens`, or its own. `step` is called with the progress.
        Raises NotFound.
        """
        from palimpsest.costs.report import stored_bill

        await self._states.save_costs()
        return await stored_bill(
            self.store, self.owner, conversation, model=model, window_tokens=window_tokens, step=step
        )

    def events(self) -> AsyncIterator[Event]:
        """What the background does from this call on, until the engine is closed."""
        return self._events(self._background.subscribe())

    async def _events(self, queue: asyncio.Queue[Event | None]) -> AsyncIterator[Event]:
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            self._background.unsubscribe(queue)

    async def resume(self) -> int:
        """Resume background work that an earlier process left unfinished, and return how many pieces were started."""
        await finish_deletions(self.store)
        started = 0
        for name, kind in await self.store.pending(self.owner):
            from palimpsest.engine.compacting.automatic_compaction import background_work

            work = background_work(self._runtime(name), kind)
            if work is not None:
                started += self._background.start(name, kind, work, resumed=True)
        return started

    async def idle(self) -> None:
        """Wait until no background work is left."""
        await self._background.idle()

    async def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Wait that long for background work, abandon the rest (it is resumed when next opened), and close the models
        that the engine made, and the store. A second call waits until that is done.
        """
        async with self._closing:
            if self._closed:
                return
            self._closed = True
            async with AsyncExitStack() as closing:  # all of them in reverse order, even if one fails
                if not self._shares:
                    closing.push_async_callback(self.store.close)
                if self._models and not self._shares:
                    from palimpsest.complete.model_adapter import is_model

                    for model in filter(is_model, self._models.values()):
                        closing.push_async_callback(model.close)
                if self._embedding is not None and not self._shares:
                    closing.push_async_callback(self._embedding.close)
                if self._owners is not None:
                    closing.push_async_callback(self._owners.close, timeout_s)
                closing.push_async_callback(self._background.close, timeout_s)
                await self._states.settle()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


agent_models_of: Callable[[Engine], list[Complete]] = attrgetter("_agent_models")
"""The model of the newest agent. It writes summaries if the engine was given no model, and its provider compacts where
the settings say that a provider does."""
