"""Recall tools that the proxy offers itself: the model calls them, the proxy answers, and the client never sees it.

- The client's history has neither these calls nor their answers. `Hidden` says where they were, and `expand` puts them
  back, so that the stored history and each request are whole.
- Of a reply that calls the client's tools as well, `without_calls` leaves out only the calls that the proxy answers.

Every function is pure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, cast

from palimpsest.formats import anthropic, gemini, openai
from palimpsest.proxy.wires import Body, Call, WireName
from palimpsest.record.message import Message, Text, ToolDef, ToolResult
from palimpsest.record.recall_mark import RECALL_TOOLS, asks_back

MAX_ROUNDS = 8
"""How often the proxy answers before a reply goes to the client."""

MAX_HIDDEN = 1_000
SPENT = "No more calls of this tool are possible in this reply. Go on with what is known."


@dataclass(frozen=True, slots=True)
class Hidden:
    """What stands in place of the reply that follows the first `at` messages of the client, whose digest is `chain`."""

    at: int
    chain: bytes
    messages: tuple[Message, ...]


def chain_of(digests: Sequence[bytes]) -> bytes:
    """Return one digest of a history."""
    return blake2b(b"".join(digests), digest_size=16).digest()


def expand(history: Sequence[object], digests: Sequence[bytes], hidden: Iterable[Hidden]) -> list[object]:
    """Return a client's history with the hidden calls and answers in it."""
    made: list[object] = []
    start = 0
    for one in sorted(hidden, key=lambda one: one.at):
        if not start <= one.at < len(history) or chain_of(digests[: one.at]) != one.chain:
            continue
        end = one.at
        while end < len(history) and _is_model_made(history[end]):
            end += 1
        if end > one.at:
            made += [*history[start : one.at], *one.messages]
            start = end
    return [*made, *history[start:]]


def _is_model_made(one: object) -> bool:
    fields = cast("Body", one) if isinstance(one, dict) else {}
    role, kind = fields.get("role"), str(fields.get("type") or "")
    return role in ("assistant", "model") or (role is None and bool(kind) and not kind.endswith("_output"))


def may_offer(names: Iterable[str]) -> bool:
    """Whether the proxy offers its tools: the client has tools, and none that reads back."""
    known = list(names)
    return bool(known) and not any(map(asks_back, known))


def tools_with(call: Call, definitions: Sequence[ToolDef]) -> list[object]:
    """Return the client's tools and those of the proxy in the form of the call's wire."""
    given = cast("list[object]", call.get("tools") or [])
    match call.wire:
        case "anthropic":
            return [*given, *anthropic.render_tools(definitions)]
        case "gemini":
            return [*given, *gemini.render_tools(definitions)]
        case "chat":
            return [*given, *openai.render_tools(definitions)]
        case "responses":
            made = openai.render_responses((), (), definitions)["tools"]
            return [*given, *cast("list[object]", made)]


def split_calls(message: Message) -> tuple[list[Any], bool]:
    """Return the calls that the proxy answers, and whether there are others."""
    own = [call for call in message.calls if call.name in RECALL_TOOLS]
    return own, len(own) < len(message.calls)


def answers(texts: Mapping[str, str]) -> Message:
    """Return the message with the answers, by the ids of their calls."""
    return Message("tool", tuple(ToolResult(name, (Text(text),)) for name, text in texts.items()))


def without_calls(wire: WireName, content_type: str, data: bytes) -> bytes:
    """Return a reply's body without the calls that the proxy answered; what else it holds stays as it came."""
    strip = _STRIPS[wire]()
    if "event-stream" not in content_type:
        found: object = json.loads(data)
        events = cast("list[Body]", found) if isinstance(found, list) else [cast("Body", found)]
        kept = [one for one in map(strip.whole, events) if one is not None]
        return json.dumps(kept if isinstance(found, list) else kept[0]).encode()
    blocks: list[bytes] = []
    for block in data.replace(b"\r\n", b"\n").split(b"\n\n"):
        before, mark, text = block.partition(b"data:")
        try:
            event: object = json.loads(text) if mark else None
        except ValueError:
            event = None
        if not isinstance(event, dict):
            blocks.append(block)
            continue
        changed = strip.event(cast("Body", event))
        if changed is not None:
            blocks.append(before + b"data: " + json.dumps(changed).encode())
    return b"\n\n".join(blocks)


