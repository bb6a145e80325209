"""Building a Messages API request that Anthropic accepts from any history.

The provider's demands beyond a message's shape, and how they are met:

- Tool groups are complete (`tool_pairing`). A tool_use id occurs once in a request and has only allowed letters; a
  repeated or invalid one is renamed with its results, in history order, so later messages change no earlier id.
- Roles alternate: neighbours of one role are merged, results first. The first message is the user's: one is inserted
  if necessary, and replaces a blank first message.
- Of a stored reply only role and content go back; its id, model and usage are refused in a request.
- No text is blank at any depth. An assistant's text does not end in white space, nor its content in thinking.
- Unsigned thinking is left out. An image in a failed result moves behind the results of its group, because a failed
  result may hold only text. Media that cannot be shown becomes a line of text.
- Leading system messages join the system prompt. A later one may stand only between a user message and an assistant
  message or the end: it follows the user messages of its turn, and those of one turn are merged. Where no user message
  precedes it since the last reply, or the model accepts none, it becomes a text of the user message in its place.
- The result of a server tool whose call is not in the request becomes a line of text, and so does such a call without
  a result, unless its turn is still running.
- At most four blocks carry a cache mark; the newest ones stay. Invalid marks are removed, and those on thinking. A
  block of a known type that lacks a required field becomes a line of text.
- No string has a lone surrogate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from palimpsest.formats import media, wire_fields
from palimpsest.formats import tool_definitions as forms
from palimpsest.formats.anthropic.model_abilities import accepts_system_messages, reads_compactions
from palimpsest.formats.anthropic.parse import WIRE, parse_message
from palimpsest.formats.anthropic.render import blocks_of, is_own, render_message
from palimpsest.formats.provider_blocks import with_blocks
from palimpsest.formats.tool_pairing import NO_ID, pair_tool_groups
from palimpsest.formats.valid_names import safe_name, unused
from palimpsest.formats.wire_fields import CACHE_MARK, Fields
from palimpsest.record.message import Media, Message, Part, Text, ToolDef, ToolResult

_REPLY = "message"
"""The type of a whole reply."""
MAX_CACHE_MARKS = 4
COMPACTION = "compaction"
"""The type of a block with the provider's own summary."""
_SAYING = {"text": "text", "thinking": "signature", "redacted_thinking": "data"}
_THINKING = ("thinking", "redacted_thinking")
SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
"""The types of blocks with which a model calls a tool that the provider runs."""
_OUTER = ("tool_use", "tool_result", *SERVER_CALLS, *_THINKING)
_TTLS = ("5m", "1h")
SYSTEM_HEADER = "[system message]"
"""The first line of a system message that becomes a text of a user message."""
_IN_SYSTEM = ("text", "tool_addition", "tool_removal")
_UNTIL = "clear_at"
"""The field that says until when a system message is shown."""


def render_request(
    system: Sequence[str],
    messages: Sequence[Message],
    tools: Sequence[ToolDef] = (),
    *,
    model: str = "",
    deferred: Collection[str] = (),
) -> dict[str, object]:
    """Return `{"system": [text blocks], "messages": [...], "tools": [...]}`, without empty keys.

    The caller adds model and max_tokens. `model` decides what is done with system messages among the others, and with
    compaction blocks. `deferred` names the tools that a system message adds.
    """
    paired = pair_tool_groups(with_blocks(messages, WIRE, _from_blocks, reads=reads_compactions(model)))
    start = next((index for index, message in enumerate(paired) if message.role != "system"), len(paired))
    blocks: list[Fields] = [{"type": "text", "text": text} for text in system if text.strip()]
    for message in paired[:start]:
        blocks.extend(_as_texts(_legal(blocks_of(render_message(_shown(message))[0]))))
    request: Fields = {}
    if blocks:
        request["system"] = wire_fields.clean(blocks)
    request["messages"] = _turns(paired[start:], accepts_system_messages(model))
    if tools and (rendered := render_tools(tools)):
        request["tools"] = wire_fields.clean(rendered)
        names = set(map(safe_name, deferred if accepts_system_messages(model) else ()))
        for tool in rendered:
            if tool.get("name") in names:
                tool["defer_loading"] = True
    _limit_marks(request)
    return request


def _from_blocks(blocks: Sequence[object]) -> tuple[Message, ...]:
    """Return the message with a compaction."""
    return parse_message({"role": "assistant", "content": list(blocks)})


