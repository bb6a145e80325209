"""`palimpsest mcp`: telling clients of the server, and refusing what cannot be served."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import Shell


def test_the_server_is_added_to_a_clients_file_and_taken_out_again(shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / ".claude.json"
    config.write_bytes(b'{"theme":"dark"}\r\n')
    added = shell.json("mcp", "--install", "claude", "--owner", "ann", "--follow", tmp_path / "东")
    entry = json.loads(config.read_bytes())["mcpServers"]["palimpsest"]
    assert added["action"] == "added"
    assert [entry["command"], *entry["args"]] == added["command"]
    assert added["command"][1:] == [
        "mcp", "--db", str(shell.db), "--owner", "ann", "--follow", str(tmp_path / "东"),
    ]  # fmt: skip
    assert shell.json("mcp", "--uninstall", "claude")["action"] == "restored"
    assert config.read_bytes() == b'{"theme":"dark"}\r\n'
    assert shell.json("mcp", "--uninstall", "claude")["action"] == "absent"
    assert not shell.db.exists()


def test_a_clients_own_transcripts_are_followed_unless_told_otherwise(shell: Shell, tmp_path: Path) -> None:
    projects = str(tmp_path / ".claude" / "projects")
    assert shell.json("mcp", "--install", "claude")["follows"] == [projects]
    assert shell.json("mcp", "--install", "claude", "--no-follow")["follows"] == []
    assert shell.json("mcp", "--install", "cursor")["follows"] == []


def test_the_clients_own_folder_is_respected(shell: Shell, tmp_path: Path) -> None:
    os.environ["CLAUDE_CONFIG_DIR"] = str(tmp_path / "elsewhere")
    done = shell.json("mcp", "--install", "claude")
    assert done["path"] == str(tmp_path / "elsewhere" / ".claude.json")
    assert done["follows"] == [str(tmp_path / "elsewhere" / "projects")]


def test_for_other_clients_the_lines_are_printed_alone(shell: Shell, tmp_path: Path) -> None:
    for name in ("codex", "gemini", "cursor", "opencode", "vscode", "claude-desktop", "other"):
        ran = shell("mcp", "--install", name)
        assert (ran.code, ran.err) == (0, "")
        assert str(shell.db) in ran.out
        assert shell("mcp", "--uninstall", name).code == 0
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "words,code,said",
    [
        (["--install", "clippy"], 2, "known clients: claude"),
        (["--install", "claude", "--uninstall", "claude"], 2, "exclude each other"),
        (["--install", "claude", "--http"], 2, "not one over HTTP"),
        (["--follow", ""], 2, "empty"),
        (["--follow", "cursor"], 2, "name a folder"),
        (["0.0.0.0:8377"], 2, "not a loopback address"),
        (["--http", "eight"], 2, "port"),
        (["--http", "0", "--token-file", "."], 4, "token"),
    ],
)
def test_what_cannot_be_served_is_refused(shell: Shell, words: list[str], code: int, said: str) -> None:
    ran = shell("mcp", *words)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert "token for this run" not in ran.err


def test_a_file_that_cannot_be_edited_is_told_and_left(shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / ".claude.json"
    config.write_text('{"a": 1,}')
    ran = shell("mcp", "--install", "claude")
    assert (ran.code, ran.out) == (4, "")
    assert "line 1, column" in ran.err
    assert config.read_text() == '{"a": 1,}'


def test_without_the_extra_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    script = "import sys; sys.modules['mcp'] = None\nfrom palimpsest.cli import main\nsys.exit(main(['mcp']))"
    done = subprocess.run(
        [sys.executable, "-c", script], env={"HOME": str(tmp_path), "PYTHONUTF8": "1"},
        input="", capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (4, "")
    assert "pip install 'palimpsest[mcp]'" in done.stderr
