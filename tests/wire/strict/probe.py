"""Conversations with the strict rules by value, without HTTP: ask, and keep what was signed."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.wire.strict.anthropic_rules import COMPACT, check_request
from tests.wire.strict.claude_models import claude_model
from tests.wire.strict.refusal import Fields, Refusal
from tests.wire.strict.thinking import Checked, Signatures, check_signed, register_reply, register_summary

BINDING_MODEL = "claude-opus-5-5"
PLAIN_MODEL = "claude-opus-5"
TOOL: Fields = {
    "name": "read_part",
    "description": "Read a part.",
    "input_schema": {"type": "object", "properties": {"number": {"type": "integer"}}},
}
DEFERRED: Fields = {**TOOL, "name": "read_chart", "defer_loading": True}


def user(text: str) -> Fields:
    """A message of the user's."""
    return {"role": "user", "content": text}


def system(text: str) -> Fields:
    """A system message."""
    return {"role": "system", "content": text}


def result(call_id: str, text: str = "nothing new") -> Fields:
    """The result of a call, as a message."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": text}]}


def thinking(text: str) -> Fields:
    """A thinking block that is not signed yet."""
    return {"type": "thinking", "thinking": text, "signature": ""}


def call(call_id: str) -> Fields:
    """A call."""
    return {"type": "tool_use", "id": call_id, "name": "read_part", "input": {"number": 1}}


@dataclass
class Probe:
    """A client of the rules. `history` only grows; `body` is a request of it."""

    model: str = BINDING_MODEL
    betas: frozenset[str] = frozenset()
    known: Signatures = field(default_factory=Signatures)
    history: list[Fields] = field(default_factory=list[Fields])
    fixed: Fields = field(
        default_factory=lambda: {"system": "Read the parts.", "tools": [TOOL], "max_tokens": 100}
    )

    def body(self, messages: Sequence[Fields] | None = None, **changes: Any) -> Fields:
        """A request; a change to None leaves a field out."""
        made = {"model": self.model, "messages": list(self.history if messages is None else messages)}
        made |= self.fixed | changes
        return copy.deepcopy({name: value for name, value in made.items() if value is not None})

    def check(self, body: Fields, betas: frozenset[str] | None = None) -> Checked:
        """Check a request; raises Refusal."""
        model = claude_model(str(body["model"]))
        beta = self.betas if betas is None else betas
        check_request(body, beta, model)
        return check_signed(body, beta, model, self.known)

    def refusal(self, body: Fields, betas: frozenset[str] | None = None) -> str:
        """Why a request is refused, "" if it is not."""
        try:
            self.check(body, betas)
        except Refusal as refusal:
            return f"{refusal.message} {refusal.code}".strip()
        return ""

    def say(self, blocks: Sequence[Fields], body: Fields | None = None) -> Fields:
        """The model's reply to the history, which is appended to it."""
        asked = body or self.body()
        checked = self.check(asked)
        made = register_reply(blocks, claude_model(str(asked["model"])), checked, self.known)
        message: Fields = {"role": "assistant", "content": made}
        self.history.append(message)
        return message

    def step(self, number: int, *, more: Sequence[Fields] = ()) -> None:
        """A call with thinking before it, and its result."""
        self.say([thinking(f"Part {number} comes next."), call(f"c{number}")])
        self.history += [result(f"c{number}", f"part {number}"), *more]

    def compact(self, messages: Sequence[Fields], **changes: Any) -> Fields:
        """The message with the summary of messages."""
        body = self.body(messages, compaction={"type": "summarize"}, **changes)
        checked = self.check(body, self.betas | {COMPACT})
        model = claude_model(str(body["model"]))
        return {"role": "assistant", "content": [register_summary("A summary.", model, checked, self.known)]}


def reader(steps: int, **options: Any) -> Probe:
    """A probe after so many calls."""
    probe = Probe(**options)
    probe.history.append(user("Read all parts."))
    for number in range(1, steps + 1):
        probe.step(number)
    return probe


def without_thinking(messages: Sequence[Mapping[str, object]], leave_out: Sequence[int]) -> list[Fields]:
    """Messages without some of their thinking blocks, which are numbered from 0."""
    made, number = [], 0
    for message in copy.deepcopy(list(messages)):
        content: Any = message["content"]
        if isinstance(content, list):
            kept = []
            for block in content:
                if block["type"] == "thinking":
                    number += 1
                    if number - 1 in leave_out:
                        continue
                kept.append(block)
            made.append({**message, "content": kept})
        else:
            made.append(dict(message))
    return made
