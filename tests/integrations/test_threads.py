"""The core of all adapters, with a framework of dicts: what is stored, what is shown, and to whom.

A history grows, is edited in place, is cut, or comes as new objects. Whatever it does, the model sees what a thread
without a past would show it, and everything is stored.
"""

from __future__ import annotations

import asyncio
import copy
import json
import os
import signal
import threading
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import palimpsest
from palimpsest.engine.engine import Engine
from palimpsest.errors import PalimpsestError, UsageError
from palimpsest.formats import openai, parse_any
from palimpsest.integrations.shared.hosting import Host
from palimpsest.integrations.shared.threads import Piece
from palimpsest.sync import Synchronous

Native = dict[str, Any]
TINY = 4_000


class DictCodec:
    """OpenAI's chat dicts; content and calls may be changed in place."""

    def fields(self, native: Native) -> tuple[object, ...]:
        return native.get("content"), native.get("tool_calls")

    def read(self, native: Native) -> Sequence[Piece]:
        return [Piece(one, native) for one in parse_any(native)]

    def write(self, pieces: Sequence[Piece]) -> list[Native]:
        made: list[Any] = []
        for one in pieces:
            made += [one.native] if one.native else openai.render_messages([one.message])
        return made


def host(path: Path | str = ":memory:", **more: Any) -> Host[Native]:
    return Host(path, DictCodec(), **{"window_tokens": TINY, **more})


def step(number: int, words: int = 60) -> list[Native]:
    """A call of a tool and what it gave."""
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": f"call_{number}",
            "content": f"berth {number}: " + "low tide. " * words,
        },
    ]


def asks(text: str) -> Native:
    return {"role": "user", "content": text}


def says(text: str) -> Native:
    return {"role": "assistant", "content": text}


async def shown(thread: Any, adapter: Host[Native], history: Sequence[Native]) -> list[Native]:
    return (await adapter.run(thread.start, history, system="Be short.", model="gpt-5")).messages


async def stored_texts(adapter: Host[Native], name: str, owner: str | None = None) -> list[str]:
    thread = adapter.thread(name, owner, where="here")
    return [str(one) for one in openai.render_messages(await adapter.run(thread.stored))]


@pytest.fixture(name="adapter")
def open_adapter() -> Any:
    made = host()
    yield made
    made.close()


async def test_the_frameworks_own_objects_are_shown_while_they_fit(adapter: Host[Native]) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    history = [asks("Which pier?"), *step(1, 3), {**says("Pier 3."), "thought": "of the framework's own"}]
    for end in range(1, len(history) + 1):
        if history[end - 1].get("tool_calls"):
            continue
        found = await shown(thread, adapter, history[:end])
        assert [id(one) for one in found] == [id(one) for one in history[:end]]


async def test_a_window_that_was_compacted_ends_with_the_frameworks_own_objects(
    adapter: Host[Native],
) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    history = [asks("Read all berths.")]
    for number in range(60):
        history += step(number)
        found = await shown(thread, adapter, history)
        assert found[-1] is history[-1]
        assert found[0]["role"] == "user"
        asked = {call["id"] for one in found for call in one.get("tool_calls") or ()}
        assert asked == {one["tool_call_id"] for one in found if one["role"] == "tool"}
    assert len(found) < len(history)
    assert len(await stored_texts(adapter, "harbour-42", "ann")) == len(history)


async def test_what_is_changed_in_place_is_seen(adapter: Host[Native]) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    history = [asks("Which pier?"), says("Pier 3."), asks("Sure?")]
    await shown(thread, adapter, history)
    history[1]["content"] = "Pier 4."
    assert await shown(thread, adapter, history) == history
    assert "Pier 4." in (await stored_texts(adapter, "harbour-42", "ann"))[1]
    talk = adapter.engine.conversation_for("harbour-42", owner="ann")
    assert talk.grep('"Pier 3"').total == 1


async def test_copies_of_messages_with_new_texts_are_not_read_again() -> None:
    class Copying(DictCodec):
        copies = True
        reads = 0

        def read(self, native: Native) -> Sequence[Piece]:
            self.reads += 1
            return super().read(native)

    codec = Copying()
    adapter = Host(":memory:", codec, window_tokens=TINY)
    thread = adapter.thread("harbour-42", "ann", where="here")
    history = [asks("Which pier?"), *step(1), says("Pier 3."), asks("Sure?")]
    for _ in range(3):
        await shown(thread, adapter, json.loads(json.dumps(history)))
    assert codec.reads == len(history)
    history[3]["content"] = "Pier 4."
    await shown(thread, adapter, json.loads(json.dumps(history)))
    assert codec.reads == len(history) + 1
    await adapter.aclose()


