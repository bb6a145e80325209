"""The engine: one owner's conversations over one store, with a model or without.

What a call needs beyond the store is imported by the call, so that who only searches loads nothing that summarizes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from palimpsest.engine.compacting.background import Background
from palimpsest.engine.deletion import Deleting
from palimpsest.engine.input_limits import checked_name
from palimpsest.engine.maintenance import Keeping
from palimpsest.engine.state_cache import Desks
from palimpsest.engine.telemetry.observers import Observing
from palimpsest.errors import UsageError
from palimpsest.limits import PASSAGE_TOKENS
from palimpsest.search.filters import read_where
from palimpsest.settings import Settings, make_settings

if TYPE_CHECKING:
    from palimpsest.costs.bill import Bill
    from palimpsest.engine.compacting.compactor import Compactor
    from palimpsest.engine.conversation import Conversation
    from palimpsest.engine.conversation_info import ConversationInfo
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.engine.reports import (
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
    from palimpsest.ports import Clock, Complete, Model, Observer, Store
    from palimpsest.record.chain import Head
    from palimpsest.record.store_values import Progress

CLOSE_TIMEOUT_S = 5.0


class Engine(Keeping, Deleting):
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
    ) -> None:
        self.store = store
        self._embedding = embedding
        self._models: dict[str, Complete] = {}
        self.owner = checked_name(owner, "owner")
        self.settings = settings or make_settings()
        self._clock = clock
        self._observing = Observing(observer)
        prompts: Mapping[str, str] = {}
        if self.settings.prompts_folder:
            from palimpsest.engine.compacting.custom_prompts import load_prompts

            prompts = load_prompts(self.settings.prompts_folder)
        self._summarizing = (
            self.model(complete) if complete is not None else None,
            clock,
            prompts,
            self.model(fallback) if fallback is not None else None,
        )
        self._background = Background(store, self.owner, clock, self._observing)
        self._desks = Desks(self._desk)
        self._closed = False
        self._closing = asyncio.Lock()

    @cached_property
    def _compactor(self) -> Compactor:
        from palimpsest.engine.compacting.compactor import Compactor

        return Compactor(*self._summarizing)

    def conversation(self, conversation_id: str) -> Conversation:
        """A handle on a conversation; it exists in the store from its first message on."""
        from palimpsest.engine.conversation import Conversation

        name = checked_name(conversation_id, "conversation")
        return Conversation(
            name,
            self.store,
            self.owner,
            self._desks.use(name),
            self._compactor,
            self._background,
            self._clock,
        )

    def _desk(self, name: str) -> Desk:
        from palimpsest.engine.conversation_state import Desk

        return Desk(
            self.store, self.owner, name, self.settings, self._clock, embedding=self._embedding,
            observing=self._observing,
        )  # fmt: skip

    def model(self, given: str | Callable[..., object]) -> Complete:
        """A model as the port that asks it. One that is named ("provider:model") is made once, and closed with the
        engine. Raises UsageError, SettingsError.
        """
        from palimpsest.complete.model_adapter import as_complete

        if not isinstance(given, str):
            return as_complete(given)
        if given not in self._models:
            self._models[given] = as_complete(given)
        return self._models[given]

    async def conversations(self) -> list[ConversationInfo]:
        """All conversations of this owner, newest change first."""
        from palimpsest.engine.conversation_info import as_listed

        return [as_listed(row) for row in await self.store.conversations(self.owner)]

    async def resolve(self, messages: Sequence[object]) -> Conversation | None:
        """The conversation that holds the longest known prefix of this history, None where not even its
        start is known.
        """
        from palimpsest.engine.message_input import take_in

        found = await self.store.resolve(self.owner, take_in(messages, None).messages)
        return self.conversation(found[0]) if found is not None else None

    async def import_transcript(
        self, transcript: Transcript, *, again: bool = False, known: Sequence[Head] = ()
    ) -> Imported:
        """Take in a transcript: every path of it as a branch, the current one last, and the compactions its own agent
        made. Again, it adds only what is new. `known` are the heads of the first messages of the current path, from
        whoever has computed them before. Raises UsageError for one that was forgotten, unless `again`.
        """
        from palimpsest.engine.conversation_state import Desk
        from palimpsest.engine.imported_compactions import take_over
        from palimpsest.engine.message_input import count
        from palimpsest.engine.reports import Imported
        from palimpsest.record.events import Taken

        name, started_s = checked_name(transcript.id, "conversation"), time.perf_counter()
        before = await self.store.branch(self.owner, name)
        if before is None:
            await self.may_return(name, again=again)
        added = 0
        for place, path in enumerate(transcript.paths, 1):
            newest = place == len(transcript.paths)
            before_it = known if newest else ()
            there = await self.store.match(self.owner, name, path, before_it)
            counted = await asyncio.to_thread(count, path, self.settings, known=there)
            done = await self.store.sync(
                self.owner,
                name,
                counted,
                rewind=False,
                switch=newest,
                now_s=_newest_s(path) or self._clock(),
                known=before_it,
            )
            added += done.added
        current = transcript.paths[-1] if transcript.paths else ()
        if transcript.paths and (before is None or added):
            await self.store.describe_conversation(
                self.owner,
                name,
                title=transcript.title or None,
                parent=transcript.parent or None,
                system=transcript.system or None,
                now_s=_newest_s(current) or self._clock(),
            )
        desk = Desk(self.store, self.owner, name, self.settings, self._clock, observing=self._observing)
        taken, notes = await take_over(desk, transcript.markers, current, self._clock)
        if (desk := self._desks.find(name)) is not None:
            desk.forget()
        self._observing.tell(Taken(name, added, time.perf_counter() - started_s))
        self.conversation(name).upkeep.embed_soon()
        return Imported(
            conversation=name,
            messages=len(current),
            added=added,
            tool_calls=sum(len(message.calls) for message in current),
            tool_results=sum(len(message.results) for message in current),
            branches=len(transcript.paths),
            compactions=taken,
            notes=notes,
        )

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
        """What `pattern` asks for in all of this owner's conversations; see `Conversation.grep`."""
        from palimpsest.engine.retrieval import grep

        where = read_where(scope, role, last, since, before, now_s=self._clock())
        return await grep.grep(self.store, self.owner, None, pattern, where, limit)

    async def search(
        self, question: str, limit: int = 10, budget_tokens: int = PASSAGE_TOKENS, role: str | None = None,
        last: str | None = None, since: str | None = None, before: str | None = None,
    ) -> Passages:  # fmt: skip
        """Passages of all of this owner's conversations that may answer a question; see `Conversation.search`."""
        from palimpsest.engine.retrieval import search

        return await search.search(
            self.store, self.owner, None, question, limit=limit, budget_tokens=budget_tokens, now_s=self._clock(),
            embedding=self._embedding, where=read_where("both", role, last, since, before, now_s=self._clock()),
        )  # fmt: skip

    async def embed(self, *, step: Progress | None = None) -> int:
        """Make the vectors that messages of all conversations lack; how many were made. `step` is told how far it is.
        Raises UsageError without an embedder, ModelError where it fails.
        """
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
        """Messages in full and summaries as what they were made from; see `Conversation.expand`."""
        from palimpsest.engine.reading import expand as reading

        return await reading.expand(
            self.store, self.owner, None, ids, include_results=include_results, to_messages=to_messages,
            budget_tokens=budget_tokens, cursor=cursor,
        )  # fmt: skip

    async def describe(self, id: str) -> Outline:  # noqa: A002  (the settled name of the argument)
        """What lies under an id: time span, counts, files, and the cost of reading each level."""
        from palimpsest.engine.reading import expand as reading

        return await reading.describe(self.store, self.owner, None, id)

    async def trace(self, id: str, text: str = "") -> Trace:  # noqa: A002  (the settled name of the argument)
        """Which messages each line of a summary comes from; with `text`, which of them say that."""
        from palimpsest.engine.reading.trace import trace

        return await trace(self.store, self.owner, None, id, text)

    def tools(self, conversation: str | None = None, answer_tokens: int | None = None) -> ModelTools:
        """The tools with which a model reads what is stored: of one conversation, or of all of this owner's."""
        from palimpsest.engine.tools.definitions import make_tools
        from palimpsest.engine.tools.handlers import Reach, tokens_of_answer

        if conversation is not None:
            return self.conversation(conversation).tools(answer_tokens)
        tokens = tokens_of_answer(self.settings, answer_tokens)
        return make_tools(Reach(self.store, self.owner, None, self._clock, tokens, self._embedding))

    async def stats(self) -> Stats:
        """Counts over this owner's data, what was spent, and what this engine did."""
        from palimpsest.engine.statistics import stats_of

        await self._desks.save_tills()
        found, spending = await self.store.stats(self.owner), await self.store.spending(self.owner)
        return stats_of(found, spending, self._observing.counts)

    async def cost(
        self, conversation: str, model: str = "", window_tokens: int = 0, *, step: Progress | None = None
    ) -> Bill | None:
        """What a conversation's calls cost, and what each way to compact would have; None where no model was called.
        `model`, `window_tokens`: for the second, else its own. `step` is told how far it is. Raises NotFound.
        """
        from palimpsest.costs.report import stored_bill

        await self._desks.save_tills()
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
        """Take up background work that an earlier process left unfinished; how many pieces were started."""
        await self.sweep()
        started = 0
        for name, kind in await self.store.pending(self.owner):
            work = self.conversation(name).work(kind)
            if work is not None:
                started += self._background.start(name, kind, work, resumed=True)
        return started

    async def idle(self) -> None:
        """Wait until no background work is left."""
        await self._background.idle()

    async def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Wait that long for background work, abandon what is left (it is resumed when next opened), close
        the models that it made, and the store. Called again it waits until that is done.
        """
        async with self._closing:
            if self._closed:
                return
            self._closed = True
            async with AsyncExitStack() as ending:  # from the last to the first, whichever of them fails
                ending.push_async_callback(self.store.close)
                for model in self._closable():
                    ending.push_async_callback(model.close)
                if self._embedding is not None:
                    ending.push_async_callback(self._embedding.close)
                ending.push_async_callback(self._background.close, timeout_s)
                await self._desks.settle()

    def _closable(self) -> Iterator[Model]:
        """The models that this engine made, where they can be closed."""
        if self._models:
            from palimpsest.complete.model_adapter import is_model

            yield from filter(is_model, self._models.values())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _newest_s(messages: Sequence[object]) -> float | None:
    times = [time_s for message in messages if (time_s := getattr(message, "time_s", None)) is not None]
    return max(times, default=None)
