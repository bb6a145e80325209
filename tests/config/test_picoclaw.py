"""What a PicoClaw config.json changes, and what in it has no effect."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    "config", [{}, {"agents": {}}, {"agents": {"defaults": {}}}, {"agents": None}, {"agents": []}]
)
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
    assert found.changes == {"max_tokens": 4_096}
    assert [key for key, _ in found.ignored] == ["agents.defaults.workspace", "agents.defaults.temperature"]
    assert is_picoclaw(_config())
    assert not is_picoclaw({"agents": {"reviewer": {}}, "window_tokens": 1})
