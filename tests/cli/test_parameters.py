"""Simple lines are read without the library, to the same values; a look at the file answers as the engine does."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import wraps
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.cli import app, main
from palimpsest.cli.commands import grep, list_, search, show, stats
from palimpsest.cli.parameters import Command, parse_simple
from palimpsest.cli.typer_app import make_app, run_app
from palimpsest.errors import UsageError
from palimpsest.stores.sqlite.quick_read import quick_read
from palimpsest.stores.sqlite.statistics import conversations
from tests.cli.run import Shell

COMMANDS = {
    "list": list_.list_,
    "show": show.show,
    "stats": stats.stats,
    "grep": grep.grep,
    "search": search.search,
}
OPTIONS = (
    "--db", "--owner", "--json", "--start", "--limit", "--full", "--scope", "--role", "--last", "--since", "--before",
    "--budget", "--help", "-h", "--", "--lim", "--limit=3",
)  # fmt: skip
VALUES = (
    "last",
    "talk",
    "3",
    "0",
    "007",
    "1_0",
    "+4",
    "٣",
    " 5",
    "both",
    "Both",
    "user",
    "a b",
    "",
    "-",
    "x.db",
    "1001",
)
PIECES = st.one_of(
    st.tuples(st.sampled_from(OPTIONS), st.sampled_from(VALUES)),
    st.tuples(st.one_of(st.sampled_from(OPTIONS), st.sampled_from(VALUES), st.text(max_size=3))),
)
WORDS = st.lists(PIECES, max_size=4).map(lambda pieces: [word for piece in pieces for word in piece])


def by_the_library(command: Command, words: list[str]) -> dict[str, object]:
    """The values that the library gives a command for a line."""
    seen: list[dict[str, object]] = []

    @wraps(command)
    def noted(**named: object) -> None:
        seen.append(named)

    run_app(make_app({"it": noted, "other": stats.stats}, {}), ["it", *words], "")
    return seen[0]


@given(name=st.sampled_from(sorted(COMMANDS)), words=WORDS)
def test_a_line_that_is_read_without_the_library_is_read_by_it_to_the_same_values(
    name: str, words: list[str]
) -> None:
    values = parse_simple(COMMANDS[name], words)
    assert values == (values and by_the_library(COMMANDS[name], words))


@pytest.mark.parametrize(
    "name, line",
    [
        ("list", ""),
        ("list", "--json --owner ada --db x.db"),
        ("show", "last --start 200 --limit 10 --full"),
        ("grep", "timeout last --scope message --role tool --last 7d"),
        ("search", "why --budget 500 --json"),
    ],
)
def test_the_lines_that_people_type_are_read_without_the_library(name: str, line: str) -> None:
    values = parse_simple(COMMANDS[name], line.split())
    assert values is not None
    assert by_the_library(COMMANDS[name], line.split()) == values


@pytest.mark.parametrize(
    "name, line",
    [
        ("show", ""),
        ("show", "last --limit 0"),
        ("show", "last --limit"),
        ("show", "last more"),
        ("list", "--help"),
        ("grep", "x --role nobody"),
        ("list", "--owner a --owner b"),
    ],
)
def test_what_is_wrong_or_unusual_is_left_to_the_library(name: str, line: str) -> None:
    assert parse_simple(COMMANDS[name], line.split()) is None


def test_what_is_wrong_is_said_with_the_way_to_the_help() -> None:
    with pytest.raises(UsageError, match="CONV"):
        by_the_library(show.show, [])


def test_the_help_says_of_each_command_what_it_says_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    whole = make_app(
        {name: app._command(name) for name in app.COMMANDS}, {name: app._group(name) for name in app.GROUPS}
    )
    run_app(whole, ["--help"], "")
    said = capsys.readouterr().out
    assert said.count("\n") > len(app.COMMANDS)
    for line in (["--help"], ["-h"], []):
        assert main(line) == 0
        assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    "words", [("list",), ("stats",), ("show", "last", "--limit", "3"), ("show", "last", "--start", "10000")]
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_look_at_the_file_answers_as_the_engine_does(
    sample: Shell, words: tuple[str, ...], form: tuple[str, ...]
) -> None:
    sample.db.chmod(0o600)
    assert quick_read(sample.db, lambda db: conversations(db, "me"))
    looked = sample(*words, *form)
    sample.db.chmod(0o644)
    assert quick_read(sample.db, lambda db: conversations(db, "me")) is None
    engine = sample(*words, *form)
    assert (looked.code, looked.out) == (engine.code, engine.out) == (0, looked.out)


def test_a_file_that_is_not_as_usual_is_left_to_the_store(sample: Shell, tmp_path: Path) -> None:
    sample.db.chmod(0o600)

    def answers(path: Path) -> bool:
        return quick_read(path, lambda db: conversations(db, "me")) is not None

    assert answers(sample.db)
    assert not answers(tmp_path / "none.db")
    assert not answers(tmp_path)
    with closing(sqlite3.connect(sample.db)) as other:
        version = other.execute("PRAGMA user_version").fetchone()[0]
        for wrong in (version - 1, version + 1):
            other.execute(f"PRAGMA user_version = {wrong}")
            assert not answers(sample.db)
        other.execute(f"PRAGMA user_version = {version}")
        assert answers(sample.db)
        other.execute("PRAGMA application_id = 1")
        assert not answers(sample.db)
    other_file = tmp_path / "text.db"
    other_file.write_text("no database at all" * 100)
    other_file.chmod(0o600)
    assert not answers(other_file)
