"""A lease of a process that has ended is taken over at once; any other is waited for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.stores.lease_holders import has_ended, make_holder
from palimpsest.stores.sqlite import SqliteStore
from tests.house.tree import ROOT

PRINT = "from palimpsest.stores.lease_holders import make_holder; print(make_holder(), flush=True); input()"
KNOWN = pytest.mark.skipif(
    not Path("/proc/self/ns/pid").exists(), reason="this system does not tell processes by /proc"
)


def started() -> tuple[subprocess.Popen[str], str]:
    """A process, and the name it gives itself."""
    process = subprocess.Popen(
        [sys.executable, "-c", PRINT], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


@KNOWN
async def test_the_lease_of_a_killed_process_is_taken_over_at_once(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    process, holder = started()
    assert await store.lease("leaves", holder, ttl_s=60, now_s=0)
    mine = make_holder()
    assert not await store.lease("leaves", mine, ttl_s=60, now_s=1)
    process.kill()
    with process:
        process.wait()
    assert has_ended(holder)
    assert await store.lease("leaves", mine, ttl_s=60, now_s=2)
    assert not await store.lease("leaves", make_holder(), ttl_s=60, now_s=3)
    await store.close()


@KNOWN
def test_a_later_process_of_the_same_number_is_another_one() -> None:
    token, machine, pid, began = make_holder().split(" ")
    assert has_ended(f"{token} {machine} {pid} {int(began) - 1}")
    assert not has_ended(f"{token} {machine} {pid} {began}")


@KNOWN
def test_a_killed_process_that_nobody_has_taken_note_of_has_ended() -> None:
    process, holder = started()
    assert not has_ended(holder)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert has_ended(holder)
    with process:
        process.wait()


@pytest.mark.parametrize(
    "holder", ["", "there", "a b c d", "a other/pid:[1] 1 1", "a b c", "\x00 \ud800 9 9"]
)
def test_of_a_holder_elsewhere_nothing_is_known(holder: str) -> None:
    assert not has_ended(holder)


def test_two_holders_of_one_process_are_two() -> None:
    assert make_holder() != make_holder()


@KNOWN
@pytest.mark.parametrize("pid", ["-1", "0x1", "9" * 30, "٣"])
def test_a_name_that_somebody_made_up_signals_nobody(pid: str) -> None:
    token, machine, _, began = make_holder().split(" ")
    assert not has_ended(f"{token} {machine} {pid} {began}")
