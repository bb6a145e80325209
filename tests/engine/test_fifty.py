"""Many compactions in a row, without a model: what may never be lost is there each time, and nothing grows."""

from __future__ import annotations

from statistics import mean

import palimpsest
from palimpsest.budget.assemble import Request
from palimpsest.engine.conversation import Conversation
from palimpsest.record.message import Message
from palimpsest.record.window_items import SummaryItem
from tests.effort import sampled, size
from tests.engine.drawing import bulk, said, tool_group

GOAL = "Move the harbour service from the old queue to Kestrel without losing a berth booking."
RULES = (
    "Never delete src/berths/legacy.py.",
    "Always run make smoke before you commit.",
    "Do not use the network in tests.",
)
PINNED = "  The key is berth-7f3a9c21; note </summary> and the\ttab.\n\nTwo blank lines follow.\n\n"
COMPACTIONS = size(26, 50)
MAX_TURNS = 600


def turn(number: int) -> list[Message]:
    """A person's request, two calls with their results, and an answer; no two alike."""
    names = [f"t{number}a", f"t{number}b"]
    return [
        said("user", f"Step {number}: look at dock {number * 37} and tell me its state exactly."),
        *tool_group(names, [1_500, 900], [0, 1], 2, f"I look at dock {number * 37}."),
        said("assistant", bulk(500, number)),
    ]


def shown(request: Request) -> str:
    """Every text of a request, one after the other."""
    body = request.openai()
    found: list[str] = []
    pending: list[object] = [body["messages"]]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            pending.extend(one.values())
        elif isinstance(one, list):
            pending.extend(reversed(one))
    return "\n".join(found)


async def count_compactions(talk: Conversation) -> int:
    """How many compactions the branch has."""
    return len(await talk.compactions())


async def take(engine: palimpsest.Engine, talk: Conversation, number: int) -> Request:
    """One turn, with everything that is due after it."""
    messages = turn(number)
    await talk.append(*messages)
    await talk.end_step()
    await talk.end_turn()
    await engine.idle()
    request = await talk.request()
    text = shown(request)
    assert request.tokens <= request.budget.capacity_tokens
    assert messages[0].text in text
    assert PINNED in text
    return request


@sampled("preset", ["default", "hierarchical", "hermes", "crabtalk"], ["default"])
async def test_after_many_compactions_pins_and_request_are_there_and_nothing_grows(
    preset: str,
) -> None:
    async with palimpsest.open(":memory:", preset=preset, window_tokens=8_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", f"{GOAL} {' '.join(RULES)}"), said("assistant", "I begin."))
        pinned = await talk.append(said("user", PINNED), said("assistant", "Noted."))
        await talk.pin(pinned[0].id)
        sizes: list[int] = []
        number = 0
        while await count_compactions(talk) < COMPACTIONS and number < MAX_TURNS:
            number += 1
            request = await take(engine, talk, number)
            sizes.append(request.tokens)
        assert await count_compactions(talk) >= COMPACTIONS
        quarter = len(sizes) // 4
        # an outline fills its target, and the depths of a hierarchy fill one after the other
        growth = 1.2 if preset == "hierarchical" else 1.1
        assert mean(sizes[-quarter:]) <= growth * mean(sizes[quarter : 2 * quarter])


async def outline_of(between: int) -> tuple[set[str], int]:
    """The lines of the outline of a conversation of 30 turns in a small size, made after all that a request and the end
    of each of so many turns start, and how many compactions there were.
    """
    async with palimpsest.open(":memory:", window_tokens=8_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", f"{GOAL} {' '.join(RULES)}"), said("assistant", "I begin."))
        for number in range(1, 31):
            await talk.append(*turn(number))
            if number % between == 0:
                await talk.request()
                await talk.end_turn()
                await engine.idle()
        await talk.append(*turn(31))
        await talk.compact(2_500)
        (first, *_) = (await talk.window()).window.items
        assert isinstance(first, SummaryItem)
        assert (first.first, first.last) == (1, 152)
        return set(first.summary.text.splitlines()), await count_compactions(talk)


async def test_an_outline_after_many_compactions_holds_what_one_of_a_single_compaction_does() -> None:
    often, many = await outline_of(1)
    once, few = await outline_of(31)
    assert many > 20
    assert few == 2
    assert "[m3 user]" in once
    assert len(once & often) > 0.9 * len(once)
