"""After forgetting: nothing of it in any row or byte, every request is valid, and what is stored proves itself."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import palimpsest
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.deletion import finish_deletions, overdue
from palimpsest.engine.engine import Engine
from palimpsest.engine.opening import Opening
from palimpsest.errors import NotFound, UsageError
from palimpsest.file_writing import writing
from palimpsest.formats.transcripts.reader_base import Marker, Transcript
from palimpsest.ports import Counted
from palimpsest.record.forgetting import FORGOTTEN_TEXT, Weight, is_blank
from palimpsest.record.message import Message, Text
from palimpsest.stores.sqlite.deletion.purge import sweep
from tests.effort import examples
from tests.engine.laws import assert_covered, assert_request_lawful
from tests.patience import LIMIT_S
from tests.stores.remnants import remnants

SMALL: dict[str, Any] = {
    "window_tokens": 6_000, "max_tokens": 800, "fresh_tail_count": 4, "leaf_min_fanout": 3,
    "leaf_chunk_tokens": 700, "leaf_target_tokens": 160, "condensed_min_fanout": 2, "condensed_target_tokens": 200,
    "summarize_message_threshold": 5,
}  # fmt: skip


def marker(draw: random.Random) -> str:
    """24 characters that stand nowhere else; letters that folding does not change, and no digit that looks secret."""
    return "".join(draw.choice("bcdfghjklmnpqrstvwxz") for _ in range(24))


def open_small(path: Path, **options: Any) -> Opening:
    """An engine over a file, whose numbers are small."""
    return palimpsest.open(path, preset="hierarchical", **{**SMALL, **options})


def turn(place: int, marks: Sequence[str]) -> list[dict[str, Any]]:
    """A request, a call, its result and an answer, each with a mark of its own in every part that can hold one."""
    said, called, given_back, answered = marks
    arguments = json.dumps({"path": f"/src/{called}.py", f"key{called}": place})
    return [
        {"role": "user", "name": f"n{said}", "content": f"Request {place}: look after {said} please. " + "more " * 30},
        {
            "role": "assistant", "content": f"Looking at {called}.",
            "tool_calls": [
                {"id": f"c{called}", "type": "function", "function": {"name": "read", "arguments": arguments}}
            ],
        },
        {"role": "tool", "tool_call_id": f"c{called}", "content": f"line {given_back}\n" + "output here " * 40},
        {"role": "assistant", "content": f"Done with {answered}, wrote /out/{answered}.txt. " + "well " * 30},
    ]  # fmt: skip


async def assert_sound(engine: Engine, talk: Conversation, size: int) -> None:
    """The window covers the history, a request is lawful, and everything proves itself."""
    view = await talk.window()
    assert_covered(view.window, size)
    request = await talk.request(system="Be brief.")
    assert_request_lawful(request, SMALL["window_tokens"] - SMALL["max_tokens"])
    health = await engine.verify(everyone=True)
    assert health.faults == ()


@settings(
    parent=examples(5),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    seed=st.integers(0, 2**32),
    turns=st.integers(2, 7),
    edit=st.integers(0, 6),
    ranges=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6)), min_size=1, max_size=3),
    goal=st.sampled_from((None, 1_500)),
)
async def test_nothing_of_what_was_forgotten_is_left_and_every_request_is_valid(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int, turns: int, edit: int, ranges: list[tuple[float, int]], goal: int | None,
) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("forget") / "talks.db"
    draw = random.Random(seed)
    marks = [[marker(draw) for _ in range(4)] for _ in range(turns)]
    history = [message for place in range(turns) for message in turn(place, marks[place])]
    flat = [mark for group in marks for mark in group]
    edited = [*history]
    edited[4 * (edit % turns)] = {"role": "user", "content": "Request, edited. " + "more " * 30}
    async with open_small(path) as engine:
        talk = engine.conversation("talk")
        for place in range(turns):
            await talk.sync(history[: 4 * place + 4])
            await talk.compact(until_under_tokens=goal)
        await talk.pin("m1")
        await talk.pin(text=f"Remember {flat[-1]}.")
        await talk.sync(edited)
        await talk.compact()
        gone: set[int] = set()
        for share, more in ranges:
            first = int(share * (len(history) - 1))
            last = min(first + more, len(history) - 1)
            await engine.forget("talk", f"m{first + 1}-m{last + 1}")
            gone |= set(range(first, last + 1))
        gone |= {place + 1 for place in gone if place % 4 == 1} | {
            place - 1 for place in gone if place % 4 == 2
        }
        for whole in (history, edited):
            done = await talk.sync(whole)
            assert done.added == 0
            assert done.messages == len(whole)
            await assert_sound(engine, talk, len(whole))
        assert remnants(path, [flat[place] for place in gone]) == []
        kept = [mark for place, mark in enumerate(flat) if place not in gone]
        assert {mark for mark in kept if not (await talk.grep(mark, limit=1)).total} == set()
    assert remnants(path, [flat[place] for place in gone]) == []


async def filled(engine: Engine, mark: str) -> Conversation:
    """A conversation with a mark in its third message, and summaries over it."""
    talk = engine.conversation("talk")
    for place in range(8):
        said = f"Request {place}{f' with {mark}' if place == 1 else ''}."
        await talk.append({"role": "user", "content": said}, {"role": "assistant", "content": "well " * 80})
    await talk.compact(until_under_tokens=1_200)
    return talk


KILLED = """
import asyncio, os, signal, sys
from palimpsest.stores.sqlite import SqliteStore

