"""How providers cache prompts: what genai-prices does not hold, collected from their pages on the day named here.

Of every family: the shortest prompt that is cached, the steps in which a match counts, how long an unused prefix lives,
and whether the caller marks what is to be cached. What a page leaves open is taken at the lower end ("a few hours to a
few days" is four hours), because a cache that is believed alive and is not costs more than the opposite.
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
    """`marked` says that a caller's cache marks decide what is cached; `long_ttl_s` is a second lifetime on offer, 0
    for none. `source` says where the values are from.
    """

    minimum_tokens: int
    step_tokens: int
    ttl_s: float
    long_ttl_s: float = 0.0
    marked: bool = False
    source: str = TABLE_SOURCE


def _claude(minimum_tokens: int) -> Caching:
    return Caching(minimum_tokens, 1, 5 * _MINUTE_S, _HOUR_S, marked=True)


_IN_MEMORY = Caching(1_024, 128, 5 * _MINUTE_S)
_EXTENDED = Caching(1_024, 128, 24 * _HOUR_S)
_HALF_HOUR = Caching(1_024, 1, 30 * _MINUTE_S)

_FAMILIES: dict[str, Caching] = {
    "claude": _claude(1_024),
    **dict.fromkeys(
        ("claude-3-haiku", "claude-3-5-haiku", "claude-opus-4-7", "claude-sonnet-4-6"), _claude(2_048)
    ),
    **dict.fromkeys(("claude-opus-4-5", "claude-opus-4-6", "claude-haiku-4-5"), _claude(4_096)),
    **dict.fromkeys(("claude-opus-5", "claude-fable", "claude-mythos"), _claude(512)),
    **dict.fromkeys(("gpt-4", "gpt-5", "o1", "o3", "o4", "codex"), _IN_MEMORY),
    "gpt-5-5": _EXTENDED,
    **dict.fromkeys(("gpt-5-6", "gpt-6"), _HALF_HOUR),
    "deepseek": Caching(64, 64, 4 * _HOUR_S),
    "gemini": Caching(1_024, 1, 5 * _MINUTE_S),
    "gemini-2-5-pro": Caching(4_096, 1, 5 * _MINUTE_S),
    "gemini-3-pro": Caching(4_096, 1, 5 * _MINUTE_S),
    "grok": Caching(1, 1, 5 * _MINUTE_S),
    "kimi": Caching(256, 1, 5 * _MINUTE_S),
    "glm": Caching(1, 1, 5 * _MINUTE_S),
}
"""Family -> how it is cached. The longest family that a name begins with holds."""

ASSUMED = Caching(1_024, 128, 5 * _MINUTE_S, source="assumed: 1,024 tokens, steps of 128, five minutes")


def find_caching(model: str) -> Caching:
    """How prompts to the model are cached; a stated assumption for a family that is not in the table."""
    names = [canonical(name) for _, name in spellings(model)]
    fitting = (family for family in _FAMILIES for name in names if name.startswith(family))
    return _FAMILIES.get(max(fitting, key=len, default=""), ASSUMED)
