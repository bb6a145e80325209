"""The shipped session, played to its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest import samples
from tests.cli.run import Shell
from tests.cli.test_process import COMMAND, environment, ran


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Commands on a database that does not exist yet."""
    return Shell(tmp_path / "new" / "p.db", capsys)


def test_the_demo_tells_the_whole_story_within_eighty_columns(tmp_path: Path) -> None:
    done = ran([*COMMAND, "demo"], env=environment(tmp_path))
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, lines)) <= 80
    assert sum("→" in line for line in lines) >= 8
    assert any(fact in done.stdout for fact in samples.FACTS)
    for words in (
        "420 messages",
        "The widest summary",
        "left the window",
        "$ palimpsest expand m",
        "palimpsest import",
    ):
        assert words in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_demo_kept_in_a_database_can_be_looked_at_and_is_not_played_into_it_twice(shell: Shell) -> None:
    played = shell.json("demo")
    assert played["tokens"] <= played["capacity_tokens"]
    assert played["largest_request_tokens"] <= 32_000
    assert len(played["falls"]) >= 8
    assert shell.json("expand", played["fact"]["id"])["entries"][0]["id"] == played["fact"]["id"]
    assert shell.json("stats")["messages"] == 420
    assert shell("demo").code == 2
    (bill,) = shell.json("cost", "last")["conversations"]
    assert bill["calls"] == played["requests"]
    assert bill["total"] == pytest.approx(shell.json("cost")["total"])
    assert not bill["assumed_models"]
