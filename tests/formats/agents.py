"""Invented sessions of further agents. Each has a word in every place that its program shows to the model.

A word of `shown` is found in the messages or the system prompt. Words that begin with "unseen" stand where the model
never sees them.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.formats.written import joined

Dict = dict[str, Any]


def chat_lines() -> list[Dict]:
    """Messages in OpenAI's chat form, as PicoClaw writes them."""
    call = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"p": "shown-call"}'}}
    return [
        {"role": "user", "content": "shown-ask"},
        {
            "role": "assistant",
            "content": "shown-say",
            "reasoning_content": "shown-think",
            "tool_calls": [call],
        },
        {"role": "tool", "content": "shown-result", "tool_call_id": "c1"},
        {"role": "user", "content": "", "content_parts": [{"type": "text", "text": "shown-part"}]},
    ]


def picoclaw() -> bytes:
    about = {"key": "chat:1", "created": "2026-02-03T04:05:06Z", "updated": "2026-02-03T04:05:06Z"}
    return json.dumps({**about, "messages": chat_lines()}).encode()


def qwen_code() -> bytes:
    def record(own: int, kind: str, *parts: Dict, **more: object) -> Dict:
        parent = None if own == 1 else f"u{own - 1}"
        role = "model" if kind == "assistant" else "user"
        return (
            {"uuid": f"u{own}", "parentUuid": parent, "sessionId": "q1", "type": kind}
            | {
                "timestamp": "2026-02-03T04:05:06Z",
                "cwd": "/quay",
                "message": {"role": role, "parts": list(parts)},
            }
            | more
        )

    return joined(
        [
            record(
                1,
                "user",
                {"text": "shown-ask"},
                {"text": "shown-hook"},
                systemPayload={"displayText": "shown-ask"},
            ),
            record(2, "assistant", {"text": "shown-think", "thought": True}),
            record(2, "assistant", {"functionCall": {"id": "c1", "name": "ls", "args": {"p": "shown-call"}}}),
            record(
                3,
                "tool_result",
                {"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "shown-result"}}},
            ),
            record(4, "system", subtype="custom_title", systemPayload={"customTitle": "unseen-title"}),
            record(5, "assistant", {"text": "shown-say"}, model="maple-1"),
        ]
    )


def copilot_cli() -> bytes:
    def event(kind: str, **data: object) -> Dict:
        return {
            "type": kind,
            "data": data,
            "id": f"e-{kind}",
            "timestamp": "2026-02-03T04:05:06Z",
            "parentId": None,
        }

    asked = {"toolCallId": "c1", "name": "bash", "arguments": {"p": "shown-call"}}
    return joined(
        [
            event("session.start", sessionId="g1", context={"cwd": "/quay"}),
            event("system.message", content="shown-system", role="system"),
            event(
                "user.message",
                content="ask",
                transformedContent="shown-ask",
                attachments=[{"path": "shown-file"}],
            ),
            event("skill.invoked", name="tie", content="shown-skill"),
            event("assistant.reasoning", content="shown-think"),
            event("assistant.message", content="shown-say", messageId="m1", toolRequests=[asked]),
            event("tool.execution_start", toolCallId="c1", toolName="bash", arguments={"p": "shown-call"}),
            event(
                "tool.execution_complete", toolCallId="c1", success=True, result={"content": "shown-result"}
            ),
            event("tool.execution_start", toolCallId="c2", toolName="bash", arguments={"p": "shown-lone"}),
            event(
                "tool.execution_complete", toolCallId="c2", success=False, error={"message": "shown-error"}
            ),
            event("system.notification", content="shown-notice"),
            event("session.compaction_complete", summaryContent="shown-summary"),
            event("session.info", message="unseen-info"),
            event("assistant.message", content="shown-agent", parentToolCallId="c1", messageId="m9"),
        ]
    )


def cursor() -> bytes:
    def line(role: str, *blocks: Dict) -> Dict:
        return {"role": role, "message": {"content": list(blocks)}}

    return joined(
        [
            line("user", {"type": "text", "text": "shown-ask"}),
            line(
                "assistant",
                {"type": "thinking", "thinking": "shown-think"},
                {"type": "text", "text": "shown-say"},
                {"type": "tool_use", "name": "Bash", "input": {"p": "shown-call"}},
            ),
            line(
                "user",
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "text", "text": "shown-result"}],
                },
            ),
            line("assistant", {"type": "novel", "words": "shown-novel"}),
            {"type": "turn_ended", "status": "success"},
        ]
    )


