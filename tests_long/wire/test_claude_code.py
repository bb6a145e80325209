"""The real Claude Code program against the strict server: what it sends is the measure of leniency.

The last tests put an engine between, which compacts.

What version 2.1.332 sends, seen from here:

- `POST /v1/messages?beta=true`, streamed, with the session in the header `x-claude-code-session-id`.
- The betas claude-code, interleaved-thinking, context-management, per-turn-control, mid-conversation-tool-changes,
  thinking-token-count, advanced-tool-use, effort and thinking-display-updates. `per-turn-control-2026-07-01` allows
  `output_config` in a system message. A refusal of the field makes the program leave out both.
- `thinking` is adaptive with `display: updates`, and `context_management` is `clear_thinking_20251015` with
  `keep: all`. `tools` has a deferred placeholder. Two cache marks are in the system prompt, one on the newest block.
- `system` begins with a line for the accounts (`x-anthropic-billing-header`). It changes with each request where the
  program takes the server for Anthropic's own, so it cannot be a part of the checked prefix.
- A system message follows the first user message (the environment and, as `output_config`, the effort), and others
  follow tool results: reminders, and tokens that are left. They stay, as blocks at first and as a string later on.
- For a model that takes no system messages, it tries one, and falls back to user text for the session.
- With claude-fable-5-1 it adds a reminder to the newest system message and takes it out of the next request. This
  breaks its own prefix. After the refusal it sends the request again without any thinking, and goes on.
- It compacts by itself: a request with all tools and a text-only instruction, then a user message with the summary in
  place of the messages. Turns that it keeps still have their thinking, which is refused once; then it drops all of it.
  Before that it asks `count_tokens` for single texts, with a model and messages alone.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from palimpsest.record.message import ToolCall
from tests.wire.replies import Say
from tests.wire.server import WireServer
from tests.wire.strict.refusal import Fields
from tests.wire.strict.scripts import part_text
from tests.wire.strict.server import StrictServer
from tests.wire.strict.through_engine import EngineProxy

CALLS = 48
TIMEOUT_S = 300
PROMPT = "Read all parts of the harbour log, one after the other."
TEXT_ONLY = "Respond with TEXT ONLY"
BOUND = "bound to a different conversation"
QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_BUG_COMMAND": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1",
}
"""Nothing is reported or updated, and what would leave this machine ends at a proxy that is not there."""
FIRST_PARTY = {"_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL": "1"}


def program() -> Path | None:
    """The program that the package brings, if it is installed."""
    found = importlib.util.find_spec("claude_agent_sdk")
    place = Path(found.origin).parent / "_bundled" / "claude" if found and found.origin else None
    return place if place is not None and place.exists() else None


pytestmark = pytest.mark.skipif(
    program() is None, reason="the Claude Code program is missing: pip install claude-agent-sdk==0.2.189"
)


class Reader:
    """What the model says: it reads one part after the other, by two tools in turn, and writes a summary if asked."""

    def __init__(self, folder: Path, calls: int) -> None:
        self.folder = folder
        self.calls = calls
        self.read = 0
        self.summaries = 0

    def __call__(self, n: int, body: Fields) -> Say:
        messages: Any = body["messages"]
        if TEXT_ONLY in json.dumps(messages[-2:]):
            self.summaries += 1
            return Say("<summary>The parts up to here were read.</summary>", thinking="I sum up.")
        self.read += 1
        if self.read > self.calls:
            return Say(f"All {self.calls} parts are read.", thinking="That was the last part.")
        name = f"part-{self.read}.txt"
        arguments: Fields = {"file_path": str(self.folder / name)}
        if self.read % 2 == 0:
            arguments = {"command": f"cat {name}", "description": f"Show {name}"}
        tool = "Read" if self.read % 2 else "Bash"
        call = ToolCall(f"toolu_{self.read:06d}", tool, json.dumps(arguments))
        return Say("", (call,), f"Part {self.read} comes next.")


def run(
    server: WireServer, folder: Path, model: str, *more: str, prompt: str = PROMPT, **changes: str
) -> Fields:
    """The result of one headless run in a folder; its home is beside the folder."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / "config"),
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "sk-ant-any",
        **QUIET,
        **changes,
    }
    command = [str(program()), "-p", prompt, "--model", model, "--output-format", "stream-json", "--verbose"]
    ended = subprocess.run(
        [*command, *more, "--allowedTools", "Read", "Bash"],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S,
        check=False,
    )  # fmt: skip
    lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert ended.returncode == 0, ended.stderr + ended.stdout[-2_000:]
    return lines[-1]


@pytest.fixture(name="folder")
def folder_of_parts(tmp_path: Path) -> Path:
    """A folder with the parts to read."""
    folder = tmp_path / "log"
    folder.mkdir()
    return folder


