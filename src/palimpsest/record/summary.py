"""A summary: a shorter text for a contiguous range of messages, with its sources."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Method = Literal["normal", "aggressive", "truncated", "extractive", "imported", "provider"]
CallLevel = Literal[Method, "check"]
"""What a model was asked for: a summary at a level of pressure, or a check of one."""
TOOLS_SAID = "# From tools"
"""The line of a summary's text that precedes what it took from tools, if it was made for the system role."""

MAX_REPAIRS = 40
"""Notes on one reply that are recorded."""

IN_PROGRESS = "# Tool calls in progress"
"""The line of a summary's text that precedes calls and results in progress when it was made."""


def without_progress(text: str) -> str:
    """Return a summary's text without calls in progress: by the next summary they are history."""
    lines = text.split("\n")
    return "\n".join(lines[: lines.index(IN_PROGRESS)]).strip() if IN_PROGRESS in lines else text


def parted_by_speaker(text: str) -> tuple[str, str]:
    """Return (text from people, text from tools) of a summary; if it does not separate them, all is a tool's."""
    lines = text.split("\n")
    at = next((at for at, line in enumerate(lines) if line.strip() == TOOLS_SAID), None)
    return ("", text) if at is None else ("\n".join(lines[:at]).strip(), "\n".join(lines[at + 1 :]).strip())


@dataclass(frozen=True, slots=True)
class Summary:
    """`depth` 0 is a leaf, made from messages; a condensed one is deeper than its sources.

    - `first` and `last` are positions in the conversation (from 1, both included). `sources` are ids of messages and
      summaries, in order.
    - `tokens` counts the text as rendered in a request, fence and quoted request included. `earliest_s` and
      `latest_s` are when the content happened.
    - `method` says how the text was made, `model` by which model ("" for none). `quotes` is the position of a covered
      user request that is shown verbatim behind it, 0 for none.
    """

    id: str
    depth: int
    text: str
    tokens: int
    first: int
    last: int
    sources: tuple[str, ...]
    method: Method
    model: str = ""
    earliest_s: float | None = None
    latest_s: float | None = None
    quotes: int = 0

    @property
    def covers(self) -> int:
        """The number of covered messages."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class SummaryCall:
    """One call made while summarizing: its level, token counts, and why its reply was refused ("" if taken).

    `cached_tokens` of the input were read from a provider's cache. `repairs` lists corrections of the reply. `took_s`
    is in seconds, to a tenth.
    """

    level: CallLevel
    input_tokens: int
    output_tokens: int
    refused: str = ""
    model: str = ""
    repairs: tuple[str, ...] = ()
    cached_tokens: int = 0
    took_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Draft:
    """A finished summary text before it has an id: how it was made, and every call it took.

    `failure` is why no model could be used if its provider refuses every call (`errors.FailureReason`), else "".
    """

    text: str
    method: Method
    model: str = ""
    calls: tuple[SummaryCall, ...] = ()
    failure: str = ""

    @property
    def unused(self) -> str:
        """Why no reply of a model became the text; "" if one did, or none was asked."""
        if not self.calls or self.method not in ("truncated", "extractive"):
            return ""
        return next((call.refused for call in reversed(self.calls) if call.refused), "no reason is known")

    def repaired(self, text: str, repairs: tuple[str, ...]) -> Draft:
        """Return the draft with another text, and a note of the correction at its call."""
        if not self.calls:
            return replace(self, text=text)
        *others, last = self.calls
        noted = replace(last, repairs=(*last.repairs, *repairs)[:MAX_REPAIRS])
        return replace(self, text=text, calls=(*others, noted))

    @property
    def repairs(self) -> tuple[str, ...]:
        """The corrections of the text."""
        return tuple(repair for call in self.calls for repair in call.repairs)
