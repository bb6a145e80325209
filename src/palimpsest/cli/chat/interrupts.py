"""Makes Ctrl-C stop the chat's current work, but not the chat."""

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
    """The work that Ctrl-C stops."""

    task: asyncio.Task[None] | None = None

    async def finished(self, work: Coroutine[object, object, None]) -> bool:
        """Run work that Ctrl-C may stop; returns whether it finished, and raises what it raises."""

        async def run() -> None:
            await work

        self.task = task = asyncio.create_task(run())
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
        """Stop the current work."""
        if self.task is not None:
            self.task.cancel()

    @contextmanager
    def caught(self, *, keep_running: bool) -> Generator[None]:
        """Let Ctrl-C stop the current work. Without any, it does nothing if `keep_running`, else what it did before."""
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
def no_echo() -> Generator[None]:
    """Do not echo typed keys into the answer; the next prompt receives them."""
    try:
        import termios
    except ImportError:  # not on this platform
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
