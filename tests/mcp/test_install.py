"""The client's file is edited, and given back byte for byte; what cannot be edited is left alone."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest

from palimpsest.errors import SettingsError, UsageError
from palimpsest.mcp.clients import (
    CLIENTS,
    client_named,
    entry_for,
    folder_to_follow,
    lines_for,
    server_command,
)
from palimpsest.mcp.install import install, uninstall

ENTRY = entry_for(["/opt/bin/palimpsest", "mcp", "--db", "/home/dev/东.db"])
FILES = {
    "pretty": b'{\n  "numStartups": 7,\n  "projects": {"/home/dev": {"mcpServers": {}}},\n  "theme": "dark"\n}\n',
    "compact": b'{"numStartups":7,"mcpServers":{"other":{"command":"x"}}}',
    "windows": b'{\r\n\t"a": "\xc3\xa9\\u00e9",\r\n\t"mcpServers": {}\r\n}\r\n',
    "marked": codecs.BOM_UTF8 + b'{ "mcpServers" : { } , "z" : [ 1,2 ] }',
    "empty object": b"{}",
    "spread": b'\n\n{\n\n    "mcpServers":\n    {\n    }\n}',
    "old": b'{"mcpServers":{"palimpsest-old":{"command":"palimpsest"}}}\n',
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Where the file is to lie."""
    return tmp_path / ".claude.json"


@pytest.mark.parametrize("before", FILES.values(), ids=FILES)
def test_a_file_comes_back_byte_for_byte(config: Path, before: bytes) -> None:
    config.write_bytes(before)
    config.chmod(0o640)
    done = install(config, ENTRY)
    assert done.action == "added"
    assert Path(done.backup).read_bytes() == before
    assert json.loads(config.read_bytes().decode("utf-8-sig"))["mcpServers"]["palimpsest"] == ENTRY
    assert uninstall(config).action == "restored"
    assert config.read_bytes() == before
    assert config.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in config.parent.iterdir()] == [config.name]


@pytest.mark.parametrize("before", FILES.values(), ids=FILES)
def test_an_entry_that_was_changed_in_between_is_taken_out_as_well(config: Path, before: bytes) -> None:
    config.write_bytes(before)
    install(config, ENTRY)
    other = entry_for(["/usr/bin/python3", "-m", "palimpsest", "mcp"])
    assert install(config, other).action == "changed"
    assert install(config, other).action == "unchanged"
    assert uninstall(config).action == "restored"
    assert config.read_bytes() == before


def test_a_file_that_was_not_there_is_made_and_removed(config: Path) -> None:
    assert install(config, ENTRY).action == "added"
    assert config.stat().st_mode & 0o777 == 0o600
    assert uninstall(config).action == "restored"
    assert list(config.parent.iterdir()) == []
    assert uninstall(config).action == "absent"


@pytest.mark.parametrize("before", FILES.values(), ids=FILES)
def test_after_an_edit_of_the_persons_only_ours_goes(config: Path, before: bytes) -> None:
    config.write_bytes(before)
    install(config, ENTRY)
    edited = json.loads(config.read_bytes().decode("utf-8-sig"))
    edited["edited"] = "是"
    config.write_text(json.dumps(edited, indent=2, ensure_ascii=False), encoding="utf-8")
    done = uninstall(config)
    assert done.action == "removed"
    assert json.loads(config.read_text(encoding="utf-8")) == {
        **json.loads(before.decode("utf-8-sig")),
        "edited": "是",
    }


def test_servers_that_were_added_since_stay(config: Path) -> None:
    config.write_bytes(b"{}\n")
    install(config, ENTRY)
    text = config.read_text(encoding="utf-8")
    config.write_text(
        text.replace('"palimpsest":', '"mine": {"command": "m"},\n    "palimpsest":'), encoding="utf-8"
    )
    assert uninstall(config).action == "removed"
    assert json.loads(config.read_text(encoding="utf-8")) == {"mcpServers": {"mine": {"command": "m"}}}


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b'{"a": 1} // remark',
        b"[]",
        b"\xff\xfe{\x00}\x00",
        b'{"mcpServers": []}',
        b"[" * 50_000,
        b"\x80{}",
    ],
)
def test_what_cannot_be_edited_is_left_alone(config: Path, broken: bytes) -> None:
    config.write_bytes(broken)
    with pytest.raises(SettingsError, match=r"claude\.json"):
        install(config, ENTRY)
    assert config.read_bytes() == broken
    assert [path.name for path in config.parent.iterdir()] == [config.name]


def test_a_server_of_that_name_that_is_anothers_is_left_alone(config: Path) -> None:
    before = b'{"mcpServers": {"palimpsest": {"command": "npx", "args": ["other"]}}}'
    config.write_bytes(before)
    for attempt in (lambda: install(config, ENTRY), lambda: uninstall(config)):
        with pytest.raises(SettingsError, match="exists"):
            attempt()
    assert config.read_bytes() == before


def test_a_link_stays_a_link(config: Path) -> None:
    behind = config.parent / "dotfiles" / "claude.json"
    behind.parent.mkdir()
    behind.write_bytes(b'{"a": 1}')
    config.symlink_to(behind)
    install(config, ENTRY)
    assert config.is_symlink()
    assert b"palimpsest" in behind.read_bytes()
    uninstall(config)
    assert config.is_symlink()
    assert behind.read_bytes() == b'{"a": 1}'


def test_a_folder_in_its_place_is_an_error(config: Path) -> None:
    config.mkdir()
    with pytest.raises(SettingsError):
        install(config, ENTRY)


def test_the_lines_for_other_clients_are_what_those_read() -> None:
    import tomllib

    command = ["/opt/a b/palimpsest", "mcp", "--db", 'C:\\x "东".db']
    codex = tomllib.loads(lines_for(CLIENTS["codex"], command))
    assert codex == {"mcp_servers": {"palimpsest": {"command": command[0], "args": command[1:]}}}
    for name in ("gemini", "cursor", "claude-desktop", "other"):
        made = json.loads(lines_for(CLIENTS[name], command))
        assert made == {"mcpServers": {"palimpsest": {"command": command[0], "args": command[1:]}}}
    vscode = json.loads(lines_for(CLIENTS["vscode"], command))
    assert vscode["servers"]["palimpsest"] == {"type": "stdio", "command": command[0], "args": command[1:]}
    opencode = json.loads(lines_for(CLIENTS["opencode"], command))
    assert opencode["mcp"]["palimpsest"]["command"] == command


def test_a_folder_to_follow_is_a_path_or_a_client() -> None:
    assert folder_to_follow("claude").name == "projects"
    assert folder_to_follow("some/where").is_absolute()
    for wrong in ("", "cursor"):
        with pytest.raises(UsageError):
            folder_to_follow(wrong)
    with pytest.raises(UsageError, match="known clients: claude"):
        client_named("clippy")


def test_the_command_starts_with_a_program_that_is_there() -> None:
    command = server_command(["--owner", "ann"])
    assert Path(command[0]).is_file()
    assert command[-3:] == ["mcp", "--owner", "ann"]
