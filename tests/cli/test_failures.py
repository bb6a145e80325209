"""Every failure is an exit code and two lines, or one JSON object."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from palimpsest.cli import main
from palimpsest.engine.reports import ConversationInfo, find_conversation
from palimpsest.errors import NotFound, UsageError
from tests.cli.run import Shell
from tests.cli.surroundings import variables


def info(name: str, parent: str = "") -> ConversationInfo:
    return ConversationInfo(name, "", 1, 1, 1, "2026-01-01T00:00:00Z", parent)


@pytest.mark.parametrize(
    "words, code, kind, command",
    [
        (["show", "nobody"], 3, "not_found", "show"),
        (["expand", "m999999"], 3, "not_found", "expand"),
        (["describe", "s999999"], 3, "not_found", "describe"),
        (["import", "no-such-file.jsonl"], 3, "not_found", "import"),
        (["demo", "no-such-file.jsonl"], 3, "not_found", "demo"),
        (["show"], 2, "usage", "show"),
        (["show", "last", "--limit", "0"], 2, "usage", "show"),
        (["grep", '""'], 2, "usage", "grep"),
        (["grep", "x", "--scope", "everywhere"], 2, "usage", "grep"),
        (["list", "--nonsense"], 2, "usage", "list"),
        (["nonsense"], 2, "usage", "error"),
        (["list", "--owner", ""], 2, "usage", "list"),
        (["compact", "last", "--window", "8", "--until-under", "0"], 2, "usage", "compact"),
        (["compact", "last", "--until-under", "5"], 7, "does_not_fit", "compact"),
        (["window", "last", "--window", "100"], 7, "does_not_fit", "window"),
    ],
)
def test_a_failure_has_its_exit_code_and_an_error_object(
    sample: Shell, words: list[str], code: int, kind: str, command: str
) -> None:
    ran = sample(*words, "--json")
    assert (ran.code, ran.json["schema"], ran.json["error"]["kind"]) == (
        code,
        f"palimpsest.{command}/1",
        kind,
    )
    assert ran.json["error"].keys() >= {"kind", "message", "hint", "retryable"}
    assert ran.err == ""


def test_a_person_reads_what_went_wrong_and_what_to_do(sample: Shell) -> None:
    ran = sample("show", "nobody")
    assert ran.out == ""
    assert ran.err.splitlines() == [
        "error: no conversation 'nobody'",
        '   do: palimpsest list shows their ids; "last" is the newest',
    ]


def test_a_request_that_cannot_fit_names_its_parts(sample: Shell) -> None:
    error = sample("window", "last", "--window", "100", "--json").json["error"]
    assert error["capacity_tokens"] < 100
    assert "--window" in error["hint"]
    assert error["parts"]


def test_a_foreign_file_is_refused_and_left_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and long enough to be one " * 40)
    ran = Shell(path, capsys)("list", "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (5, "store")
    assert path.read_text().startswith("not a database")


def test_another_programs_database_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE theirs (x)")
    assert Shell(path, capsys)("list", "--json").code == 5


def test_a_folder_that_cannot_be_made_is_a_store_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    source = tmp_path / "a.jsonl"
    source.write_text("{}")
    ran = Shell(tmp_path / "file" / "p.db", capsys)("import", source, "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (5, "store")


@pytest.mark.parametrize("words", [("list",), ("import", "no-such-file"), ("demo",), ("grep", "pier")])
def test_a_folder_or_an_impossible_name_is_no_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    source = tmp_path / "no-such-file"
    source.write_text("{}")
    given = [source if word == source.name else word for word in words]
    folder = Shell(tmp_path, capsys)(*given, "--json")
    assert (folder.code, folder.json["error"]["message"]) == (5, f"{tmp_path} is a folder")
    assert Shell(tmp_path / ("x" * 300), capsys)(*given, "--json").code == 5


def test_an_error_shows_control_characters_as_pictures(sample: Shell) -> None:
    assert sample("expand", "m\x1b[31m").err.startswith("error: no message or summary m␛[31m\n")


def test_last_is_the_newest_conversation_that_no_other_spawned() -> None:
    assert find_conversation("last", [info("a/agent", "a"), info("a"), info("b")]).id == "a"
    assert find_conversation("last", [info("a/agent", "a")]).id == "a/agent"


def test_an_id_wins_over_the_ids_that_begin_with_it() -> None:
    known = [info("abc"), info("abcd"), info("abc/agent-1", "abc"), info("abcd/x", "abcd")]
    assert find_conversation("abc", known).id == "abc"
    assert find_conversation("abc/ag", known).id == "abc/agent-1"
    assert find_conversation("abcd/", known).id == "abcd/x"


def test_an_ambiguous_or_unknown_beginning_is_refused() -> None:
    known = [info("abc1"), info("abc2"), info("zed")]
    with pytest.raises(UsageError, match="2 conversations begin with 'abc': abc1, abc2"):
        find_conversation("abc", known)
    with pytest.raises(NotFound):
        find_conversation("", known)
    with pytest.raises(NotFound, match="nothing is stored"):
        find_conversation("last", [])


def test_help_and_version_succeed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("palimpsest 0.")
    assert main([]) == 0
    assert "Commands:" in capsys.readouterr().out
    assert main(["grep", "-h"]) == 0
    assert 'palimpsest grep "timeout retry"' in capsys.readouterr().out


def test_a_price_that_cannot_be_kept_is_told_by_its_place(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    with variables(XDG_DATA_HOME=str(tmp_path / "data")):
        ran = shell("prices", "x", "--set", "input=1,output=2")
    assert ran.code == 4
    assert "cannot" in ran.err
    assert "permissions" in ran.err
    assert "mend the file" not in ran.err


def test_where_there_is_nothing_nothing_would_be_forgotten(shell: Shell) -> None:
    ran = shell("forget", "--everything", "--yes")
    assert (ran.code, ran.out) == (0, "there is nothing to forget\n")


def test_a_server_that_is_away_is_named(shell: Shell) -> None:
    with variables(OLLAMA_BASE_URL="http://me:secret@127.0.0.1:9/v1", PALIMPSEST_EMBED_MODEL="ollama:m"):
        ran = shell("search", "which pier?")
    assert ran.code == 0
    assert "127.0.0.1:9" in ran.err
    assert "secret" not in ran.err
