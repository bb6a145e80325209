"""One suite for every adapter, over the frameworks' real packages.

To add a framework:

1. Write `drivers/NAME.py` with a class `Driver(BaseDriver)`; `driver.py` says what each method does.
2. Add `[NAME]` to `environments.toml`: what its tests need besides the extra, such as a provider's package.
3. Add the extra `NAME` to `pyproject.toml`.
4. Run `make test-integrations ONLY=NAME`.
5. Name in `Driver.cannot` what the framework cannot do, with a short reason; those tests are skipped with it.

`make test-integrations` names the framework in the variable PALIMPSEST_INTEGRATION. Without it, the tests are skipped.
In any environment that has the packages, `PALIMPSEST_INTEGRATION=NAME python -m pytest tests/integrations` runs them.
"""

from __future__ import annotations

import asyncio
import importlib
import itertools
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from palimpsest.costs.report import charge, stored_bill
from palimpsest.engine.conversation import Conversation, runtime_of, state_of
from palimpsest.price.request import Use
from tests.integrations.driver import OUTPUT_TOKENS, WINDOW_TOKENS, BaseDriver, Wire, World
from tests.integrations.model import DONE, ScriptedModel, Shown
from tests.patience import LIMIT_S
from tests.wire.replies import Say

ONLY = "PALIMPSEST_INTEGRATION"
"""The variable that names the framework to test."""
WITHOUT_DRIVER = {
    "claude_agent_sdk": "Claude Code decides what its model sees: see messages/test_claude_agent_sdk.py",
}
ABILITIES = (
    "session", "streamed", "owners", "no_owner", "interrupted", "interrupted_stream", "resumed", "edited",
    "tool_error", "overflow", "thinking", "streamed_costs",
    "results_apart",
)  # fmt: skip
"""What a driver may not be able to do, in the words of its table."""


def driver_class(name: str) -> type[BaseDriver]:
    """The driver of a framework."""
    return importlib.import_module(f"tests.integrations.drivers.{name}").Driver


@dataclass
class Played:
    """A driver in its world."""

    world: World
    driver: BaseDriver
    histories: dict[tuple[str, str | None], list[list[str]]] = field(
        default_factory=dict[tuple[str, str | None], list[list[str]]]
    )

    async def turn(
        self,
        thread: str,
        owner: str | None,
        says: Sequence[Say],
        words: str = "Go on.",
        *,
        stream: bool = False,
    ) -> str:
        """One turn of a user, in which the model says this, and then that it is done."""
        text = self.world.ask(thread, owner, says, words)
        answer = await self.driver.turn(thread, owner, text, stream=stream)
        kept = self.histories.setdefault((thread, owner), [])
        kept.append(await self.driver.history(thread, owner))
        return answer

    def done(self, thread: str, owner: str | None) -> str:
        """What the model says at the end of the newest turn."""
        return DONE.format(turn=self.world.asked[f"{owner}/{thread}"])

    def rewritten(self, thread: str, owner: str | None) -> list[int]:
        """The turns after which the framework's history was not the one before plus additions."""
        kept = self.histories[thread, owner]
        return [at for at in range(1, len(kept)) if kept[at][: len(kept[at - 1])] != kept[at - 1]]

    async def restart(self) -> None:
        """Close everything, and open it anew over what was stored."""
        await self.driver.close()
        await self.driver.start()


def needs(driver: type[BaseDriver], ability: str) -> None:
    """Skip a test of what a framework cannot do."""
    assert ability in ABILITIES
    if ability in driver.cannot:
        pytest.skip(f"{ability}: {driver.cannot[ability]}")


@asynccontextmanager
async def playing(
    kind: type[BaseDriver],
    folder: Path,
    *,
    wire: Wire | None = None,
    server_tokens: int = WINDOW_TOKENS,
    **settings: Any,
) -> AsyncIterator[Played]:
    """A driver on a scripted model whose window has `server_tokens`. `settings` are those of the adapter's engine."""
    limits = {"window_tokens": WINDOW_TOKENS, "max_tokens": OUTPUT_TOKENS}
    with ScriptedModel(window_tokens=server_tokens) as model:
        world = World(model, folder, wire or kind.wires[0], {**limits, **settings})
        driver = kind(world)
        await driver.start()
        loop = asyncio.get_running_loop()

        def wait_for_background(name: str) -> None:
            owner, _, thread = name.partition("/")
            work = driver.with_talk(thread, None if owner == "None" else owner, _idle)
            asyncio.run_coroutine_threadsafe(work, loop).result(LIMIT_S)

        model.think = wait_for_background
        try:
            yield Played(world, driver)
        finally:
            world.released.set()
            await driver.close()


async def _idle(talk: Conversation) -> None:
    await runtime_of(talk).background.idle()


@dataclass(frozen=True, slots=True)
class Account:
    """What the engine stored of a thread: its messages, its compactions, and its calls with their cost."""

    messages: tuple[str, ...]
    left_behind: tuple[str, ...]
    compacted_s: tuple[float, ...]
    use: Use
    cost: float
    unreported: int


async def account(driver: BaseDriver, thread: str, owner: str | None) -> Account:
    """The account of a thread."""
    return await driver.with_talk(thread, owner, _account)


async def _account(talk: Conversation) -> Account:
    state = state_of(talk)
    await state.costs.save()
    bill = await stored_bill(state.store, state.owner, talk.id, replayed=False)
    replies = bill.replies if bill is not None else ()
    use = sum(
        (
            Use(
                one.cached_tokens,
                one.written_tokens,
                one.input_tokens - one.cached_tokens - one.written_tokens,
                one.output_tokens,
            )
            for one in replies
        ),
        Use(),
    )
    return Account(
        tuple(_shown(one.message) for one in await talk.messages(limit=10_000)),
        tuple(_shown(one.message) for one in await state.store.left_behind(state.owner, talk.id)),
        tuple(one.time_s for one in await talk.compactions()),
        use,
        sum(one.cost for one in replies),
        bill.unreported if bill is not None else 0,
    )


def _shown(message: Any) -> str:
    """A message's texts, calls and results."""
    return repr(message)


def counted(asked: Iterable[Shown], model: str) -> tuple[Use, float]:
    """What the server counted of requests, and what they cost at a model's prices."""
    uses = [
        (one, Use(one.seen.cached, 0, one.seen.tokens - one.seen.cached, one.seen.output)) for one in asked
    ]
    cost = sum(charge(model, one.time_s, use).cost for one, use in uses)
    return sum((use for _, use in uses), Use()), cost


def unexplained(asked: Sequence[Shown], compacted_s: Sequence[float]) -> list[str]:
    """Where a request was not the one before plus additions, although nothing was compacted between the two."""
    return [
        now.seen.law_break
        for before, now in itertools.pairwise(asked)
        if now.seen.law_break and not any(before.time_s <= at <= now.time_s for at in compacted_s)
    ]
