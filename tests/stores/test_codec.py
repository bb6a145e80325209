"""Records as stored text: whatever goes in comes out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import IntegrityError
from palimpsest.record.chain import identity
from palimpsest.record.message import (
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    searchable_text,
)
from palimpsest.record.summary import SummaryCall
from palimpsest.stores import codec
from tests import strategies

text = st.text(max_size=20) | st.just("\ud800 half")
inner = st.builds(Text, text, text) | st.builds(Media, text, text, text, st.integers(0, 2**60), text)
parts: st.SearchStrategy[Part] = st.one_of(
    inner,
    st.builds(Reasoning, text, text, st.booleans(), text),
    st.builds(Opaque, text, text, text),
    st.builds(ToolCall, text, text, text, text),
    st.builds(ToolResult, text, st.lists(inner, max_size=2).map(tuple), st.booleans(), text),
)
counts = st.integers(0, 2**60)
messages = st.builds(
    Message,
    st.sampled_from(("system", "user", "assistant", "tool")),
    st.lists(parts, max_size=4).map(tuple),
    text,
    st.none() | st.floats(0, 1e12),
    text,
    st.none() | st.builds(Usage, counts, counts, counts, counts),
    text,
    text,
    text,
    st.booleans(),
)


def again(message: Message) -> Message:
    """The message after being stored and read."""
    body = codec.encode_message(message)
    assert body.encode()
    return codec.decode_message(message.role, body, message.time_s, provisional=message.provisional)


@given(messages)
def test_a_message_comes_back_whole(message: Message) -> None:
    assert again(message) == message


@given(strategies.messages())
def test_a_message_of_odd_parts_keeps_its_identity(message: Message) -> None:
    assert identity(again(message)) == identity(message)


@pytest.mark.parametrize(
    "call", [ToolCall("", "", ""), ToolCall("c", "", ""), ToolCall("c", "run", ""), ToolCall("c", "run")]
)
def test_a_call_without_arguments_keeps_them_as_they_were(call: ToolCall) -> None:
    message = Message("assistant", (call,))
    assert again(message) == message


@given(
    st.lists(
        st.builds(
            SummaryCall,
            st.sampled_from(("normal", "truncated")),
            counts,
            counts,
            text,
            text,
            st.lists(text, max_size=2).map(tuple),
            counts,
            st.sampled_from((0.0, 0.5, 61.3)),
        ),
        max_size=3,
    )
)
def test_calls_come_back_whole(calls: list[SummaryCall]) -> None:
    assert codec.decode_calls(codec.encode_calls(calls)) == tuple(calls)


@given(st.text() | st.just("\ud83d\ude42") | st.text(st.characters(categories=["Cs", "L"]), max_size=9))
def test_storable_text_is_utf8_and_changes_nothing_that_was(said: str) -> None:
    stored = codec.storable(said)
    assert stored.encode().decode() == stored
    assert codec.storable(stored) == stored
    whole = said.isascii() or not any(0xD800 <= ord(char) < 0xE000 for char in said)
    assert not whole or stored == said


@given(messages)
def test_what_a_message_says_is_read_without_making_it_whole(message: Message) -> None:
    whole = again(message)
    body = codec.encode_message(message)
    assert codec.decode_said(message.role, body) == (whole.name, searchable_text(whole))


@pytest.mark.parametrize("broken", ["", "{", '{"p": ', "nonsense"])
def test_a_text_that_is_no_record_is_an_integrity_error(broken: str) -> None:
    with pytest.raises(IntegrityError):
        codec.loads(broken)


@pytest.mark.parametrize(
    "body", ["[]", "{}", '{"p": 1}', '{"p": [["z", 1]]}', '{"p": [[]]}', '{"p": [["c"]]}', "null"]
)
def test_a_record_of_another_shape_is_an_integrity_error(body: str) -> None:
    with pytest.raises(IntegrityError):
        codec.decode_message("user", body, None)
    with pytest.raises(IntegrityError):
        codec.decode_said("user", body)
