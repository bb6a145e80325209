"""`palimpsest embed`, and questions on the command line that go by its vectors."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from palimpsest.errors import SettingsError
from tests.cli.run import Shell, claude_lines
from tests.cli.surroundings import variables
from tests.engine.test_embedding import SAID, meaning
from tests.wire.vectors import VectorServer, serving_vectors

NAME = "openai-compatible:themes"


@pytest.fixture
def server() -> Generator[VectorServer]:
    with serving_vectors(meaning) as made, variables(OPENAI_COMPATIBLE_BASE_URL=made.url):
        yield made


def test_the_command_line_makes_vectors_and_asks_with_them(
    tmp_path: Path, shell: Shell, server: VectorServer
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(claude_lines("log", *SAID))
    with variables(PALIMPSEST_EMBED_MODEL=NAME):
        assert shell("import", log).code == 0
        assert not server.asked
        made = shell.json("embed")
        assert (made["vectors"], made["model"]) == (
            3,
            NAME,
        )  # the newest message of a transcript may still grow
        assert "tempest" in shell("search", "was there a gale?", "--limit", 1).out
        server.fails = [500]
        ran = shell("search", "the tempest?", "--limit", 1)
        assert "tempest" in ran.out
        assert "by words only" in ran.err


def test_only_what_asks_for_vectors_needs_the_models_key(shell: Shell) -> None:
    with variables(PALIMPSEST_EMBED_MODEL="openai:text-embedding-3-small", OPENAI_API_KEY=""):
        assert shell("list").code == 0
        assert shell("search", "what?").code == SettingsError.exit_code
    ran = shell("embed")
    assert ran.code == SettingsError.exit_code
    assert "set embed_model" in ran.err
