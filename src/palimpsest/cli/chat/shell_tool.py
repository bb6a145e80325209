"""Runs a command for the model, after the user has allowed exactly this command.

It runs in the working folder, without input, in its own session, with limits of time and output. However the call ends
(normally, by its time limit, or by Ctrl-C), everything in its process group is ended. Providers' keys are removed from
its environment, because its output is stored and sent to the model.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from palimpsest.complete.registry import PROVIDERS

ASK_S = 3_600.0
"""How long a command waits for the user's answer and its end together."""
TIMEOUT_S = 60
MAX_TIMEOUT_S = 600
MAX_OUTPUT_BYTES = 30_000
_TERMINATE_S = 0.4
_POLL_S = 0.02
_LAST_OUTPUT_S = 0.3
"""How long output is read after the command's end: a process that it started may keep the pipe open."""

_CHUNK_BYTES = 65_536

Ask = Callable[[str], Awaitable[str]]
"""Asks whether a command may run: "yes", "always" or "no"."""


@dataclass(slots=True)
class Shell:
    """Runs commands in a folder. `allowed` are the commands that need no further permission, word for word."""

    folder: Path
    ask: Ask
    allowed: set[str] = field(default_factory=set[str])
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run_command(
        self,
        command: Annotated[str, "The command line, for the shell."],
        timeout_s: Annotated[int, "Seconds after which it is ended, at most 600."] = TIMEOUT_S,
    ) -> str:
        """Run a command in the working folder. The user is asked first, and may refuse."""
        if not command.strip() or "\0" in command:
            raise ValueError("give a command")
        async with self._asking:
            if command not in self.allowed:
                answer = await self.ask(command)
                if answer == "no":
                    raise PermissionError("the user did not allow this command")
                if answer == "always":
                    self.allowed.add(command)
        return await run(command, self.folder, min(max(1, timeout_s), MAX_TIMEOUT_S))


async def run(command: str, folder: Path, timeout_s: float) -> str:
    """The output of a command, both streams in one, and its exit code unless that is 0."""
    process = await _start(command, folder)
    output = Output()
    reading = asyncio.create_task(_read(process, output))
    over = False
    try:
        async with asyncio.timeout(timeout_s):
            while process.returncode is None:
                await asyncio.wait((reading,), timeout=_POLL_S)
                await asyncio.sleep(0 if process.returncode is not None else _POLL_S)
            await asyncio.wait((reading,), timeout=_LAST_OUTPUT_S)
    except TimeoutError:
        over = True
    finally:
        await _end(process, reading)
    notes = [f"[ended after {timeout_s:g} s]"] if over else []
    if not over and process.returncode:
        notes.append(f"[exit code {process.returncode}]")
    return "\n".join([part for part in (output.text(), *notes) if part]) or "[no output]"


async def _start(command: str, folder: Path) -> asyncio.subprocess.Process:
    """Start the command. If this is cancelled, the command is ended too, because it may have children already."""
    starting = asyncio.create_task(
        asyncio.create_subprocess_shell(
            command,
            cwd=folder,
            env=environment(os.environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _end(await starting)
        raise


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: everything except providers' keys."""
    keys = {name for provider in PROVIDERS.values() for name in provider.keys}
    return {name: value for name, value in variables.items() if name not in keys}


@dataclass(slots=True)
class Output:
    """The beginning and the end of a long output."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    dropped_bytes: int = 0

    def add(self, data: bytes) -> None:
        """Add more output."""
        half = MAX_OUTPUT_BYTES // 2
        room = max(0, half - len(self.head))
        self.head += data[:room]
        self.tail += data[room:]
        over = max(0, len(self.tail) - half)
        del self.tail[:over]
        self.dropped_bytes += over

    def text(self) -> str:
        """The output, with the number of bytes left out in its middle."""
        if not self.dropped_bytes:
            return (self.head + self.tail).decode("utf-8", "replace").rstrip()
        gap = f"\n[{self.dropped_bytes:,} bytes left out]\n"
        return (self.head.decode("utf-8", "replace") + gap + self.tail.decode("utf-8", "replace")).rstrip()


async def _read(process: asyncio.subprocess.Process, output: Output) -> None:
    if process.stdout is not None:
        while data := await process.stdout.read(_CHUNK_BYTES):
            output.add(data)


async def _end(process: asyncio.subprocess.Process, reading: asyncio.Task[None] | None = None) -> None:
    """End everything in the command's group, by force if needed, and close its pipe."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, number)
            elif process.returncode is None:
                process.kill()
        if process.returncode is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TERMINATE_S):
                    await process.wait()
    if reading is not None:
        reading.cancel()
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
