"""Token usage of one call, as a `Usage`, whose `input_tokens` is always the whole prompt.

Providers:

- OpenAI: `prompt_tokens` is the whole prompt, `cached_tokens` and `cache_write_tokens` of `prompt_tokens_details` are
  parts of it. The Responses API uses `input_tokens` and `input_tokens_details` in the same sense.
- Anthropic: `input_tokens` excludes cache reads and writes; both are added here.
- Gemini: `promptTokenCount` includes what was cached. `toolUsePromptTokenCount` is further input, and
  `thoughtsTokenCount` further output; both are added.
- Bedrock: `inputTokens` excludes `cacheReadInputTokens` and `cacheWriteInputTokens`, and `totalTokens` includes them.

Frameworks, as their current releases compute the counts:

- LangChain's `usage_metadata` has the whole prompt in `input_tokens`. `input_token_details` has `cache_read` and
  `cache_creation`, with a service tier before the name. Anthropic's writes by lifetime (`ephemeral_5m_input_tokens`)
  stand there in place of `cache_creation`.
- Pydantic AI's `RequestUsage` has the whole prompt in `input_tokens`; `cache_read_tokens` and `cache_write_tokens` are
  parts of it. Agno's metrics have the same names, but copy what Anthropic and Bedrock say, who exclude both. They are
  told by the `provider` of the metrics, and by what only Claude's `provider_metrics` have.
- Strands uses Bedrock's names. For other providers it copies their prompt. If the total is input and output alone, the
  input is the whole prompt.
- Microsoft's Agent Framework copies the provider's counts. Anthropic's are told by their second names
  ("anthropic.cache_read_input_tokens").
- LiteLLM 1 has OpenAI's names. Without `cache_creation_tokens` in its details, the prompt excludes what was written.
- AG2's `Usage` has OpenAI's names and `thinking_tokens`. Its prompt excludes the cache where a count of writes is
  present, which only Anthropic and Bedrock report, and where the total includes the cache.
- The usage of the OpenAI Agents SDK is like that of Responses. CrewAI and smolagents have no writes.

Counts of the cache that are more than the prompt are never a part of it. Dicts and objects with attributes are read
alike, because SDKs return objects and logs contain dicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeGuard, cast

from palimpsest.errors import FormatError, brief
from palimpsest.record.message import Usage

_NESTED = (
    "usage",
    "usage_metadata",
    "usageMetadata",
    "accumulated_usage",
    "usage_details",
    "metadata",
    "metrics",
)
"""Where a reply, an event or a framework's result has its counts."""
_INNER = ("usage", "accumulated_usage")
_LANGCHAIN = "input_token_details"
_DETAILS = ("prompt_tokens_details", "input_tokens_details", _LANGCHAIN)
_PROMPT = ("prompt_tokens", "completion_tokens")
_INPUT = ("input_tokens", "output_tokens")
_CAMEL = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
_COUNTED = (
    "input_token_count", "output_token_count", "cache_read_input_token_count", "cache_creation_input_token_count",
)  # fmt: skip
_READ = ("prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_prompt_tokens")
_WRITTEN = ("cache_creation_tokens", "cache_write_tokens")
_GEMINI = (
    ("promptTokenCount", "prompt_token_count"), ("candidatesTokenCount", "candidates_token_count"),
    ("toolUsePromptTokenCount", "tool_use_prompt_token_count"), ("thoughtsTokenCount", "thoughts_token_count"),
    ("cachedContentTokenCount", "cached_content_token_count"),
)  # fmt: skip
_EPHEMERAL = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
_AGNO = ("cache_read_tokens", "cache_write_tokens")
_COUNTS = (
    *_PROMPT, *_INPUT, *_CAMEL, *_COUNTED, *_READ, *_WRITTEN, *_EPHEMERAL, *_AGNO, "cached_tokens", "cache_read",
    "cache_creation", "cache_creation_input_tokens", *(name for names in _GEMINI for name in names),
)  # fmt: skip
_APART_PROVIDERS = ("Anthropic", "AwsBedrock")
_CLAUDES = ("service_tier", "server_tool_use")
_AG2 = "thinking_tokens"
_NAMESPACED = ("anthropic.cache_read_input_tokens", "anthropic.cache_creation_input_tokens")


def _get(raw: object, *names: str) -> object:
    for name in names:
        if isinstance(raw, Mapping):
            value = cast("Mapping[str, object]", raw).get(name)
        else:
            value = cast("object", getattr(raw, name, None))
        if value is not None:
            return value
    return None


def _has(raw: object, name: str) -> bool:
    return name in raw if isinstance(raw, Mapping) else hasattr(raw, name)


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
                    f"{name} cannot be {brief(value)}",
                    hint="give a number of tokens from 0 on, or leave it out",
                )


