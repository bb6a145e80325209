"""`palimpsest hooks`: what an agent runs around its own compaction."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import Ran, Shell
from tests.cli.surroundings import variables

SESSION = "5f0f8a10-1111-4222-8333-444455556677"


def run_hook(shell: Shell, event: object) -> Ran:
    """Run the hook of Claude Code as the agent does, with the event on standard input."""
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    command = [sys.executable, "-m", "palimpsest", "hooks", "run", "claude", "--db", str(shell.db)]
    done = subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def transcript(folder: Path) -> Path:
    path = folder / f"{SESSION}.jsonl"
    said = [
        ("user", "Never open gate 5 at night; see src/tides/gates.py."),
        ("assistant", "Understood."),
        ("user", "Go on."),
    ]
    lines = [
        {
            "type": role,
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "isSidechain": False,
            "sessionId": SESSION,
            "cwd": "/srv/quay",
            "version": "2.1.0",
            "timestamp": f"2026-10-01T10:00:0{number}Z",
            "message": {"role": role, "content": text, "id": f"m{number}"},
        }
        for number, (role, text) in enumerate(said)
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def test_before_a_compaction_the_transcript_is_imported(shell: Shell, tmp_path: Path) -> None:
    event = {
        "session_id": SESSION,
        "transcript_path": str(transcript(tmp_path)),
        "hook_event_name": "PreCompact",
    }
    ran = run_hook(shell, event)
    assert (ran.code, ran.out) == (0, "")
    (listed,) = shell.json("list")["conversations"]
    assert (listed["id"], listed["messages"], listed["folder"]) == (SESSION, 3, "/srv/quay")


@pytest.mark.parametrize("source", ["compact", "resume"])
def test_after_a_compaction_the_agent_is_told_what_was_kept(
    shell: Shell, tmp_path: Path, source: str
) -> None:
    event = {
        "session_id": SESSION,
        "transcript_path": str(transcript(tmp_path)),
        "hook_event_name": "SessionStart",
        "source": source,
    }
    told = json.loads(run_hook(shell, event).out)["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "Never open gate 5 at night" in told["additionalContext"]
    assert "src/tides/gates.py" in told["additionalContext"]
    assert f"palimpsest grep 'WORDS' {SESSION}" in told["additionalContext"]


def test_a_new_session_is_told_nothing(shell: Shell, tmp_path: Path) -> None:
    event = {
        "session_id": SESSION,
        "transcript_path": str(transcript(tmp_path)),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    assert run_hook(shell, event).out == ""


@pytest.mark.parametrize(
    "event", [b"", b"{", b"[]", {"hook_event_name": "PreCompact", "transcript_path": "/no/such/file.jsonl"}]
)
def test_a_hook_never_fails_its_agent(shell: Shell, event: object) -> None:
    ran = run_hook(shell, event)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("palimpsest: ")


def test_hooks_are_installed_shown_and_removed(shell: Shell, tmp_path: Path) -> None:
    with variables(HOME=str(tmp_path), CLAUDE_CONFIG_DIR=str(tmp_path / "claude")):
        assert shell.json("hooks", "install", "claude")["action"] == "added"
        states = {one["agent"]: one["state"] for one in shell.json("hooks", "status")["agents"]}
        assert states["claude"] in ("installed", f"broken: {sys.executable} is gone")
        assert states["codex"] == "not installed"
        assert shell.json("hooks", "uninstall", "claude")["action"] == "restored"
        assert shell.json("hooks", "uninstall", "claude")["action"] == "absent"
        assert shell("hooks", "install", "emacs").code == 2
