"""Building a Converse request that Bedrock accepts from any history.

The API's demands beyond a message's shape, and how they are met:

- Tool groups are complete (`tool_pairing`). A toolUseId occurs once in a request and has only allowed letters; a
  repeated or invalid one is renamed with its results, in history order, so later messages change no earlier id.
- Calls and results need a tool configuration. In a request without tools they are texts.
- Roles alternate: neighbours of one role are merged. The first message is the user's: one is inserted if necessary, and
  replaces a blank first message.
- A block holds one known thing, with its known fields. No text is blank at any depth. An assistant's text does not end
  in white space, nor its content in thinking. Only signed or encrypted thinking of this wire goes back.
- Images and documents are bytes, or stored in S3, of a known format, and the user's: other media becomes a line of
  text. So does what is over 20 images or 5 documents of a message. A document has a plain name of its own and a text
  beside it. Media in a failed result moves behind the results of its group.
- Leading system messages join the system prompt; a later one becomes a text of the user in its place.
- At most four cache points stay, the newest ones, each behind a block.
- No string has a lone surrogate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from palimpsest.formats import media, wire_fields
from palimpsest.formats import tool_definitions as forms
from palimpsest.formats.anthropic.request import MAX_CACHE_MARKS, SYSTEM_HEADER
from palimpsest.formats.bedrock.parse import BLOCKS, CITED, DOCUMENT, FORMATS, GUARD, JSON, POINT, REASONING
from palimpsest.formats.bedrock.render import blocks_of, is_own, is_shown_reasoning, media_block, text_block
from palimpsest.formats.tool_pairing import NO_ID, call_note, pair_tool_groups
from palimpsest.formats.valid_names import safe_name, unused
from palimpsest.formats.wire_fields import Fields
from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Message, Part, Reasoning, Text, ToolCall, ToolDef, ToolResult

EMPTY_RESULT = "[an empty result]"
_LIMITS = {"image": 20, DOCUMENT: 5}
_TOO_MANY = "[{kind}: not shown, a message holds at most {limit}]"
_BESIDE_DOCUMENT = "[a document]"
_MEDIA_HEADER = "[shown by tool call {id}]"
_RESULT_HEADER = "[result of tool call {id}]"
_S3 = later(r"s3://[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](/.*)?", re.DOTALL)
_UNNAMED = later(r"[^a-zA-Z0-9()\[\] -]+")
_BLANKS = later(r"\s+")
_NAME_CHARS = 180
_POINT_FIELDS: dict[str, tuple[object, ...]] = {"type": ("default",), "ttl": ("5m", "1h")}


def render_request(
    system: Sequence[str], messages: Sequence[Message], tools: Sequence[ToolDef] = ()
) -> dict[str, object]:
    """Return `{"system": [...], "messages": [...], "toolConfig": {"tools": [...]}}`, without empty keys.

    Data of images and documents is bytes, as the AWS clients take it. The caller adds the model and what it infers
    with.
    """
    paired = pair_tool_groups(messages)
    start = next((index for index, message in enumerate(paired) if message.role != "system"), len(paired))
    prompt: list[Fields] = [{"text": text} for text in system if text.strip()]
    prompt += [block for message in paired[:start] for block in _prompt(message)]
    offered = render_tools(tools)
    callable_ = any(POINT not in tool for tool in offered)
    request: Fields = {"system": prompt} if prompt else {}
    request["messages"] = _turns(paired[start:], callable_)
    if callable_:
        request["toolConfig"] = {"tools": offered}
    _limit_points([offered, prompt, *(cast("list[Fields]", one["content"]) for one in _messages(request))])
    wire_fields.clean(request)
    return request


def _messages(request: Fields) -> list[Fields]:
    return cast("list[Fields]", request["messages"])


def _prompt(message: Message) -> Iterator[Fields]:
    """Yield a leading system message as blocks of the system prompt."""
    for part in message.parts:
        if isinstance(part, Media):
            yield {"text": media.media_note(part)}
        elif isinstance(part, Text) and part.text.strip():
            block = _text(part, is_own(message), _State(False), "system")
            yield from (block, *_points(part, is_own(message)))


@dataclass(slots=True)
class _State:
    """State of the messages so far: whether there are tools, ids and documents' names in use, the newest new id of each
    old one, and blocks that wait for the end of the group's results.
    """

    tools: bool
    used: dict[str, int] = field(default_factory=dict[str, int])
    names: set[str] = field(default_factory=set[str])
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    behind: list[Fields] = field(default_factory=list[Fields])


def _turns(messages: Sequence[Message], tools: bool) -> list[Fields]:
    """Return the messages as alternating dicts."""
    out: list[Fields] = []
    state = _State(tools)
    for given in messages:
        message = given if tools else _without_calls(given)
        if state.behind and message.role != "tool":
            _add(out, "user", state.behind)
            state.behind = []
        role = "assistant" if message.role == "assistant" else "user"
        blocks: list[Fields] = _told(message) if message.role == "system" else _blocks(message, role, state)
        if not blocks and message.role == "user" and out and out[-1]["role"] == "assistant":
            blocks = [{"text": wire_fields.EMPTY}]
        if not out and (role == "assistant" or (message.role != "system" and not blocks)):
            _add(out, "user", [{"text": wire_fields.OPENING}])
        _add(out, role, blocks)
    _add(out, "user", state.behind)
    return out or [{"role": "user", "content": [{"text": wire_fields.OPENING}]}]


def _without_calls(message: Message) -> Message:
    """Return a message with its calls and results as texts."""
    if not message.calls and not message.results:
        return message
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, ToolResult):
            parts += [Text(_RESULT_HEADER.format(id=part.call_id)), *part.content]
        else:
            parts.append(call_note(part) if isinstance(part, ToolCall) else part)
    return replace(message, role="user" if message.role == "tool" else message.role, parts=tuple(parts))


def _add(out: list[Fields], role: str, blocks: Sequence[Fields]) -> None:
    """Append a message, or merge it into the last one of the same role."""
    if not blocks:
        return
    if not out or out[-1]["role"] != role:
        out.append({"role": role, "content": []})
    content = cast("list[Fields]", out[-1]["content"])
    for block in blocks:
        kind = next(iter(block))
        limit = _LIMITS.get(kind, 0)
        if limit and sum(kind in one for one in content) >= limit:
            content.append({"text": _TOO_MANY.format(kind=kind, limit=limit)})
        else:
            content.append(block)


def _told(message: Message) -> list[Fields]:
    """Return a later system message as a text of the user."""
    words = [media.media_note(one) if isinstance(one, Media) else one.text for one in message.parts
             if isinstance(one, Text | Media)]  # fmt: skip
    said = "\n".join(filter(str.strip, words))
    return [{"text": f"{SYSTEM_HEADER}\n{said}"}] if said else []


def _blocks(message: Message, role: str, state: _State) -> list[Fields]:
    """Return the valid blocks of a message; none if it has nothing but thinking."""
    own, shown = is_own(message), is_shown_reasoning(message)
    found: list[tuple[Fields, Part]] = []
    for part in message.parts:
        block: Fields | None = None
        match part:
            case Text():
                block = _text(part, own, state, role) if part.text.strip() else None
            case Media():
                block = _media(part, own, role, state)
            case Reasoning():
                block = _thinking(part) if shown else None
            case ToolCall():
                block = _call(part, state)
            case ToolResult():
                block = _result(part, own, state)
            case _:
                pass
        if block is not None:
            found.append((block, part))
    while role == "assistant" and found and not _ends_well(found[-1][0]):
        found.pop()
    _settle_hosted(found, state)
    points = [[] if REASONING in block else _points(part, own) for block, part in found]
    blocks = [one for (block, _), behind in zip(found, points, strict=True) for one in (block, *behind)]
    kinds = {next(iter(block)) for block in blocks}
    if DOCUMENT in kinds and "text" not in kinds:
        blocks.append({"text": _BESIDE_DOCUMENT})
    return blocks


def _ends_well(block: Fields) -> bool:
    """Return whether the model's message can end with a block, whose text loses its trailing white space."""
    if isinstance(block.get("text"), str):
        block["text"] = str(block["text"]).rstrip()
        return bool(block["text"])
    return REASONING not in block


