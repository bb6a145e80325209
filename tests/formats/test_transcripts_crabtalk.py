"""Session files in Crabtalk's form: what stands on a line, markers, rewinds, damage."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats import parse_any
from palimpsest.formats.transcripts import Marker, Source, Transcript, detect, read
from palimpsest.formats.transcripts.crabtalk import (
    context_of,
    decode,
    encode,
    message_line,
    message_of,
    read_file,
)
from palimpsest.record.message import Message, Reasoning, Text, ToolCall, Usage
from palimpsest.stores.codec import decode_message, encode_message
from tests import strategies
from tests.formats.cuts import cut_breaches, texts
from tests.formats.written import Line, joined, reading

META: Line = {"agent": "tern", "created_by": "user", "created_at": "2026-02-03T04:05:06+00:00", "title": ""}


def user(words: str) -> Line:
    return {"role": "user", "content": words}


def said(words: str, **more: object) -> Line:
    return {"role": "assistant", "content": words, **more}


def only(*lines: Line | str) -> Transcript:
    """The one conversation of these lines behind a meta line."""
    (found,) = reading([META, *lines]).transcripts
    return found


TALK = (user("Where is the chart?"), said("In the drawer."), user("Which one?"), said("The lowest."))


def test_a_file_is_known_by_its_meta_line() -> None:
    assert detect(Source("x.jsonl", joined([META, *TALK]))) == "crabtalk"
    assert detect(Source("x.jsonl", joined([META | {"uptime_secs": 5}]))) == "crabtalk"
    assert detect(Source("x.jsonl", joined([*TALK]))) is None
    assert detect(Source("x.jsonl", joined([{"agent": "tern"}, *TALK]))) is None


def test_messages_are_read_with_calls_results_and_reasoning() -> None:
    call = {
        "id": "c1",
        "index": 0,
        "type": "function",
        "function": {"name": "look", "arguments": '{"at": 1}'},
    }
    found = only(
        user("Look."),
        {"role": "assistant", "reasoning_content": "hm", "tool_calls": [call]},
        {"role": "tool", "content": "a chart", "tool_call_id": "c1"},
    )
    (path,) = found.paths
    assert texts(path) == ["Look.", "call:c1", "result:c1=a chart"]
    assert path[1].parts[0] == Reasoning("hm")
    (asked,) = path[1].calls
    assert (asked.name, asked.arguments) == ("look", '{"at": 1}')
    assert not any(message.provisional for message in path)
    assert (found.format, found.title, found.markers) == ("crabtalk", "Look.", ())


def test_every_message_is_history_and_a_marker_keeps_its_place() -> None:
    found = only(*TALK[:2], {"compact": "They spoke of a chart."}, *TALK[2:])
    assert texts(found.paths[-1]) == [str(line["content"]) for line in TALK]
    assert found.markers == (Marker("They spoke of a chart.", 2),)
    assert found.summaries == 1


def test_the_context_begins_with_the_last_marker() -> None:
    lines = [META, *TALK[:2], {"compact": "First."}, TALK[2], {"compact": "Second."}, TALK[3]]
    assert texts(context_of(read_file(joined(lines)))) == ["Second.", "The lowest."]
    assert texts(context_of(read_file(joined([META, *TALK])))) == [str(line["content"]) for line in TALK]


def test_a_marker_that_says_how_far_it_reaches_leaves_the_rest() -> None:
    marker: Line = {"compact": "First.", "palimpsest": {"id": "s1", "time_s": 1.5, "through": 1}}
    lines = [META, *TALK[:3], marker, TALK[3]]
    assert texts(context_of(read_file(joined(lines)))) == [
        "First.",
        *[str(one["content"]) for one in TALK[1:]],
    ]
    assert only(*lines[1:]).markers == (Marker("First.", 1, 1.5),)


def test_a_marker_may_quote_a_message_that_it_stands_for() -> None:
    own = {"id": "s1", "time_s": 1.5, "through": 4, "quotes": 3, "chars": 4}
    marker: Line = {"compact": "Old.\n\nWhich one?", "palimpsest": own}
    assert only(*TALK, marker).markers == (Marker("Old.", 4, 1.5, quotes=3),)
    (shown,) = context_of(read_file(joined([META, *TALK, marker])))
    assert shown.parts == (Text("Old."), Text("Which one?"))


def test_a_marker_before_every_message_is_a_message() -> None:
    found = only({"compact": "What was before."}, *TALK[:2])
    assert texts(found.paths[-1]) == ["What was before.", "Where is the chart?", "In the drawer."]
    assert found.markers == ()


def test_a_rewind_makes_a_branch_and_drops_the_markers_behind_it() -> None:
    lines = [*TALK[:2], {"compact": "A."}, *TALK[2:], {"compact": "B."}, {"rewind": 3}, said("The upper.")]
    found = only(*lines)
    assert [texts(path)[-1] for path in found.paths] == ["The lowest.", "The upper."]
    assert [len(path) for path in found.paths] == [4, 4]
    assert found.markers == (Marker("A.", 2),)


def test_a_line_that_was_lost_shifts_neither_markers_nor_rewinds() -> None:
    lines = [message_line(message_of(line), id=f"m{n}", chain=f"{n:016x}") for n, line in enumerate(TALK, 1)]
    marker = encode(
        {"compact": "A.", "palimpsest": {"through": 2, "chain": f"{2:016x}", "time_s": 1.0, "id": "s1"}}
    )
    rewind = encode({"rewind": 3, "palimpsest": {"chain": f"{3:016x}"}})
    data = joined([META]) + b'{"role": "user", "con\n' + b"".join(lines[1:3]) + marker + lines[3] + rewind
    found = read_file(data)
    assert texts(found.history) == ["In the drawer.", "Which one?"]
    assert [marker.through for marker in found.markers] == [1]
    assert [one.line for one in found.skipped.first] == [2]


def test_damage_is_reported_with_its_line_and_a_torn_end_is_tolerated() -> None:
    found = reading([META, user("One."), '{"role": "user"', {"role": "nobody"}, {"x": 1}, {"event": "done"}])
    assert [one.line for one in found.skipped] == [3, 4, 5]
    assert found.transcripts[0].bookkeeping == 2
    torn = Source("s.jsonl", joined([META, *TALK])[:-4])
    (skipped,) = read(torn, "crabtalk").skipped
    assert skipped.reason.startswith("cut off")
    assert len(read(torn, "crabtalk").transcripts[0].paths[-1]) == 3


def test_a_file_cut_anywhere_says_nothing_it_takes_back() -> None:
    lines = [
        META,
        *TALK[:2],
        {"compact": "A."},
        *TALK[2:],
        {"rewind": 3},
        said("The upper."),
        user("Thanks."),
    ]
    data = joined(lines)
    assert cut_breaches(Source("s.jsonl", data), "crabtalk", range(len(data) + 1)) == []


@pytest.mark.parametrize("own", [{"parts": 1}, {"parts": [], "role": "x"}, {"parts": [{"type": "odd"}], "role": "user"},
    {"parts": [{"type": "text"}], "role": "user"}, {"time_s": "noon"}, {"usage": [1, 2]}, {"provisional": 1},
    {"parts": [{"type": "text", "text": 5}], "role": "user"}])  # fmt: skip
def test_a_message_whose_own_fields_are_broken_is_reported(own: Line) -> None:
    found = reading([META, user("One."), user("Two.") | {"palimpsest": own}])
    assert [one.line for one in found.skipped] == [3]
    assert texts(found.transcripts[0].paths[-1]) == ["One."]


def test_an_ordinary_message_is_an_openai_dict_and_little_more() -> None:
    message = Message(
        "assistant", (Text("Aye."), ToolCall("c1", "look", '{"a": 1}')), time_s=5.0, wire="openai"
    )
    row = json.loads(message_line(message, id="m7", chain="ab"))
    assert row.pop("palimpsest") == {"id": "m7", "chain": "ab", "time_s": 5.0}
    assert parse_any(row)[0].parts == message.parts


def test_what_no_chat_dict_carries_is_kept_beside_it() -> None:
    usage = Usage(7, 3, 2, 1)
    parts = (Reasoning("hm", "c2ln"), Text("Aye.", '{"x":1}'), Reasoning("\ud800", redacted=True))
    message = Message("assistant", parts, model="maple-1", usage=usage, wire="anthropic", origin="u-1")
    line = message_line(message)
    assert json.loads(line)["content"] == "Aye."
    assert message_of(decode(line)) == message  # type: ignore[arg-type]


@given(
    strategies.messages()
    | strategies.openai_dicts().map(lambda raw: parse_any(raw)[0])
    | strategies.anthropic_dicts().map(lambda raw: parse_any(raw)[0]),
    st.none() | st.floats(0, 4e9),
)
def test_any_stored_message_comes_back_from_its_line(message: Message, time_s: float | None) -> None:
    stored = decode_message(message.role, encode_message(message), time_s)
    line = message_line(stored, id="m1", chain="00")
    assert line.count(b"\n") == 1
    assert message_of(decode(line)) == stored  # type: ignore[arg-type]


@given(
    st.lists(
        st.sampled_from([*TALK, {"compact": "A."}, {"rewind": 1}, {"rewind": 9}, {"event": "x"}]), max_size=20
    )
)
def test_everything_said_is_in_a_history(lines: list[Line]) -> None:
    numbered = [line | ({"content": f"w-{n}"} if "role" in line else {}) for n, line in enumerate(lines)]
    found = read_file(joined([META, *numbered]))
    spoken = {str(line["content"]) for line in numbered if "role" in line}
    assert {word for path in found.paths for word in texts(path) if word != "A."} == spoken
    assert all(0 < marker.through <= len(found.history) for marker in found.markers)
