"""How many examples a law of the engine is tried on: few in an ordinary run, many more under the "long" profile."""

from __future__ import annotations

from hypothesis import settings

_ORDINARY = 40


def examples(count: int) -> settings:
    """Settings for about `count` examples in an ordinary run, multiplied as the loaded profile is larger than that."""
    return settings(max_examples=max(1, count * settings().max_examples // _ORDINARY))
