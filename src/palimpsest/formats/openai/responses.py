"""Building a request of OpenAI's Responses API from any history.

- What came as items goes out as the same items (`items`), and messages of other wires as items of the usual types.
- A request is self-contained: nothing refers to OpenAI's storage. An item goes without its id and its status where the
  API does not require them, and without null fields and what only a reply has.
- Reasoning goes out with the item that follows it, while its whole reply is shown unchanged. Otherwise the reply's
  reasoning is left out, with the items that are valid only behind it: work of the provider's tools, and calls that
  need their id.
- A call and its result keep their types while both are as they came. Otherwise both have the form of a function.
- Leading system messages join the instructions; later ones are items in their place.
- No message is empty, no text part is blank, no call id is longer than 64 characters, and no stored id occurs twice.

What is made of a message depends on it, on the messages before it, and on the results of its calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import cast

from palimpsest.formats import media, wire_fields
from palimpsest.formats.openai import items as forms
from palimpsest.formats.openai.items import (
    APPROVAL,
    APPROVED,
    CALL,
    CUSTOM,
    FORM,
    ITEM,
    KEY,
    PIECE,
    parse_items,
)
from palimpsest.formats.openai.render import DEFAULT_FILENAME, OWN_WIRES, RESPONSES, marked
from palimpsest.formats.openai.request import EMPTY_HISTORY, placed, render_tools
from palimpsest.formats.provider_blocks import with_blocks
from palimpsest.formats.tool_pairing import pair_tool_groups
from palimpsest.formats.valid_names import MAX_ID_CHARS, safe_name, unused
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import (
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolDef,
    ToolResult,
)

_NO_PARAMETERS: Fields = {"type": "object", "properties": {}}
_SCREENSHOT = "computer_screenshot"
_NEEDS_ID = frozenset(("reasoning", "local_shell_call", "computer_call", APPROVAL))
_NEEDS_STATUS = frozenset(
    ("local_shell_call", "computer_call", "apply_patch_call", "apply_patch_call_output")
)


def render_responses(
    system: Sequence[str], messages: Sequence[Message], tools: Sequence[ToolDef] = ()
) -> dict[str, object]:
    """Return `{"input": [...], "instructions": ..., "tools": [...]}`, the last two only if present. The caller adds the
    model.
    """
    messages = with_blocks(messages, RESPONSES, _from_items, reads=True)
    paired = placed(pair_tool_groups(messages, opaque=True), MAX_ID_CHARS, _is_own)
    history = _distinct([message if _is_own(message) else _translated(message) for message in paired])
    leading = sum(1 for _ in takewhile(lambda message: message.role == "system", history))
    instructions = [*system, *(message.text for message in history[:leading])]
    state = _State()
    found = [item for place in range(leading, len(history)) for item in _items(history, place, state)]
    made: Fields = {"input": found or [{"role": "user", "content": EMPTY_HISTORY}]}
    if said := "\n\n".join(text for text in instructions if text.strip()):
        made["instructions"] = said
    if tools and (offered := render_tools(tools)):
        made["tools"] = [_tool(tool) for tool in offered]
    wire_fields.clean(made)
    return made


def user_text(item: Fields) -> str:
    """Return the text of a user's message without media, "" for any other item."""
    content = item.get("content")
    if item.get("role") != "user" or isinstance(content, str):
        return str(content) if item.get("role") == "user" else ""
    parts = wire_fields.objects(cast("list[object]", content)) if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if part.get("type") == "input_text"]
    return "\n".join(map(str, texts)) if len(texts) == len(parts) else ""


