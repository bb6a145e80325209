"""The SQL: the schema is its migrations, every statement is used and valid, and what runs often finds by an index."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.stores import checksums
from palimpsest.stores.sqlite import SqliteStore, migrations, statements
from tests.house.tree import ROOT

FOLDER = ROOT / "src" / "palimpsest" / "stores" / "sqlite"
SQL = "\n".join(path.read_text(encoding="utf-8") for path in (FOLDER / "sql").glob("*.sql"))
NAMES = sorted(re.findall(r"^-- name: (\w+)", SQL, re.MULTILINE))

# The word indexes find by themselves; leases are few, and what was cut to a bounded number of rows may be gone through.
NO_TABLE = re.compile(r"SCAN (\w+ VIRTUAL TABLE|CONSTANT ROW|newest|oldest|beneath|sqlite_sequence|lease)")


@pytest.fixture
def schema() -> Iterator[sqlite3.Connection]:
    """An empty database with the present schema."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrations.prepare(connection, "a test")
    yield connection
    connection.close()


def described(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Everything that a schema holds."""
    return connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    ).fetchall()


def plan(connection: sqlite3.Connection, name: str) -> list[str]:
    """How SQLite would carry out a named statement."""
    statement = statements.sql(name)
    numbered = [int(found) for found in re.findall(r"\?(\d+)", statement)]
    values = [None] * (max(numbered) if numbered else statement.count("?"))
    return [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]


def test_the_schema_is_the_migrations_applied_one_by_one(schema: sqlite3.Connection) -> None:
    versions = [number for number, _ in migrations.migrations()]
    assert versions == list(range(1, len(versions) + 1))
    other = sqlite3.connect(":memory:", isolation_level=None)
    checksums.register_crc(other)
    for _, script in migrations.migrations():
        other.executescript(script)
    assert described(other) == described(schema)
    other.close()


def test_a_new_database_carries_its_version_and_whose_it_is(schema: sqlite3.Connection) -> None:
    assert schema.execute("PRAGMA user_version").fetchone() == (migrations.version(),)
    assert schema.execute("PRAGMA application_id").fetchone() == (migrations.APPLICATION_ID,)


async def test_a_file_has_the_same_schema_and_is_sound(tmp_path: Path, schema: sqlite3.Connection) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await store.close()
    file = sqlite3.connect(tmp_path / "talks.db")
    assert described(file) == described(schema)
    assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    file.close()


def test_preparing_again_changes_nothing(schema: sqlite3.Connection) -> None:
    before = (described(schema), schema.total_changes)
    migrations.prepare(schema, "a test")
    assert (described(schema), schema.total_changes) == before


def test_a_migration_that_fails_leaves_the_version_before_it() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA application_id = {migrations.APPLICATION_ID}")
    connection.execute("CREATE TABLE job (id INTEGER)")
    with pytest.raises(sqlite3.OperationalError):
        migrations.prepare(connection, "a test")
    assert connection.execute("PRAGMA user_version").fetchone() == (0,)
    assert [row[1] for row in described(connection)] == ["job"]
    connection.close()


def test_statements_have_names_of_their_own() -> None:
    assert len(NAMES) > 40
    assert sorted(set(NAMES)) == NAMES


def test_every_statement_is_used() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py"))
    assert [name for name in NAMES if f'"{name}"' not in code] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_is_valid_and_finds_what_it_needs_by_an_index(
    schema: sqlite3.Connection, name: str
) -> None:
    steps = plan(schema, name)
    assert [step for step in steps if step.startswith("SCAN") and not NO_TABLE.match(step)] == []
