"""What a tool says of arguments that it does not have."""

from __future__ import annotations

import pytest

import palimpsest
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.tools.handlers import MIN_ANSWER_TOKENS
from tests.engine.drawing import said


@pytest.mark.parametrize("room_tokens", [MIN_ANSWER_TOKENS, 4_000])
@pytest.mark.parametrize(
    "name, arguments",
    [
        ("short_search", {"question": "the night ferry"}),
        ("short_search", {"question": "zebras"}),
        ("short_grep", {"pattern": "ferry"}),
        ("short_grep", {"pattern": "zebra"}),
        ("short_expand", {"message_ids": ["m1", "m2", "m3"], "include_results": True}),
        ("short_describe", {"id": "m1"}),
    ],
)
async def test_arguments_that_are_none_are_told_beside_the_answer(
    name: str, arguments: dict[str, object], room_tokens: int
) -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("harbour")
        await talk.append(*(said("user", f"The night ferry {number}. " * 90) for number in range(9)))
        tools = talk.tools(room_tokens)
        plain = await tools.call(name, arguments)
        told = await tools.call(name, {**arguments, "all_conversation": True, "why\nso": "x", "n/a": None})
    head = told.splitlines()[0]
    note = "all_conversation (is it all_conversations?), why so are not known, and left out]"
    assert head.endswith(f" [{note}")
    assert "not known" not in plain
    assert head.startswith(plain.split(" ", 2)[0])
    assert count_text(told) <= room_tokens
