"""Where an adapter's engine runs, and which conversation a run of a framework belongs to.

Frameworks call their hooks from several event loops and threads, sometimes from a new loop for each run. An engine
works in one loop. So each call is handed to the loop of the engine, which is a thread of its own unless the caller
opened the engine in a loop that goes on running.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable
from concurrent.futures import Future
from pathlib import Path
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar, cast

from palimpsest.engine.engine import Engine
from palimpsest.engine.opening import Opening, open_engine
from palimpsest.engine.tools.definitions import recall_definitions
from palimpsest.errors import UsageError
from palimpsest.integrations.shared.threads import Codec, Thread
from palimpsest.sync import EngineLoop, Synchronous, loop_of

Params = ParamSpec("Params")
Result = TypeVar("Result")
Native = TypeVar("Native")
AnyEngine = str | Path | Engine | Opening | Synchronous

MAX_THREADS, MAX_HELD_MESSAGES = 1_000, 200_000
"""Threads whose last history is held in memory, and their messages. Another one is matched with the store again."""


def require(package: str, least: str, below: str, *, extra: str) -> None:
    """Raise UsageError unless a framework's package is installed in a tested version: from `least`, before `below`."""
    hint = f"install palimpsest[{extra}], which brings {package}>={least},<{below}"
    try:
        found = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise UsageError(f"{package} is not installed", hint=hint) from error
    check_version(package, found, least, below, hint)


def check_version(package: str, found: str, least: str, below: str, hint: str) -> None:
    """Raise UsageError for a version outside the tested range."""
    if not _numbers(least) <= _numbers(found) < _numbers(below):
        raise UsageError(f"{package} {found} is not supported by this version of palimpsest", hint=hint)


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: "1.2.0rc1" is (1, 2, 0)."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)


