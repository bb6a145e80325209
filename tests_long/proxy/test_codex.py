"""The real Codex program, wrapped: many tool calls against a strict server of OpenAI's Responses."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import palimpsest
from palimpsest.record.message import ToolCall
from tests.wire.replies import Say
from tests.wire.strict.refusal import Fields
from tests.wire.strict.server import StrictServer

PROGRAM = os.environ.get("PALIMPSEST_CODEX") or shutil.which("codex")
CALLS, WINDOW = 200, 30_000
FACT = "The lamp of the north pier is a Kestrel-88."

pytestmark = pytest.mark.skipif(
    PROGRAM is None,
    reason="the Codex program is missing: npm install -g @openai/codex, or set PALIMPSEST_CODEX",
)


def working(number: int, body: Fields) -> Say:
    """A shell command for each call, then the answer."""
    del body
    if number > CALLS:
        return Say("All parts are read.")
    command = f"echo part {number}; seq 1 150"
    return Say("", calls=(ToolCall(f"call_{number}", "exec_command", json.dumps({"cmd": command})),))


async def stored(db: Path) -> tuple[Any, list[Any], int]:
    """The one conversation with its compactions and hits for the fact."""
    async with palimpsest.open(db) as engine:
        (info,) = await engine.conversations()
        talk = engine.conversation(info.id)
        return info, await talk.compactions(), (await talk.grep("Kestrel-88")).total


def test_many_calls_of_codex_are_accepted_and_compacted(tmp_path: Path) -> None:
    home, db = tmp_path / "codex", tmp_path / "kept.db"
    home.mkdir()
    with StrictServer(working, window_tokens=2 * WINDOW) as upstream:
        words = ["exec", "--skip-git-repo-check", "-m", "gpt-6.2-astra"]
        words += ["--dangerously-bypass-approvals-and-sandbox", f"{FACT} Read all parts."]
        options = ["--db", str(db), "--window", str(WINDOW), "--set", "max_tokens=1000"]
        done = subprocess.run(
            [sys.executable, "-m", "palimpsest", "wrap", *options, str(PROGRAM), *words],
            env={
                **os.environ,
                "CODEX_HOME": str(home),
                "CODEX_API_KEY": "sk-invented",
                "OPENAI_BASE_URL": upstream.openai_url,
            },
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert (done.returncode, upstream.errors) == (0, []), done.stderr[-2_000:]
        assert len(upstream.main()) == CALLS + 1
        last = json.dumps(upstream.main()[-1].body)
    info, compactions, hits = asyncio.run(stored(db))
    assert info.messages >= 2 * CALLS
    assert len(compactions) >= 3
    assert FACT in last or hits
    assert "All parts are read." in done.stdout
