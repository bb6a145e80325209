"""Telling files apart, encodings, and everything that is no transcript: always a sentence, never a crash."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import FORMATS, Source, detect, read
from palimpsest.formats.transcripts.reader_base import clipped, stem, time_s, title_of
from palimpsest.limits import MAX_SKIPPED
from palimpsest.record.message import ROLES, Message
from tests.formats.agents import AGENTS, as_file
from tests.formats.cuts import texts
from tests.formats.written import asked, entry, joined, said, text, user

CLAUDE = [user("1", None, "Fly a kite, é 🪁."), said("2", "1", "m1", text("Up it goes."))]
SAMPLES = {
    "claude_code": joined(CLAUDE),
    "codex": joined([asked("Go.")]),
    "pi": joined([{"type": "session", "id": "p1", "version": 3}, entry("1", None, "user", "Go.")]),
    "openclaw": joined(
        [{"type": "session", "id": "p1", "cwd": "/x/.openclaw"}, entry("1", None, "user", "Go.")]
    ),
    "gemini_cli": json.dumps({"sessionId": "g", "messages": [{"type": "user", "content": "Go."}]}).encode(),
    "hermes": json.dumps(
        {
            "session_id": "h",
            "platform": "x",
            "message_count": 1,
            "messages": [{"role": "user", "content": "Go."}],
        }
    ).encode(),
    "crabtalk": joined(
        [
            {
                "agent": "tern",
                "created_by": "user",
                "created_at": "2026-02-03T04:05:06+00:00",
                "title": "",
            },
            {"role": "user", "content": "Go."},
        ]
    ),
    "opencode": json.dumps({"id": "o", "projectID": "p", "time": {"created": 1}}).encode(),
    **{name: as_file(name) for name in AGENTS},
}


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_told_by_its_content(name: str) -> None:
    assert detect(Source("anything", SAMPLES[name])) == name


@pytest.mark.parametrize("name", FORMATS)
def test_white_space_line_ends_and_byte_order_marks_make_no_difference(name: str) -> None:
    plain = read(Source("a.json", SAMPLES[name]))
    windows = b"\xef\xbb\xbf" + SAMPLES[name].replace(b"\n", b"\r\n\r\n") + b"\r\n \n"
    assert read(Source("a.json", windows)).transcripts == plain.transcripts


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read_with_its_mark_and_named_without_it(encoding: str) -> None:
    data = SAMPLES["claude_code"].decode().encode(encoding)
    marks = {"utf-16": b"", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
    found = read(Source("a.jsonl", marks[encoding] + data))
    assert texts(found.transcripts[0].paths[0]) == ["Fly a kite, é 🪁.", "Up it goes."]
    bare = SAMPLES["claude_code"].decode().encode("utf-16-le")
    with pytest.raises(FormatError, match="other than UTF-8"):
        read(Source("a.jsonl", bare))


def test_half_a_surrogate_pair_becomes_the_replacement_character_and_nothing_else_changes() -> None:
    line = json.dumps(user("1", None, "\ud83e half, 🪁 whole, \\ud83e told"))
    found = read(Source("a.jsonl", line.encode()))
    (message,) = found.transcripts[0].paths[0]
    assert message.text == "� half, 🪁 whole, \\ud83e told"
    assert message.text.encode() != b""


@pytest.mark.parametrize(
    "broken,reason",
    [
        (b'{"type":"user","message":{"content":"caf\xe9"}}', "not UTF-8 at byte 40 of the line"),
        (b"\0\0\0\0", "nothing but NUL bytes"),
        (b"[1, 2]", "not a JSON object but an array"),
        (b"null", "not a JSON object but null"),
        (b"[" * 100_000, "broken JSON: nested too deeply"),
        (b'{"a": NaN}', "broken JSON: JSON is malformed: invalid character (byte 6)"),
    ],
)
def test_a_broken_line_is_named_and_the_others_are_read(broken: bytes, reason: str) -> None:
    found = read(Source("a.jsonl", joined(CLAUDE[:1]) + broken + b"\n" + joined(CLAUDE[1:])))
    assert [(one.line, one.reason) for one in found.skipped] == [(2, reason)]
    assert len(found.transcripts[0].paths[0]) == 2


def test_a_torn_last_line_is_reported_as_that() -> None:
    data = SAMPLES["claude_code"]
    found = read(Source("a.jsonl", data[:-9]))
    reason = "cut off: the last line ends in the middle of a JSON object"
    assert [(one.line, one.reason) for one in found.skipped] == [(2, reason)]
    assert texts(read(Source("a.jsonl", data[:-1])).transcripts[0].paths[0])[1] == "Up it goes."


@pytest.mark.parametrize(
    "data,reason",
    [
        (b"", "the file is empty"),
        (b" \n\0\0", "the file is empty"),
        (b"# Notes\n\nfly a kite\n", "the file holds no JSON"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "the file is binary"),
        (b'{"nothing": "known"}', "not a transcript of a known kind"),
        (b"[]", "not a transcript of a known kind"),
        (b'{"a":' * 50_000, "not a transcript of a known kind"),
        (b'{"type":"us', "not a transcript of a known kind"),
    ],
)
def test_a_file_that_is_no_transcript_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as refused:
        read(Source("a.jsonl", data))
    assert refused.value.hint.startswith("known formats: claude_code, codex")


def test_an_unknown_format_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(FormatError, match='no transcript format is named "klaatu"') as refused:
        read(Source("a.jsonl", SAMPLES["codex"]), "klaatu")
    assert "gemini_cli" in refused.value.hint


keys = st.sampled_from(
    "type role message content text id uuid parentUuid parentId payload messages sessionId toolCalls parts tool_calls "
    "isSidechain isMeta attachment subtype call_id arguments output summary result usage tokens time timestamp state "
    "$set $rewindTo info source tool_use_id input thinking history function toolUseResult data event conversation "
    "mapping chat_messages sender parent current_node author recipient metadata attachments files run toolCallId "
    "toolRequests transformedContent parentToolCallId messageId systemPayload usageMetadata part stepUuid think key "
    "summary skip session_id protocol_version toolCall toolResult value session_meta ts isSummary".split()
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=12,
)
kinds = st.sampled_from(
    "user assistant system message function_call function_call_output reasoning session compaction custom_message tool "
    "gemini model text tool_use tool_result response_item event_msg session_meta toolResult bashExecution toolRequest "
    "toolResponse thinking think content.part tool.call tool.result context.append_message context.append_loop_event "
    "context.apply_compaction user.message assistant.message assistant.reasoning tool.execution_start human info "
    "tool.execution_complete session.compaction_complete tool_call completion PLANNER_RESPONSE CHECKPOINT".split()
)
rows = st.builds(
    lambda fields, kind, body: {**fields, "type": kind, "message": body, "payload": body},
    st.dictionaries(keys, json_values, max_size=4),
    kinds,
    st.builds(
        lambda fields, kind, content: {**fields, "type": kind, "role": kind, "content": content},
        st.dictionaries(keys, json_values, max_size=4),
        kinds,
        json_values
        | st.lists(
            st.builds(lambda f, k: {**f, "type": k}, st.dictionaries(keys, json_values, max_size=4), kinds)
        ),
    ),
)


@given(found=st.lists(rows, max_size=6), tail=st.binary(max_size=20))
def test_nothing_a_file_can_hold_makes_a_reader_fail(found: list[object], tail: bytes) -> None:
    whole = [json.dumps(row).encode() for row in found]
    entries = [{"id": str(at), "parent": str(at - 1), "message": row} for at, row in enumerate(found)]
    talks = {"mapping": {one["id"]: one for one in entries}, "chat_messages": found, "conversation": found}
    sources = [
        Source("a.jsonl", b"\n".join(whole) + b"\n" + tail),
        Source("a.json", json.dumps([talks, *found]).encode() + tail),
        Source("a.json", json.dumps({**talks, "info": {"id": "x"}}).encode() + tail),
        Source("a.json", json.dumps({"id": "x", "messages": found}).encode() + tail),
        Source("a.json", b'{"id":"x"}', {f"part/{number}.json": data for number, data in enumerate(whole)}),
    ]
    messages: list[Message] = []
    for source in sources:
        for entry_of in FORMATS.values():
            with suppress(FormatError):
                transcripts = entry_of.read(source).transcripts
                messages += [message for one in transcripts for path in one.paths for message in path]
    assert all(message.parts and message.role in ROLES for message in messages)


@given(st.binary(max_size=200))
def test_no_bytes_make_detection_fail(data: bytes) -> None:
    for start in (b"", b"{", b'{"type":"session","id":"', b"\xff\xfe", b"\xfe\xff\0{"):
        assert detect(Source("a.jsonl", start + data)) in {None, *FORMATS}


def test_times_are_read_in_every_form_that_occurs() -> None:
    expected = 1770091506.0
    forms: list[object] = ["2026-02-03T04:05:06Z", "2026-02-03T04:05:06", "2026-02-03T05:05:06.000+01:00"]
    assert [time_s(form) for form in [*forms, 1770091506, 1770091506000, 1770091506.0]] == [expected] * 6
    odd: list[object] = [
        "soon",
        "",
        None,
        True,
        -5,
        float("nan"),
        float("inf"),
        10**30,
        [],
        "0001-01-01T00:00:00+23:00",
    ]
    assert [time_s(form) for form in odd] == [None] * len(odd)


def test_a_title_shows_no_secret_not_even_where_it_is_clipped() -> None:
    secret = "sk-proj-" + "aZ4kQ9xT2mB7wE1r" * 3
    for before in ("use", "use " * 17):
        title = title_of(f"{before} OPENAI_API_KEY={secret} for the deploy")
        assert "aZ4kQ9" not in title
        assert title.startswith("use ")


def test_titles_are_one_short_line_of_words() -> None:
    assert title_of("\n\n  Fly   a kite\nand more") == "Fly a kite"
    assert title_of("<command-name>/clear</command-name>") == ""
    assert (title_of("/mode"), title_of("/mode is dark")) == ("", "/mode is dark")
    assert len(title_of("kite " * 99)) == 80
    assert clipped("kite", 3) == "ki…"
    assert [stem(path) for path in ("a/b.jsonl", "C:\\a\\b.c.json", "plain", "/a/.hidden")] == [
        "b",
        "b.c",
        "plain",
        ".hidden",
    ]


def test_of_very_many_lines_that_cannot_be_read_the_first_are_listed_and_the_rest_are_counted() -> None:
    found = read(Source("a.jsonl", joined(CLAUDE) + b"x\n" * (MAX_SKIPPED + 7)))
    assert [one.line for one in found.skipped] == list(range(3, MAX_SKIPPED + 3))
    assert found.skipped_more == 7
    assert len(found.transcripts[0].paths[0]) == 2
