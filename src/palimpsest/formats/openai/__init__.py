"""OpenAI's chat dicts and the items of its Responses API, parsed and rendered, and valid requests of both."""

from palimpsest.formats.openai.items import is_reply_item, may_be_item, parse_items
from palimpsest.formats.openai.parse import parse_message
from palimpsest.formats.openai.render import RESPONSES, render_messages
from palimpsest.formats.openai.request import RenderCache, render_request, render_tools, without_prompt
from palimpsest.formats.openai.responses import render_responses, stored_items, user_text

__all__ = [
    "RESPONSES",
    "RenderCache",
    "is_reply_item",
    "may_be_item",
    "parse_items",
    "parse_message",
    "render_messages",
    "render_request",
    "render_responses",
    "render_tools",
    "stored_items",
    "user_text",
    "without_prompt",
]
