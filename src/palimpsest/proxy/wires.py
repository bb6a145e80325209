"""The four wires as the proxy sees them: where a request has its history, and how a window is put into it.

Every function is pure. A body's fields stay as they came, byte for byte, except those that are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from palimpsest.errors import FormatError
from palimpsest.formats import parse_tools
from palimpsest.proxy.histories import MARK
from palimpsest.record.message import ToolDef

if TYPE_CHECKING:
    from palimpsest.budget.assemble import Request

Body = dict[str, Any]
WireName = Literal["anthropic", "chat", "responses", "gemini"]
MAX_MARKS = 4
"""Cache marks that Anthropic accepts in a request."""
_UNMARKED = ("thinking", "redacted_thinking")
_TOOLS_ITEM = "additional_tools"
_SYSTEM_ROLES = ("system", "developer")
_GEMINI_PATH = re.compile(r".*/models/([^/:]+):(generateContent|streamGenerateContent)$")
_PATHS: Mapping[str, WireName] = {
    "/messages": "anthropic",
    "/messages/count_tokens": "anthropic",
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

_INNER_TOOLS = ("function", "functionDeclarations", "function_declarations")
_STORED_THERE = ("previous_response_id", "conversation")
_encode = msgspec.json.Encoder().encode
_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@dataclass(slots=True)
class Call:
    """A request for a reply, or with `counts` for its size: the wire, the body's fields as they came, and the model.

    `read` holds the values of fields that were read.
    """

    wire: WireName
    raw: Mapping[str, msgspec.Raw]
    model: str
    streamed: bool
    counts: bool = False
    read: dict[str, object] = field(default_factory=dict[str, object])

    def get(self, key: str) -> object:
        """A field's value; None if there is none."""
        if key not in self.read:
            self.read[key] = msgspec.json.decode(self.raw[key]) if key in self.raw else None
        return self.read[key]

    @property
    def history_key(self) -> str:
        """The body's field with the history."""
        return _HISTORY[self.wire]

    @property
    def raw_history(self) -> bytes:
        """The bytes of the history, b"" if there is none."""
        return bytes(self.raw.get(self.history_key, b"")).lstrip()

    @property
    def model_name(self) -> str:
        """The model as the engine names it: "provider:model"."""
        return f"{_PROVIDERS[self.wire]}:{self.model}"

    def changed(self, **fields: object) -> bytes:
        """The body with other values of some fields. All others stay as they came."""
        return _encode({**self.raw, **fields})


def read_call(method: str, path: str, raw: bytes) -> Call | None:
    """Return the call that a request makes; None for any other request, and where OpenAI stores the history."""
    if method != "POST":
        return None
    gemini = _GEMINI_PATH.fullmatch(path)
    wire: WireName | None = "gemini" if gemini else None
    for end, one in _PATHS.items():
        wire = one if path.endswith(end) else wire
    if wire is None:
        return None
    try:
        fields = _decode_fields(raw)
        call = Call(wire, fields, gemini[1] if gemini else "", streamed=False)
        call.model = call.model or str(call.get("model") or "")
        call.streamed = gemini[2] == "streamGenerateContent" if gemini else call.get("stream") is True
        call.counts = path.endswith("/count_tokens")
        stored_there = any(call.get(one) for one in _STORED_THERE)
    except (ValueError, RecursionError):
        return None
    if call.raw_history[:1] not in (b"[", b'"') or stored_there:
        return None
    return call