@dataclass(slots=True)
class _State:
    """State of the messages so far: ids in use, the newest new id of each old one, ids of server tool calls.

    `behind` are blocks that wait for the end of the group's results, and `told` system messages that wait for the next
    reply.
    """

    used: dict[str, int] = field(default_factory=dict[str, int])
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    served: list[object] = field(default_factory=list[object])
    behind: list[Fields] = field(default_factory=list[Fields])
    told: list[Fields] = field(default_factory=list[Fields])


def _turns(messages: Sequence[Message], accepts_system: bool) -> list[Fields]:
    """Return the messages as alternating dicts, with system messages between them."""
    out: list[Fields] = []
    state = _State()
    for message in messages:
        if state.behind and message.role != "tool":
            _add(out, {"role": "user", "content": wire_fields.clean(state.behind)})
            state.behind = []
        rendered: Fields = render_message(_shown(message))[0]
        if message.role == "system":
            if _settle_told(rendered):
                state.told.append(rendered)
                if not accepts_system:
                    _tell(out, state, False)
            continue
        rendered["role"] = "assistant" if message.role == "assistant" else "user"
        if rendered.get("type") == _REPLY:
            rendered = {"role": rendered["role"], "content": rendered.get("content")}
        if not _settle(rendered, state):
            rendered = {}
            if message.role == "user" and out and out[-1]["role"] == "assistant":
                rendered = {"role": "user", "content": wire_fields.EMPTY}
        if not out and rendered.get("role") != "user" and not _opens_with_compaction(rendered):
            out.append({"role": "user", "content": wire_fields.OPENING})
        if rendered:
            if state.told and rendered["role"] == "assistant":
                _tell(out, state, accepts_system)
            _add(out, rendered)
    if state.behind:
        _add(out, {"role": "user", "content": wire_fields.clean(state.behind)})
    if state.told:
        _tell(out, state, accepts_system)
    _settle_server_calls(out, state.served)
    return out or [{"role": "user", "content": wire_fields.OPENING}]


def _opens_with_compaction(rendered: Fields) -> bool:
    """Return whether a dict begins with a compaction block, which may be the first message."""
    content = rendered.get("content")
    blocks = wire_fields.objects(cast("list[object]", content)) if isinstance(content, list) else []
    return bool(blocks) and blocks[0].get("type") == COMPACTION


def _tell(out: list[Fields], state: _State, accepts_system: bool) -> None:
    """Append the waiting system messages: as one behind a user message, otherwise as texts of a user message."""
    told, state.told = state.told, []
    if accepts_system and out and out[-1]["role"] == "user":
        until = {str(one.get(_UNTIL)) for one in told}
        out.append(told[0])
        for one in told[1:]:
            _add(out, one)
        if len(until) > 1:
            out[-1].pop(_UNTIL, None)
        return
    for one in told:
        blocks = blocks_of(one)
        text: Fields = {"type": "text", "text": "\n".join((SYSTEM_HEADER, *map(_words, blocks)))}
        marks = [block[CACHE_MARK] for block in blocks if CACHE_MARK in block]
        text |= {CACHE_MARK: marks[-1]} if marks else {}
        _add(out, {"role": "user", "content": [text]})


def _settle_told(rendered: Fields) -> bool:
    """Make a system message's content valid in place; return False if nothing is left of it."""
    content = rendered.get("content")
    if not isinstance(content, str):
        rendered["content"] = content = _as_texts(_legal(blocks_of(rendered)), _IN_SYSTEM)
    wire_fields.clean(rendered)
    return bool(content.strip() if isinstance(content, str) else content)


def _as_texts(blocks: Sequence[Fields], kept: Sequence[str] = ("text",)) -> list[Fields]:
    """Return the blocks, those of other types than the kept ones as texts of their JSON."""
    return [block if block.get("type") in kept else wire_fields.as_refused_text(block) for block in blocks]


def _words(block: Fields) -> str:
    """Return the text of a block of a system message."""
    return str((block if block.get("type") == "text" else wire_fields.as_refused_text(block))["text"])


