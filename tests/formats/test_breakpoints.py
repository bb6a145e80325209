"""Prompt-cache marks: at most four, before what is injected, and none out of the look-back's reach."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats.anthropic import place_breakpoints, render_request
from palimpsest.formats.anthropic.breakpoints import SPACING_BLOCKS
from palimpsest.formats.rules import anthropic_breaches
from palimpsest.record.message import Message, Text, ToolDef
from tests import strategies

Request = dict[str, Any]
TOOLS = (ToolDef("read", "Reads.", '{"type":"object","properties":{}}'),)
MARK = {"type": "ephemeral"}


def said(request: Request) -> list[dict[str, Any]]:
    """The blocks of the messages, in order."""
    return [block for message in request["messages"] for block in message["content"]]


def marked(blocks: list[dict[str, Any]]) -> list[int]:
    """The places that carry a mark."""
    return [at for at, block in enumerate(blocks) if block.get("cache_control")]


def head(request: Request) -> list[dict[str, Any]]:
    """Tools and system blocks."""
    return [*request.get("tools", []), *request.get("system", [])]


def bare(value: Any) -> Any:
    """The value without any marks, texts as blocks."""
    if isinstance(value, dict):
        found = {key: bare(inner) for key, inner in value.items() if key != "cache_control"}
        if isinstance(found.get("content"), str) and "role" in found:
            found["content"] = [{"type": "text", "text": found["content"]}]
        return found
    return [bare(inner) for inner in value] if isinstance(value, list) else value


def turns(blocks: list[int], thinking: int = 0) -> Request:
    """A request whose messages have that many blocks each, user and assistant in turn."""
    messages = []
    for at, count in enumerate(blocks):
        content: list[dict[str, Any]] = [{"type": "text", "text": f"{at}-{block}"} for block in range(count)]
        if at % 2:
            thought = {"type": "thinking", "thinking": "t", "signature": "s"}
            content = [dict(thought) for _ in range(thinking)] + content
        messages.append({"role": "assistant" if at % 2 else "user", "content": content})
    return {"system": [{"type": "text", "text": "Be brief."}], "messages": messages}


requests = st.builds(
    render_request,
    st.lists(st.just("Be brief."), max_size=2),
    st.lists(strategies.messages(), max_size=12),
    st.sampled_from(((), TOOLS)),
)
long_requests = st.builds(
    turns, st.lists(st.integers(1, 25), min_size=1, max_size=9).map(lambda found: found[: len(found) | 1]),
    st.integers(0, 3),
)  # fmt: skip


@given(requests | long_requests, st.integers(0, 3), st.integers(0, 2), st.sampled_from(("5m", "1h")))
def test_marks_change_nothing_else_and_make_no_request_invalid(
    request: Request, injected: int, changing: int, ttl: Any
) -> None:
    before = copy.deepcopy(request)
    made = place_breakpoints(request, injected_blocks=injected, changing_system=changing, ttl=ttl)
    assert request == before
    assert bare(made) == bare(before)
    assert set(anthropic_breaches(made)) <= set(anthropic_breaches(before))
    assert anthropic_breaches(made) == ()


@given(requests | long_requests, st.integers(0, 3))
def test_at_most_four_blocks_are_marked_and_nothing_injected_is(request: Request, injected: int) -> None:
    given_marks = marked(said(place_breakpoints(request, injected_blocks=10_000)))
    made = place_breakpoints(request, injected_blocks=injected)
    places = marked(said(made))
    stable = len(said(made)) - injected
    assert len(marked(head(made))) + len(places) <= 4
    assert all(place < stable for place in places if place not in given_marks)


@given(long_requests)
def test_no_mark_is_further_than_fifteen_blocks_from_the_next_while_marks_are_left(request: Request) -> None:
    made = place_breakpoints(request)
    blocks, places = said(made), marked(said(made))
    assert places[-1] == len(blocks) - 1
    assert marked(head(made)) == [0]
    assert all(later - earlier <= SPACING_BLOCKS for earlier, later in pairwise(places))
    assert len(places) == 3 or places[0] <= SPACING_BLOCKS


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.lists(st.integers(1, 5), max_size=3))
def test_what_one_request_cached_lies_within_the_look_back_of_the_next(
    first: list[int], more: list[int]
) -> None:
    before = turns(first[: len(first) | 1])
    after = turns([*first, *more])
    written = marked(said(place_breakpoints(before)))[-1]
    looked_at = marked(said(place_breakpoints(after)))
    assert any(0 <= place - written < 20 for place in looked_at)


@given(long_requests, st.integers(1, 30))
def test_one_mark_stands_behind_the_records_of_what_left_the_window(request: Request, records: int) -> None:
    made = place_breakpoints(request, record_blocks=records)
    blocks, places = said(made), marked(said(made))
    assert len(places) <= 3
    assert marked(head(made)) == [0]
    place = records - 1
    could = place < len(blocks) and blocks[place]["type"] == "text"
    assert not could or place in places
    assert all(at >= min(place, len(blocks) - 1) for at in places)


def test_the_callers_own_marks_stay_and_count() -> None:
    request = turns([3, 3, 3])
    for at in (0, 1):
        request["messages"][0]["content"][at]["cache_control"] = dict(MARK)
    request["system"][0]["cache_control"] = {"type": "ephemeral", "ttl": "1h"}
    made = place_breakpoints(request)
    assert marked(said(made)) == [0, 1, 8]
    assert made["system"] == request["system"]
    request["messages"][2]["content"][0]["cache_control"] = dict(MARK)
    assert marked(said(place_breakpoints(request))) == [0, 1, 6]


def test_the_first_mark_stands_before_the_memory_that_may_change() -> None:
    request = render_request(("Be brief.", "Memory."), (Message("user", (Text("Hi"),)),), TOOLS)
    assert marked(head(place_breakpoints(request))) == [2]
    assert marked(head(place_breakpoints(request, changing_system=1))) == [1]
    assert marked(head(place_breakpoints(request, changing_system=2))) == [0]


def test_a_mark_of_an_hour_never_follows_one_of_five_minutes() -> None:
    request = turns([2, 2, 2])
    request["messages"][1]["content"][0]["cache_control"] = {"type": "ephemeral", "ttl": "1h"}
    made: Request = place_breakpoints(request)
    assert made["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert said(made)[-1]["cache_control"] == MARK
    request["messages"][1]["content"][0]["cache_control"] = dict(MARK)
    long: Request = place_breakpoints(request, ttl="1h")
    assert long["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert said(long)[-1]["cache_control"] == MARK
