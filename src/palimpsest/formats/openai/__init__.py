"""OpenAI chat dicts, both ways, and the request made of them."""

from palimpsest.formats.openai.parse import parse_message
from palimpsest.formats.openai.render import render_messages
from palimpsest.formats.openai.request import render_request
from palimpsest.formats.openai.tools import render_tools

__all__ = ["parse_message", "render_messages", "render_request", "render_tools"]