def cline() -> bytes:
    return json.dumps(
        [
            {"role": "user", "content": [{"type": "text", "text": "shown-ask"}], "ts": 1770091506000},
            {
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "text": "shown-think", "summary": []},
                    {"type": "text", "text": "shown-say"},
                    {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"p": "shown-call"}},
                ],
                "ts": 1770091507000,
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "shown-result"}],
            },
            {"role": "user", "content": "shown-summary", "isSummary": True, "ts": 1770091508000},
            {"role": "assistant", "content": "shown-plain"},
        ]
    ).encode()


GOOSE_CONTENT: list[tuple[str, list[Dict]]] = [
    (
        "user",
        [{"type": "text", "text": "shown-ask"}, {"type": "image", "data": "QUJD", "mimeType": "image/png"}],
    ),
    (
        "assistant",
        [
            {"type": "thinking", "thinking": "shown-think", "signature": "s"},
            {"type": "text", "text": "shown-say"},
            {
                "type": "toolRequest",
                "id": "c1",
                "toolCall": {
                    "status": "success",
                    "value": {"name": "shell", "arguments": {"p": "shown-call"}},
                },
            },
            {
                "type": "toolRequest",
                "id": "c2",
                "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {}}},
            },
        ],
    ),
    (
        "user",
        [
            {
                "type": "toolResponse",
                "id": "c1",
                "toolResult": {
                    "status": "success",
                    "value": {"content": [{"type": "text", "text": "shown-result"}], "isError": False},
                },
            },
            {"type": "toolResponse", "id": "c2", "toolResult": {"status": "error", "error": "shown-error"}},
        ],
    ),
    (
        "user",
        [
            {"type": "contextLengthExceeded", "msg": "shown-notice"},
            {"type": "toolConfirmationRequest", "id": "c1"},
        ],
    ),
]


def goose() -> bytes:
    told = [
        {"role": role, "created": 1770091506 + at, "content": content}
        for at, (role, content) in enumerate(GOOSE_CONTENT)
    ]
    return joined([{"working_dir": "/quay", "description": "unseen-title", "message_count": 4}, *told])


def kimi() -> bytes:
    def event(kind: str, **more: object) -> Dict:
        return {"type": "context.append_loop_event", "event": {"type": kind, **more}, "time": 1770091506000}

    def message(role: str, text: str) -> Dict:
        body = {"role": role, "content": [{"type": "text", "text": text}], "toolCalls": []}
        return {"type": "context.append_message", "message": body, "time": 1770091506000}

    return joined(
        [
            {"type": "metadata", "protocol_version": "1.4", "created_at": 1770091506000},
            {"type": "config.update", "systemPrompt": "shown-system", "modelAlias": "elm-2", "cwd": "/quay"},
            {"type": "turn.prompt", "input": [{"type": "text", "text": "unseen-repeat"}]},
            message("user", "shown-ask"),
            event("step.begin", uuid="s1"),
            event("content.part", stepUuid="s1", part={"type": "think", "think": "shown-think"}),
            event("content.part", stepUuid="s1", part={"type": "text", "text": "shown-say"}),
            event("tool.call", stepUuid="s1", toolCallId="c1", name="Bash", args={"p": "shown-call"}),
            event("tool.result", toolCallId="c1", result={"output": "shown-result"}),
            event("step.end", uuid="s1", usage={"inputOther": 5, "output": 2, "inputCacheRead": 1}),
            {"type": "context.apply_compaction", "contextSummary": "shown-summary", "compactedCount": 3},
            message("user", "shown-more"),
        ]
    )


def droid() -> bytes:
    def line(own: str, parent: str, role: str, *blocks: Dict) -> Dict:
        body = {"role": role, "content": list(blocks)}
        return {
            "type": "message",
            "id": own,
            "parentId": parent,
            "timestamp": "2026-02-03T04:05:06Z",
            "message": body,
        }

    return joined(
        [
            {"type": "session_start", "id": "d1", "title": "unseen-title", "cwd": "/quay"},
            line("m1", "d1", "user", {"type": "text", "text": "shown-ask"}),
            line(
                "m2",
                "m1",
                "assistant",
                {"type": "text", "text": "shown-say"},
                {"type": "tool_use", "id": "c1", "name": "Execute", "input": {"p": "shown-call"}},
            ),
            line("m3", "m2", "user", {"type": "tool_result", "tool_use_id": "c1", "content": "shown-result"}),
            {"type": "todo_state", "id": "t1", "todos": "unseen-todo"},
        ]
    )


