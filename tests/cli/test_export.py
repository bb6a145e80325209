"""`palimpsest export`: a session file of a stored conversation, and importing it again."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.cli.run import Shell
from tests.cli.test_process import COMMAND, environment
from tests.nodes import NULL, made_node, read_by_another


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


def test_an_export_into_a_fifo_goes_to_its_reader(sample: Shell, tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for words, lines in ((("last", fifo), 422), (("--all", fifo), 426)):
        with read_by_another(fifo) as found:
            ran = sample("export", *words)
        assert ran.code == 0, ran.err
        assert str(fifo) in ran.out
        assert len([json.loads(line) for line in found[0].splitlines()]) >= lines
    assert fifo.is_fifo()
    forgotten = sample.json("forget", "last", "m3", "--dry-run")["files"]
    assert (forgotten["stale"], forgotten["holding"]) == ([], [])


@pytest.mark.parametrize("flags", [(), ("--force",)])
def test_an_export_into_a_device_leaves_it_one(sample: Shell, tmp_path: Path, flags: tuple[str, ...]) -> None:
    device = made_node(tmp_path / "null", stat.S_IFCHR, NULL)
    assert sample("export", "last", device, *flags).code == 0
    assert sample("export", "--all", device, *flags).code == 0
    refused = sample("backup", device, *flags, "--json")
    assert (refused.code, refused.json["error"]["hint"]) == (2, "name a file")
    assert (device.is_char_device(), device.stat().st_rdev) == (True, NULL)


@pytest.mark.parametrize("words", [["last", "/dev/stdout"], ["--all", "/dev/stdout"]])
def test_an_export_to_standard_output_is_not_mixed_with_the_result(
    compacted_db: Path, tmp_path: Path, words: list[str]
) -> None:
    command = [*COMMAND, "export", *words, "--db", str(compacted_db)]
    ran = subprocess.run(command, capture_output=True, env=environment(tmp_path), check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert all(isinstance(json.loads(line), dict) for line in ran.stdout.splitlines())
    assert len(ran.stdout.splitlines()) > 420
    assert b" messages" in ran.stderr
    refused = subprocess.run(
        [*command, "--json"], capture_output=True, env=environment(tmp_path), check=False, timeout=60
    )
    assert (refused.returncode, json.loads(refused.stdout)["error"]["kind"]) == (2, "usage")


def test_an_export_over_a_link_replaces_the_file_behind_it_and_forgetting_finds_that(
    sample: Shell, tmp_path: Path
) -> None:
    target, link = tmp_path / "behind.jsonl", tmp_path / "link.jsonl"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    assert sample("export", "last", link).code == 2
    assert sample("export", "last", link, "--force").code == 0
    assert (link.is_symlink(), target.stat().st_mode & 0o777) == (True, 0o640)
    told = sample.json("forget", "last", "m3", "--yes")
    assert told["files"]["rewritten"] == [str(target)]
    assert "was forgotten at its owner's wish" in target.read_text(encoding="utf-8")
