"""One owner turns every public call on another's names, ids, cursors, keys and requests, and gets nothing of them.

The table holds a way to attack through each call there is; a call that comes to exist without one fails the first test.
What the other owner has is the same afterwards, to the last figure.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import palimpsest
from palimpsest.budget.assemble import Request
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.errors import PalimpsestError
from palimpsest.stores.sqlite import SqliteStore
from tests.engine.drawing import bulk

MARK = "heliotrope"
"""What only the other owner ever says."""

TALK = "harbour"


@dataclass(frozen=True, slots=True)
class Loot:
    """What the attacker knows of the other owner: everything but the words."""

    request: Request
    messages: tuple[str, ...]
    summaries: tuple[str, ...]
    pin: str
    cursor: str
    history: tuple[dict[str, str], ...]
    folder: Path


Attack = Callable[[Engine, Conversation, Loot], Awaitable[object]]


async def _tools(engine: Engine, talk: Conversation, loot: Loot) -> object:
    told: list[str] = []
    for tools in (engine.tools(), engine.tools(TALK), talk.tools()):
        for one in (*loot.messages[:2], *loot.summaries):
            told.append(await tools.call("short_expand", {"message_ids": [one], "all_conversations": True}))
            told.append(await tools.call("short_describe", {"id": one, "all_conversations": True}))
        told.append(await tools.call("short_expand", {"message_ids": [], "cursor": loot.cursor}))
        told.append(await tools.call("short_grep", {"pattern": MARK[:6], "all_conversations": True}))
    return told


async def _export(engine: Engine, talk: Conversation, loot: Loot) -> object:
    done = await engine.export_all(loot.folder / "his.jsonl")
    return done, (loot.folder / "his.jsonl").read_text(encoding="utf-8")


async def _usage(engine: Engine, talk: Conversation, loot: Loot) -> object:
    await talk.record_usage({"prompt_tokens": 9_999, "completion_tokens": 9}, loot.request)
    return await engine.conversation("his own").record_usage({"prompt_tokens": 9_999}, loot.request)


ENGINE: Mapping[str, Attack] = {
    "conversation_for": lambda engine, talk, loot: engine.conversation_for(
        "only hers", owner="his"
    ).messages(),
    "copies": lambda engine, talk, loot: engine.copies(),
    "cost": lambda engine, talk, loot: engine.cost("only hers"),
    "describe": lambda engine, talk, loot: engine.describe(loot.summaries[0]),
    "expand": lambda engine, talk, loot: engine.expand([loot.messages[0], loot.summaries[0]]),
    "export_all": _export,
    "forget": lambda engine, talk, loot: engine.forget("only hers"),
    "forget_everything": lambda engine, talk, loot: engine.forget_everything(),
    "for_owner": lambda engine, talk, loot: engine.for_owner("his other").grep("%iotrop%", limit=50),
    "grep": lambda engine, talk, loot: engine.grep("%iotrop%", limit=50),
    "resolve": lambda engine, talk, loot: engine.resolve(loot.history),
    "retain": lambda engine, talk, loot: engine.retain(older_than_s=0.001, larger_than_bytes=1, apply=True),
    "search": lambda engine, talk, loot: engine.search("what is heliotrope?", limit=50),
    "tools": _tools,
    "trace": lambda engine, talk, loot: engine.trace(loot.summaries[0]),
    "verify": lambda engine, talk, loot: engine.verify("only hers"),
}
CONVERSATION: Mapping[str, Attack] = {
    "append": lambda engine, talk, loot: talk.append({"role": "user", "content": "mine"}, key="her key"),
    "compact": lambda engine, talk, loot: talk.compact(),
    "compactions": lambda engine, talk, loot: engine.conversation("only hers").compactions(),
    "describe": lambda engine, talk, loot: talk.describe(loot.messages[0], all_conversations=True),
    "expand": lambda engine, talk, loot: talk.expand(cursor=loot.cursor, all_conversations=True),
    "grep": lambda engine, talk, loot: talk.grep("%iotrop%", all_conversations=True),
    "messages": lambda engine, talk, loot: engine.conversation("only hers").messages(),
    "pin": lambda engine, talk, loot: talk.pin(loot.messages[0]),
    "pins": lambda engine, talk, loot: engine.conversation("only hers").pins(),
    "plan_compact": lambda engine, talk, loot: engine.conversation("only hers").plan_compact(),
    "record_usage": _usage,
    "recover": lambda engine, talk, loot: engine.conversation("only hers").recover(
        "maximum context length is 9"
    ),
    "request": lambda engine, talk, loot: engine.conversation("only hers").request(),
    "search": lambda engine, talk, loot: engine.conversation("only hers").search(
        "what is heliotrope?", all_conversations=True
    ),
    "sync": lambda engine, talk, loot: engine.conversation("only hers").sync(loot.history[:1]),
    "tools": _tools,
    "trace": lambda engine, talk, loot: talk.trace(loot.summaries[0]),
    "unpin": lambda engine, talk, loot: talk.unpin(loot.pin),
    "window": lambda engine, talk, loot: engine.conversation("only hers").window(),
}
HARMLESS = {
    Engine: "close conversation conversations embed events idle is_idle is_closed model resume stats "
    "backup import_all import_transcript repair",
    Conversation: "end_step end_turn id",
}
"""They take nothing that names what somebody has, or copy files as whoever may read the database does."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Both owners in one file."""

    hers: Engine
    his: Engine
    loot: Loot

    async def state(self) -> str:
        """All that the other owner can see of what is hers, but for ranks, which count words in the whole file."""
        told: list[object] = [await self.hers.conversations()]
        for name in (TALK, "only hers"):
            talk = self.hers.conversation(name)
            stored = await talk.messages(1, 100)
            told += [stored, await talk.pins(), await self.hers.store.compactions("ann", name)]
            told += [
                (await self.hers.store.load_window("ann", name)),
                await self.hers.store.spent("ann", name),
            ]
        found = await self.hers.grep(MARK, limit=100)
        hits = [dataclasses.replace(hit, rank=0.0) for hit in found]
        stats = dataclasses.replace(await self.hers.stats(), size_bytes=0, done={})
        return repr([*told, stats, hits, await self.hers.store.spending("ann")])


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Loot]:
    """A database of both, and what is known of hers."""
    path = tmp_path_factory.mktemp("owners") / "both.db"
    return path, asyncio.run(_fill(path))


