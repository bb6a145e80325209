"""Several processes and one session file, some of them killed at any moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.agent.session_log import SessionLog, load_context, open_workspace
from tests.house.tree import ROOT


def start(workspace: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.agent.follower", str(workspace), name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def killed_after(process: subprocess.Popen[str], lines: int) -> None:
    """Let a process do so much, and then kill it wherever it is."""
    assert process.stdout is not None
    for _ in range(lines):
        process.stdout.readline()
    process.kill()
    process.communicate(timeout=60)


@pytest.mark.slow
async def test_processes_that_are_killed_lose_nothing_and_write_nothing_twice(tmp_path: Path) -> None:
    async with open_workspace(tmp_path):
        pass
    for lines in (3, 7):
        both = [start(tmp_path, f"{name}{lines}", 200) for name in ("ann", "ben")]
        for process in both:
            killed_after(process, lines)
    async with open_workspace(tmp_path) as engine:
        talk = engine.conversation("t")
        done = await SessionLog(tmp_path).follow(talk)
        stored = [one.message for one in await talk.messages(limit=10_000)]
    assert len(stored) >= 20
    assert list(load_context(done.path)[1]) == stored
    assert done.path.read_bytes().count(b'"role":"user"') == len(stored)
