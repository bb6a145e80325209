"""`palimpsest import`: what is new comes in, what is not is said, nothing comes in twice."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest import samples
from tests.cli.run import Ran, Shell, claude_lines
from tests.formats.agents import OPENCODE, cursor, database
from tests.formats.test_transcripts_databases import opencode_rows


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_transcript_is_imported_with_its_counts(shell: Shell) -> None:
    done = shell.json("import", samples.path())
    main, agent = done["conversations"]
    assert done["schema"] == "palimpsest.import/1"
    assert done["skipped_files"] == []
    assert (main["messages"], main["added"], main["format"], main["skipped"]) == (420, 420, "claude_code", [])
    assert main["tool_calls"] >= main["tool_results"] > 100
    assert agent["id"].startswith(main["id"])


def test_importing_again_adds_nothing_and_a_grown_file_only_what_is_new(shell: Shell, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", claude_lines("s-1", "one", "two"))
    first = shell.json("import", path)["conversations"][0]
    again = shell.json("import", path)["conversations"][0]
    write(path, claude_lines("s-1", "one", "two", "three", "four"))
    grown = shell.json("import", path)["conversations"][0]
    assert [(one["messages"], one["added"]) for one in (first, again, grown)] == [(2, 2), (2, 0), (4, 2)]


def test_a_folder_is_imported_and_other_files_are_named(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", claude_lines("s-1", "one", "two"))
    write(tmp_path / "b.jsonl", "no transcript\n")
    write(tmp_path / "notes.txt", "words")
    done = shell.json("import", tmp_path)
    assert [one["id"] for one in done["conversations"]] == ["s-1"]
    assert [Path(one["path"]).name for one in done["skipped_files"]] == ["b.jsonl", "notes.txt"]
    assert all(one["reason"] for one in done["skipped_files"])


def test_broken_lines_are_reported_by_number_and_the_rest_is_kept(shell: Shell, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", claude_lines("s-1", "one", "two") + '{"type": "user", "mess\n')
    one = shell.json("import", path)["conversations"][0]
    assert one["messages"] == 2
    assert [skipped["line"] for skipped in one["skipped"]] == [3]
    assert one["skipped_lines"] == 1
    said = shell("import", path).out
    assert f"{path} line 3: " in said


def test_records_without_a_message_are_counted_by_kind(shell: Shell, tmp_path: Path) -> None:
    odd = '{"type": "attachment", "attachment": {"type": "auto_mode"}}\n{"type": "new"}\n{"type": "new"}\n'
    path = write(tmp_path / "a.jsonl", claude_lines("s-1", "one", "two") + odd)
    done = shell.json("import", path)["conversations"][0]
    assert done["left_out"] == {"attachment/auto_mode": 1, "new": 2}
    assert (
        "left out 3 records without a message: new (2), attachment/auto_mode (1)" in shell("import", path).out
    )
    write(path, '{"type": "summary", "leafUuid": "1", "sessionId": "s"}\n')
    assert "left out: summary (1)" in shell("import", path).err


def test_a_named_file_that_is_no_transcript_is_an_error_and_the_store_stays_as_it_was(
    shell: Shell, tmp_path: Path
) -> None:
    shell.json("import", write(tmp_path / "a.jsonl", claude_lines("s-1", "one", "two")))
    ran = shell("import", write(tmp_path / "b.json", "[]"), "--json")
    assert ran.code == 2
    assert ran.json["error"]["kind"] == "format"
    assert shell.json("stats")["messages"] == 2


def test_an_unknown_format_names_the_known_ones(shell: Shell, tmp_path: Path) -> None:
    ran = shell("import", write(tmp_path / "a.jsonl", "{}"), "--format", "word", "--json")
    assert ran.code == 2
    assert "claude_code" in ran.json["error"]["hint"]


def test_owners_do_not_see_each_other(shell: Shell, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", claude_lines("s-1", "secret-4711", "two"))
    shell.json("import", path, "--owner", "ann")
    assert shell.json("list")["conversations"] == []
    assert shell("grep", "secret", "--json").json["total"] == 0
    assert shell.json("grep", "secret", "--owner", "ann")["total"] == 1


def test_a_person_reads_a_row_for_each_conversation_and_the_total(shell: Shell, tmp_path: Path) -> None:
    ran = shell("import", write(tmp_path / "a.jsonl", claude_lines("s-1", "one", "two")))
    heading, row, *rest = ran.out.splitlines()
    assert heading.split() == ["conversation", "format", "messages", "new", "calls", "results", "skipped"]
    assert row.split() == ["s-1", "claude_code", "2", "2", "0", "0"]
    assert rest == ["", "1 conversation, 2 new messages"]
    assert ran.err == ""


def test_a_conversation_whose_name_cannot_be_used_stops_no_other(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(claude_lines("first", "Is the pier open?"))
    (tmp_path / "b.jsonl").write_text(claude_lines("bell\x07", "Is the bell rung?"))
    (tmp_path / "c.jsonl").write_text(claude_lines("third", "Is the gate shut?"))
    done = shell.json("import", tmp_path)
    assert [one["id"] for one in done["conversations"]] == ["first", "third"]
    assert [Path(one["path"]).name for one in done["skipped_files"]] == ["b.jsonl"]


def test_a_conversation_in_two_files_is_counted_once(shell: Shell, tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(claude_lines("same", "Is the pier open?"))
    assert "1 conversation, 1 new message\n" in shell("import", tmp_path).out


def piped(shell: Shell, data: bytes, *words: str | Path) -> Ran:
    """What `import -` gives in a process of its own, with this in standard input."""
    line = [sys.executable, "-m", "palimpsest", "import", "-", *words, "--db", shell.db]
    done = subprocess.run(line, input=data, capture_output=True, check=False, timeout=60)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_a_dash_is_the_transcript_in_standard_input(shell: Shell, tmp_path: Path) -> None:
    beside = write(tmp_path / "b.jsonl", claude_lines("s-2", "three"))
    done = piped(shell, claude_lines("s-1", "one", "two").encode(), beside, "--json").json["conversations"]
    assert [(one["path"], one["id"], one["added"]) for one in done] == [
        ("standard input", "s-1", 2),
        (str(beside), "s-2", 1),
    ]
    path = write(tmp_path / "a.jsonl", claude_lines("s-1", "one", "two", "three"))
    assert shell.json("import", path)["conversations"][0]["added"] == 1


def test_what_is_no_transcript_in_standard_input_is_told(shell: Shell, tmp_path: Path) -> None:
    for data, said in ((b"", "is empty"), (b"words\n", "holds no JSON")):
        assert f"standard input: not a transcript: the file {said}" in piped(shell, data).err
    shell.json("import", write(tmp_path / "a.jsonl", claude_lines("s-1", "one")))
    everything = tmp_path / "all.jsonl"
    assert shell("export", "--all", everything).code == 0
    ran = piped(shell, everything.read_bytes())
    assert ran.code == 2
    assert "standard input is an export of everything" in ran.err


@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
def test_what_is_no_regular_file_is_refused_at_once_and_never_opened(
    shell: Shell, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "a.jsonl"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    ran = shell("import", path)
    assert ran.code == 2
    assert f"not a regular file but a {kind}" in ran.err
    write(folder / "b.jsonl", claude_lines("s-1", "one"))
    done = shell.json("import", folder)
    assert [one["id"] for one in done["conversations"]] == ["s-1"]
    assert [one["reason"] for one in done["skipped_files"]] == ["not a regular file"]


def test_a_database_in_a_folder_gives_its_sessions_and_what_was_left_out(
    shell: Shell, tmp_path: Path
) -> None:
    folder = tmp_path / "opencode"
    folder.mkdir()
    data, log = database(OPENCODE, opencode_rows(), log=True)
    (folder / "opencode.db").write_bytes(data)
    (folder / "opencode.db-wal").write_bytes(log)
    (folder / "opencode.db-shm").write_bytes(b"")
    done = shell.json("import", folder)
    assert [one["id"] for one in done["conversations"]] == ["s1", "s2"]
    assert done["conversations"][0]["left_out"]["part/patch"] == 1
    assert [Path(one["path"]).name for one in done["skipped_files"]] == ["opencode.db-shm"]
    again = shell.json("import", folder / "opencode.db")
    assert [one["added"] for one in again["conversations"]] == [0, 0]
    assert shell.json("grep", "shown-interrupted")["total"] == 1


def test_snapshots_in_a_bare_repository_are_not_searched(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for name in ("snapshot/HEAD", "snapshot/refs/x.jsonl", "snapshot/objects/y.jsonl"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name, "x")
    write(folder / "a.jsonl", claude_lines("s-1", "one"))
    assert shell.json("import", folder)["skipped_files"] == []


def test_a_conversation_without_times_is_listed_at_the_time_of_its_file(shell: Shell, tmp_path: Path) -> None:
    lines = cursor().splitlines(keepends=True)
    for at, name in enumerate(("old", "new")):
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(lines[0].replace(b"ask", name.encode()) + lines[1])
        os.utime(path, (1_700_000_000, 1_700_000_000 + at * 86_400))
    first = shell.json("import", tmp_path / "new.jsonl", tmp_path / "old.jsonl")["conversations"]
    listed = shell.json("list")["conversations"]
    assert [one["id"].partition("-")[0] for one in listed] == ["new", "old"]
    os.utime(tmp_path / "old.jsonl", (1_700_000_000, 1_600_000_000))
    again = shell.json("import", tmp_path)["conversations"]
    assert [one["added"] for one in again] == [0, 0]
    assert {one["id"] for one in again} == {one["id"] for one in first}
    assert [one["id"] for one in shell.json("list")["conversations"]] == [one["id"] for one in listed]
