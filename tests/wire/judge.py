"""Whether a provider would accept a request, asked twice: of the house's rules, and of the official client's types.

The types are the providers' own, so they know fields that the rules may have wrong. A field that they do not know is a
breach, but for those that compatible servers add to OpenAI's messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, cast

from palimpsest.formats.rules import anthropic_breaches, openai_breaches, responses_breaches
from tests.wire.replies import Wire

MESSAGE_TOKENS = 4
MAX_WORDS = 600
_COMPATIBLE = ("reasoning_content", "reasoning", "reasoning_details")
_JSON_KEYS = (
    "input",
    "args",
    "response",
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
    "input_schema",
)
_UNCOUNTED = (
    "type", "role", "id", "tool_call_id", "tool_use_id", "data", "file_data", "url", "signature", "media_type",
    "mimeType", "thoughtSignature", "cache_control",
)  # fmt: skip
_PROMPT_KEYS = ("system", "systemInstruction", "instructions", "messages", "contents", "tools")


def breaches(wire: Wire, request: Mapping[str, object]) -> list[str]:
    """Why the provider would refuse this request body."""
    by_rule = _RULES[wire](request)
    return [f"rule: {one}" for one in by_rule] + [f"type: {one}" for one in _TYPES[wire](request)]


@cache
def prepare(wire: Wire) -> None:
    """Load what judges a wire form: the official clients take a second or two to import."""
    breaches(wire, {})
    count("")


def prompt_tokens(request: Mapping[str, object]) -> int:
    """Tokens of a request's prompt in the o200k vocabulary, and what each message costs besides."""
    prompt = {key: request[key] for key in _PROMPT_KEYS if key in request}
    said = request.get("messages") or request.get("contents") or []
    if "input" in request:
        said = prompt["messages"] = request["input"]
    said = cast("list[object]", said if isinstance(said, list) else [said])
    return sum(count(text) for text in _texts(prompt)) + MESSAGE_TOKENS * (len(said) + 1)


def count(text: str) -> int:
    """Tokens of a text in the o200k vocabulary."""
    return int(_tokenizer().count(text.encode("utf-8", "replace").decode("utf-8")))


@cache
def _tokenizer() -> Any:
    from rs_bpe.bpe import openai

    return openai.o200k_base()


def _texts(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if key not in _UNCOUNTED:
            yield value
    elif key in _JSON_KEYS:
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    elif isinstance(value, dict):
        for inner_key, inner in cast("dict[str, object]", value).items():
            yield from _texts(inner, inner_key)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _texts(inner, key)


def _gemini_rules(request: Mapping[str, object]) -> Iterable[str]:
    from palimpsest.formats import rules

    return rules.gemini_breaches(request)


@cache
def _openai_type(stream: bool) -> Any:
    from openai.types.chat import completion_create_params as params
    from pydantic import TypeAdapter

    kind = params.CompletionCreateParamsStreaming if stream else params.CompletionCreateParamsNonStreaming
    return TypeAdapter(kind)


@cache
def _responses_type(stream: bool) -> Any:
    from openai.types.responses import response_create_params as params
    from pydantic import TypeAdapter

    kind = params.ResponseCreateParamsStreaming if stream else params.ResponseCreateParamsNonStreaming
    return TypeAdapter(kind)


@cache
def _anthropic_type(stream: bool) -> Any:
    from anthropic.types import message_create_params as params
    from pydantic import TypeAdapter

    kind = params.MessageCreateParamsStreaming if stream else params.MessageCreateParamsNonStreaming
    return TypeAdapter(kind)


def _openai_types(request: Mapping[str, object]) -> Iterator[str]:
    lost = yield from _typed(_openai_type(request.get("stream") is True), request)
    yield from (f"unknown field {place}" for place in lost if place.rpartition(".")[2] not in _COMPATIBLE)


def _responses_types(request: Mapping[str, object]) -> Iterator[str]:
    """The API takes an assistant's message without the id and the status that the type requires."""
    stored: dict[str, object] = {"id": "msg_1", "status": "completed"}
    given = request.get("input")
    items = [
        {**stored, **cast("Mapping[str, object]", one)} if _is_said(one) else one
        for one in cast("list[object]", given if isinstance(given, list) else [])
    ]
    request = {**request, "input": items or given}
    lost = yield from _typed(_responses_type(request.get("stream") is True), request)
    yield from (f"unknown field {place}" for place in lost)


def _is_said(item: object) -> bool:
    fields = cast("Mapping[str, object]", item) if isinstance(item, Mapping) else {}
    return fields.get("role") == "assistant" and isinstance(fields.get("content"), list)


def _anthropic_types(request: Mapping[str, object]) -> Iterator[str]:
    lost = yield from _typed(_anthropic_type(request.get("stream") is True), request)
    yield from (f"unknown field {place}" for place in lost if ".input." not in f"{place}.")


def _typed(adapter: Any, request: Mapping[str, object]) -> Any:
    """Yield what the type refuses; return the places of the fields it does not know."""
    from pydantic import ValidationError

    try:
        known = _read(adapter.validate_python(request))
    except ValidationError as error:
        yield str(error)[:MAX_WORDS]
        return []
    return list(_lost(request, known, ""))


def _read(value: object) -> object:
    """A validated value whose lazy lists have been read, so that what is in them is validated too."""
    if isinstance(value, dict):
        return {key: _read(inner) for key, inner in cast("dict[str, object]", value).items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_read(inner) for inner in cast("Iterable[object]", value)]
    return value


def _lost(given: object, known: object, place: str) -> Iterator[str]:
    """Where `given` has fields that `known` lacks."""
    if isinstance(given, Mapping) and isinstance(known, Mapping):
        kept = cast("Mapping[str, object]", known)
        for key, inner in cast("Mapping[str, object]", given).items():
            if key in kept:
                yield from _lost(inner, kept[key], f"{place}.{key}")
            else:
                yield f"{place}.{key}"
    elif isinstance(given, list) and isinstance(known, list):
        pairs = zip(cast("list[object]", given), cast("list[object]", known), strict=False)
        for index, (one, other) in enumerate(pairs):
            yield from _lost(one, other, f"{place}[{index}]")


def _gemini_types(request: Mapping[str, object]) -> Iterator[str]:
    from google.genai import types
    from pydantic import ValidationError

    checks: list[tuple[Any, object]] = [
        (types.Content, one) for one in cast("list[object]", request.get("contents", []))
    ]
    checks += [(types.Tool, one) for one in cast("list[object]", request.get("tools", []))]
    checks += [(types.Content, one) for one in (request.get("systemInstruction"),) if one]
    checks += [(types.GenerationConfig, one) for one in (request.get("generationConfig"),) if one]
    for kind, value in checks:
        try:
            kind.model_validate(value)
        except ValidationError as error:
            yield str(error)[:MAX_WORDS]


_RULES: dict[Wire, Any] = {
    "openai": openai_breaches,
    "responses": responses_breaches,
    "anthropic": anthropic_breaches,
    "gemini": _gemini_rules,
}
_TYPES: dict[Wire, Any] = {
    "openai": _openai_types,
    "responses": _responses_types,
    "anthropic": _anthropic_types,
    "gemini": _gemini_types,
}
