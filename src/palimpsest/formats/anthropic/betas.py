"""The beta headers that a request to Anthropic needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from palimpsest.formats import wire_fields
from palimpsest.formats.anthropic.tool_changes import TOOL_CHANGES_BETA

COMPACTION_BETA = "compact-2026-09-04"
BINDING_BETA = "thinking-binding-controls-2026-08-01"
_SYSTEM_FIELDS = {
    "output_config": "mid-conversation-output-config-2026-07-01",
    "clear_at": "mid-conversation-system-clear-at-2026-08-21",
}
"""The fields of a system message that need a beta header."""
_TOOL_CHANGES = ("tool_addition", "tool_removal")


def betas_of(body: Mapping[str, object]) -> tuple[str, ...]:
    """Return the `anthropic-beta` values for what a request has in it."""
    kinds = {
        block.get("type")
        for message in _dicts(body.get("messages"))
        for block in _dicts(message.get("content"))
    }
    found = [COMPACTION_BETA] if "compaction" in kinds or "compaction" in body else []
    found += [TOOL_CHANGES_BETA] if not kinds.isdisjoint(_TOOL_CHANGES) else []
    told = [message for message in _dicts(body.get("messages")) if message.get("role") == "system"]
    found += [beta for field, beta in _SYSTEM_FIELDS.items() if any(field in message for message in told)]
    found += [BINDING_BETA] if "block_binding" in wire_fields.nested(body, "thinking") else []
    return tuple(found)


def _dicts(value: object) -> Sequence[Mapping[str, object]]:
    return wire_fields.objects(cast("list[object]", value)) if isinstance(value, list) else ()
