"""Rules of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from palimpsest.formats.rules.value_shape import (
    ADDRESS,
    IMAGE_TYPES,
    NAME,
    Fields,
    as_list,
    as_object,
    is_base64,
    is_name,
    transport_breaches,
)

MAX_CACHE_MARKS = 4
_PDF = ("application/pdf",)
_MEDIA = ("image", "document")
_THINKING = ("thinking", "redacted_thinking")
_USER_ONLY = ("tool_result", "image", "document")
_SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
_ASSISTANT_ONLY = ("tool_use", "thinking", "redacted_thinking", *_SERVER_CALLS)
_SYSTEM_ONLY = ("tool_addition", "tool_removal")
_IN_SYSTEM = ("text", *_SYSTEM_ONLY)
_TTLS = ("5m", "1h")


@dataclass(slots=True)
class _Pass:
    """State of one pass through the messages."""

    ids: set[str] = field(default_factory=set[str])
    waiting: list[str] = field(default_factory=list[str])
    server_ids: list[object] = field(default_factory=list[object])
    marks: int = 0


def anthropic_breaches(request: Mapping[str, object]) -> tuple[str, ...]:
    """Return why Anthropic would refuse this request, one sentence each, with the place."""
    seen = _Pass()
    found = [*_tools(request, seen), *_system(request, seen), *_messages(request, seen)]
    if seen.marks > MAX_CACHE_MARKS:
        found.append(f"{seen.marks} blocks carry cache_control; at most {MAX_CACHE_MARKS} may")
    return (*found, *transport_breaches(request))


def _messages(request: Fields, seen: _Pass) -> Iterator[str]:
    messages = as_list(request.get("messages"))
    if not messages:
        yield "messages is not a list with at least one message"
        return
    before: object = ""
    for index, raw in enumerate(messages):
        where = f"messages[{index}]"
        message = as_object(raw)
        role = message.get("role") if message is not None else None
        if message is None or role not in ("user", "assistant", "system"):
            yield f"{where} has role {role!r}"
            continue
        yield from _turn(before, str(role), where, index)
        before = role
        if message.get("type") == "message":
            yield f"{where} is a reply with all that came with it"
        blocks = _blocks(message.get("content"))
        if blocks is None:
            yield f"{where} has content that is neither a string with words nor a list with at least one block"
            continue
        answers = _answers(blocks)
        yield from _group(answers, seen, where)
        for number, block in enumerate(blocks):
            yield from _block(block, f"{where}.content[{number}]", str(role), seen)
        yield from _order(blocks, where, str(role), last=index == len(messages) - 1)
    for call_id in seen.waiting:
        yield f"the tool_use {call_id!r} has no tool_result in the next message"
    yield from _server_calls([_blocks((as_object(raw) or {}).get("content")) or [] for raw in messages])


def _server_calls(turns: list[list[Fields]]) -> Iterator[str]:
    """Check that a server tool's call has its result, unless its turn is still running."""
    results = {
        block.get("tool_use_id") for turn in turns for block in turn if block.get("type") != "tool_result"
    }
    for index, turn in enumerate(turns[:-1]):
        if not _answers(turns[index + 1]):
            for block in turn:
                if block.get("type") in _SERVER_CALLS and block.get("id") not in results:
                    yield f"messages[{index}] has a {block['type']} {block.get('id')!r} without its result"


def _turn(before: object, role: str, where: str, index: int) -> Iterator[str]:
    """Check the order of roles. A system message is directly behind a user message, and not before one."""
    if not index and role != "user":
        yield "the first message is not the user's"
    elif role == before:
        yield f"{where} is of role {role}, like the one before it"
    elif role == "system" and before != "user":
        yield f"{where} is a system message that follows no user message"
    elif role == "user" and before == "system":
        yield f"{where} is a user message behind a system message"


def _blocks(content: object) -> list[Fields] | None:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content.strip() else None
    found = as_list(content)
    if not found:
        return None
    return [as_object(block) or {} for block in found]


