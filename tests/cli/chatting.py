"""A chat as a test holds it: a scripted model, lines to read from, and what came of it as text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

import palimpsest
from palimpsest.cli.chat.app import run_chat
from palimpsest.cli.chat.reader import LineReader, Reader
from palimpsest.cli.chat.screen import Screen
from palimpsest.cli.chat.state import Chat, Choices, open_chat
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.ports import Model


@dataclass(slots=True)
class Talked:
    """A chat, its model, and what it has written."""

    chat: Chat
    model: ScriptedModel
    out: StringIO = field(default_factory=StringIO)
    err: StringIO = field(default_factory=StringIO)

    async def say(self, *lines: str) -> str:
        """Chat with these lines to the end; what was answered."""
        self.chat.reader = LineReader(StringIO("".join(f"{line}\n" for line in lines)))
        before = self.out.tell()
        await run_chat(self.chat)
        return self.out.getvalue()[before:]


@asynccontextmanager
async def chatting(
    folder: Path,
    replies: Sequence[Reply],
    *,
    name: str = "pier-7",
    live: bool = False,
    reader: Reader | None = None,
    pause_s: float = 0.0,
    choices: Choices | None = None,
    **options: Any,
) -> AsyncIterator[Talked]:
    """A chat over a store in `folder`, with a scripted model under any name."""
    model = ScriptedModel(replies, pause_s=pause_s)

    def make(name: str) -> Model:
        return model

    out, err = StringIO(), StringIO()
    screen = Screen(
        Console(file=out, width=80, force_terminal=live, color_system=None, highlight=False),
        Console(file=err, width=80, force_terminal=False, highlight=False),
        live,
    )
    made = choices or Choices(folder=folder, make=make)
    async with palimpsest.open(folder / "p.db", **options) as engine:
        chat = await open_chat(engine, screen, made, name=name, model_name="scripted")
        chat.reader = reader
        yield Talked(chat, model, out, err)
