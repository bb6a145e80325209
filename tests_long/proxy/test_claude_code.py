"""The real Claude Code program through the proxy as a process: long sessions, subagents, and its own compaction."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import palimpsest
from palimpsest.record.message import ToolCall
from tests.wire.replies import Say
from tests.wire.strict.refusal import Fields
from tests.wire.strict.server import StrictServer
from tests_long.wire.test_claude_code import BOUND, Reader, program, run, write_parts

pytestmark = pytest.mark.skipif(
    program() is None, reason="the Claude Code program is missing: pip install claude-agent-sdk==0.2.189"
)
MODEL = "claude-opus-5-5"
FACT = "The lamp of the north pier is a Kestrel-88."
CALLS, WINDOW = 200, 60_000
SUMMARY = "\n".join(
    f"Part {number} of the log was read, and nothing unusual stood in it." for number in range(9)
)


@contextmanager
def proxied(upstream: StrictServer, db: Path, *more: str, window: int = WINDOW) -> Generator[Any]:
    """The proxy as a process; its address is `url`, as that of a server."""
    command = ["-m", "palimpsest", "proxy", "--port", "0", "--db", str(db), "--window", str(window)]
    command += ["--set", "max_tokens=2000", "--anthropic-url", upstream.anthropic_url, *more]
    with subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        try:
            yield SimpleNamespace(url=line.split()[-1])
        finally:
            process.terminate()
            said = process.stderr.read()
    assert (line[:8], said, process.returncode) == ("serving ", "", 0)


def stored(db: Path) -> dict[str, tuple[list[Any], list[Any]]]:
    """The conversations with their messages and compactions."""

    async def read() -> dict[str, tuple[list[Any], list[Any]]]:
        found: dict[str, tuple[list[Any], list[Any]]] = {}
        async with palimpsest.open(db) as engine:
            for one in await engine.conversations():
                talk = engine.conversation(one.id)
                left = await engine.store.left_behind("me", one.id)
                assert not any(each.message.calls or each.message.results for each in left)
                found[one.id] = (
                    [each.message for each in await talk.messages(1, 9_999)],
                    await talk.compactions(),
                )
                assert found[one.id][0]
        return found

    return asyncio.run(read())


@pytest.fixture(name="folder")
def folder_of_parts(tmp_path: Path) -> Path:
    """A folder with the parts to read."""
    folder = tmp_path / "log"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("inject", [False, True], ids=["", "with tools"])
def test_many_calls_are_accepted_and_compacted(folder: Path, tmp_path: Path, inject: bool) -> None:
    write_parts(folder, CALLS, lines=30)
    db = tmp_path / "a.db"
    with StrictServer(Reader(folder, CALLS)) as server:
        with proxied(server, db, *(["--inject-tools"] if inject else [])) as proxy:
            result = run(proxy, folder, MODEL, prompt=f"Read all parts of the harbour log. {FACT}")
        assert result["result"] == f"All {CALLS} parts are read."
        assert server.errors == []
        newest = json.dumps(server.main()[-1].body)
    (found,) = stored(db).values()
    assert len(found[1]) >= 3
    assert sum(len(one.results) for one in found[0]) == CALLS
    assert FACT in newest or any(FACT in one.text for one in found[0])
    assert ("short_search" in newest) == inject


class WithSubagent(Reader):
    """The model starts a subagent first, which reads some parts, and then reads on itself."""

    def __init__(self, folder: Path, calls: int) -> None:
        super().__init__(folder, calls)
        self.sub = Reader(folder, 6)
        self.started = 0

    def __call__(self, n: int, body: Fields) -> Say:
        messages: Any = body["messages"]
        if "SUBTASK" in json.dumps(messages[0]):
            return self.sub(n, body)
        if not self.started:
            self.started = 1
            names = [str(one.get("name")) for one in body["tools"]]  # type: ignore[attr-defined]
            name = next(one for one in ("Task", "Agent") if one in names)
            arguments = {
                "description": "Read six parts",
                "prompt": "SUBTASK: read six parts.",
                "subagent_type": "general-purpose",
            }
            return Say("", (ToolCall("toolu_task", name, json.dumps(arguments)),), "A subagent reads.")
        return super().__call__(n, body)


def test_a_subagent_is_a_conversation_of_its_own(folder: Path, tmp_path: Path) -> None:
    write_parts(folder, 12)
    db = tmp_path / "a.db"
    with StrictServer(WithSubagent(folder, 12)) as server, proxied(server, db) as proxy:
        result = run(proxy, folder, MODEL, "--allowedTools", "Task", "Agent")
        assert result["result"] == "All 12 parts are read."
        assert server.errors == []
    found = stored(db)
    assert sorted(len([1 for one in messages if one.results]) for messages, _ in found.values()) == [6, 13]


class Summing(Reader):
    """The reader, whose summary has long lines."""

    def __call__(self, n: int, body: Fields) -> Say:
        said = super().__call__(n, body)
        return Say(f"<summary>\n{SUMMARY}\n</summary>") if "<summary>" in said.text else said


def test_its_own_compaction_is_followed(folder: Path, tmp_path: Path) -> None:
    write_parts(folder, 20)
    reader = Summing(folder, 10)
    db = tmp_path / "a.db"
    with StrictServer(reader) as server, proxied(server, db) as proxy:
        run(proxy, folder, MODEL)
        run(proxy, folder, MODEL, "--continue", prompt="/compact")
        reader.calls, reader.read = 20, 10
        result = run(proxy, folder, MODEL, "--continue", prompt="Read the rest.")
        assert result["result"] == "All 20 parts are read."
        assert reader.summaries == 1
        assert all(BOUND in error for error in server.errors)
    (found,) = stored(db).values()
    assert sum(len(one.results) for one in found[0]) == 20
    assert any("the client's own compaction" in one.reason for one in found[1])
