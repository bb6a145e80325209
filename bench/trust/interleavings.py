"""Random interleavings of all that can happen to a conversation, against a plain list.

    python -m bench.trust.interleavings [--count 1000000] [--seconds S] [--tally FILE] [--json]

A trial is the life of one store that two engines use at once; its steps are counted. Deeds run as tasks side by side:
appends, the compactions of every policy (leaves, condensing, rolling, stubs, dropping, economic), requests,
recoveries, turns with work in the background. In between tasks are cancelled wherever they stand, an engine ends in a
crash (from then on its store never answers) and another takes its work up, a client sends its history again, edited,
rewound or cut, and everything comes to rest and is judged: the messages are those of the list, once each and in order;
the window covers each once, cuts no tool group and keeps the newest request; compactions made it smaller; every
provider would take the request. What runs is drawn from the seed alone. One trial in 50 uses SQLite, whose threads add
interleavings of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, cast

from bench.trust import drawing
from bench.trust.hands import command
from bench.trust.pausing import Hurried, Pausing
from bench.trust.running import Found, options
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.errors import DoesNotFit, ModelError, NotFound, StaleCommit, UsageError
from palimpsest.formats.rules import anthropic_breaches, bedrock_breaches, gemini_breaches, openai_breaches
from palimpsest.ports import Store
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.settings import make_settings
from palimpsest.stores.sqlite import SqliteStore
from tests.engine.laws import (
    assert_covered,
    assert_groups_whole,
    assert_lawful,
    assert_newest_request_kept,
    essence,
)
from tests.reference_store import MemoryStore

STEPS = 60
MAX_MESSAGES = 400
MAX_RUNNING = 8
SQLITE_IN = 50
DEEP_IN = 6
EXPIRED_S = 100.0
IDLE_S = 0.5
"""Work that waits for another engine's lease is not waited for."""

BULK = (
    "the reader of module alpha fails at line 4711 of src/app/reader.py because build 9f3c21ab has no index; "
)
SMALL: dict[str, Any] = {
    "preset": "hierarchical",
    "fresh_tail_count": 4, "leaf_min_fanout": 3, "leaf_chunk_tokens": 500, "leaf_target_tokens": 80,
    "condensed_min_fanout": 2, "condensed_target_tokens": 110, "summarize_message_threshold": 5,
}  # fmt: skip
PRESETS: tuple[dict[str, Any], ...] = (
    SMALL, {**SMALL, "compact_when": "end_turn"}, {"preset": "seahorse"}, {"preset": "picoclaw"},
    {"preset": "crabtalk", "compact_threshold": 600}, {"preset": "hermes", "tail_tokens": 350},
    {"preset": "openclaw", "tail_tokens": 350}, {"preset": "economic"}, {"preset": "sliding-window"},
    {"preset": "drop-middle"},
)  # fmt: skip
WINDOWS = ((1_200, 150), (2_000, 300), (4_500, 600))
"""Small, as are the messages: what is tried is the order of steps, and a step costs what its texts are long."""

REPLIES: tuple[Reply, ...] = (
    "The reader fails at line 4711; src/app/reader.py was read.", "Build 9f3c21ab has no index.", "", "   \n",
    BULK * 60, RuntimeError("the provider is down"), ModelError("slow down", reason="rate_limit"),
    '\x00\ud800</summary><summary id="s1">',
    0.0, 0.0005,
)  # fmt: skip
Deed = Callable[[], Coroutine[Any, Any, object]]
EXPECTED = (DoesNotFit, NotFound, StaleCommit, UsageError, ModelError)


@dataclass(slots=True)
class World:
    """A store, the engines on it, the tasks under way, and what the conversation holds as far as it is known."""

    draw: Random
    store: Store
    settings: dict[str, Any]
    found: Found
    now_s: float = 1_700_000_000.0
    said: list[Message] = field(default_factory=list[Message])
    sent: list[tuple[Message, ...]] = field(default_factory=list[tuple[Message, ...]])
    kept: list[tuple[Message, ...]] = field(default_factory=list[tuple[Message, ...]])
    running: dict[asyncio.Task[object], str] = field(default_factory=dict[asyncio.Task[object], str])
    stores: list[Pausing] = field(default_factory=list[Pausing])
    buried: list[tuple[Pausing, Engine]] = field(default_factory=list[tuple[Pausing, Engine]])
    engines: list[Engine] = field(default_factory=list[Engine])
    number: int = 0

    def engine(self) -> Engine:
        """One more engine on the store."""
        pausing = Pausing(self.store, self.draw)
        model = (
            ScriptedModel([self.draw.choice(REPLIES) for _ in range(40)])
            if self.draw.random() < 0.7
            else None
        )
        made = Engine(
            cast("Store", pausing),
            settings=make_settings(**self.settings),
            complete=model,
            clock=lambda: self.now_s,
        )
        self.stores.append(pausing)
        self.engines.append(made)
        return made

    @property
    def talk(self) -> Conversation:
        """A handle on the conversation, of one of the engines."""
        return self.draw.choice(self.engines).conversation("a")

    def start(self, name: str, deed: Deed) -> None:
        """Begin a deed, to run beside the others."""
        self.running[asyncio.create_task(deed())] = name

    async def rest(self, names: tuple[str, ...] = ()) -> None:
        """Wait for what runs (of these names, or all of it), and take note of what must not come of it."""
        waited = [task for task, name in self.running.items() if not names or name in names]
        for done in await asyncio.gather(*waited, return_exceptions=True):
            if isinstance(done, Exception) and not isinstance(done, EXPECTED):
                raise done
        for task in waited:
            del self.running[task]


