"""Recognizing text that was read back from the store.

Answers of the recall tools begin with a fixed mark. They are stored like other results, but not indexed, because each
search would find the answers of earlier ones. The mark is in the text itself, so it works for every source: the agent
loop, a client's history, a transcript.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

RECALLED = "[recalled:"
"""The beginning of every answer."""

RECALLED_FIELD = "recalled"
"""The first field of an answer that is a JSON object."""

GREP = "short_grep"
RECALL_TOOLS = ("short_search", GREP, "short_expand", "short_describe")
"""The recall tools by the names that models call."""

FIRST_RECALL_TOOLS = ("short_search", "short_expand")
"""The two that are enough: to find, and to read."""

_CALLED = re.compile(
    r"(?:\w{0,40}palimpsest\w{0,20}(?:__|\.)\w{1,40}|(?:\w{1,60}__)?short_(?:search|grep|expand|describe))"
)

_SEPARATOR = re.compile(r"__|[.:/]")


def is_recalled(text: str) -> bool:
    """Return whether this is the answer of a recall tool."""
    return text.startswith((RECALLED, f'{{"{RECALLED_FIELD}":'))


def asks_back(tool: str) -> bool:
    """Return whether this is a recall tool's name; clients put a server's name before it."""
    return _CALLED.fullmatch(tool) is not None


def recall_names(tools: Iterable[str]) -> dict[str, str]:
    """Return under which names the first recall tools are on offer; those of a server bear its name before theirs."""
    found: dict[str, str] = {}
    for name in tools:
        last = _SEPARATOR.split(name)[-1].removeprefix("short_")
        usual = f"short_{last}"
        if usual in FIRST_RECALL_TOOLS and asks_back(name):
            found.setdefault(usual, name)
    return found
