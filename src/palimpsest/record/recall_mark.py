"""How words that were read back are told from words that were said.

What the tools in `engine/tools/` answer begins with a fixed mark. Such an answer is stored like every other result,
but it is no source: were it searchable, each search would find the answers of the searches before it. The mark stands
in the text itself, so it holds wherever a conversation comes from: the agent loop, a client's history, a transcript.
"""

from __future__ import annotations

import re

RECALLED = "[recalled:"
"""What every answer begins with."""

RECALLED_FIELD = "recalled"
"""The first field of an answer that is a JSON object."""

RECALL_TOOLS = ("short_search", "short_grep", "short_expand", "short_describe")
"""The tools by the names that models call them by."""

FIRST_RECALL_TOOLS = ("short_search", "short_expand")
"""Those that suffice: to find, and to read."""

_CALLED = re.compile(
    r"(?:\w{0,40}palimpsest\w{0,20}(?:__|\.)\w{1,40}|(?:\w{1,60}__)?short_(?:search|grep|expand|describe))"
)


def is_recalled(text: str) -> bool:
    """Whether this is the text of a tool's answer that was read from the store."""
    return text.startswith((RECALLED, f'{{"{RECALLED_FIELD}":'))


def asks_back(tool: str) -> bool:
    """Whether a tool of this name reads from the store; clients put a server's name before it."""
    return _CALLED.fullmatch(tool) is not None
