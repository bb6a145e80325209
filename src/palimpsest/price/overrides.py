"""Prices that genai-prices does not list, each with the day from which on it holds and with where it stands.

Rules kept here:

- What is listed is never replaced: an override adds what a model's row lacks.
- It holds for a prompt as a whole, as tiers do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from palimpsest.budget.model_limits import canonical
from palimpsest.record.spending import Rates


@dataclass(frozen=True, slots=True)
class Longer:
    """Long prompts of a model: above `above_tokens` input, cached or not, costs `input_factor` times as much, output
    `output_factor` times. `names` are beginnings of its names, "=" before one that has to be the whole of it; `stands`
    says where the prices can be read.
    """

    names: tuple[str, ...]
    since: str
    stands: str
    above_tokens: int
    input_factor: float
    output_factor: float

    @property
    def source(self) -> str:
        """What is said of it beside a price."""
        return f"long prompts since {self.since}"

    @property
    def since_s(self) -> float:
        """The day as seconds since 1970."""
        return datetime.strptime(self.since, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()

    def rates(self, short: Rates) -> Rates:
        """What a long prompt costs, where a short one costs this."""
        return replace(
            short,
            input=short.input * self.input_factor,
            cached=short.cached * self.input_factor,
            write=short.write * self.input_factor,
            output=short.output * self.output_factor,
        )


LONGER = (
    Longer(
        ("=claude-sonnet-4", "claude-sonnet-4-0", "claude-sonnet-4-2025", "claude-4-sonnet"),
        "2025-08-12",
        "Anthropic's page of prices, under long context",
        200_000,
        2.0,
        1.5,
    ),
)
"""Claude Sonnet 4 costs $3 and $15 a million tokens, and $6 and $22.50 for prompts above 200,000, which it takes since
that day.
"""


def longer_of(names: Iterable[str], time_s: float | None) -> Longer | None:
    """The override for a model under one of its spellings, if it held at that time (today's where None)."""
    spelled = [canonical(name) for name in names]
    for one in LONGER:
        held = time_s is None or one.since_s <= time_s
        if held and any(_is_named(name, own) for name in spelled for own in one.names):
            return one
    return None


def _is_named(name: str, own: str) -> bool:
    return name == own[1:] if own.startswith("=") else name.startswith(own)
