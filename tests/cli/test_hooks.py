"""`palimpsest hooks`: what an agent runs around its own compaction."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.cli import main
from tests.cli.run import Ran, Shell
from tests.cli.surroundings import variables

SESSION = "5f0f8a10-1111-4222-8333-444455556677"


def run_hook(shell: Shell, event: object) -> Ran:
    """Run the hook of Claude Code as the agent does, with the event on standard input."""
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    command = [sys.executable, "-m", "palimpsest", "hooks", "run", "claude", "--db", str(shell.db)]
    done = subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


RULE = "Never open gate 5 at night; see src/tides/gates.py."


def transcript(folder: Path, *, rule: str = RULE, compacted: bool = False) -> Path:
    path = folder / f"{SESSION}.jsonl"
    said = [("user", rule), ("assistant", "Understood."), ("user", "Go on.")]
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
    if compacted:
        lines.append({**lines[-1], "type": "system", "subtype": "compact_boundary", "uuid": "u9"})
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


def started(shell: Shell, path: Path, source: str) -> str:
    """What the agent is told when a session starts, "" for nothing."""
    event = {
        "session_id": SESSION,
        "transcript_path": str(path),
        "hook_event_name": "SessionStart",
        "source": source,
    }
    ran = run_hook(shell, event)
    assert (ran.code, ran.err) == (0, "")
    told = json.loads(ran.out)["hookSpecificOutput"] if ran.out else {}
    assert told.get("hookEventName") in (None, "SessionStart")
    return told.get("additionalContext", "")


@pytest.mark.parametrize("source", ["compact", "resume"])
def test_after_a_compaction_the_agent_is_told_what_was_kept(
    shell: Shell, tmp_path: Path, source: str
) -> None:
    told = started(shell, transcript(tmp_path, compacted=True), source)
    assert "Never open gate 5 at night" in told
    assert "src/tides/gates.py" in told


def test_the_command_that_the_agent_is_told_finds_what_was_said(shell: Shell, tmp_path: Path) -> None:
    told = started(shell, transcript(tmp_path), "compact")
    command = told.partition("Else run: ")[2].partition(", and")[0].replace("WORDS", "gate 5 night")
    words = shlex.split(command)
    assert words[-2:] == ["--db", str(shell.db)]
    if words[0] == "palimpsest":
        words[:1] = [sys.executable, "-m", "palimpsest"]
    found = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert "Never open" in found.stdout, found.stderr


@pytest.mark.parametrize("before", ["", "<ide_selection>gate.py\nline 1</ide_selection>\n"])
def test_the_users_words_are_cut_and_not_lost(shell: Shell, tmp_path: Path, before: str) -> None:
    told = started(
        shell, transcript(tmp_path, rule=f"{before}五号闸门夜间不得开启。{'潮汐表' * 5_000}"), "compact"
    )
    assert "- [m1] 五号闸门夜间不得开启。" in told
    assert "- [m3] Go on." in told
    assert len(told) < 8_000


def test_a_session_that_is_resumed_whole_is_told_nothing(shell: Shell, tmp_path: Path) -> None:
    assert started(shell, transcript(tmp_path), "resume") == ""
    assert len(shell.json("list")["conversations"]) == 1


def test_a_new_session_is_told_nothing(shell: Shell, tmp_path: Path) -> None:
    assert started(shell, transcript(tmp_path), "startup") == ""


@pytest.mark.parametrize(
    "event",
    [
        b"",
        b"{",
        b"[]",
        {"hook_event_name": "PreCompact", "transcript_path": "/no/such/file.jsonl"},
        {"hook_event_name": "PreCompact", "transcript_path": "nul\0.jsonl"},
    ],
)
def test_a_hook_never_fails_its_agent(shell: Shell, event: object) -> None:
    ran = run_hook(shell, event)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("palimpsest: ")


def test_hooks_are_installed_shown_and_removed(shell: Shell, tmp_path: Path) -> None:
    with variables(HOME=str(tmp_path), CLAUDE_CONFIG_DIR=str(tmp_path / "claude"), CODEX_HOME=""):
        assert shell.json("hooks", "install", "claude")["action"] == "added"
        states = {one["agent"]: one["state"] for one in shell.json("hooks", "status")["agents"]}
        assert states["claude"] in ("installed", f"broken: {sys.executable} is gone")
        assert states["codex"] == "not installed"
        assert shell.json("hooks", "uninstall", "claude")["action"] == "restored"
        assert shell.json("hooks", "uninstall", "claude")["action"] == "absent"
        assert "trust the hooks" in shell.json("hooks", "install", "codex")["note"]
        assert shell.json("hooks", "uninstall", "codex")["note"] == ""
        assert shell("hooks", "install", "emacs").code == 2


def test_a_hook_uses_the_database_that_a_variable_names(tmp_path: Path) -> None:
    with variables(HOME=str(tmp_path), CLAUDE_CONFIG_DIR="", PALIMPSEST_DB=str(tmp_path / "ours.db")):
        assert main(["hooks", "install", "claude"]) == 0
    made = json.loads((tmp_path / ".claude" / "settings.json").read_text())
    command = made["hooks"]["PreCompact"][0]["hooks"][0]["command"]
    assert shlex.split(command)[-4:] == ["run", "claude", "--db", str(tmp_path / "ours.db")]
