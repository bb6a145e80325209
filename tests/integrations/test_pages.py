"""The program on a framework's page runs as it stands there, and prints what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tests.integrations.suite import ONLY
from tests.wire.replies import Say
from tests.wire.server import WireServer

PAGES = ROOT / "docs" / "frameworks"
PROGRAM = re.compile(r"```python no-run\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
MOST_LINES = 19


@pytest.mark.parametrize("name", [os.environ.get(ONLY, "")], ids=str)
def test_the_program_of_a_page_prints_what_the_page_says(name: str, tmp_path: Path) -> None:
    page = PAGES / f"{name.replace('_', '-')}.md"
    if not name or not page.exists():
        pytest.skip("this framework has no page")
    program, expected = PROGRAM.findall(page.read_text(encoding="utf-8"))[0]
    assert len([line for line in program.split("\n") if line.strip()]) <= MOST_LINES
    with WireServer([Say("At dawn.")], strict=False) as server:
        variables = {
            "OPENAI_BASE_URL": server.openai_url,
            "OPENAI_API_BASE": server.openai_url,
            "OPENAI_API_KEY": "any",
            "ANTHROPIC_BASE_URL": server.anthropic_url,
            "ANTHROPIC_API_KEY": "any",
            "GOOGLE_GEMINI_BASE_URL": server.gemini_url,
            "GEMINI_API_KEY": "any",
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == expected.strip()
