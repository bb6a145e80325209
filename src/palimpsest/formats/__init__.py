"""Dicts and transcripts on one side, records on the other.

`openai`, `anthropic` and `gemini` read and write one provider's message dicts and make valid requests; `parse_any`
tells them apart. `transcripts` reads what coding agents leave behind. `rules` says what each provider refuses.
"""

from palimpsest.formats.detect import parse_any
from palimpsest.formats.tools import parse_tool, parse_tools
from palimpsest.formats.usage import parse_usage

__all__ = ["parse_any", "parse_tool", "parse_tools", "parse_usage"]