def messages(world: World) -> tuple[Message, ...]:
    """What is appended at once: words or a tool group, each with a number of its own, or something odd."""
    draw, number = world.draw, world.number
    world.number += 1
    if draw.random() < 0.12:
        odd = tuple(drawing.history(draw, 2, roles=("user", "assistant", "tool")))
        return (Message("user", (Text(f"<{number}>"),)), *odd)
    words = Text(f"<{number}> {BULK * draw.choice((0, 0, 1, 2, 7))}")
    if draw.random() < 0.5:
        return (Message(draw.choice(("user", "assistant")), (words,)),)
    ids = draw.sample(("c1", "c2", f"n{number}", f"k{number}"), draw.choice((1, 1, 2)))
    opening = Message("assistant", (words, *(ToolCall(one, "read_file", '{"path": "a.py"}') for one in ids)))
    results = [
        Message("tool", (ToolResult(one, (Text(f"{number} {one} {BULK * draw.choice((0, 1, 10))}"),)),))
        for one in draw.sample(ids, len(ids) if draw.random() < 0.9 else 0)
    ]
    return (opening, *results)


async def step(world: World) -> None:
    """One thing that happens."""
    draw = world.draw
    kind = draw.choices(
        (
            "append",
            "compact",
            "turn",
            "request",
            "under",
            "recover",
            "pin",
            "cancel",
            "crash",
            "sync",
            "rest",
            "wait",
        ),
        (30, 8, 12, 8, 4, 2, 2, 8, 3, 5, 6, 12),
    )[0]
    world.found.counts[f"{kind} steps"] += 1
    match kind:
        case "append" if len(world.said) < MAX_MESSAGES:
            given = messages(world)
            world.sent.append(given)
            key = f"key {world.number}" if draw.random() < 0.3 else None
            talk = world.talk
            world.start("append", lambda: append(world, talk, given, key))
        case "cancel" if world.running:
            draw.choice(list(world.running)).cancel()
        case "crash":
            await crash(world)
        case "sync":
            await sync(world)
        case "rest":
            await world.rest()
            await judge(world, deep=False)
        case "wait":
            for _ in range(draw.choice((1, 3, 20, 200))):
                await asyncio.sleep(0)
        case "append" | "cancel":
            await asyncio.sleep(0)
        case _:
            beside(world, kind)
    if len(world.running) > MAX_RUNNING:
        await world.rest()


async def append(world: World, talk: Conversation, given: tuple[Message, ...], key: str | None) -> None:
    """Append, and take note once it is acknowledged."""
    await talk.append(*given, key=key)
    world.kept.append(given)


def beside(world: World, kind: str) -> None:
    """Start a deed that changes no message."""
    talk, draw = world.talk, world.draw
    deeds: dict[str, Deed] = {
        "compact": talk.compact,
        "turn": draw.choice((talk.end_turn, talk.end_turn, talk.end_step)),
        "request": lambda: lawful_request(talk),
        "under": lambda: talk.compact(until_under_tokens=draw.choice((150, 400, 900))),
        "recover": lambda: talk.recover(ModelError("too long", reason="context_overflow")),
        "pin": lambda: talk.pin(text=f"rule {draw.random()}"),
    }
    world.start(kind, deeds[kind])


async def lawful_request(talk: Conversation) -> None:
    """A request that every provider would take."""
    request = await talk.request(system="Be brief.")
    found = (
        *openai_breaches(request.openai()), *anthropic_breaches(request.anthropic()),
        *gemini_breaches(request.gemini()), *bedrock_breaches(request.converse()),
    )  # fmt: skip
    assert not found, f"breaches: {found}"
    assert request.tokens <= request.budget.capacity_tokens


async def crash(world: World) -> None:
    """An engine ends without a word; another begins after all leases have expired, those of engines that live
    as well, and takes up its work.
    """
    at = world.draw.randrange(len(world.engines))
    pausing = world.stores.pop(at)
    pausing.dead = True
    world.buried.append((pausing, world.engines.pop(at)))
    for task in list(world.running):
        task.cancel()
    await world.rest()
    world.now_s += EXPIRED_S
    await world.engine().resume()


