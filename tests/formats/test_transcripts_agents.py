"""What further agents showed their models is kept or counted by kind, however their files were cut or damaged."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import FORMATS, Reading, Source, detect, read
from palimpsest.formats.transcripts.reader_base import head_of
from palimpsest.record.message import Media, Message, Opaque, Reasoning, Text, ToolCall, ToolResult
from tests.formats.agents import AGENTS, as_file, chat_lines, shown
from tests.formats.cuts import cut_breaches
from tests.formats.test_transcripts_reading import SAMPLES
from tests.formats.written import Line, joined, said, user
from tests.formats.written import text as text_block

LISTS = {"amp": "messages", "picoclaw": "messages", "claude_ai": "chat_messages", "chatgpt": "mapping"}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def words_of(message: Message) -> Iterable[str]:
    """Everything that a message holds, as text."""
    for part in message.parts:
        match part:
            case Text() | Reasoning():
                yield part.text
            case ToolCall():
                yield part.arguments
            case ToolResult():
                yield part.text
            case Media():
                yield part.uri
            case Opaque():
                yield part.data


def kept(reading: Reading) -> str:
    """Everything that a reading keeps, as one text."""
    found: list[str] = []
    for one in reading.transcripts:
        found += [one.system, *(marker.text for marker in one.markers)]
        found += [word for path in one.paths for message in path for word in words_of(message)]
    return "\n".join(found)


def lost(reading: Reading, words: set[str]) -> set[str]:
    """The words that are neither kept nor counted: a summary of nothing is counted."""
    found = kept(reading)
    return {
        word
        for word in words
        if word not in found and not (word == "shown-summary" and reading.left_out.get("summary"))
    }


@pytest.mark.parametrize("name", AGENTS)
def test_everything_that_the_model_saw_is_kept_and_nothing_else(name: str) -> None:
    reading = read(Source("session", as_file(name)))
    words = shown(as_file(name))
    assert len(words) > 3
    assert lost(reading, words) == set()
    assert "unseen" not in kept(reading)
    assert reading.skipped == ()


@pytest.mark.parametrize("name", AGENTS)
def test_every_result_answers_a_call_before_it(name: str) -> None:
    for one in read(Source("session", as_file(name))).transcripts:
        for path in one.paths:
            asked: set[str] = set()
            for message in path:
                asked.update(call.id for call in message.calls)
                orphans = {result.call_id for result in message.results} - asked
                assert all(one == "c2" or one.startswith("result ") for one in orphans)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_detected_as_itself_and_as_nothing_else(name: str) -> None:
    head = head_of("anything", SAMPLES[name])
    shared = {"openclaw": ["openclaw", "pi"]}
    assert [one.name for one in FORMATS.values() if one.detect(head)] == shared.get(name, [name])


@pytest.mark.parametrize("name", AGENTS)
def test_a_session_of_another_agent_cut_anywhere_says_nothing_it_takes_back(name: str) -> None:
    data = as_file(name)
    assert cut_breaches(Source("session", data), name, range(0, len(data), 7)) == []


def some_records(name: str, keep: list[bool]) -> bytes:
    """The session with only some of its records, and always the first."""
    data = as_file(name)
    chosen = [True, *keep]
    if data[:1] == b"{" and name not in LISTS:
        lines = data.splitlines(keepends=True)
        return b"".join(line for at, line in enumerate(lines) if chosen[at % len(chosen)])
    value: Any = json.loads(data)
    whole: Any = {"": value} if name == "cline" else value if LISTS.get(name) == "messages" else value[0]
    key = LISTS.get(name, "")
    items: Any = whole[key]
    if isinstance(items, dict):
        pairs = cast("dict[str, object]", items).items()
        whole[key] = {own: one for at, (own, one) in enumerate(pairs) if chosen[at % len(chosen)]}
    else:
        listed = cast("list[object]", items)
        whole[key] = [one for at, one in enumerate(listed) if chosen[at % len(chosen)]]
    return json.dumps(whole if key == "messages" else whole.get("", [whole])).encode()


@given(st.sampled_from(sorted(AGENTS)), st.lists(st.booleans(), min_size=3, max_size=13))
def test_whatever_records_a_session_has_their_words_are_kept_or_counted(name: str, keep: list[bool]) -> None:
    data = some_records(name, keep)
    assert lost(FORMATS[name].read(Source("session", data)), shown(data)) == set()


def spoiled(value: object, pick: random.Random, wrong: object) -> object:
    """A JSON value with some of its inner values replaced."""
    if pick.random() < 0.15:
        return wrong
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {key: spoiled(inner, pick, wrong) for key, inner in fields.items()}
    if isinstance(value, list):
        return [spoiled(inner, pick, wrong) for inner in cast("list[object]", value)]
    return value


@given(st.sampled_from(sorted(AGENTS)), st.integers(0, 10**6), json_values)
def test_values_of_wrong_types_make_no_reader_fail(name: str, seed: int, wrong: object) -> None:
    pick = random.Random(seed)
    data = as_file(name)
    whole = data[:1] == b"[" or name in LISTS
    records = [json.loads(data)] if whole else [json.loads(line) for line in data.splitlines()]
    broken = b"\n".join(json.dumps(spoiled(one, pick, wrong)).encode() for one in records)
    messages: list[Message] = []
    with suppress(FormatError):
        reading = FORMATS[name].read(Source("session", broken, {"x/state.json": broken[:50]}))
        messages = [message for one in reading.transcripts for path in one.paths for message in path]
    assert all(message.parts for message in messages)


@given(st.sampled_from(sorted(FORMATS)), st.binary(max_size=60), st.integers(0, 400))
def test_bytes_in_the_middle_make_no_reader_fail(name: str, junk: bytes, at: int) -> None:
    data = SAMPLES[name][:at] + junk + SAMPLES[name][at:]
    reading = Reading()
    with suppress(FormatError):
        reading = FORMATS[name].read(Source("session", data))
    assert len(reading.transcripts) <= 2


@pytest.mark.parametrize(
    "lines,program",
    [
        ([user("1", None, "Go.", sessionId="session-4711")], "iFlow"),
        ([user("1", None, [{"type": "tool_result", "content": {"responseParts": {}}}])], "iFlow"),
        (
            [{"type": "session", "version": 4, "id": "d", "createdAt": 1, "delegationDepth": 0}],
            "DeepSeek Harness",
        ),
        ([{"seq": 0, "time": 1, "type": "assistant/message", "data": {}}], "DeepSeek Harness"),
    ],
)
def test_a_similar_file_of_another_program_is_named_and_not_read(lines: list[Any], program: str) -> None:
    source = Source("a.jsonl", joined(lines))
    assert detect(source) is None
    with pytest.raises(FormatError, match=f"looks like .*, but is a session of {program}.*--format"):
        read(source)


def test_a_fork_is_known_by_its_folder_and_read_when_its_format_is_named() -> None:
    lines = joined([user("1", None, "Go."), said("2", "1", "m1", text_block("Gone."))])
    with pytest.raises(FormatError, match="is a session of Qoder"):
        read(Source("/home/ann/.qoder/projects/x/a.jsonl", lines))
    assert len(read(Source("/home/ann/.qoder/projects/x/a.jsonl", lines), "claude_code").transcripts) == 1


def test_the_tree_of_a_chat_has_its_branches_and_ends_with_the_current_one() -> None:
    (found,) = read(Source("conversations.json", as_file("chatgpt"))).transcripts
    assert len(found.paths) == 2
    assert [path[-1].text for path in found.paths] == ["shown-branch", "shown-say"]
    assert found.paths[-1][-1].model == "ash-5"


def test_an_export_of_many_conversations_gives_each_and_says_where_it_is_cut() -> None:
    data = as_file("claude_ai")
    assert [one.id for one in read(Source("conversations.json", data)).transcripts] == ["k1", "k2"]
    cut = read(Source("conversations.json", data[:-40]))
    assert [one.id for one in cut.transcripts] == ["k1"]
    assert [one.line for one in cut.skipped] == [2]
    assert "cut off" in cut.skipped[0].reason


def test_two_records_on_one_line_are_both_read() -> None:
    first, second, *_ = as_file("qwen_code").splitlines()
    (found,) = read(Source("a.jsonl", first + second)).transcripts
    assert [message.role for message in found.paths[0]] == ["user", "assistant"]


def test_the_files_beside_a_session_name_it_and_say_what_was_compacted() -> None:
    meta = {"key": "chat:4711", "summary": "They spoke of ropes.", "skip": 2, "count": 4}
    source = Source("s/a.jsonl", joined(chat_lines()), {"s/a.meta.json": json.dumps(meta).encode()})
    with pytest.raises(FormatError, match=r"not known whose: picoclaw has a \.meta\.json beside"):
        read(Source(source.path, source.data))
    (found,) = read(source).transcripts
    assert (found.id, found.summaries) == ("chat:4711", 1)
    assert [(marker.text, marker.through) for marker in found.markers] == [("They spoke of ropes.", 2)]
    state = json.dumps({"title": "Ropes", "workDir": "/quay"}).encode()
    path = "sessions/w1/s1/agents/agent-0/wire.jsonl"
    (agent,) = read(Source(path, as_file("kimi"), {"sessions/w1/s1/state.json": state})).transcripts
    assert (agent.id, agent.parent, agent.cwd) == ("s1:agent-0", "s1", "/quay")
    about = json.dumps({"info": {"id": "g1", "cwd": "/quay"}, "generated_title": "Ropes"}).encode()
    (grok,) = read(Source("g/chat_history.jsonl", as_file("grok"), {"g/summary.json": about})).transcripts
    assert (grok.id, grok.title, grok.cwd) == ("g1", "Ropes", "/quay")


def test_a_subagent_of_copilot_is_a_conversation_of_its_own() -> None:
    main, agent = read(Source("events.jsonl", as_file("copilot_cli"))).transcripts
    assert (main.id, agent.id, agent.parent) == ("g1", "g1:c1", "g1")
    assert [message.text for message in agent.paths[0]] == ["shown-agent"]
    assert "shown-agent" not in "".join(message.text for message in main.paths[0])


def test_the_lines_of_an_older_kimi_are_read_without_its_marks() -> None:
    lines = [
        {"role": "_checkpoint", "id": 0},
        {"role": "user", "content": "Go."},
        {"role": "_usage", "token_count": 5},
    ]
    reading = read(
        Source(
            "context.jsonl",
            joined([*lines, {"role": "assistant", "content": [{"type": "text", "text": "Gone."}]}]),
        )
    )
    assert [message.text for message in reading.transcripts[0].paths[0]] == ["Go.", "Gone."]
    assert reading.left_out == {"_checkpoint": 1, "_usage": 1}


def test_a_document_is_read_as_one_however_its_lines_are_broken() -> None:
    told = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Gone."}]
    about = {"session_id": "h1", "platform": "cli", "message_count": 2}
    lines = ",\n".join(json.dumps(one) for one in told)
    inner = json.dumps({**about, "messages": []}).replace("[]", f"[\n{lines}\n]")
    whole = json.dumps({**about, "messages": told})
    for text in (whole, json.dumps({**about, "messages": told}, indent=2), inner):
        source = Source("a.json", text.encode())
        assert detect(source) == "hermes"
        assert [message.text for message in read(source).transcripts[0].paths[0]] == ["Go.", "Gone."]


def test_hermes_lines_and_exports_are_read() -> None:
    meta: Line = {"role": "session_meta", "model": "fir-3", "platform": "cli"}
    lines: list[Line] = [meta, {"role": "user", "content": "Go.", "timestamp": "2026-02-03T04:05:06"}]
    (found,) = read(
        Source(
            "20260203.jsonl",
            joined([*lines, {"role": "assistant", "content": "Gone.", "timestamp": 1770091506}]),
        )
    ).transcripts
    assert [(one.text, one.model) for one in found.paths[0]] == [("Go.", ""), ("Gone.", "fir-3")]
    session: Line = {"id": "h1", "source": "cli", "started_at": 1770091506.0, "title": "Ropes"}
    exported: list[Line] = [
        {**session, "messages": lines[1:]},
        {**session, "id": "h2", "messages": lines[1:]},
    ]
    assert [one.id for one in read(Source("out.jsonl", joined(exported))).transcripts] == ["h1", "h2"]
    assert [one.id for one in read(Source("out.jsonl", joined(exported[:1]))).transcripts] == ["h1"]
