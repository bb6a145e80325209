"""Configuration files of other agents: what they change here, and what in them has no effect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.model_limits import find_limits
from palimpsest.config.files import read_config
from palimpsest.config.json5_yaml import read_loose_json, read_yaml
from palimpsest.config.other_agents import NO_EFFECT, is_crabtalk, read_peer
from palimpsest.errors import SettingsError

OPENCLAW = """
// the gateway's file
{
  gateway: { mode: 'local', port: 18789, },
  agents: {
    defaults: {
      model: { primary: "openai/gpt-5" }, /* the main one */
      contextTokens: 128000,
      compaction: {
        mode: "safeguard",
        reserveTokens: 16384,
        reserveTokensFloor: 24000,
        keepRecentTokens: 30000,
        identifierPolicy: "custom",
        identifierInstructions: "Keep // ticket ids, and host:port pairs.",
        timeoutSeconds: 900,
        memoryFlush: { enabled: true },
      },
    },
  },
}
"""

HERMES = """
# settings
model:
  default: "anthropic/claude-opus-4.5"   # the main one
  context_length: 200000
compression:
  enabled: true
  threshold: 0.60
  target_ratio: 0.20
  threshold_tokens: null
  protect_last_n: 12
  tail_mode: lean
auxiliary:
  compression:
    model: google/gemini-flash
    provider: auto
    base_url: null
terminal:
  env:
    - NAME
    - key: OTHER
      value: 1
  prompt: |
    compression:
      threshold: 9
context:
  engine: lcm
"""

CRABTALK = """
[provider.main]
kind = "openai"

[system.crab]
compact_threshold = 80_000

