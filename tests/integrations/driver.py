"""What a framework's driver is, and the world that the suite plays it in.

A file `drivers/NAME.py` defines a class `Driver` (see `BaseDriver`). It makes the framework's agent with the adapter,
on the loopback server `world.model`, with the tools `world.tools` and the system prompt `world.system`. A turn must not
block the event loop: a synchronous framework runs in `asyncio.to_thread`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from tests.integrations.model import ScriptedModel, part
from tests.wire.replies import Say

Wire = Literal["chat", "responses", "anthropic", "gemini"]
MODELS: dict[Wire, str] = {
    "chat": "gpt-5",
    "responses": "gpt-5",
    "anthropic": "claude-opus-5-5",
    "gemini": "gemini-2.5-flash",
}
PROVIDERS: dict[Wire, str] = {
    "chat": "openai",
    "responses": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini",
}
WINDOW_TOKENS, OUTPUT_TOKENS = 16_000, 1_000
SYSTEM = "You read the harbour log."


class PartIsTorn(Exception):
    """What the tool raises for a part of `World.torn`."""


@dataclass
class World:
    """A scripted model, a folder for what is stored, and the agent's tool.

    `torn` are parts whose reading fails. Reading part `held` sets `reached` and waits for `released`.
    """

    model: ScriptedModel
    folder: Path
    wire: Wire
    settings: dict[str, Any]
    torn: set[int] = field(default_factory=set[int])
    held: int = 0
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    asked: dict[str, int] = field(default_factory=dict[str, int])

    system = SYSTEM

    @property
    def model_name(self) -> str:
        """The model's name without a provider."""
        return MODELS[self.wire]

    @property
    def database(self) -> Path:
        """The engine's file."""
        return self.folder / "agent.db"

    @property
    def tools(self) -> list[Callable[..., Awaitable[str]]]:
        """The agent's tools as coroutine functions."""

        async def read_part(number: int) -> str:
            """Read a part of the harbour log."""
            return await asyncio.to_thread(self.read, number) if number == self.held else self.read(number)

        return [read_part]

    @property
    def plain_tools(self) -> list[Callable[..., str]]:
        """The agent's tools as plain functions."""

        def read_part(number: int) -> str:
            """Read a part of the harbour log.

            Args:
                number: The number of the part.
            """
            return self.read(number)

        return [read_part]

    def read(self, number: int) -> str:
        """What the tool does."""
        if number in self.torn:
            raise PartIsTorn(f"part {number} is torn")
        if number == self.held:
            self.reached.set()
            self.released.wait(60)
        return part(number)

    def ask(self, thread: str, owner: str | None, says: Sequence[Say], words: str = "Go on.") -> str:
        """Set what the model says in the next turn of a thread, and return the user's text for it."""
        name = f"{owner}/{thread}"
        turn = self.asked[name] = self.asked.get(name, 0) + 1
        self.model.turns[name, turn] = says
        return f"[{name} turn {turn}] {words}"


class BaseDriver:
    """A framework's agent with the adapter. A driver overrides what the framework does in its own way.

    - `wires`: the providers that the framework is driven through, the main one first.
    - `cannot`: what the framework cannot do, with the reason. The names are those of `suite.ABILITIES`.
    - `host`: the adapter's host, made by `start`.
    """

    wires: ClassVar[tuple[Wire, ...]] = ("chat",)
    cannot: ClassVar[dict[str, str]] = {}
    host: Any

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def price_name(self) -> str:
        """The model's name with its provider, as the engine's prices have it."""
        return f"{PROVIDERS[self.world.wire]}:{self.world.model_name}"

    async def start(self) -> None:
        """Make the host, the provider's client and the agent, over what an earlier one stored."""
        raise NotImplementedError

    async def turn(self, thread: str, owner: str | None, text: str, *, stream: bool) -> str:
        """Run one turn of a user, and return the text of the last answer."""
        raise NotImplementedError

    async def history(self, thread: str, owner: str | None) -> list[str]:
        """The framework's own history, each message as a text that shows everything in it."""
        raise NotImplementedError

    async def edit(self, thread: str, owner: str | None, old: str, new: str) -> None:
        """Replace the text `old` in a user's message of the framework's own history."""
        raise NotImplementedError

    def name(self, thread: str, owner: str | None) -> str:
        """The thread's id. A framework whose store of histories knows no owners needs one for each."""
        return thread

    async def recall(self, thread: str, owner: str | None, name: str, arguments: dict[str, Any]) -> str:
        """The answer of a recall tool in a thread."""
        found = self.host.thread(self.name(thread, owner), owner, where="a thread")
        return await self.host.run(found.recall, name, arguments)

    async def with_talk(self, thread: str, owner: str | None, work: Callable[[Any], Awaitable[Any]]) -> Any:
        """The result of `work` with the engine's conversation of a thread, in the loop of the engine."""
        found = self.host.thread(self.name(thread, owner), owner, where="a thread")

        async def worked() -> Any:
            return await work(found.talk)

        return await self.host.run(worked)

    async def close(self) -> None:
        """Close the host, and what else `start` opened."""
        await self.host.aclose()
