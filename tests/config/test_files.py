"""Files of configuration: which are found, how they are read, and what is said of those that cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import palimpsest
from palimpsest.config.files import MAX_BYTES, USER_FILE, find_project_file, load_config, read_config
from palimpsest.config.other_agents import NO_EFFECT
from palimpsest.config.paths import user_folder
from palimpsest.errors import NotFound, SettingsError
from tests.cli.surroundings import nothing_configured, project_in


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A folder of a project, and a person's folder for configuration beside it."""
    with nothing_configured(tmp_path), project_in(tmp_path) as place:
        yield place


def own_file() -> Path:
    return user_folder("config") / USER_FILE


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_nearest_project_file_is_found_from_any_folder_below_it(project: Path) -> None:
    inner = project / "a" / "b"
    inner.mkdir(parents=True)
    write(inner / "pyproject.toml", "[project]\nname = 'other'\n")
    assert find_project_file(inner) is None
    outer = write(project / "pyproject.toml", "[tool.palimpsest]\nmax_rounds = 3\n")
    assert find_project_file(inner) == outer
    beside = write(project / "palimpsest.toml", "max_rounds = 4\n")
    assert find_project_file(inner) == beside
    nearer = write(project / "a" / "palimpsest.toml", "max_rounds = 5\n")
    assert find_project_file(inner) == nearer
    assert load_config(inner, environment={})["max_rounds"] == 5


def test_a_table_in_a_pyproject_file_is_read_and_the_rest_of_it_left_alone(project: Path) -> None:
    write(project / "pyproject.toml", "[project]\nname = 'x'\n[tool.palimpsest]\npreset = 'seahorse'\n")
    assert load_config(project, environment={}) == {"preset": "seahorse"}


def test_another_projects_broken_file_is_no_obstacle(project: Path) -> None:
    (project / "pyproject.toml").write_bytes(b"\xff\xfe tool.palimpsest")
    assert load_config(project, environment={}) == {"preset": "default"}


def test_variables_count_before_the_project_and_the_project_before_the_person(project: Path) -> None:
    write(project / "palimpsest.toml", "max_rounds = 4\nfresh_tail_count = 5\n")
    write(own_file(), "max_rounds = 1\nfresh_tail_count = 1\nleaf_min_fanout = 3\n")
    found = read_config(project, environment={"PALIMPSEST_MAX_ROUNDS": "9"})
    made = found.settings
    assert (made.max_rounds, made.fresh_tail_count, made.leaf_min_fanout) == (9, 5, 3)
    assert found.values["leaf_min_fanout"].source == str(own_file())
    assert found.files == (str(project / "palimpsest.toml"), str(own_file()))
    assert load_config(project, environment={}, user=False) == {
        "preset": "default", "max_rounds": 4, "fresh_tail_count": 5,
    }  # fmt: skip


def test_a_named_file_takes_the_place_of_the_projects(project: Path) -> None:
    write(project / "palimpsest.toml", "max_rounds = 4\n")
    other = write(project / "other.json", json.dumps({"compact_threshold": None, "fresh_tail_count": 2}))
    for found in (
        load_config(project, file=other, environment={}),
        load_config(project, environment={"PALIMPSEST_CONFIG": str(other)}),
    ):
        assert found == {"preset": "default", "compact_threshold": None, "fresh_tail_count": 2}
    with pytest.raises(NotFound, match="no such file"):
        load_config(project, file=project / "missing.toml")


def test_a_picoclaw_file_is_read_and_says_what_it_ignores(project: Path) -> None:
    defaults = {"context_window": 65_536, "FreshTailCount": 3}
    other = write(project / "config.json", json.dumps({"agents": {"defaults": defaults}, "channels": {}}))
    found = read_config(project, file=other, environment={})
    assert found.settings.window_tokens == 65_536
    ((key, why),) = found.ignored
    assert key == f"{other}: agents.defaults.FreshTailCount"
    assert why == NO_EFFECT
    write(other, json.dumps({"agents": {"defaults": {"context_window": "large"}}}))
    with pytest.raises(SettingsError, match=r"config.json: setting window_tokens cannot be 'large'"):
        load_config(project, file=other)


def test_paths_are_seen_from_the_folder_of_the_file_that_names_them(project: Path) -> None:
    table = "db = '.palimpsest/agent.db'\nprompts_folder = 'a'\n[agents.x]\nprompts_folder = 'b'\n"
    write(project / "palimpsest.toml", table)
    assert load_config(project, environment={})["prompts_folder"] == str(project / "a")
    assert load_config(project, agent="x", environment={})["prompts_folder"] == str(project / "b")
    found = read_config(project / "deep" / "er", environment={})
    assert found.db is not None
    assert found.db.value == str(project / ".palimpsest" / "agent.db")


@pytest.mark.parametrize(
    "name, data, message",
    [
        ("palimpsest.toml", b"max_rounds = ", "is not valid TOML"),
        ("palimpsest.toml", b"max_rounds = " + b"9" * 5_000, "is not valid TOML"),
        ("palimpsest.toml", b"max_rounds = " + b"[" * 100_000, "is not valid TOML"),
        ("palimpsest.toml", b"a = '\xff'", "is not UTF-8"),
        ("palimpsest.toml", b"#" * (MAX_BYTES + 1), "is larger than"),
        ("palimpsest.toml", b"[agents]\nx = 1", r"palimpsest.toml \[agents.x\]: cannot be 1"),
        ("palimpsest.json", b"{", "is not valid JSON"),
        ("palimpsest.json", b"[]", "is not a JSON object"),
        ("palimpsest.json", b'{"max_rounds": 0}', "palimpsest.json: setting max_rounds cannot be 0"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(project: Path, name: str, data: bytes, message: str) -> None:
    (project / name).write_bytes(data)
    with pytest.raises(SettingsError, match=message) as caught:
        load_config(project, file=project / name)
    assert name in str(caught.value)


async def test_an_engine_opened_with_a_configuration_keeps_to_it(project: Path) -> None:
    write(project / "palimpsest.toml", "window_tokens = 9_000\n[agents.reviewer]\nmax_tokens = 700\n")
    options = load_config(project, agent="reviewer", environment={})
    async with palimpsest.open(":memory:", owner="reviewer", **options) as engine:
        assert (engine.settings.window_tokens, engine.settings.max_tokens) == (9_000, 700)
    async with palimpsest.open(":memory:") as engine:
        assert engine.settings.window_tokens == 0
