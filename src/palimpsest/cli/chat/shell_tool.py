"""Running a command for the model, after the person has said yes to exactly this command.

It runs in the working folder, without input, in a session of its own, and within limits of time and output. Whatever
way the call ends, by itself, by its time limit or by Ctrl-C, nothing that it started in its process group stays behind.
Providers' keys are taken out of its environment: what it prints goes into the store, and to the model.
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
"""How long a command waits for the person's answer, and then for its end."""
TIMEOUT_S = 60
MAX_TIMEOUT_S = 600
MAX_OUTPUT_BYTES = 30_000
_ENDING_S = 0.4
_LOOK_S = 0.02
_LAST_WORDS_S = 0.3
"""How long output is read after the command's end: something that it left running may hold the pipe open."""

_CHUNK_BYTES = 65_536

Ask = Callable[[str], Awaitable[str]]
"""Asks whether a command may run: "yes", "always" or "no"."""


@dataclass(slots=True)
class Shell:
    """Runs commands in a folder. `allowed` are those that need not be asked for again, word for word."""

    folder: Path
    ask: Ask
    allowed: set[str] = field(default_factory=set[str])
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run_command(
        self,
        command: Annotated[str, "The command line, for the shell."],
        timeout_s: Annotated[int, "Seconds after which it is ended, at most 600."] = TIMEOUT_S,
    ) -> str:
        """Run a command in the working folder. The person is asked first, and may say no."""
        if not command.strip() or "\0" in command:
            raise ValueError("say which command")
        async with self._asking:
            if command not in self.allowed:
                answer = await self.ask(command)
                if answer == "no":
                    raise PermissionError("the person did not allow this command")
                if answer == "always":
                    self.allowed.add(command)
        return await run(command, self.folder, min(max(1, timeout_s), MAX_TIMEOUT_S))


async def run(command: str, folder: Path, timeout_s: float) -> str:
    """What a command printed, both streams in one, and its exit code where that is not 0."""
    process = await _started(command, folder)
    kept = Kept()
    reading = asyncio.create_task(_read(process, kept))
    over = False
    try:
        async with asyncio.timeout(timeout_s):
            while process.returncode is None:
                await asyncio.wait((reading,), timeout=_LOOK_S)
                await asyncio.sleep(0 if process.returncode is not None else _LOOK_S)
            await asyncio.wait((reading,), timeout=_LAST_WORDS_S)
    except TimeoutError:
        over = True
    finally:
        await _end(process, reading)
    notes = [f"[ended after {timeout_s:g} s]"] if over else []
    if not over and process.returncode:
        notes.append(f"[exit code {process.returncode}]")
    return "\n".join([part for part in (kept.text(), *notes) if part]) or "[no output]"


async def _started(command: str, folder: Path) -> asyncio.subprocess.Process:
    """The command under way. Cancelled while it starts, it is ended like any other: it may have children already."""
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
    """The environment of a command: everything but providers' keys."""
    keys = {name for provider in PROVIDERS.values() for name in provider.keys}
    return {name: value for name, value in variables.items() if name not in keys}


@dataclass(slots=True)
class Kept:
    """The beginning and the end of an output that may be longer than anybody can read."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    left_bytes: int = 0

    def add(self, data: bytes) -> None:
        """More of the output."""
        half = MAX_OUTPUT_BYTES // 2
        room = half - len(self.head)
        self.head += data[: max(0, room)]
        self.tail += data[max(0, room) :]
        over = len(self.tail) - half
        if over > 0:
            del self.tail[:over]
            self.left_bytes += over

    def text(self) -> str:
        """What was kept, saying how much was not."""
        gap = f"\n[{self.left_bytes:,} bytes left out]\n" if self.left_bytes else ""
        head, tail = (bytes(part).decode("utf-8", "replace") for part in (self.head, self.tail))
        return (
            (head + gap + tail).rstrip()
            if gap
            else bytes(self.head + self.tail).decode("utf-8", "replace").rstrip()
        )


async def _read(process: asyncio.subprocess.Process, kept: Kept) -> None:
    if process.stdout is not None:
        while data := await process.stdout.read(_CHUNK_BYTES):
            kept.add(data)


async def _end(process: asyncio.subprocess.Process, reading: asyncio.Task[None] | None = None) -> None:
    """End what is left of the command's group, and close its pipe. What does not heed is killed."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        _send(process, number)
        if process.returncode is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_ENDING_S):
                    await process.wait()
    if reading is not None:
        reading.cancel()
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


def _send(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Signal everything in the command's group; where there are no groups, the command itself."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        elif process.returncode is None:
            process.kill()
