"""What chat templates and the stricter servers of OpenAI's wire refuse: vLLM, SGLang, llama.cpp, Moonshot, DeepSeek.

The rules are those of the templates of Qwen 3.5, Gemma 3, Llama 2 and Mistral, and of the errors that the two services
document. Mistral's rule of nine letters for a call id is left out, since servers apply it themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from palimpsest.formats.rules.value_shape import Fields, as_list, as_object

_ROLES = ("system", "user", "assistant", "tool")


def chat_template_breaches(request: Mapping[str, object]) -> tuple[str, ...]:
    """Return why such a server would refuse this chat request, one sentence each, with the place."""
    messages = [as_object(raw) or {} for raw in as_list(request.get("messages")) or ()]
    return tuple(_messages(messages, str(request.get("model") or "")))


def _messages(messages: list[Fields], model: str) -> Iterator[str]:
    others = messages[1:] if messages and messages[0].get("role") == "system" else messages
    if not others or others[0].get("role") != "user":
        yield "the first message after the system message is not the user's"
    before = ""
    for index, message in enumerate(messages):
        where, role = f"messages[{index}]", message.get("role")
        if role not in _ROLES:
            yield f"{where} has role {role!r}"
        if role == "system" and index:
            yield f"{where} is a system message that is not at the beginning"
        if role == before and role != "tool":
            yield f"{where} has the same role as the message before it"
        before = str(role)
        yield from _content(message, where)
        yield from _calls(message, where, model)
    if messages and messages[-1].get("role") == "assistant" and messages[-1].get("tool_calls"):
        yield "the last message has tool calls without results"


def _content(message: Fields, where: str) -> Iterator[str]:
    content = message.get("content")
    parts = as_list(content)
    if parts is not None:
        kinds = {str((as_object(part) or {}).get("type")) for part in parts}
        if "refusal" in kinds or kinds == {"text"} or not kinds:
            yield f"{where} has a list of content where a string is expected"
    elif not str(content or "").strip() and not message.get("tool_calls"):
        yield f"{where} must not be empty"


def _calls(message: Fields, where: str, model: str) -> Iterator[str]:
    calls = as_list(message.get("tool_calls")) or []
    for number, raw in enumerate(calls):
        if (as_object(raw) or {}).get("type") != "function":
            yield f"{where}.tool_calls[{number}] is not a function's"
    reasoned = message.get("reasoning_content") or message.get("reasoning")
    if calls and not reasoned and "kimi" in model.lower():
        yield f"{where} has tool calls, but its reasoning_content is missing"
