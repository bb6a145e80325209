"""Usage of every provider, as dicts and as objects, in one meaning."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

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
]


def as_object(value: object) -> object:
    """A dict as an SDK would give it: attributes all the way down."""
    if not isinstance(value, dict):
        return value
    return SimpleNamespace(**{key: as_object(inner) for key, inner in value.items()})


@pytest.mark.parametrize("raw, usage", ROWS, ids=str)
def test_usage_is_read_from_a_dict_and_from_an_object(raw: dict[str, object], usage: Usage) -> None:
    assert parse_usage(raw) == parse_usage(as_object(raw)) == usage


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
