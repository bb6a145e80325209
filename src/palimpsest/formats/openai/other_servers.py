"""Chat messages for the servers that speak OpenAI's wire but are stricter: vLLM, SGLang, llama.cpp, Moonshot, DeepSeek.

Local servers apply the model's chat template, which often raises for what OpenAI accepts. A model's name says which
form it gets (`takes_openai_form`): a template belongs to the model, not to the server. The form meets these demands:

- One system message, at the beginning (Qwen, Gemma, Mistral). A later one becomes a text of a user message.
- The first other message is the user's, and roles alternate apart from tool groups (Gemma, Llama 2, Mistral):
  neighbours of one role are merged.
- No "developer" role, no custom tool calls, no refusal parts. Content that is only text is a string (DeepSeek).
- No message is empty, results included (Moonshot). Kimi with thinking refuses an assistant message with calls that has
  no `reasoning_content`, or an empty one; `NO_REASONING` stands in for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from palimpsest.formats import wire_fields
from palimpsest.formats.openai.parse import REASONING_FIELDS
from palimpsest.formats.wire_fields import Fields
from palimpsest.lazy_regex import later

SYSTEM_HEADER = "[system message]"
NO_REASONING = "."
_HOSTED_MODEL = later(
    r"(?:.*[/:])?(?:gpt-(?!oss)|chatgpt-|o[1-9](?:-|$)|codex-|computer-use-|claude|gemini-|grok-)",
    re.IGNORECASE,
)
_KIMI = later(r"(?:.*[/:])?kimi", re.IGNORECASE)
SYSTEM_ROLES = ("system", "developer")


def takes_openai_form(name: str) -> bool:
    """Return whether a model takes what OpenAI takes: OpenAI's, and those of Anthropic, Google and xAI. A request that
    names no model is taken for one to OpenAI.
    """
    return not name or _HOSTED_MODEL.match(name) is not None


def for_chat_template(messages: Sequence[Fields], model: str) -> list[Fields]:
    """Return OpenAI's valid chat messages in the form that a model's chat template accepts."""
    out: list[Fields] = []
    system: list[str] = []
    for given in messages:
        message: Fields = _plain(given, needs_reasoning=_KIMI.match(model) is not None)
        if message["role"] == "system":
            if not out:
                system.append(_words(message["content"]))
                continue
            message = {"role": "user", "content": f"{SYSTEM_HEADER}\n{_words(message['content'])}"}
        if not out and message["role"] != "user":
            out.append({"role": "user", "content": wire_fields.OPENING})
        if out and out[-1]["role"] == message["role"] != "tool":
            out[-1] = _merged(out[-1], message)
        else:
            out.append(message)
    first: list[Fields] = [{"role": "system", "content": "\n\n".join(system)}] if system else []
    return [*first, *(out or [{"role": "user", "content": wire_fields.OPENING}])]


def _plain(given: Fields, *, needs_reasoning: bool) -> Fields:
    """Return a message without what only OpenAI knows."""
    message = dict(given)
    if message["role"] in SYSTEM_ROLES:
        return {**message, "role": "system"}
    if "refusal" in message:
        message["content"] = _joined(message.get("content"), str(message.pop("refusal")))
    content = message.get("content")
    if isinstance(content, list):
        parts = [_spoken(part) for part in cast("list[Fields]", content)]
        all_text = all(part.get("type") == "text" for part in parts)
        message["content"] = _words(parts) if all_text else parts
    if message["role"] == "tool" and not str(message.get("content") or "").strip():
        message["content"] = wire_fields.EMPTY
    if calls := cast("list[Fields] | None", message.get("tool_calls")):
        message["tool_calls"] = [_function_call(call) for call in calls]
        if needs_reasoning and not any(message.get(key) for key in REASONING_FIELDS):
            message["reasoning_content"] = NO_REASONING
    return message


def _spoken(part: Fields) -> Fields:
    return {"type": "text", "text": part["refusal"]} if part.get("type") == "refusal" else part


def _function_call(call: Fields) -> Fields:
    """Return a call of a custom tool as one of a function."""
    custom = call.get("custom")
    if not isinstance(custom, dict):
        return call
    inner = cast("Fields", custom)
    function = {"name": inner.get("name"), "arguments": wire_fields.dumps({"input": inner.get("input", "")})}
    return {"id": call.get("id"), "type": "function", "function": function}


def _words(content: object) -> str:
    if not isinstance(content, list):
        return str(content or "")
    parts = (_as_text(part) for part in cast("list[Fields]", content))
    return "\n\n".join(str(part["text"]) for part in parts)


def _as_text(part: Fields) -> Fields:
    return part if part.get("type") == "text" else wire_fields.as_refused_text(part)


def _joined(first: object, second: object) -> object:
    """Return two contents as one: a string if both are."""
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_parts(first), *_parts(second)]


def _parts(content: object) -> list[object]:
    return cast("list[object]", content) if isinstance(content, list) else [{"type": "text", "text": content}]


def _merged(first: Fields, second: Fields) -> Fields:
    """Return two messages of one role as one; two participants are named in the text."""
    if first.get("name") != second.get("name"):
        first, second = _named(first), _named(second)
    out = {**first, **second, "content": _joined(first.get("content"), second.get("content"))}
    for key in REASONING_FIELDS:
        texts = [str(one[key]) for one in (first, second) if one.get(key) and one[key] != NO_REASONING]
        if texts:
            out[key] = "\n".join(texts)
    return out


def _named(message: Fields) -> Fields:
    out = dict(message)
    name = out.pop("name", None)
    if not name or not out.get("content"):
        return out
    label = f"[{name}]"
    content = out["content"]
    out["content"] = f"{label} {content}" if isinstance(content, str) else _joined(label, content)
    return out
