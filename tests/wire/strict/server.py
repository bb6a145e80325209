"""Strict emulations of the providers on the loopback: they sign what they say, and refuse what the providers refuse.

    with StrictServer(reading(200)) as server:
        client = anthropic.Anthropic(base_url=server.anthropic_url, api_key="any")

- Anthropic: `/v1/messages`, `/v1/messages/count_tokens`, `/v1/models`; OpenAI: `/v1/responses`,
  `/v1/responses/compact`, `/v1/chat/completions`; Gemini: `generateContent` and `streamGenerateContent`. Chat models
  other than `gpt-` have the rules of a chat template.
- `server.seen` holds every request with what was found, `server.errors` the refusals. A refused request uses nothing of
  the script.
- A conversation is named by the header `x-conversation`, or by the client's own key for the session. For each,
  `law_breaks` tells which requests were not the one before plus additions.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from palimpsest.formats.rules import chat_template_breaches, openai_breaches
from tests.wire import forms
from tests.wire.judge import count, prompt_tokens
from tests.wire.replies import Say
from tests.wire.server import Answer, WireServer
from tests.wire.strict import replies
from tests.wire.strict.anthropic_rules import BINDING_CONTROLS, check_request
from tests.wire.strict.claude_models import claude_model
from tests.wire.strict.gemini_rules import Signed, check_gemini, part_digest
from tests.wire.strict.prefix_law import Shape, break_of, shape_of
from tests.wire.strict.refusal import Fields, Refusal, digest, fields, objects
from tests.wire.strict.responses_rules import (
    Made,
    check_responses,
    compacted_output,
    items_of,
    register_output,
)
from tests.wire.strict.scripts import SIDE, Script
from tests.wire.strict.thinking import Checked, Signatures, check_signed, register_reply, register_summary

Kind = Literal[
    "messages", "count", "compaction", "responses", "compact", "chat", "gemini", "models", "unknown"
]
SUMMARY = "The parts up to here were read, and nothing unusual was in them."
_GEMINI = re.compile(r"/v1(?:beta|alpha)?/models/([^:/]+):(generateContent|streamGenerateContent)")
_POSTED: dict[str, Kind] = {
    "/v1/messages": "messages",
    "/v1/messages/count_tokens": "count",
    "/v1/responses": "responses",
    "/v1/responses/compact": "compact",
    "/v1/chat/completions": "chat",
}
_ANTHROPIC: tuple[Kind, ...] = ("messages", "count", "compaction", "models")
_OPENAI: tuple[Kind, ...] = ("responses", "compact", "chat")
_WIRES = {"messages": "anthropic", "responses": "responses", "chat": "openai", "gemini": "gemini"}


@dataclass(slots=True)
class Seen:
    """One request and what was found: its tokens, how many a cache held, those of the reply, and thinking (or its like)
    that was sent, and that the model saw.
    """

    kind: Kind
    path: str
    conversation: str
    headers: dict[str, str]
    body: Fields
    refusal: Refusal | None = None
    tokens: int = 0
    cached: int = 0
    output: int = 0
    thinking_sent: int = 0
    thinking_shown: int = 0
    dropped: tuple[str, ...] = ()
    side: bool = False
    law_break: str = ""

    @property
    def betas(self) -> frozenset[str]:
        """The values of the `anthropic-beta` header."""
        return frozenset(
            one.strip() for one in self.headers.get("anthropic-beta", "").split(",") if one.strip()
        )


@dataclass(slots=True)
class _Talk:
    """One conversation: how many requests used the script, and the newest one's shape and size."""

    used: int = 0
    shape: Shape | None = None
    tokens: int = 0


@dataclass(slots=True)
class _State:
    """Everything that the servers remember."""

    signatures: Signatures = field(default_factory=Signatures)
    made: Made = field(default_factory=Made)
    signed: Signed = field(default_factory=dict[str, str])
    talks: dict[str, _Talk] = field(default_factory=dict[str, _Talk])


