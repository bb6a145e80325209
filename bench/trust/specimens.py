"""One short, invented specimen of everything that is parsed, for a fuzzer to begin from."""

from __future__ import annotations

import json
from typing import Any

from bench.trust.drawing import PNG

Json = dict[str, Any]
WHEN = "2026-02-03T04:05:06.000Z"


def _claude(kind: str, own: str, parent: str | None, content: object, **more: object) -> Json:
    body: Json = {
        "role": kind,
        "content": content,
        **({"id": f"msg{own}", "model": "maple-1"} if kind == "assistant" else {}),
    }
    head: Json = {"type": kind, "uuid": own, "parentUuid": parent, "sessionId": "s1", "isSidechain": False}
    return {**head, "timestamp": WHEN, "message": body, **more}


def _codex(kind: str, **fields: object) -> Json:
    return {"timestamp": WHEN, "type": "response_item", "payload": {"type": kind, **fields}}


TRANSCRIPTS: dict[str, tuple[object, ...]] = {
    "claude_code": (
        _claude("user", "1", None, "Fix the reader."),
        _claude("assistant", "2", "1", [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]),
        _claude("assistant", "3", "2", [{"type": "text", "text": "Looking."}, {"type": "tool_use", "id": "t1", "name": "run", "input": {"cmd": "ls"}}]),
        _claude("user", "4", "3", [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}], toolUseResult={"stdout": "a.py"}),
        {"type": "system", "subtype": "compact_boundary", "uuid": "5", "parentUuid": None, "logicalParentUuid": "4", "compactMetadata": {"trigger": "auto", "preTokens": 9}},
        _claude("user", "6", "5", "They fixed the reader.", isCompactSummary=True),
        _claude("user", "7", "3", "Another way.", isSidechain=True),
        {"type": "summary", "summary": "The reader", "leafUuid": "7"},
    ),
    "codex": (
        {"timestamp": WHEN, "type": "session_meta", "payload": {"id": "r1", "cwd": "/home/ada/kite"}},
        {"timestamp": WHEN, "type": "turn_context", "payload": {"model": "pine-2"}},
        _codex("message", role="user", content=[{"type": "input_text", "text": "List."}]),
        _codex("reasoning", summary=[{"type": "summary_text", "text": "Plan"}], encrypted_content="b3Bh"),
        _codex("function_call", call_id="c1", name="shell", arguments='{"cmd": "ls"}'),
        _codex("function_call_output", call_id="c1", output="a.py"),
        {"timestamp": WHEN, "type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 5}}}},
        {"timestamp": WHEN, "type": "compacted", "payload": {"message": "They listed.", "replacement_history": []}},
        _codex("message", role="assistant", content=[{"type": "output_text", "text": "Two files."}]),
    ),
    "pi": (
        {"type": "session", "version": 3, "id": "p1", "cwd": "/home/ada/kite"},
        {"type": "message", "id": "1", "parentId": None, "timestamp": WHEN, "message": {"role": "user", "content": "Go."}},
        {"type": "message", "id": "2", "parentId": "1", "message": {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls"}}]}},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "toolResult", "toolCallId": "c", "content": [{"type": "text", "text": "a.py"}]}},
        {"type": "compaction", "id": "4", "parentId": "3", "summary": "They listed.", "firstKeptEntryId": "3", "tokensBefore": 9},
    ),
    "gemini_cli": (
        {"sessionId": "g1", "projectHash": "f00d", "startTime": WHEN, "kind": "main"},
        {"id": "1", "type": "user", "content": [{"text": "Look."}], "timestamp": WHEN},
        {"id": "2", "type": "gemini", "content": "Looking.", "model": "fir-3", "tokens": {"input": 9}, "thoughts": [{"subject": "Plan", "description": "Look."}],
         "toolCalls": [{"id": "c1", "name": "run", "args": {"command": "ls"}, "status": "success", "result": [{"functionResponse": {"id": "c1", "name": "run", "response": {"output": "a.py"}}}]}]},
        {"$set": {"lastUpdated": WHEN, "summary": "A look around"}},
        {"$rewindTo": "1"},
    ),
    "crabtalk": (
        {"agent": "tern", "created_by": "user", "created_at": WHEN, "title": "", "uptime_secs": 5},
        {"role": "user", "content": "One."},
        {"role": "assistant", "content": "Yes.", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}]},
        {"role": "tool", "content": "a chart", "tool_call_id": "c1", "palimpsest": {"id": "m3", "chain": "ab", "time_s": 5.0}},
        {"compact": "They looked.", "palimpsest": {"id": "s1", "time_s": 1.5, "through": 2, "quotes": 1}},
        {"rewind": 2, "palimpsest": {"chain": "0000000000000003"}},
    ),
}  # fmt: skip
DOCUMENTS: dict[str, object] = {
    "gemini_cli": {"sessionId": "g1", "projectHash": "f00d", "startTime": WHEN, "messages": list(TRANSCRIPTS["gemini_cli"][1:3])},
    "gemini-history": {"history": [{"role": "user", "parts": [{"text": "One."}]}, {"role": "model", "parts": [{"text": "Yes."}]}]},
    "hermes": {
        "session_id": "h1", "model": "fir-3", "system_prompt": "Be brief.", "session_start": WHEN, "message_count": 2,
        "messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c1", "content": "ok"}],
    },
    "opencode": {
        "info": {"id": "ses_1", "title": "Reader", "version": "1", "time": {"created": 1, "updated": 2}},
        "messages": [{"info": {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}}, "parts": [{"id": "prt_1", "type": "text", "text": "Go."}]},
                     {"info": {"id": "msg_2", "sessionID": "ses_1", "role": "assistant", "parentID": "msg_1"}, "parts": [{"type": "tool", "callID": "c1", "tool": "bash", "state": {"status": "completed", "input": {"a": 1}, "output": "ok"}}]}],
    },
}  # fmt: skip
REPLIES: dict[str, Json] = {
    "openai": {"model": "m", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": "a", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]}}], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}}},
    "anthropic": {"type": "message", "role": "assistant", "model": "m", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "tool_use", "id": "t", "name": "ls", "input": {"a": 1}}], "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 2}},
    "gemini": {"modelVersion": "m", "candidates": [{"content": {"role": "model", "parts": [{"text": "hm", "thought": True, "thoughtSignature": "c2ln"}, {"functionCall": {"name": "ls", "args": {"a": 1}}}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2}},
    "bedrock": {"output": {"message": {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}, {"toolUse": {"toolUseId": "t", "name": "ls", "input": {"a": 1}}}]}}, "stopReason": "tool_use", "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}},
}  # fmt: skip
EVENTS: dict[str, tuple[Json, ...]] = {
    "openai": (
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "a"}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "ls", "arguments": "{"}}]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]}, "finish_reason": "tool_calls"}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
    ),
    "anthropic": (
        {"type": "message_start", "message": {"role": "assistant", "model": "m", "usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "ls", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
    ),
    "gemini": (
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "ls", "args": {}}}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3}},
    ),
}  # fmt: skip
DICTS: tuple[Json, ...] = (
    {"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}], "refusal": "No."},
    {"role": "tool", "tool_call_id": "c", "content": "ok", "timestamp": WHEN},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "ok"}], "is_error": True}, {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PNG}}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "tool_use", "id": "t", "name": "ls", "input": {}}], "usage": {"input_tokens": 3}},
    {"role": "model", "parts": [{"text": "hm", "thought": True}, {"functionCall": {"name": "ls", "args": {}}, "thoughtSignature": "c2ln"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "ok"}}}, {"fileData": {"fileUri": "https://example.org/a", "mimeType": "image/png"}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"json": {"a": 1}}, {"image": {"format": "png", "source": {"bytes": PNG}}}], "status": "error"}}, {"cachePoint": {"type": "default"}}, {"document": {"name": "a", "format": "pdf", "source": {"bytes": PNG}}}]},
    {"role": "assistant", "content": [{"reasoningContent": {"redactedContent": PNG}}, {"toolUse": {"toolUseId": "t", "name": "ls", "input": {}}}, {"text": "a"}]},
)  # fmt: skip
TOOLS: tuple[Json, ...] = (
    {"type": "function", "function": {"name": "ls", "description": "Lists.", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}},
    {"name": "ls", "description": "Lists.", "input_schema": {"type": "object"}},
    {"functionDeclarations": [{"name": "ls", "parameters": {"type": "OBJECT"}}]}, {"type": "web_search_20250305", "name": "web_search"},
    {"toolSpec": {"name": "ls", "description": "Lists.", "inputSchema": {"json": {"type": "object"}}}},
)  # fmt: skip
ERRORS: tuple[object, ...] = (
    {"error": {"type": "invalid_request_error", "code": "context_length_exceeded", "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."}},
    {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "retry_after": 3},
    {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota exceeded.", "details": [{"@type": "RetryInfo", "retryDelay": "7s"}]}},
    "prompt is too long: 210000 tokens > 200000 maximum",
)  # fmt: skip
CONFIGS: tuple[object, ...] = (
    {"agents": {"defaults": {"compaction": {"mode": "safeguard", "reserveTokens": 16384, "maxHistoryShare": 0.5, "qualityGuard": {"enabled": True, "maxRetries": 1}}}}},
    {"agents": {"defaults": {"max_tokens": 32768, "summarize_message_threshold": 20, "summarize_token_percent": 75}}, "providers": {}},
    {"compression": {"enabled": True, "threshold": 0.5, "target_ratio": 0.2, "protect_last_n": 20}, "model": "m"},
    {"compact_threshold": 100000, "agents": []}, {"preset": "default", "window_tokens": 8000, "models": {"m": {"window_tokens": 9}}},
)  # fmt: skip
YAML = "compression:\n  enabled: true\n  threshold: 0.50  # half\n  note: 'it is'\nauxiliary:\n  compression:\n    model: \"fir-3\"\n    words: text that\n      goes on\n"
LOOSE = "{ // words\n  agents: { defaults: { compaction: { mode: 'safeguard', reserveTokens: 16384, }, }, }, /* more */ }"
QUERIES: tuple[str, ...] = (
    'reader AND (index OR "line 4711") NOT %cach%', "日志 OR 索引", "NEAR(a b)", '"unclosed', "((a", "%", "a* -b +c ^d {e}:f",
    "what did we decide about the cache on 3 May?", "AND OR NOT", "src/app/reader.py:4711", "NOT NOT a",
)  # fmt: skip


def lines(name: str) -> bytes:
    """A transcript's specimen as a file's bytes."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in TRANSCRIPTS[name])