def _distinct(messages: Sequence[Message]) -> list[Message]:
    """Return the messages without a call id that an earlier reply had. A reply with a renamed call is not whole."""
    out: list[Message] = []
    used: dict[str, int] = {}
    renamed: dict[str, str] = {}
    for message in messages:
        if message.role == "assistant":
            renamed = {call.id: unused(call.id, used) for call in message.calls}
        if all(new == old for old, new in renamed.items()):
            out.append(message)
            continue
        parts = (
            replace(part, id=renamed[part.id]) if isinstance(part, ToolCall)
            else replace(part, call_id=renamed.get(part.call_id, part.call_id)) if isinstance(part, ToolResult)
            else part
            for part in message.parts
        )  # fmt: skip
        out.append(
            replace(message, parts=tuple(parts), extra="" if message.role == "assistant" else message.extra)
        )
    return out


def _from_items(items: Sequence[object]) -> tuple[Message, ...]:
    """Return the messages of a compaction's items."""
    return tuple(one for one in parse_items(items) if isinstance(one, Message))


def _is_own(message: Message) -> bool:
    return message.wire == RESPONSES


def _shape(thing: Part | Message) -> Fields:
    return wire_fields.unpack(thing.extra)[1] if thing.extra else {}


def _translated(message: Message) -> Message:
    """Return a message of another wire as one of this wire, without what its own `extra` says."""
    chat = message.wire in OWN_WIRES
    found = [_translated_part(part, chat) for part in message.parts]
    parts: list[Part] = [part for part in found if part is not None]
    if message.role == "assistant":
        words = "\n\n".join(part.text for part in parts if isinstance(part, Text) and part.text)
        parts = [Text(words), *(part for part in parts if isinstance(part, ToolCall))]
    developer = chat and _shape(message).get("role") == "developer"
    extra = wire_fields.pack({}, {"role": "developer"} if developer else {})
    return replace(message, parts=tuple(parts), wire=RESPONSES, extra=extra)


def _translated_part(part: Part, chat: bool) -> Part | None:
    shape = _shape(part) if chat else {}
    match part:
        case Text(text=text):
            return Text(text)
        case ToolCall():
            custom = {ITEM: {"type": CUSTOM}} if shape.get("type") == "custom" else {}
            return replace(part, extra=wire_fields.pack({}, custom))
        case ToolResult(content=content):
            return replace(
                part,
                content=tuple(Text(one.text) if isinstance(one, Text) else one for one in content),
                extra="",
            )
        case Media():
            inner = wire_fields.nested(shape, "inner")
            kind, image = media.kind_of(part), media.kind_of(part) == "image"
            if kind == "audio":
                return Text(media.media_note(part))
            named = (
                {"detail": inner.get("detail", "auto")}
                if image
                else {"filename": inner.get("filename", DEFAULT_FILENAME)}
            )
            piece: Fields = {
                "type": "input_image" if image else "input_file",
                **(named if image or part.data else {}),
            }
            key = "image_url" if image else "file_data" if part.data else "file_id"
            return replace(part, extra=wire_fields.pack({}, {KEY: key, PIECE: piece}))
        case _:
            return None


@dataclass(slots=True)
class _State:
    """State of the items so far: ids of stored items, and of the newest reply the results that keep their types, and
    the calls of custom tools.
    """

    seen: set[object] = field(default_factory=set[object])
    results: dict[str, Fields] = field(default_factory=dict[str, Fields])
    customs: set[str] = field(default_factory=set[str])


def _items(history: Sequence[Message], place: int, state: _State) -> list[Fields]:
    """Return the items of one message of a history."""
    message = history[place]
    if message.role == "tool":
        return [state.results.get(one.call_id) or _output(one, state) for one in message.results]
    if message.role != "assistant":
        return _prompt(message)
    end = place + 1
    while end < len(history) and history[end].role == "tool":
        end += 1
    return _reply(
        message, {one.call_id: one for answer in history[place + 1 : end] for one in answer.results}, state
    )


