"""The same calls from synchronous programs."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import palimpsest
import palimpsest.sync
from palimpsest.errors import DoesNotFit, NotFound, SettingsError, StoreError, UsageError
from tests.engine.drawing import bulk, said
from tests.patience import LIMIT_S, wait_until

SMALL: dict[str, Any] = {"fresh_tail_count": 2, "leaf_min_fanout": 2, "leaf_chunk_tokens": 1_000}
LONG = [said("user", "Read it all."), *(said("assistant", bulk(1_200, number)) for number in range(8))]


def test_every_call_works_without_await(tmp_path: Path) -> None:
    with palimpsest.sync.open(tmp_path / "a.db", preset="hierarchical", **SMALL) as engine:
        talk = engine.conversation("a")
        stored = talk.append({"role": "user", "content": "Where is the parser?"}, key="k")
        assert talk.append({"role": "user", "content": "Where is the parser?"}, key="k") == stored
        talk.append(*LONG)
        request = talk.request(system="Be brief.")
        talk.record_usage({"prompt_tokens": 50, "completion_tokens": 2}, request)
        assert talk.end_turn() is None
        engine.idle()
        assert talk.window().window.tokens < sum(one.tokens for one in talk.messages())
        hits = talk.grep("parser")
        assert hits.total >= 1
        assert talk.expand([stored[0].id])[0].text == "Where is the parser?"
        assert talk.describe(stored[0].id).messages == 1
        assert talk.id == "a"
        assert [one.id for one in engine.conversations()] == ["a"]
        assert engine.stats().messages == 1 + len(LONG)
        assert talk.compact(until_under_tokens=700) is not None
        assert talk.sync([{"role": "user", "content": "Edited"}]).forked


def test_a_history_is_resolved_to_a_conversation_with_plain_calls(tmp_path: Path) -> None:
    with palimpsest.sync.open(tmp_path / "a.db", preset="hierarchical") as engine:
        engine.conversation("a").append(said("user", "one"))
        found = engine.resolve([said("user", "one"), said("user", "two")])
        assert found is not None
        assert [one.message.text for one in found.messages()] == ["one"]
        assert engine.resolve([said("user", "other")]) is None


def test_events_are_iterated_with_a_plain_loop(tmp_path: Path) -> None:
    with palimpsest.sync.open(tmp_path / "a.db", preset="hierarchical", **SMALL) as engine:
        events = engine.events()
        talk = engine.conversation("a")
        talk.append(*LONG)
        talk.end_turn()
        for event in events:
            assert event.kind == "compacted"
            break
        events.close()
        ended = engine.events()
        threading.Timer(0.05, engine.close).start()
        assert list(ended) == []


def test_background_work_goes_on_between_the_calls(tmp_path: Path) -> None:
    with palimpsest.sync.open(tmp_path / "a.db", preset="hierarchical", **SMALL) as engine:
        talk = engine.conversation("a")
        talk.append(*LONG)
        talk.end_turn()
        wait_until(lambda: engine.stats().compactions)
        assert engine.stats().compactions > 0


def test_errors_come_through_as_they_are(tmp_path: Path) -> None:
    with palimpsest.sync.open(
        tmp_path / "a.db", window_tokens=1_000, max_tokens=100, preset="hierarchical"
    ) as engine:
        talk = engine.conversation("a")
        with pytest.raises(NotFound):
            talk.expand(["m99"])
        talk.append(said("user", bulk(20_000)))
        with pytest.raises(DoesNotFit):
            talk.request()
        with pytest.raises(UsageError):
            engine.conversation("")
        with pytest.raises(AttributeError):
            _ = engine.no_such_call
    with pytest.raises(SettingsError):
        palimpsest.sync.open(tmp_path / "a.db", no_such_setting=1, preset="hierarchical")
    with pytest.raises(StoreError):
        palimpsest.sync.open(tmp_path, preset="hierarchical")


def test_a_sync_callable_may_use_the_engine_from_its_own_thread(tmp_path: Path) -> None:
    found: list[int] = []
    with palimpsest.sync.open(
        tmp_path / "a.db", complete=lambda prompt, options: _asking(), preset="hierarchical", **SMALL
    ) as engine:

        def asking() -> str:
            found.append(engine.stats().messages)
            return "Everything was read."

        _ASKED.append(asking)
        talk = engine.conversation("a")
        talk.append(*LONG)
        talk.compact()
        assert found
        assert set(found) == {len(LONG)}
    _ASKED.clear()


_ASKED: list[object] = []


def _asking() -> str:
    return _ASKED[0]()  # type: ignore[operator,no-any-return]


def test_a_synchronous_call_on_the_engines_own_loop_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    caught: list[str] = []

    async def asks(prompt: str, options: dict[str, object]) -> str:
        try:
            engines[0].stats()
        except UsageError as error:
            caught.append(error.message)
        return "Everything was read."

    with palimpsest.sync.open(tmp_path / "a.db", complete=asks, preset="hierarchical", **SMALL) as engine:
        engines = [engine]
        engine.conversation("a").append(*LONG)
        engine.conversation("a").compact()
        assert caught
        assert "own loop" in caught[0]


def test_after_close_calls_are_refused_and_closing_again_does_nothing(tmp_path: Path) -> None:
    engine = palimpsest.sync.open(tmp_path / "a.db", preset="hierarchical")
    talk = engine.conversation("a")
    engine.close()
    engine.close()
    with pytest.raises(UsageError, match="closed"):
        talk.append(said("user", "late"))
    assert "palimpsest-loop" not in {thread.name for thread in threading.enumerate()}


def test_closing_does_not_wait_for_a_callable_that_blocks(tmp_path: Path) -> None:
    begun, release = threading.Event(), threading.Event()
    ended: list[str] = []

    def blocks(prompt: str, options: dict[str, object]) -> str:
        begun.set()
        release.wait(LIMIT_S)
        ended.append(prompt)
        return ""

    engine = palimpsest.sync.open(tmp_path / "a.db", complete=blocks, preset="hierarchical", **SMALL)
    engine.conversation("a").append(*LONG)
    engine.conversation("a").end_turn()
    assert begun.wait(LIMIT_S)
    engine.close(0.1)
    assert ended == []
    release.set()


def test_an_engine_closed_from_two_threads_at_once_is_closed_for_both(tmp_path: Path) -> None:
    for place in range(20):
        engine = palimpsest.sync.open(tmp_path / f"{place}.db", preset="hierarchical")
        engine.conversation("a").append({"role": "user", "content": "one"})
        closers = [threading.Thread(target=engine.close, daemon=True) for _ in range(3)]
        for closer in closers:
            closer.start()
        for closer in closers:
            closer.join(LIMIT_S)
        assert not any(closer.is_alive() for closer in closers)


def test_calls_of_other_threads_end_when_the_engine_is_closed(tmp_path: Path) -> None:
    engine = palimpsest.sync.open(tmp_path / "a.db", preset="hierarchical")
    talk, ends = engine.conversation("a"), []

    def work() -> None:
        try:
            for place in range(10_000):
                talk.append({"role": "user", "content": f"message {place}"})
        except palimpsest.PalimpsestError as error:
            ends.append(error.kind)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for worker in workers:
        worker.start()
    time.sleep(0.05)
    engine.close()
    for worker in workers:
        worker.join(LIMIT_S)
    assert not any(worker.is_alive() for worker in workers)
    assert len(ends) == 4


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_an_engine_from_before_a_fork_says_so_and_does_not_wait_for_threads_that_are_not_there(
    tmp_path: Path,
) -> None:
    with palimpsest.sync.open(tmp_path / "a.db") as engine:
        engine.conversation("a").append(said("user", "before"))
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            signal.alarm(20)
            with suppress(BaseException):
                os.write(writer, _refused_in_a_fork(engine).encode())
            os._exit(0)
        os.waitpid(child, 0)
        os.close(writer)
        told = os.read(reader, 1_000).decode()
        os.close(reader)
        assert told == "the engine was opened before this process was forked; closed"
        assert len(engine.conversation("a").append(said("user", "after"))) == 1


def _refused_in_a_fork(engine: palimpsest.sync.Synchronous) -> str:
    try:
        engine.conversation("a")
    except UsageError as error:
        engine.close()
        return f"{error.message}; closed"
    return "no error"


def test_engines_of_other_owners_block_as_well_and_close_alone() -> None:
    with palimpsest.sync.open(":memory:", owner="me") as engine:
        for owner in ("ann", "bob"):
            engine.conversation_for("harbour-42", owner=owner).append(
                {"role": "user", "content": f"I am {owner}"}
            )
        ann = engine.for_owner("ann")
        assert [hit.snippet for hit in ann.grep("am").hits] == ["I [am] ann"]
        ann.close()
        assert engine.for_owner("ann").grep("am").total == 1
        assert engine.grep("am").total == 0
