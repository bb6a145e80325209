"""The four wires as the proxy sees them: where a request has its history, and how a window is put into it.

Every function is pure. A body is the parsed JSON object of a request, and is never changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from palimpsest.errors import FormatError
from palimpsest.formats import openai, parse_tools
from palimpsest.record.message import ToolDef

if TYPE_CHECKING:
    from palimpsest.budget.assemble import Request

Body = dict[str, Any]
WireName = Literal["anthropic", "chat", "responses", "gemini"]
MAX_MARKS = 4
"""Cache marks that Anthropic accepts in a request."""
MARK = "cache_control"
_UNMARKED = ("thinking", "redacted_thinking")
_SYSTEM_ROLES = ("system", "developer")
_GEMINI_PATH = re.compile(r".*/models/([^/:]+):(generateContent|streamGenerateContent)$")
_PATHS: Mapping[str, WireName] = {
    "/messages": "anthropic",
    "/chat/completions": "chat",
    "/responses": "responses",
}
_PROVIDERS: Mapping[WireName, str] = {
    "anthropic": "anthropic",
    "chat": "openai",
    "responses": "openai",
    "gemini": "gemini",
}
_HISTORY: Mapping[WireName, str] = {
    "anthropic": "messages",
    "chat": "messages",
    "responses": "input",
    "gemini": "contents",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A request for a reply: its wire, body and model, and whether the reply is streamed."""

    wire: WireName
    body: Body
    model: str
    streamed: bool

    @property
    def history_key(self) -> str:
        """The body's field with the history."""
        return _HISTORY[self.wire]

    @property
    def model_name(self) -> str:
        """The model as the engine names it: "provider:model"."""
        return f"{_PROVIDERS[self.wire]}:{self.model}"


def read_call(method: str, path: str, raw: bytes) -> Call | None:
    """Return the call that a request makes; None for any other request."""
    if method != "POST":
        return None
    gemini = _GEMINI_PATH.fullmatch(path)
    wire: WireName | None = "gemini" if gemini else None
    for end, one in _PATHS.items():
        wire = one if path.endswith(end) else wire
    if wire is None:
        return None
    try:
        found: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    body = cast("Body", found)
    if not isinstance(body.get(_HISTORY[wire]), str | list):
        return None
    model = gemini[1] if gemini else str(body.get("model") or "")
    streamed = gemini[2] == "streamGenerateContent" if gemini else body.get("stream") is True
    return Call(wire, body, model, streamed)


def history_of(call: Call) -> list[object]:
    """Return the history as a list of messages or items, without cache marks."""
    found = call.body[call.history_key]
    if isinstance(found, str):
        return [{"role": "user", "content": found}]
    history = cast("list[object]", found)
    return cast("list[object]", without_marks(history)) if call.wire == "anthropic" else history


def system_of(call: Call) -> str | None:
    """Return the system prompt's text; None where the history begins with it."""
    if call.wire == "chat":
        return None
    key = {"anthropic": "system", "responses": "instructions", "gemini": "systemInstruction"}[call.wire]
    return "\n\n".join(_texts(call.body.get(key)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _texts(one)
    elif isinstance(value, dict):
        fields = cast("Body", value)
        yield from _texts(fields.get("text") or fields.get("parts"))


def tools_of(call: Call) -> list[ToolDef]:
    """Return the tools that can be read; others, such as a provider's own, are left out."""
    found: list[ToolDef] = []
    given = call.body.get("tools")
    for one in cast("list[object]", given) if isinstance(given, list) else ():
        try:
            found.extend(parse_tools(cast("Any", one)))
        except FormatError:
            continue
    return found


def with_window(call: Call, request: Request) -> Body:
    """Return the body with the window of `request` in place of its history."""
    return {**call.body, call.history_key: window_of(call, request)}


def window_of(call: Call, request: Request) -> list[object]:
    """Return the messages of a window in the form of the call's wire. The client's own system prompt is kept."""
    match call.wire:
        case "anthropic":
            window = cast("list[Body]", request.anthropic()["messages"])
            copy_marks(call.body, window)
            return cast("list[object]", window)
        case "gemini":
            return cast("list[object]", request.gemini()["contents"])
        case "responses":
            rendered = openai.render_responses((), request.all_messages, ())["input"]
            return [*_leading(call), *cast("list[object]", rendered)]
        case "chat":
            rendered = openai.render_request((), request.all_messages, (), model=request.model)["messages"]
            return [*_leading(call), *cast("list[object]", rendered)]


def _leading(call: Call) -> list[object]:
    """The system messages with which a client's history begins."""
    history = call.body[call.history_key]
    found: list[object] = []
    for one in cast("list[object]", history) if isinstance(history, list) else ():
        if not isinstance(one, dict) or cast("Body", one).get("role") not in _SYSTEM_ROLES:
            break
        found.append(cast("Body", one))
    return found


def without_marks(value: object) -> object:
    """Return a value without cache marks at any depth."""
    if isinstance(value, list):
        return [without_marks(one) for one in cast("list[object]", value)]
    if isinstance(value, dict):
        return {key: without_marks(one) for key, one in cast("Body", value).items() if key != MARK}
    return value


def copy_marks(body: Body, window: Sequence[Body]) -> None:
    """Put the client's cache marks on the same blocks of a window, counted from the end, as many as are accepted.

    The newest blocks of a window are the client's own, so a mark on them stays where it was.
    """
    client = list(_blocks(cast("Sequence[Body]", body["messages"])))
    marks = {len(client) - place: block[MARK] for place, block in enumerate(client) if MARK in block}
    for message in window:
        if isinstance(message.get("content"), str):
            message["content"] = [{"type": "text", "text": message["content"]}]
    blocks = list(_blocks(window))
    for block in blocks:
        block.pop(MARK, None)
    left = MAX_MARKS - _count_marks(body.get("system")) - _count_marks(body.get("tools"))
    for distance in sorted(marks):
        if left > 0 and distance <= len(blocks):
            block = blocks[-distance]
            if block.get("type") not in _UNMARKED:
                block[MARK] = marks[distance]
                left -= 1


def _blocks(messages: Sequence[Body]) -> Iterator[Body]:
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            yield from (cast("Body", one) for one in cast("list[object]", content) if isinstance(one, dict))
        else:
            yield {}


def _count_marks(value: object) -> int:
    if not isinstance(value, list):
        return 0
    return sum(isinstance(one, dict) and MARK in one for one in cast("list[object]", value))
