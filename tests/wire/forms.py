"""A reply in each wire form: the body of a whole answer, and the events of a streamed one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import cast

from palimpsest.record.message import ToolCall
from tests.wire.replies import Say, Wire

Fields = dict[str, object]
Used = tuple[int, int] | tuple[int, int, int]
"""The tokens of a prompt and an output, and perhaps how many of the prompt's a cache held."""

CREATED_S = 1_760_000_000
PIECE_CHARS = 7
_OPENAI = {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "refused": "content_filter"}
_ANTHROPIC = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "refused": "refusal"}
_GEMINI = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}


def pieces(text: str) -> list[str]:
    """A text as a stream brings it."""
    return [text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)]


def sse(data: object, event: str = "") -> str:
    """One server-sent event."""
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def body(wire: Wire, say: Say, model: str, usage: Used) -> Fields:
    """The whole answer."""
    if wire == "openai":
        return _chat(say, model, usage)
    if wire == "responses":
        return _response(say, model, usage)
    if wire == "anthropic":
        return _anthropic_head(model, usage) | {
            "content": _blocks(say),
            "stop_reason": _ANTHROPIC.get(say.reason, "end_turn"),
        }
    parts = _gemini_parts(say, [say.text] if say.text else [], [say.thinking] if say.thinking else [])
    return _gemini_chunk(model, parts, usage, _GEMINI.get(say.reason, "OTHER"))


def events(wire: Wire, say: Say, model: str, usage: Used, *, with_usage: bool) -> Iterator[str]:
    """The events of a streamed answer, as text."""
    if wire == "openai":
        yield from _chat_events(say, model, usage, with_usage)
    elif wire == "responses":
        made = _response(say, model, usage)
        output = cast("list[Fields]", made["output"])
        yield from responses_events(
            made, output, made | {"output": [], "status": "in_progress", "usage": None}
        )
    elif wire == "anthropic":
        yield from _anthropic_events(say, model, usage)
    else:
        yield from _gemini_events(say, model, usage)


def _call(call: ToolCall) -> Fields:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _chat_usage(usage: Used) -> Fields:
    return {
        "prompt_tokens": usage[0],
        "completion_tokens": usage[1],
        "total_tokens": usage[0] + usage[1],
        "prompt_tokens_details": {"cached_tokens": sum(usage[2:])},
    }


def _chat(say: Say, model: str, usage: Used) -> Fields:
    refused = say.reason == "refused"
    message: Fields = {
        "role": "assistant",
        "content": None if refused or (say.calls and not say.text) else say.text,
        "refusal": say.text if refused else None,
    }
    if say.thinking:
        message["reasoning_content"] = say.thinking
    if say.calls:
        message["tool_calls"] = [_call(call) for call in say.calls]
    choice: Fields = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": _OPENAI.get(say.reason, "stop"),
    }
    head = {"id": "chatcmpl-0001", "object": "chat.completion", "created": CREATED_S, "model": model}
    return {**head, "choices": [choice], "usage": _chat_usage(usage)}


def _chat_events(say: Say, model: str, usage: Used, with_usage: bool) -> Iterator[str]:
    head = {"id": "chatcmpl-0001", "object": "chat.completion.chunk", "created": CREATED_S, "model": model}

    def chunk(delta: Fields, finish: str | None = None) -> str:
        return sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    silent = say.calls or say.reason == "refused"
    yield chunk({"role": "assistant", "content": None if silent else "", "refusal": None})
    for piece in pieces(say.thinking):
        yield chunk({"reasoning_content": piece})
    for piece in pieces(say.text):
        yield chunk({"refusal" if say.reason == "refused" else "content": piece})
    for index, call in enumerate(say.calls):
        start = _call(call) | {"index": index, "function": {"name": call.name, "arguments": ""}}
        yield chunk({"tool_calls": [start]})
        for piece in pieces(call.arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _OPENAI.get(say.reason, "stop"))
    if with_usage:
        yield sse({**head, "choices": [], "usage": _chat_usage(usage)})
    yield sse("[DONE]")