def write_parts(folder: Path, count: int, lines: int = 6) -> None:
    """The files that the model reads."""
    for number in range(1, count + 1):
        (folder / f"part-{number}.txt").write_text(part_text(number, lines))


@pytest.mark.parametrize(
    "model,first_party",
    [
        ("claude-opus-5-5", False),
        ("claude-sonnet-5-5", False),
        ("claude-haiku-5-5", False),
        ("claude-fable-5-2", False),
        ("claude-opus-5-5", True),
    ],
)
def test_many_calls_with_bound_thinking_are_accepted(folder: Path, model: str, first_party: bool) -> None:
    write_parts(folder, CALLS)
    with StrictServer(Reader(folder, CALLS)) as server:
        result = run(server, folder, model, **(FIRST_PARTY if first_party else {}))
        assert result["result"] == f"All {CALLS} parts are read."
        assert server.errors == []
        assert server.law_breaks() == []
        assert [one.thinking_shown for one in server.main()] == list(range(CALLS + 1))
        newest = json.dumps(server.main()[-1].body["messages"])
        assert all(f"Part {number} of the harbour log." in newest for number in range(1, CALLS + 1))


def test_a_session_that_is_taken_up_again_still_only_grows(folder: Path) -> None:
    write_parts(folder, 8)
    reader = Reader(folder, 4)
    with StrictServer(reader) as server:
        run(server, folder, "claude-opus-5-5")
        reader.calls, reader.read = 8, 4
        result = run(server, folder, "claude-opus-5-5", "--continue", prompt="Read the rest.")
        assert result["result"] == "All 8 parts are read."
        assert server.errors == []
        assert server.main()[-1].thinking_shown == 9
        assert server.law_breaks() == []


def test_a_model_without_system_messages_is_sent_none_after_a_refusal(folder: Path) -> None:
    write_parts(folder, 4)
    with StrictServer(Reader(folder, 4)) as server:
        assert run(server, folder, "claude-sonnet-5")["result"] == "All 4 parts are read."
        assert server.errors == ["messages.1: role 'system' is not supported on this model"]


def test_a_reminder_that_is_taken_back_costs_the_thinking_and_not_the_session(folder: Path) -> None:
    write_parts(folder, 6)
    with StrictServer(Reader(folder, 6)) as server:
        assert run(server, folder, "claude-fable-5-1")["result"] == "All 6 parts are read."
        assert server.errors
        assert all(BOUND in error for error in server.errors)


def test_its_own_compaction_costs_one_refusal_each_and_not_the_session(folder: Path) -> None:
    write_parts(folder, 40, lines=150)
    reader = Reader(folder, 40)
    with StrictServer(reader) as server:
        result = run(server, folder, "claude-opus-5-5", CLAUDE_CODE_AUTO_COMPACT_WINDOW="100000")
        assert result["result"] == "All 40 parts are read."
        assert reader.summaries >= 2
        assert len(server.errors) <= reader.summaries
        assert all(BOUND in error for error in server.errors)
        assert server.kinds["compaction"] == 0


THROUGH_CALLS, THROUGH_WINDOW = 200, 60_000


@pytest.mark.parametrize("summarizer,kind", [("extractive", "summary"), ("provider", "block")])
def test_many_calls_through_an_engine_that_compacts_are_accepted(
    folder: Path, summarizer: str, kind: str
) -> None:
    write_parts(folder, THROUGH_CALLS, lines=30)
    with StrictServer(Reader(folder, THROUGH_CALLS)) as server:
        with EngineProxy(server, window_tokens=THROUGH_WINDOW, summarizer=summarizer) as proxy:
            result = run(proxy, folder, "claude-opus-5-5")
            compactions = proxy.compactions()
        assert result["result"] == f"All {THROUGH_CALLS} parts are read."
        assert server.errors == []
        assert sum(one.item_kind == kind for one in compactions) >= 5
        assert len(server.law_breaks()) <= len(compactions)
        assert sum(one.added for one in proxy.synced) >= 2 * THROUGH_CALLS
        assert not any(one.forked for one in proxy.synced)
        assert max(one.thinking_shown for one in server.main()) > 20


def test_thinking_survives_a_compaction_of_the_provider(folder: Path) -> None:
    write_parts(folder, 80, lines=30)
    with StrictServer(Reader(folder, 80)) as server:
        with EngineProxy(server, window_tokens=THROUGH_WINDOW, summarizer="provider") as proxy:
            run(proxy, folder, "claude-opus-5-5")
        compacted = next(at for at, one in enumerate(server.seen) if one.kind == "compaction")
        assert server.errors == []
        assert server.seen[compacted + 1].thinking_shown > 5
