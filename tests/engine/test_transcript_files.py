"""Files are found, read with what belongs to them, or named with the reason why not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from palimpsest.engine.transcript_files import (
    Candidate,
    Opened,
    SkippedFile,
    candidates,
    open_transcript,
    read_bounded,
)
from palimpsest.errors import NotFound, UsageError
from palimpsest.limits import MAX_TRANSCRIPT_BYTES
from tests.cli.run import claude_lines


def test_a_folder_gives_every_file_beneath_it_once_and_in_order(tmp_path: Path) -> None:
    for name in ("b/two.jsonl", "a.jsonl", "b/one.txt", ".git/config", "node_modules/x.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = candidates([str(tmp_path), str(tmp_path / "a.jsonl")])
    assert [str(one.path.relative_to(tmp_path)) for one in found] == ["a.jsonl", "b/one.txt", "b/two.jsonl"]


def test_a_missing_path_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nowhere\.jsonl"):
        candidates([str(tmp_path / "nowhere.jsonl")])


def test_a_link_that_leads_round_in_a_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "round").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "inner" / "a.jsonl").write_text("")
    assert [one.path.name for one in candidates([str(tmp_path)])] == ["a.jsonl"]


def test_a_transcript_is_read_whatever_its_name_is_when_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "session.backup"
    path.write_text(claude_lines("s-1", "hello", "hi"))
    opened = open_transcript(Candidate(path, named=True), None)
    assert isinstance(opened, Opened)
    assert (opened.format, len(opened.reading.transcripts[0].paths[-1])) == ("claude_code", 2)
    assert open_transcript(Candidate(path, named=False), None) == SkippedFile(
        str(path), "not a .json or .jsonl file"
    )


@pytest.mark.parametrize(
    "data", [b"", b"plain words\n", b'{"a": 1', b"\xff\xfe\x00", b"\x00" * 2_000, b"[1, 2]"]
)
def test_what_is_no_transcript_is_skipped_with_a_reason(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    skipped = open_transcript(Candidate(path, named=True), None)
    assert isinstance(skipped, SkippedFile)
    assert skipped.reason


def test_a_file_that_cannot_be_read_is_skipped_with_the_systems_reason(tmp_path: Path) -> None:
    assert open_transcript(Candidate(tmp_path / "gone.jsonl", named=True), None) == SkippedFile(
        str(tmp_path / "gone.jsonl"), "No such file or directory"
    )


def test_a_pipe_in_a_folder_is_named_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    opened = open_transcript(Candidate(pipe, named=False), None)
    assert opened == SkippedFile(str(pipe), "not a regular file")


def test_a_file_without_end_is_read_no_further_than_the_limit(tmp_path: Path) -> None:
    (tmp_path / "four").write_bytes(b"1234")
    assert read_bounded(tmp_path / "four", 4) == b"1234"
    assert read_bounded(tmp_path / "four", 3) is None
    assert read_bounded(Path("/dev/zero"), 1_000) is None


def test_a_transcript_beyond_the_limit_is_refused_unread_also_with_the_files_that_belong_to_it(
    tmp_path: Path,
) -> None:
    huge = tmp_path / "huge.jsonl"
    with huge.open("wb") as file:
        file.truncate(MAX_TRANSCRIPT_BYTES + 1)
    assert open_transcript(Candidate(huge, named=True), None) == SkippedFile(
        str(huge), "larger than 1,000 MB"
    )
    session = tmp_path / "storage" / "session" / "project" / "ses_1.json"
    part = tmp_path / "storage" / "message" / "ses_1" / "msg_1.json"
    for path in (session, part):
        path.parent.mkdir(parents=True)
    session.write_text('{"id": "ses_1", "projectID": "p", "directory": "/home/dev", "time": {"created": 1}}')
    with part.open("wb") as file:
        file.truncate(MAX_TRANSCRIPT_BYTES)
    opened = open_transcript(Candidate(session, named=True), None)
    assert opened == SkippedFile(str(session), "larger than 1,000 MB, with the files that belong to it")


def test_a_path_that_cannot_be_looked_at_is_said_to_be_so() -> None:
    with pytest.raises(NotFound, match="File name too long"):
        candidates(["x" * 300])


def test_an_empty_path_is_not_taken_for_this_folder() -> None:
    with pytest.raises(UsageError, match="a path is empty"):
        candidates([""])


def test_a_folder_that_cannot_be_listed_is_named_with_the_reason(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):  # together longer than any path the system takes
        os.mkdir("n" * 250, dir_fd=folder)
        inner = os.open("n" * 250, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    (too_deep,) = candidates([str(tmp_path)])
    assert open_transcript(too_deep, None) == SkippedFile(str(too_deep.path), "File name too long")
