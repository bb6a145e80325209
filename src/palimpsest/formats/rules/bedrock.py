"""Rules of Bedrock's Converse API, with data as bytes, as its clients take it."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from palimpsest.formats.rules.value_shape import Fields, as_list, as_object, is_name, transport_breaches
from palimpsest.lazy_regex import later

MAX_POINTS = 4
_LIMITS = {"image": 20, "document": 5}
_FORMATS = {
    "image": "png jpeg gif webp".split(),
    "document": "pdf csv doc docx xls xlsx html txt md".split(),
    "video": "mkv mov mp4 webm flv mpeg mpg wmv three_gp".split(),
    "audio": "mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpeg mpga pcm webm".split(),
}
_FIELDS = {
    "image": "format source", "video": "format source", "audio": "format source",
    "document": "format name source context citations",
    "toolUse": "toolUseId name input type", "toolResult": "toolUseId content status type",
    "cachePoint": "type ttl", "reasoningContent": "reasoningText redactedContent",
    "guardContent": "text image", "citationsContent": "content citations",
}  # fmt: skip
_USER_ONLY = ("image", "document", "video", "audio", "guardContent", "searchResult")
_ASSISTANT_ONLY = ("toolUse", "reasoningContent", "citationsContent")
_IN_RESULT = ("text", "json", "image", "document", "video", "searchResult")
_S3 = later(r"s3://[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](/[\s\S]*)?")
_NAME = later(r"[a-zA-Z0-9()\[\]-]+( [a-zA-Z0-9()\[\]-]+)*")


@dataclass(slots=True)
class _Pass:
    """State of one pass through the request."""

    ids: set[object] = field(default_factory=set[object])
    names: set[object] = field(default_factory=set[object])
    waiting: list[object] = field(default_factory=list[object])
    calls: int = 0
    points: int = 0


def bedrock_breaches(request: Mapping[str, object]) -> tuple[str, ...]:
    """Return why Bedrock would refuse this request, one sentence each, with the place."""
    seen = _Pass()
    found = [
        f"the request has an unknown field {key!r}"
        for key in request
        if key not in ("system", "messages", "toolConfig", "modelId", "inferenceConfig")
    ]
    found += [*_tools(request, seen), *_system(request, seen), *_messages(request, seen)]
    if seen.points > MAX_POINTS:
        found.append(f"{seen.points} cache points; at most {MAX_POINTS} may be there")
    if seen.calls and "toolConfig" not in request:
        found.append("messages have tool calls or results, and the request has no toolConfig")
    return (*found, *transport_breaches(request, _text_of))


def _text_of(value: object) -> str:
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return base64.b64encode(value).decode()


def _messages(request: Fields, seen: _Pass) -> Iterator[str]:
    messages = as_list(request.get("messages"))
    if not messages:
        yield "messages is not a list with at least one message"
        return
    before: object = "assistant"
    for index, raw in enumerate(messages):
        where, message = f"messages[{index}]", as_object(raw) or {}
        role, content = message.get("role"), as_list(message.get("content"))
        if role not in ("user", "assistant"):
            yield f"{where} has role {role!r}"
        if role == before:
            yield (
                f"{where} is of role {role}, like the one before it"
                if index
                else "the first message is not the user's"
            )
        before = role
        yield from (
            f"{where} has an unknown field {key!r}" for key in message if key not in ("role", "content")
        )
        if not content:
            yield f"{where} has content that is not a list with at least one block"
            continue
        blocks = [as_object(block) or {} for block in content]
        yield from _group(blocks, role, seen, where)
        yield from _order(blocks, role, seen, where, last=index == len(messages) - 1)
        for number, block in enumerate(blocks):
            yield from _block(block, f"{where}.content[{number}]", str(role), seen)
    for call_id in seen.waiting:
        yield f"the toolUse {call_id!r} has no toolResult in the next message"


def _group(blocks: list[Fields], role: object, seen: _Pass, where: str) -> Iterator[str]:
    """Check that every toolUse of the message before is answered here, first and once, and nothing else is."""
    results = [as_object(one["toolResult"]) or {} for one in blocks if "toolResult" in one]
    hosted = [one for one in results if "type" in one]
    answers = [one.get("toolUseId") for one in results if "type" not in one]
    if any("toolResult" not in one for one in blocks[: len(answers)]):
        yield f"{where} has other content before a toolResult"
    waiting, seen.waiting = seen.waiting, []
    for call_id in answers:
        if call_id in waiting:
            waiting.remove(call_id)
        else:
            yield f"{where} has a toolResult for {call_id!r}, which the message before it did not ask for"
    yield from (f"{where} lacks a toolResult for the toolUse {call_id!r}" for call_id in waiting)
    calls = [as_object(one["toolUse"]) or {} for one in blocks if "toolUse" in one]
    seen.calls += len(calls) + len(results)
    seen.waiting = [one.get("toolUseId") for one in calls if "type" not in one]
    served = [one.get("toolUseId") for one in calls if "type" in one]
    if sorted(map(str, served)) != sorted(str(one.get("toolUseId")) for one in hosted):
        yield f"{where} has calls of the provider's tools without results, or results without calls"
    if role == "user" and (hosted or served):
        yield f"{where} is the user's, and has calls or results of the provider's tools"


def _order(blocks: list[Fields], role: object, seen: _Pass, where: str, *, last: bool) -> Iterator[str]:
    kinds = [next(iter(block), "") for block in blocks]
    for kind, limit in _LIMITS.items():
        if kinds.count(kind) > limit:
            yield f"{where} has {kinds.count(kind)} blocks of {kind}; at most {limit} may be there"
    if "document" in kinds and "text" not in kinds:
        yield f"{where} has a document and no text"
    yield from _points(blocks, seen, where)
    if role == "assistant" and kinds[-1] == "reasoningContent":
        yield f"{where} ends in thinking"
    words = blocks[-1].get("text")
    if role == "assistant" and last and isinstance(words, str) and words != words.rstrip():
        yield f"{where} is the last message, the assistant's, and ends in white space"


def _points(blocks: list[Fields], seen: _Pass, where: str) -> Iterator[str]:
    before = "cachePoint"
    for block in blocks:
        kind = next(iter(block), "")
        if kind == "cachePoint":
            seen.points += 1
            point = as_object(block[kind]) or {}
            if before in (kind, "reasoningContent"):
                yield f"{where} has a cache point behind nothing that can be cached"
            if point.get("type") != "default" or point.get("ttl", "5m") not in ("5m", "1h"):
                yield f"{where} has the cache point {block[kind]!r}"
        before = kind


def _block(block: Fields, where: str, role: str, seen: _Pass) -> Iterator[str]:
    if len(block) != 1:
        yield f"{where} holds {' and '.join(block) or 'nothing'}; a block holds one thing"
        return
    ((kind, value),) = block.items()
    if kind == "text":
        yield from _words(value, where)
        return
    if kind in (_ASSISTANT_ONLY if role == "user" else _USER_ONLY):
        yield f"{where} is a {kind}, which a message of role {role} cannot hold"
    inner = as_object(value)
    if inner is None:
        yield f"{where} has a {kind} that is no object"
        return
    known = _FIELDS.get(kind)
    if known is not None:
        yield from (f"{where} has an unknown field {key!r}" for key in inner if key not in known.split())
    if kind in _FORMATS:
        yield from _media(kind, inner, where, seen)
    elif kind in ("toolUse", "toolResult"):
        yield from _tool_block(kind, inner, where, seen)
    elif kind == "reasoningContent":
        yield from _thinking(inner, where)
    elif kind == "guardContent":
        yield from _guarded(inner, where, seen)
    elif kind == "citationsContent" and not as_list(inner.get("content")):
        yield f"{where} has no content"


def _words(value: object, where: str) -> Iterator[str]:
    if not isinstance(value, str) or not value.strip():
        yield f"{where} is a text without words"


def _tool_block(kind: str, inner: Fields, where: str, seen: _Pass) -> Iterator[str]:
    call_id = inner.get("toolUseId")
    if not is_name(call_id):
        yield f"{where} has the toolUseId {call_id!r}"
    if kind == "toolUse":
        if call_id in seen.ids:
            yield f"{where} repeats the toolUseId {call_id!r}"
        seen.ids.add(str(call_id))
        if not is_name(inner.get("name")):
            yield f"{where} has the name {inner.get('name')!r}"
        if as_object(inner.get("input")) is None:
            yield f"{where} has an input that is no object"
        return
    if inner.get("status", "success") not in ("success", "error"):
        yield f"{where} has the status {inner.get('status')!r}"
    content = as_list(inner.get("content"))
    if not content:
        yield f"{where} has content that is not a list with at least one block"
    for number, raw in enumerate(content or ()):
        block, place = as_object(raw) or {}, f"{where}.content[{number}]"
        found = next(iter(block), "")
        if len(block) != 1 or found not in _IN_RESULT:
            yield f"{place} holds {' and '.join(block) or 'nothing'}"
        elif found == "json":
            if as_object(block[found]) is None:
                yield f"{place} has json that is no object"
        elif found != "text" and inner.get("status") == "error":
            yield f"{place} is a {found}, and a failed result holds text alone"
        else:
            yield from _block(block, place, "user", seen)


def _thinking(inner: Fields, where: str) -> Iterator[str]:
    said = as_object(inner.get("reasoningText")) or {}
    sealed = inner.get("redactedContent")
    if list(inner) == ["redactedContent"] and isinstance(sealed, bytes) and sealed:
        return
    if list(inner) != ["reasoningText"] or not isinstance(said.get("text"), str) or not said.get("signature"):
        yield f"{where} has thinking without a signature"
    yield from (f"{where} has an unknown field {key!r}" for key in said if key not in ("text", "signature"))


def _guarded(inner: Fields, where: str, seen: _Pass) -> Iterator[str]:
    text, image = as_object(inner.get("text")), as_object(inner.get("image"))
    if (text is None) == (image is None):
        yield f"{where} guards neither a text nor an image"
    if text is not None:
        yield from _words(text.get("text"), where)
        yield from (
            f"{where} has an unknown field {key!r}" for key in text if key not in ("text", "qualifiers")
        )
    if image is not None:
        yield from _media("image", image, where, seen)


def _media(kind: str, inner: Fields, where: str, seen: _Pass) -> Iterator[str]:
    found = inner.get("format")
    if found not in _FORMATS[kind] and not (kind == "document" and found is None):
        yield f"{where} has the format {found!r}"
    source = as_object(inner.get("source")) or {}
    form = next(iter(source), "")
    place = (as_object(source.get("s3Location")) or {}).get("uri")
    sound = {
        "bytes": isinstance(source.get("bytes"), bytes) and bool(source.get("bytes")),
        "s3Location": isinstance(place, str) and _S3.fullmatch(place) is not None,
        "text": kind == "document" and isinstance(source.get("text"), str),
        "content": kind == "document" and isinstance(source.get("content"), list),
    }
    if len(source) != 1 or not sound.get(form):
        yield f"{where} has no source that can be read"
    if kind == "document":
        name = inner.get("name")
        if not isinstance(name, str) or len(name) > 200 or not _NAME.fullmatch(name):
            yield f"{where} has the name {name!r}"
        if name in seen.names:
            yield f"{where} repeats the name {name!r}"
        seen.names.add(str(name))


def _system(request: Fields, seen: _Pass) -> Iterator[str]:
    if "system" not in request:
        return
    blocks = [as_object(one) or {} for one in as_list(request["system"]) or []]
    if not blocks:
        yield "system is not a list with at least one block"
    yield from _points(blocks, seen, "system")
    for index, block in enumerate(blocks):
        if list(block) not in (["text"], ["guardContent"], ["cachePoint"]):
            yield f"system[{index}] holds {' and '.join(block) or 'nothing'}"
        else:
            yield from _block(block, f"system[{index}]", "user", seen)


def _tools(request: Fields, seen: _Pass) -> Iterator[str]:
    if "toolConfig" not in request:
        return
    tools = [
        as_object(one) or {} for one in as_list((as_object(request["toolConfig"]) or {}).get("tools")) or []
    ]
    yield from _points(tools, seen, "toolConfig")
    if all("cachePoint" in tool for tool in tools):
        yield "toolConfig.tools is not a list with at least one tool"
    names: set[object] = set()
    for index, tool in enumerate(tools):
        where, kind = f"toolConfig.tools[{index}]", next(iter(tool), "")
        if len(tool) != 1 or kind not in ("toolSpec", "systemTool", "cachePoint"):
            yield f"{where} holds {' and '.join(tool) or 'nothing'}"
        if kind != "toolSpec":
            continue
        spec = as_object(tool[kind]) or {}
        yield from (
            f"{where} has an unknown field {key!r}"
            for key in spec
            if key not in ("name", "description", "inputSchema", "strict")
        )
        name = spec.get("name")
        if not is_name(name):
            yield f"{where} has no valid name"
        elif name in names:
            yield f"{where} repeats the name {name!r}"
        names.add(str(name))
        if spec.get("description", "a") == "":
            yield f"{where} has an empty description"
        schema = as_object((as_object(spec.get("inputSchema")) or {}).get("json"))
        if schema is None or schema.get("type") != "object":
            yield f"{where} has no inputSchema of type object"