def _is_own(fields: object) -> bool:
    return isinstance(fields, dict) and cast("Body", fields).get("name") in RECALL_TOOLS


@dataclass(slots=True)
class _Numbers:
    """The numbers of a stream's parts once some are left out."""

    gone: set[int] = field(default_factory=set[int])
    others: bool = False

    def of(self, number: int) -> int:
        return number - sum(one < number for one in self.gone)


class _Anthropic(_Numbers):
    def whole(self, reply: Body) -> Body | None:
        content = [one for one in reply.get("content") or () if not _is_own(one)]
        self.others = any(one.get("type") == "tool_use" for one in content)
        stop = reply.get("stop_reason")
        return {**reply, "content": content, "stop_reason": self._stop(stop)}

    def event(self, event: Body) -> Body | None:
        if event.get("type") == "message_delta":
            delta: Body = event.get("delta") or {}
            return {**event, "delta": {**delta, "stop_reason": self._stop(delta.get("stop_reason"))}}
        number = event.get("index")
        if not isinstance(number, int):
            return event
        block = event.get("content_block")
        if _is_own(block):
            self.gone.add(number)
        elif isinstance(block, dict):
            self.others = self.others or cast("Body", block).get("type") == "tool_use"
        return None if number in self.gone else {**event, "index": self.of(number)}

    def _stop(self, reason: object) -> object:
        return "end_turn" if reason == "tool_use" and not self.others else reason


class _Chat(_Numbers):
    def whole(self, reply: Body) -> Body | None:
        return self._reply(reply, "message")

    def event(self, event: Body) -> Body | None:
        return self._reply(event, "delta")

    def _reply(self, reply: Body, key: str) -> Body:
        choices = [self._choice(one, key) for one in reply.get("choices") or ()]
        return {**reply, "choices": choices} if choices else reply

    def _choice(self, choice: Body, key: str) -> Body:
        said: Body = dict(choice.get(key) or {})
        kept: list[Body] = []
        for place, call in enumerate(said.get("tool_calls") or ()):
            number = call.get("index", place)
            if _is_own(call.get("function")):
                self.gone.add(number)
            elif number not in self.gone:
                self.others = True
                kept.append({**call, "index": self.of(number)} if "index" in call else call)
        if "tool_calls" in said:
            said["tool_calls"] = kept
            if not kept:
                del said["tool_calls"]
        reason = choice.get("finish_reason")
        reason = "stop" if reason == "tool_calls" and not self.others else reason
        return {**choice, key: said, **({"finish_reason": reason} if "finish_reason" in choice else {})}


class _Responses(_Numbers):
    def whole(self, reply: Body) -> Body | None:
        return {**reply, "output": [one for one in reply.get("output") or () if not _is_own(one)]}

    def event(self, event: Body) -> Body | None:
        response = event.get("response")
        if isinstance(response, dict):
            return {**event, "response": self.whole(cast("Body", response))}
        number = event.get("output_index")
        if not isinstance(number, int):
            return event
        if _is_own(event.get("item")):
            self.gone.add(number)
        return None if number in self.gone else {**event, "output_index": self.of(number)}


class _Gemini(_Numbers):
    def whole(self, reply: Body) -> Body | None:
        candidates: list[Body] = []
        for one in reply.get("candidates") or ():
            content: Body = one.get("content") or {}
            parts = [part for part in content.get("parts") or () if not _is_own(part.get("functionCall"))]
            candidates.append({**one, "content": {**content, "parts": parts}} if content else one)
        return {**reply, "candidates": candidates} if candidates else reply

    event = whole


_STRIPS: Mapping[WireName, Callable[[], Any]] = {
    "anthropic": _Anthropic,
    "chat": _Chat,
    "responses": _Responses,
    "gemini": _Gemini,
}
