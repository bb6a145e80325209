"""What is asked of a model and what comes back, as values; performing it is a port's business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palimpsest.errors import FailureReason
from palimpsest.record.message import Message, Part, Text, ToolCall, ToolDef, Usage

FinishReason = Literal["stop", "length", "tool_calls", "refused", "other"]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One call to a model. `purpose` is "agent", "summary", ...; 0 for a limit means the client's default. `timeout_s`
    bounds all of it, and `silence_s` the wait for each piece of a stream.

    `memory` is system text of its own behind the system prompt, which may change more often. The last `injected`
    messages are made for this call only: a prompt cache must not reach into them. The first `records` end with a record
    of what left the window: what stands behind it changes with the next compaction.
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
    silence_s: float = 0.0

    @property
    def system_texts(self) -> tuple[str, ...]:
        """The system prompt and the memory, those that hold something."""
        return tuple(text for text in (self.system, self.memory) if text)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply. `message` is the whole of it as the provider sent it, with reasoning, signatures and fields
    unknown here; None from a callable that gives text (see `reply_message`).
    """

    text: str
    usage: Usage | None = None
    finish_reason: FinishReason = "stop"
    model: str = ""
    calls: tuple[ToolCall, ...] = ()
    message: Message | None = None


def reply_message(completion: Completion) -> Message:
    """The assistant message of a reply, made of its text and calls where the provider's own is not at hand."""
    if completion.message is not None:
        return completion.message
    words: tuple[Part, ...] = (Text(completion.text),) if completion.text else ()
    return Message("assistant", (*words, *completion.calls), model=completion.model, usage=completion.usage)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More of the model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """A call failed in a way that may pass, and is made again after `wait_s`. What was streamed of it is void."""

    attempt: int
    wait_s: float
    message: str


Delta = TextDelta | ReasoningDelta | Retrying


@dataclass(frozen=True, slots=True)
class CompletionFailure:
    """A call that gave no reply: what a driver sends into a generator in place of a `Completion`.

    `reason` says why, where that is known (see `errors.FailureReason`).
    """

    kind: Literal["raised", "timed_out"]
    message: str
    reason: FailureReason = "unknown"
