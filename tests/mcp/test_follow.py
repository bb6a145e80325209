"""What is written to followed folders is known to the next answer; nothing that lies there ends the server."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

import palimpsest
from palimpsest.engine.engine import Engine
from palimpsest.mcp.followed_files import Seen, Stamp, load, save, state_path, still_stored, to_read
from palimpsest.mcp.transcript_follower import Follower
from palimpsest.record.message import Message
from tests.cli.run import claude_lines
from tests.mcp.kit import Notes, connected, text_of, write


async def has(engine: Engine, words: str) -> int:
    """In how many messages these words stand."""
    return (await engine.grep(words)).total


async def whole(engine: Engine) -> list[Message]:
    """The messages of the one conversation that is followed here."""
    return [one.message for one in await engine.store.messages(engine.owner, "s-1", 1, 1_000)]


async def test_what_is_written_is_known_to_the_next_answer(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    write(folder / "bay", "s-1", "Where is the buoy?", "At Kobbness.")
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [folder], say=Notes())
        async with connected(engine, follower) as client:
            assert "m2" in text_of(await client.call_tool("grep", {"pattern": "Kobbness"}))
            write(folder / "bay", "s-1", "Where is the buoy?", "At Kobbness.", "And the 码头?", "In repair.")
            write(folder / "reef", "s-2", "And the lighthouse?", "It is dark.")
            assert "In repair" in text_of(await client.call_tool("grep", {"pattern": "repair"}))
            assert "lighthouse" in text_of(await client.call_tool("search", {"question": "lighthouse?"}))
            status = (await client.call_tool("status", {})).structured_content
        assert (await engine.stats()).messages == 6
        assert (status["following"]["files"], status["following"]["pending"]) == (2, 0)
        await follower.close()


async def test_whoever_finds_nothing_is_told_what_was_not_looked_through(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path, f"s-{number}", *(f"Buoy {number} {place} is grey." for place in range(2_000)))
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path], say=Notes())
        async with connected(engine, follower) as client:
            await follower.catch_up(0.001)
            first = text_of(await client.call_tool("search", {"question": "lighthouse?"}))
            for _ in range(3_000):
                if not follower.now().pending:
                    break
                await asyncio.sleep(0.02)
            last = text_of(await client.call_tool("search", {"question": "lighthouse?"}))
        await follower.close()
    assert "Not looked through yet: " in first
    assert "Not looked through yet" not in last


async def test_what_cannot_be_read_is_named_once_and_harms_nothing(tmp_path: Path) -> None:
    write(tmp_path, "good", "A tide.", "Noted.")
    (tmp_path / "broken.jsonl").write_bytes(b"\x00\xff not json\n" * 10)
    (tmp_path / "torn.jsonl").write_text(
        claude_lines("torn", "Half a tide.", "Noted.")[:-40], encoding="utf-8"
    )
    (tmp_path / "other.json").write_text('{"not": "a transcript"}')
    (tmp_path / "notes.txt").write_text("not looked at")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.jsonl")
    said = Notes()
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path], say=said)
        for _ in range(3):
            await follower.catch_up(30)
        now = follower.now()
        assert await has(engine, "tide") == 2
        await follower.close()
    assert (now.pending, now.files) == (0, 5)
    assert {Path(one.example).name for one in now.left_out} == {"broken.jsonl", "other.json", "pipe.jsonl"}
    assert now.left_out_files == 3
    assert len([line for line in said.lines if "left out" in line]) == 3


async def test_a_file_whose_name_is_no_text_is_told_of_and_what_is_known_of_others_is_kept(
    tmp_path: Path,
) -> None:
    strange, state = tmp_path / "talks" / os.fsdecode(b"\xff.jsonl"), tmp_path / "state.json"
    write(tmp_path / "talks", "good", "A tide.", "Noted.")
    strange.write_bytes(b"no transcript")
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path / "talks"], state=state, say=Notes())
        await follower.catch_up(30)
        async with connected(engine, follower) as client:
            told = text_of(await client.call_tool("status", {}))
        await follower.close()
    assert "talks/?.jsonl" in told
    assert [Path(path).name for path in load(state)] == ["good.jsonl"]


async def test_a_file_that_is_gone_is_left_out_no_more(tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_bytes(b"no transcript")
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path], say=Notes())
        await follower.catch_up(30)
        before = follower.now().left_out_files
        (tmp_path / "broken.jsonl").unlink()
        await follower.catch_up(30)
        after = follower.now().left_out
        await follower.close()
    assert (before, after) == (1, ())


async def test_a_folder_that_is_not_there_is_told_and_followed_when_it_comes(tmp_path: Path) -> None:
    said = Notes()
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path / "later"], say=said)
        await follower.catch_up(30)
        await follower.catch_up(30)
        assert "later" in follower.now().problem
        assert len(said.lines) == 1
        write(tmp_path / "later", "s-1", "A tide.", "Noted.")
        await follower.catch_up(30)
        assert follower.now().problem == ""
        assert await has(engine, "tide") == 1
        await follower.close()


async def test_a_large_backlog_holds_up_one_answer_and_only_for_a_moment(tmp_path: Path) -> None:
    for place in range(60):
        path = write(tmp_path, f"s-{place}", f"Berth {place}?", "Closed. " * 20)
        os.utime(path, (1_700_000_000 + place, 1_700_000_000 + place))
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path], say=Notes())
        await follower.catch_up(wait_s=0.001)
        write(tmp_path, "now", "What is new?", "The tide of today.")
        await follower.catch_up(wait_s=60)
        fresh = (await engine.grep("today"))[0]
        assert follower.now().files == 61
        for _ in range(600):
            if not follower.now().pending:
                break
            await asyncio.sleep(0.05)
        assert follower.now().pending == 0
        assert (await engine.stats()).conversations == 61
        oldest = (await engine.grep('"Berth 0"'))[0]
        await follower.close()
    assert int(fresh.id[1:]) < int(oldest.id[1:])


async def test_the_newest_are_read_first(tmp_path: Path) -> None:
    for place in range(20):
        path = write(tmp_path, f"s-{place:02}", f"Berth {place}?", "Closed.")
        os.utime(path, (1_700_000_000 + place, 1_700_000_000 + place))
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path], say=Notes())
        await follower.catch_up(30)
        first = (await engine.expand(["m1"]))[0]
        await follower.close()
    assert first.conversation == "s-19"


async def test_what_is_known_is_kept_for_the_next_process(tmp_path: Path) -> None:
    db, state = tmp_path / "p.db", state_path(tmp_path / "p.db", "me")
    folder = tmp_path / "projects"
    write(folder, "s-1", "A tide.", "Noted.")
    async with palimpsest.open(db) as engine:
        follower = Follower(engine, [folder], state=state, say=Notes())
        await follower.catch_up(30)
        await follower.close()
    kept = load(state)
    assert [one.conversations for one in kept.values()] == [("s-1",)]
    async with palimpsest.open(db) as engine:
        follower = Follower(engine, [folder], state=state, say=Notes())
        await follower.catch_up(30)
        assert follower.now().new_messages == 0
        await follower.close()
    async with palimpsest.open(tmp_path / "new.db") as engine:
        follower = Follower(engine, [folder], state=state, say=Notes())
        await follower.catch_up(30)
        assert follower.now().new_messages == 2
        await follower.close()


async def test_servers_of_different_folders_keep_what_they_know_side_by_side(tmp_path: Path) -> None:
    db, state = tmp_path / "p.db", tmp_path / "state.json"
    one, other = tmp_path / "in", tmp_path / "in side"
    write(one, "s-1", "A tide.", "Noted.")
    gone = write(one, "s-2", "A reef.", "Noted.")
    write(other, "s-3", "A buoy.", "Noted.")
    for folder in (one, other):
        async with palimpsest.open(db) as engine:
            follower = Follower(engine, [folder], state=state, say=Notes())
            await follower.catch_up(30)
            await follower.close()
    assert {Path(path).name for path in load(state)} == {"s-1.jsonl", "s-2.jsonl", "s-3.jsonl"}
    gone.unlink()
    write(one, "s-1", "A tide.", "Noted.", "Another.")
    async with palimpsest.open(db) as engine:
        follower = Follower(engine, [one], state=state, say=Notes())
        await follower.catch_up(30)
        assert follower.now().new_messages == 1
        await follower.close()
    assert {Path(path).name for path in load(state)} == {"s-1.jsonl", "s-3.jsonl"}


async def test_two_servers_that_follow_the_same_folder_store_everything_once(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    for place in range(12):
        write(folder, f"s-{place}", f"Berth {place}?", "Closed.", "Until when?", "May.")
    async with palimpsest.open(tmp_path / "p.db") as one, palimpsest.open(tmp_path / "p.db") as two:
        followers = [Follower(engine, [folder], say=Notes()) for engine in (one, two)]
        await asyncio.gather(*(follower.catch_up(30) for follower in followers))
        stats = await one.stats()
        left_out = [follower.now().left_out for follower in followers]
        for follower in followers:
            await follower.close()
    assert (stats.conversations, stats.messages) == (12, 48)
    assert left_out == [(), ()]


async def test_closing_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    for place in range(30):
        write(tmp_path / "in", f"s-{place}", f"Berth {place}?", "Closed.")
    db, state = tmp_path / "p.db", tmp_path / "state.json"
    async with palimpsest.open(db) as engine:
        follower = Follower(engine, [tmp_path / "in"], state=state, say=Notes())
        await follower.catch_up(0.05)
        await follower.close()
    async with palimpsest.open(db) as engine:
        follower = Follower(engine, [tmp_path / "in"], state=state, say=Notes())
        await follower.catch_up(30)
        assert (await engine.stats()).messages == 60
        await follower.close()


@pytest.mark.parametrize(
    "after, added",
    [
        (["A tide.", "Noted.", "And a buoy?", "Grey."], ["grey"]),
        (["A squall.", "Noted.", "And a buoy?", "Grey."], ["squall", "grey"]),
        (["A tide."], []),
        (["A squall."], ["squall"]),
    ],
    ids=["grown", "rewritten", "cut", "replaced"],
)
async def test_a_file_that_changed_is_known_as_it_is_now(
    tmp_path: Path, after: list[str], added: list[str]
) -> None:
    """What an earlier form of it had stays: an edit leaves nothing out of the store."""
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path], say=Notes())
        write(tmp_path, "s-1", "A tide.", "Noted.")
        await follower.catch_up(30)
        before = (await engine.stats()).messages
        write(tmp_path, "s-1", *after)
        await follower.catch_up(30)
        assert [await has(engine, word) for word in ("squall", "grey")] == [
            int(word in added) for word in ("squall", "grey")
        ]
        assert await has(engine, "tide") == 1
        assert (await engine.stats()).messages >= before
        await follower.close()


async def test_half_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    whole = claude_lines("s-1", "A tide.", "Noted.", "A squall?", "Grey.").encode()
    path = tmp_path / "s-1.jsonl"
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path], say=Notes())
        later_ns = time.time_ns() + 3_600 * 10**9  # what was written before it began is waited for once only
        for length in (*range(60, len(whole), 97), len(whole)):
            path.write_bytes(whole[:length])
            os.utime(path, ns=(later_ns + length, later_ns + length))
            await follower.catch_up(30)
        told = [(await has(engine, word)) for word in ("tide", "noted", "squall", "grey")]
        assert told == [1, 1, 1, 1]
        assert (await engine.stats()).messages == 4
        await follower.close()


GROWS = """
import sys, time
lines = sys.stdin.readlines()
with open(sys.argv[1], "a", encoding="utf-8") as file:
    for line in lines:
        for part in (line[:50], line[50:]):
            file.write(part)
            file.flush()
            time.sleep(0.002)
