"""What a compaction leaves of a cached prompt: the older summaries, byte for byte and found in the cache."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, cast

import pytest

import palimpsest
from palimpsest.budget.assemble import Request
from palimpsest.complete.anthropic import AnthropicModel
from palimpsest.engine.conversation import Conversation
from palimpsest.price.rates import TABLES
from palimpsest.price.request import Part, chain, common, use
from palimpsest.record.message import Message, Text
from tests.engine.drawing import bulk

MODEL = "claude-sonnet-4-5"
SYSTEM = "You make parts. " * 600
Block = dict[str, Any]


def blocks_of(request: Request) -> list[Block]:
    """The prompt's blocks as the client sends them, with their marks."""
    body = cast("Any", AnthropicModel(MODEL, key="k").body(request.completion()))
    return [*body["system"], *(block for message in body["messages"] for block in message["content"])]


def parts_of(blocks: list[Block]) -> tuple[Part, ...]:
    marks = frozenset(place for place, block in enumerate(blocks) if "cache_control" in block)
    bare = [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks]
    texts = [json.dumps(block).encode() for block in bare]
    return chain(((text, 1 + len(text) // 4) for text in texts), marks)


async def work(talk: Conversation, first: int, count: int = 14) -> None:
    for number in range(first, first + count):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "make", "arguments": "{}"}}
        names = " ".join(f"bolt{number}Nut{nut}" for nut in range(12))
        said = f"I make part {number} of {names}."
        await talk.append({"role": "assistant", "content": said, "tool_calls": [call]})
        await talk.append({"role": "tool", "tool_call_id": f"c{number}", "content": bulk(3_000, number)})


async def test_a_new_summary_changes_no_byte_of_the_older_ones_and_they_are_read_from_the_cache() -> None:
    rates = TABLES["anthropic-5m"]
    async with palimpsest.open(":memory:", preset="economic", window_tokens=200_000) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "make all the parts"})
        requests: list[Request] = []
        for round_number in range(4):
            await work(talk, 100 * round_number)
            await talk.compact()
            requests.append(await talk.request(system=SYSTEM, model=MODEL))
    assert [request.records for request in requests] == [2, 3, 4, 5]
    for before, after in pairwise(requests):
        old, new = blocks_of(before), blocks_of(after)
        stands = 1 + before.records
        assert ["<evidence>" in block["text"] for block in old[stands - 1 : stands + 1]] == [False, True]
        shared = common(parts_of(old), parts_of(new))
        assert shared == stands
        tokens = sum(part.tokens for part in parts_of(new)[:stands])
        assert use(parts_of(old), parts_of(new), 20, rates, marked=True).cached == tokens


@pytest.mark.parametrize("preset", ["crabtalk", "picoclaw"])
async def test_where_one_summary_takes_the_place_of_another_no_place_is_marked_for_it(preset: str) -> None:
    async with palimpsest.open(":memory:", preset=preset, window_tokens=200_000) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "make all the parts"})
        await work(talk, 0)
        await talk.append(Message("assistant", (Text("yes"),)), Message("user", (Text("go on"),)))
        await talk.compact(until_under_tokens=4_000)
        assert (await talk.request(system=SYSTEM, model=MODEL)).records == 0
