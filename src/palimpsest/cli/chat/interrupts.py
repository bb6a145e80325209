"""Ctrl-C while the chat works: it ends what is under way, never the chat."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass(slots=True)
class Interrupts:
    """What Ctrl-C ends at the moment."""

    task: asyncio.Task[None] | None = None

    async def finished(self, work: Coroutine[object, object, None]) -> bool:
        """Do a piece of work that Ctrl-C may end; whether it was done. Raises what it raises."""
        self.task = task = asyncio.create_task(_done(work))
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait((task,))
            raise
        finally:
            self.task = None
        if task.cancelled():
            return False
        task.result()
        return True

    def stop(self) -> None:
        """End what is under way."""
        if self.task is not None:
            self.task.cancel()

    @contextmanager
    def caught(self, *, keep_running: bool) -> Generator[None]:
        """While this lasts, Ctrl-C stops the work under way; without any, nothing if `keep_running`, else what it did
        before.
        """
        loop = asyncio.get_running_loop()
        before = signal.getsignal(signal.SIGINT)

        def interrupt(number: int, frame: FrameType | None) -> None:
            if self.task is not None:
                loop.call_soon_threadsafe(self.stop)
            elif not keep_running and callable(before):
                before(number, frame)

        signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


@contextmanager
def quiet_keys() -> Generator[None]:
    """While this lasts, what is typed beside the prompt is not echoed into the answer; the prompt gets it later."""
    try:
        import termios
    except ImportError:  # a system without them
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    quiet = [*before]
    quiet[3] = before[3] & ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


async def _done(work: Coroutine[object, object, None]) -> None:
    await work