"""


async def test_a_file_that_another_process_writes_to_while_it_is_read_is_known_whole_in_the_end(
    tmp_path: Path,
) -> None:
    said = [f"The tide of day {place} is {'grey ' * 40}." for place in range(150)]
    path = tmp_path / "s-1.jsonl"
    async with palimpsest.open(":memory:") as engine:
        follower = Follower(engine, [tmp_path], say=Notes())
        async with connected(engine, follower) as client:
            writer = await asyncio.create_subprocess_exec(
                sys.executable, "-c", GROWS, str(path), stdin=asyncio.subprocess.PIPE
            )
            writing = asyncio.create_task(writer.communicate(claude_lines("s-1", *said).encode()))
            for _ in range(20):
                await client.call_tool("grep", {"pattern": "tide"})
                await asyncio.sleep(0.02)
            await writing
            last = text_of(await client.call_tool("grep", {"pattern": "tide"}))
        assert "of 150 hits" in last
        assert [one.text for one in (await whole(engine))] == said
        await follower.close()


def test_what_changed_is_read_again_the_newest_last() -> None:
    seen = {"a": Seen(Stamp(1, 1)), "b": Seen(Stamp(1, 2), related=("r",)), "r": Seen(Stamp(5, 5))}
    found = {"a": Stamp(1, 1), "b": Stamp(1, 2), "r": Stamp(6, 9), "new": Stamp(3, 4)}
    assert list(to_read(found, seen)) == ["new", "b"]
    assert to_read({"a": Stamp(1, 1)}, seen) == {}


def test_a_file_whose_conversation_is_gone_counts_as_unread() -> None:
    seen = {
        "a": Seen(Stamp(1, 1), ("x",)),
        "b": Seen(Stamp(1, 1), ("x", "y")),
        "c": Seen(Stamp(1, 1), reason="no"),
    }
    assert set(still_stored(seen, {"x"})) == {"a", "c"}


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"version": 99, "files": {}}', b'{"version": 1, "files": 3}']
)
def test_a_state_that_cannot_be_read_is_as_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(data)
    assert load(path) == {}


def test_a_state_is_kept_whole_and_a_place_that_cannot_be_written_harms_nothing(tmp_path: Path) -> None:
    seen = {"/a/東.jsonl": Seen(Stamp(1, 2), ("x",), ("r",), "why")}
    save(tmp_path / "s.json", seen)
    assert load(tmp_path / "s.json") == seen
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]
    save(tmp_path / "none" / "s.json", seen)
    assert not (tmp_path / "none").exists()
