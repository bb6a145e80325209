"""What was read of a growing file is kept within a bound, and the heads of its history are those of the whole."""

from __future__ import annotations

from pathlib import Path

from palimpsest.engine.transcript_files import Candidate, IncrementalReader, Opened, open_transcript
from palimpsest.record.chain import heads
from tests.cli.run import claude_lines
from tests.mcp.kit import write

SAID = [f"The tide at {place}." for place in range(9)]


def opened(rereading: IncrementalReader, path: Path) -> Opened:
    """A file as it is now."""
    found = rereading.open(Candidate(path, named=True))
    assert isinstance(found, Opened)
    return found


def test_a_grown_file_gives_the_same_as_one_that_is_read_for_the_first_time(tmp_path: Path) -> None:
    rereading = IncrementalReader()
    for count in range(1, len(SAID)):
        path = write(tmp_path, "s-1", *SAID[:count])
        found = opened(rereading, path)
        assert found == open_transcript(Candidate(path, named=True), None)
        assert rereading.heads(found.path, found.reading.transcripts[0]) == heads(
            found.reading.transcripts[0].paths[-1]
        )


def test_messages_that_were_read_before_are_the_same_objects(tmp_path: Path) -> None:
    rereading = IncrementalReader()
    before = opened(rereading, write(tmp_path, "s-1", *SAID[:6])).reading.transcripts[0].paths[-1]
    after = opened(rereading, write(tmp_path, "s-1", *SAID)).reading.transcripts[0].paths[-1]
    assert [one is other for one, other in zip(before, after, strict=False)] == [True] * 5 + [False]


def test_a_file_that_was_rewritten_is_read_whole(tmp_path: Path) -> None:
    rereading = IncrementalReader()
    first = opened(rereading, write(tmp_path, "s-1", *SAID))
    rereading.heads(first.path, first.reading.transcripts[0])
    found = opened(rereading, write(tmp_path, "s-1", "Another tide.", *SAID[1:]))
    history = found.reading.transcripts[0].paths[-1]
    assert history[0].text == "Another tide."
    assert rereading.heads(found.path, found.reading.transcripts[0]) == heads(history)


def test_only_the_files_that_were_read_last_are_kept_and_the_others_are_read_whole(tmp_path: Path) -> None:
    size = len(claude_lines("s-0", *SAID))
    rereading = IncrementalReader(max_bytes=2 * size + 10)
    paths = [write(tmp_path, f"s-{place}", *SAID) for place in range(3)]
    before = [opened(rereading, path).reading.transcripts[0].paths[-1][0] for path in paths]
    after = [opened(rereading, path).reading.transcripts[0].paths[-1][0] for path in reversed(paths)]
    assert [one is other for one, other in zip(before, reversed(after), strict=True)] == [False, True, True]
