"""How whoever does long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Is told what is being done, and how far that has come of what. What it raises ends the work."""