def _reply(message: Message, answers: Mapping[str, ToolResult], state: _State) -> list[Fields]:
    ids = {stored for part in message.parts if (stored := _stored_id(part))}
    whole = _is_whole(message) and ids.isdisjoint(state.seen)
    calls, kept = _calls(message, answers, whole, state)
    if whole and not kept and any(isinstance(part, Reasoning) for part in message.parts):
        whole = False
        calls, _ = _calls(message, answers, whole, state)
    out: list[Fields] = []
    said: list[Fields] = []
    for part in message.parts:
        if isinstance(part, Text):
            _say(part, said, out)
            continue
        said = []
        match part:
            case ToolCall():
                out.append(calls.pop(0))
            case Reasoning() if whole:
                out.append(_reasoning(part))
            case Opaque() if whole and (found := wire_fields.load_object(part.data)):
                out.append(found)
            case _:
                pass
    while out and out[-1].get("type") == "reasoning":
        out.pop()
    state.seen |= ids if whole else set()
    return out


def _is_whole(message: Message) -> bool:
    """Return whether a reply has all that it came with, and its reasoning is valid without OpenAI's storage."""
    bound = [part for part in message.parts if isinstance(part, Reasoning | Opaque)]
    given = _shape(message).get(forms.SUM)
    if given is None:
        return not bound
    sealed = all(part.signature or _texts_of(part) for part in bound if isinstance(part, Reasoning))
    blank = any(isinstance(part, Text) and not part.text.strip() for part in message.parts)
    return sealed and not blank and given == forms.checksum(message.parts)


def _texts_of(part: Reasoning) -> object:
    """Return what the model thought in words, which is more than a summary."""
    shape = _shape(part)
    return wire_fields.nested(shape, forms.LENGTHS).get("content") or wire_fields.nested(shape, ITEM).get(
        "content"
    )


def _stored_id(part: Part) -> object:
    """Return the id of an item in OpenAI's storage that goes out with the item."""
    if isinstance(part, Opaque):
        return (wire_fields.load_object(part.data) or {}).get("id")
    item = wire_fields.nested(_shape(part), ITEM)
    return item.get("id") if isinstance(part, Reasoning) or item.get("type") in _NEEDS_ID else None


def stored_items(messages: Sequence[Message]) -> list[Fields]:
    """Return the items of messages as they came, with ids and nulls, for a store of items."""
    out: list[Fields] = []
    state, kinds = _State(), dict[str, str]()
    for given in messages:
        message = given if _is_own(given) else _translated(given)
        if message.role == "assistant":
            out += _stored_reply(message, state, kinds)
        elif message.role == "tool":
            for one in message.results:
                kind = kinds.get(one.call_id, CALL)
                own = _own_result(one, kind, keep=True) if kind not in (CALL, CUSTOM) else None
                out.append(own or _output(one, state, keep=True))
        else:
            out += _prompt(message, keep=True)
    return out


def _stored_reply(message: Message, state: _State, kinds: dict[str, str]) -> list[Fields]:
    out: list[Fields] = []
    said: list[Fields] = []
    for part in message.parts:
        if isinstance(part, Text):
            _say(part, said, out, keep=True)
            continue
        said = []
        if isinstance(part, ToolCall):
            shape = {KEY: "arguments", **_shape(part)}
            item = {"type": CALL, **wire_fields.nested(shape, ITEM)}
            kind = kinds[part.id] = str(item["type"])
            if kind == CUSTOM:
                state.customs.add(part.id)
            made: Fields = {"type": CALL, "call_id": part.id, "name": part.name, "arguments": part.arguments}
            out.append(_own_call(part, shape, item, keep=True) or made)
        elif isinstance(part, Reasoning):
            out.append(_reasoning(part, keep=True))
        elif isinstance(part, Opaque) and (found := wire_fields.load_object(part.data)):
            out.append(found)
    return out


def _sent(item: Fields, *, keep: bool = False) -> Fields:
    """Return the fields of an item that a request takes, or all of them."""
    if keep:
        return item
    kind = item.get("type")
    gone = ("created_by", "" if kind in _NEEDS_ID else "id", "" if kind in _NEEDS_STATUS else "status")
    return {key: value for key, value in item.items() if value is not None and key not in gone}


