"""Many compactions with a model that lies, drops, refuses, loops or hangs: windows stay whole, and records say so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import palimpsest
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.log import Compaction
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.window_items import SummaryItem
from tests.engine.laws import assert_lawful

COMPACTIONS = 8
"""In `tests_long` there are fifty."""
LIE = "## Goal\n- Plan the berths of src/planer/berths.py on port 5433.\n- Berth 4711 is sold, see src/orchid/x.py."
DROP = "## Goal\n- Plan the berths."
REFUSE = "I am sorry, but I cannot help with that."
LOOP = "## Goal\n" + "- Plan the berths again.\n" * 60


async def hang(_: CompletionRequest) -> Completion:
    await asyncio.sleep(3_600)
    raise AssertionError("nobody waits so long")


def saying(text: str, **more: Any) -> Any:
    async def say(_: CompletionRequest) -> Completion:
        return Completion(text, **more)

    return say


MODELS: dict[str, tuple[Any, str]] = {
    "lies": (saying(LIE), "src/planer/berths.py -> src/planner/berths.py"),
    "drops": (saying(DROP), "leaves out"),
    "refuses": (saying(REFUSE), "none of the headings"),
    "refuses by its reason": (saying("", finish_reason="refused"), "refused by the model"),
    "loops": (saying(LOOP), "the same over and over"),
    "is cut off": (saying(DROP, finish_reason="length"), "cut off"),
    "hangs": (hang, "timed out"),
}

ASK_NO_HEADINGS = {"picoclaw"}
"""Presets whose prompt asks for no headings: what a refusal in words leaves out is all that can be said of it."""


def turn(number: int) -> list[Message]:
    """A request, a call with its result, and a reply, in about 500 tokens."""
    call = ToolCall(f"c{number}", "read_file", '{"path": "src/planner/berths.py"}')
    shown = "\n".join(f"{number}.{line} berth {line * 7} of the quay is free" for line in range(30))
    return [
        Message(
            "user", (Text(f"Berth {number}, please: plan it and tell me the tide of day {number * 3}."),)
        ),
        Message("assistant", (Text("I look it up."), call)),
        Message("tool", (ToolResult(f"c{number}", (Text(shown),)),)),
        Message("assistant", (Text(f"Berth {number} is planned."),)),
    ]


@pytest.mark.parametrize("preset", ["default", "hierarchical"])
@pytest.mark.parametrize("behaviour", MODELS)
async def test_compactions_with_a_bad_model_keep_the_window_whole(preset: str, behaviour: str) -> None:
    await live_with(preset, behaviour, COMPACTIONS)


async def live_with(preset: str, behaviour: str, compactions: int) -> None:
    """A session with so many compactions, judged at its end."""
    model, named = MODELS[behaviour]
    if behaviour == "refuses" and preset in ASK_NO_HEADINGS:
        named = "leaves out"
    limit_s = 0.02 if behaviour == "hangs" else 60.0
    history: list[Message] = []
    async with palimpsest.open(
        ":memory:", complete=model, preset=preset, window_tokens=16_000, max_tokens=1_000,
        summary_timeout_s=limit_s, compact_when="end_turn", fresh_tail_count=4, leaf_min_fanout=2,
    ) as engine:  # fmt: skip
        talk = engine.conversation("quay")
        done = 0
        for number in range(3 * compactions):
            added = [*turn(2 * number), *turn(2 * number + 1)]
            await talk.append(*added)
            history += added
            report = await talk.compact(until_under_tokens=2_500)
            done += report is not None and bool(report.summaries)
            if done >= compactions:
                break
        assert done >= compactions
        await engine.idle()
        await assert_lawful(talk, history)
        request = await talk.request()
        assert request.budget.used_tokens <= request.budget.capacity_tokens
        window = (await talk.window()).window
        records = await engine.store.compactions(engine.owner, "quay")
        assert any(named in note for one in records for note in notes(one)), [
            notes(one) for one in records[:2]
        ]
        summaries = [item.summary.text for item in window.items if isinstance(item, SummaryItem)]
        assert not any(LOOP in text for text in summaries)
        back = await talk.expand(
            [item.summary.id for item in window.items if isinstance(item, SummaryItem)][:1]
        )
        assert back


def notes(record: Compaction) -> list[str]:
    """What a record says of the calls that were made."""
    return [note for call in record.calls for note in (call.refused, *call.repairs)]
