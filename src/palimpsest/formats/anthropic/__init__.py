"""Anthropic message dicts, parsed and rendered, and valid requests."""

from palimpsest.formats.anthropic.betas import betas_of
from palimpsest.formats.anthropic.breakpoints import place_breakpoints
from palimpsest.formats.anthropic.model_abilities import binds_thinking
from palimpsest.formats.anthropic.parse import parse_message
from palimpsest.formats.anthropic.render import render_messages
from palimpsest.formats.anthropic.request import SYSTEM_HEADER, render_request, render_tools

__all__ = [
    "SYSTEM_HEADER",
    "betas_of",
    "binds_thinking",
    "parse_message",
    "place_breakpoints",
    "render_messages",
    "render_request",
    "render_tools",
]
