"""How providers cache prompts: values that genai-prices lacks, collected from the providers' pages on TABLE_DATE.

For each model family: the shortest prompt that is cached, the step in which matches count, how long an unused prefix
lives, and whether cache marks decide what is cached. Where a page gives a range, the table has its lower end, because
assuming that an expired cache is alive costs more than the opposite.
"""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.budget.model_limits import canonical, spellings

TABLE_DATE = "2026-11-21"
TABLE_SOURCE = f"cache table of {TABLE_DATE}"
_MINUTE_S = 60.0
_HOUR_S = 3_600.0


@dataclass(frozen=True, slots=True)
class Caching:
    """A provider's cache. `marked`: the caller's cache marks decide what is cached. `long_ttl_s` is the longer lifetime
    on offer, 0 for none.
    """

    minimum_tokens: int
    step_tokens: int
    ttl_s: float
    long_ttl_s: float = 0.0
    marked: bool = False
    source: str = TABLE_SOURCE


def _claude(minimum_tokens: int) -> Caching:
    return Caching(minimum_tokens, 1, 5 * _MINUTE_S, _HOUR_S, marked=True)


_FAMILIES: dict[str, Caching] = {
    "claude": _claude(1_024),
    **dict.fromkeys(
        ("claude-3-haiku", "claude-3-5-haiku", "claude-opus-4-7", "claude-sonnet-4-6"), _claude(2_048)
    ),
    **dict.fromkeys(("claude-opus-4-5", "claude-opus-4-6", "claude-haiku-4-5"), _claude(4_096)),
    **dict.fromkeys(("claude-opus-5", "claude-fable", "claude-mythos"), _claude(512)),
    **dict.fromkeys(("gpt-4", "gpt-5", "o1", "o3", "o4", "codex"), Caching(1_024, 128, 5 * _MINUTE_S)),
    "gpt-5-5": Caching(1_024, 128, 24 * _HOUR_S),
    **dict.fromkeys(("gpt-5-6", "gpt-6"), Caching(1_024, 1, 30 * _MINUTE_S)),
    "deepseek": Caching(64, 64, 4 * _HOUR_S),
    "gemini": Caching(1_024, 1, 5 * _MINUTE_S),
    **dict.fromkeys(("gemini-2-5-pro", "gemini-3-pro"), Caching(4_096, 1, 5 * _MINUTE_S)),
    "kimi": Caching(256, 1, 5 * _MINUTE_S),
    **dict.fromkeys(("grok", "glm"), Caching(1, 1, 5 * _MINUTE_S)),
}
"""By the prefix of a model's name; the longest prefix applies."""

ASSUMED = Caching(1_024, 128, 5 * _MINUTE_S, source="assumed: 1,024 tokens, steps of 128, five minutes")


def find_caching(model: str) -> Caching:
    """How prompts to the model are cached; `ASSUMED` for a family that is not in the table."""
    names = [canonical(name) for _, name in spellings(model)]
    matching = (family for family in _FAMILIES for name in names if name.startswith(family))
    return _FAMILIES.get(max(matching, key=len, default=""), ASSUMED)
