"""Messages of Amazon Bedrock's Converse API, parsed and rendered, and valid requests."""

from palimpsest.formats.bedrock.parse import BLOCKS, parse_message
from palimpsest.formats.bedrock.render import render_messages
from palimpsest.formats.bedrock.request import render_request, render_tools

__all__ = ["BLOCKS", "parse_message", "render_messages", "render_request", "render_tools"]