def _places(raw: object) -> Iterator[object]:
    """Yield where counts may be: in the value itself, and where replies, events and results have theirs."""
    yield raw
    for name in _NESTED:
        if (found := _get(raw, name)) is not None:
            yield found
            if name in _NESTED[-2:]:
                yield _get(found, *_INNER)


def parse_usage(raw: object) -> Usage:
    """Return the token counts of a provider's or a framework's usage object, or of a reply that contains one; a `Usage`
    is returned as it is.

    Missing counts are 0. Raises FormatError if `raw` counts neither a prompt nor an output, and for an invalid count,
    such as a negative one.
    """
    if isinstance(raw, Usage):
        _require_counts(raw)
        return raw
    for place in _places(raw):
        found = find_usage(place)
        if found is not None:
            _require_counts(place)
            return found
    raise FormatError(
        f"no token counts in a usage of type {type(raw).__name__}",
        hint="give the usage of a provider's reply: prompt_tokens, input_tokens, promptTokenCount or inputTokens",
    )


def find_usage(raw: object) -> Usage | None:
    """Return the token counts in `raw` itself, None if there are none; an invalid count is 0."""
    return _openai(raw) or _input_tokens(raw) or _gemini(raw) or _bedrock(raw) or _agent_framework(raw)


def _usage(prompt: int, output: int, read: int, written: int, *, apart: bool = False) -> Usage:
    """Return the counts. With `apart`, or where the parts are more than it, the prompt excludes them."""
    whole = prompt + read + written if apart or read + written > prompt else prompt
    return Usage(whole, output, read, written)


def _openai(raw: object) -> Usage | None:
    if _get(raw, *_PROMPT) is None:
        return None
    prompt, output = (_count(raw, name) for name in _PROMPT)
    details = _get(raw, "prompt_tokens_details")
    read = _count(details, "cached_tokens") or _count(raw, *_READ)
    written, created = _count(details, *_WRITTEN), _count(raw, "cache_creation_input_tokens")
    if created and not written and details is not None and _has(raw, "cache_read_input_tokens"):
        return Usage(prompt + created, output, read, created)
    summed = read + created > 0 and _get(raw, "total_tokens") == prompt + output + read + created
    apart = summed or _get(raw, "cache_creation_input_tokens") is not None
    apart = apart and details is None and _has(raw, _AG2)
    return _usage(prompt, output, read, created or written, apart=apart)


def _input_tokens(raw: object) -> Usage | None:
    if _get(raw, *_INPUT) is None:
        return None
    prompt, output = (_count(raw, name) for name in _INPUT)
    if (details := _get(raw, _LANGCHAIN)) is not None:
        named = cast(
            "dict[str, object]", details if isinstance(details, dict) else getattr(details, "__dict__", {})
        )
        read, created = (
            sum(_count(named, key) for key in named if str(key).endswith(end))
            for end in ("cache_read", "cache_creation")
        )
        return Usage(prompt, output, read, max(created, sum(_count(named, name) for name in _EPHEMERAL)))
    if (details := _get(raw, "input_tokens_details")) is not None:
        return Usage(prompt, output, _count(details, "cached_tokens"), _count(details, "cache_write_tokens"))
    if _get(raw, *_AGNO) is not None:
        apart = _get(raw, "provider") in _APART_PROVIDERS
        apart = apart or _get(_get(raw, "provider_metrics"), *_CLAUDES) is not None
        return _usage(prompt, output, *(_count(raw, name) for name in _AGNO), apart=apart)
    read, written = _count(raw, "cache_read_input_tokens"), _count(raw, "cache_creation_input_tokens")
    return _usage(prompt, output, read, written, apart=True)


def _gemini(raw: object) -> Usage | None:
    prompt, candidates, of_tools, thoughts, cached = (_count(raw, *names) for names in _GEMINI)
    if _get(raw, *_GEMINI[0], *_GEMINI[1]) is None:
        return None
    return Usage(prompt + of_tools, candidates + thoughts, cached)


def _bedrock(raw: object) -> Usage | None:
    if _get(raw, *_CAMEL[:2]) is None:
        return None
    prompt, output, read, written = (_count(raw, name) for name in _CAMEL)
    total = _get(raw, "totalTokens")
    return _usage(prompt, output, read, written, apart=total != prompt + output)


def _agent_framework(raw: object) -> Usage | None:
    if _get(raw, *_COUNTED[:2]) is None:
        return None
    return _usage(*(_count(raw, name) for name in _COUNTED), apart=_get(raw, *_NAMESPACED) is not None)