def _say(part: Text, said: list[Fields], out: list[Fields], *, keep: bool = False) -> None:
    """Add a text of the assistant to the message `said`, or begin one."""
    shape = _shape(part)
    item = wire_fields.nested(shape, ITEM)
    if ITEM in shape or not said:
        said[:] = [{**_sent(item, keep=keep), "role": "assistant", "content": []}]
    message = said[0]
    plain = (FORM in shape or ITEM not in shape) and PIECE not in shape and not message["content"]
    if not part.text.strip():
        return
    if not message["content"]:
        out.append(message)
    if plain:
        message["content"] = part.text
        said.clear()
    else:
        cast("list[Fields]", message["content"]).append(_piece(part, "output_text"))


def _reasoning(part: Reasoning, *, keep: bool = False) -> Fields:
    shape = _shape(part)
    kept = _sent({**wire_fields.nested(shape, ITEM), "type": "reasoning"}, keep=keep)
    fields: Fields = {"summary": [], **kept}
    start = 0
    for key, lengths in cast("dict[str, list[int]]", wire_fields.nested(shape, forms.LENGTHS)).items():
        pieces: list[Fields] = []
        for length in lengths:
            pieces.append({"type": forms.REASONING_TEXTS[key], "text": part.text[start : start + length]})
            start += length
        fields[key] = pieces
    return {**fields, "encrypted_content": part.signature} if part.signature else fields


def _calls(
    message: Message, answers: Mapping[str, ToolResult], whole: bool, state: _State
) -> tuple[list[Fields], bool]:
    """Return the calls of a reply, and whether all are as they came. Their results are noted in the state."""
    state.results, state.customs = {}, set()
    out: list[Fields] = []
    kept = True
    for call in message.calls:
        shape = _shape(call)
        item = wire_fields.nested(shape, ITEM)
        kind = str(item.get("type") or CALL)
        if kind == CUSTOM:
            state.customs.add(call.id)
        elif kind != CALL:
            given = _own_call(call, shape, item) if whole or kind not in _NEEDS_ID else None
            answer = _own_result(answers[call.id], kind) if call.id in answers else None
            if given is not None and answer is not None:
                state.results[call.id] = answer
                out.append(given)
                continue
        asked, name = (
            call.arguments if kind == CUSTOM else wire_fields.object_text(call.arguments),
            safe_name(call.name),
        )
        kept = kept and kind in (CALL, CUSTOM) and (name, asked) == (call.name, call.arguments)
        own = _sent(item) if kind in (CALL, CUSTOM) else {}
        key = "input" if kind == CUSTOM else "arguments"
        out.append(
            {**own, "type": CUSTOM if kind == CUSTOM else CALL, "call_id": call.id, "name": name, key: asked}
        )
    return out, kept


def _own_call(call: ToolCall, shape: Fields, item: Fields, *, keep: bool = False) -> Fields | None:
    """Return a call of another type than a function; None if its arguments cannot be sent in it."""
    kind, key = str(item["type"]), str(shape.get(KEY) or "")
    found = wire_fields.load_value(call.arguments) if shape.get(FORM) == forms.VALUE else (call.arguments,)
    if found is None:
        return None
    named: Fields = {} if call.name == kind.removesuffix("_call") else {"name": call.name}
    asked: Fields = {key: found[0]} if key else {}
    return {**_sent(item, keep=keep), "id" if kind == APPROVAL else "call_id": call.id, **named, **asked}


def _own_result(result: ToolResult, kind: str, *, keep: bool = False) -> Fields | None:
    """Return the result of a call of this type; None if it is none, or its content was changed."""
    shape = _shape(result)
    item = wire_fields.nested(shape, ITEM)
    expected = {APPROVAL: APPROVED, "tool_search_call": forms.SEARCHED}.get(kind, f"{kind}_output")
    if item.get("type") != expected:
        return _made_result(result, kind)
    fields = {**_sent(item, keep=keep), str(shape.get(KEY)): result.call_id}
    if not result.content:
        return fields
    first = result.content[0]
    if shape.get(FORM) == PIECE:
        return {**fields, "output": _piece(first, _SCREENSHOT)}
    text = first.text if isinstance(first, Text) else ""
    found = wire_fields.load_value(text) if shape.get(FORM) == forms.VALUE else (text,)
    if expected == APPROVED and found:
        return {**fields, **cast("Fields", found[0])}
    return {**fields, "tools" if expected == forms.SEARCHED else "output": found[0]} if found else None


