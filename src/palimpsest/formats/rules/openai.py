"""Rules of OpenAI's chat completions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from palimpsest.formats.rules.value_shape import (
    ADDRESS,
    IMAGE_TYPES,
    Fields,
    as_list,
    as_object,
    is_base64,
    is_name,
    transport_breaches,
)
from palimpsest.lazy_regex import later

MAX_TOOLS = 128
_PROMPT_ROLES = ("system", "developer", "user")
_DETAILS = ("auto", "low", "high", "original")
_AUDIO_FORMATS = ("wav", "mp3")
_SPEAKER = later(r"[^\s<|\\/>]{1,64}")
_DATA_URI = later(r"data:([^;,]+);base64,(.*)", re.DOTALL)
_WORDS = {"text": "text", "refusal": "refusal"}


@dataclass(slots=True)
class _Open:
    """The calls of the newest assistant message: unanswered ones, and answered ones."""

    at: int = 0
    waiting: dict[str, None] = field(default_factory=dict[str, None])
    answered: set[str] = field(default_factory=set[str])


def openai_breaches(request: Mapping[str, object]) -> tuple[str, ...]:
    """Return why OpenAI would refuse this chat request, one sentence each, with the place."""
    return (*_messages(request), *_tools(request), *transport_breaches(request))


def _messages(request: Fields) -> Iterator[str]:
    messages = as_list(request.get("messages"))
    if not messages:
        yield "messages is not a list with at least one message"
        return
    group = _Open()
    for index, raw in enumerate(messages):
        where = f"messages[{index}]"
        message = as_object(raw)
        if message is None:
            yield f"{where} is not an object"
            continue
        role = message.get("role")
        if role == "tool":
            yield from _tool_message(message, where, group)
            continue
        yield from _unanswered(group, where)
        group = _Open(index)
        if role == "assistant":
            yield from _assistant(message, where, group)
        elif role in _PROMPT_ROLES:
            yield from _content(message.get("content"), where, allowed=("text",) if role != "user" else ())
        elif role == "function":
            yield from _content(message.get("content"), where, allowed=("text",))
        else:
            yield f"{where} has role {role!r}"
        yield from _name(message, where)
    yield from _unanswered(group, "the end")


def _unanswered(group: _Open, where: str) -> Iterator[str]:
    for call_id in group.waiting:
        yield f"the call {call_id!r} of messages[{group.at}] has no tool message before {where}"


def _name(message: Fields, where: str) -> Iterator[str]:
    if "name" not in message:
        return
    name = message["name"]
    if not isinstance(name, str) or not _SPEAKER.fullmatch(name):
        yield f"{where} has a name with characters that are refused, or none: {name!r}"


def _tool_message(message: Fields, where: str, group: _Open) -> Iterator[str]:
    yield from _content(message.get("content"), where, allowed=("text",))
    yield from _name(message, where)
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str):
        yield f"{where} has no tool_call_id"
    elif call_id in group.waiting:
        del group.waiting[call_id]
        group.answered.add(call_id)
    elif call_id in group.answered:
        yield f"{where} answers the call {call_id!r} a second time"
    else:
        yield f"{where} answers no call of the assistant message before it"


def _assistant(message: Fields, where: str, group: _Open) -> Iterator[str]:
    calls = as_list(message.get("tool_calls"))
    if "tool_calls" in message and not calls:
        yield f"{where} has tool_calls that are not a list with at least one call"
    silent = calls or any(message.get(key) for key in ("function_call", "refusal", "audio"))
    for name in ("annotations", "audio", "function_call", "refusal"):
        if name in message and (name == "annotations" or message[name] is None):
            yield f"{where} has {name} of a reply"
    if message.get("content") is not None:
        yield from _content(message.get("content"), where, allowed=("text", "refusal"))
    elif not silent:
        yield f"{where} has neither content nor tool calls"
    for number, raw in enumerate(calls or []):
        yield from _call(raw, f"{where}.tool_calls[{number}]", group)


def _call(raw: object, where: str, group: _Open) -> Iterator[str]:
    call = as_object(raw)
    if call is None:
        yield f"{where} is not an object"
        return
    call_id = call.get("id")
    if not isinstance(call_id, str) or not call_id:
        yield f"{where} has no id"
    elif call_id in group.waiting:
        yield f"{where} repeats the id {call_id!r}"
    else:
        group.waiting[call_id] = None
    kind = call.get("type")
    if kind not in ("function", "custom"):
        yield f"{where} has type {kind!r}"
        return
    inner = as_object(call.get(str(kind)))
    if inner is None or not is_name(inner.get("name")):
        yield f"{where} has no {kind} with a valid name"
    elif not isinstance(inner.get("arguments" if kind == "function" else "input"), str):
        yield f"{where} has arguments that are no string"


def _content(content: object, where: str, *, allowed: tuple[str, ...]) -> Iterator[str]:
    """Check a string, or a list of parts: any known part if `allowed` is empty."""
    if isinstance(content, str):
        return
    parts = as_list(content)
    if not parts:
        yield f"{where} has content that is neither a string nor a list with at least one part"
        return
    for index, raw in enumerate(parts):
        place = f"{where}.content[{index}]"
        part = as_object(raw)
        kind = part.get("type") if part is not None else None
        if part is None or not isinstance(kind, str):
            yield f"{place} is not an object with a type"
        elif kind in _WORDS:
            if not isinstance(part.get(_WORDS[kind]), str):
                yield f"{place} has no {kind}"
            if kind == "refusal" and kind not in allowed:
                yield f"{place} is a refusal outside an assistant message"
        elif kind in ("image_url", "input_audio", "file"):
            yield from _media(part, kind, place, misplaced=bool(allowed))


def _media(part: Fields, kind: str, where: str, *, misplaced: bool) -> Iterator[str]:
    if misplaced:
        yield f"{where} has type {kind!r}, which only a user message can hold"
    inner = as_object(part.get(kind))
    if inner is None:
        yield f"{where} has no object under {kind!r}"
    elif kind == "image_url":
        url = inner.get("url")
        if not isinstance(url, str) or not (ADDRESS.fullmatch(url) or _is_data(url, IMAGE_TYPES)):
            yield f"{where} has a url that is neither an address nor an image as a data URI"
        if inner.get("detail", "auto") not in _DETAILS:
            yield f"{where} has detail {inner.get('detail')!r}"
    elif kind == "input_audio":
        if inner.get("format") not in _AUDIO_FORMATS or not is_base64(inner.get("data")):
            yield f"{where} is no wav or mp3 in base64"
    elif not isinstance(inner.get("file_id"), str):
        data = inner.get("file_data")
        if not isinstance(data, str) or not _is_data(data, ("application/pdf",)):
            yield f"{where} has neither a file_id nor a PDF as a data URI"


def _is_data(uri: str, types: tuple[str, ...]) -> bool:
    found = _DATA_URI.fullmatch(uri)
    return found is not None and found[1] in types and is_base64(found[2])


def _tools(request: Fields) -> Iterator[str]:
    if "tools" not in request:
        return
    tools = as_list(request["tools"])
    if not tools or len(tools) > MAX_TOOLS:
        yield f"tools is not a list of 1 to {MAX_TOOLS} tools"
        return
    names: set[object] = set()
    for index, raw in enumerate(tools):
        tool = as_object(raw)
        kind = tool.get("type") if tool is not None else None
        if tool is None or kind not in ("function", "custom"):
            yield f"tools[{index}] has type {kind!r}"
            continue
        inner = as_object(tool.get(str(kind)))
        name = inner.get("name") if inner is not None else None
        if inner is None or not is_name(name):
            yield f"tools[{index}] has no valid name"
        elif name in names:
            yield f"tools[{index}] repeats the name {name!r}"
        elif as_object(inner.get("parameters", {})) is None:
            yield f"tools[{index}] has parameters that are no object"
        names.add(name)
