"""`verify`, `doctor`, `backup`, and everything out of a database and into another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import Shell
from tests.stores.damage import flip, raw


def other(shell: Shell, db: Path) -> Shell:
    """The same shell on another database."""
    return Shell(db, shell.streams)


def test_a_sound_database_is_said_to_be_so(sample: Shell) -> None:
    ran = sample("verify")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("intact: 2 conversations, 430 messages")
    fields = sample.json("verify", "last")
    assert (fields["schema"], fields["sound"], fields["faults"]) == ("palimpsest.verify/1", True, [])
    assert (fields["conversations"], fields["messages"], fields["indexes_examined"]) == (1, 420, False)
    assert "search indexes were skipped" in sample("verify", "--quick").out


def test_damage_is_named_with_its_conversation_and_ends_with_six(sample: Shell) -> None:
    with raw(sample.db) as connection:
        connection.execute("UPDATE message SET chain = X'00' WHERE id = 7")
    ran = sample("verify")
    assert ran.code == 6
    assert "165f260f" in ran.out
    assert " m7: " in ran.out
    assert "palimpsest doctor" in ran.out
    with_json = sample("verify", "--json")
    assert (with_json.code, with_json.json["sound"], with_json.json["faults"][0]["id"]) == (6, False, "m7")
    doctor = sample("doctor")
    assert doctor.code == 6
    assert "export --all" in doctor.out


def test_doctor_changes_nothing_until_it_is_told_to_fix(sample: Shell) -> None:
    with raw(sample.db) as connection:
        connection.execute("DELETE FROM item")
    before = sample.db.read_bytes()
    ran = sample("doctor")
    assert ran.code == 6
    assert "doctor --fix repairs 1 fault" in ran.out
    assert sample.db.read_bytes() == before
    fixed = sample("doctor", "--fix", "--json")
    assert fixed.code == 0
    assert fixed.json["repaired"] == ["windows"]
    assert Path(fixed.json["backup"]).read_bytes()[:16] == b"SQLite format 3\0"
    assert sample("verify").code == 0
    again = sample("doctor", "--fix", "--json")
    assert (again.code, again.json["repaired"], again.json["backup"]) == (0, [], "")


@pytest.mark.parametrize("harm", ["beginning", "end"])
def test_of_a_file_that_cannot_be_opened_the_way_out_is_told_and_is_one(
    sample: Shell, tmp_path: Path, harm: str
) -> None:
    body = sample.db.read_bytes()
    sample.db.write_bytes(bytes(100) + body[100:] if harm == "beginning" else body[: len(body) * 3 // 4])
    ran = sample("doctor")
    assert ran.code == 5
    assert "--salvage NEW" in ran.err
    new = tmp_path / "new.db"
    assert sample("doctor", "--salvage", new).code == 0
    assert other(sample, new).json("stats")["messages"] > 100


def test_doctor_does_not_send_to_itself_whom_it_cannot_help(sample: Shell) -> None:
    sample.db.write_bytes(sample.db.read_bytes()[: sample.db.stat().st_size * 3 // 4])
    assert "see `palimpsest doctor`" in sample("verify").err
    told = sample("doctor").err
    assert "see `palimpsest doctor`" not in told
    assert f"`palimpsest doctor --db {sample.db} --salvage NEW`" in told


def test_a_backup_is_a_database_like_any_other(sample: Shell, tmp_path: Path) -> None:
    ran = sample("backup", tmp_path / "copy.db")
    assert ran.code == 0
    assert "copy.db: " in ran.out
    copy = other(sample, tmp_path / "copy.db")
    assert copy("verify").code == 0
    assert copy("list").out == sample("list").out
    assert sample("backup", tmp_path / "copy.db").code == 2
    assert sample("backup", tmp_path / "copy.db", "--force").code == 0
    assert sample("backup", tmp_path).code == 2


def test_everything_goes_out_and_in_again(sample: Shell, tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    fields = sample.json("export", "--all", out)
    assert (fields["conversations"], fields["messages"], fields["damaged"]) == (2, 430, [])
    new = other(sample, tmp_path / "new" / "p.db")
    ran = new("import", out)
    assert ran.code == 0, ran.err
    assert "2 conversations, 430 messages" in ran.out
    assert new("verify").code == 0
    for command in (
        ["window", "last"],
        ["list"],
        ["window", "last", "--as", "anthropic"],
        ["grep", "staging-2"],
    ):
        assert new(*command).out == sample(*command).out
    again = new.json("import", out)
    assert (again["exports"][0]["conversations"], len(again["exports"][0]["there"])) == (0, 2)
    assert new.json("import", out, "--owner", "bob")["exports"][0]["ids_moved"] is True


def test_what_cannot_be_exported_is_named_and_ends_with_six(sample: Shell, tmp_path: Path) -> None:
    flip(sample.db, b"Boards are an hour off", to=b"Boards are an hour ofg")
    assert sample("show", "last").code == 6
    ran = sample("export", "--all", tmp_path / "all.jsonl")
    assert ran.code == 6
    assert "m1: a damaged message was left out" in ran.out
    new = other(sample, tmp_path / "new.db")
    taken = new("import", tmp_path / "all.jsonl")
    assert taken.code == 0
    assert "1 message was damaged and is lost" in taken.out
    assert new("verify").code == 0
    assert "It was damaged and is lost" in new("show", "last").out


@pytest.mark.parametrize(
    "words",
    [
        ["export"],
        ["export", "--all"],
        ["export", "--all", "last", "all.jsonl"],
        ["verify", "nobody"],
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_way_out(sample: Shell, words: list[str]) -> None:
    ran = sample(*words)
    assert ran.code in {2, 3}
    assert "   do: " in ran.err


@pytest.mark.parametrize(
    "words", [["verify"], ["doctor"], ["doctor", "--fix"], ["backup", "b.db"], ["export", "--all", "e.jsonl"]]
)
def test_where_no_database_is_none_is_made(shell: Shell, words: list[str]) -> None:
    ran = shell(*words)
    assert ran.code == 3
    assert "no database at" in ran.err
    assert not shell.db.exists()
