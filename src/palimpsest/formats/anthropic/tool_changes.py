"""Tools that come or go in the middle of a conversation, without a change of the request's beginning.

A new tool is sent with `defer_loading`, which the provider leaves out of the prefix, and a system message adds it by
name. Source: Anthropic's page "Mid-conversation system messages and tool changes".
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import cast

from palimpsest.formats import wire_fields
from palimpsest.formats.anthropic.parse import WIRE
from palimpsest.formats.valid_names import safe_name
from palimpsest.record.message import Message

TOOL_CHANGES_BETA = "mid-conversation-tool-changes-2026-07-01"


def changes_text(added: Iterable[str], removed: Iterable[str]) -> str:
    """The changes as JSON text, "" for none."""
    changes = {"added": list(added), "removed": list(removed)}
    return json.dumps(changes) if any(changes.values()) else ""


def tool_changes(text: str) -> Message:
    """The system message that says these changes."""
    changes = cast("dict[str, list[str]]", json.loads(text))
    kinds = (("tool_addition", "added"), ("tool_removal", "removed"))
    blocks = [
        {"type": kind, "tool": {"type": "tool_reference", "name": safe_name(name)}}
        for kind, key in kinds
        for name in changes[key]
    ]
    return Message("system", tuple(map(wire_fields.whole_block, blocks)), wire=WIRE)
