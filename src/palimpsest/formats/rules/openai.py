"""Rules of OpenAI's chat completions and of its Responses."""

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
    is_object_text,
    transport_breaches,
)
from palimpsest.lazy_regex import later

MAX_TOOLS = 128
MAX_ID_CHARS, MAX_RESPONSES_ID_CHARS = 40, 64
_PROMPT_ROLES = ("system", "developer", "user")
_DETAILS = ("auto", "low", "high", "original")
_AUDIO_FORMATS = ("wav", "mp3")
_SPEAKER = later(r"[^\s<|\\/>]{1,64}")
_DATA_URI = later(r"data:([^;,]+);base64,(.*)", re.DOTALL)
_WORDS = {"text": "text", "refusal": "refusal"}
_CALLS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
    "mcp_approval_request": "mcp_approval_response",
}
_PROMPT_PARTS = ("input_text", "input_image", "input_file")
_REPLY_PARTS = ("output_text", "refusal")
_REQUIRED = {
    "reasoning": ("id", "summary"),
    "local_shell_call": ("id", "action", "status"),
    "shell_call": ("action",),
    "apply_patch_call": ("operation", "status"),
    "computer_call": ("id", "pending_safety_checks", "status"),
    "computer_call_output": ("output",),
    "mcp_approval_request": ("arguments", "name", "server_label"),
    "mcp_approval_response": ("approve",),
    "compaction": ("encrypted_content",),
}
_STORED = ("message", "function_call", "custom_tool_call")


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
    content = message.get("content")
    if content is not None and not (silent and content == ""):
        yield from _content(content, where, allowed=("text", "refusal"))
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
    if not isinstance(call_id, str) or not 0 < len(call_id) <= MAX_ID_CHARS:
        yield f"{where} has no id of at most {MAX_ID_CHARS} characters"
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
    else:
        yield from _asked(inner, "arguments" if kind == "function" else "input", where)


def _asked(call: Fields, key: str, where: str) -> Iterator[str]:
    """Check what a call asks: the text of an object, or any text of a custom tool."""
    words = call.get(key)
    if not isinstance(words, str):
        yield f"{where} has {key} that are no string"
    elif key == "arguments" and not is_object_text(words):
        yield f"{where} has arguments that are no JSON object"


def _content(content: object, where: str, *, allowed: tuple[str, ...]) -> Iterator[str]:
    """Check a string, or a list of parts: any known part if `allowed` is empty. Only a result may be blank."""
    spoken = allowed != ("text",)
    if isinstance(content, str):
        if spoken and not content.strip():
            yield f"{where} has content of white space"
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
            words = part.get(_WORDS[kind])
            if not isinstance(words, str) or not words.strip():
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


def responses_breaches(request: Mapping[str, object]) -> tuple[str, ...]:
    """Return why OpenAI would refuse this request of its Responses, one sentence each, with the place."""
    return (*_items(request), *transport_breaches(request))


def _items(request: Fields) -> Iterator[str]:
    items = as_list(request.get("input"))
    if not items:
        yield "input is not a list with at least one item"
        return
    waiting: dict[object, str] = {}
    seen: set[object] = set()
    asked: set[object] = set()
    thought = ""
    for index, raw in enumerate(items):
        item, where = as_object(raw), f"input[{index}]"
        if item is None:
            yield f"{where} is not an object"
            continue
        kind = str(item.get("type") or ("message" if "role" in item else "item_reference"))
        if thought and (
            item.get("role", "assistant") != "assistant" or kind.endswith(("_output", "_response"))
        ):
            yield f"{thought} is reasoning without the item that follows it"
        thought = where if kind == "reasoning" else ""
        if item.get("id") in seen:
            yield f"{where} has the id of an item before it"
        seen.update((item["id"],) if item.get("id") else ())
        yield from (f"{where} has no {key}" for key in _REQUIRED.get(kind, ()) if key not in item)
        if kind in _STORED and "id" in item:
            yield f"{where} refers to a stored item"
        yield from _item(kind, item, where, waiting, asked)
    yield from (f"the call {call_id!r} has no {kind}" for call_id, kind in waiting.items())
    if thought:
        yield f"{thought} is reasoning without the item that follows it"


def _item(
    kind: str, item: Fields, where: str, waiting: dict[object, str], asked: set[object]
) -> Iterator[str]:
    if kind == "message":
        yield from _said(item, where)
    elif kind == "reasoning" and not (item.get("encrypted_content") or item.get("content")):
        yield f"{where} is reasoning that only OpenAI's storage has"
    elif kind in _CALLS:
        call_id = item.get("id" if kind == "mcp_approval_request" else "call_id")
        if not isinstance(call_id, str) or not 0 < len(call_id) <= MAX_RESPONSES_ID_CHARS or call_id in asked:
            yield f"{where} has no call id of its own with at most {MAX_RESPONSES_ID_CHARS} characters"
        waiting[call_id] = _CALLS[kind]
        asked.add(call_id)
        if kind in ("function_call", "custom_tool_call"):
            if not is_name(item.get("name")):
                yield f"{where} has no valid name"
            yield from _asked(item, "arguments" if kind == "function_call" else "input", where)
    elif kind in _CALLS.values():
        keys = ("call_id", "approval_request_id", "id")
        call_id = next((item[key] for key in keys if key in item), None)
        if waiting.pop(call_id, "") != kind:
            yield f"{where} answers no open call of its type"


def _said(item: Fields, where: str) -> Iterator[str]:
    role, content = item.get("role"), item.get("content")
    if role not in (*_PROMPT_ROLES, "assistant"):
        yield f"{where} has role {role!r}"
    parts = [{"type": "", "text": content}] if isinstance(content, str) else as_list(content)
    if not parts:
        yield f"{where} has no content"
    for raw in parts or ():
        part = as_object(raw) or {}
        kind = part.get("type")
        if kind in (_PROMPT_PARTS if role == "assistant" else _REPLY_PARTS):
            yield f"{where} has a part of type {kind!r}"
        words = part.get("refusal" if kind == "refusal" else "text")
        if kind in ("", "input_text", *_REPLY_PARTS) and not (isinstance(words, str) and words.strip()):
            yield f"{where} has a blank text"