def _points(part: Part, own: bool) -> list[Fields]:
    """Return the valid cache points behind a part."""
    given = wire_fields.unpack(part.extra)[1].get(POINT) if own and part.extra else None
    given = wire_fields.objects(cast("list[object]", given)) if isinstance(given, list) else []
    kept = ({key: one[key] for key in _POINT_FIELDS if one.get(key) in _POINT_FIELDS[key]} for one in given)
    return [{POINT: one} for one in kept if "type" in one]


def _text(part: Text, own: bool, state: _State, role: str) -> Fields:
    """Return a text in its own form where that is valid, otherwise as a plain text."""
    fields, shape = wire_fields.unpack(part.extra) if own and part.extra else ({}, {})
    if shape.get(wire_fields.BLOCK):
        return _whole(text_block(part, fields, shape), role) or {"text": part.text}
    found = text_block(part, {}, shape)
    inner = wire_fields.nested(found, next(iter(found)))
    if role == "user" and DOCUMENT in shape:
        return {DOCUMENT: _document(inner, {"source": inner["source"], "format": inner.get("format")}, state)}
    if role in ("user", "system") and GUARD in shape:
        return {GUARD: {"text": _known(wire_fields.nested(inner, "text"), {"text": str, "qualifiers": list})}}
    if role == "assistant" and CITED in shape and isinstance(inner.get("citations"), list):
        return {CITED: _known(inner, {"content": list, "citations": list})}
    return {"text": part.text}