def amp() -> bytes:
    run = {"status": "done", "result": {"output": "shown-result"}}
    messages: list[Dict] = [
        {
            "role": "user",
            "messageId": 0,
            "content": [{"type": "text", "text": "shown-ask"}],
            "meta": {"sentAt": 1770091506000},
        },
        {
            "role": "assistant",
            "messageId": 1,
            "usage": {"model": "oak", "inputTokens": 3, "outputTokens": 2},
            "content": [
                {"type": "thinking", "thinking": "shown-think", "signature": "s"},
                {"type": "text", "text": "shown-say"},
                {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"p": "shown-call"}},
            ],
        },
        {"role": "user", "messageId": 2, "content": [{"type": "tool_result", "toolUseID": "c1", "run": run}]},
        {
            "role": "user",
            "messageId": 3,
            "content": [
                {
                    "type": "tool_result",
                    "toolUseID": "c2",
                    "run": {"status": "error", "error": {"message": "shown-error"}},
                }
            ],
        },
    ]
    trees = [{"uri": "file:///quay"}]
    about = {
        "id": "T-1",
        "title": "unseen-title",
        "created": 1770091506000,
        "env": {"initial": {"trees": trees}},
    }
    return json.dumps({**about, "messages": messages}).encode()


def claude_ai() -> bytes:
    def message(own: str, sender: str, *blocks: Dict, **more: object) -> Dict:
        return (
            {"uuid": own, "sender": sender, "text": "", "content": list(blocks)}
            | {"created_at": "2026-02-03T04:05:06Z", "attachments": [], "files": []}
            | more
        )

    attached = {"file_name": "shown-name", "extracted_content": "shown-attached"}
    talk = {
        "uuid": "k1",
        "name": "unseen-title",
        "account": {},
        "chat_messages": [
            message(
                "m1",
                "human",
                {"type": "text", "text": "shown-ask"},
                attachments=[attached],
                files=[{"file_name": "shown-file"}],
            ),
            message(
                "m2",
                "assistant",
                {"type": "thinking", "thinking": "shown-think"},
                {"type": "tool_use", "name": "search", "input": {"p": "shown-call"}},
                {
                    "type": "tool_result",
                    "name": "search",
                    "content": [{"type": "text", "text": "shown-result"}],
                },
                {"type": "text", "text": "shown-say", "citations": []},
                parent_message_uuid="m1",
            ),
            message("m3", "human", text="shown-text", parent_message_uuid="m2"),
        ],
    }
    other = {"uuid": "k2", "name": "", "chat_messages": [message("n1", "human", text="shown-other")]}
    return json.dumps([talk, other]).encode()


def chatgpt() -> bytes:
    def node(
        own: str, parent: str | None, role: str, content: Dict, recipient: str = "all", **about: object
    ) -> Dict:
        message = {"id": own, "author": {"role": role}, "create_time": 1770091506.5, "content": content}
        return {
            "id": own,
            "parent": parent,
            "children": [],
            "message": {**message, "recipient": recipient, "metadata": about},
        }

    def text(words: str) -> Dict:
        return {"content_type": "text", "parts": [words]}

    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://shown-picture"}
    nodes: list[Dict] = [
        {"id": "root", "parent": None, "message": None, "children": ["a"]},
        node(
            "a",
            "root",
            "system",
            {"content_type": "user_editable_context", "user_instructions": "shown-custom"},
        ),
        node(
            "b",
            "a",
            "user",
            {"content_type": "multimodal_text", "parts": [picture, "shown-ask"]},
            attachments=[{"name": "shown-file"}],
        ),
        node("old", "b", "assistant", text("shown-branch")),
        node(
            "c",
            "b",
            "assistant",
            {"content_type": "thoughts", "thoughts": [{"summary": "", "content": "shown-think"}]},
        ),
        node("d", "c", "assistant", {"content_type": "code", "text": "shown-call"}, "python"),
        node("e", "d", "tool", {"content_type": "execution_output", "text": "shown-result"}),
        node(
            "f", "e", "tool", {"content_type": "tether_quote", "title": "shown-page", "text": "shown-quote"}
        ),
        node("g", "f", "assistant", text("shown-say"), model_slug="ash-5"),
    ]
    mapping = {one["id"]: one for one in nodes}
    talk = {
        "title": "unseen-title",
        "create_time": 1.0,
        "mapping": mapping,
        "current_node": "g",
        "conversation_id": "t1",
    }
    return json.dumps([talk]).encode()