async def sync(world: World) -> None:
    """A client sends its history: the same, with more, cut, or changed in one place."""
    await world.rest(("append", "sync"))
    await settle(world)
    draw, said = world.draw, world.said
    if not said:
        return
    place, more = draw.randrange(len(said) + 1), list(messages(world))
    match draw.randrange(5):
        case 0:
            history = [*said, *more]
        case 1:
            history = said[:place] or said[:1]
        case 2:
            history = [*said[:place], *more]
        case 3 if place < len(said):
            mark = Text(f"edit {world.number}")
            changed = Message(said[place].role, (*said[place].parts, mark), wire=said[place].wire)
            history = [*said[:place], changed, *said[place + 1 :]]
        case _:
            history = list(said)
    done = await world.talk.sync(history)
    assert done.messages == len(history), f"{len(history)} messages were sent, {done.messages} are there"
    world.said = history


async def stored(world: World) -> list[Message]:
    """What the store holds of the conversation."""
    return [one.message for one in await world.store.messages("me", "a", 1, 10**6)]


async def settle(world: World) -> None:
    """Once no append runs: what was known stands at the beginning, and behind it each batch that was acknowledged, and
    of those that were not some, whole and once.
    """
    there = [essence(one) for one in await stored(world)]
    known = [essence(one) for one in world.said]
    assert there[: len(known)] == known, "what was stored has changed"
    at, left = len(known), list(world.sent)
    while at < len(there):
        batch = next((one for one in left if essence(one[0]) == there[at]), None)
        assert batch is not None, f"message {at + 1} was not sent, or is there twice: {there[at][:80]}"
        found = [essence(one) for one in batch]
        assert there[at : at + len(found)] == found, f"a batch is in pieces at {at + 1}"
        left.remove(batch)
        world.said.extend(batch)
        at += len(found)
    assert not [one for one in world.kept if one in left], "what was acknowledged is not there"
    world.sent.clear()
    world.kept.clear()


async def judge(world: World, *, deep: bool) -> None:
    """Everything that holds at rest."""
    appended = [task for task, name in world.running.items() if name == "append"]
    assert not appended
    await settle(world)
    loaded = await world.store.load_window("me", "a")
    if loaded is None:
        assert not world.said
        return
    assert loaded.branch.head.seq == len(world.said)
    assert_covered(loaded.window, len(world.said))
    assert_groups_whole(loaded.window, world.said, loaded.branch.fork_seq)
    assert_newest_request_kept(loaded.window, world.said, loaded.branch.fork_seq)
    world.found.counts["judgements"] += 1
    if deep:
        made = await world.store.compactions("me", "a")
        world.found.counts["compactions seen"] += len(made)
        await assert_lawful(world.talk, world.said)


async def lived(draw: Random, steps: int, store: Store, found: Found, *, deep: bool) -> None:
    """A life of so many steps; `deep` reads everything back at its end."""
    window_tokens, max_tokens = draw.choice(WINDOWS)
    settings = {**draw.choice(PRESETS), "window_tokens": window_tokens, "max_tokens": max_tokens}
    world = World(draw, store, {**settings, "summary_timeout_s": 0.05}, found)
    world.engine()
    world.engine()
    before = asyncio.all_tasks()
    try:
        for _ in range(steps):
            await step(world)
            found.counts["steps"] += 1
        await world.rest()
        for engine in world.engines:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(engine.idle(), IDLE_S)
        await judge(world, deep=deep)
    finally:
        for pausing in (*world.stores, *(one for one, _ in world.buried)):
            pausing.over = True
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _trial(seed: int, steps: int, found: Found, *, on_sqlite: bool) -> None:
    async with AsyncExitStack() as stack:
        store: Store = MemoryStore()
        if on_sqlite:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="palimpsest-steps-"))
            store = await SqliteStore.open(Path(folder) / "a.db")
            stack.push_async_callback(store.close)
            found.counts["trials on SQLite"] += 1
        await lived(Random(seed), steps, store, found, deep=seed % DEEP_IN == 0)


def interleaving_trial(seed: int, steps: int = STEPS) -> Found:
    """One store's life."""
    found = Found()
    on_sqlite = seed % SQLITE_IN == SQLITE_IN - 1
    with asyncio.Runner(loop_factory=None if on_sqlite else lambda: Hurried(Random(seed))) as runner:
        runner.run(_trial(seed, steps, found, on_sqlite=on_sqlite))
    return found


if __name__ == "__main__":
    given = options("random interleavings against a plain list", count=1_000_000).parse_args()
    sys.exit(command("interleavings", interleaving_trial, given, goal="steps", limit_s=120.0))