def _add(out: list[Fields], rendered: Fields) -> None:
    """Append a dict, or merge it into the last one of the same role. A compaction stays a message of its own."""
    if not out or out[-1]["role"] != rendered["role"] or _opens_with_compaction(out[-1]):
        out.append(rendered)
        return
    before = out[-1]
    if not isinstance(before["content"], list):
        before["content"] = blocks_of(before)
    cast("list[Fields]", before["content"]).extend(blocks_of(rendered))
    for key, value in rendered.items():
        before.setdefault(key, value)


def _shown(message: Message) -> Message:
    """Return the message with a line of text instead of media that cannot be shown there."""
    if message.role == "tool":
        if not any(Media in map(type, result.content) for result in message.results):
            return message
    elif Media not in map(type, message.parts):
        return message
    own, here = is_own(message), message.role in ("user", "tool")
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, Media) and not (here and takes(part, own)):
            parts.append(Text(media.media_note(part)))
        elif isinstance(part, ToolResult):
            content = tuple(
                Text(media.media_note(inner)) if isinstance(inner, Media) and not takes(inner, own) else inner
                for inner in part.content
            )
            parts.append(replace(part, content=content))
        else:
            parts.append(part)
    return replace(message, parts=tuple(parts))


def takes(part: Media, own: bool) -> bool:
    """Return whether a message can show this media. File ids are valid only for the provider that gave them."""
    if part.data:
        known = part.media_type in media.IMAGE_TYPES or part.media_type == media.PDF
        return known and media.is_base64(part.data)
    known = media.kind_of(part) == "image" or part.media_type in ("document", media.PDF)
    return known and (media.is_address(part.uri) or (own and media.is_file_id(part.uri)))


def _settle(rendered: Fields, state: _State) -> bool:
    """Make a dict's content valid in place; return False if nothing is left of it."""
    assistant = rendered["role"] == "assistant"
    content = rendered.get("content")
    if isinstance(content, str):
        rendered["content"] = content.rstrip() if assistant else content
        wire_fields.clean(rendered)
        return bool(content.strip())
    legal = _legal(blocks_of(rendered))
    for index, block in enumerate(legal):
        kind = block.get("type")
        if kind == "tool_use":
            _settle_call(block, state)
        elif kind == "tool_result":
            _settle_result(block, state)
        elif kind in SERVER_CALLS:
            state.served.append(block.get("id"))
        elif "tool_use_id" in block and block["tool_use_id"] not in state.served:
            legal[index] = wire_fields.as_refused_text(block)
    if assistant:
        legal = _ended(legal)
    rendered["content"] = legal
    wire_fields.clean(rendered)
    return bool(legal)


def _settle_server_calls(turns: list[Fields], served: Collection[object]) -> None:
    """Make a server tool's call without a result a line of text, unless the turn is still running: its message is the
    last one, or only results follow it.
    """
    if not served:
        return
    blocks = [block for turn in turns for block in _listed(turn) if "tool_use_id" in block]
    answered = {block["tool_use_id"] for block in blocks if block.get("type") != "tool_result"}
    for turn, after in zip(turns, [*turns[1:], None], strict=True):
        if after is None or any(block.get("type") == "tool_result" for block in _listed(after)):
            continue
        content = _listed(turn)
        for index, block in enumerate(content):
            if block.get("type") in SERVER_CALLS and block.get("id") not in answered:
                content[index] = wire_fields.as_refused_text(block)


def _listed(turn: Fields) -> list[Fields]:
    content = turn.get("content")
    return cast("list[Fields]", content) if isinstance(content, list) else []


def _legal(blocks: Sequence[Fields]) -> list[Fields]:
    """Return the valid blocks: no blank text, no unsigned thinking. Other values become text."""
    return [
        block
        for block in (one if _is_block(one) else wire_fields.as_refused_text(one) for one in blocks)
        if (key := _SAYING.get(str(block.get("type")))) is None or str(block.get(key) or "").strip()
    ]


def _is_block(block: Fields) -> bool:
    """Return whether a block of a known type has its required fields; a client may have sent anything."""
    kind = block.get("type")
    if kind in ("image", "document"):
        return _is_source(str(kind), wire_fields.nested(block, "source"))
    if kind in SERVER_CALLS:
        return isinstance(block.get("id"), str)
    key = _SAYING.get(kind, "type") if isinstance(kind, str) else "type"
    thought = kind != "thinking" or isinstance(block.get("thinking"), str)
    return isinstance(kind, str) and thought and isinstance(block.get(key, ""), str)