async def main():
    store = await SqliteStore.open(sys.argv[1])
    await store.forgetting.forget("me", "talk", ["m3"], {})
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_a_list_of_ids_is_refused_in_words() -> None:
    async with palimpsest.open(":memory:") as engine:
        await engine.conversation("a").append({"role": "user", "content": "hello"})
        with pytest.raises(UsageError, match="an id is a list"):
            await engine.forget("a", ["m1"])  # pyright: ignore[reportArgumentType]  (as callers may)


async def test_what_a_killed_process_left_is_swept_when_the_database_is_next_opened(tmp_path: Path) -> None:
    path, mark = tmp_path / "talks.db", marker(random.Random(7))
    async with open_small(path) as engine:
        await filled(engine, mark)
    done = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert remnants(path, [mark]) != []
    async with open_small(path) as engine:
        assert remnants(path, [mark]) == []
        assert (await engine.verify()).faults == ()
        assert await finish_deletions(engine.store) == ()


async def test_a_reader_that_holds_the_log_is_named_and_the_next_sweep_finishes(tmp_path: Path) -> None:
    path, mark = tmp_path / "talks.db", marker(random.Random(8))
    async with open_small(path) as engine:
        await filled(engine, mark)
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchall()
        await engine.store.forgetting.forget("me", "talk", ["m3"], {})
        sweeping = asyncio.create_task(asyncio.to_thread(sweep, str(path), 0.5))
        while not sweeping.done():
            await asyncio.wait_for(
                engine.conversation("other").append({"role": "user", "content": "Go on."}), LIMIT_S
            )
            await asyncio.sleep(0.02)
        (left,) = await sweeping
        assert "another process reads" in left
        assert await engine.store.forgetting.unswept()
        reader.close()
        assert await finish_deletions(engine.store) == ()
        assert remnants(path, [mark]) == []


async def test_the_summaries_over_it_say_the_rest(tmp_path: Path) -> None:
    mark = marker(random.Random(9))
    async with open_small(tmp_path / "talks.db") as engine:
        talk = await filled(engine, mark)
        assert mark in str((await talk.window()).window.items[0])
        foreseen = await engine.forget("talk", "m3", dry_run=True)
        assert (foreseen.applied, foreseen.messages) == (False, 1)
        assert mark in str(await talk.messages())
        done = await engine.forget("talk", "m3")
        assert (done.rebuilt, done.emptied) == (foreseen.rebuilt, foreseen.emptied)
        assert done.rebuilt
        summary = str((await talk.window()).window.items[0])
        assert "[m11 user]\\nRequest 5." in summary
        assert mark not in summary
        assert (await talk.expand(["m3"]))[0].text == FORGOTTEN_TEXT
        assert not (await talk.grep("forgotten OR wish")).total
        assert "m3" not in {one.id for one in await talk.search("What is request 0 about?", limit=50)}


