"""OpenAI's Responses API: its items as chat messages, and a request's messages as items.

- A reply is several items, and one message here: what the assistant says and calls between two prompts belongs
  together, as a whole response or item by item in a resent history.
- Reasoning items and calls of OpenAI's own tools are kept with the message and not sent again, because they are valid
  only for their response.
- Nothing refers to OpenAI's storage (`previous_response_id`, item ids): a request is self-contained.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from palimpsest.errors import FormatError, brief
from palimpsest.formats import wire_fields
from palimpsest.formats.openai.parse import parse_message
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import Message

WIRE = "responses"
_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_RESULTS = ("function_call_output", "custom_tool_call_output")
_KINDS = frozenset((*_CALLS, *_RESULTS, "reasoning"))
_PARTS = frozenset(("input_text", "output_text", "input_image", "input_file"))
_SAID = {"input_text": "text", "output_text": "text", "text": "text", "refusal": "refusal"}
_NO_PARAMETERS: Fields = {"type": "object", "properties": {}}
_ACCEPTED = "give a response of OpenAI's Responses, or items of one or of its input, as they came"
_PROMPTS = ("user", "system", "developer")


def in_chat_form(given: Iterable[object]) -> list[object]:
    """Return the input with every run of Responses items replaced by their chat messages, as `Message` values. Raises
    FormatError for an unreadable item.
    """
    out: list[object] = []
    reply: list[Fields] = []
    for one in given:
        items = _items(one)
        if items is None or items[1]:
            out += _assistant(reply)
            reply = []
        if items is None:
            out.append(one)
            continue
        for item in items[0]:
            if _is_prompt(item):
                out += [*_assistant(reply), *_prompt(item)]
                reply = []
            else:
                reply.append(item)
        if items[1]:
            out += _assistant(reply)
            reply = []
    return [*out, *_assistant(reply)]


def may_be_item(one: object) -> bool:
    """Return whether this is a response, or an item of one or of its input."""
    kind = _get(one, "type")
    if isinstance(kind, str) and (kind in _KINDS or (kind.endswith("_call") and _get(one, "role") is None)):
        return True
    if _get(one, "object") == "response":
        return True
    content = _get(one, "content")
    return isinstance(content, list | tuple) and any(
        _get(part, "type") in _PARTS for part in cast("Sequence[object]", content)
    )


def _get(one: object, key: str) -> object:
    return cast("Mapping[str, object]", one).get(key) if isinstance(one, Mapping) else getattr(one, key, None)


def _items(one: object) -> tuple[list[Fields], bool] | None:
    """Return the items of the input, and whether it is a whole response; None for anything else."""
    if not may_be_item(one):
        return None
    fields = wire_fields.fields_of(one, "an item")
    if fields.get("object") != "response":
        return [{"type": "message", **fields}], False
    output = wire_fields.items_of(fields.get("output"), "the output of a response")
    return [{"type": "message", **wire_fields.fields_of(item, "an item")} for item in output], True


def _is_prompt(item: Fields) -> bool:
    return item.get("type") in _RESULTS or item.get("role") in _PROMPTS


def _prompt(item: Fields) -> tuple[Message, ...]:
    """Return a prompt item: a message, or the output of a call."""
    if item["type"] in _RESULTS:
        chat: Fields = {
            "role": "tool",
            "tool_call_id": item.get("call_id"),
            "content": _content(item.get("output")),
        }
    else:
        chat = {"role": item["role"], "content": _content(item.get("content"))}
    return parse_message(chat)


def _assistant(items: Sequence[Fields]) -> tuple[Message, ...]:
    """Return the items of one reply as one message."""
    if not items:
        return ()
    said: list[Fields] = []
    calls: list[Fields] = []
    beside: list[Fields] = []
    for item in items:
        kind = str(item["type"])
        if kind == "message":
            if item.get("role") != "assistant":
                raise FormatError(f"an item's role is {brief(item.get('role'))}", hint=_ACCEPTED)
            found = _content(item.get("content"))
            said.extend(found if isinstance(found, list) else [{"type": "text", "text": found}])
        elif kind in _CALLS:
            function = {"name": item.get("name"), "arguments": item.get(_CALLS[kind], "")}
            calls.append({"id": item.get("call_id"), "type": "function", "function": function})
        else:
            beside.append(item)
    if not said and not calls:
        return ()
    texts = [str(part["text"]) for part in said if part.get("type") == "text"]
    content: object = "\n\n".join(texts) if len(texts) == len(said) else said
    chat: Fields = {"role": "assistant", "content": content or None}
    if calls:
        chat["tool_calls"] = calls
    if beside:
        chat["output"] = beside
    return tuple(replace(message, wire=WIRE) for message in parse_message(chat))


def _content(content: object) -> str | list[Fields]:
    """Return content in chat form. Raises FormatError for what is neither text nor parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        raise FormatError("an item without content", hint=_ACCEPTED)
    parts = [
        _part(wire_fields.fields_of(part, "a content part")) for part in cast("Sequence[object]", content)
    ]
    return str(parts[0]["text"]) if len(parts) == 1 and parts[0].get("type") == "text" else parts


