"""Sessions whose content is spread over several files: joined in any order, read from nowhere else, stored once."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import AsyncIterator, Iterable
from itertools import permutations
from pathlib import Path

import pytest

import palimpsest
from palimpsest.engine.engine import Engine
from palimpsest.engine.transcript_files import (
    Candidate,
    IncrementalReader,
    Opened,
    SkippedFile,
    open_transcript,
)
from palimpsest.errors import FormatError
from palimpsest.formats.transcripts.compressed import decompressed
from palimpsest.record.message import ToolResult
from tests.formats.written import Line, call, joined, result, said, text, user

OUTPUT = "row 1\n" * 900 + "row 4711 unpaid\n"


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with palimpsest.open(tmp_path / "talks.db") as opened:
        yield opened


def opened_at(path: Path) -> Opened:
    found = open_transcript(Candidate(path, named=True), None)
    assert isinstance(found, Opened), found
    return found


async def take_in(engine: Engine, path: Path) -> int:
    """Import a file; how many messages were new."""
    return sum([(await engine.import_transcript(one)).added for one in opened_at(path).reading.transcripts])


def preview(name: str, folder: str = "/home/u/.claude/projects/p/s1/tool-results/") -> str:
    where = f"Output too large (44KB). Full output saved to: {folder}{name}"
    return f"<persisted-output>\n{where}\n\nPreview (first 2KB):\nrow 1\n...\n</persisted-output>"


def session(tmp_path: Path, *shown: str) -> Path:
    """A session in which each result is one of these texts."""
    lines: list[Line | str] = [user("u0", None, "Dump it.")]
    for number, words in enumerate(shown):
        lines.append(said(f"a{number}", str(lines[-1]["uuid"]), f"m{number}", call(f"c{number}")))  # pyright: ignore[reportArgumentType]
        lines.append(user(f"r{number}", f"a{number}", [result(f"c{number}", words)]))
    lines.append(said("z", f"r{len(shown) - 1}", "mz", text("Long.")))
    path = tmp_path / "s1.jsonl"
    path.write_bytes(joined(lines))
    return path


def written(tmp_path: Path, name: str, data: str = OUTPUT) -> Path:
    path = tmp_path / "s1" / "tool-results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data)
    return path


def results(found: Opened) -> list[ToolResult]:
    return [one for message in found.reading.transcripts[0].paths[-1] for one in message.results]


async def test_a_whole_output_is_stored_and_losing_its_file_changes_no_history(
    engine: Engine, tmp_path: Path
) -> None:
    path = session(tmp_path, preview("toolu_1.txt"), preview("toolu_1.txt"))
    file = written(tmp_path, "toolu_1.txt")
    assert [one.text for one in results(opened_at(path))] == [OUTPUT, OUTPUT]
    assert await take_in(engine, path) == 6
    assert (await engine.grep("4711")).total == 2
    file.unlink()
    assert await take_in(engine, path) == 0
    assert opened_at(path).reading.left_out["whole output/missing file"] == 2
    assert (await engine.grep("4711")).total == 2
    assert (await engine.verify()).sound


@pytest.mark.parametrize(
    "folder,name",
    [
        ("/p/s1/tool-results/../../", "secret.txt"),
        ("/p/other/tool-results/", "..%2fsecret.txt"),
        ("/p/s1/tool-results/../", "secret.txt"),
        ("", "/etc/hostname"),
        ("C:\\p\\s1\\tool-results\\", "..\\secret.txt"),
    ],
)
def test_a_preview_reads_no_file_outside_of_the_session_s_results(
    tmp_path: Path, folder: str, name: str
) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    (tmp_path / "s1").mkdir()
    (tmp_path / "s1" / "secret.txt").write_text("the secret")
    found = opened_at(session(tmp_path, preview(name, folder)))
    assert found.related == frozenset()
    assert "the secret" not in str(found.reading)


@pytest.mark.parametrize("linked", ["file", "folder", "session"])
def test_a_linked_output_is_not_read(tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside" / "tool-results"
    outside.mkdir(parents=True)
    (outside / "x.txt").write_text("the secret")
    place = tmp_path / "s1" / "tool-results" / "x.txt"
    links = {
        "file": (place, outside / "x.txt"),
        "folder": (place.parent, outside),
        "session": (place.parents[1], outside.parent),
    }
    at, to = links[linked]
    at.parent.mkdir(parents=True, exist_ok=True)
    at.symlink_to(to)
    found = opened_at(session(tmp_path, preview("x.txt")))
    assert "the secret" not in str(found.reading)
    assert found.reading.left_out["whole output/missing file"] == 1


def test_an_output_of_blocks_is_read_as_blocks_and_a_windows_path_is_one(tmp_path: Path) -> None:
    written(
        tmp_path,
        "x.json",
        json.dumps([{"type": "text", "text": "first"}, {"type": "text", "text": "second"}]),
    )
    (one,) = results(opened_at(session(tmp_path, preview("x.json", "C:\\p\\s1\\tool-results\\"))))
    assert one.text == "first\nsecond"
    assert one.shown.startswith("<persisted-output>")


def test_an_agent_s_outputs_lie_beside_its_folder(tmp_path: Path) -> None:
    written(tmp_path, "x.txt")
    path = session(tmp_path, preview("x.txt")).rename(tmp_path / "s1" / "agent-7.jsonl")
    (tmp_path / "s1" / "subagents").mkdir()
    path = path.rename(tmp_path / "s1" / "subagents" / "agent-7.jsonl")
    assert results(opened_at(path))[0].text == OUTPUT


def test_an_output_that_comes_later_is_read_with_the_growing_file(tmp_path: Path) -> None:
    path = session(tmp_path, preview("x.txt"))
    reader = IncrementalReader()
    first = reader.open(Candidate(path, named=True))
    written(tmp_path, "x.txt")
    second = reader.open(Candidate(path, named=True))
    assert isinstance(first, Opened)
    assert isinstance(second, Opened)
    assert (results(first)[0].shown, results(second)[0].text) == ("", OUTPUT)


THREAD, REVERT, AGAIN, FORK = (f"01a2bbbb-0000-7000-8000-00000000000{number}" for number in range(4))


def rollout(folder: Path, hour: int, name: str, head: Line, told: Iterable[tuple[int, str]]) -> Path:
    """A rollout whose messages have their ordinals in their times."""
    first: Line = {
        "ordinal": min((n for n, _ in told), default=1) - 1,
        "type": "session_meta",
        "payload": head,
    }
    lines: list[Line | str] = [first]
    for number, words in told:
        role, kind = ("user", "input_text") if number % 2 else ("assistant", "output_text")
        payload = {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}
        when = f"2026-10-02T{hour}:00:{number:02d}Z"
        lines.append({"timestamp": when, "ordinal": number, "type": "response_item", "payload": payload})
    path = folder / f"rollout-2026-10-02T{hour}-00-00-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(joined(lines))
    return path


def thread(tmp_path: Path) -> list[Path]:
    """A thread, its revert on another day, and a revert of that one; then a fork of the first."""
    days = [tmp_path / "sessions" / "2026" / "10" / day for day in ("02", "03", "04", "05")]

    def base(name: str, end: int) -> Line:
        return {"history_base": {"thread_id": name, "end_ordinal_exclusive": end, "end_byte_offset": 9}}

    return [
        rollout(days[0], 10, THREAD, {"id": THREAD}, [(1, "a1"), (2, "a2"), (3, "a3"), (4, "a4")]),
        rollout(days[1], 11, f"{THREAD}_{REVERT}", {"id": THREAD, **base(THREAD, 3)}, [(3, "b3"), (4, "b4")]),
        rollout(days[2], 12, f"{THREAD}_{AGAIN}", {"id": THREAD, **base(REVERT, 5)}, [(5, "c5"), (6, "c6")]),
        rollout(
            days[3],
            13,
            FORK,
            {"id": FORK, "forked_from_id": THREAD, **base(THREAD, 3)},
            [(3, "d3"), (4, "d4")],
        ),
    ]


@pytest.mark.parametrize("order", list(permutations(range(4))))
async def test_the_files_of_a_thread_are_one_conversation_in_any_order(
    engine: Engine, tmp_path: Path, order: tuple[int, ...]
) -> None:
    files = thread(tmp_path)
    for number in order:
        await take_in(engine, files[number])
    assert sorted(one.id for one in await engine.conversations()) == [THREAD, FORK]
    shown = [str(await engine.conversation(one).window()) for one in (THREAD, FORK)]
    words = [f"{letter}{n}" for letter in "abcd" for n in range(1, 7)]
    assert [[word for word in words if f"'{word}'" in one] for one in shown] == [
        ["a1", "a2", "b3", "b4", "c5", "c6"],
        ["a1", "a2", "d3", "d4"],
    ]
    assert (await engine.grep("a3")).total == 1
    assert sum([await take_in(engine, path) for path in files]) == 0


async def test_a_missing_beginning_is_reported(tmp_path: Path) -> None:
    files = thread(tmp_path)
    files[0].unlink()
    found = opened_at(files[1]).reading
    assert [one.reason for one in found.skipped] == [
        f"continues the session {THREAD}, whose file is not here"
    ]
    assert [message.text for message in found.transcripts[0].paths[-1]] == ["b3", "b4"]


def test_files_that_continue_each_other_in_a_ring_are_read_once(tmp_path: Path) -> None:
    for own, other in ((THREAD, REVERT), (REVERT, THREAD)):
        base = {"thread_id": other, "end_ordinal_exclusive": 9}
        path = rollout(tmp_path, 10, own, {"id": own, "history_base": base}, [(1, own), (2, "x")])
    found = opened_at(path).reading
    assert found.transcripts[0].paths[-1][-1].text == "x"
    assert "not here" in found.skipped[0].reason


def test_a_rollout_that_begins_with_a_compaction_has_what_it_stands_for(tmp_path: Path) -> None:
    path = rollout(tmp_path, 10, THREAD, {"id": THREAD}, [(1, "And now?"), (2, "Now this.")])
    head, *rest = path.read_bytes().splitlines(keepends=True)
    kept = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "The old wish."}]}]
    line: Line = {"type": "compacted", "payload": {"message": "They painted.", "replacement_history": kept}}
    path.write_bytes(head + joined([line]) + b"".join(rest))
    (one,) = opened_at(path).reading.transcripts
    assert [message.text for message in one.paths[0]] == [
        "The old wish.",
        "They painted.",
        "And now?",
        "Now this.",
    ]
    assert one.summaries == 1


@pytest.mark.skipif(importlib.util.find_spec("zstandard") is None, reason="the package zstandard is not here")
def test_a_compressed_rollout_is_read_and_a_bomb_is_refused(tmp_path: Path) -> None:
    import zstandard

    plain, later, *_ = thread(tmp_path)
    packed = plain.with_name(plain.name + ".zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(plain.read_bytes()))
    plain.unlink()
    found = open_transcript(Candidate(packed, named=False), None)
    assert isinstance(found, Opened)
    assert [message.text for message in found.reading.transcripts[0].paths[0]] == ["a1", "a2", "a3", "a4"]
    assert [message.text for message in opened_at(later).reading.transcripts[0].paths[-1]] == [
        "a1",
        "a2",
        "b3",
        "b4",
    ]
    bomb = zstandard.ZstdCompressor().compress(b"\0" * 5_000_000)
    assert decompressed(bomb, 1_000) is None
    packed.write_bytes(bomb[:4] + b"broken")
    broken = open_transcript(Candidate(packed, named=False), None)
    assert isinstance(broken, SkippedFile)
    assert "zstd" in broken.reason


def test_without_a_way_to_decompress_the_hint_says_what_to_install() -> None:
    with pytest.raises(FormatError, match="zstd") as caught:
        decompressed(b"\x28\xb5\x2f\xfd rest", 100, readers=("no_such_module",))
    assert "pip install zstandard" in (caught.value.hint or "")