async def test_the_ledger_is_made_again_without_it(tmp_path: Path) -> None:
    async with open_small(tmp_path / "talks.db", ledger_tokens=400) as engine:
        talk = engine.conversation("talk")
        for place in range(12):
            name = "hidden" if place == 1 else f"part{place}"
            await talk.append(
                {"role": "user", "content": f"Look into /src/{name}/main.py. " + "more " * 40},
                {"role": "assistant", "content": f"I changed /src/{name}/main.py. " + "well " * 40},
            )
        await talk.compact(until_under_tokens=1_500)
        before = (await state_of(talk).store.load_window("me", "talk")) or pytest.fail("no window")
        assert "hidden" in before.ledger
        await engine.forget("talk", "m3-m4")
        after = (await state_of(talk).store.load_window("me", "talk")) or pytest.fail("no window")
        assert after.ledger
        assert "part" in after.ledger
        assert "hidden" not in str(after)


async def test_a_forgotten_transcript_is_not_imported_again_unless_asked(tmp_path: Path) -> None:
    transcript = Transcript("session-1", "test", paths=((Message("user", (Text("hello"),)),),))
    async with open_small(tmp_path / "talks.db") as engine:
        await engine.import_transcript(transcript)
        await engine.forget("session-1")
        with pytest.raises(UsageError, match="forgotten"):
            await engine.import_transcript(transcript)
        assert (await engine.import_transcript(transcript, again=True)).added == 1
        assert (await engine.import_transcript(transcript)).added == 0


async def test_an_agent_s_own_summary_of_what_was_forgotten_is_not_taken_over_again(tmp_path: Path) -> None:
    said = tuple(
        Message("user" if place % 2 == 0 else "assistant", (Text(f"words {place} " * 40),))
        for place in range(8)
    )
    transcript = Transcript("s", "test", paths=(said,), markers=(Marker("It was about the walrus.", 4),))
    async with open_small(tmp_path / "talks.db") as engine:
        assert (await engine.import_transcript(transcript)).compactions == 1
        await engine.forget("s", "m1-m4")
        assert (await engine.import_transcript(transcript)).compactions == 0
        assert "walrus" not in str(await engine.conversation("s").window())


async def test_what_is_no_message_is_refused_and_nothing_goes(tmp_path: Path) -> None:
    async with open_small(tmp_path / "talks.db") as engine:
        talk = await filled(engine, "x")
        summary = next(item.id for item in (await talk.window()).window.items if item.id.startswith("s"))
        for given_id, wrong in (
            ("m99", NotFound),
            (summary, UsageError),
            ("m5-m2", UsageError),
            ("", NotFound),
        ):
            with pytest.raises(wrong):
                await engine.forget("talk", given_id)
        with pytest.raises(NotFound):
            await engine.forget("nowhere")
        assert not any(is_blank(one.message) for one in await talk.messages())


async def test_an_owner_leaves_nothing_in_any_byte_and_others_stay(tmp_path: Path) -> None:
    path, mark = tmp_path / "talks.db", marker(random.Random(10))
    async with open_small(path, owner="anna") as engine, open_small(path, owner="bela") as other:
        await filled(engine, mark)
        await filled(other, "other")
        done = await engine.forget_everything()
        assert (done.conversations, done.left) == (("talk",), ())
        assert remnants(path, [mark, "anna" * 3]) == []
        assert len(await other.conversation("talk").messages()) == 16
        assert (await other.verify()).faults == ()


async def test_retention_says_first_what_would_go(tmp_path: Path) -> None:
    now = 2_000_000_000.0
    async with open_small(tmp_path / "talks.db", clock=lambda: now) as engine:
        for age_days, name in ((400, "old"), (10, "young")):
            row = [Counted(Message("user", (Text(name),)), 3)]
            await engine.store.append("me", name, row, now_s=now - age_days * 86_400)
        told = await engine.retain(180 * 86_400)
        assert ([one.conversation for one in told.going], told.kept) == (["old"], 1)
        assert len(await engine.conversations()) == 2
        await engine.retain(180 * 86_400, apply=True)
        assert [one.id for one in await engine.conversations()] == ["young"]
        with pytest.raises(UsageError):
            await engine.retain()