def _part(part: Fields) -> Fields:
    kind = str(part.get("type"))
    if kind in _SAID:
        return {"type": "text", "text": part.get(_SAID[kind]) or ""}
    if kind == "input_image" and part.get("image_url"):
        detail = {"detail": part["detail"]} if part.get("detail") else {}
        return {"type": "image_url", "image_url": {"url": part["image_url"], **detail}}
    if kind in ("input_file", "input_image"):
        kept = {key: part[key] for key in ("filename", "file_data", "file_id") if part.get(key)}
        return {"type": "file", "file": kept}
    return part


def render_responses(chat: Mapping[str, object]) -> dict[str, object]:
    """Return a chat request in Responses form: {"input": [...], "instructions": ..., "tools": [...]}, the last two
    only if present.
    """
    items: list[Fields] = []
    system: list[str] = []
    for message in cast("Sequence[Fields]", chat["messages"]):
        role = message["role"]
        if role in ("system", "developer"):
            system.append(_words(message["content"]))
        elif role == "user":
            items.append({"role": "user", "content": _input(message["content"])})
        elif role == "assistant":
            items += _said_and_called(message)
        else:
            call_id = message.get("tool_call_id") or message.get("name")
            output = _input(message["content"])
            items.append({"type": "function_call_output", "call_id": call_id, "output": output})
    made: dict[str, object] = {"input": items}
    if system:
        made["instructions"] = "\n\n".join(system)
    if tools := cast("Sequence[Fields]", chat.get("tools") or ()):
        made["tools"] = [_tool(tool) for tool in tools]
    return made


def _said_and_called(message: Fields) -> list[Fields]:
    words = _words(message.get("content") or message.get("refusal") or "")
    items: list[Fields] = [{"role": "assistant", "content": words}] if words else []
    for call in cast("Sequence[Fields]", message.get("tool_calls") or ()):
        inner = wire_fields.nested(call, "function") or wire_fields.nested(call, "custom")
        arguments = inner.get("arguments", inner.get("input", ""))
        items.append(
            {"type": "function_call", "call_id": call["id"], "name": inner["name"], "arguments": arguments}
        )
    if legacy := wire_fields.nested(message, "function_call"):
        name = legacy["name"]
        items.append(
            {"type": "function_call", "call_id": name, "name": name, "arguments": legacy["arguments"]}
        )
    return items


def _words(content: object) -> str:
    """Return the texts of a content."""
    if isinstance(content, str):
        return content
    parts = cast("Sequence[Fields]", content or ())
    return "\n\n".join(str(part.get("text") or part.get("refusal") or "") for part in parts)


def _input(content: object) -> str | list[Fields]:
    if not isinstance(content, list):
        return _words(content)
    return [_input_part(part) for part in cast("Sequence[Fields]", content)]


def _input_part(part: Fields) -> Fields:
    kind = part.get("type")
    if kind == "image_url":
        inner = wire_fields.nested(part, "image_url")
        url = inner.get("url", part["image_url"])
        return {"type": "input_image", "image_url": url, "detail": inner.get("detail", "auto")}
    if kind == "file":
        return {"type": "input_file", **wire_fields.nested(part, "file")}
    return {
        "type": "input_text",
        "text": str(part["text"]) if kind == "text" else f"[{kind}: not shown here]",
    }


def _tool(tool: Fields) -> Fields:
    if tool.get("type") != "function":
        return tool
    inner = wire_fields.nested(tool, "function")
    return {"type": "function", "strict": False, "parameters": _NO_PARAMETERS, **inner}
