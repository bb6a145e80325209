"""Settings: known names, right types, sensible ranges."""

from __future__ import annotations

import dataclasses

import pytest

from palimpsest.errors import SettingsError
from palimpsest.settings import PRESETS, ModelLimits, Settings, make_settings

NAMES = [field.name for field in dataclasses.fields(Settings)]


def test_the_hierarchical_preset_has_the_numbers_of_the_page() -> None:
    made = make_settings("hierarchical")
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
    plain = make_settings("hierarchical")
    assert (plain.compact_when, plain.trigger_base) == ("background", "capacity")
    assert set(PRESETS) >= {"default", "hierarchical", "seahorse"}


def test_the_default_is_economic_but_nobody_waits_for_it_and_only_what_can_be_read_back_is_gated() -> None:
    made, economic = make_settings(), make_settings("economic")
    assert (made.policy, made.compact_when) == ("economic", "background")
    assert (made.gate_tokens, made.gate_readable_tokens) == (0, economic.gate_tokens)
    changes = {"compact_when": "call", "gate_tokens": 1_500, "gate_readable_tokens": 0}
    smaller = {
        "tail_tokens": 2_000,
        "ledger_tokens": 1_500,
        "window_target_tokens": 0,
        "compact_not_below_share": 0,
    }
    assert dataclasses.replace(made, **changes, **smaller) == economic


def test_the_default_fills_a_target_with_a_long_tail_and_leaves_small_requests_alone() -> None:
    made = make_settings()
    assert (made.window_target_tokens, made.tail_tokens, made.ledger_tokens) == (20_000, 8_000, 1_000)
    assert made.compact_not_below_share == 0.25


@pytest.mark.parametrize("share", [-0.1, 1.1, True, "half", float("nan")])
def test_the_floor_is_a_share(share: object) -> None:
    with pytest.raises(SettingsError, match="compact_not_below_share"):
        make_settings(compact_not_below_share=share)


@pytest.mark.parametrize("preset", ["", "unknown", "Seahorse", None])
def test_an_unknown_preset_is_named_with_those_there_are(preset: str) -> None:
    with pytest.raises(SettingsError, match="choose one of default, hierarchical"):
        make_settings(preset)


@pytest.mark.parametrize("name", ["model", "summarizer", "max_tokens"])
def test_a_function_is_no_setting_and_its_place_is_told(name: str) -> None:
    with pytest.raises(SettingsError, match="complete="):
        make_settings("default", **{name: lambda request: request})


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
    ("condensed_min_fanout", 1), ("condensed_target_tokens", 0), ("max_rounds", 0), ("summary_timeout_s", -1),
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


def test_a_fresh_configuration_leaves_both_limits_to_the_model() -> None:
    for preset in PRESETS:
        made = make_settings(preset)
        assert (made.window_tokens, made.max_tokens, made.model, made.models) == (0, 0, "", ())


def test_a_reply_that_leaves_no_room_in_a_window_that_is_set_is_refused() -> None:
    assert make_settings(window_tokens=1_001, max_tokens=1_000).max_tokens == 1_000
    with pytest.raises(SettingsError, match="leaves no room"):
        make_settings(window_tokens=1_000, max_tokens=1_000)


def test_limits_of_single_models_are_given_as_a_table() -> None:
    made = make_settings(models={"openai:gpt-5": {"window_tokens": 9_000}, "mine": {"max_tokens": 500}})
    assert made.models == (ModelLimits("openai:gpt-5", 9_000, 0), ModelLimits("mine", 0, 500))
    assert make_settings(models=made.models) == made


@pytest.mark.parametrize(
    "models, message",
    [
        ({"mine": {"window": 1}}, "unknown setting models.mine.window"),
        ({"mine": 1}, "setting models.mine cannot be 1"),
        ({"mine": {"window_tokens": -1}}, "setting window_tokens cannot be -1"),
        ({"mine": {"window_tokens": None}}, "setting window_tokens cannot be None"),
        ({1: {}}, "setting models.1 cannot be"),
        ("mine", "setting models cannot be 'mine'"),
        (("mine",), "setting models cannot be"),
    ],
)
def test_a_table_of_models_that_cannot_be_read_is_refused_by_name(models: object, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make_settings(models=models)


def test_the_hermes_preset_has_the_numbers_of_its_page() -> None:
    made = make_settings("hermes")
    assert (made.policy, made.head_turns, made.tail_tokens, made.fresh_tail_count) == (
        "head_tail",
        1,
        20_000,
        3,
    )
    assert (made.context_threshold_share, made.failure_cooldown_s, made.summary_form) == (0.5, 600.0, "page")


def test_the_openclaw_preset_keeps_a_reserve_free_and_the_recent_tokens() -> None:
    made = make_settings("openclaw")
    assert (made.policy, made.head_turns, made.tail_tokens) == ("head_tail", 0, 20_000)
    assert (made.trigger_reserve_tokens, made.identifier_policy) == (20_000, "strict")


def test_the_presets_that_drop_differ_in_their_head_alone() -> None:
    sliding, dropping = make_settings("sliding-window"), make_settings("drop-middle")
    assert (sliding.policy, sliding.head_turns, dropping.head_turns) == ("drop", 0, 1)
    assert dataclasses.replace(sliding, head_turns=1) == dropping
