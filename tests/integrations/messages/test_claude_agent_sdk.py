"""Sessions of the real Claude Code in a database: without loss, resumed elsewhere, searched, told what was lost."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.wire.replies import Say
from tests.wire.strict.refusal import Fields
from tests.wire.strict.scripts import call_of, part_text
from tests.wire.strict.server import StrictServer

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("claude_agent_sdk") is None, reason="claude-agent-sdk is not installed"
    ),
    pytest.mark.slow,
]
MODEL = "claude-opus-5-5"
PARTS = 4
QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1",
}
"""Nothing is reported or updated, and what would leave this machine ends at a proxy that is not there."""


class Says:
    """What the model says: in each turn it reads some parts, then calls what `last` names, and says that it is done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.waiting: list[Say] = []

    def turn(self, parts: range, *calls: Say) -> None:
        reads = [
            call_of(number, "Read", {"file_path": str(self.folder / f"part-{number}.txt")})
            for number in parts
        ]
        self.waiting = [*(Say("", (one,)) for one in reads), *calls, Say("All is done.")]

    def __call__(self, n: int, body: Fields) -> Say:
        if "Respond with TEXT ONLY" in json.dumps(body["messages"]):
            return Say("<summary>Some parts of a log were read.</summary>")
        return self.waiting.pop(0) if self.waiting else Say("Nothing is left.")


@pytest.fixture(name="folder")
def folder_of_parts(tmp_path: Path) -> Path:
    folder = tmp_path / "log"
    folder.mkdir()
    for number in range(1, PARTS + 1):
        (folder / f"part-{number}.txt").write_text(part_text(number), encoding="utf-8")
    return folder


def options(server: StrictServer, folder: Path, home: str, **more: Any) -> Any:
    """Options for a run whose settings are in a home of its own."""
    from claude_agent_sdk import ClaudeAgentOptions

    place = folder.parent / home
    place.mkdir(exist_ok=True)
    env = {
        "HOME": str(place), "CLAUDE_CONFIG_DIR": str(place / "config"), "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "sk-ant-any", "PATH": os.environ["PATH"], **QUIET,
    }  # fmt: skip
    return ClaudeAgentOptions(model=MODEL, cwd=folder, env=env, allowed_tools=["Read"], **more)


async def ask(prompt: str, given: Any) -> Any:
    """The last message of a run."""
    from claude_agent_sdk import query

    return [message async for message in query(prompt=prompt, options=given)][-1]


async def test_the_store_keeps_the_contract_of_the_sdk() -> None:
    from claude_agent_sdk.testing import run_session_store_conformance

    from palimpsest.integrations.claude_agent_sdk import PalimpsestSessions

    made: list[PalimpsestSessions] = []

    def store() -> Any:
        made.append(PalimpsestSessions(":memory:"))
        return made[-1].store("ann")

    await run_session_store_conformance(store)
    assert len(made) > 13
    for one in made:
        await asyncio.to_thread(one.close)


async def test_a_session_is_kept_searched_and_resumed_where_its_files_are_not(
    folder: Path, tmp_path: Path
) -> None:
    from claude_agent_sdk import project_key_for_directory

    from palimpsest.integrations.claude_agent_sdk import PalimpsestSessions

    says = Says(folder)
    memory = PalimpsestSessions(tmp_path / "agent.db")
    with StrictServer(says) as server:
        says.turn(range(1, PARTS + 1))
        first = await ask(
            "My berth is quillon7731. Read the parts.",
            memory.options(options(server, folder, "here"), owner="ann"),
        )
        assert first.result == "All is done."
        says.turn(range(0), Say("", (call_of(9, "mcp__palimpsest__short_grep", {"pattern": "quillon7731"}),)))
        resumed = memory.options(options(server, folder, "elsewhere", resume=first.session_id), owner="ann")
        second = await ask("Go on.", resumed)
        assert second.result == "All is done."
        assert server.errors == []
        shown = json.dumps(server.main()[-1].body["messages"])
        assert all(f"Part {number} of the harbour log." in shown for number in range(1, PARTS + 1))
        assert "[recalled: 1 of 1" in shown
    store = memory.store("ann")
    (file,) = (tmp_path / "here").rglob(f"{first.session_id}.jsonl")
    key: Any = {"project_key": project_key_for_directory(folder), "session_id": first.session_id}
    lines = await store.load(key)
    written = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    said = [one for one in written if one["type"] in {"user", "assistant"}]
    assert len(said) > 2 * PARTS
    assert [one for one in said if one not in lines] == []
    assert first.session_id in {one["session_id"] for one in await store.list_sessions(key["project_key"])}
    stranger = memory.store("bob")
    assert await stranger.load(key) is None
    assert await stranger.list_sessions(key["project_key"]) == []
    await store.delete(key)
    assert await store.load(key) is None
    await asyncio.to_thread(memory.close)


async def test_a_compacted_session_is_told_once_what_its_summary_may_have_lost(
    folder: Path, tmp_path: Path
) -> None:
    from palimpsest.integrations.claude_agent_sdk import PalimpsestSessions

    says = Says(folder)
    memory = PalimpsestSessions(tmp_path / "agent.db", owner="ann")
    with StrictServer(says) as server:
        says.turn(range(1, 3))
        first = await ask(
            "My berth is quillon7731. Read two.", memory.options(options(server, folder, "here"))
        )
        run = memory.options(options(server, folder, "here", resume=first.session_id))
        from claude_agent_sdk import ClaudeSDKClient

        async with ClaudeSDKClient(run) as client:
            for prompt, parts in (
                ("/compact", range(0)),
                ("Read the third.", range(3, 4)),
                ("And the fourth.", range(4, 5)),
            ):
                says.turn(parts)
                await client.query(prompt)
                _ = [message async for message in client.receive_response()]
        assert server.errors == []
        shown = json.dumps(server.main()[-1].body["messages"])
        assert "Part 4 of the harbour log." in shown
        assert "Some parts of a log were read." in shown
        assert shown.count("Kept of this session from before its compaction") == 1
        assert "quillon7731" in shown
    await asyncio.to_thread(memory.close)


async def test_options_with_another_store_are_refused(tmp_path: Path) -> None:
    from claude_agent_sdk import ClaudeAgentOptions, InMemorySessionStore

    from palimpsest.errors import UsageError
    from palimpsest.integrations.claude_agent_sdk import PalimpsestSessions

    memory = PalimpsestSessions(tmp_path / "agent.db")
    with pytest.raises(UsageError, match="have a session store"):
        memory.options(ClaudeAgentOptions(session_store=InMemorySessionStore()))
