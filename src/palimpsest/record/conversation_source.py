"""Where a conversation comes from: the agent that held it, and the folder it worked in. The memo stores it."""

from __future__ import annotations

import json
from typing import NamedTuple, cast


class ConversationSource(NamedTuple):
    """The agent as the name of its transcript's format, and the folder as an absolute path; "" for unknown."""

    agent: str = ""
    folder: str = ""


def source_of(memo: str) -> ConversationSource:
    """Return the source in a memo, which is a JSON object; unknown for one that cannot be read."""
    try:
        found: object = json.loads(memo) if memo else {}
    except (ValueError, RecursionError):
        return ConversationSource()
    fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    agent, folder = fields.get("agent"), fields.get("folder")
    return ConversationSource(
        agent if isinstance(agent, str) else "", folder if isinstance(folder, str) else ""
    )
