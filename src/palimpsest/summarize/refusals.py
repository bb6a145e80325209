"""Whether the JSON result of a tool says that its call failed, and why.

A result has failed where it says so in a field made for that (`"ok": false`, `"success": false`, `"isError": true`), or
where it is an object about an error alone: every field of it is one that such objects have. A record with an id and a
state is what was asked for: a job that failed was looked up well.
"""

from __future__ import annotations

import json
from typing import cast

from palimpsest.summarize.toolcalls import LINE_CHARS, PARSED_CHARS
from palimpsest.text.cut import clip_words

_REASONS = ("error", "code", "error_code", "errorcode", "message", "reason", "detail", "type")
"""Where such an object says why, in the order in which it is told."""
_ABOUT_ERRORS = frozenset(
    (*_REASONS, *"errors status status_code details hint ok success iserror request_id trace_id".split())
)
_BAD_STATES = frozenset(("error", "failed", "failure"))


def refusal(text: str) -> str:
    """Why a call of a tool, no shell's command, failed whose result says that it did; "" for any other result."""
    if not text.lstrip().startswith("{") or len(text) > PARSED_CHARS:
        return ""
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return ""
    found = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    fields = {key.lower(): one for key, one in found.items()}
    denied = any(fields.get(key) is False for key in ("ok", "success")) or fields.get("iserror") is True
    status = fields.get("status")
    bad = isinstance(status, str) and status.lower() in _BAD_STATES
    about = fields.keys() <= _ABOUT_ERRORS and bool(fields.get("error") or fields.get("errors") or bad)
    if not (denied or about):
        return ""
    inner = fields.get("error")
    told = cast("dict[str, object]", inner) if isinstance(inner, dict) else fields
    said = [one for key in _REASONS if isinstance(one := told.get(key), str) and one.strip()]
    return clip_words(": ".join(" ".join(one.split()) for one in said) or text.strip(), LINE_CHARS)