def _answers(blocks: list[Fields]) -> list[object]:
    return [block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"]


def _group(answers: list[object], seen: _Pass, where: str) -> Iterator[str]:
    """Check that every tool_use of the message before is answered here, once, and nothing else is."""
    waiting = list(seen.waiting)
    for call_id in answers:
        if call_id in waiting:
            waiting.remove(str(call_id))
        else:
            yield f"{where} has a tool_result for {call_id!r}, which the message before it did not ask for"
    for call_id in waiting:
        yield f"{where} lacks a tool_result for the tool_use {call_id!r}"
    seen.waiting = []


def _order(blocks: list[Fields], where: str, role: str, *, last: bool) -> Iterator[str]:
    kinds = [block.get("type") for block in blocks]
    if role == "user":
        results = kinds.count("tool_result")
        if any(kind != "tool_result" for kind in kinds[:results]):
            yield f"{where} has other content before a tool_result"
    if role != "assistant":
        return
    if kinds[-1] in _THINKING:
        yield f"{where} ends in thinking"
    words = blocks[-1].get("text")
    if last and kinds[-1] == "text" and isinstance(words, str) and words != words.rstrip():
        yield f"{where} is the last message, the assistant's, and ends in white space"


def _block(block: Fields, where: str, role: str, seen: _Pass) -> Iterator[str]:
    kind = block.get("type")
    if not isinstance(kind, str):
        yield f"{where} is not an object with a type"
        return
    yield from _mark(block, where, seen)
    if not _may_hold(role, kind):
        yield f"{where} has type {kind!r}, which a message of role {role} cannot hold"
    if kind == "tool_use":
        yield from _tool_use(block, where, seen)
    elif kind == "tool_result":
        yield from _tool_result(block, where, seen)
    elif kind in _SERVER_CALLS:
        seen.server_ids.append(block.get("id"))
    elif kind.endswith("_tool_result") and block.get("tool_use_id") not in seen.server_ids:
        yield f"{where} answers no server_tool_use before it"
    elif kind == "thinking" and not (isinstance(block.get("thinking"), str) and block.get("signature")):
        yield f"{where} has thinking without a signature"
    elif kind == "redacted_thinking" and not block.get("data"):
        yield f"{where} has no data"
    elif kind == "text":
        yield from _text(block, where)
    elif kind in _MEDIA:
        yield from _source(block, kind, where)


def _may_hold(role: str, kind: str) -> bool:
    if role == "system":
        return kind in _IN_SYSTEM
    return kind not in (_SYSTEM_ONLY + (_ASSISTANT_ONLY if role == "user" else _USER_ONLY))


def _mark(block: Fields, where: str, seen: _Pass) -> Iterator[str]:
    mark = block.get("cache_control")
    if mark is None:
        return
    seen.marks += 1
    found = as_object(mark)
    if found is None or found.get("type") != "ephemeral" or found.get("ttl", "5m") not in _TTLS:
        yield f"{where} has cache_control {mark!r}"
    if block.get("type") in _THINKING:
        yield f"{where} has cache_control on thinking"


def _text(block: Fields, where: str) -> Iterator[str]:
    text = block.get("text")
    if not isinstance(text, str) or not text.strip():
        yield f"{where} is a text without words"


def _tool_use(block: Fields, where: str, seen: _Pass) -> Iterator[str]:
    call_id = block.get("id")
    if not isinstance(call_id, str) or not NAME.fullmatch(call_id):
        yield f"{where} has the id {call_id!r}"
    elif call_id in seen.ids:
        yield f"{where} repeats the id {call_id!r}"
    seen.ids.add(str(call_id))
    seen.waiting.append(str(call_id))
    if not is_name(block.get("name")):
        yield f"{where} has the name {block.get('name')!r}"
    if as_object(block.get("input")) is None:
        yield f"{where} has an input that is no object"


def _tool_result(block: Fields, where: str, seen: _Pass) -> Iterator[str]:
    if not isinstance(block.get("is_error"), bool | None):
        yield f"{where} has is_error {block.get('is_error')!r}"
    content = block.get("content", "")
    if isinstance(content, str):
        return
    for number, raw in enumerate(as_list(content) or [{}]):
        inner, place = as_object(raw) or {}, f"{where}.content[{number}]"
        kind = inner.get("type")
        yield from _mark(inner, place, seen)
        if not isinstance(kind, str):
            yield f"{place} is not an object with a type"
        elif kind == "text":
            yield from _text(inner, place)
        elif block.get("is_error"):
            yield f"{place} has type {kind!r}, and a failed result holds text alone"
        elif kind in _MEDIA:
            yield from _source(inner, kind, place)


def _source(block: Fields, kind: str, where: str) -> Iterator[str]:
    source = as_object(block.get("source")) or {}
    form = source.get("type")
    if form == "base64":
        types = IMAGE_TYPES if kind == "image" else _PDF
        if source.get("media_type") not in types or not is_base64(source.get("data")):
            yield f"{where} has a source of {source.get('media_type')!r} that is refused, or no base64"
    elif form == "url":
        url = source.get("url")
        if not isinstance(url, str) or not ADDRESS.fullmatch(url):
            yield f"{where} has no address"
    elif form == "file":
        if not source.get("file_id"):
            yield f"{where} has no file_id"
    elif kind == "document" and form == "text":
        if source.get("media_type") != "text/plain" or not isinstance(source.get("data"), str):
            yield f"{where} is a document without plain text"
    elif kind == "image" or form != "content":
        yield f"{where} has a source of type {form!r}"


def _system(request: Fields, seen: _Pass) -> Iterator[str]:
    if "system" not in request:
        return
    blocks = _blocks(request["system"])
    if blocks is None:
        yield "system is neither a string with words nor a list with at least one block"
        return
    for index, block in enumerate(blocks):
        where = f"system[{index}]"
        yield from _mark(block, where, seen)
        if block.get("type") != "text":
            yield f"{where} has type {block.get('type')!r}"
        else:
            yield from _text(block, where)


def _tools(request: Fields, seen: _Pass) -> Iterator[str]:
    if "tools" not in request:
        return
    tools = as_list(request["tools"])
    if not tools:
        yield "tools is not a list with at least one tool"
        return
    names: set[object] = set()
    for index, raw in enumerate(tools):
        where, tool = f"tools[{index}]", as_object(raw) or {}
        name, kind = tool.get("name"), tool.get("type", "custom")
        yield from _mark(tool, where, seen)
        if not is_name(name):
            yield f"{where} has no valid name"
        elif name in names:
            yield f"{where} repeats the name {name!r}"
        names.add(name)
        schema = as_object(tool.get("input_schema"))
        if kind == "custom" and (schema is None or schema.get("type") != "object"):
            yield f"{where} has no input_schema of type object"
