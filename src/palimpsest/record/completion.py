"""Requests to a model and its replies, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palimpsest.errors import FailureReason
from palimpsest.record.message import Message, Part, Text, ToolCall, ToolDef, Usage

FinishReason = Literal["stop", "length", "tool_calls", "refused", "other"]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One call to a model. `purpose` is "agent", "summary", ...; a limit of 0 means the client's default. `timeout_s`
    limits the whole call, `silence_s` the wait for each piece of a stream.

    `memory` is system text that follows the system prompt and may change more often. The last `injected` messages are
    for this call only: a cache mark must not include them. The first `records` messages end with a summary: what
    follows it changes with the next compaction. `deferred` names the tools that were added after the first request.
    """

    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[ToolDef, ...] = ()
    model: str = ""
    max_output_tokens: int = 0
    timeout_s: float = 0.0
    purpose: str = "agent"
    memory: str = ""
    injected: int = 0
    records: int = 0
    deferred: frozenset[str] = frozenset()
    silence_s: float = 0.0

    @property
    def system_texts(self) -> tuple[str, ...]:
        """Return the non-empty ones of system prompt and memory."""
        return tuple(text for text in (self.system, self.memory) if text)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply. `message` is the whole reply as sent, with reasoning, signatures and unknown fields; None
    from a callable that returns text (see `reply_message`).
    """

    text: str
    usage: Usage | None = None
    finish_reason: FinishReason = "stop"
    model: str = ""
    calls: tuple[ToolCall, ...] = ()
    message: Message | None = None


def reply_message(completion: Completion) -> Message:
    """Return the assistant message of a reply, built from its text and calls if the provider's own is missing."""
    if completion.message is not None:
        return completion.message
    words: tuple[Part, ...] = (Text(completion.text),) if completion.text else ()
    return Message("assistant", (*words, *completion.calls), model=completion.model, usage=completion.usage)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """A call failed transiently and is repeated after `wait_s`. What was streamed of it is void."""

    attempt: int
    wait_s: float
    message: str


Delta = TextDelta | ReasoningDelta | Retrying


@dataclass(frozen=True, slots=True)
class CompletionFailure:
    """A call without a reply, sent into a generator instead of a `Completion`.

    `reason` is the cause, if known (see `errors.FailureReason`). A call that was `left_behind` ignored its time limit
    and goes on, so the same model is not called again meanwhile.
    """

    kind: Literal["raised", "timed_out", "left_behind"]
    message: str
    reason: FailureReason = "unknown"
