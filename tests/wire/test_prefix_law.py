"""The prefix law: what is an addition to the request before, and what breaks it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.strict.prefix_law import break_of, shape_of
from tests.wire.strict.probe import DEFERRED, TOOL, reader, user
from tests.wire.strict.refusal import Fields


def told(wire: str, before: Fields, now: Fields) -> str:
    """Where the law is broken between two requests."""
    return break_of(shape_of(wire, before), shape_of(wire, now))


PROBE = reader(2)
BODY = PROBE.body()
CONTENTS = "contents"
LAST: Any = PROBE.history[-1]["content"]
MARKED: Any = [{"type": "text", "text": "Read all parts.", "cache_control": {"type": "ephemeral"}}]


@pytest.mark.parametrize(
    "now",
    [
        BODY,
        PROBE.body([*PROBE.history, user("More.")]),
        PROBE.body([{"role": "user", "content": MARKED}, *PROBE.history[1:]]),
        PROBE.body(tools=[TOOL, DEFERRED]),
        PROBE.body(max_tokens=7),
        PROBE.body([*PROBE.history[:-1], {"role": "user", "content": [*LAST, *MARKED]}]),
    ],
)
def test_additions_and_cache_marks_keep_the_law(now: Fields) -> None:
    assert told("anthropic", BODY, now) == ""


@pytest.mark.parametrize(
    "now,where",
    [
        (PROBE.body(system="Other."), "the system prompt or the tools"),
        (PROBE.body(tools=[TOOL, {**TOOL, "name": "other"}]), "the system prompt or the tools"),
        (PROBE.body(PROBE.history[:-1]), "item 6 of 7 is missing"),
        (PROBE.body([user("Read."), *PROBE.history[1:]]), "item 0 of 7"),
        (PROBE.body([*PROBE.history[:1], user("Note."), *PROBE.history[1:]]), "item 1 of 7"),
    ],
)
def test_what_is_changed_left_out_or_put_between_breaks_it(now: Fields, where: str) -> None:
    assert told("anthropic", BODY, now) == where


@pytest.mark.parametrize(
    "wire,items,key",
    [
        ("responses", [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "input"),
        ("openai", [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "messages"),
        ("gemini", [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": [{"text": "b"}]}], CONTENTS),
        ("bedrock", [{"role": "user", "content": [{"text": "a"}]}, {"role": "assistant", "content": [{"text": "b"}]}],
         "messages"),
    ],
)  # fmt: skip
def test_every_wire_has_its_items(wire: str, items: list[Fields], key: str) -> None:
    assert told(wire, {key: items[:1]}, {key: items}) == ""
    assert told(wire, {key: items}, {key: items[:1]}) == "item 1 of 2 is missing"
    assert told(wire, {key: items}, {key: items[::-1]}) == "item 0 of 2"
    tools = "toolConfig" if wire == "bedrock" else "tools"
    assert told(wire, {key: items, tools: []}, {key: items, tools: [{}]}) == "the system prompt or the tools"