def _is_source(kind: str, source: Fields) -> bool:
    form, found = source.get("type"), source.get("media_type")
    said = isinstance(source.get("data"), str)
    match form:
        case "base64":
            types = media.IMAGE_TYPES if kind == "image" else (media.PDF,)
            sound = said and media.is_base64(str(source["data"]))
            return sound and isinstance(found, str) and found in types
        case "url":
            url = source.get("url")
            return isinstance(url, str) and media.is_address(url)
        case "file":
            return bool(source.get("file_id"))
        case "text":
            return kind == "document" and said and found == "text/plain"
        case _:
            return kind == "document" and form == "content"


def _ended(blocks: list[Fields]) -> list[Fields]:
    """Return the assistant's blocks up to the last one that is not thinking, without trailing white space."""
    end = len(blocks)
    while end and blocks[end - 1].get("type") in _THINKING:
        end -= 1
    blocks = blocks[:end]
    if blocks and blocks[-1].get("type") == "text":
        blocks[-1]["text"] = str(blocks[-1]["text"]).rstrip()
    return blocks


def _settle_call(block: Fields, state: _State) -> None:
    given = cast("str", block["id"])
    block["id"] = state.renamed[given] = unused(safe_name(given or NO_ID), state.used)
    block["name"] = safe_name(cast("str", block["name"]))
    block.setdefault("input", {})


def _settle_result(block: Fields, state: _State) -> None:
    given = cast("str", block["tool_use_id"])
    block["tool_use_id"] = state.renamed.get(given, given)
    if not isinstance(block.get("is_error", False), bool):
        del block["is_error"]
    content = block.get("content")
    if not isinstance(content, list):
        if not isinstance(content, str) or not content.strip():
            block.pop("content", None)
        return
    inside = cast("list[Fields]", content)
    legal = _legal(
        [wire_fields.as_refused_text(inner) if inner.get("type") in _OUTER else inner for inner in inside]
    )
    if block.get("is_error"):
        state.behind.extend(inner for inner in legal if inner.get("type") != "text")
        legal = [inner for inner in legal if inner.get("type") == "text"]
    if legal:
        block["content"] = legal
    else:
        del block["content"]


def _marked(request: Fields) -> Iterator[Fields]:
    """Return every dict with a cache mark, in the order of the prompt: tools, system, messages."""
    for key in ("tools", "system"):
        yield from (block for block in cast("list[Fields]", request.get(key, [])) if CACHE_MARK in block)
    for message in cast("list[Fields]", request["messages"]):
        content = message.get("content")
        if not isinstance(content, list):
            continue
        for block in cast("list[Fields]", content):
            inner = block.get("content")
            if isinstance(inner, list):
                yield from (
                    one for one in wire_fields.objects(cast("list[object]", inner)) if CACHE_MARK in one
                )
            if CACHE_MARK in block:
                yield block


def _is_sound(block: Fields) -> bool:
    """Return whether the provider accepts this block's cache mark."""
    mark = block[CACHE_MARK]
    if not isinstance(mark, dict) or block.get("type") in _THINKING:
        return False
    fields = cast("Fields", mark)
    return fields.get("type") == "ephemeral" and fields.get("ttl", "5m") in _TTLS


def _limit_marks(request: Fields) -> None:
    marked = list(_marked(request))
    sound = [block for block in marked if _is_sound(block)]
    kept = {id(block) for block in sound[-MAX_CACHE_MARKS:]}
    for block in marked:
        if id(block) not in kept:
            del block[CACHE_MARK]


def render_tools(tools: Sequence[ToolDef]) -> list[dict[str, object]]:
    """Return the tools with their `input_schema`. Other providers' own tools are left out."""
    return [rendered for tool in tools if (rendered := _tool(tool)) is not None]


def _tool(tool: ToolDef) -> Fields | None:
    own = tool.wire == forms.ANTHROPIC
    fields, shape = wire_fields.unpack(tool.extra) if tool.extra else ({}, {})
    if shape.get(forms.WHOLE):
        return fields if own else None
    if not own:
        fields, shape = {}, {}
    out: Fields = {**fields, "name": safe_name(tool.name)}
    if tool.description or shape.get("description") == "present":
        out["description"] = tool.description
    schema = wire_fields.load_object(tool.schema) or {}
    if not own:
        empty: Fields = {"type": "object", "properties": {}}
        schema = {**empty, **schema}
    out["input_schema"] = schema
    return out