def test_retention_goes_by_families_and_the_oldest_first() -> None:
    weights = [
        Weight("a", 10, 100.0), Weight("b", 10, 200.0), Weight("b/1", 10, 900.0, "b"), Weight("c", 10, 300.0),
        Weight("loop1", 1, 950.0, "loop2"), Weight("loop2", 1, 950.0, "loop1"),
    ]  # fmt: skip

    def going(*limits: Any) -> list[str]:
        return [one.conversation for one in overdue(weights, 1_000.0, *limits)]

    assert going(650.0, None) == ["a", "c"]
    assert going(None, 42) == []
    assert going(None, 25) == ["a", "c"]
    assert going(None, 0) == ["a", "c", "b", "b/1", "loop1", "loop2"]
    assert going(2_000.0, None) == []


@pytest.mark.parametrize("before", [0, *range(30, 60, 3)])
async def test_a_title_that_hides_a_secret_goes_with_its_message(tmp_path: Path, before: int) -> None:
    said = f"{'quay ' * (before // 5)}{'x' * (before % 5)} key sk-proj-Qm4xT9vLw2Rz8KpN6cYb for the ferry board, please"
    async with open_small(tmp_path / "talks.db") as engine:
        talk = engine.conversation("talk")
        asking = {"role": "user", "content": "Now the berths."}
        await talk.append(
            {"role": "user", "content": said.strip()}, {"role": "assistant", "content": "Done."}, asking
        )
        (before_it,) = await engine.conversations()
        assert "Qm4x" not in before_it.title
        await engine.forget("talk", "m1")
        (after_it,) = await engine.conversations()
        assert after_it.title == "Now the berths."


async def test_what_a_killed_process_left_of_a_copy_is_deleted_and_what_is_being_written_is_not(
    tmp_path: Path,
) -> None:
    async with palimpsest.open(tmp_path / "a.db") as engine:
        await engine.conversation("x").append({"role": "user", "content": "the pin is zqmark"})
        await engine.export_all(tmp_path / "all.jsonl")
        await engine.backup(tmp_path / "b.db")
        with writing(tmp_path / "all.jsonl") as held:
            left = [part_of(tmp_path / name) for name in ("all.jsonl", "b.db")]
            held.write(b"zqmark, and more is to come")
            held.flush()
            done = await engine.forget("x", "m1")
            assert {str(one) for one in left} <= set(done.deleted)
            assert [held.name] == parts(tmp_path)
        assert not parts(tmp_path)
        assert {one.path for one in done.holding} == {str(tmp_path / name) for name in ("all.jsonl", "b.db")}
        assert {one.kind for one in await engine.copies()} == {"export", "backup"}


def parts(folder: Path) -> list[str]:
    """The temporary files in a folder."""
    return [str(one) for one in folder.glob(".*.part")]


def part_of(target: Path) -> Path:
    """A temporary file as a killed process leaves it."""
    with writing(target) as file:
        name = Path(file.name)
        data = target.read_bytes()
        file.write(data)
    name.write_bytes(b"zqmark, cut off")
    return name


@pytest.mark.parametrize("exports", [False, True])
async def test_an_export_that_a_person_asked_for_is_deleted_only_on_demand(
    tmp_path: Path, *, exports: bool
) -> None:
    path = tmp_path / "all.jsonl"
    async with palimpsest.open(tmp_path / "a.db") as engine:
        await engine.conversation("x").append({"role": "user", "content": "the pin is zqmark"})
        await engine.export_all(path)
        foreseen = await engine.forget("x", dry_run=True, exports=exports)
        done = await engine.forget("x", exports=exports)
    assert (foreseen.deleted, foreseen.holding) == (done.deleted, done.holding)
    assert path.exists() is not exports
    assert [one.path for one in done.holding] == ([] if exports else [str(path)])
    assert done.deleted == ((str(path),) if exports else ())
