"""What a PicoClaw config.json changes, and what in it has no effect."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from palimpsest.config.files import read_config
from palimpsest.config.other_agents import is_picoclaw, read_picoclaw_config
from palimpsest.errors import SettingsError
from palimpsest.settings import make_settings


def _config(**defaults: object) -> dict[str, object]:
    return {"agents": {"defaults": defaults}, "channels": {}}


def test_a_picoclaw_config_changes_what_its_page_says() -> None:
    found = read_picoclaw_config(
        _config(
            context_window=131_072,
            summarize_token_percent=60,
            summarize_message_threshold=12,
            max_tokens=4_096,
        )
    )
    assert found.table["preset"] == "seahorse"
    made = make_settings("seahorse", **found.changes)
    assert (made.window_tokens, made.max_tokens) == (131_072, 4_096)
    assert (made.context_threshold_share, made.summarize_message_threshold) == (0.6, 12)
    assert found.ignored == ()


CONSTANTS = {
    "FreshTailCount": "fresh_tail_count", "LeafMinFanout": "leaf_min_fanout", "LeafChunkTokens": "leaf_chunk_tokens",
    "LeafTargetTokens": "leaf_target_tokens", "CondensedMinFanout": "condensed_min_fanout",
    "CondensedTargetTokens": "condensed_target_tokens", "ContextThreshold": "context_threshold_share",
}  # fmt: skip


@pytest.mark.parametrize("constant, setting", CONSTANTS.items())
def test_the_engines_constants_have_no_effect_in_that_file_and_are_reported(
    constant: str, setting: str
) -> None:
    for key in (constant, setting):
        found = read_picoclaw_config(_config(**{key: 1}))
        assert found.changes == {}
        ((name, why),) = found.ignored
        assert name == f"agents.defaults.{key}"
        assert "no effect" in why


@pytest.mark.parametrize("config", [{}, {"agents": {}}, {"agents": None}, {"agents": []}])
def test_a_picoclaw_config_without_defaults_changes_nothing(config: dict[str, object]) -> None:
    found = read_picoclaw_config(config)
    assert (found.changes, found.ignored) == ({}, ())


@pytest.mark.parametrize(
    "key, value",
    [
        ("context_window", "large"), ("context_window", -1), ("summarize_token_percent", 0),
        ("summarize_token_percent", 101),
        ("summarize_token_percent", "75"), ("summarize_token_percent", True), ("summarize_message_threshold", 1.5),
        ("max_tokens", []), ("summarize_token_percent", float("nan")),
    ],
)  # fmt: skip
def test_a_wrong_value_in_a_picoclaw_config_is_refused(key: str, value: object) -> None:
    with pytest.raises(SettingsError, match="cannot be"):
        read_picoclaw_config(_config(**{key: value}))


def test_what_does_not_concern_the_context_is_reported_and_only_that_file_is_taken_for_one() -> None:
    found = read_picoclaw_config(_config(max_tokens=4_096, workspace="~/boats", temperature=0.7))
    assert found.table == {"preset": "seahorse", "max_tokens": 4_096, "db": "~/boats/sessions/seahorse.db"}
    assert [key for key, _ in found.ignored] == ["agents.defaults.temperature"]
    assert is_picoclaw(_config())
    assert not is_picoclaw({"agents": {"reviewer": {}}, "window_tokens": 1})


def test_the_context_manager_and_the_model_are_those_of_the_file() -> None:
    models = [{"model_name": "main", "model": "openai/gpt-5", "api_keys": ["sk-1"]}]
    found = read_picoclaw_config(
        {**_config(context_manager="legacy", model_name="main"), "model_list": models}
    )
    assert (found.table["preset"], found.table["model"]) == ("picoclaw", "openai/gpt-5")
    assert [key for key, _ in found.ignored] == ["model_list.api_keys"]
    assert read_picoclaw_config(_config(model_name="lab/own")).changes["model"] == "lab/own"


def _read(folder: Path, environment: dict[str, str], **defaults: object) -> tuple[object, list[str]]:
    path = folder / "config.json"
    path.write_text(json.dumps(_config(**defaults)), encoding="utf-8")
    found = read_config(file=path, environment=environment, user=False)
    assert found.db is not None
    return found.db.value, [why for _, why in found.ignored]


def test_the_database_is_in_the_workspace_of_the_file(tmp_path: Path) -> None:
    assert _read(tmp_path, {}, max_tokens=4_096)[0] == "~/.picoclaw/workspace/sessions/seahorse.db"
    assert _read(tmp_path, {"PICOCLAW_HOME": "/srv"})[0] == "/srv/workspace/sessions/seahorse.db"
    assert _read(tmp_path, {}, workspace="/boats")[0] == "/boats/sessions/seahorse.db"


def test_a_database_of_picoclaws_own_stays_as_it_is_and_is_told(tmp_path: Path) -> None:
    place = tmp_path / "sessions" / "seahorse.db"
    place.parent.mkdir()
    link = sqlite3.connect(place)
    link.execute("create table conversations(conversation_id)")
    link.close()
    db, told = _read(tmp_path, {}, workspace=str(tmp_path))
    assert db == str(place.with_name("palimpsest.db"))
    assert [why for why in told if "can be imported" in why]
    link = sqlite3.connect(place)
    link.execute("PRAGMA application_id = 7")
    link.close()
    assert _read(tmp_path, {}, workspace=str(tmp_path)) == (str(place), [])
