"""`palimpsest hooks`: what an agent runs around its own compaction."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.run import Shell

SESSION = "5f0f8a10-1111-4222-8333-444455556677"


def run_hook(shell: Shell, monkeypatch: pytest.MonkeyPatch, event: object, agent: str = "claude") -> Any:
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data), isatty=lambda: False))
    return shell("hooks", "run", agent)


def transcript(folder: Path) -> Path:
    path = folder / f"{SESSION}.jsonl"
    said = [
        ("user", "Never open gate 5 at night, and write tide heights in centimetres."),
        ("assistant", "Understood. I start with src/tides/gates.py."),
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


def test_before_a_compaction_the_transcript_is_imported(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = {
        "session_id": SESSION,
        "transcript_path": str(transcript(tmp_path)),
        "hook_event_name": "PreCompact",
    }
    ran = run_hook(shell, monkeypatch, event)
    assert (ran.code, ran.out) == (0, "")
    (listed,) = shell.json("list")["conversations"]
    assert (listed["id"], listed["messages"], listed["folder"]) == (SESSION, 3, "/srv/quay")


@pytest.mark.parametrize("source", ["compact", "resume"])
def test_after_a_compaction_the_agent_is_told_what_was_kept(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    event = {
        "session_id": SESSION,
        "transcript_path": str(transcript(tmp_path)),
        "hook_event_name": "SessionStart",
        "source": source,
    }
    told = json.loads(run_hook(shell, monkeypatch, event).out)["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "Never open gate 5 at night" in told["additionalContext"]
    assert "src/tides/gates.py" in told["additionalContext"]
    assert f"palimpsest grep 'WORDS' {SESSION}" in told["additionalContext"]


def test_a_new_session_is_told_nothing(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    event = {
        "session_id": SESSION,
        "transcript_path": str(transcript(tmp_path)),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    assert run_hook(shell, monkeypatch, event).out == ""


@pytest.mark.parametrize(
    "event", [b"", b"{", b"[]", {"hook_event_name": "PreCompact", "transcript_path": "/no/such/file.jsonl"}]
)
def test_a_hook_never_fails_its_agent(shell: Shell, monkeypatch: pytest.MonkeyPatch, event: object) -> None:
    ran = run_hook(shell, monkeypatch, event)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("palimpsest: ")


def test_hooks_are_installed_shown_and_removed(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert shell.json("hooks", "install", "claude")["action"] == "added"
    states = {one["agent"]: one["state"] for one in shell.json("hooks", "status")["agents"]}
    assert states["claude"] in ("installed", f"broken: {sys.executable} is gone")
    assert states["codex"] == "not installed"
    assert shell.json("hooks", "uninstall", "claude")["action"] == "restored"
    assert shell.json("hooks", "uninstall", "claude")["action"] == "absent"
    assert shell("hooks", "install", "emacs").code == 2
