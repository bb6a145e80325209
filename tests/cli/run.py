"""Running the command line as a test does: in this process, with its two streams caught."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from palimpsest.cli import main


@dataclass(frozen=True, slots=True)
class Ran:
    """What one command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs commands against one database."""

    db: Path
    streams: pytest.CaptureFixture[str]

    def __call__(self, *words: str | int | Path) -> Ran:
        self.streams.readouterr()
        code = main([*map(str, words), "--db", str(self.db)])
        caught = self.streams.readouterr()
        return Ran(code, caught.out, caught.err)

    def json(self, *words: str | int | Path) -> Any:
        """The JSON object of a command that must succeed; `grep` may also find nothing."""
        ran = self(*words, "--json")
        empty = words[0] == "grep" and not ran.json["total"]
        assert ran.code == int(empty), ran.out
        return ran.json


def claude_lines(session: str, *texts: str) -> str:
    """An invented Claude Code transcript: texts said in turn by a person and by the model."""
    lines: list[str] = []
    parent = None
    for place, text in enumerate(texts):
        role = "assistant" if place % 2 else "user"
        content = [{"type": "text", "text": text}] if place % 2 else text
        message = {"role": role, "content": content} | (
            {"id": f"msg_{place}", "model": "m"} if place % 2 else {}
        )
        uuid = f"{session}-{place}"
        line = {
            "type": role,
            "uuid": uuid,
            "parentUuid": parent,
            "sessionId": session,
            "timestamp": f"2026-01-02T03:{place // 60:02}:{place % 60:02}.000Z",
            "isSidechain": False,
            "cwd": "/home/dev/invented",
            "version": "1.0",
            "message": message,
        }
        lines.append(json.dumps(line))
        parent = uuid
    return "\n".join(lines) + "\n"
