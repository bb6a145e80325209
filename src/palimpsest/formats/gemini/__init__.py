"""Gemini contents, parsed and rendered, and valid requests."""

from palimpsest.formats.gemini.parse import parse_message
from palimpsest.formats.gemini.render import render_messages
from palimpsest.formats.gemini.request import render_request, render_tools

__all__ = ["parse_message", "render_messages", "render_request", "render_tools"]
