"""A file that is read as it grows gives, at every length, what reading all of it gives."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats.transcripts import FORMATS, Source, read
from palimpsest.formats.transcripts.growing_files import Growing

Line = dict[str, object]
PATH = "s-1.jsonl"
TIME = "2026-01-02T03:04:05Z"


def claude(kind: str, number: int, parent: int) -> Line:
    """An invented line of Claude Code."""
    line: Line = {
        "uuid": f"u{number}", "parentUuid": f"u{parent}" if parent >= 0 else None, "sessionId": "s-1",
        "timestamp": TIME, "isSidechain": kind == "side",
    }  # fmt: skip
    match kind:
        case "answer" | "more":
            said = {"id": f"a{number if kind == 'answer' else parent}", "role": "assistant"}
            blocks = [{"type": "text", "text": f"It is {number}."},
                      {"type": "tool_use", "id": f"c{number}", "name": "look", "input": {"at": number}}]  # fmt: skip
            return {**line, "type": "assistant", "message": {**said, "content": blocks}}
        case "result":
            blocks = [{"type": "tool_result", "tool_use_id": f"c{parent}", "content": f"seen {number}"}]
            return {**line, "type": "user", "message": {"role": "user", "content": blocks}}
        case "title":
            return {"type": "ai-title", "aiTitle": f"The tide {number}"}
        case "odd":
            return {"type": f"odd{number}"}
        case "told":
            return {**line, "type": "attachment", "attachment": {"type": "file", "content": f"seen {number}"}}
        case _:
            return {**line, "type": "user", "message": {"role": "user", "content": f"And {number}?"}}


def codex(kind: str, number: int, parent: int) -> Line:
    """An invented line of Codex."""
    payload: Line
    match kind:
        case "answer" | "more":
            payload = {"type": "function_call", "name": "look", "arguments": "{}", "call_id": f"c{number}"}
        case "result":
            payload = {"type": "function_call_output", "call_id": f"c{parent}", "output": f"seen {number}"}
        case "side":
            payload = {"type": "web_search_call", "id": f"w{number}", "status": "completed",
                       "action": {"type": "search", "query": f"tide {number}"}}  # fmt: skip
        case "title":
            return {"timestamp": TIME, "type": "session_meta", "payload": {"id": "s-1", "cwd": "/desk"}}
        case "odd":
            return {"timestamp": TIME, "type": f"odd{number}", "payload": {}}
        case "told":
            event = {"type": "task_complete" if number % 3 else "agent_message", "message": f"And {parent}?"}
            return {"timestamp": TIME, "type": "event_msg", "payload": event}
        case _:
            role = "user" if number % 2 else "assistant"
            block = {"type": "input_text" if number % 2 else "output_text", "text": f"And {number}?"}
            payload = {"type": "message", "role": role, "content": [block]}
    return {"timestamp": TIME, "type": "response_item", "payload": payload}


KINDS = st.sampled_from(["prompt", "answer", "more", "result", "side", "title", "odd", "told"])
LINES = st.lists(st.tuples(KINDS, st.integers(-1, 11)), max_size=12)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n[1]\n", b"\n{half\n"])


@pytest.mark.parametrize("name, make", [("claude_code", claude), ("codex", codex)])
@given(shape=LINES, end=ENDS, cuts=st.lists(st.floats(0, 1), max_size=6), at_ends=st.booleans())
def test_at_every_length_it_gives_what_reading_all_of_it_gives(
    name: str, make: Callable[[str, int, int], Line], shape: list[tuple[str, int]], end: bytes, cuts: list[float],
    at_ends: bool,
) -> None:  # fmt: skip
    """Also where it was cut inside of a line, or right before its end."""
    told = [
        json.dumps(make(kind, number, min(parent, number - 1))).encode()
        for number, (kind, parent) in enumerate(shape)
    ]
    data = b"".join(line + end for line in told)
    lengths = sorted(int(share * len(data)) for share in cuts)
    if at_ends:
        lengths = sorted(max(0, data.rfind(b"\n", 0, length)) for length in lengths)
    begin = FORMATS[name].begin
    assert begin is not None
    growing = Growing(begin(PATH))
    for length in [*lengths, len(data)]:
        part = Source(PATH, data[:length])
        if not growing.goes_on(part.data):
            growing = Growing(begin(PATH))
        assert growing.read(part) == read(part, name)


@pytest.mark.parametrize(
    "changed",
    [
        lambda data: data[:-30],
        lambda data: data.replace(b"And 2?", b"And 9?"),
        lambda data: b"\n" + data,
        lambda data: data[len(data) // 2 :],
        lambda data: b"",
    ],
)
def test_a_file_that_was_cut_changed_or_replaced_does_not_go_on(changed: Callable[[bytes], bytes]) -> None:
    data = b"".join(json.dumps(claude("prompt", place, place - 1)).encode() + b"\n" for place in range(5))
    begin = FORMATS["claude_code"].begin
    assert begin is not None
    growing = Growing(begin(PATH))
    growing.read(Source(PATH, data))
    assert growing.goes_on(data)
    assert growing.goes_on(data + b'{"more": 1')
    assert not growing.goes_on(changed(data))


def test_what_follows_a_last_line_on_the_same_line_is_read_whole() -> None:
    line = json.dumps(claude("prompt", 0, -1)).encode()
    begin = FORMATS["claude_code"].begin
    assert begin is not None
    growing = Growing(begin(PATH))
    assert growing.read(Source(PATH, line)).transcripts
    assert growing.goes_on(line + b"\n" + line)
    assert not growing.goes_on(line + b"x\n")
