"""Whose a file is, where it says nothing of compaction, and what is read of its older forms."""

from __future__ import annotations

import pytest

from palimpsest.config.other_agents import read_peer
from palimpsest.config.precedence import Table


@pytest.mark.parametrize(
    "table, agent",
    [
        ({"agents": {"defaults": {"workspace": "~/w"}}, "channels": {"chat": {"allowFrom": ["*"]}}}, "OpenClaw"),
        ({"agents": {"list": [{"id": "main"}]}, "session": {"reset": {"atHour": 4}}}, "OpenClaw"),
        ({"gateway": {"port": 18789}, "logging": {"consoleLevel": "info"}}, "OpenClaw"),
        ({"agent": {"workspace": "~/w"}, "channels": {"chat": {"dmPolicy": "open"}}}, "OpenClaw"),
        ({"agents": {"defaults": {"max_tokens": 8_192}}, "channels": {"chat": {"allow_from": []}}}, "PicoClaw"),
        ({"agents": {"defaults": {"context_window": 9_000, "FreshTailCount": 8}}}, "PicoClaw"),
        ({"agents": {"defaults": {"workspace": "~/w"}}}, "PicoClaw"),
        ({"model": {"model": "lab/qwen3"}}, "Hermes"),
    ],
)  # fmt: skip
def test_a_file_is_known_by_how_its_keys_are_written(table: Table, agent: str) -> None:
    found = read_peer(table)
    assert found is not None
    assert found.agent == agent


def test_what_openclaw_once_said_of_its_one_agent_counts_as_what_it_says_of_all() -> None:
    own = {
        "workspace": "~/w",
        "model": {"primary": "lab/qwen3", "fallbacks": ["lab/other"]},
        "compaction": {"keepRecentTokens": 9},
    }
    found = read_peer({"agent": own, "channels": {"chat": {}}})
    assert found is not None
    assert (found.table["model"], found.table["tail_tokens"]) == ("lab/qwen3", 9)
    assert [key for key, _ in found.ignored] == ["agent.workspace", "agent.model.fallbacks", "channels"]


def test_hermes_names_its_model_by_either_of_two_keys() -> None:
    found = read_peer({"model": {"model": "lab/qwen3", "context_length": 40_960}, "compression": {}})
    assert found is not None
    assert found.table == {"preset": "hermes", "model": "lab/qwen3", "window_tokens": 40_960}


def test_a_name_for_display_has_no_effect_and_is_told() -> None:
    models = [{"id": "qwen3", "name": "Qwen 3", "contextWindow": 40_960}]
    found = read_peer(
        {"agents": {"defaults": {"compaction": {}}}, "models": {"providers": {"lab": {"models": models}}}}
    )
    assert found is not None
    assert [key for key, _ in found.ignored] == ["models.providers.lab.models.name"]
