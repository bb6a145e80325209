"""The events of an agent's run, in order.

An awaited compaction under the crabtalk preset has three, as on the page on Crabtalk's compaction: `Compact` with the
summary, `Replaced` with the message that replaces the history, and the text delta `[context compacted]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palimpsest.engine.reports import Report
from palimpsest.record.completion import FinishReason, ReasoningDelta, Retrying, TextDelta
from palimpsest.record.message import Message, Usage

__all__ = [
    "COMPACTED_TEXT",
    "AgentEvent",
    "BudgetWarning",
    "Compact",
    "Done",
    "Notice",
    "Outcome",
    "ReasoningDelta",
    "Recovered",
    "Replaced",
    "Retrying",
    "TextDelta",
    "ToolEnd",
    "ToolStart",
    "UsageReported",
]

COMPACTED_TEXT = "[context compacted]"

Outcome = FinishReason | Literal["max_steps"]


@dataclass(frozen=True, slots=True)
class ToolStart:
    """A tool call begins. `arguments` is the model's JSON text."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolEnd:
    """A tool call ended: what the model will read of it, and how long it took."""

    call_id: str
    name: str
    text: str
    is_error: bool
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class UsageReported:
    """The provider's usage for one call, and our estimate of its prompt."""

    usage: Usage
    estimated_tokens: int
    model: str


@dataclass(frozen=True, slots=True)
class Compact:
    """Older turns were compacted: the newest summary's text ("" if messages were only dropped), and the report."""

    summary: str
    report: Report


@dataclass(frozen=True, slots=True)
class Replaced:
    """The message that the window now begins with."""

    message: Message


@dataclass(frozen=True, slots=True)
class BudgetWarning:
    """The request reaches this share of the capacity (0.5, 0.75 or 0.9) for the first time since it was below."""

    share: float
    used_tokens: int
    capacity_tokens: int


@dataclass(frozen=True, slots=True)
class Recovered:
    """The provider refused a request as too long; the oldest turns were dropped, and the call is repeated."""

    message: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know: background work that failed, compaction that rests."""

    message: str


@dataclass(frozen=True, slots=True)
class Done:
    """The turn is finished. `text` is the answer; `outcome` says why it stopped, possibly because of `max_steps`."""

    text: str
    outcome: Outcome
    steps: int


AgentEvent = (
    TextDelta | ReasoningDelta | Retrying | ToolStart | ToolEnd | UsageReported | Compact | Replaced | BudgetWarning
    | Recovered | Notice | Done
)  # fmt: skip
