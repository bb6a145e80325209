"""Makes Ctrl-C end a command quickly.

The first Ctrl-C cancels the awaited work, as asyncio does, so that the command ends cleanly. Some work cannot be
cancelled, for example a transaction in another thread or the parsing of a file. A command that has not ended `GRACE_S`
later is ended by force, and so is one that gets a second Ctrl-C. Writes are transactions, so nothing is half stored.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

from palimpsest.cli.output import INTERRUPTED_EXIT, Output, error_console, is_terminal, show_error
from palimpsest.errors import PalimpsestError

GRACE_S = 3.0


class Interrupted(PalimpsestError):
    """The user stopped the command. Nothing is half stored, because every write is a transaction."""

    kind = "interrupted"
    exit_code = INTERRUPTED_EXIT
    retryable = True

    def __init__(self) -> None:
        super().__init__("interrupted", hint="what was stored stays; run it again to go on")


@contextmanager
def ending_soon(output: Output) -> Generator[Callable[[], None]]:
    """End the command soon after Ctrl-C. The yielded function has to be called in the command's event loop, after
    asyncio has installed its own handler.
    """
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(GRACE_S, _end, (output,))
    timer.daemon = True

    def watch() -> None:
        cancel = signal.getsignal(signal.SIGINT)
        if not callable(cancel) or threading.current_thread() is not threading.main_thread():
            return

        def stop(number: int, frame: FrameType | None) -> None:
            if timer.is_alive():
                _end(output)
            timer.start()
            cancel(number, frame)

        signal.signal(signal.SIGINT, stop)

    try:
        yield watch
    finally:
        timer.cancel()
        if callable(before) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _end(output: Output) -> None:
    """End the process without writing to standard output: the command may be waiting for its reader."""
    try:
        if is_terminal(sys.stderr):
            console = error_console()
            console.show_cursor(True)
            console.print()
        show_error(Output(output.command, False), Interrupted())
        sys.stderr.flush()
    finally:
        os._exit(INTERRUPTED_EXIT)
