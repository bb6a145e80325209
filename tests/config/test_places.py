"""Where a person's files lie, and what is said where there is no person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

import palimpsest
import palimpsest.cli
from palimpsest.config.files import load_config
from palimpsest.config.paths import expand_home, user_folder, user_path
from palimpsest.errors import SettingsError
from tests.cli.run import Shell, claude_lines
from tests.cli.surroundings import nobody, nothing_configured


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[None]:
    with nothing_configured(tmp_path):
        yield


def test_a_path_that_begins_at_home_is_seen_from_there_and_any_other_left_as_it_is(tmp_path: Path) -> None:
    assert expand_home("~/agent.db") == tmp_path / "agent.db"
    assert expand_home("x~/agent.db") == Path("x~/agent.db")


def test_a_home_that_nobody_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^~nobody-at-all has no home"):
        expand_home("~nobody-at-all/agent.db")


async def test_an_engine_opens_a_path_that_begins_at_home(tmp_path: Path) -> None:
    with chdir(tmp_path):
        async with palimpsest.open("~/deep/agent.db"):
            assert (tmp_path / "deep" / "agent.db").is_file()
        assert not (tmp_path / "~").exists()


def test_without_a_home_nothing_of_a_person_counts_and_a_named_database_serves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = tmp_path / "short.jsonl"
    short.write_text(claude_lines("s-1", "Which pier?", "Pier 3."), encoding="utf-8")
    with nobody():
        assert user_path("state", "history") is None
        assert load_config(tmp_path, environment={}) == {"preset": "default"}
        assert Shell(tmp_path / "agent.db", capsys)("import", short).code == 0
        assert Shell(tmp_path / "agent.db", capsys)("stats").code == 0


def test_who_needs_a_folder_of_nobodys_is_told_what_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    with nobody():
        with pytest.raises(SettingsError, match="no home folder is known"):
            user_folder("data")
        assert palimpsest.cli.main(["stats"]) == 4
        assert palimpsest.cli.main(["config", "path"]) == 0
    caught = capsys.readouterr()
    assert caught.err.startswith("error: no home folder is known\n   do: set HOME, or name a database")
    assert "none: no home folder is known" in caught.out
