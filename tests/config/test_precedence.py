"""Layers: the first that names a setting decides it, and every value says where it comes from."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.config.precedence import (
    KEYS,
    Layer,
    Place,
    Value,
    from_environment,
    from_flags,
    from_table,
    merge,
    resolve,
)
from palimpsest.errors import SettingsError
from palimpsest.settings import SETTING_NAMES, ModelLimits, make_settings

PLACES: tuple[Place, ...] = ("flag", "environment", "project", "user")

LAYERS = st.lists(
    st.dictionaries(
        st.sampled_from(KEYS),
        st.builds(Value, st.integers(0, 9), st.text(max_size=3), st.sampled_from(PLACES)),
        max_size=6,
    ),
    max_size=5,
)


@given(LAYERS)
def test_each_key_is_as_the_first_layer_that_has_it_says(layers: list[Layer]) -> None:
    merged = merge(layers)
    assert merged.keys() == {key for layer in layers for key in layer}
    assert all(merged[key] is next(layer[key] for layer in layers if key in layer) for key in merged)


@given(LAYERS, LAYERS)
def test_merging_may_be_grouped_in_any_way_and_an_empty_layer_says_nothing(
    before: list[Layer], after: list[Layer]
) -> None:
    together = merge([*before, *after])
    assert merge([merge(before), merge(after)]) == together
    assert merge([{}, *before, {}, *after]) == together
    assert merge([together, together]) == together


FILES: Mapping[str, tuple[object, object]] = {
    "window_tokens": (9_000, 8_000), "fresh_tail_count": (3, 4), "policy": ("rolling", "hierarchical"),
    "context_threshold_share": (0.5, 0.6), "model": ("a", "b"), "compact_threshold": (None, 7),
}  # fmt: skip


def layers_of(key: str, values: Mapping[Place, object]) -> list[Layer]:
    """A layer for each place that says something of the key, in the order in which they count."""
    return [{key: Value(values[place], f"from {place}", place)} for place in PLACES if place in values]


@pytest.mark.parametrize("key", FILES)
@pytest.mark.parametrize("place", range(len(PLACES) - 1))
def test_each_layer_counts_before_the_next(key: str, place: int) -> None:
    stronger, weaker = FILES[key]
    upper, lower = PLACES[place], PLACES[place + 1]
    config = resolve(layers_of(key, {upper: stronger, lower: weaker}))
    assert getattr(config.settings, key) == stronger
    assert config.values[key] == Value(stronger, f"from {upper}", upper)
    assert getattr(resolve(layers_of(key, {lower: weaker})).settings, key) == weaker


def test_a_preset_counts_after_every_layer_and_before_the_defaults() -> None:
    config = resolve(from_table({"preset": "crabtalk", "fresh_tail_count": 5}, "p.toml", "project"))
    assert config.preset == Value("crabtalk", "p.toml", "project")
    assert config.values["fresh_tail_count"] == Value(5, "p.toml", "project")
    assert config.values["compact_threshold"] == Value(100_000, "preset crabtalk", "preset")
    assert config.values["max_rounds"] == Value(20, "default", "default")
    assert config.values.keys() == set(SETTING_NAMES)


def test_the_options_of_a_configuration_open_an_engine_with_the_same_settings() -> None:
    table = {"preset": "seahorse", "compact_threshold": False, "models": {"mine": {"max_tokens": 9}}}
    config = resolve(from_table(table, "p.toml", "project"))
    options = config.options()
    preset = str(options.pop("preset"))
    assert options == {"compact_threshold": None, "models": (ModelLimits("mine", 0, 9),)}
    assert make_settings(preset, **options) == config.settings
    assert resolve([]).options() == {"preset": "default"}


def test_an_agents_table_counts_before_its_own_file_and_after_the_files_above() -> None:
    table = {
        "compact_threshold": 50_000,
        "fresh_tail_count": 9,
        "agents": {"reviewer": {"compact_threshold": "off"}, "other": {"compact_threshold": 7}},
    }
    config = resolve(from_table(table, "u.toml", "user", agent="reviewer"))
    assert config.values["compact_threshold"] == Value(None, "u.toml [agents.reviewer]", "user")
    assert config.settings.fresh_tail_count == 9
    nobody = resolve(from_table(table, "u.toml", "user"))
    assert nobody.settings.compact_threshold == 50_000
    above = from_table({"compact_threshold": 1}, "p.toml", "project", agent="reviewer")
    both = resolve([*above, *from_table(table, "u.toml", "user", agent="reviewer")])
    assert both.settings.compact_threshold == 1


@pytest.mark.parametrize("off", [False, "off", "OFF", "none", None])
def test_an_absolute_trigger_is_switched_off_in_the_ways_each_language_has(off: object) -> None:
    (layer,) = from_table({"compact_threshold": off}, "p.toml", "project")
    assert layer["compact_threshold"].value is None


def test_each_limit_of_each_model_is_decided_for_itself() -> None:
    upper = from_table({"models": {"a:b.2": {"window_tokens": 5}}}, "p", "project")
    lower = from_table({"models": {"a:b.2": {"window_tokens": 9, "max_tokens": 2}, "c": {}}}, "u", "user")
    config = resolve([*upper, *lower])
    assert config.settings.models == (ModelLimits("a:b.2", 5, 2),)
    assert config.values["models"].source == "u, p"


@pytest.mark.parametrize(
    "table, message",
    [
        ({"windowtokens": 1}, "p.toml: unknown key 'windowtokens'"),
        ({"window_tokens": "9"}, "p.toml: setting window_tokens cannot be '9'"),
        ({"max_rounds": None}, "p.toml: setting max_rounds cannot be None"),
        ({"window_tokens": True}, "p.toml: setting window_tokens cannot be True"),
        ({"preset": "best"}, "p.toml: unknown preset 'best'"),
        ({"preset": 1}, "p.toml: unknown preset 1"),
        ({"db": 3}, "p.toml: db cannot be 3"),
        ({"agents": 3}, "p.toml: agents cannot be 3"),
        ({"agents": {"x": 3}}, r"p.toml \[agents.x\]: cannot be 3"),
        ({"agents": {"x": {"db": "a.db"}}}, r"p.toml \[agents.x\]: unknown key 'db'"),
        ({"agents": {"x": {"max_rounds": 0}}}, r"p.toml \[agents.x\]: setting max_rounds cannot be 0"),
        ({"models": {"m": {"size": 1}}}, "p.toml: unknown setting models.m.size"),
    ],
)
def test_what_a_file_cannot_say_is_refused_with_its_file_and_key(
    table: dict[str, object], message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        from_table(table, "p.toml", "project")
    assert caught.value.hint


@pytest.mark.parametrize(
    "key, hint",
    [
        ("windowtokens", "did you mean window_tokens"),
        ("FRESH_TAIL", "fresh_tail_count"),
        ("agent", "agents?"),
        ("x" * 1_000_000, "known keys: preset, db, "),
        ("", "known keys: "),
    ],
)
def test_a_wrong_key_is_told_with_those_that_it_is_like(key: str, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        from_table({key: 1}, "p.toml", "project")
    assert hint in caught.value.hint


def test_layers_that_contradict_each_other_are_named() -> None:
    upper = from_table({"window_tokens": 1_000}, "p.toml", "project")
    lower = from_table({"max_tokens": 2_000}, "u.toml", "user")
    with pytest.raises(SettingsError, match=r"leaves no room .*p.toml, u.toml"):
        resolve([*upper, *lower])


def test_variables_are_read_as_the_settings_type_and_unknown_ones_are_reported() -> None:
    layer, ignored = from_environment(
        {
            "PALIMPSEST_WINDOW_TOKENS": "64_000",
            "PALIMPSEST_CONTEXT_THRESHOLD_SHARE": "0.5",
            "PALIMPSEST_COMPACT_THRESHOLD": "off",
            "PALIMPSEST_PRESET": "seahorse",
            "PALIMPSEST_DB": "a.db",
            "PALIMPSEST_MAX_TOKENS": "",
            "PALIMPSEST_WINDOW": "9",
            "PALIMPSEST_MODELS": "x",
            "PALIMPSEST_DEBUG": "1",
            "WINDOW_TOKENS": "1",
        }
    )
    assert {key: value.value for key, value in layer.items()} == {
        "window_tokens": 64_000, "context_threshold_share": 0.5, "compact_threshold": None, "preset": "seahorse",
        "db": "a.db",
    }  # fmt: skip
    assert layer["window_tokens"] == Value(64_000, "PALIMPSEST_WINDOW_TOKENS", "environment")
    assert [name for name, _ in ignored] == ["PALIMPSEST_MODELS", "PALIMPSEST_WINDOW"]


@pytest.mark.parametrize("text", ["many", "1.5", "-1", "nan"])
def test_a_variable_of_the_wrong_type_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(SettingsError, match="PALIMPSEST_WINDOW_TOKENS: setting window_tokens cannot be"):
        from_environment({"PALIMPSEST_WINDOW_TOKENS": text})


def test_flags_of_their_own_count_before_the_general_one() -> None:
    layer = from_flags(["window_tokens=5", "model=a=b"], window_tokens=("--window", 9), db=("--db", None))
    assert layer == {
        "window_tokens": Value(9, "--window", "flag"),
        "model": Value("a=b", "--set", "flag"),
    }


@pytest.mark.parametrize("text", ["", "model", "models=x", "nobody=1", "max_rounds=many"])
def test_a_general_flag_that_cannot_be_used_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="--set"):
        from_flags([text])
