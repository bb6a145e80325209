"""Settings: known names, right types, sensible ranges, and what a PicoClaw config file changes."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import SettingsError
from palimpsest.settings import PRESETS, Settings, make_settings, read_picoclaw_config

NAMES = [field.name for field in dataclasses.fields(Settings)]


def test_the_defaults_are_the_numbers_of_the_page() -> None:
    made = make_settings()
    assert (made.fresh_tail_count, made.leaf_min_fanout, made.leaf_chunk_tokens, made.leaf_target_tokens) == (
        32,
        8,
        20_000,
        1_200,
    )
    assert (made.condensed_min_fanout, made.condensed_target_tokens, made.context_threshold_share) == (
        4,
        2_000,
        0.75,
    )
    assert (made.max_rounds, made.summarize_message_threshold) == (20, 20)


def test_the_seahorse_preset_awaits_its_leaf_and_counts_from_the_window() -> None:
    made = make_settings("seahorse")
    assert (made.compact_when, made.trigger_base) == ("end_turn", "window")
    assert (make_settings().compact_when, make_settings().trigger_base) == ("background", "capacity")
    assert set(PRESETS) >= {"default", "seahorse"}


@pytest.mark.parametrize("preset", ["", "unknown", "Seahorse", None])
def test_an_unknown_preset_is_named_with_those_there_are(preset: str) -> None:
    with pytest.raises(SettingsError, match="choose one of default, seahorse"):
        make_settings(preset)


@pytest.mark.parametrize("name", ["", "window", "windowTokens", "FreshTailCount", "window_tokens "])
def test_an_unknown_setting_is_named_with_those_there_are(name: str) -> None:
    with pytest.raises(SettingsError, match=r"unknown setting.*window_tokens"):
        make_settings("default", **{name: 1})


WRONG: list[tuple[str, object]] = [
    ("window_tokens", -1), ("window_tokens", 1.5), ("window_tokens", "128000"), ("window_tokens", True),
    ("max_tokens", -5),
    ("context_threshold_share", 0), ("context_threshold_share", 1.01), ("context_threshold_share", float("nan")),
    ("context_threshold_share", "75%"), ("trigger_base", "sky"), ("trigger_base", ["window"]), ("compact_when", 3),
    ("fresh_tail_count", -1), ("leaf_min_fanout", 0), ("leaf_chunk_tokens", 0), ("leaf_target_tokens", 0),
    ("condensed_min_fanout", 1), ("condensed_target_tokens", 0), ("max_rounds", 0), ("summary_timeout_s", 0),
    ("summary_timeout_s", float("inf")), ("summary_timeout_s", float("nan")), ("summary_model", 7),
    ("summarize_message_threshold", -1), ("window_tokens", float("inf")),
]  # fmt: skip


@pytest.mark.parametrize("name, value", WRONG)
def test_a_value_of_the_wrong_type_or_out_of_range_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(SettingsError, match=f"setting {name} cannot be") as caught:
        make_settings("default", **{name: value})
    assert caught.value.hint


@pytest.mark.parametrize("name", [name for name in NAMES if name != "compact_threshold"])
def test_none_means_what_the_preset_has(name: str) -> None:
    assert make_settings("seahorse", **{name: None}) == make_settings("seahorse")


def _made(window_tokens: int, max_tokens: int) -> Settings | None:
    try:
        return make_settings(window_tokens=window_tokens, max_tokens=max_tokens)
    except SettingsError:
        return None


@given(st.integers(0, 10**9) | st.just(0), st.integers(0, 10**9) | st.just(0))
def test_the_reply_always_leaves_room_in_the_window(window_tokens: int, max_tokens: int) -> None:
    made = _made(window_tokens, max_tokens)
    window = window_tokens or 4 * max_tokens
    reply = max_tokens or min(8_192, window_tokens // 4)
    possible = Settings(window_tokens=window, max_tokens=reply) if reply < window else None
    assert made == possible


def test_a_window_of_zero_is_four_times_the_reply() -> None:
    assert make_settings(window_tokens=0, max_tokens=1_000).window_tokens == 4_000
    assert make_settings(window_tokens=0).window_tokens == 4 * make_settings().max_tokens
    assert make_settings(window_tokens=8_000).max_tokens == 2_000
    with pytest.raises(SettingsError, match="both 0"):
        make_settings(window_tokens=0, max_tokens=0)
    with pytest.raises(SettingsError, match="leaves no room"):
        make_settings(window_tokens=1_000, max_tokens=1_000)


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
        assert setting in why


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
