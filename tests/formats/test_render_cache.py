"""A history that grows is rendered as if it were rendered whole each time."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats.openai import RenderCache
from palimpsest.formats.openai.request import rendered_messages
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from tests.strategies import histories

IDS = st.sampled_from(("a", "b", "c", ""))
ODD = st.one_of(
    st.builds(lambda text: Message("user", (Text(text),)), st.sampled_from(("go on", "", "why"))),
    st.builds(lambda one: Message("assistant", (Text("I look."), ToolCall(one, "look", "{}"))), IDS),
    st.builds(
        lambda one, two: Message("assistant", (ToolCall(one, "x", "1"), ToolCall(two, "y", "{}"))), IDS, IDS
    ),
    st.builds(lambda: Message("assistant", (Text("Done."),))),
    st.builds(lambda one: Message("tool", (ToolResult(one, (Text("seen"),)),)), IDS),
    st.builds(lambda one: Message("user", (ToolResult(one, (Text("late"),)), Text("and more"))), IDS),
)


@given(histories() | st.lists(ODD, max_size=14), st.lists(st.integers(0, 14), max_size=6), st.booleans())
def test_what_is_remembered_changes_nothing(messages: list[Message], ends: list[int], edits: bool) -> None:
    again = RenderCache()
    for end in (*sorted(ends), len(messages)):
        given_ = messages[:end]
        whole = rendered_messages(given_)
        made = again.messages(given_)
        assert made == whole
        if edits:
            for one in made:
                one["content"] = "changed by a client"
                for call in one.get("tool_calls", ()):  # type: ignore[union-attr]
                    call["function"]["name"] = "changed"


@given(histories(), histories())
def test_another_history_is_rendered_anew(one: list[Message], other: list[Message]) -> None:
    again = RenderCache()
    for messages in (one, other, [*one, *other], copy.deepcopy(one), other[1:]):
        assert again.messages(messages) == rendered_messages(messages)
