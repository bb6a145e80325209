"""Usage of every provider, as dicts and as objects, in one meaning."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import FormatError
from palimpsest.formats import parse_usage
from palimpsest.record.message import Usage

ROWS: list[tuple[dict[str, object], Usage]] = [
    ({"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}, Usage(100, 7)),
    (
        {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}},
        Usage(100, 7, 64),
    ),
    ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": None}, Usage(100, 7)),
    ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_cache_hit_tokens": 32}, Usage(100, 7, 32)),
    (
        {"input_tokens": 100, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 64}},
        Usage(100, 7, 64),
    ),
    (
        {
            "input_tokens": 100,
            "output_tokens": 7,
            "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 30},
        },
        Usage(100, 7, 64, 30),
    ),
    (
        {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cache_write_tokens": 30}},
        Usage(100, 7, 0, 30),
    ),
    ({"input_tokens": 10, "output_tokens": 7}, Usage(10, 7)),
    (
        {
            "input_tokens": 10,
            "output_tokens": 7,
            "cache_read_input_tokens": 80,
            "cache_creation_input_tokens": 5,
        },
        Usage(95, 7, 80, 5),
    ),
    ({"input_tokens": 10, "output_tokens": 7, "cache_read_input_tokens": None}, Usage(10, 7)),
    (
        {
            "promptTokenCount": 50,
            "cachedContentTokenCount": 20,
            "candidatesTokenCount": 3,
            "thoughtsTokenCount": 4,
        },
        Usage(50, 7, 20),
    ),
    ({"prompt_token_count": 50, "candidates_token_count": 3}, Usage(50, 3)),
    ({"prompt_tokens": 5.0, "completion_tokens": None}, Usage(5)),
    ({"usage": {"prompt_tokens": 5, "completion_tokens": 1}}, Usage(5, 1)),
    ({"usageMetadata": {"promptTokenCount": 5}}, Usage(5)),
    ({"prompt_token_count": 50, "tool_use_prompt_token_count": 9, "thoughts_token_count": 4}, Usage(59, 4)),
    ({"inputTokens": 10, "outputTokens": 7, "totalTokens": 17}, Usage(10, 7)),
    (
        {
            "usage": {
                "inputTokens": 10,
                "outputTokens": 7,
                "totalTokens": 102,
                "cacheReadInputTokens": 80,
                "cacheWriteInputTokens": 5,
            }
        },
        Usage(95, 7, 80, 5),
    ),
    ({"inputTokens": 10, "outputTokens": 7, "cacheReadInputTokens": 4}, Usage(14, 7, 4)),
]
_ANTHROPICS = {
    "cache_read": 80,
    "cache_creation": 0,
    "ephemeral_5m_input_tokens": 3,
    "ephemeral_1h_input_tokens": 2,
}
FRAMEWORKS: dict[str, tuple[dict[str, object], Usage]] = {
    "LangChain": ({"input_tokens": 95, "output_tokens": 7, "total_tokens": 102}, Usage(95, 7)),
    "LangChain, read": (
        {
            "usage_metadata": {
                "input_tokens": 95,
                "output_tokens": 7,
                "input_token_details": {"audio": 1, "cache_read": 80, "cache_creation": 5},
                "output_token_details": {"reasoning": 4},
            }
        },
        Usage(95, 7, 80, 5),
    ),
    "LangChain, Anthropic": (
        {"input_tokens": 95, "output_tokens": 7, "input_token_details": _ANTHROPICS},
        Usage(95, 7, 80, 5),
    ),
    "LangChain, tier": (
        {"input_tokens": 95, "output_tokens": 7, "input_token_details": {"flex_cache_read": 80, "flex": 15}},
        Usage(95, 7, 80),
    ),
    "LangChain, no details": (
        {"input_tokens": 95, "output_tokens": 7, "input_token_details": {}},
        Usage(95, 7),
    ),
    "Pydantic AI": (
        {
            "input_tokens": 95,
            "cache_write_tokens": 5,
            "cache_read_tokens": 80,
            "output_tokens": 7,
            "details": {},
        },
        Usage(95, 7, 80, 5),
    ),
    "ADK": (
        {
            "prompt_token_count": 90,
            "tool_use_prompt_token_count": 5,
            "candidates_token_count": 3,
            "thoughts_token_count": 4,
            "cached_content_token_count": 80,
            "prompt_tokens_details": None,
            "total_token_count": 102,
        },
        Usage(95, 7, 80),
    ),
    "Strands, event": (
        {
            "metadata": {
                "usage": {
                    "inputTokens": 10,
                    "outputTokens": 7,
                    "totalTokens": 102,
                    "cacheReadInputTokens": 80,
                    "cacheWriteInputTokens": 5,
                }
            }
        },
        Usage(95, 7, 80, 5),
    ),
    "Strands, OpenAI": (
        {
            "metrics": {
                "accumulated_usage": {
                    "inputTokens": 95,
                    "outputTokens": 7,
                    "totalTokens": 102,
                    "cacheReadInputTokens": 80,
                }
            }
        },
        Usage(95, 7, 80),
    ),
    "LiteLLM": (
        {
            "prompt_tokens": 90,
            "completion_tokens": 7,
            "total_tokens": 97,
            "prompt_tokens_details": {"cached_tokens": 80},
            "cache_read_input_tokens": 80,
            "cache_creation_input_tokens": 5,
        },
        Usage(95, 7, 80, 5),
    ),
    "LiteLLM, writes in the prompt": (
        {
            "prompt_tokens": 95,
            "completion_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 80, "cache_creation_tokens": 5},
            "cache_read_input_tokens": 80,
            "cache_creation_input_tokens": 5,
        },
        Usage(95, 7, 80, 5),
    ),
    "OpenAI Agents SDK": (
        {
            "requests": 1,
            "input_tokens": 95,
            "output_tokens": 7,
            "input_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 5},
            "output_tokens_details": {"reasoning_tokens": 4},
        },
        Usage(95, 7, 80, 5),
    ),
    "Agno": (
        {
            "metrics": {
                "input_tokens": 95,
                "output_tokens": 7,
                "cache_read_tokens": 80,
                "cache_write_tokens": 0,
            }
        },
        Usage(95, 7, 80),
    ),
    "Agno, Bedrock": (
        {
            "provider": "AwsBedrock",
            "input_tokens": 100,
            "output_tokens": 7,
            "cache_read_tokens": 80,
            "cache_write_tokens": 5,
        },
        Usage(185, 7, 80, 5),
    ),
    "Agno, Claude": (
        {
            "input_tokens": 100,
            "output_tokens": 7,
            "cache_read_tokens": 80,
            "provider_metrics": {"service_tier": "standard"},
        },
        Usage(180, 7, 80),
    ),
    "Agno, more read than sent": (
        {"input_tokens": 10, "output_tokens": 7, "cache_read_tokens": 80, "cache_write_tokens": 5},
        Usage(95, 7, 80, 5),
    ),
    "Agent Framework": (
        {
            "usage_details": {
                "input_token_count": 95,
                "output_token_count": 7,
                "cache_read_input_token_count": 80,
                "cache_creation_input_token_count": None,
            }
        },
        Usage(95, 7, 80),
    ),
    "Agent Framework, Anthropic": (
        {
            "input_token_count": 100,
            "output_token_count": 7,
            "cache_read_input_token_count": 80,
            "anthropic.cache_read_input_tokens": 80,
        },
        Usage(180, 7, 80),
    ),
    "AG2": (
        {
            "prompt_tokens": 95.0,
            "completion_tokens": 7.0,
            "total_tokens": 102.0,
            "cache_read_input_tokens": 80.0,
            "cache_creation_input_tokens": None,
            "thinking_tokens": None,
        },
        Usage(95, 7, 80),
    ),
    "AG2, Anthropic": (
        {
            "prompt_tokens": 100.0,
            "completion_tokens": 7.0,
            "total_tokens": 107.0,
            "cache_read_input_tokens": 80.0,
            "cache_creation_input_tokens": 0.0,
            "thinking_tokens": None,
        },
        Usage(180, 7, 80),
    ),
    "AG2, Bedrock": (
        {
            "prompt_tokens": 100.0,
            "completion_tokens": 7.0,
            "total_tokens": 187.0,
            "cache_read_input_tokens": 80.0,
            "cache_creation_input_tokens": None,
            "thinking_tokens": None,
        },
        Usage(180, 7, 80),
    ),
    "smolagents": ({"input_tokens": 95, "output_tokens": 7, "total_tokens": 102}, Usage(95, 7)),
    "CrewAI": ({"prompt_tokens": 95, "completion_tokens": 7, "cached_prompt_tokens": 80}, Usage(95, 7, 80)),
}


counts = st.integers(0, 1_000_000)


def as_object(value: object) -> object:
    """A dict as an SDK would give it: attributes all the way down."""
    if not isinstance(value, dict):
        return value
    return SimpleNamespace(**{key: as_object(inner) for key, inner in value.items()})


@pytest.mark.parametrize("raw, usage", ROWS, ids=str)
def test_usage_is_read_from_a_dict_and_from_an_object(raw: dict[str, object], usage: Usage) -> None:
    assert parse_usage(raw) == parse_usage(as_object(raw)) == usage


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_the_usage_of_a_framework_is_read_in_its_own_meaning(name: str) -> None:
    raw, usage = FRAMEWORKS[name]
    assert parse_usage(raw) == parse_usage(as_object(raw)) == usage


@given(read=counts, written=counts, fresh=counts, output=counts)
def test_every_providers_form_of_the_same_call_has_the_same_meaning(
    read: int, written: int, fresh: int, output: int
) -> None:
    whole = fresh + read + written
    total = whole + output
    forms = (
        {
            "input_tokens": fresh,
            "output_tokens": output,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
        },
        {
            "input_tokens": whole,
            "output_tokens": output,
            "input_token_details": {"cache_read": read, "cache_creation": written},
        },
        {
            "input_tokens": whole,
            "output_tokens": output,
            "cache_read_tokens": read,
            "cache_write_tokens": written,
        },
        *(
            {
                "inputTokens": prompt,
                "outputTokens": output,
                "totalTokens": total,
                "cacheReadInputTokens": read,
                "cacheWriteInputTokens": written,
            }
            for prompt in (fresh, whole)
        ),
    )
    assert {parse_usage(form) for form in forms} == {Usage(whole, output, read, written)}


def test_usage_that_is_read_already_comes_back_as_it_is() -> None:
    usage = Usage(1, 2, 3, 4)
    assert parse_usage(usage) is usage


@pytest.mark.parametrize("raw", [None, {}, {"tokens": 3}, 7, "many", {"usage": {"usage": {}}}], ids=str)
def test_what_counts_no_tokens_is_refused(raw: object) -> None:
    with pytest.raises(FormatError, match="no token counts"):
        parse_usage(raw)


@pytest.mark.parametrize(
    "raw, told",
    [
        ({"prompt_tokens": -1, "completion_tokens": 7}, "prompt_tokens cannot be -1"),
        ({"prompt_tokens": 5, "completion_tokens": "7"}, "completion_tokens cannot be '7'"),
        ({"input_tokens": 5, "output_tokens": True}, "output_tokens cannot be True"),
        ({"input_tokens": float("nan"), "output_tokens": 1}, "input_tokens cannot be nan"),
        ({"usage": {"promptTokenCount": 5, "thoughtsTokenCount": -4}}, "thoughtsTokenCount cannot be -4"),
        (
            {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": -3}},
            "cached_tokens cannot be -3",
        ),
        (Usage(-5), "input_tokens cannot be -5"),
    ],
    ids=str,
)
def test_a_count_that_is_none_is_refused_by_its_name(raw: object, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        parse_usage(raw)