def system_of(call: Call) -> str | None:
    """Return the system prompt's text; None where the history begins with it."""
    if call.wire == "chat":
        return None
    keys = {
        "anthropic": ("system",),
        "responses": ("instructions",),
        "gemini": ("systemInstruction", "system_instruction"),
    }
    return "\n\n".join(text for key in keys[call.wire] for text in _texts(call.get(key)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _texts(one)
    elif isinstance(value, dict):
        fields = cast("Body", value)
        yield from _texts(fields.get("text") or fields.get("parts"))


def tools_of(call: Call) -> Sequence[ToolDef]:
    """Return the tools that can be read; others, such as a provider's own, are left out."""
    return _read_tools(_raw_tools(call))[0]


def tool_names(call: Call) -> frozenset[str]:
    """Return the names of all tools of a call; of one that has none, its type."""
    return _read_tools(_raw_tools(call))[1]


def _raw_tools(call: Call) -> tuple[bytes, ...]:
    """The lists of tools of a call. Codex has them in an item of its history."""
    found = [bytes(call.raw["tools"])] if "tools" in call.raw else []
    if call.wire == "responses" and _TOOLS_ITEM.encode() in call.raw_history:
        for item in messages_of(call):
            fields = cast("Body", item) if isinstance(item, dict) else {}
            if fields.get("type") == _TOOLS_ITEM:
                found.append(_encode(fields.get("tools")))
    return tuple(found)


@lru_cache(64)
def _read_tools(raw: tuple[bytes, ...]) -> tuple[tuple[ToolDef, ...], frozenset[str]]:
    """The tools in lists, and the names of all."""
    found: list[ToolDef] = []
    names: set[str] = set()
    for one in raw:
        given: object = msgspec.json.decode(one)
        for tool in cast("list[object]", given) if isinstance(given, list) else ():
            names.update(_names_of(tool))
            with suppress(FormatError):
                found.extend(parse_tools(cast("Any", tool)))
    return tuple(found), frozenset(names)


def _names_of(tool: object) -> Iterator[str]:
    given = cast("Body", tool) if isinstance(tool, dict) else {}
    inner = next((given[key] for key in _INNER_TOOLS if given.get(key)), given)
    for each in cast("list[object]", inner if isinstance(inner, list) else [inner]):
        fields = cast("Body", each) if isinstance(each, dict) else {}
        yield str(fields.get("name") or fields.get("type") or sorted(fields))


def messages_of(call: Call) -> list[object]:
    """Return the history as it came."""
    found = call.get(call.history_key)
    return (
        [{"role": "user", "content": found}] if isinstance(found, str) else list(cast("list[object]", found))
    )


def with_messages(call: Call, messages: list[object], **added: object) -> bytes:
    """Return the body with other messages, and the client's cache marks on them."""
    if call.wire == "anthropic" or (call.wire == "chat" and MARK.encode() in call.raw_history):
        copy_marks(call, cast("list[Body]", messages))
    return call.changed(**{call.history_key: messages, **added})


def window_of(call: Call, request: Request) -> list[object]:
    """Return the messages of a window in the form of the call's wire. The client's own system prompt is kept."""
    match call.wire:
        case "anthropic":
            made = request.anthropic(system=False)
        case "gemini":
            made = request.gemini(system=False)
        case "responses":
            made = request.responses(system=False)
        case "chat":
            made = request.openai(system=False)
    leading = _leading(call) if call.wire in ("chat", "responses") else []
    return [*leading, *cast("list[object]", made[call.history_key])]


def _leading(call: Call) -> list[object]:
    """The system messages with which a client's history begins."""
    history = call.get(call.history_key)
    found: list[object] = []
    for one in cast("list[object]", history) if isinstance(history, list) else ():
        if not isinstance(one, dict) or cast("Body", one).get("role") not in _SYSTEM_ROLES:
            break
        found.append(cast("Body", one))
    return found


def copy_marks(call: Call, window: Sequence[Body]) -> None:
    """Put the client's cache marks on the same blocks of a window, counted from the end, as many as are accepted.

    The newest blocks of a window are the client's own, so a mark on them stays where it was.
    """
    marked = MARK.encode() in call.raw_history
    client = list(_blocks(cast("Sequence[object]", call.get("messages")))) if marked else []
    marks = {len(client) - place: block[MARK] for place, block in enumerate(client) if MARK in block}
    for message in window:
        if isinstance(message.get("content"), str):
            message["content"] = [{"type": "text", "text": message["content"]}]
    blocks = list(_blocks(window))
    for block in blocks:
        block.pop(MARK, None)
    left = MAX_MARKS - _count_marks(call.get("system")) - _count_marks(call.get("tools"))
    for distance in sorted(marks):
        if left > 0 and distance <= len(blocks):
            block = blocks[-distance]
            if block.get("type") not in _UNMARKED:
                block[MARK] = marks[distance]
                left -= 1


def text_of(message: object) -> str:
    """Return all text of a message or item."""
    found: list[str] = []
    stack: list[object] = [message]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, list):
            stack.extend(reversed(cast("list[object]", one)))
        elif isinstance(one, dict):
            fields = cast("Body", one)
            stack.extend(fields[key] for key in ("parts", "content", "text") if key in fields)
    return "\n".join(found)


def _blocks(messages: Sequence[object]) -> Iterator[Body]:
    for message in messages:
        content = cast("Body", message).get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            yield from (cast("Body", one) for one in cast("list[object]", content) if isinstance(one, dict))
        else:
            yield {}


def _count_marks(value: object) -> int:
    if not isinstance(value, list):
        return 0
    return sum(isinstance(one, dict) and MARK in one for one in cast("list[object]", value))