def _known(fields: Fields, known: dict[str, type]) -> Fields:
    return {key: fields[key] for key, kind in known.items() if isinstance(fields.get(key), kind)}


def _whole(block: Fields, role: str) -> Fields | None:
    """Return a block kept whole if it can stand there; None for a broken one of a known kind."""
    kind = next(iter(block), "") if len(block) == 1 else ""
    inner = wire_fields.nested(block, kind)
    if kind in ("toolUse", "toolResult"):
        return block if role == "assistant" and "type" in inner else None
    if kind == "searchResult":
        return _search_result(inner) if role == "user" else None
    return block if inner and kind not in BLOCKS and role != "system" else None


def _search_result(given: Fields) -> Fields | None:
    found = _known(given, {"source": str, "title": str, "content": list, "citations": dict})
    texts = wire_fields.objects(cast("list[object]", found.get("content", [])))
    found["content"] = [{"text": one["text"]} for one in texts if wire_fields.word(one.get("text")).strip()]
    cited = _known(wire_fields.nested(found, "citations"), {"enabled": bool})
    found |= {"citations": cited} if cited else {}
    sound = (
        found["content"] and "source" in found and "title" in found and (cited or "citations" not in found)
    )
    return {"searchResult": found} if sound else None


def _settle_hosted(found: list[tuple[Fields, Part]], state: _State) -> None:
    """Make a call of a tool that the provider runs a text, and its result, unless both are valid in this message."""
    calls: dict[object, int] = {}
    pairs: dict[int, int] = {}
    for at, (block, _) in enumerate(found):
        call, result = wire_fields.nested(block, "toolUse"), wire_fields.nested(block, "toolResult")
        call_id = wire_fields.word(call.get("toolUseId") or result.get("toolUseId"))
        if "type" in call and call_id and call_id == safe_name(call_id) and call_id not in state.used:
            named = wire_fields.word(call.get("name"))
            if named and named == safe_name(named) and isinstance(call.get("input"), dict):
                calls[call_id] = at
        elif "type" in result and call_id in calls and isinstance(result.get("content"), list):
            pairs[calls.pop(call_id)] = at
            state.used[call_id] = 1
    kept = {*pairs, *pairs.values()} if state.tools else ()
    for at, (block, part) in enumerate(found):
        if (
            isinstance(part, Text)
            and at not in kept
            and not block.keys().isdisjoint(("toolUse", "toolResult"))
        ):
            found[at] = {"text": part.text}, part


def _thinking(part: Reasoning) -> Fields | None:
    block = blocks_of(part, True)[0]
    inner = wire_fields.nested(block, REASONING)
    if part.redacted:
        return {REASONING: inner} if part.text and isinstance(inner["redactedContent"], bytes) else None
    said = _known(wire_fields.nested(inner, "reasoningText"), {"text": str, "signature": str})
    return {REASONING: {"reasoningText": said}} if part.signature.strip() else None


def _call(part: ToolCall, state: _State) -> Fields:
    call_id = state.renamed[part.id] = unused(safe_name(part.id or NO_ID), state.used)
    given = wire_fields.arguments_of(part.arguments)
    return {"toolUse": {"toolUseId": call_id, "name": safe_name(part.name), "input": given}}


def _result(part: ToolResult, own: bool, state: _State) -> Fields:
    content: list[Fields] = []
    for one in part.content:
        if isinstance(one, Media):
            block: Fields = _media(one, own, "user", state)
            if "audio" in block or GUARD in block:
                block = {"text": media.media_note(one)}
            if part.is_error and "text" not in block:
                state.behind.extend(({"text": _MEDIA_HEADER.format(id=part.call_id)}, block))
                continue
            content.append(block)
        elif one.text.strip():
            content.append(_inside(one, own))
    call_id = state.renamed.get(part.call_id, part.call_id)
    inner: Fields = {"toolUseId": call_id, "content": content or [{"text": EMPTY_RESULT}]}
    shape = wire_fields.unpack(part.extra)[1] if own and part.extra else {}
    if part.is_error:
        inner["status"] = "error"
    elif wire_fields.nested(shape, "inner").get("status") == "success":
        inner["status"] = "success"
    return {"toolResult": inner}


