"""Ctrl-C ends a command, and soon.

The first one cancels what is awaited, as asyncio does, so that the command ends in good order. What cannot be
cancelled, a transaction that another thread is in or a file that is being parsed, would keep a person waiting. So what
has not ended `GRACE_S` later is ended by force, and at a second Ctrl-C at once: every write is a transaction, and
nothing is half stored.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

from palimpsest.cli import INTERRUPTED_EXIT
from palimpsest.cli.output import Output, error_console, is_terminal, show_error
from palimpsest.errors import PalimpsestError

GRACE_S = 3.0


class Interrupted(PalimpsestError):
    """A person stopped the command. Nothing is half stored: every write is a transaction."""

    kind = "interrupted"
    exit_code = INTERRUPTED_EXIT
    retryable = True


def interrupted() -> Interrupted:
    """What a person who stopped a command is told."""
    return Interrupted("interrupted", hint="what was stored stays; run it again to go on")


@contextmanager
def ending_soon(output: Output) -> Generator[Callable[[], None]]:
    """While this lasts, a command that is interrupted ends. What it gives is called on the command's loop, which by
    then has its own answer to Ctrl-C.
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
    """End the process. Standard output is left alone: whoever reads it may be what the command waits for."""
    try:
        if is_terminal(sys.stderr):
            console = error_console()
            console.show_cursor(True)
            console.print()
        show_error(Output(output.command, False), interrupted())
        sys.stderr.flush()
    finally:
        os._exit(INTERRUPTED_EXIT)
