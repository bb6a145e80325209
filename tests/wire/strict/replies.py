"""What the strict servers say: replies in Anthropic's and the Responses form, made of the script's values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from tests.wire.forms import CREATED_S, pieces, sse
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
    """The output items of a reply; reasoning comes first."""
    items: list[Fields] = []
    if say.thinking:
        reasoning_id = made.identify("rs")
        summary = [{"type": "summary_text", "text": say.thinking}]
        items.append(
            {
                "type": "reasoning",
                "id": reasoning_id,
                "summary": summary,
                "encrypted_content": f"gAAAA{reasoning_id[::-1]}",
            }
        )
    if say.text:
        part = {"type": "output_text", "text": say.text, "annotations": [], "logprobs": []}
        items.append(
            {
                "type": "message",
                "id": made.identify("msg"),
                "status": "completed",
                "role": "assistant",
                "content": [part],
            }
        )
    items.extend(
        {
            "type": "function_call",
            "id": made.identify("fc"),
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
            "status": "completed",
        }
        for call in say.calls
    )
    return items


def responses_usage(input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Fields:
    """The usage of a reply."""
    return {
        "input_tokens": input_tokens,
        "input_tokens_details": {"cached_tokens": cached_tokens, "cache_write_tokens": 0},
        "output_tokens": output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input_tokens + output_tokens,
    }


def response_object(number: int, body: Fields, output: Sequence[Fields], usage: Fields | None) -> Fields:
    """A whole response, completed if its usage is known."""
    return {
        "id": f"resp_{number:08d}",
        "object": "response",
        "created_at": CREATED_S,
        "status": "completed" if usage is not None else "in_progress",
        "model": body["model"],
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": body.get("tools") or [],
        "instructions": body.get("instructions"),
        "error": None,
        "incomplete_details": None,
        "metadata": {},
        "temperature": 1.0,
        "top_p": 1.0,
        "usage": usage,
    }


def responses_events(whole: Fields, output: Sequence[Fields], begun: Fields) -> Iterator[str]:
    """The events of a streamed response."""
    number = 0

    def event(kind: str, **values: object) -> str:
        nonlocal number
        number += 1
        return sse({"type": kind, "sequence_number": number - 1, **values}, kind)

    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    for index, item in enumerate(output):
        opened, inner = _opened_item(item)
        yield event("response.output_item.added", output_index=index, item=opened)
        for kind, values in inner:
            yield event(kind, item_id=item["id"], output_index=index, **values)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=whole)


def _opened_item(item: Fields) -> tuple[Fields, list[tuple[str, Fields]]]:
    """An item as it starts, and the events that fill it."""
    if item["type"] == "function_call":
        arguments = str(item["arguments"])
        kind = "response.function_call_arguments"
        told: list[tuple[str, Fields]] = [(f"{kind}.delta", {"delta": piece}) for piece in pieces(arguments)]
        return item | {"arguments": "", "status": "in_progress"}, [
            *told,
            (f"{kind}.done", {"arguments": arguments, "name": item["name"]}),
        ]
    if item["type"] == "message":
        part = item["content"][0]  # type: ignore[index]
        place: Fields = {"content_index": 0}
        empty = {"type": "output_text", "text": "", "annotations": []}
        words: list[tuple[str, Fields]] = [
            ("response.output_text.delta", {**place, "delta": piece, "logprobs": []})
            for piece in pieces(str(part["text"]))
        ]
        return item | {"content": [], "status": "in_progress"}, [
            ("response.content_part.added", {**place, "part": empty}),
            *words,
            ("response.output_text.done", {**place, "text": part["text"], "logprobs": []}),
            ("response.content_part.done", {**place, "part": part}),
        ]
    return item | {"summary": [], "encrypted_content": "gAAAA"}, []