async def test_of_messages_that_say_the_same_each_is_shown_once_in_order(adapter: Host[Native]) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    history = [asks("Go on.") if place % 2 == 0 else says("Done.") for place in range(9)]
    for end in (1, 3, 5, 9):
        found = await shown(thread, adapter, history[:end])
        assert [id(one) for one in found] == [id(one) for one in history[:end]]


class Growth:
    """A history and the changes that a framework makes to it."""

    def __init__(self) -> None:
        self.history: list[Native] = [asks("Begin.")]
        self.count = 0

    def change(self, kind: str, place: int) -> None:
        self.count += 1
        match kind:
            case "step":
                self.history += step(self.count, 20)
            case "turn":
                self.history += [says(f"Answer {self.count}."), asks(f"Question {self.count}?")]
            case "same":
                self.history += [says("Done."), asks("Go on.")]
            case "new objects":
                self.history = copy.deepcopy(self.history)
            case "edit":
                users = [one for one in self.history if one["role"] == "user"]
                users[place % len(users)]["content"] = f"Edited {self.count}."
            case _:
                ends = [at for at, one in enumerate(self.history) if one["role"] == "user"]
                self.history = self.history[: ends[place % len(ends)] + 1]


KINDS = ("step", "step", "step", "turn", "same", "new objects", "edit", "cut")


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 50)), min_size=1, max_size=12))
async def test_a_thread_shows_what_one_without_memory_shows(changes: list[tuple[str, int]]) -> None:
    adapter, grown = host(), Growth()
    try:
        thread = adapter.thread("harbour-42", "ann", where="here")
        await shown(thread, adapter, grown.history)
        for kind, place in changes:
            grown.change(kind, place)
            found = await shown(thread, adapter, grown.history)
            adapter._threads.clear()
            fresh = await shown(adapter.thread("harbour-42", "ann", where="here"), adapter, grown.history)
            assert found == fresh
            stored = await stored_texts(adapter, "harbour-42", "ann")
            assert stored == [str(one) for one in openai.render_messages(_parsed(grown.history))]
    finally:
        await adapter.aclose()


def _parsed(history: Sequence[Native]) -> list[Any]:
    return [message for one in history for message in parse_any(one)]


async def test_a_reply_is_stored_once_with_its_usage(adapter: Host[Native]) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    history = [asks("Which pier?")]
    call = await adapter.run(thread.start, history, system="Be short.", model="claude-sonnet-4-5")
    usage = {"prompt_tokens": 900, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 700}}
    await adapter.run(thread.finish, call, [says("Pier 3.")], usage)
    history += [{**says("Pier 3."), "id": "added by the framework"}, asks("Sure?")]
    assert await shown(thread, adapter, history) == history
    assert len(await stored_texts(adapter, "harbour-42", "ann")) == 3
    bill = adapter.engine.for_owner("ann").cost("harbour-42")
    assert (bill.calls[0].input_tokens, bill.calls[0].cached_tokens) == (900, 700)


async def test_a_late_reply_does_not_disturb_what_came_meanwhile(adapter: Host[Native]) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    history = [asks("Which pier?")]
    first = await adapter.run(thread.start, history)
    history += [says("Pier 3."), asks("Sure?")]
    second = await adapter.run(thread.start, history)
    await adapter.run(thread.finish, first, [says("Pier 3.")], None)
    await adapter.run(thread.finish, second, [says("Yes.")], {"prompt_tokens": 50, "completion_tokens": 2})
    assert len(await stored_texts(adapter, "harbour-42", "ann")) == 4


async def test_an_error_that_is_no_overflow_is_raised_as_it_is(adapter: Host[Native]) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    call = await adapter.run(thread.start, [asks("Which pier?")])
    failure = ValueError("the pier is closed")
    with pytest.raises(ValueError, match="the pier is closed") as caught:
        await adapter.run(thread.recover, call, failure)
    assert caught.value is failure


async def test_a_leading_system_message_stays_in_its_place(adapter: Host[Native]) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    history = [{"role": "system", "content": "You know the ferries."}, asks("Which pier?")]
    call = await adapter.run(thread.start, history)
    assert call.messages == history
    assert call.system is None
    only = await adapter.run(thread.start, history[:1])
    assert (only.request, only.messages) == (None, history[:1])


