"""Every text that a transcript shows its model is in the messages, or the kind of its record is in the report."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats.transcripts import Reading, Source, read
from palimpsest.record.message import Media, Message, Part, Text, ToolResult
from tests.formats.written import Line, event, item, joined, mark, said, user

WORD = "marker"


def words_of(message: Message) -> Iterator[str]:
    """Everything that a message holds as text."""
    waiting: list[Part] = list(message.parts)
    while waiting:
        part = waiting.pop()
        if isinstance(part, ToolResult):
            waiting.extend(part.content)
        for name in ("text", "arguments", "data", "uri"):
            yield str(getattr(part, name, ""))


def lost(reading: Reading, markers: dict[str, str]) -> list[str]:
    """The markers that are neither in a message nor of a reported kind. `markers` has the kind of each."""
    held = [text for one in reading.transcripts for path in one.paths for m in path for text in words_of(m)]
    held += [one.system for one in reading.transcripts]
    text = "\\n".join(held)
    reported = [*reading.left_out, *(one.reason for one in reading.skipped)]
    return [
        f"{kind}: {one}"
        for one, kind in markers.items()
        if one not in text and not any(kind in r for r in reported)
    ]


class Writer:
    """Lines with a marker of its own in each place where a text is shown."""

    def __init__(self) -> None:
        self.lines: list[Line | str] = []
        self.markers: dict[str, str] = {}

    def new(self, kind: str) -> str:
        """A new marker within some words."""
        found = f"{WORD}{len(self.markers)}x"
        self.markers[found] = kind
        return f"so {found} it is"


ATTACHMENTS: dict[str, object] = {
    "file": {"filename": "/a", "content": {"type": "text", "file": {"filePath": "/a", "content": WORD}}},
    "directory": {"path": "/a", "content": WORD},
    "hook_additional_context": {"content": [WORD, WORD], "hookName": "h", "hookEvent": "Stop"},
    "hook_blocking_error": {"blockingError": {"blockingError": WORD, "command": "x"}},
    "hook_success": {"content": WORD, "hookName": "SessionStart", "stdout": "x"},
    "hook_system_message": {"content": WORD},
    "nested_memory": {"path": "/c", "content": {"path": "/c", "type": "Project", "content": WORD}},
    "edited_text_file": {"filename": "/a", "snippet": WORD},
    "plan_file_reference": {"planFilePath": "/p", "planContent": WORD},
    "queued_command": {"prompt": WORD, "commandMode": "prompt"},
    "invoked_skills": {"skills": [{"name": "s", "path": "/s", "content": WORD}]},
    "skill_listing": {"content": WORD, "skillCount": 1},
    "todo_reminder": {"content": [{"content": WORD, "status": "pending"}], "itemCount": 1},
    "task_reminder": {"content": [{"id": "1", "subject": WORD, "description": WORD, "status": "open"}]},
    "diagnostics": {"files": [{"uri": "f", "diagnostics": [{"message": WORD, "severity": "Error"}]}]},
    "mcp_resource": {"server": "s", "uri": "u", "content": {"contents": [{"uri": "u", "text": WORD}]}},
    "agent_listing_delta": {"addedLines": [WORD], "addedTypes": ["a"]},
    "relevant_memories": {"memories": [{"path": "/m", "content": WORD}]},
    "async_hook_response": {"response": {"systemMessage": WORD}, "stdout": "x"},
    "total_tokens_reminder": {"text": WORD},
    "something_new": {"deep": [{"er": {"words": WORD}}]},
    "auto_mode": {"reminderType": "full"},
}
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("prompt", "answer", "result", "compact", "local", "unknown", *ATTACHMENTS)),
        st.integers(0, 9),
    ),
    max_size=30,
)


def filled(value: object, writer: Writer, kind: str) -> object:
    """A value with a new marker for each word."""
    text = json.dumps(value)
    while f'"{WORD}"' in text:
        text = text.replace(f'"{WORD}"', json.dumps(writer.new(kind)), 1)
    return json.loads(text)


def claude(plan: list[tuple[str, int]]) -> Writer:
    """A session of Claude Code."""
    writer = Writer()
    for number, (kind, back) in enumerate(plan):
        own, parent = f"u{number}", f"u{max(0, number - 1 - back // 8)}" if number else None
        match kind:
            case "prompt":
                writer.lines.append(user(own, parent, writer.new(kind)))
            case "answer":
                call = {
                    "type": "tool_use",
                    "id": f"c{number}",
                    "name": "run",
                    "input": {"x": writer.new(kind)},
                }
                text: Line = {"type": "text", "text": writer.new(kind)}
                new: list[Line] = [] if back else [{"type": "hologram", "text": writer.new("hologram")}]
                writer.lines.append(said(own, parent, f"m{number}", text, call, *new))
            case "result":
                inner = [
                    {"type": "text", "text": writer.new(kind)},
                    {"type": "new", "words": writer.new(kind)},
                ]
                block = {"type": "tool_result", "tool_use_id": f"c{number - 1}", "content": inner}
                writer.lines.append(user(own, parent, [block]))
            case "compact":
                writer.lines.append(user(own, parent, writer.new("isCompactSummary"), isCompactSummary=True))
            case "local":
                line = mark("system", own, parent, subtype="local_command", content=writer.new("system"))
                writer.lines.append(line)
            case "unknown":
                name = f"new{back}"
                writer.lines.append(mark(name, own, parent, text=writer.new(name)))
            case _:
                attachment = filled(ATTACHMENTS[kind], writer, f"attachment/{kind}")
                assert isinstance(attachment, dict)
                writer.lines.append(mark("attachment", own, parent, attachment={"type": kind, **attachment}))
    return writer


@given(STEPS)
def test_no_text_of_a_claude_code_session_is_lost_in_silence(plan: list[tuple[str, int]]) -> None:
    writer = claude([("prompt", 0), *plan])
    reading = read(Source("s.jsonl", joined(writer.lines)))
    assert lost(reading, writer.markers) == []


ITEMS: dict[str, dict[str, object]] = {
    "message": {
        "role": "user",
        "content": [{"type": "input_text", "text": WORD}, {"type": "new", "words": "x"}],
    },
    "reasoning": {"summary": [{"type": "summary_text", "text": WORD}], "encrypted_content": "c2VjcmV0"},
    "function_call": {"name": "run", "arguments": WORD, "call_id": "c1"},
    "function_call_output": {"output": WORD, "call_id": "c1"},
    "custom_tool_call": {"name": "patch", "input": WORD, "call_id": "c2"},
    "custom_tool_call_output": {"output": [{"type": "input_text", "text": WORD}], "call_id": "c2"},
    "local_shell_call": {"action": {"type": "exec", "command": [WORD]}, "call_id": "c3"},
    "shell_call": {"action": {"commands": [WORD]}, "call_id": "c4"},
    "mcp_call": {"id": "m1", "name": "look", "arguments": WORD, "output": WORD, "server_label": "s"},
    "web_search_call": {"id": "w1", "action": {"type": "search", "query": WORD}},
    "code_interpreter_call": {"id": "i1", "code": WORD, "outputs": [{"type": "logs", "logs": WORD}]},
    "tool_search_output": {"call_id": "c5", "tools": [{"name": WORD}]},
    "agent_message": {"author": "a", "content": [{"type": "input_text", "text": WORD}]},
    "hologram": {"words": WORD},
}
EVENTS: dict[str, dict[str, object]] = {
    "user_message": {"message": WORD},
    "agent_message": {"message": WORD},
    "agent_reasoning": {"text": WORD},
    "item_completed": {
        "item": {"type": "AgentMessage", "id": "x", "content": [{"type": "Text", "text": WORD}]}
    },
    "plan": {"type": "item_completed", "item": {"type": "Plan", "id": "y", "text": WORD}},
    "task_complete": {"last_agent_message": WORD},
    "exec_command_end": {"call_id": "none", "stdout": WORD},
    "new_event": {"words": WORD},
}
RECORDS: dict[str, dict[str, object]] = {
    "compacted": {
        "message": WORD,
        "replacement_history": [{"type": "message", "role": "user", "content": WORD}],
    },
    "realtime_item": {"type": "transcript_segment", "id": "r", "role": "user", "text": WORD},
    "inter_agent_communication": {"author": "a", "recipient": "b", "content": WORD},
    "world_state": {"state": {"text": WORD}},
    "new_record": {"words": WORD},
}
KINDS = [
    *(("item", one) for one in ITEMS),
    *(("event", one) for one in EVENTS),
    *(("record", one) for one in RECORDS),
]


def codex(plan: list[tuple[str, str]]) -> Writer:
    """A rollout of Codex."""
    writer = Writer()
    writer.lines.append(
        {"type": "session_meta", "payload": {"id": "r1", "base_instructions": {"text": writer.new("")}}}
    )
    for place, kind in plan:
        found = filled(
            {"item": ITEMS, "event": EVENTS, "record": RECORDS}[place][kind],
            writer,
            kind.replace("plan", "item_completed"),
        )
        assert isinstance(found, dict)
        match place:
            case "item":
                writer.lines.append(item(kind, **found))
            case "event":
                writer.lines.append(event(str(found.pop("type", kind)), **found))
            case _:
                writer.lines.append({"timestamp": "2026-02-03T04:05:06Z", "type": kind, "payload": found})
    return writer


@given(st.lists(st.sampled_from(KINDS), max_size=30))
def test_no_text_of_a_codex_rollout_is_lost_in_silence(plan: list[tuple[str, str]]) -> None:
    writer = codex(plan)
    writer.lines.append(item("message", role="assistant", content=[{"type": "output_text", "text": "Yes."}]))
    reading = read(Source("s.jsonl", joined(writer.lines)), "codex")
    assert lost(reading, writer.markers) == []


@pytest.mark.parametrize("place,kind", KINDS)
def test_each_kind_of_a_rollout_is_stored_or_reported_alone(place: str, kind: str) -> None:
    writer = codex([("item", "message"), (place, kind), ("event", "task_complete")])
    assert lost(read(Source("s.jsonl", joined(writer.lines)), "codex"), writer.markers) == []


def test_an_image_and_a_document_in_an_attachment_are_media() -> None:
    image = {"type": "image", "file": {"base64": "QUJDRA==", "type": "image/png"}}
    paper = {"type": "pdf", "file": {"filePath": "/a.pdf", "base64": "QUJDRA=="}}
    lines: list[Line | str] = [user("u0", None, "Look.")]
    lines += [
        mark("attachment", f"a{n}", "u0", attachment={"type": "file", "content": one})
        for n, one in enumerate((image, paper))
    ]
    (path,) = read(Source("s.jsonl", joined(lines))).transcripts[0].paths
    media = [part.media_type for message in path for part in message.parts if isinstance(part, Media)]
    assert media == ["image/png", "application/pdf"]
    assert all(isinstance(message.parts[0], Text) for message in path)
