"""A history that is sent again: what is remembered of it changes what taking it in costs, and nothing else."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.engine import Engine
from palimpsest.engine.history_sync import DIGEST_BYTES, SentHistory
from palimpsest.errors import FormatError
from palimpsest.ports import Store
from palimpsest.record.message import Message, Text
from palimpsest.settings import make_settings
from palimpsest.stores.sqlite import SqliteStore
from tests.reference_store import MemoryStore

Said = dict[str, Any]
STORES = ("memory", "sqlite")
PIECE = 3


async def opened(kind: str) -> Store:
    return MemoryStore() if kind == "memory" else await SqliteStore.open(":memory:")


def engine_over(store: Store, **changes: Any) -> Engine:
    return Engine(store, settings=make_settings(window_tokens=8_000, **changes), clock=lambda: 1_000.0)


def asks(place: int, offset: object = 1) -> list[Said]:
    """A call and what it gave, as Anthropic has them."""
    call = {
        "type": "tool_use",
        "id": f"t{place}",
        "name": "read",
        "input": {"path": "a.py", "offset": offset},
    }
    gave = {"type": "tool_result", "tool_use_id": f"t{place}", "content": f"line {place}"}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [gave]}]


def hello(place: int) -> list[Said]:
    return [{"role": "user", "content": f"hello {place}"}, {"role": "assistant", "content": f"hi {place}"}]


class Pair:
    """Two conversations that are sent the same: one remembers how histories begin, one is made to forget it."""

    def __init__(self, quick: Conversation, plain: Conversation) -> None:
        self.quick, self.plain = quick, plain
        self.known: list[int] = []
        state_of(quick).sent_history = SentHistory(chunk_messages=PIECE, max_bytes=400)

    @classmethod
    async def make(cls, kind: str, **changes: Any) -> Pair:
        first, second = engine_over(await opened(kind), **changes), engine_over(await opened(kind), **changes)
        return cls(first.conversation("c"), second.conversation("c"))

    async def sync(self, history: list[Any]) -> None:
        state_of(self.plain).sent_history = SentHistory()
        marks = state_of(self.quick).sent_history._known(history)
        self.known.append(marks[-1].end if marks else 0)
        assert await self.quick.sync(history) == await self.plain.sync(history)
        await self.same()

    async def append(self, *messages: Said) -> None:
        await self.quick.append(*messages)
        await self.plain.append(*messages)
        await self.same()

    async def same(self) -> None:
        first, second = [await seen(one) for one in (self.quick, self.plain)]
        assert first == second


async def seen(talk: Conversation) -> object:
    """All that a store says of a conversation."""
    branch, window = await state_of(talk).load()
    listed = await state_of(talk).store.conversations(state_of(talk).owner)
    return branch, window, await talk.messages(limit=1_000), listed, state_of(talk).system


def edit_text(one: Said) -> None:
    one["content"] = f"edited {one['content']}"[:60] if isinstance(one["content"], str) else "edited"


def edit_deep(one: Said) -> None:
    """Change a value deep inside to one that Python takes for equal: 1 and true."""
    for block in one["content"] if isinstance(one["content"], list) else ():
        if block["type"] == "tool_use":
            block["input"]["offset"] = True if type(block["input"]["offset"]) is int else 1


EDITS: tuple[Callable[[Said], None], ...] = (edit_text, edit_deep)


@settings(max_examples=60)
@given(data=st.data(), kind=st.sampled_from(STORES))
async def test_what_is_remembered_changes_nothing(data: st.DataObject, kind: str) -> None:
    pair = await Pair.make(kind)
    history: list[Any] = []
    earlier: list[list[Any]] = [[]]
    for step in range(data.draw(st.integers(2, 8))):
        for _ in range(data.draw(st.integers(0, 2))):
            history += data.draw(st.sampled_from((hello, asks)))(100 * step + len(history))
        match data.draw(st.integers(0, 9)):
            case 0 if history:
                one = history[data.draw(st.integers(0, len(history) - 1))]
                if isinstance(one, dict):
                    data.draw(st.sampled_from(EDITS))(one)
            case 1:
                del history[data.draw(st.integers(0, len(history))) :]
            case 2:
                history = copy.deepcopy(data.draw(st.sampled_from(earlier)))
            case 3:
                history.insert(
                    data.draw(st.integers(0, len(history))), {"role": "system", "content": f"be {step}"}
                )
            case 4:
                history.append(Message("user", (Text(f"ours {step}"),)))
            case 5:
                said = {"role": "assistant", "content": f"appended {step}"}
                await pair.append(said)
                history.append(said)
            case 6:
                await pair.append({"role": "user", "content": f"only appended {step}"})
            case 7 if all(isinstance(one, dict) for one in history):
                history = json.loads(json.dumps(history))
            case 8:
                assert (await pair.quick.compact(300)) == (await pair.plain.compact(300))
            case _:
                pass
        await pair.sync(history)
        earlier.append(copy.deepcopy(history))


@pytest.mark.parametrize("kind", STORES)
async def test_only_what_is_new_is_read(kind: str) -> None:
    pair = await Pair.make(kind)
    history = [one for place in range(10) for one in hello(place)]
    for place in range(10, 14):
        await pair.sync(history)
        history = json.loads(json.dumps(history)) + hello(place)
    assert pair.known == [0, 20, 22, 24]
    held = state_of(pair.quick).sent_history.chunks
    assert [one.end for one in held] == [3, 6, 9, 12, 15, 18, 21, 24, 26]
    assert any(len(one.dicts) == DIGEST_BYTES for one in held)
    assert any(len(one.dicts) > DIGEST_BYTES for one in held)


@pytest.mark.parametrize("edit", EDITS)
async def test_a_dict_that_is_changed_in_place_is_seen(edit: Callable[[Said], None]) -> None:
    pair = await Pair.make("sqlite")
    history = [*hello(0), *asks(1), *hello(2), *hello(3)]
    await pair.sync(history)
    edit(history[2])
    await pair.sync(history)
    assert pair.known == [0, 0]
    done = await pair.quick.sync([*history, *hello(4)])
    assert done.messages == len(history) + 2


async def test_a_second_engine_that_changed_the_conversation_is_noticed(tmp_path: Path) -> None:
    store, other = [await SqliteStore.open(tmp_path / "two.db") for _ in range(2)]
    talk, elsewhere = engine_over(store).conversation("c"), engine_over(other).conversation("c")
    history = [one for place in range(70) for one in hello(place)]
    await talk.sync(history)
    forked = await elsewhere.sync([*history[:50], *hello(500)])
    assert forked.forked
    back = await talk.sync([*history, *hello(70)])
    assert (back.branch_id != forked.branch_id, back.added, back.forked) == (True, 2, False)
    await store.close()
    await other.close()


@pytest.mark.parametrize("kind", STORES)
async def test_what_was_forgotten_is_not_stored_again(kind: str) -> None:
    engine = engine_over(await opened(kind))
    talk = engine.conversation("c")
    history = [one for place in range(70) for one in hello(place)]
    await talk.sync(history)
    gone = (await talk.messages(start=11, limit=1))[0].id
    await engine.forget("c", gone)
    assert state_of(talk).sent_history.held_bytes == 0
    done = await talk.sync([*history, *hello(70)])
    again = await talk.sync([*history, *hello(70), *hello(71)])
    assert (done.added, done.forked, again.added, again.forked) == (2, False, 2, False)
    assert "hello 5" not in [one.message.text for one in await talk.messages(limit=1_000)]


async def test_a_message_that_cannot_be_read_is_named_by_its_place_in_the_whole() -> None:
    talk = engine_over(MemoryStore()).conversation("c")
    history: list[Said] = [one for place in range(70) for one in hello(place)]
    await talk.sync(history)
    with pytest.raises(FormatError, match="message 141: "):
        await talk.sync([*history, *hello(70)[:1], {"role": "nobody"}])


async def test_a_result_is_gated_as_if_the_whole_history_had_been_read() -> None:
    pair = await Pair.make("memory", gate_tokens=50)
    long = {"type": "tool_result", "tool_use_id": "t1", "content": "word and word " * 300}
    history = [*hello(0), *hello(2), asks(1)[0]]
    await pair.sync(history)
    history += [{"role": "user", "content": [long]}, *hello(3)]
    await pair.sync(history)
    history += [*hello(4), {"role": "user", "content": [copy.deepcopy(long)]}]
    await pair.sync(history)
    history += [*hello(5), {"role": "user", "content": [{**long, "tool_use_id": "nobody's"}]}]
    await pair.sync(history)
    gates = [bool(one.gate) for one in await pair.quick.messages()]
    assert (gates[5], gates[10], gates[13]) == (False, False, True)


def test_values_that_python_takes_for_equal_are_told_apart() -> None:
    resent = SentHistory(chunk_messages=2)
    history = [*asks(1, 1), *asks(2, 1)]
    resent.remember(resent.parse(history, 0.0))
    for other in (1.0, True, "1", [1]):
        changed = [*asks(1, other), *asks(2, 1)]
        assert resent._known(history)
        assert resent._known(changed) == ()
    assert resent._known([*asks(1, 1), replace_last(asks(2, 1))[0]]) == resent.chunks[:1]


def replace_last(said: list[Said]) -> list[Said]:
    """The same with another key in its first message."""
    return [{**said[0], "name": "x"}, *said[1:]]


def test_what_no_serializer_knows_is_read_each_time() -> None:
    resent = SentHistory(chunk_messages=2)
    mine = Message("user", (Text("hello"),), time_s=1.0)
    for unknown in (mine, replace(mine, name="n")):
        history = [*hello(0), unknown, *hello(1)]
        resent.remember(resent.parse(history, 0.0))
        assert [one.end for one in resent._known(history)] == [2]
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}]
    resent.remember(resent.parse(items, 0.0))
    assert resent.chunks == ()
