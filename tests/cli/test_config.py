"""`palimpsest config`, and that every command keeps to what is configured."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from palimpsest.cli import main
from palimpsest.settings import SETTING_NAMES
from tests.cli.run import Shell
from tests.cli.surroundings import project_in


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """The working folder, an empty project."""
    with project_in(tmp_path) as place:
        yield place


def test_every_setting_is_shown_with_its_value_and_where_it_comes_from(shell: Shell, project: Path) -> None:
    (project / "palimpsest.toml").write_text("preset = 'seahorse'\nfresh_tail_count = 9\nmax_rounds = 3\n")
    os.environ["PALIMPSEST_MAX_ROUNDS"] = "4"
    found = shell.json("config", "show", "--set", "model=openai:gpt-4o")
    assert found["schema"] == "palimpsest.config/1"
    settings = found["settings"]
    assert settings.keys() == set(SETTING_NAMES)
    file = str(project / "palimpsest.toml")
    assert settings["fresh_tail_count"] == {"value": 9, "source": file, "place": "project"}
    assert settings["max_rounds"] == {"value": 4, "source": "PALIMPSEST_MAX_ROUNDS", "place": "environment"}
    assert settings["model"] == {"value": "openai:gpt-4o", "source": "--set", "place": "flag"}
    assert settings["trigger_base"] == {"value": "window", "source": "preset seahorse", "place": "preset"}
    assert settings["leaf_min_fanout"] == {"value": 8, "source": "default", "place": "default"}
    assert settings["window_tokens"]["value"] == 128_000
    assert settings["window_tokens"]["source"].startswith(("genai-prices", "models table"))
    assert found["preset"] == {"value": "seahorse", "source": file, "place": "project"}
    assert found["db"] == {"value": str(shell.db), "source": "--db", "place": "flag"}
    assert (found["files"], found["longest_reply_tokens"], found["agent"]) == ([file], 16_384, "me")


def test_a_person_reads_every_setting_and_the_limits(shell: Shell, project: Path) -> None:
    (project / "palimpsest.toml").write_text("[models.'openai:gpt-5']\nmax_tokens = 700\n")
    ran = shell("config", "show")
    assert ran.code == 0
    assert [name for name in SETTING_NAMES if f"\n{name} " not in ran.out] == []
    assert "window    32,768 tokens  (4 x max_tokens)" in ran.out
    assert "openai:gpt-5: 0 / 700" in ran.out
    assert str(project / "palimpsest.toml") in ran.out


def test_no_part_of_a_key_is_ever_shown(shell: Shell, project: Path) -> None:
    os.environ["OPENAI_API_KEY"] = "invented-key-0123456789"
    os.environ.pop("ANTHROPIC_API_KEY", None)
    shown = shell("config", "show").out
    found = shell.json("config", "show")
    assert (found["keys"]["OPENAI_API_KEY"], found["keys"]["ANTHROPIC_API_KEY"]) == ("set", "not set")
    assert "invented" not in shown + json.dumps(found)


def test_the_paths_of_configuration_are_shown_whether_they_are_there_or_not(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "path"]) == 0
    out = capsys.readouterr().out
    assert "project  none" in out
    assert "config.toml  (does not exist)" in out
    (project / "palimpsest.toml").write_text("")
    assert main(["config", "path", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["project"] == {"path": str(project / "palimpsest.toml"), "exists": True}
    assert found["user"]["exists"] is False


@pytest.mark.parametrize(
    "text, words",
    [
        ("nobody = 1", ["palimpsest.toml", "unknown key 'nobody'"]),
        ("window_tokens = '9'", ["palimpsest.toml", "window_tokens", "give a whole number"]),
        ("x = ", ["palimpsest.toml", "not valid TOML"]),
    ],
)
def test_a_file_that_cannot_be_used_ends_every_command_with_its_name(
    sample: Shell, project: Path, text: str, words: list[str]
) -> None:
    (project / "palimpsest.toml").write_text(text)
    for command in (["list"], ["config", "show"], ["window", "last"]):
        ran = sample(*command)
        assert (ran.code, ran.out) == (4, "")
        assert [word for word in words if word not in ran.err] == []
    failed = sample("config", "show", "--json")
    assert failed.json["schema"] == "palimpsest.config/1"
    assert failed.json["error"]["kind"] == "configuration"


def test_commands_keep_to_flag_then_variable_then_file(sample: Shell, project: Path) -> None:
    def window_tokens(*words: str) -> int:
        return sample.json("window", "last", *words)["window_tokens"]

    (project / "palimpsest.toml").write_text("window_tokens = 40_000\n[agents.nobody]\nwindow_tokens = 9\n")
    assert window_tokens() == 40_000
    os.environ["PALIMPSEST_WINDOW_TOKENS"] = "41_000"
    assert window_tokens() == 41_000
    assert window_tokens("--set", "window_tokens=42_000") == 42_000
    assert window_tokens("--set", "window_tokens=42_000", "--window", "43000") == 43_000


def test_the_table_of_an_agent_counts_for_its_owner_alone(shell: Shell, project: Path) -> None:
    (project / "palimpsest.toml").write_text(
        "compact_threshold = 50_000\n[agents.reviewer]\ncompact_threshold = false\n"
    )
    mine = shell.json("config", "show")["settings"]["compact_threshold"]
    its = shell.json("config", "show", "--owner", "reviewer")["settings"]["compact_threshold"]
    assert (mine["value"], its["value"]) == (50_000, None)
    assert its["source"].endswith("palimpsest.toml [agents.reviewer]")


def test_a_picoclaw_file_counts_and_what_it_says_in_vain_is_told(sample: Shell, project: Path) -> None:
    defaults = {"context_window": 45_056, "FreshTailCount": 3, "temperature": 1}
    (project / "pico.json").write_text(json.dumps({"agents": {"defaults": defaults}}))
    ran = sample("window", "last", "--config", "pico.json", "--json")
    assert ran.json["window_tokens"] == 45_056
    assert "agents.defaults.FreshTailCount, agents.defaults.temperature: no effect here" in ran.err


def test_what_has_no_effect_for_one_reason_is_told_in_one_line_that_names_its_file_once(
    sample: Shell, project: Path
) -> None:
    defaults = {"context_window": 45_056, "max_llm_retries": 2, "temperature": 1}
    (project / "pico.json").write_text(json.dumps({"agents": {"defaults": defaults}}))
    (line,) = sample("window", "last", "--config", "pico.json", "--json").err.splitlines()
    assert line.endswith(
        "pico.json: agents.defaults.max_llm_retries, agents.defaults.temperature: no effect here"
    )
    assert line.count("pico.json") == 1


def test_a_variable_that_is_no_setting_is_told_and_not_taken_for_one(sample: Shell, project: Path) -> None:
    os.environ["PALIMPSEST_WINDOW"] = "9"
    ran = sample("list")
    assert (ran.code, ran.err) == (0, "ignored PALIMPSEST_WINDOW: there is no such setting\n")


def test_a_project_names_its_database(
    sample: Shell, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "palimpsest.toml").write_text(f"db = {str(sample.db)!r}\n")
    assert main(["list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == sample.json("list")


def test_a_group_without_a_command_shows_its_help_and_an_unknown_one_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["config"]) == 0
    assert "show" in capsys.readouterr().out
    assert main(["config", "nobody"]) == 2
    assert "palimpsest config --help" in capsys.readouterr().err


def test_the_trigger_is_shown_with_the_limit_that_applies(sample: Shell) -> None:
    def trigger(*changes: str) -> dict[str, Any]:
        flags = [word for change in changes for word in ("--set", change)]
        return cast("dict[str, Any]", sample.json("config", "show", *flags)["trigger"])

    own = ("preset=seahorse", "max_tokens=32768")
    assert trigger(*own) == {
        "tokens": 98_304,
        "counting": "two_fifths",
        "most_tokens": trigger(*own)["most_tokens"],
        "capped": False,
    }
    assert trigger(*own, "counting=estimate")["capped"]
    assert not trigger(*own, "counting=estimate", "context_threshold_share=0.5")["capped"]
    assert trigger("preset=default") == {}
    assert "90 % of the capacity" in sample("config", "show", "--set", "preset=seahorse").out
