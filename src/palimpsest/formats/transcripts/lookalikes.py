"""Files of other programs that look like a known format: they are named, and not read as what they are not.

Each sign is one that the known program never writes. Naming a format reads such a file all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.formats.transcripts.reader_base import Head, JsonObject, as_list, as_object, as_text


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A program, the format that its files look like, and the sign that tells them apart."""

    label: str
    like: str
    sign: Callable[[Head], bool]


_FORKS = {".iflow": "iFlow", ".qoder": "Qoder", ".codebuddy": "CodeBuddy", ".commandcode": "Command Code"}


def _linked(row: JsonObject) -> bool:
    return as_text(row.get("type")) in {"user", "assistant"} and "uuid" in row and "message" in row


def _is_iflow(head: Head) -> bool:
    """iFlow names its sessions with a prefix, and puts Gemini's function responses into results."""
    return any(
        _linked(row) and (as_text(row.get("sessionId")).startswith("session-") or _gemini_result(row))
        for row in head.rows
    )


def _gemini_result(row: JsonObject) -> bool:
    content = as_list(as_object(row.get("message")).get("content"))
    held = (as_object(as_object(block).get("content")) for block in content)
    return any("responseParts" in one or "functionResponse" in one for one in held)


def _is_fork(head: Head) -> bool:
    folders = head.path.replace("\\", "/").split("/")
    return any(_linked(row) for row in head.rows) and any(folder in _FORKS for folder in folders)


def _is_dsh(head: Head) -> bool:
    """DeepSeek Harness: a header with the time as `createdAt`, and numbered events with `data`."""
    first = head.rows[0] if head.rows else {}
    begins = first.get("type") == "session" and bool({"createdAt", "delegationDepth"} & first.keys())
    return begins or any(
        {"seq", "data"} <= row.keys() and "/" in as_text(row.get("type")) for row in head.rows[:5]
    )


LOOKALIKES = (
    Lookalike("iFlow", "claude_code", _is_iflow),
    Lookalike("a program built like Claude Code", "claude_code", _is_fork),
    Lookalike("DeepSeek Harness (dsh)", "pi", _is_dsh),
)


def lookalike(head: Head) -> str:
    """Return a sentence for a file that another program than a known one wrote, "" for any other."""
    found = next((one for one in LOOKALIKES if one.sign(head)), None)
    if found is None:
        return ""
    folders = head.path.replace("\\", "/").split("/")
    label = next((_FORKS[folder] for folder in folders if folder in _FORKS), found.label)
    return f"looks like {found.like}, but is a session of {label}; --format {found.like} reads it as that"