def _inside(part: Text, own: bool) -> Fields:
    """Return a text of a tool result; a JSON object and a search result in their own form."""
    found = blocks_of(part, own)[0]
    kind = next(iter(found), "") if list(found) in ([JSON], ["searchResult"]) else ""
    if kind == "searchResult":
        found = _search_result(wire_fields.nested(found, kind)) or {}
    return found if isinstance(found.get(kind), dict) else {"text": part.text}


def _media(part: Media, own: bool, role: str, state: _State) -> Fields:
    """Return media as a block, or as a line of text if the message cannot show it."""
    kind, name = FORMATS.get(part.media_type, ("", ""))
    _, shape = wire_fields.unpack(part.extra) if own and part.extra else ({}, {})
    shown = role == "user" and kind and "format" not in shape
    block = media_block(part, {**shape, "data": ""}) if shown else {}
    guarded = wire_fields.nested(wire_fields.nested(block, GUARD), "image")
    inner = guarded or wire_fields.nested(block, kind)
    source = _source(wire_fields.nested(inner, "source"), own)
    if source is None or (guarded and ("bytes" not in source or name not in ("png", "jpeg"))):
        return {"text": media.media_note(part)}
    made: Fields = {"format": name, "source": source}
    if kind == DOCUMENT:
        return {DOCUMENT: _document(inner, made, state)}
    return {GUARD: {"image": made}} if guarded else {kind: made}


def _source(source: Fields, own: bool) -> Fields | None:
    """Return where media is if the API can read it: bytes, or a place in S3 that came from this wire."""
    data, place = source.get("bytes"), wire_fields.nested(source, "s3Location")
    if isinstance(data, bytes) and data:
        return {"bytes": data}
    uri = place.get("uri")
    if own and isinstance(uri, str) and _S3.fullmatch(uri):
        return {"s3Location": _known(place, {"uri": str, "bucketOwner": str})}
    return None


def _document(given: Fields, made: Fields, state: _State) -> Fields:
    """Return a document with its known fields and a name that no other has."""
    named = _BLANKS.sub(" ", _UNNAMED.sub(" ", wire_fields.word(given.get("name")))).strip()[:_NAME_CHARS]
    plain = named.strip() or DOCUMENT
    numbers = (f"{plain} {number}" for number in range(2, len(state.names) + 3))
    name = next(one for one in (plain, *numbers) if one not in state.names)
    state.names.add(name)
    if (DOCUMENT, made["format"]) not in FORMATS.values():
        made = {"source": made["source"]}
    cited = _known(wire_fields.nested(given, "citations"), {"enabled": bool})
    return {
        **made,
        **_known(given, {"context": str}),
        **({"citations": cited} if cited else {}),
        "name": name,
    }


def _limit_points(containers: Sequence[list[Fields]]) -> None:
    """Remove cache points that follow no block, and the oldest of more than four."""
    left = MAX_CACHE_MARKS
    for blocks in reversed(containers):
        for at in range(len(blocks) - 1, -1, -1):
            if POINT not in blocks[at]:
                continue
            if at and POINT not in blocks[at - 1] and left:
                left -= 1
            else:
                del blocks[at]


def render_tools(tools: Sequence[ToolDef]) -> list[dict[str, object]]:
    """Return the tools of a tool configuration, each name once. Other providers' own tools are left out."""
    declared: dict[object, Fields] = {}
    for tool in tools:
        fields, shape = (
            wire_fields.unpack(tool.extra) if tool.extra and tool.wire == forms.BEDROCK else ({}, {})
        )
        if tool.extra and wire_fields.unpack(tool.extra)[1].get(forms.WHOLE):
            declared |= {len(declared): fields} if fields else {}
            continue
        name = safe_name(tool.name)
        spec: Fields = {**wire_fields.nested(shape, "inner"), "name": name}
        if tool.description.strip():
            spec["description"] = tool.description
        schema: Fields = {"properties": {}, **(wire_fields.load_object(tool.schema) or {}), "type": "object"}
        declared.setdefault(name, {"toolSpec": {**spec, "inputSchema": {"json": schema}}})
    return list(declared.values())
