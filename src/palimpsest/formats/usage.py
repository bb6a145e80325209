"""Token usage that a provider reported for one call, as a `Usage`, whose `input_tokens` is always the whole prompt.

- OpenAI: `prompt_tokens` is the whole prompt, `cached_tokens` and `cache_write_tokens` of `prompt_tokens_details` are
  parts of it. The Responses API uses `input_tokens` and `input_tokens_details` in the same sense.
- Anthropic: `input_tokens` excludes cache reads and writes; both are added here.
- Gemini: `promptTokenCount` is the whole prompt; `candidatesTokenCount` excludes thoughts, which are output.

Dicts and objects with attributes are read alike, because SDKs return objects and logs contain dicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard, cast

from palimpsest.errors import FormatError
from palimpsest.record.message import Usage

_OPENAI_LIKE_CACHED = ("prompt_cache_hit_tokens", "cache_read_input_tokens")
_NESTED = ("usage", "usage_metadata", "usageMetadata")
_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_COUNTS = (
    "prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens",
    "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation_tokens", "prompt_cache_hit_tokens",
    "promptTokenCount", "prompt_token_count", "candidatesTokenCount", "candidates_token_count",
    "thoughtsTokenCount", "thoughts_token_count", "cachedContentTokenCount", "cached_content_token_count",
)  # fmt: skip
_SHOWN_CHARS = 40


def _get(raw: object, *names: str) -> object:
    for name in names:
        if isinstance(raw, Mapping):
            value = cast("Mapping[str, object]", raw).get(name)
        else:
            value = cast("object", getattr(raw, name, None))
        if value is not None:
            return value
    return None


def _count(raw: object, *names: str) -> int:
    value = _get(raw, *names)
    return int(value) if _is_count(value) else 0


def _is_count(value: object) -> TypeGuard[int | float]:
    return not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value < 1e15


def _require_counts(raw: object) -> None:
    """Refuse anything but a count: it would anchor every later estimate."""
    for place in (raw, *(_get(raw, name) for name in _DETAILS)):
        for name in _COUNTS:
            value = _get(place, name)
            if value is not None and not _is_count(value):
                raise FormatError(
                    f"{name} cannot be {repr(value)[:_SHOWN_CHARS]}",
                    hint="give a number of tokens from 0 on, or leave it out",
                )


def parse_usage(raw: object) -> Usage:
    """Return the token counts of a provider's usage object, or of a reply that contains one; a `Usage` is returned as
    it is.

    Missing counts are 0. Raises FormatError if `raw` counts neither a prompt nor an output, and for an invalid count,
    such as a negative one.
    """
    if isinstance(raw, Usage):
        _require_counts(raw)
        return raw
    for place in (raw, _get(raw, *_NESTED)):
        found = find_usage(place)
        if found is not None:
            _require_counts(place)
            return found
    raise FormatError(
        f"no token counts in a usage of type {type(raw).__name__}",
        hint="give the usage of an OpenAI, Anthropic or Gemini reply: prompt_tokens, input_tokens or promptTokenCount",
    )


def find_usage(raw: object) -> Usage | None:
    """Return the token counts in `raw` itself, None if there are none; an invalid count is 0."""
    return _openai(raw) or _anthropic_or_responses(raw) or _gemini(raw)


def _openai(raw: object) -> Usage | None:
    if _get(raw, "prompt_tokens", "completion_tokens") is None:
        return None
    details = _get(raw, "prompt_tokens_details")
    return Usage(
        input_tokens=_count(raw, "prompt_tokens"),
        output_tokens=_count(raw, "completion_tokens"),
        cached_tokens=_count(details, "cached_tokens") or _count(raw, *_OPENAI_LIKE_CACHED),
        cache_write_tokens=_count(raw, "cache_creation_input_tokens")
        or _count(details, "cache_creation_tokens", "cache_write_tokens"),
    )


def _anthropic_or_responses(raw: object) -> Usage | None:
    if _get(raw, "input_tokens", "output_tokens") is None:
        return None
    prompt, output = _count(raw, "input_tokens"), _count(raw, "output_tokens")
    details = _get(raw, "input_tokens_details")
    if details is not None:
        written = _count(details, "cache_write_tokens")
        return Usage(prompt, output, _count(details, "cached_tokens"), written)
    read, written = _count(raw, "cache_read_input_tokens"), _count(raw, "cache_creation_input_tokens")
    return Usage(prompt + read + written, output, read, written)


def _gemini(raw: object) -> Usage | None:
    if (
        _get(raw, "promptTokenCount", "prompt_token_count", "candidatesTokenCount", "candidates_token_count")
        is None
    ):
        return None
    thoughts = _count(raw, "thoughtsTokenCount", "thoughts_token_count")
    return Usage(
        input_tokens=_count(raw, "promptTokenCount", "prompt_token_count"),
        output_tokens=_count(raw, "candidatesTokenCount", "candidates_token_count") + thoughts,
        cached_tokens=_count(raw, "cachedContentTokenCount", "cached_content_token_count"),
    )
