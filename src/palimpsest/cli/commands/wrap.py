"""`palimpsest wrap`: run a program behind a proxy of its own. Nothing is written to the program's configuration."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

from palimpsest.cli.commands.proxy import with_usual_settings
from palimpsest.cli.drawing import clean, count
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import INTERRUPTED_EXIT, make_output
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.errors import IntegrityError, NotFound, StoreError, UsageError, reason_of

MAX_NOTES = 20
"""Messages of the proxy that are shown when the program has ended; before, they would stand in its screen."""

_SIGNALLED = 128
_LEFT = ("SIGINT", "SIGQUIT")
"""A terminal sends these to the program as well."""

_FORWARDED = ("SIGTERM", "SIGHUP")


@command("wrap", window=True, settings=True, json=False)
def wrap(
    shared: Shared,
    words: Annotated[
        list[str], argument("PROGRAM [ARGUMENT]...", "claude, codex, gemini, opencode, or any program.")
    ],
    inject_tools: Annotated[
        bool, option("--inject-tools", "Offer recall tools to the model, and answer them here.")
    ] = False,
) -> int | None:
    """Run a program behind a proxy, and report at its end.

    \b
    palimpsest wrap claude
    palimpsest wrap --window 200000 codex exec 'fix the tests'
    palimpsest wrap python my_agent.py
    """
    from palimpsest.cli.commands.report import Done
    from palimpsest.proxy.launch import ProxySettings, require_packages, serve
    from palimpsest.proxy.programs import program_name, upstreams_of, wrapped

    require_packages()
    found = _which(words[0])
    settings = ProxySettings(
        port=0, upstreams=upstreams_of(os.environ), inject_tools=inject_tools, folder=_working_folder()
    )

    done, ended = Done(time.time()), list[int]()

    async def body(session: Session) -> None:
        notes, logger = _Notes(), logging.getLogger("palimpsest.proxy")
        logger.addHandler(notes)
        running = await serve(session.engine, settings)
        try:
            started = wrapped((found, *words[1:]), running.url, os.environ)
            session.output.note(f"{program_name(words[0])} calls its model through {running.url}")
            ended.append(await _run(started.command, started.environment))
        finally:
            await running.close()
            logger.removeHandler(notes)
            for line in notes.lines:
                session.output.note(clean(line))
        for line in await done.lines(session.engine, running.counts):
            session.output.note(clean(line))

    try:
        perform(with_usual_settings(shared), body, creates_db=True, embeds=True, observer=done.see)
    except (StoreError, IntegrityError) as error:
        what = "this report is cut short" if ended else "nothing is kept, and the program runs as it is"
        make_output(shared.command, as_json=False).note(clean(f"{what}: {error}"))
        if not ended:
            ended.append(asyncio.run(_run((found, *words[1:]), os.environ)))
    if ended[0] == INTERRUPTED_EXIT:
        raise SystemExit(INTERRUPTED_EXIT)  # the program's own exit code: no command was interrupted here
    return ended[0]


def _working_folder() -> str:
    """The working folder, "" if it is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _which(name: str) -> str:
    """The program's path. Raises NotFound."""
    import shutil

    found = shutil.which(name)
    if found is None:
        raise NotFound(f"no program {name!r} on PATH", hint="install it, or give its path")
    return found


async def _run(words: tuple[str, ...], environment: Mapping[str, str]) -> int:
    """Run the program with this terminal, and return its exit code. Ctrl-C and Ctrl-\\ are the program's own; other
    signals that end this process are passed on to it.
    """
    children: list[asyncio.subprocess.Process] = []
    early: list[int] = []

    def forward(number: int) -> None:
        if not children:
            early.append(number)
        for child in children:
            with suppress(ProcessLookupError):
                child.send_signal(number)

    with _signals(forward):
        try:
            child = await asyncio.create_subprocess_exec(*words, env=dict(environment))
        except OSError as error:
            raise UsageError(
                f"cannot run {words[0]}: {reason_of(error)}", hint="check the program"
            ) from error
        children.append(child)
        for number in early:
            forward(number)
        code = await child.wait()
    return code if code >= 0 else _SIGNALLED - code


@contextmanager
def _signals(forward: Callable[[int], None]) -> Generator[None]:
    """Leave the signals of the terminal to the program, and forward the others."""
    loop = asyncio.get_running_loop()

    def leave(number: int, frame: object) -> None:
        del number, frame

    def pass_on(number: int, frame: object) -> None:
        del frame
        loop.call_soon_threadsafe(forward, number)

    handlers = dict.fromkeys(_LEFT, leave) | dict.fromkeys(_FORWARDED, pass_on)
    before = {
        number: signal.signal(number, handler)
        for name, handler in handlers.items()
        if (number := getattr(signal, name, None)) is not None
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Notes(logging.Handler):
    """Collects what the proxy logs: the first messages, each once, and the number of the others."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._times: dict[str, int] = {}
        self._more = 0

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text in self._times or len(self._times) < MAX_NOTES:
            self._times[text] = self._times.get(text, 0) + 1
        else:
            self._more += 1

    @property
    def lines(self) -> list[str]:
        """The messages as lines."""
        lines = [text if times == 1 else f"{text} ({times:,} times)" for text, times in self._times.items()]
        return [*lines, *([f"and {count(self._more, 'more message')}"] if self._more else [])]
