"""What the strict servers say: replies in Anthropic's and the Responses form, made of the script's values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from tests.wire.forms import response_items
from tests.wire.replies import Say
from tests.wire.strict.refusal import Fields, Refusal
from tests.wire.strict.responses_rules import Made

_STOPS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "refused": "refusal"}


def anthropic_blocks(say: Say, *, shows_thinking: bool) -> list[Fields]:
    """The blocks of a reply, not yet signed."""
    found: list[Fields] = []
    if say.thinking:
        text = say.thinking if shows_thinking else ""
        found.append({"type": "thinking", "thinking": text, "signature": ""})
    if say.redacted:
        found.append({"type": "redacted_thinking", "data": ""})
    if say.text:
        found.append({"type": "text", "text": say.text})
    found.extend(
        {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
        for call in say.calls
    )
    return found


def anthropic_stop(say: Say) -> str:
    """Why a reply ends."""
    return _STOPS.get(say.reason, "end_turn")


def anthropic_message(number: int, model: str, blocks: Sequence[Fields], stop: str, usage: Fields) -> Fields:
    """A whole message."""
    return {
        "id": f"msg_{number:08d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }


def anthropic_error(refusal: Refusal) -> Fields:
    """The body of an error."""
    kind = {401: "authentication_error", 404: "not_found_error"}.get(refusal.status, "invalid_request_error")
    error: Fields = {"type": kind, "message": refusal.message}
    if refusal.code:
        error["details"] = {"error_code": refusal.code}
    return {"type": "error", "error": error, "request_id": "req_0001"}


def openai_error(refusal: Refusal) -> Fields:
    """The body of an error."""
    error = {
        "message": refusal.message,
        "type": "invalid_request_error",
        "param": None,
        "code": refusal.code or None,
    }
    return {"error": error}


def gemini_error(refusal: Refusal) -> Fields:
    """The body of an error."""
    return {"error": {"code": refusal.status, "message": refusal.message, "status": "INVALID_ARGUMENT"}}


def responses_output(say: Say, made: Made) -> list[Fields]:
    """The output items of a reply, under ids of the server."""
    kinds = [*(["rs"] if say.thinking else []), *(["msg"] if say.text else []), *("fc" for _ in say.calls)]
    ids = [made.identify(kind) for kind in kinds]
    return response_items(replace(say, signature=f"gAAAA{''.join(ids)[::-1]}"), ids)
