"""`palimpsest export`: a session file of a stored conversation, and importing it again."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.run import Shell


def test_an_exported_session_imports_as_it_was(sample: Shell, tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "s.jsonl"
    told = sample.json("export", "last", path, "--as", "session")
    assert (told["schema"], told["path"], told["messages"]) == ("palimpsest.export/1", str(path), 420)
    assert told["markers"] >= 1
    assert told["size_bytes"] == path.stat().st_size
    (row,) = shell.json("import", path)["conversations"]
    assert (row["format"], row["messages"], row["skipped"], row["notes"]) == ("crabtalk", 420, [], [])
    assert (row["id"], row["compactions"]) == (told["conversation"], told["markers"])
    before, after = (
        at.json("show", told["conversation"], "--limit", 500)["messages"] for at in (sample, shell)
    )
    assert [{**one, "id": ""} for one in before] == [{**one, "id": ""} for one in after]
    first, ours = (at.json("window", "last", "--window", 200_000)["items"][0] for at in (shell, sample))
    assert (first["kind"], first["last"]) == (ours["kind"], ours["last"])
    (again,) = shell.json("import", path)["conversations"]
    assert (again["added"], again["compactions"], again["notes"]) == (0, 0, [])


def test_without_a_path_the_session_goes_to_standard_output(sample: Shell) -> None:
    lines = [json.loads(line) for line in sample("export", "last").out.splitlines()]
    assert lines[0]["created_by"] == "me"
    assert sum("role" in line for line in lines) == 420
    refused = sample("export", "last", "--json")
    assert (refused.code, refused.json["error"]["kind"]) == (2, "usage")


def test_a_file_that_is_there_is_replaced_only_when_asked(sample: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    first = sample("export", "last", folder)
    assert "420 messages" in first.out
    (path,) = folder.iterdir()
    path.write_text("mine", encoding="utf-8")
    assert sample("export", "last", folder).code == 2
    assert path.read_text(encoding="utf-8") == "mine"
    assert sample("export", "last", path, "--force").code == 0
    assert path.stat().st_size > 1000


def test_what_cannot_be_exported_is_said(sample: Shell, shell: Shell, tmp_path: Path) -> None:
    assert shell("export", "last", tmp_path / "s.jsonl").code == 3
    assert sample("export", "last", tmp_path / "none" / "s.jsonl").code == 5
    assert sample("export", "last", "--as", "poem").code == 2
