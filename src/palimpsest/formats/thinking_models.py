"""Which models read their earlier thinking only behind an unchanged prefix."""

from __future__ import annotations

from palimpsest.formats.anthropic import model_abilities
from palimpsest.lazy_regex import later

_BINDING_GPT = later(r"(?:.*[^a-z0-9])?gpt-(?:6\.[2-9]|[7-9])\b.*")
"""GPT-6.2 and later leave such reasoning out without an error, and report it as `prefix_mismatch`."""


def binds_thinking(model: str) -> bool | None:
    """Return whether a model's thinking is bound to what precedes it; None for an unknown model."""
    if _BINDING_GPT.fullmatch(model[:200].lower()):
        return True
    return model_abilities.binds_thinking(model)
