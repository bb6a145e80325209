"""What the record of a compaction tells: when, why, by which model, the tokens, and the text."""

from __future__ import annotations

from typing import Any

import palimpsest
from palimpsest.record.window_items import SummaryItem
from tests.engine.drawing import bulk, said

RESULT = "line of the log, nothing new\n" * 900


async def summarizer(prompt: str, options: dict[str, Any]) -> str:
    return "## Progress\n- The user counts the buoys one by one."


async def test_each_record_has_the_summary_that_it_made_also_when_it_was_merged_since() -> None:
    settings: dict[str, Any] = {"preset": "hierarchical", "window_tokens": 6_000, "max_tokens": 500}
    settings |= {"fresh_tail_count": 3, "leaf_min_fanout": 2, "condensed_min_fanout": 2}
    async with palimpsest.open(":memory:", complete=summarizer, model="m-1", **settings) as engine:
        talk = engine.conversation("a")
        for number in range(40):
            await talk.append(
                said("user", f"Buoy {number}. " + bulk(600, number)), said("assistant", "Noted.")
            )
            await talk.compact()
        await talk.compact(until_under_tokens=1_500)
        records = [one for one in await talk.compactions() if one.item_kind == "summary"]
        shown = {one.summary.id for one in (await talk.window()).window.items if isinstance(one, SummaryItem)}
        assert shown < {one.item_id for one in records}
        for one in records:
            assert one.summary is not None
            assert (one.summary.id, one.summary.sources) == (one.item_id, one.replaced)
            assert "counts the buoys" in one.summary.text
            assert (one.summary.method, one.summary.tokens) == ("normal", one.after_tokens)
            assert one.before_tokens > one.after_tokens
            assert (one.calls[-1].refused, one.time_s > 0, bool(one.reason)) == ("", True, True)


async def test_the_record_of_a_shortened_message_has_no_summary() -> None:
    async with palimpsest.open(":memory:", preset="hermes", window_tokens=16_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        call: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "log", "arguments": "{}"}}
        for number in range(12):
            await talk.append(said("user", f"Look {number}."))
            await talk.append({"role": "assistant", "content": None, "tool_calls": [call]})
            await talk.append({"role": "tool", "tool_call_id": "c", "content": f"{number} {RESULT}"})
            await talk.append(said("assistant", "Nothing."))
        await talk.compact()
        stubs = [one for one in await talk.compactions() if one.item_kind == "stub"]
        assert stubs
        assert {one.summary for one in stubs} == {None}
