"""Every file is written whole or not at all, and what is no file is never replaced by one."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest

from palimpsest import file_writing
from palimpsest.errors import UsageError
from palimpsest.file_writing import PRIVATE, file_behind, would_replace, write, writing
from tests.nodes import NULL, made_node, read_by_another

LOOP = os.makedev(7, 250)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


@contextmanager
def masked(umask: int) -> Iterator[None]:
    before = os.umask(umask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_new_file_has_the_given_mode_less_the_umask(tmp_path: Path) -> None:
    with masked(0o027):
        write(tmp_path / "shared", b"one")
        write(tmp_path / "private", b"two", mode=PRIVATE)
    assert (tmp_path / "shared").read_bytes() == b"one"
    assert (mode_of(tmp_path / "shared"), mode_of(tmp_path / "private")) == (0o640, 0o600)
    assert names(tmp_path) == ["private", "shared"]


@pytest.mark.parametrize("mode", [0o644, 0o400, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    before = path.stat().st_ino
    write(path, b"new", mode=PRIVATE)
    assert (path.read_bytes(), mode_of(path)) == (b"new", mode)
    assert path.stat().st_ino != before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_is_replaced_keeps_its_owner_and_group(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    write(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_nobody_sees_half_a_file_and_an_error_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail_halfway() -> None:
        with writing(path) as file:
            file.write(b"half")
            file.flush()
            assert path.read_bytes() == b"old"
            assert Path(file.name).read_bytes() == b"half"
            assert Path(file.name).parent == tmp_path
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["a"])


def test_what_was_written_is_on_the_disk_before_it_has_its_name(tmp_path: Path) -> None:
    synced: list[list[str]] = []

    def watch(frame: object, event: str, called: object) -> None:
        if event == "c_call" and called is os.fsync:
            synced.append(names(tmp_path))

    sys.setprofile(watch)
    try:
        write(tmp_path / "a", b"new")
    finally:
        sys.setprofile(None)
    (part,), named = synced
    assert (part.endswith(".part"), named) == (True, ["a"])


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "behind").mkdir()
    target = tmp_path / "behind" / "file"
    for place, to in (("one", "behind/file"), ("two", "one")):
        (tmp_path / place).symlink_to(to)
    for data in (b"new", b"newer"):
        write(tmp_path / "two", data)
        assert target.read_bytes() == data
    assert file_behind(tmp_path / "two") == target
    assert names(tmp_path) == ["behind", "one", "two"]
    assert (tmp_path / "two").readlink() == Path("one")


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(OSError, match="symbolic links"):
        write(tmp_path / "one", b"x")


def test_a_file_that_is_there_stays_where_none_may_be_replaced(tmp_path: Path) -> None:
    write(tmp_path / "a", b"first", replace=False)
    with pytest.raises(FileExistsError):
        write(tmp_path / "a", b"second", replace=False)
    assert ((tmp_path / "a").read_bytes(), names(tmp_path)) == (b"first", ["a"])


def test_a_fifo_is_written_through_and_stays_one(fifo: Path) -> None:
    with read_by_another(fifo) as found:
        write(fifo, b"a line\n" * 50_000, stream=True)
    assert found == [b"a line\n" * 50_000]
    assert fifo.is_fifo()
    assert (file_behind(fifo, stream=True), would_replace(fifo)) == (None, False)


def test_a_fifo_without_a_reader_is_given_up(fifo: Path) -> None:
    with pytest.raises(OSError, match="nobody reads from it"):
        write(fifo, b"x", stream=True, reader_timeout_s=0.2)
    assert fifo.is_fifo()


def test_what_needs_a_file_refuses_a_fifo(fifo: Path) -> None:
    with pytest.raises(UsageError, match="a file is needed") as refused:
        write(fifo, b"x")
    assert refused.value.hint == "name a file"
    assert fifo.is_fifo()


def test_a_device_is_written_through_and_stays_one(tmp_path: Path) -> None:
    path = made_node(tmp_path / "null", stat.S_IFCHR, NULL)
    (tmp_path / "link").symlink_to("null")
    mode = mode_of(path)
    for place in (path, tmp_path / "link"):
        write(place, b"gone", stream=True)
        with pytest.raises(UsageError, match="a file is needed"):
            write(place, b"gone")
        assert (path.is_char_device(), path.stat().st_rdev) == (True, NULL)
    assert mode_of(path) == mode
    assert names(tmp_path) == ["link", "null"]


def test_a_block_device_is_refused(tmp_path: Path) -> None:
    path = made_node(tmp_path / "disk", stat.S_IFBLK, LOOP)
    with pytest.raises(UsageError, match="neither a file nor a pipe"):
        write(path, b"x", stream=True)
    assert path.is_block_device()


def test_a_socket_is_refused(tmp_path: Path) -> None:
    with chdir(tmp_path), socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(UsageError, match="neither a file nor a pipe"):
            write(tmp_path / "s", b"x", stream=True)
    assert (tmp_path / "s").is_socket()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        write(tmp_path, b"x", stream=True)
    assert not would_replace(tmp_path)


STREAMED = """
import os, sys
from pathlib import Path
from palimpsest.file_writing import would_replace, write
print("before", flush=True)
assert not would_replace(Path(sys.argv[1]))
write(Path(sys.argv[1]), b"through\\n", stream=True)
print("after")
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1"])
def test_standard_output_is_added_to_wherever_it_goes(tmp_path: Path, name: str) -> None:
    command = [sys.executable, "-c", STREAMED, name]
    piped = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert piped.stdout == b"before\nthrough\nafter\n"
    out = tmp_path / "out"
    with out.open("wb") as file:
        file.write(b"there already\n")
        file.flush()
        subprocess.run(command, stdout=file, check=True, timeout=60)
    assert out.read_bytes() == b"there already\nbefore\nthrough\nafter\n"


def left_by(pid: int, path: Path, age_s: float) -> Path:
    """What a process would leave that is killed while it writes to a path."""
    with writing(path) as file:
        begins = Path(file.name).name.split(".")[1]
    left = path.with_name(f".{begins}.{pid}.0123abcd.part")
    left.write_bytes(b"half")
    written_s = time.time() - age_s
    os.utime(left, (written_s, written_s))
    return left


def gone_pid() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_what_a_killed_process_left_goes_and_what_others_write_stays(tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    old = file_writing.STALE_S + 60
    left = left_by(gone_pid(), path, old)
    journal = left.with_name(left.name + "-journal")
    left.rename(journal)
    left_by(gone_pid(), path, 0)
    stays = left_by(gone_pid(), other, old)
    with writing(path) as held:
        held.write(b"half")
        held.flush()
        written = Path(held.name)
        os.utime(written, (0, 0))
        journal.write_bytes(b"left")
        write(path, b"new")
        assert not journal.exists()
        assert sorted(tmp_path.iterdir()) == sorted([path, other, stays, written])
        assert (stays.read_bytes(), written.read_bytes()) == (b"half", b"half")


def test_a_name_as_long_as_a_name_may_be_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    write(path, b"x")
    assert path.read_bytes() == b"x"