def test_a_run_without_a_thread_says_where_to_give_it() -> None:
    adapter = host(owner="ann")
    with pytest.raises(UsageError, match="belongs to no thread") as caught:
        adapter.thread(None, where='config={"thread_id": ...}')
    assert 'config={"thread_id": ...}' in str(caught.value)
    assert host(thread="notes").thread(None, where="here").name == "notes"


@pytest.mark.parametrize("name", [0, 42, uuid.UUID(int=42)], ids=str)
async def test_ids_that_are_no_texts_name_a_thread_and_an_owner_of_their_own(
    name: Any, adapter: Host[Native]
) -> None:
    thread = adapter.thread(name, name, where="here")
    await shown(thread, adapter, [asks("Which pier?")])
    assert (thread.name, thread.owner) == (str(name), str(name))
    assert adapter.thread(str(name), str(name), where="here") is thread
    assert adapter.thread(name, name, where="here", inner=["keeper"]).name == f"{name}/keeper"


@pytest.mark.parametrize("name", [b"ann", ["ann"], ("ann",), {"ann": 1}])
def test_what_cannot_be_an_id_is_refused(name: Any, adapter: Host[Native]) -> None:
    for pair in ((name, "ann"), ("harbour-42", name)):
        with pytest.raises(UsageError, match="is given as an id"):
            adapter.thread(*pair, where="here")


@pytest.mark.parametrize("inner", [(), ("keeper",)])
def test_an_inner_agent_of_a_run_without_a_thread_has_none_either(
    inner: tuple[str, ...], adapter: Host[Native]
) -> None:
    with pytest.raises(UsageError, match="belongs to no thread"):
        adapter.thread("", "ann", where="here", inner=inner)


async def test_a_history_whose_conversation_was_deleted_is_stored_again(adapter: Host[Native]) -> None:
    thread, history = adapter.thread("harbour-42", "ann", where="here"), [asks("Which pier?")]
    for more in ([], [says("Pier 3."), asks("Sure?")]):
        await shown(thread, adapter, history)
        adapter.engine.for_owner("ann").forget("harbour-42")
        history += more
        assert await shown(thread, adapter, history) == history
        assert len(await stored_texts(adapter, "harbour-42", "ann")) == len(history)


async def test_an_inner_agents_conversation_is_deleted_with_the_one_around_it(adapter: Host[Native]) -> None:
    for inner in ((), ("researcher",), ("researcher", "tools:1")):
        thread = adapter.thread("harbour-42", "ann", where="here", inner=inner)
        await shown(thread, adapter, [asks("Which pier?")])
    await shown(adapter.thread("harbour-43", "ann", where="here"), adapter, [asks("Which pier?")])
    engine = adapter.engine.for_owner("ann")
    engine.forget("harbour-42")
    assert [one.id for one in engine.conversations()] == ["harbour-43"]
    await shown(thread, adapter, [asks("Which pier?")])
    found = {one.id: one.parent for one in engine.conversations()}
    assert found == {"harbour-43": "", "harbour-42/researcher/tools:1": "harbour-42"}


