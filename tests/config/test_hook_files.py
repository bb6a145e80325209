"""Hooks in other programs' files: installed once, removed to the byte, and nothing else is touched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.config import hook_files, json_edit
from palimpsest.config.hook_files import AGENTS, Agent
from palimpsest.errors import SettingsError, UsageError
from tests.cli.surroundings import variables
from tests.strategies import json_values

COMMAND = ("/opt/a folder/palimpsest", "hooks", "run", "claude")
OTHER = {"hooks": [{"type": "command", "command": "my-hooks run claude"}]}


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    with variables(HOME=str(tmp_path), CLAUDE_CONFIG_DIR="", CODEX_HOME=""):
        yield tmp_path


def documents() -> st.SearchStrategy[str]:
    """Settings with and without hooks, in several styles."""
    hooks = st.dictionaries(
        st.sampled_from(["PreCompact", "SessionStart", "Stop"]), st.lists(st.just(OTHER), max_size=2)
    )
    fields = st.dictionaries(st.text(max_size=6), json_values(), max_size=3)
    made = st.tuples(fields, st.none() | hooks).map(
        lambda pair: pair[0] | ({"hooks": pair[1]} if pair[1] is not None else {})
    )
    styles: list[dict[str, Any]] = [{"indent": 2}, {"indent": "\t"}, {}, {"separators": (",", ":")}]
    return st.builds(
        lambda value, style, end: json.dumps(value, ensure_ascii=False, **style) + end,
        made,
        st.sampled_from(styles),
        st.sampled_from(["", "\n"]),
    )


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
@given(text=documents())
def test_installing_and_removing_leaves_a_file_as_it_was(
    name: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("home") / "settings.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    agent = Agent(name, "", str(path.parent), "", path.name, AGENTS[name].events)
    before = path.read_bytes()
    try:
        assert hook_files.install(agent, COMMAND).action == "added"
    except SettingsError:
        assert path.read_bytes() == before
        return
    first = path.read_bytes()
    assert hook_files.install(agent, COMMAND).action == "unchanged"
    assert path.read_bytes() == first
    value = json.loads(first)
    for event in agent.events:
        commands = [one["hooks"][0]["command"] for one in value["hooks"][event]]
        assert sum(all(mark in one for mark in hook_files.MARKS) for one in commands) == 1
    assert hook_files.status(agent).installed
    assert hook_files.uninstall(agent).action == "restored"
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@given(text=documents())
def test_what_was_edited_since_stays(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("home") / "settings.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    agent = Agent("claude", "", str(path.parent), "", path.name, AGENTS["claude"].events)
    try:
        hook_files.install(agent, COMMAND)
    except SettingsError:
        return
    edited = json_edit.insert(path.read_text("utf-8", "surrogatepass"), ("added since",), 1)
    path.write_text(edited, "utf-8", "surrogatepass")
    assert hook_files.uninstall(agent).action == "removed"
    expected = json.loads(text) | {"added since": 1}
    assert json.loads(path.read_bytes().decode("utf-8", "surrogatepass")) == expected


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_a_file_that_was_not_there_is_gone_again(name: str, home: Path) -> None:
    agent = hook_files.agent_named(name)
    assert hook_files.uninstall(agent).action == "absent"
    assert not hook_files.status(agent).installed
    edit = hook_files.install(agent, COMMAND)
    assert edit.action == "added"
    assert Path(edit.path).is_relative_to(home)
    assert hook_files.status(agent).installed
    assert hook_files.install(agent, COMMAND).action == "unchanged"
    assert hook_files.install(agent, (*COMMAND, "--owner", "ann")).action == "changed"
    assert hook_files.uninstall(agent).action == "restored"
    assert not Path(edit.path).exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": 5}', '{"hooks": {"PreCompact": {}}}', "\xff"])
def test_a_file_that_cannot_be_edited_is_not_changed(text: str) -> None:
    agent = hook_files.agent_named("claude")
    path = hook_files.file_of(agent)
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError):
        hook_files.install(agent, COMMAND)
    assert path.read_bytes() == text.encode("latin-1")
    assert not hook_files.status(agent).installed


def test_a_file_with_comments_is_not_changed_and_what_to_add_is_said() -> None:
    agent = hook_files.agent_named("gemini")
    path = hook_files.file_of(agent)
    path.parent.mkdir()
    path.write_text('// mine\n{"theme": "dark"}\n')
    with pytest.raises(SettingsError) as caught:
        hook_files.install(agent, COMMAND)
    assert path.read_text() == '// mine\n{"theme": "dark"}\n'
    added = json.loads("{" + str(caught.value.hint).partition("by hand: ")[2] + "}")
    assert set(added["hooks"]) == {"PreCompress", "SessionStart"}
    assert added["hooks"]["SessionStart"][0]["hooks"][0]["timeout"] == 120_000


def test_another_plugin_of_the_same_name_is_not_overwritten() -> None:
    agent = hook_files.agent_named("opencode")
    path = hook_files.file_of(agent)
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = 1\n")
    with pytest.raises(SettingsError, match="another plugin"):
        hook_files.install(agent, COMMAND)
    assert hook_files.uninstall(agent).action == "absent"
    assert path.read_text() == "export const Mine = 1\n"


def test_an_agent_without_hooks_is_refused_with_those_that_have_them() -> None:
    with pytest.raises(UsageError) as caught:
        hook_files.agent_named("emacs")
    assert "claude, codex, gemini, opencode" in (caught.value.hint or "")