[agents.reviewer]
description = "reads code"
model = "gpt-5"
compact_threshold = 50_000
compact_tool_max_len = 1024
"""


def saved(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_openclaw_file_is_read_as_it_is(tmp_path: Path) -> None:
    found = read_config(file=saved(tmp_path, "openclaw.json", OPENCLAW), environment={}, user=False)
    made = found.settings
    assert (found.preset.value, made.policy) == ("openclaw", "head_tail")
    assert (made.window_tokens, made.model) == (128_000, "openai/gpt-5")
    assert (made.trigger_reserve_tokens, made.tail_tokens) == (24_000, 30_000)
    assert made.identifier_policy == "custom"
    assert made.identifier_instructions == "Keep // ticket ids, and host:port pairs."
    assert made.summary_timeout_s == 900
    keys = [key.rpartition(": ")[2] for key, _ in found.ignored]
    inner = "agents.defaults.compaction."
    assert keys == ["gateway", f"{inner}mode", f"{inner}memoryFlush"]
    assert {why for _, why in found.ignored} == {NO_EFFECT}


def test_a_hermes_file_is_read_as_it_is(tmp_path: Path) -> None:
    found = read_config(file=saved(tmp_path, "config.yaml", HERMES), environment={}, user=False)
    made = found.settings
    assert (found.preset.value, made.policy, made.failure_cooldown_s) == ("hermes", "head_tail", 600)
    assert (made.window_tokens, made.model) == (200_000, "anthropic/claude-opus-4.5")
    assert (made.context_threshold_share, made.fresh_tail_count) == (0.6, 12)
    assert made.tail_tokens == 24_000
    assert made.summary_model == "google/gemini-flash"
    keys = [key.rpartition(": ")[2] for key, _ in found.ignored]
    assert keys == ["compression.tail_mode", "auxiliary.compression.provider", "terminal", "context"]


def test_a_hermes_file_with_mappings_in_braces_says_the_same(tmp_path: Path) -> None:
    text = """
    model: {default: "gpt-5", context_length: 100_000}  # mine
    compression: {enabled: true, threshold: 0.6, summary_model: 'google/gemini-flash', protect_last_n: 12}
    auxiliary: {compression: {provider: auto, model: "", timeout: 120}, vision: {model: x}}
    """
    found = read_config(file=saved(tmp_path, "config.yaml", text), environment={}, user=False)
    made = found.settings
    assert (made.window_tokens, made.model, made.summary_timeout_s) == (100_000, "gpt-5", 120)
    assert (made.context_threshold_share, made.fresh_tail_count) == (0.6, 12)
    assert made.summary_model == "google/gemini-flash"
    keys = [key.rpartition(": ")[2] for key, _ in found.ignored]
    assert keys == ["auxiliary.compression.provider", "auxiliary.vision"]


@pytest.mark.parametrize(
    "text,value",
    [
        ("{}", {}),
        ("{b: http://x:1/y, c: , 'd e': [1, 2],}", {"b": "http://x:1/y", "c": None, "d e": [1, 2]}),
        ("{b: {c: {d: -1}}, e: no}  # so", {"b": {"c": {"d": -1}}, "e": False}),
        ("'{{ template }}'", "{{ template }}"),
        ("|\n  one\n  two", "one\ntwo\n"),
        ("!vault x", "!vault"),
    ],
)
def test_mappings_in_braces_quoted_braces_blocks_and_tags_are_read(text: str, value: object) -> None:
    assert read_yaml(f"a: {text}\nz: 1") == {"a": value, "z": 1}


def test_the_target_ratio_of_hermes_needs_a_window_and_says_so() -> None:
    found = read_peer({"compression": {"target_ratio": 0.2}})
    assert found is not None
    assert "tail_tokens" not in found.table
    assert [key for key, _ in found.ignored] == ["compression.target_ratio"]


def test_a_crabtalk_file_is_read_as_it_is_for_each_agent(tmp_path: Path) -> None:
    path = saved(tmp_path, "CrabTalk.toml", CRABTALK)
    one = read_config(file=path, agent="reviewer", environment={}, user=False)
    everyone = read_config(file=path, environment={}, user=False)
    assert (one.settings.compact_threshold, one.settings.model) == (50_000, "gpt-5")
    assert (everyone.settings.compact_threshold, everyone.preset.value) == (80_000, "crabtalk")
    keys = [key.rpartition(": ")[2] for key, _ in everyone.ignored]
    assert keys == ["provider", "agents.reviewer.description", "agents.reviewer.compact_tool_max_len"]


@pytest.mark.parametrize(
    "table",
    [
        {"agents": {"defaults": {"compaction": {"enabled": False}}}},
        {"compression": {"enabled": False}},
    ],
)
def test_a_compaction_that_is_switched_off_is_off_here(table: dict[str, object], tmp_path: Path) -> None:
    path = saved(tmp_path, "agent.json", json.dumps(table))
    assert read_config(file=path, environment={}, user=False).settings.compact_threshold is None


@pytest.mark.parametrize(
    "table, named",
    [
        ({"agents": {"defaults": {"compaction": {"keepRecentTokens": "many"}}}}, "tail_tokens"),
        ({"agents": {"defaults": {"compaction": {"reserveTokens": -1}}}}, "trigger_reserve_tokens"),
        ({"agents": {"defaults": {"compaction": {"identifierPolicy": "loose"}}}}, "identifier_policy"),
        ({"compression": {"threshold": 50}}, "context_threshold_share"),
        ({"compression": {"target_ratio": "a lot"}}, "target_ratio"),
        ({"compression": {"protect_last_n": 1.5}}, "fresh_tail_count"),
    ],
)
def test_a_wrong_value_is_refused_with_the_file_and_the_setting(
    table: dict[str, object], named: str, tmp_path: Path
) -> None:
    path = saved(tmp_path, "agent.json", json.dumps(table))
    with pytest.raises(SettingsError, match=f"agent.json.*{named} cannot be"):
        read_config(file=path, environment={}, user=False)


def test_our_own_files_are_nobody_elses() -> None:
    own = {"preset": "seahorse", "agents": {"reviewer": {"compact_threshold": 9, "model": "gpt-5"}}}
    assert not is_crabtalk(own)
    assert read_peer(own) is None


def test_a_line_of_yaml_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"config\.yaml: line 2 is not valid YAML: could not find expected ':'"
    ):
        read_config(file=saved(tmp_path, "config.yaml", "a: 1\nnonsense\n"), environment={}, user=False)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, st.sampled_from((None, 2)))
def test_what_is_plain_json_is_read_as_such(value: object, indent: int | None) -> None:
    assert read_loose_json(json.dumps(value, indent=indent)) == value
    assert read_loose_json(json.dumps(value, ensure_ascii=False)) == value


@given(
    st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.integers() | st.booleans(), max_size=4)
)
def test_mappings_of_yaml_come_back(inner: dict[str, object]) -> None:
    lines = ["outer:  # a comment"] + [f"  {key}: {json.dumps(value)}" for key, value in inner.items()]
    assert read_yaml("\n".join([*lines, "last: 'x: # y'"])) == {"outer": inner or None, "last": "x: # y"}


SILENT = {
    "openclaw.json": [
        (
            {"agents": {"defaults": {"compaction": ["x"], "contextTokens": 9_000}}},
            "agents.defaults.compaction",
        ),
        (
            {"agents": {"defaults": {"compaction": {}, "model": {"primary": "a", "fallbacks": ["b"]}}}},
            "agents.defaults.model.fallbacks",
        ),
        ({"agents": {"defaults": {"compaction": {}}, "list": [{"id": "a"}]}}, "agents.list"),
        ({"agents": {"defaults": {"compaction": {}}}, "$include": "base.json"}, "$include"),
    ],
    "config.json": [
        ({"agents": {"defaults": {"max_tokens": 9}, "list": [{"id": "a"}]}}, "agents.list"),
        ({"agents": {"defaults": {"max_tokens": 9}}, "tools": {"web": True}}, "tools"),
    ],
    "hermes.json": [
        ({"compression": {"threshold": 0.5}, "auxiliary": "none"}, "auxiliary"),
        ({"compression": {"threshold": 0.5}, "auxiliary": {"compression": "fast"}}, "auxiliary.compression"),
        ({"compression": {"threshold": 0.5}, "context": "lcm"}, "context"),
        (
            {"compression": {"threshold": 0.5}, "context": {"engine": "compressor", "depth": 2}},
            "context.depth",
        ),
    ],
    "crab.json": [
        ({"provider": {"x": 1}, "agents": {"bob": 3}}, "agents.bob"),
        ({"mcps": {"x": 1}, "include": ["other.toml"]}, "include"),
    ],
}


@pytest.mark.parametrize("table, key", [case for cases in SILENT.values() for case in cases])
def test_no_key_is_without_effect_in_silence(table: dict[str, object], key: str) -> None:
    found = read_peer(table)
    assert found is not None
    assert key in [name for name, _ in found.ignored]


@pytest.mark.parametrize(
    "table",
    [
        {"agents": {"defaults": {"compaction": {"enabled": "false"}}}},
        {"compression": {"enabled": "no"}},
        {"compression": {"enabled": 0}},
    ],
)
def test_what_switches_compaction_off_is_yes_or_no_and_nothing_like_it(table: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="enabled cannot be"):
        read_peer(table)


@pytest.mark.parametrize(
    "text, value",
    [
        ("[.5, +4, 0x1F, -.5, 5., -0xA, 1e5, -1.5e-3]", [0.5, 4, 31, -0.5, 5, -10, 100_000.0, -0.0015]),
        ("{a: 'it\\'s \"x\" \\x41\\n'}", {"a": 'it\'s "x" A\n'}),
        ('{a: "one \\\nline, +4 .5 0x1"}', {"a": "one line, +4 .5 0x1"}),
    ],
)
def test_numbers_and_strings_are_read_as_json5_has_them(text: str, value: object) -> None:
    assert read_loose_json(text) == value


def test_an_error_behind_a_comment_of_several_lines_names_its_place() -> None:
    with pytest.raises(ValueError, match=":4 "):
        read_loose_json("{/* one\n two\n*/ a: 1,\nb: ?}")


def test_what_an_anchor_names_is_read_where_it_is_named_again() -> None:
    text = "x: &all\n  threshold: 0.7\n  tail: 1\nn: &five 5\na: *all\nb:\n  tail: 2\n  <<: *all\nc: *five\n"
    found = read_yaml(text)
    assert found["a"] == {"threshold": 0.7, "tail": 1}
    assert found["b"] == {"threshold": 0.7, "tail": 2}
    assert found["c"] == 5


def test_a_file_that_says_nothing_of_compaction_is_known_by_how_it_names_the_model() -> None:
    for table, agent in (
        ({"agents": {"defaults": {"model": {"primary": "openai/gpt-5"}}}}, "OpenClaw"),
        (
            {"agents": {"defaults": {"model": "openai/gpt-5"}}, "meta": {"lastTouchedVersion": "2026.2"}},
            "OpenClaw",
        ),
        ({"model": {"default": "anthropic/claude-opus-4.5"}}, "Hermes"),
    ):
        found = read_peer(table)
        assert found is not None
        assert found.agent == agent
        assert "/" in str(found.table["model"])


def test_windows_that_openclaw_declares_for_its_providers_models_count(tmp_path: Path) -> None:
    models = [{"id": "qwen3", "contextWindow": 40_960, "maxTokens": 4_096}, {"id": "bare"}, "none"]
    table = {
        "models": {"mode": "merge", "providers": {"lab": {"models": models}, "odd": 5}},
        "agents": {"defaults": {"model": {"primary": "lab/qwen3"}}},
    }
    path = tmp_path / "openclaw.json"
    path.write_text(json.dumps(table))
    config = read_config(tmp_path, file=path, environment={}, user=False)
    limits = find_limits(config.settings, config.settings.model)
    assert (limits.window_tokens, limits.max_tokens) == (40_960, 4_096)
    assert {key.rsplit(" ", 1)[-1] for key, _ in config.ignored} >= {"models.mode", "models.providers.odd"}


def test_placeholders_are_filled_in_from_the_environment_and_what_is_not_set_is_left_out(
    tmp_path: Path,
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("model:\n  default: ${LAB}/qwen3\ncompression:\n  summary_model: ${LAB}/${OTHER}\n")
    config = read_config(tmp_path, file=path, environment={"LAB": "ollama"}, user=False)
    assert (config.settings.model, config.settings.summary_model) == ("ollama/qwen3", "")
    assert (f"{path}: summary_model", "OTHER is not set in the environment") in config.ignored


@pytest.mark.parametrize("other, ignored", [("other", 1), ("small", 0)])
def test_of_two_keys_for_one_setting_the_one_that_does_not_count_is_reported(
    other: str, ignored: int
) -> None:
    found = read_peer(
        {"compression": {"summary_model": "small"}, "auxiliary": {"compression": {"model": other}}}
    )
    assert found is not None
    assert found.table["summary_model"] == other
    assert found.ignored == (("compression.summary_model", NO_EFFECT),) * ignored