class StrictServer(WireServer):
    """The server; a context manager. `window_tokens` 0 takes the model's own window."""

    def __init__(self, script: Script, *, window_tokens: int = 0, summary: str = SUMMARY) -> None:
        super().__init__([SIDE], window_tokens=window_tokens, strict=False)
        self.replies = script
        self.summary = summary
        self.seen: list[Seen] = []
        self.state = _State()

    @property
    def errors(self) -> list[str]:
        """Why requests were refused, in order."""
        return [one.refusal.message for one in self.seen if one.refusal is not None]

    @property
    def kinds(self) -> Counter[str]:
        """How many requests of each kind came."""
        return Counter(one.kind for one in self.seen)

    def main(self, conversation: str = "") -> list[Seen]:
        """The requests of a conversation for a reply, without side requests."""
        return [
            one
            for one in self.seen
            if one.kind in _WIRES and not one.side and conversation in ("", one.conversation)
        ]

    def law_breaks(self, conversation: str = "") -> list[str]:
        """Where requests of a conversation were not the one before plus additions."""
        return [one.law_break for one in self.main(conversation) if one.law_break]

    def answer(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Answer:
        bare = path.partition("?")[0]
        kind = _kind_of(method, bare)
        try:
            body = fields(json.loads(raw)) if raw else {}
        except ValueError:
            body = {}
        if kind == "messages" and "compaction" in body:
            kind = "compaction"
        seen = Seen(kind, path, _conversation(headers, body), headers, body)
        self.seen.append(seen)
        try:
            return self._accepted(seen, bare)
        except Refusal as refusal:
            seen.refusal = refusal
            return _json_answer(_error_body(kind, refusal), refusal.status)

    def _accepted(self, seen: Seen, path: str) -> Answer:
        if seen.kind == "unknown":
            raise Refusal(f"no such address: {seen.path}", status=404)
        if seen.kind == "models":
            return _json_answer(_model_body(path))
        if seen.kind in _ANTHROPIC:
            return self._anthropic(seen)
        if seen.kind == "gemini":
            return self._gemini(seen, path)
        return self._chat(seen) if seen.kind == "chat" else self._responses(seen)

    def _reply(self, seen: Seen) -> Say:
        """The reply to an accepted request; notes how much of it the last request held."""
        wire = _WIRES[seen.kind]
        given = seen.body.get("input")
        items = objects(given) if isinstance(given, list) else []
        seen.side = not seen.body.get("tools") and not any(
            one.get("type") == "additional_tools" for one in items
        )
        if seen.side:
            seen.output = _output_tokens(SIDE)
            return SIDE
        talk = self.state.talks.setdefault(f"{wire} {seen.conversation}", _Talk())
        shape = shape_of(wire, seen.body)
        if talk.shape is not None:
            seen.law_break = break_of(talk.shape, shape)
        seen.cached = 0 if seen.law_break else min(talk.tokens, seen.tokens)
        talk.used, talk.shape, talk.tokens = talk.used + 1, shape, seen.tokens
        say = self.replies(talk.used, seen.body)
        seen.output = _output_tokens(say)
        return say

    def _check_size(self, seen: Seen, window_tokens: int, words: str) -> None:
        limit = self.window_tokens or window_tokens
        if limit and seen.tokens > limit:
            raise Refusal(words.format(tokens=seen.tokens, limit=limit), "context_length_exceeded")

    def _anthropic(self, seen: Seen) -> Answer:
        body, model = seen.body, claude_model(str(seen.body.get("model")))
        check_request(body, seen.betas, model, counting=seen.kind == "count")
        checked = check_signed(body, seen.betas, model, self.state.signatures)
        seen.thinking_sent, seen.thinking_shown = checked.sent, checked.shown
        seen.dropped = tuple(one.path for one in checked.dropped)
        seen.tokens = prompt_tokens(body)
        words = "prompt is too long: {tokens} tokens > {limit} maximum"
        self._check_size(seen, model.window_tokens, words)
        if seen.kind == "count":
            return _json_answer({"input_tokens": seen.tokens})
        if seen.kind == "compaction":
            return self._compaction(seen, checked)
        say = self._reply(seen)
        thinking = fields(body.get("thinking"))
        if thinking.get("type") == "disabled":
            say = replace(say, thinking="")
        blocks = replies.anthropic_blocks(say, shows_thinking=thinking.get("display") != "omitted")
        signed = register_reply(blocks, model, checked, self.state.signatures)
        usage: Fields = {
            "input_tokens": seen.tokens - seen.cached,
            "cache_read_input_tokens": seen.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": seen.output,
        }
        return self._message(seen, checked, signed, replies.anthropic_stop(say), usage)

    def _compaction(self, seen: Seen, checked: Checked) -> Answer:
        model = claude_model(str(seen.body["model"]))
        block = register_summary(self.summary, model, checked, self.state.signatures)
        spent = {"type": "compaction", "input_tokens": seen.tokens, "output_tokens": count(self.summary)}
        spent |= {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
        usage: Fields = {"input_tokens": 0, "output_tokens": 0, "iterations": [spent]}
        return self._message(seen, checked, [block], "compaction", usage)

    def _message(
        self, seen: Seen, checked: Checked, blocks: list[Fields], stop: str, usage: Fields
    ) -> Answer:
        message = replies.anthropic_message(len(self.seen), str(seen.body["model"]), blocks, stop, usage)
        if BINDING_CONTROLS in seen.betas:
            message["input_transformations"] = [
                {"type": "thinking_dropped", "path": one.path, "reason": one.reason}
                for one in checked.dropped
            ]
        if seen.body.get("stream") is True:
            return _stream_answer(list(forms.message_events(message)))
        return _json_answer(message)

    def _responses(self, seen: Seen) -> Answer:
        body, made = seen.body, self.state.made
        compact = seen.kind == "compact"
        checked = check_responses(body, made, compact=compact)
        seen.thinking_sent, seen.dropped = checked.sent, checked.dropped
        seen.thinking_shown = checked.sent - len(checked.dropped)
        prompt = {
            "system": body.get("instructions") or "",
            "messages": items_of(body),
            "tools": body.get("tools") or [],
        }
        seen.tokens = prompt_tokens(prompt)
        self._check_size(seen, 0, "Your input exceeds the context window of this model.")
        number = len(self.seen)
        if compact:
            output = compacted_output(body, checked, made)
            usage = forms.responses_usage(seen.tokens, 100)
            whole: Fields = {
                "id": f"resp_{number:08d}",
                "object": "response.compaction",
                "created_at": forms.CREATED_S,
                "output": output,
                "usage": usage,
            }
            return _json_answer(whole)
        say = self._reply(seen)
        output = replies.responses_output(say, made)
        register_output(output, checked, made)
        usage = forms.responses_usage(seen.tokens, seen.output, seen.cached)
        whole = forms.response_object(number, body, output, usage)
        whole["input_transformations"] = [
            {"type": "reasoning", "action": "removed", "reason": "prefix_mismatch", "id": one}
            for one in checked.dropped
        ]
        if body.get("stream") is True:
            begun = forms.response_object(number, body, [], None)
            return _stream_answer(list(forms.responses_events(whole, output, begun)))
        return _json_answer(whole)

    def _chat(self, seen: Seen) -> Answer:
        found = openai_breaches(seen.body)
        if not str(seen.body.get("model")).startswith("gpt-"):
            found = (*found, *chat_template_breaches(seen.body))
        if found:
            raise Refusal(f"Invalid request: {found[0]}", "invalid_value")
        seen.tokens = prompt_tokens(seen.body)
        self._check_size(
            seen,
            0,
            "This model's maximum context length is {limit} tokens, and the messages have {tokens} tokens.",
        )
        say = self._reply(seen)
        return _said(seen, "openai", replace(say, thinking=""))

    def _gemini(self, seen: Seen, path: str) -> Answer:
        found = _GEMINI.fullmatch(path)
        assert found is not None
        seen.body = seen.body | {"model": found[1], "stream": found[2] == "streamGenerateContent"}
        given = {name: value for name, value in seen.body.items() if name not in ("model", "stream")}
        seen.thinking_sent = seen.thinking_shown = check_gemini(given, found[1], self.state.signed)
        seen.tokens = prompt_tokens(given)
        words = "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({limit})."
        self._check_size(seen, 0, words)
        say = self._reply(seen)
        signature = base64.b64encode(digest(len(self.state.signed), say.text).encode()).decode()
        if say.thinking or say.calls:
            say = replace(say, signature=signature)
            first: Fields = {}
            if say.calls:
                call = say.calls[0]
                first = {"functionCall": {"name": call.name, "args": json.loads(call.arguments)}}
            self.state.signed[signature] = part_digest(first)
        return _said(seen, "gemini", say)


def _kind_of(method: str, path: str) -> Kind:
    if method == "GET" and re.fullmatch(r"/v1/models(/[^/]+)?", path):
        return "models"
    if method != "POST":
        return "unknown"
    return "gemini" if _GEMINI.fullmatch(path) else _POSTED.get(path, "unknown")


def _conversation(headers: dict[str, str], body: Fields) -> str:
    """The name of a request's conversation."""
    own = fields(body.get("metadata")).get("user_id") or body.get("prompt_cache_key")
    return headers.get("x-conversation") or headers.get("x-claude-code-session-id") or str(own or "")


def _output_tokens(say: Say) -> int:
    return (
        1
        + count(say.text)
        + count(say.thinking)
        + sum(count(call.name + call.arguments) for call in say.calls)
    )


def _said(seen: Seen, wire: Literal["openai", "gemini"], say: Say) -> Answer:
    """A reply in a form that the plain server speaks too."""
    usage, model = (seen.tokens, seen.output, seen.cached), str(seen.body["model"])
    if not seen.body.get("stream"):
        return _json_answer(forms.body(wire, say, model, usage))
    options = fields(seen.body.get("stream_options"))
    with_usage = options.get("include_usage") is True
    return _stream_answer(list(forms.events(wire, say, model, usage, with_usage=with_usage)))


def _error_body(kind: Kind, refusal: Refusal) -> Fields:
    if kind in _OPENAI:
        return replies.openai_error(refusal)
    return replies.gemini_error(refusal) if kind == "gemini" else replies.anthropic_error(refusal)


def _json_answer(body: object, status: int = 200) -> Answer:
    return Answer(status, "application/json", [json.dumps(body)])


def _stream_answer(events: list[str]) -> Answer:
    return Answer(200, "text/event-stream", events, streamed=True)


def _model_body(path: str) -> Fields:
    name = path.removeprefix("/v1/models").strip("/")
    if not name:
        return {"data": [], "has_more": False, "first_id": None, "last_id": None}
    model = claude_model(name)
    supported = {"supported": model.compacts}
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-09-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": model.window_tokens,
        "max_tokens": 128_000,
        "capabilities": {"compaction": {**supported, "summarize": supported}},
    }


def tools_of(body: Fields) -> list[str]:
    """The names of a request's tools."""
    return [str(tool.get("name")) for tool in objects(body.get("tools"))]


def messages_of(seen: Seen) -> list[Fields]:
    """The messages of a request."""
    return cast("list[Fields]", seen.body.get("messages") or [])