def _anthropic_head(model: str, usage: Used) -> Fields:
    counts = {
        "input_tokens": usage[0],
        "output_tokens": usage[1],
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    return {
        "id": "msg_0001",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": counts,
    }


def _blocks(say: Say) -> list[Fields]:
    found: list[Fields] = []
    if say.thinking:
        found.append({"type": "thinking", "thinking": say.thinking, "signature": say.signature})
    if say.redacted:
        found.append({"type": "redacted_thinking", "data": say.redacted})
    found.extend(say.blocks)
    if say.text:
        found.append({"type": "text", "text": say.text, "citations": None})
    found.extend(
        {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
        for call in say.calls
    )
    return found


def _anthropic_events(say: Say, model: str, usage: Used) -> Iterator[str]:
    reason = _ANTHROPIC.get(say.reason, "end_turn")
    yield from message_events(
        _anthropic_head(model, usage) | {"content": _blocks(say), "stop_reason": reason}
    )


def message_events(message: Fields) -> Iterator[str]:
    """The events of a whole message of Anthropic's, as they come in a stream."""

    def event(kind: str, **fields: object) -> str:
        return sse({"type": kind, **fields}, kind)

    usage = cast("Fields", message["usage"])
    begun = message | {"content": [], "stop_reason": None, "usage": usage | {"output_tokens": 1}}
    yield event("message_start", message=begun)
    yield event("ping")
    for index, block in enumerate(cast("list[Fields]", message["content"])):
        empty, deltas = _opened(block)
        yield event("content_block_start", index=index, content_block=empty)
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=end, usage=usage)
    yield event("message_stop")


def _opened(block: Fields) -> tuple[Fields, list[Fields]]:
    """A block as it starts, and what is added to it."""
    kind = block["type"]
    if kind == "text":
        words: list[Fields] = [{"type": "text_delta", "text": piece} for piece in pieces(str(block["text"]))]
        return block | {"text": ""}, words
    if kind == "thinking":
        thought: list[Fields] = [
            {"type": "thinking_delta", "thinking": piece} for piece in pieces(str(block["thinking"]))
        ]
        signed: Fields = {"type": "signature_delta", "signature": block["signature"]}
        return block | {"thinking": "", "signature": ""}, [*thought, signed]
    if kind in ("tool_use", "server_tool_use"):
        text = json.dumps(block["input"]) if block["input"] else ""
        told: list[Fields] = [
            {"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces(text)]
        ]
        return block | {"input": {}}, told
    return block, []


def _gemini_parts(say: Say, words: Sequence[str], thoughts: Sequence[str]) -> list[Fields]:
    parts: list[Fields] = [{"text": piece, "thought": True} for piece in thoughts]
    parts.extend({"text": piece} for piece in words)
    calls: list[Fields] = [
        {"functionCall": {"name": call.name, "args": json.loads(call.arguments)}} for call in say.calls
    ]
    if say.signature and (calls or parts):
        (calls[0] if calls else parts[-1])["thoughtSignature"] = say.signature
    return parts + calls


def _gemini_chunk(model: str, parts: Sequence[Fields], usage: Used, finish: str = "") -> Fields:
    candidate: Fields = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    counts = {
        "promptTokenCount": usage[0],
        "candidatesTokenCount": usage[1],
        "totalTokenCount": usage[0] + usage[1],
        "cachedContentTokenCount": sum(usage[2:]),
    }
    return {
        "candidates": [candidate],
        "usageMetadata": counts,
        "modelVersion": model,
        "responseId": "resp-0001",
    }


def _gemini_events(say: Say, model: str, usage: Used) -> Iterator[str]:
    parts = _gemini_parts(say, pieces(say.text), pieces(say.thinking))
    for part in parts[:-1]:
        yield sse(_gemini_chunk(model, [part], usage))
    yield sse(_gemini_chunk(model, parts[-1:], usage, _GEMINI.get(say.reason, "OTHER")))


def _response(say: Say, model: str, usage: Used) -> Fields:
    """A whole response; what the limit or a filter cut is incomplete."""
    output = response_items(say, [f"item_{number:04d}" for number in range(len(say.calls) + 2)])
    made = response_object(1, {"model": model}, output, responses_usage(*usage))
    silent = say.reason == "refused" and not say.text
    if say.reason == "length" or silent:
        reason = "content_filter" if silent else "max_output_tokens"
        made |= {"status": "incomplete", "incomplete_details": {"reason": reason}}
    return made


def response_items(say: Say, ids: Sequence[str]) -> list[Fields]:
    """The output items of a reply with these ids; reasoning comes first."""
    given = iter(ids)
    items: list[Fields] = []
    if say.thinking:
        summary = [{"type": "summary_text", "text": say.thinking}]
        sealed = say.signature or "gAAAAsealed"
        items.append(
            {"type": "reasoning", "id": next(given), "summary": summary, "encrypted_content": sealed}
        )
    if say.text:
        part: Fields = {"type": "output_text", "text": say.text, "annotations": [], "logprobs": []}
        if say.reason == "refused":
            part = {"type": "refusal", "refusal": say.text}
        said: Fields = {"type": "message", "id": next(given), "status": "completed", "role": "assistant"}
        items.append(said | {"content": [part]})
    items.extend(
        {
            "type": "function_call",
            "id": next(given),
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
    kind = "incomplete" if whole["status"] == "incomplete" else "completed"
    yield event(f"response.{kind}", response=whole)


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
        part = cast("list[Fields]", item["content"])[0]
        key = "refusal" if part["type"] == "refusal" else "text"
        name, place = f"response.{part['type']}", {"content_index": 0}
        words: list[tuple[str, Fields]] = [
            (f"{name}.delta", {**place, "delta": piece, "logprobs": []}) for piece in pieces(str(part[key]))
        ]
        return item | {"content": [], "status": "in_progress"}, [
            ("response.content_part.added", {**place, "part": part | {key: ""}}),
            *words,
            (f"{name}.done", {**place, key: part[key], "logprobs": []}),
            ("response.content_part.done", {**place, "part": part}),
        ]
    thoughts = [str(part["text"]) for part in cast("list[Fields]", item["summary"])]
    summary = "response.reasoning_summary_text.delta"
    told = [
        (summary, {"summary_index": index, "delta": piece})
        for index, thought in enumerate(thoughts)
        for piece in pieces(thought)
    ]
    return item | {"summary": [], "encrypted_content": "gAAAA"}, told
