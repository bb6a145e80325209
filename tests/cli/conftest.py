"""A shell over an empty database, and one over a database that holds the shipped session, compacted."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import palimpsest
from palimpsest import samples
from palimpsest.formats.transcripts import Source, read
from tests.cli.run import Shell
from tests.cli.surroundings import nothing_configured


@pytest.fixture(autouse=True)
def unconfigured(tmp_path: Path) -> Iterator[None]:
    """Neither the environment nor a person's file has a say in what a test runs."""
    with nothing_configured(tmp_path):
        yield


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Commands on a database that does not exist yet."""
    return Shell(tmp_path / "new" / "p.db", capsys)


@pytest.fixture(scope="session")
def compacted_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped session, compacted into 32,000 tokens."""
    db = tmp_path_factory.mktemp("cli") / "sample.db"

    async def make() -> None:
        source = Source(samples.NAME, samples.path().read_bytes())
        async with palimpsest.open(db, window_tokens=32_000) as engine:
            for transcript in read(source).transcripts:
                await engine.import_transcript(transcript)
            report = await engine.conversation(read(source).transcripts[0].id).compact()
            assert report is not None

    asyncio.run(make())
    return db


@pytest.fixture
def sample(compacted_db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Commands on a copy of the compacted session's database."""
    return Shell(Path(shutil.copy(compacted_db, tmp_path / "sample.db")), capsys)
