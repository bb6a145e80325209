"""A synchronous API: `with palimpsest.sync.open("agent.db") as engine: ...`

One event loop runs in a thread of its own, so background work continues between calls. Every coroutine method of the
engine and of a conversation becomes a blocking one.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import CLOSE_TIMEOUT_S, Engine
from palimpsest.engine.opening import Opening, open_engine
from palimpsest.engine.tools.definitions import ModelTools
from palimpsest.errors import UsageError

Result = TypeVar("Result")

CANCEL_S = 1.0
"""How long a closing engine waits for what it cancelled."""


class EngineLoop:
    """An event loop in a daemon thread."""

    def __init__(self) -> None:
        self.stopped = False
        self.engine: Engine | None = None
        self._process = os.getpid()
        self.closing = threading.Lock()
        self._asking = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="palimpsest-loop", daemon=True)
        self._thread.start()

    def check_thread(self) -> None:
        """Raise UsageError in the loop's own thread, which cannot wait for itself."""
        if threading.current_thread() is self._thread:
            raise UsageError("a synchronous call was made on the engine's own loop", hint="await it there")

    @property
    def forked(self) -> bool:
        """Return whether this is a forked process, in which the loop's thread does not exist."""
        return self._process != os.getpid()

    def run(self, work: Callable[[], object]) -> object:
        """Return the result of `work()`, called on the loop and awaited if possible."""
        self.check_thread()
        if self.forked:
            raise _forked()

        async def wait() -> object:
            result = work()
            return await result if inspect.isawaitable(result) else result

        with self._asking:
            if self.stopped:
                raise _closed()
            future = asyncio.run_coroutine_threadsafe(wait(), self._loop)
        try:
            return future.result()
        except BaseException as error:
            future.cancel()
            if self.stopped and isinstance(error, CancelledError):
                raise _closed() from error
            raise

    def open(self, opening: Opening) -> Engine:
        """Open the engine that this loop is for."""
        self.engine = cast("Engine", self.run(lambda: opening))
        return self.engine

    def submit(self, work: Coroutine[object, object, Result]) -> Future[Result]:
        """Start a coroutine on the loop. If the loop stops before its end, it raises an error that says so."""

        async def ended() -> Result:
            try:
                return await work
            except asyncio.CancelledError:
                if self.stopped:
                    raise _closed() from None
                raise

        with self._asking:
            if self.forked or self.stopped:
                work.close()
                raise _forked() if self.forked else _closed()
            return asyncio.run_coroutine_threadsafe(ended(), self._loop)

    def stop(self) -> None:
        """Stop the loop and its thread. Waiting calls of other threads get an error that the engine is closed."""
        with self._asking:
            self.stopped = True
        if asyncio.run_coroutine_threadsafe(_end_others(), self._loop).result():
            return  # what ignores its cancellation goes on in the daemon thread, and ends with the process
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _end_others() -> bool:
    """Cancel everything else that runs on the loop; return whether something goes on."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    done, late = await asyncio.wait(others, timeout=CANCEL_S) if others else ((), ())
    for task in done:
        if not task.cancelled():
            task.exception()  # nobody wants it
    return bool(late)


def _closed() -> UsageError:
    return UsageError("the engine is closed", hint="open it again")


def _forked() -> UsageError:
    return UsageError("the engine was opened before this process was forked", hint="open it after the fork")


class Synchronous:
    """A proxy for an engine, a conversation or its tools, whose coroutine methods block."""

    def __init__(self, loop: EngineLoop, subject: Engine | Conversation | ModelTools) -> None:
        self._palimpsest = (loop, subject)

    def __getattr__(self, name: str) -> Any:
        loop, subject = self._palimpsest
        value = getattr(subject, name)
        if not callable(value):
            return value

        def call(*args: object, **named: object) -> object:
            result = loop.run(lambda: value(*args, **named))
            if inspect.isasyncgen(result):
                return _iterate(loop, cast("AsyncGenerator[object, None]", result))
            wrapped = isinstance(result, Conversation | Engine | ModelTools)
            return Synchronous(loop, result) if wrapped else result

        return call

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """See `Engine.close`; for the engine that was opened, also ends the loop's thread. A second call does nothing,
        nor does one in a forked process; of concurrent calls one closes, and the others wait.
        """
        loop, subject = self._palimpsest
        if isinstance(subject, Engine):
            loop.check_thread()
            if loop.forked:
                return
            with loop.closing:
                if not loop.stopped:
                    try:
                        loop.run(lambda: subject.close(timeout_s))
                    finally:
                        if subject is loop.engine:
                            loop.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _iterate(loop: EngineLoop, source: AsyncGenerator[object, None]) -> Iterator[object]:
    try:
        while True:
            try:
                yield loop.run(lambda: anext(source))
            except StopAsyncIteration:
                return
    finally:
        if not loop.stopped:
            loop.run(source.aclose)


def open(path: str | Path, **options: Any) -> Synchronous:  # noqa: A001  (the settled name; options as in `open_engine`)
    """Open an engine for synchronous use, with the arguments of `palimpsest.open`. Close it, or use `with`."""
    opening: Opening = open_engine(path, **options)
    loop = EngineLoop()
    try:
        return Synchronous(loop, loop.open(opening))
    except BaseException:
        loop.stop()
        raise


loop_of: Callable[[Synchronous], tuple[EngineLoop, Engine | Conversation | ModelTools]] = attrgetter(
    "_palimpsest"
)
"""The loop of a synchronous object, and what it stands for, for other parts of this package."""
