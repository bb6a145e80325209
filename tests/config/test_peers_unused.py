"""Keys of other agents' files that have no effect here, each of which is told."""

from __future__ import annotations

from palimpsest.config.other_agents import read_peer


def test_what_openclaw_says_of_a_provider_besides_windows_has_no_effect_and_is_told() -> None:
    models = [
        {"id": "qwen3", "contextWindow": 40_960, "cost": {"input": 1}},
        {"id": "bare", "reasoning": True},
    ]
    found = read_peer(
        {
            "models": {"providers": {"lab": {"baseUrl": "http://lab", "models": models}}},
            "agents": {"defaults": {"compaction": {"identifierInstructions": "Keep ids."}}},
        }
    )
    assert found is not None
    assert [key for key, _ in found.ignored] == [
        "models.providers.lab.baseUrl",
        "models.providers.lab.models.cost",
        "models.providers.lab.models.reasoning",
        "agents.defaults.compaction.identifierInstructions",
    ]
