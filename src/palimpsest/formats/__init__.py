"""Dicts and transcripts on one side, records on the other.

`openai`, `anthropic` and `gemini` read and write one provider's message dicts and make valid requests; `parse_any`
tells them apart. `transcripts` reads what coding agents leave behind. `rules` says what each provider refuses.

Each of its names is resolved when it is first used: who only wants a room of it imports no other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palimpsest.formats.provider_detection import parse_any
    from palimpsest.formats.tool_definitions import parse_tool, parse_tools
    from palimpsest.formats.usage import parse_usage

__all__ = ["parse_any", "parse_tool", "parse_tools", "parse_usage"]

_PLACES = {
    "parse_any": "provider_detection",
    "parse_tool": "tool_definitions",
    "parse_tools": "tool_definitions",
    "parse_usage": "usage",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value
    return value