async def _fill(path: Path) -> Loot:
    history: list[dict[str, str]] = []
    for turn in range(4):
        said = f"{MARK} {turn}, see src/app/reader.py. {bulk(700, turn)}"
        history += [{"role": "user", "content": said}, {"role": "assistant", "content": said}]
    async with palimpsest.open(path, owner="ann", window_tokens=8_000, fresh_tail_count=2) as hers:
        for name in (TALK, "only hers"):
            talk = hers.conversation(name)
            await talk.append(*history, key="her key")
            await talk.pin(text=f"never forget {MARK}")
            request = await talk.request(system=MARK, model="openai:gpt-5")
            await talk.record_usage({"prompt_tokens": request.tokens, "completion_tokens": 9}, request)
            await talk.compact(until_under_tokens=1_200)
        (pin,) = await hers.conversation(TALK).pins()
        ids = tuple(one.id for one in await hers.conversation(TALK).messages())
        items = (await hers.conversation(TALK).window()).window.items
        summaries = tuple(item.id for item in items if item.id.startswith("s"))
        cut = await hers.expand(ids, budget_tokens=200)
    async with palimpsest.open(path, owner="bob") as his:
        await his.conversation(TALK).append({"role": "user", "content": "nothing of the kind"})
    return Loot(request, ids, summaries, pin.id, cut.cursor, tuple(history), path.parent)


@pytest.fixture
async def scene(filled: tuple[Path, Loot], tmp_path: Path) -> AsyncIterator[Scene]:
    path, loot = filled
    copy = Path(shutil.copy(path, tmp_path / "both.db"))
    async with (
        palimpsest.open(copy, owner="ann", window_tokens=8_000, resume=False) as hers,
        palimpsest.open(copy, owner="bob", window_tokens=8_000, resume=False) as his,
    ):
        yield Scene(hers, his, dataclasses.replace(loot, folder=tmp_path))


@pytest.mark.parametrize(
    "kind, attacks", [(Engine, ENGINE), (Conversation, CONVERSATION)], ids=["engine", "talk"]
)
def test_there_is_an_attack_through_every_public_call(kind: type, attacks: Mapping[str, Attack]) -> None:
    public = {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}
    assert public - set(attacks) - set(HARMLESS[kind].split()) == set()


@pytest.mark.parametrize(
    "name, attack",
    [*ENGINE.items(), *CONVERSATION.items()],
    ids=[*(f"engine.{name}" for name in ENGINE), *(f"talk.{name}" for name in CONVERSATION)],
)
async def test_nothing_of_another_owner_is_reached(scene: Scene, name: str, attack: Attack) -> None:
    assert scene.loot.summaries
    assert scene.loot.cursor
    before = await scene.state()
    assert MARK in before
    talk = scene.his.conversation(TALK)
    try:
        told = repr(await attack(scene.his, talk, scene.loot))
    except PalimpsestError as error:
        told = f"{error!r} {error}"
    own = told.replace("'what is heliotrope?'", "").replace("%iotrop%", "")
    if name in {"resolve", "sync"}:
        own = own.replace(repr(scene.loot.history), "")
    assert MARK not in own
    assert await scene.state() == before


async def test_a_crafted_branch_or_lease_of_another_owner_is_refused_by_the_store(scene: Scene) -> None:
    store = scene.his.store
    assert isinstance(store, SqliteStore)
    hers = await scene.hers.store.branch("ann", TALK)
    assert hers is not None
    before = await scene.state()
    assert await store.history("bob", scene.loot.messages[0], 1, 99) == []
    assert await store.beneath("bob", scene.loot.summaries[0]) is None
    assert await store.ledger("bob", TALK, hers.id) == ""
    assert await store.last_usage("bob", TALK, hers.id) is None
    assert await store.account("bob", TALK, hers.id) is None
    await store.save_ledger("bob", TALK, hers.id, '{"of": "bob"}')
    assert await scene.state() == before
    assert "bob" not in await store.ledger("ann", TALK, hers.id)
