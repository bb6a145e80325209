"""Provider message dicts and agents' transcripts to records, and back.

`openai`, `anthropic`, `gemini` and `bedrock` parse and render one provider's message dicts and build valid requests;
`parse_any` detects the provider. `transcripts` reads what coding agents store. `rules` says what each provider refuses.
Names are imported lazily.
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