def grok() -> bytes:
    call = {"id": "c1", "name": "read_file", "arguments": '{"p": "shown-call"}'}
    return joined(
        [
            {"type": "system", "content": "shown-system"},
            {
                "type": "user",
                "content": [{"type": "text", "text": "shown-ask"}, {"type": "image", "url": "shown-picture"}],
            },
            {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "shown-think"}]},
            {
                "type": "backend_tool_call",
                "kind": {"tool_type": "web_search", "action": {"query": "shown-query"}},
            },
            {"type": "assistant", "content": "shown-say", "tool_calls": [call], "model_id": "yew-4"},
            {"type": "tool_result", "tool_call_id": "c1", "content": "shown-result"},
        ]
    )


def antigravity() -> bytes:
    def step(at: int, source: str, kind: str, **more: object) -> Dict:
        return {
            "step_index": at,
            "source": source,
            "type": kind,
            "status": "DONE",
            "created_at": "2026-02-03T04:05:06Z",
            **more,
        }

    call = {"name": "list_dir", "args": {"p": "shown-call"}}
    return joined(
        [
            step(0, "USER_EXPLICIT", "USER_INPUT", content="shown-ask"),
            step(1, "SYSTEM", "CONVERSATION_HISTORY"),
            step(2, "MODEL", "PLANNER_RESPONSE", thinking="shown-think", tool_calls=[call]),
            step(3, "MODEL", "LIST_DIRECTORY", content="shown-result"),
            step(4, "MODEL", "VIEW_FILE", content="shown-view"),
            step(5, "SYSTEM", "CHECKPOINT", content="shown-summary"),
            step(6, "SYSTEM", "SYSTEM_MESSAGE", content="shown-notice"),
            step(7, "MODEL", "PLANNER_RESPONSE", content="shown-say"),
        ]
    )


AGENTS: Mapping[str, Callable[[], bytes]] = {
    one.__name__: one
    for one in (
        picoclaw,
        qwen_code,
        copilot_cli,
        cursor,
        cline,
        goose,
        kimi,
        droid,
        amp,
        claude_ai,
        chatgpt,
        grok,
        antigravity,
    )
}


def as_file(name: str) -> bytes:
    """The bytes of an invented session."""
    return AGENTS[name]()


def shown(data: bytes) -> set[str]:
    """The words in a file that its model saw."""
    words = (
        data.decode("utf-8", "replace")
        .replace('"', " ")
        .replace("\\", " ")
        .replace("/", " ")
        .replace("}", " ")
        .split()
    )
    return {word for word in words if word.startswith("shown-")}


def database(
    script: str, rows: Mapping[str, list[tuple[object, ...]]], *, log: bool = False
) -> tuple[bytes, bytes]:
    """A SQLite database of these rows, and the log beside it: everything after the tables, if `log`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        link = sqlite3.connect(path, isolation_level=None)
        if log:
            link.execute("PRAGMA journal_mode = WAL")
        link.executescript(script)
        if log:
            link.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for table, values in rows.items():
            for value in values:
                link.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(value))})", value)
        beside = Path(f"{path}-wal")
        found = path.read_bytes(), beside.read_bytes() if log else b""
        link.close()
    return found


OPENCODE = """
create table session(id text primary key, project_id text, parent_id text, slug text, directory text, title text,
  version text, time_created integer, time_updated integer);
create table message(id text primary key, session_id text, time_created integer, time_updated integer, data text);
create table part(id text primary key, message_id text, session_id text, time_created integer, data text);
"""
HERMES = """
create table system_prompts(hash text primary key, prompt text);
create table sessions(id text primary key, source text, model text, model_config text, system_prompt_hash text,
  parent_session_id text, started_at real, title text, cwd text);
create table messages(id integer primary key, session_id text, role text, content text, tool_call_id text,
  tool_calls text, tool_name text, timestamp real, reasoning text, active integer, compacted integer,
  _compressed_summary integer, api_content text);
"""
SEAHORSE = """
create table conversations(conversation_id integer primary key, session_key text, created_at text, updated_at text);
create table messages(message_id integer primary key, conversation_id integer, role text, content text,
  model_name text, reasoning_content text, token_count integer, created_at text);
create table message_parts(part_id integer primary key, message_id integer, type text, text text, name text,
  arguments text, tool_call_id text, media_uri text, mime_type text, ordinal integer);
create table summaries(summary_id text primary key, conversation_id integer, kind text, depth integer, content text);
create table context_items(conversation_id integer, ordinal integer, item_type text, summary_id text,
  message_id integer, primary key (conversation_id, ordinal));
"""
GOOSE = """
create table sessions(id text primary key, name text, working_dir text, created_at text);
create table messages(id integer primary key, message_id text, session_id text, role text, content_json text,
  created_timestamp integer, metadata_json text);
"""
