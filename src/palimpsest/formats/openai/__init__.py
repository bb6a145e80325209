"""OpenAI chat dicts, parsed and rendered, and valid requests; items of the Responses API as such dicts."""

from palimpsest.formats.openai.parse import parse_message
from palimpsest.formats.openai.render import render_messages
from palimpsest.formats.openai.render_cache import RenderCache
from palimpsest.formats.openai.request import render_request, render_tools
from palimpsest.formats.openai.responses import in_chat_form, may_be_item, render_responses

__all__ = [
    "RenderCache",
    "in_chat_form",
    "may_be_item",
    "parse_message",
    "render_messages",
    "render_request",
    "render_responses",
    "render_tools",
]
