"""Limits: what was set, else what is known of the model, else four times the reply."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.model_limits import TABLE_SOURCE, Limits, find_limits, known, resolve_limits
from palimpsest.errors import SettingsError
from palimpsest.settings import PRESETS, Settings, make_settings


def limits(model: str = "", **changes: Any) -> Limits:
    return find_limits(make_settings(**changes), model)


@pytest.mark.parametrize("preset", PRESETS)
def test_by_default_the_window_of_an_unknown_model_is_four_times_the_reply(preset: str) -> None:
    found = find_limits(make_settings(preset))
    assert (found.window_tokens, found.window_source) == (32_768, "4 x max_tokens")
    assert (found.max_tokens, found.max_source) == (8_192, "default")
    assert limits(max_tokens=32_768).window_tokens == 131_072
    assert limits("nobody:knows-this", max_tokens=1_000).window_tokens == 4_000


def test_a_window_that_is_set_counts_before_anything_that_is_known() -> None:
    found = limits(
        "claude-sonnet-4-5", window_tokens=50_000, models={"claude-sonnet-4-5": {"window_tokens": 9}}
    )
    assert (found.window_tokens, found.window_source) == (50_000, "set")


def test_without_a_reply_set_a_quarter_of_a_small_window_is_reserved() -> None:
    assert limits(window_tokens=8_000).max_tokens == 2_000
    assert limits(window_tokens=8_000).max_source == "a quarter of the window"
    assert limits(window_tokens=128_000).max_tokens == 8_192
    assert limits("gpt-4").max_tokens == limits("gpt-4").window_tokens // 4


def test_a_model_that_writes_less_than_the_usual_reply_reserves_what_it_writes() -> None:
    found = limits("claude-3-haiku-20240307")
    assert (found.max_tokens, found.max_source, found.longest_reply_tokens) == (4_096, TABLE_SOURCE, 4_096)


@pytest.mark.parametrize(
    "model, window_tokens",
    [
        ("claude-sonnet-4-5-20250929", 200_000),
        ("claude-sonnet-4-20250514", 200_000),
        ("anthropic:claude-haiku-4-5", 200_000),
        ("Claude-Haiku-4.5", 200_000),
        ("anthropic/claude-opus-4.5", 200_000),
        ("openrouter:anthropic/claude-opus-4.5", 200_000),
        ("litellm_proxy/claude-sonnet-4-20250514", 200_000),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 200_000),
        ("claude-haiku-4-5@20251001", 200_000),
        ("gemini-2.5-pro", 1_048_576),
        ("google:gemini-3-pro-preview", 1_048_576),
        ("gpt-4o-2024-08-06", 128_000),
        ("gpt-4.1-mini", 1_000_000),
        ("gpt-5.3-codex-spark", 128_000),
        ("kimi-k2.7-code", 262_144),
        ("moonshot-ai/kimi-k2.7-code", 262_144),
    ],
)
def test_a_model_is_known_by_the_names_people_and_transcripts_use(model: str, window_tokens: int) -> None:
    found = limits(model)
    assert found.window_tokens == window_tokens
    assert found.window_source.startswith(("genai-prices ", "models table of "))


@pytest.mark.parametrize(
    "model", ["gpt-5-codex", "openai:gpt-5", "openai-responses:gpt-5", "openai/gpt-5", "gpt-5.2-2025-12-11"]
)
def test_a_model_that_takes_shorter_prompts_than_its_window_gets_the_window_they_make(model: str) -> None:
    assert limits(model).window_tokens == 272_000 + 8_192
    assert limits(model, max_tokens=100_000).window_tokens == 372_000
    assert limits(model, max_tokens=128_000).window_tokens == 400_000


@pytest.mark.parametrize(
    "model",
    ["", " ", "nonsense", "<synthetic>", "default", "claude-opus-9-9", "ollama:gpt-5", "vllm:claude-sonnet-4-5",
     "llama.cpp:gpt-4o", ":",
     "a/b/c", "/", ":::", "x" * 300, "\n", "gpt", "llama3.1:8b", "openai:", "\u65e5\u672c"],
)  # fmt: skip
def test_an_unknown_model_and_one_on_a_server_of_ones_own_has_no_known_window(model: str) -> None:
    assert known(model) is None
    assert limits(model).window_source == "4 x max_tokens"


def test_another_version_of_a_known_family_is_not_taken_for_it() -> None:
    assert limits("claude-sonnet-4-6").longest_reply_tokens == 64_000
    assert limits("claude-opus-4-6").longest_reply_tokens == 128_000
    assert limits("claude-opus-4-9").longest_reply_tokens == 0
    assert limits("claude-opus-4-1-20250805").longest_reply_tokens == 32_000


@pytest.mark.parametrize(
    "model",
    [
        "openai:gpt-5",
        "openai-responses:gpt-5",
        "OpenAI:GPT-5",
        "gpt-5",
        "gpt-5-2025-08-07",
        "openai:gpt-5-20250807",
    ],
)
def test_limits_set_for_a_model_count_before_what_is_known_of_it(model: str) -> None:
    found = limits(
        model,
        models={"gpt-5": {"window_tokens": 9_000, "max_tokens": 700}, "openai:gpt-5": {"window_tokens": 9_000,
            "max_tokens": 700}},
    )  # fmt: skip
    assert (found.window_tokens, found.max_tokens) == (9_000, 700)
    assert "gpt-5" in found.window_source
    assert found.max_source.startswith("set for ")


NAMES = st.sampled_from(("", "gpt-5", "gpt-4", "claude-3-haiku", "claude-sonnet-4-5", "unknown"))
TOKENS = st.integers(0, 10**7) | st.just(0)


def _settings(window_tokens: int, max_tokens: int) -> Settings | None:
    try:
        return make_settings(window_tokens=window_tokens, max_tokens=max_tokens)
    except SettingsError:
        return None


@given(TOKENS, TOKENS, NAMES)
def test_the_reply_always_leaves_room_in_the_window_and_what_was_set_stays(
    window_tokens: int, max_tokens: int, model: str
) -> None:
    settings = _settings(window_tokens, max_tokens)
    assert (settings is None) == (0 < window_tokens <= max_tokens)
    found = find_limits(settings or make_settings(), model)
    assert 0 <= found.max_tokens < found.window_tokens
    kept = settings or make_settings()
    assert kept.window_tokens in {0, found.window_tokens}
    assert kept.max_tokens in {0, found.max_tokens} or found.max_tokens == found.window_tokens // 4
    resolved = resolve_limits(kept, model)
    assert (resolved.window_tokens, resolved.max_tokens) == (found.window_tokens, found.max_tokens)
    assert resolve_limits(resolved, model) == resolved


@given(st.text(max_size=60))
def test_any_name_is_either_known_or_not(model: str) -> None:
    found = known(model)
    assert found is None or found.window_tokens > 0


def test_the_list_of_models_is_not_read_where_the_window_is_set() -> None:
    script = (
        "import sys\n"
        "from palimpsest.budget.model_limits import find_limits\n"
        "from palimpsest.settings import make_settings\n"
        "find_limits(make_settings(window_tokens=9000), 'gpt-5')\n"
        "find_limits(make_settings())\n"
        "print('genai_prices' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"