@pytest.mark.filterwarnings("error")
def test_a_database_that_cannot_be_opened_is_named_at_each_call(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no database " * 100)
    adapter = host(tmp_path / "notes.txt")
    thread = adapter.thread("harbour-42", "ann", where="here")
    for _ in range(2):
        with pytest.raises(PalimpsestError, match="not a Palimpsest database"):
            adapter.wait(thread.start, [asks("Which pier?")])
    adapter.close()


@pytest.mark.parametrize("loops", [True, False], ids=["in a loop", "in no loop"])
def test_a_run_that_is_under_way_when_the_engine_closes_gets_an_error_and_no_cancellation(
    loops: bool, adapter: Host[Native]
) -> None:
    started, told = threading.Event(), list[Exception]()

    async def waits() -> None:
        started.set()
        await asyncio.Event().wait()

    def runs() -> None:
        try:
            asyncio.run(adapter.run(waits)) if loops else adapter.wait(waits)
        except UsageError as error:
            told.append(error)

    running = threading.Thread(target=runs)
    running.start()
    assert started.wait(60)
    adapter.close()
    running.join(60)
    assert ["the engine is closed" in str(one) for one in told] == [True]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_an_adapter_from_before_a_fork_raises_in_the_child_and_does_not_wait(adapter: Host[Native]) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    adapter.wait(thread.start, [asks("Which pier?")])
    child = os.fork()
    if not child:
        signal.alarm(20)
        code = 1
        try:
            adapter.wait(thread.stored)
        except UsageError as error:
            code = 0 if "before this process was forked" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert len(adapter.wait(thread.stored)) == 1


def test_an_engine_whose_loop_does_not_run_is_refused_and_not_waited_for() -> None:
    loop = asyncio.new_event_loop()

    async def opened() -> tuple[Engine, Host[Native]]:
        engine = await palimpsest.open(":memory:", window_tokens=TINY)
        return engine, Host(engine, DictCodec())

    engine, adapter = loop.run_until_complete(opened())
    thread = adapter.thread("harbour-42", None, where="here")
    with pytest.raises(UsageError, match="loop in which the engine was opened does not run"):
        asyncio.run(adapter.run(thread.stored))
    loop.run_until_complete(engine.close())
    loop.close()


@pytest.mark.parametrize("engine", [None, 7, ["agent.db"]])
def test_what_is_no_engine_is_refused(engine: Any) -> None:
    with pytest.raises(UsageError, match="the engine is a"):
        Host(engine, DictCodec())


async def test_threads_of_several_owners_run_at_once_and_see_nothing_of_each_other() -> None:
    adapter = host()

    async def session(owner: str, name: str) -> None:
        thread = adapter.thread(name, owner, where="here")
        history = [asks(f"The secret of {owner} in {name} is {owner}-{name}.")]
        for number in range(12):
            history += step(number)
            found = str(await shown(thread, adapter, history))
            assert not any(f"{one}-{two}" in found for one, two in others(owner, name))

    try:
        await asyncio.gather(*(session(owner, name) for owner, name in PAIRS))
        for owner, name in PAIRS:
            thread = adapter.thread(name, owner, where="here")
            answer = await adapter.run(
                thread.recall, "short_grep", {"pattern": "%secret%", "all_conversations": True, "limit": 50}
            )
            assert f"{owner}-{name}" in answer
            assert not any(f"{one}-{two}" in answer for one, two in others(owner, name))
    finally:
        await adapter.aclose()


PAIRS = [(owner, name) for owner in ("ann", "bob") for name in ("a", "b")]


def others(owner: str, name: str) -> list[tuple[str, str]]:
    return [one for one in PAIRS if one != (owner, name)]


def test_one_engine_serves_runs_of_many_loops_and_of_none(tmp_path: Path) -> None:
    adapter = host(tmp_path / "agent.db")
    thread = adapter.thread("harbour-42", None, where="here")
    for turn in range(3):
        asyncio.run(adapter.run(thread.start, [asks(f"Question {at}?") for at in range(turn + 1)]))
    assert len(adapter.wait(thread.stored)) == 3
    adapter.close()
    adapter.close()
    with palimpsest.sync.open(tmp_path / "agent.db", window_tokens=TINY) as engine:
        assert isinstance(engine, Synchronous)
        again = Host(engine, DictCodec())
        assert len(again.wait(again.thread("harbour-42", None, where="here").stored)) == 3
        again.close()
        assert engine.conversation("harbour-42").grep("Question").total == 3


async def test_an_engine_of_the_programs_own_loop_refuses_synchronous_runs_there() -> None:
    async with palimpsest.open(":memory:", window_tokens=TINY) as engine:
        adapter = Host(engine, DictCodec())
        thread = adapter.thread("harbour-42", None, where="here")
        await adapter.run(thread.start, [asks("Which pier?")])
        assert len(await engine.conversation("harbour-42").messages()) == 1
        with pytest.raises(UsageError, match="its own event loop"):
            adapter.wait(thread.stored)
        with pytest.raises(UsageError, match="cannot be set for an open engine"):
            Host(engine, DictCodec(), window_tokens=TINY)
        await adapter.aclose()
        assert not engine.is_closed


async def test_a_reply_that_cannot_be_stored_is_stored_with_the_next_history(
    adapter: Host[Native], caplog: pytest.LogCaptureFixture
) -> None:
    thread = adapter.thread("harbour-42", "ann", where="here")
    history = [asks("Which pier?")]
    call = await adapter.run(thread.start, history)
    await adapter.run(thread.finish, call, [{"role": "assistant", "content": "x" * 50_000_001}], None)
    assert "stored with the next history" in caplog.text
    history += [says("Pier 3."), asks("Sure?")]
    assert await shown(thread, adapter, history) == history
    assert len(await stored_texts(adapter, "harbour-42", "ann")) == 3