def _made_result(result: ToolResult, kind: str) -> Fields | None:
    """Return the result of a call of this type with other content than it came with; None if it can only be text."""
    text, failed = result.text, result.is_error
    named: Fields = {"type": f"{kind}_output", "call_id": result.call_id}
    match kind:
        case "local_shell_call":
            return {"type": f"{kind}_output", "id": result.call_id, "output": text}
        case "shell_call":
            outcome = {"type": "exit", "exit_code": int(failed)}
            return {**named, "output": [{"stdout": text, "stderr": "", "outcome": outcome}]}
        case "apply_patch_call":
            return {**named, "status": "failed" if failed else "completed", "output": text}
        case _:
            return None


def _output(result: ToolResult, state: _State, *, keep: bool = False) -> Fields:
    """Return a result as the output of a function or a custom tool."""
    kind = f"{CUSTOM if result.call_id in state.customs else CALL}_output"
    shape = _shape(result)
    item = wire_fields.nested(shape, ITEM)
    own = item.get("type") == kind
    pieces = _pieces(result.content if own or not result.is_error else marked(result.content))
    output = _as_text(pieces, listed=shape.get(FORM) == forms.LIST) or ""
    return {
        **(_sent(item, keep=keep) if own else {"type": kind}),
        "call_id": result.call_id,
        "output": output,
    }


def _prompt(message: Message, *, keep: bool = False) -> list[Fields]:
    """Return the items of a user's or system message."""
    shape = _shape(message)
    given = (wire_fields.load_object(part.data) for part in message.parts if isinstance(part, Opaque))
    opaque = [found for found in given if found]
    content = _as_text(
        _pieces(part for part in message.parts if isinstance(part, Text | Media)),
        listed=shape.get("content") == forms.LIST,
    )
    if not content:
        if opaque or message.role == "system":
            return opaque
        content = wire_fields.EMPTY
    role = shape.get("role") or message.role
    return [{**_sent(wire_fields.nested(shape, ITEM), keep=keep), "role": role, "content": content}, *opaque]


def _as_text(pieces: list[Fields], *, listed: bool) -> object:
    """Return a content as plain text if it is one, unless it came `listed`."""
    plain = len(pieces) == 1 and not listed and pieces[0].keys() == {"type", "text"}
    return pieces[0]["text"] if plain and pieces[0]["type"] == "input_text" else pieces


def _pieces(parts: Iterable[Text | Media]) -> list[Fields]:
    """Return the content parts that are not blank, with a screenshot as an image."""
    found = [_piece(part) for part in parts if isinstance(part, Media) or part.text.strip()]
    image: Fields = {"type": "input_image", "detail": "auto"}
    return [{**piece, **image} if piece.get("type") == _SCREENSHOT else piece for piece in found]


def _piece(part: Text | Media, usual: str = "input_text") -> Fields:
    shape = _shape(part)
    piece = wire_fields.nested(shape, PIECE)
    if isinstance(part, Media):
        if KEY in shape:
            return {**piece, str(shape[KEY]): media.uri_of(part)}
        return {"type": "input_text", "text": media.media_note(part)}
    if shape.get(forms.WHOLE) and (found := wire_fields.load_object(part.text)):
        return found
    return {**(piece or {"type": usual}), "refusal" if piece.get("type") == "refusal" else "text": part.text}


def _tool(tool: Fields) -> Fields:
    kind = str(tool.get("type"))
    inner = wire_fields.nested(tool, kind)
    if kind == "function":
        return {"type": kind, "strict": False, "parameters": _NO_PARAMETERS, **inner}
    return {"type": kind, **inner} if kind == "custom" and inner else tool
