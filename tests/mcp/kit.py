"""A store with something in it, and a server over it, for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mcp.client.client import Client
from mcp_types import CallToolResult, TextContent

import palimpsest
from palimpsest.engine.engine import Engine
from palimpsest.mcp.server import make_server
from palimpsest.mcp.transcript_follower import Follower
from tests.cli.run import claude_lines

WORDS = "The buoys of Kobbness were painted in May, order NB-204."


@dataclass(slots=True)
class Notes:
    """What was said on standard error."""

    lines: list[str] = field(default_factory=list[str])

    def __call__(self, text: str) -> None:
        self.lines.append(text)


async def fill(engine: Engine, name: str = "harbour") -> None:
    """A short conversation about a harbour."""
    await engine.conversation(name).append(
        {"role": "user", "content": "When were the buoys painted?"},
        {"role": "assistant", "content": WORDS},
        {"role": "user", "content": "谢谢，码头三号呢？"},
        {"role": "assistant", "content": "码头三号的渡船七点四十分出发。"},
    )


@asynccontextmanager
async def filled(owner: str = "me") -> AsyncIterator[Engine]:
    """An engine in memory that holds that conversation."""
    async with palimpsest.open(":memory:", owner=owner) as engine:
        await fill(engine)
        yield engine


@asynccontextmanager
async def connected(engine: Engine, follower: Follower | None = None) -> AsyncIterator[Client]:
    """A client of a server over `engine`, in this process."""
    async with Client(make_server(engine, follower, Notes())) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    """The one text of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def write(folder: Path, session: str, *texts: str) -> Path:
    """That transcript as a file of its own."""
    path = folder / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(claude_lines(session, *texts), encoding="utf-8")
    return path
