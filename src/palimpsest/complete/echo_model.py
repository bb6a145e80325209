"""The model "scripted": it repeats messages and calls tools on request, so that the chat can be tried without a key.

It writes no summaries. A request for one fails, so summaries are made without a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from palimpsest.complete.scripted import ScriptedModel
from palimpsest.errors import ModelError
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.message import Message, ToolCall

MAX_COUNT = 2_000
MAX_CALLS = 8
SHOWN_CHARS = 400

_USE = re.compile(r"use +([\w.-]+)[ \t]*(\{.*\})?[ \t]*", re.IGNORECASE)
_COUNT = re.compile(r"count(?: to)? +(\d{1,9})", re.IGNORECASE)
_HELP = (
    "I am a scripted model: I need no key and I know nothing. I repeat what you say, and there is more to try:\n"
    '- "use NAME {json}" calls a tool, and several such lines call several at once. {tools}\n'
    '- "count to 500" gives a long answer, which fills the window.'
)


def echo_model(model: str = "") -> ScriptedModel:
    """A model that repeats messages, counts, and calls tools."""
    return ScriptedModel([_answer])


def _answer(request: CompletionRequest) -> Completion:
    if request.purpose != "agent":
        raise ModelError("the scripted model writes no summaries", reason="refused")
    heard = request.messages[: len(request.messages) - request.injected]
    newest = _newest(heard)
    if newest is None:
        return Completion(_help(request))
    if newest.results:
        return Completion(_results_text(heard))
    said = newest.text.strip()
    calls = tuple(_calls(said, request))
    if calls:
        return Completion("", finish_reason="tool_calls", calls=calls)
    if said.lower().strip("/?!. ") == "help":
        return Completion(_help(request))
    if counted := _COUNT.fullmatch(said):
        last = min(int(counted[1]), MAX_COUNT)
        return Completion(" ".join(str(number) for number in range(1, last + 1)))
    return Completion(f"You said: {said[:SHOWN_CHARS]}" if said else "You said nothing.")


def _newest(messages: tuple[Message, ...]) -> Message | None:
    """The newest message that is not the assistant's."""
    return next((one for one in reversed(messages) if one.role != "assistant"), None)


def _help(request: CompletionRequest) -> str:
    names = ", ".join(tool.name for tool in request.tools)
    return _HELP.replace("{tools}", f"The tools here: {names}." if names else "No tools are offered here.")


def _calls(said: str, request: CompletionRequest) -> Iterator[ToolCall]:
    """The calls in a text of "use NAME {json}" lines; none if any line is different."""
    found = [_USE.fullmatch(line.strip()) for line in said.splitlines() if line.strip()]
    offered = {tool.name for tool in request.tools}
    if not found or not all(one is not None and one[1] in offered for one in found):
        return
    before = sum(len(message.calls) for message in request.messages)
    for number, one in enumerate(found[:MAX_CALLS], before + 1):
        if one is not None:
            yield ToolCall(f"call_{number}", one[1], _arguments(one[2] or "{}"))


def _arguments(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        return "{}"


def _results_text(messages: tuple[Message, ...]) -> str:
    """The results after the newest calls, a line each."""
    names = {call.id: call.name for message in messages for call in message.calls}
    lines: list[str] = []
    for message in reversed(messages):
        if message.role == "assistant":
            break
        lines[:0] = [
            f"{names.get(result.call_id, 'the tool')} {'failed' if result.is_error else 'answered'}: "
            f"{result.text.strip()[:SHOWN_CHARS] or 'nothing'}"
            for result in message.results
        ]
    return "\n".join(lines)
