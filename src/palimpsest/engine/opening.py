"""`palimpsest.open`: an engine that is opened when it is awaited or entered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Generator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, cast

from palimpsest.config.paths import expand_home
from palimpsest.engine.engine import Engine
from palimpsest.engine.telemetry.reporting import LOGGER
from palimpsest.errors import UsageError
from palimpsest.settings import make_settings, without_effect
from palimpsest.stores.sqlite.store import BUSY_TIMEOUT_S, SqliteStore

if TYPE_CHECKING:
    from palimpsest.engine.retrieval.embeddings import Embedder
    from palimpsest.ports import Clock, Observer


class Opening:
    """The result of `palimpsest.open`: use it with `async with`, or `await` it and close the engine yourself."""

    def __init__(self, start: Callable[[], Coroutine[object, object, Engine]]) -> None:
        self._start = start
        self._engine: Engine | None = None

    if not TYPE_CHECKING:  # a type checker reports such an attribute itself

        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):
                raise AttributeError(name)
            raise AttributeError(
                f"the engine is not open yet, so it has no {name!r}: write `async with palimpsest.open(...) as engine` "
                "or `engine = await palimpsest.open(...)`"
            )

    def __await__(self) -> Generator[object, object, Engine]:
        try:
            asyncio.get_running_loop()  # the store's threads need one
        except RuntimeError as error:
            raise UsageError(
                "an engine works in a running loop of asyncio, and there is none",
                hint="in another library's loop, call palimpsest.sync in a thread",
            ) from error
        return self._start().__await__()

    async def __aenter__(self) -> Engine:
        self._engine = await self
        return self._engine

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._engine is not None:
            await self._engine.close()


def open_engine(
    path: str | Path,
    *,
    owner: str = "me",
    preset: str = "default",
    window_tokens: int | None = None,
    max_tokens: int | None = None,
    complete: str | Callable[..., object] | None = None,
    fallback: str | Callable[..., object] | None = None,
    embed: str | Embedder | Callable[..., object] | None = None,
    observer: Observer | None = None,
    clock: Clock = time.time,
    busy_timeout_s: float = BUSY_TIMEOUT_S,
    resume: bool = True,
    **settings: object,
) -> Opening:
    """Open the database at `path` for one owner. It is made if it does not exist; ":memory:" is a temporary one.

    `complete` writes summaries: a model's name ("provider:model"), a client of this package, or any callable that takes
    (request) or (prompt, options), sync or async. Without it, summaries are extractive. `fallback` is the main model,
    asked if a call of `complete` failed. `embed` is an embedding model's name, a function from a text to its vector, or
    an `Embedder`; without it the setting `embed_model` counts. `observer` is called with `record.events` values.
    `resume` continues background work that an earlier process left unfinished. Every other setting of `Settings` can be
    given by name.

    Raises SettingsError and UsageError at once, StoreError when entered.
    """
    if not isinstance(cast("object", path), str | Path) or not str(path):
        raise UsageError(f"the database cannot be {path!r}", hint='give the path of a file, or ":memory:"')
    place = expand_home(path)
    made = make_settings(preset, window_tokens=window_tokens, max_tokens=max_tokens, **settings)
    given = [name for name, value in settings.items() if value is not None]
    for name, why in without_effect(made, given).items():
        LOGGER.warning("setting %s has no effect: %s", name, why)
    embedder = None
    if embed is not None or made.embed_model:
        from palimpsest.engine.retrieval.embeddings import embedder_of

        embedder = embedder_of(embed, made.embed_model)

    async def start() -> Engine:
        store = await SqliteStore.open(place, busy_timeout_s=busy_timeout_s, durability=made.durability)
        try:
            embedding = None
            if embedder is not None:
                from palimpsest.engine.retrieval.embeddings import Embedding

                embedding = Embedding(store.vectors, embedder)
            engine = Engine(
                store, owner=owner, settings=made, complete=complete, fallback=fallback, clock=clock,
                embedding=embedding, observer=observer,
            )  # fmt: skip
            if resume:
                await engine.resume()
        except BaseException:
            await store.close()
            raise
        return engine

    return Opening(start)
