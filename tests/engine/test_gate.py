"""Large results enter the window as excerpts, are decided once, and can be read back whole."""

from __future__ import annotations

import json
from typing import Any, cast

import palimpsest
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.record.message import ToolDef

ROWS = "\n".join(f"row {number}: value {number * 7}" for number in range(900))
TERMINAL = ToolDef("terminal", "Runs a command.", '{"type": "object", "properties": {}}')
SETTINGS: dict[str, Any] = {"window_tokens": 32_000, "max_tokens": 1_000, "gate_tokens": 1_500}


def _call(call_id: str, name: str = "terminal", **arguments: str) -> dict[str, object]:
    function = {"name": name, "arguments": json.dumps(arguments or {"command": "make rows"})}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def _result(call_id: str, text: str = ROWS) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


async def _sent(talk: Conversation) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", (await talk.request()).openai()["messages"])


async def test_a_large_result_costs_its_excerpt_and_is_read_back_whole() -> None:
    async with palimpsest.open(":memory:", **SETTINGS) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "make the rows"}, _call("c1"))
        (stored,) = await talk.append(_result("c1"))
        request = await talk.request()
        shown = cast("list[dict[str, str]]", request.openai()["messages"])[-1]["content"]
        assert request.tokens < 800 < stored.tokens
        assert shown.startswith("row 0: value 0\n")
        assert f"stored as {stored.id}]" in shown
        (entry,) = await talk.expand([stored.id])
        assert entry.text == ROWS


async def test_a_limit_for_what_can_be_read_back_holds_while_the_model_is_offered_that() -> None:
    only_readable = {**SETTINGS, "gate_tokens": 0, "gate_readable_tokens": 1_500}
    async with palimpsest.open(":memory:", **only_readable) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "make the rows"})
        offered = ((), (TERMINAL,), (TERMINAL, *(tool.definition for tool in talk.tools())))
        sizes: list[int] = []
        for number, tools in enumerate(offered):
            await talk.append(_call(f"c{number}"))
            await talk.request(tools=tools)
            await talk.append(_result(f"c{number}", ROWS.replace("row", f"row {number}")))
            sizes.append((await talk.window()).window.items[-1].tokens)
        assert 10 * sizes[2] < min(sizes[:2])
        assert "read it with short_expand and include_results=true" in json.dumps(await _sent(talk))
        assert await talk.request()


async def test_what_is_gated_stays_as_it_was_first_shown() -> None:
    async with palimpsest.open(":memory:", **SETTINGS) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "make the rows"}, _call("c1"), _result("c1"))
        before = await _sent(talk)
        await talk.append(
            {"role": "assistant", "content": "made"}, {"role": "user", "content": "again"}, _call("c2")
        )
        await talk.append(_result("c2", "fine"))
        state_of(talk).invalidate()
        after = await _sent(talk)
        assert after[: len(before)] == before


async def test_a_report_still_anchors_the_estimate_when_a_gated_result_follows() -> None:
    async with palimpsest.open(":memory:", **SETTINGS) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "make the rows"})
        request = await talk.request()
        await talk.record_usage({"prompt_tokens": request.tokens + 500, "completion_tokens": 20}, request)
        await talk.append(_call("c1"), _result("c1"))
        assert (await talk.request()).budget.correction_tokens >= 400


async def test_what_a_tool_of_ours_reads_back_is_shown_whole() -> None:
    async with palimpsest.open(":memory:", **SETTINGS) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "go"}, _call("c1", "short_expand", message_ids="m1"))
        await talk.append(_result("c1"))
        assert (await _sent(talk))[-1]["content"] == ROWS


async def test_a_history_that_is_sent_again_finds_its_gated_messages() -> None:
    history = [
        {"role": "user", "content": "go"},
        _call("c1"),
        _result("c1"),
        {"role": "assistant", "content": "ok"},
    ]
    async with palimpsest.open(":memory:", **SETTINGS) as engine:
        talk = engine.conversation("a")
        await talk.sync(history)
        before = await _sent(talk)
        done = await talk.sync([*history, {"role": "user", "content": "more"}])
        assert (done.added, done.forked) == (1, False)
        assert (await _sent(talk))[:4] == before


async def test_an_old_gated_result_can_be_pruned_to_a_line() -> None:
    async with palimpsest.open(":memory:", preset="hermes", **SETTINGS, tail_tokens=100) as engine:
        talk = engine.conversation("a")
        for turn in range(6):
            await talk.append({"role": "user", "content": f"turn {turn}"}, _call(f"c{turn}"))
            await talk.append(
                _result(f"c{turn}", f"{turn}\n{ROWS}"), {"role": "assistant", "content": "done"}
            )
        report = await talk.compact()
        assert report is not None
        assert report.stubs >= 4
        assert "[result left out: terminal `make rows`" in json.dumps(await _sent(talk))
