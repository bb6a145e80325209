"""What is asked of a model and what comes back, as values; performing it is a port's business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palimpsest.record.message import Message, ToolCall, ToolDef, Usage

FinishReason = Literal["stop", "length", "tool_calls", "refused", "other"]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One call to a model. `purpose` is "agent", "summary", ...; 0 for a limit means the client's default."""

    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[ToolDef, ...] = ()
    model: str = ""
    max_output_tokens: int = 0
    timeout_s: float = 0.0
    purpose: str = "agent"


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply."""

    text: str
    usage: Usage | None = None
    finish_reason: FinishReason = "stop"
    model: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class CompletionFailure:
    """A call that gave no reply: what a driver sends into a generator in place of a `Completion`."""

    kind: Literal["raised", "timed_out"]
    message: str