class Host(Generic[Native]):
    """The engine of an adapter, and the threads that its runs belong to.

    `engine` is the path of a database, an engine, or one of `palimpsest.sync`. For a path, the engine is opened with
    `settings` at the first call, in a loop of its own, and closed by `close`. An engine that was passed in is left
    open. `owner` and `thread` are used by runs that name none of their own.

    The recall tools read only the thread of their run; with `all_conversations` also the owner's others, if the model
    asks for them. `recall_tools` are their definitions.
    """

    def __init__(
        self, engine: AnyEngine, codec: Codec[Native], *, owner: str | None = None, thread: str | None = None,
        all_conversations: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        self.owner, self.thread_id, self._all = _named(owner), _named(thread), all_conversations
        self.recall_tools = recall_definitions(all_conversations=all_conversations)
        self._codec = codec
        self._threads: dict[tuple[str | None, str], Thread[Native]] = {}
        self._opening = Lock()
        self._opened = False
        self._loop: EngineLoop | asyncio.AbstractEventLoop | None = None
        self._engine: Engine | None = None
        self._opening_later: Opening | None = None
        if isinstance(engine, str | Path):
            self._opening_later = open_engine(engine, **settings)
        elif settings:
            raise UsageError(
                f"{', '.join(settings)} cannot be set for an open engine",
                hint="give settings where you open it",
            )
        elif isinstance(engine, Synchronous):
            self._loop, subject = loop_of(engine)
            if not isinstance(subject, Engine):
                raise UsageError("this is not an engine", hint="give what palimpsest.sync.open returned")
            self._engine = subject
        elif isinstance(engine, Engine):
            self._loop, self._engine = _running_loop(), engine
        elif isinstance(cast("object", engine), Opening):
            self._opening_later = engine
        else:
            raise UsageError(
                f"the engine is a {type(engine).__name__}",
                hint="give the path of a database, or an open engine",
            )

    def thread(
        self, thread_id: object, owner: object = None, *, where: str, inner: Iterable[str] = ()
    ) -> Thread[Native]:
        """The thread of a run. Raises UsageError for a run without one, which says `where` to give it.

        A thread without an owner of its own belongs to the engine's. Ids may also be numbers, or such as a UUID.
        `inner` is the place of an agent that has a conversation of its own within the thread.
        """
        name, user = _named(thread_id) or self.thread_id, _named(owner) or self.owner
        if not name:
            raise UsageError(
                "this run belongs to no thread, so its conversation is unknown",
                hint=f"give {where}, or thread=... to the adapter of a program with one conversation",
            )
        parent, name = name, "/".join((name, *inner))
        key = (user, name)
        with self._opening:
            found = self._threads.pop(key, None)
            if found is None:
                self._drop_threads()
                found = Thread(
                    self._engine_now, self._codec, name, user, all_conversations=self._all,
                    parent=parent if parent != name else "",
                )  # fmt: skip
            self._threads[key] = found
        return found

    def _drop_threads(self) -> None:
        """Forget the histories of the threads that were used longest ago, if too many are held."""
        held = sum(one.held_messages for one in self._threads.values())
        while self._threads and (len(self._threads) >= MAX_THREADS or held > MAX_HELD_MESSAGES):
            held -= self._threads.pop(next(iter(self._threads))).held_messages

    async def run(
        self, work: Callable[Params, Awaitable[Result]], *args: Params.args, **named: Params.kwargs
    ) -> Result:
        """The result of `work`, which runs in the loop of the engine. Await it in any loop."""
        here = asyncio.get_running_loop()
        if self._loop is None and self._engine is not None:
            self._loop = here
        if self._loop is here:
            return await work(*args, **named)
        return await asyncio.wrap_future(self._submit(lambda: work(*args, **named)))

    def wait(
        self, work: Callable[Params, Awaitable[Result]], *args: Params.args, **named: Params.kwargs
    ) -> Result:
        """The result of `work`, which runs in the loop of the engine, for a program without a loop."""
        if isinstance(self._loop, asyncio.AbstractEventLoop) and (
            self._loop is _running_loop() or not self._loop.is_running()
        ):
            raise UsageError(
                "a synchronous run would wait for its own event loop, in which the engine was opened",
                hint="use the asynchronous calls of the framework, or give the adapter the path of the database",
            )
        return self._submit(lambda: work(*args, **named)).result()

    def _submit(self, work: Callable[[], Awaitable[Result]]) -> Future[Result]:
        home = self._home()
        if isinstance(home, asyncio.AbstractEventLoop) and not home.is_running():
            raise UsageError(
                "the event loop in which the engine was opened does not run",
                hint="open the engine in the loop of the runs, or give the adapter the path of the database",
            )
        coroutine = cast("Coroutine[object, object, Result]", work())
        if isinstance(home, EngineLoop):
            return home.submit(coroutine)
        return asyncio.run_coroutine_threadsafe(coroutine, home)

    def _home(self) -> EngineLoop | asyncio.AbstractEventLoop:
        """The loop of the engine, which is opened if it is not yet open."""
        with self._opening:
            if self._loop is None:
                loop = EngineLoop()
                try:
                    self._engine = loop.open(cast("Opening", self._opening_later))
                except BaseException:
                    loop.stop()
                    raise
                self._loop = loop
                self._opened = True
        return self._loop

    def _engine_now(self) -> Engine:
        if self._engine is None:
            raise UsageError("the engine is not open", hint="call a run of the framework first")
        return self._engine

    def engine_for(self, owner: str | None = None) -> Engine:
        """The engine of an owner, for what runs in its loop."""
        engine = self._engine_now()
        return engine.for_owner(owner or self.owner or engine.owner)

    @property
    def engine(self) -> Synchronous:
        """The engine for other uses: searching, costs, deletion. Its calls block; see `palimpsest.sync`."""
        home = self._home()
        if not isinstance(home, EngineLoop):
            raise UsageError("the engine was opened in another loop", hint="use it there")
        return Synchronous(home, self._engine_now())

    def close(self) -> None:
        """Close an engine that was opened by this adapter; a second call does nothing.

        A program that ends without it loses nothing: background work that was under way is resumed next time.
        """
        if self._opened and isinstance(self._loop, EngineLoop) and self._engine is not None:
            Synchronous(self._loop, self._engine).close()

    async def aclose(self) -> None:
        """Close the engine as `close` does, without blocking the event loop."""
        await asyncio.to_thread(self.close)


def _named(given: object) -> str | None:
    """An id as a text. None is no id, and neither is an empty text."""
    if given is None or isinstance(given, str):
        return given or None
    if isinstance(given, bytes | Collection):
        kind = type(cast("object", given)).__name__
        raise UsageError(f"a {kind} is given as an id", hint="give a text or a number")
    return str(given)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
