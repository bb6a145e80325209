"""The tool group in progress stays in view: in every preset, whatever is too large in it, with reading tools or not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

import palimpsest
from palimpsest.budget.pieces import count_text
from palimpsest.engine.conversation import Conversation
from palimpsest.record.message import Message, Text, ToolCall, ToolDef, ToolResult
from palimpsest.record.summary import IN_PROGRESS
from palimpsest.settings import PRESETS
from tests.engine.told import said

ROOM: dict[str, Any] = {"window_tokens": 16_000, "max_tokens": 2_000}
LOG = "\n".join(f"line {number}: buoy {number * 7} status ok code {number * 7919}" for number in range(3_000))
LINE = LOG.replace("\n", " ")
CJK = "\n".join(f"第{number}行：浮标{number * 7}状态正常，编码{number * 7919}" for number in range(3_000))
READ = ToolDef("read_log", "Reads a log.", '{"type": "object", "properties": {}}')


def _group(name: str, texts: Sequence[str], arguments: str = '{"path": "app.log"}') -> list[Message]:
    calls = tuple(ToolCall(f"{name}{place}", "read_log", arguments) for place in range(len(texts)))
    results = (
        Message("tool", (ToolResult(call.id, (Text(text),)),))
        for call, text in zip(calls, texts, strict=True)
    )
    return [Message("assistant", calls), *results]


GROUPS: dict[str, tuple[list[Message], tuple[str, ...]]] = {
    "lines": (_group("a", [LOG]), (LOG[:12], LOG[-12:])),
    "one line": (_group("b", [LINE]), (LINE[:12], LINE[-12:])),
    "cjk": (_group("c", [CJK]), (CJK[:12], CJK[-12:])),
    "parallel": (_group("d", [LOG, "ok", CJK, "short\nanswer"]), (LOG[:12], LOG[-12:], "ok", CJK[:12], CJK[-12:], "answer")),
    "arguments": (
        _group("e", ["written"], json.dumps({"path": "app.log", "content": LOG})),
        ("app.log", "line 0: buoy", LOG[-12:], "written"),
    ),
}  # fmt: skip


def _everything(request: palimpsest.Request) -> str:
    """All that the model is shown, as text."""
    texts = list(request.system_texts)
    for message in request.whole:
        for part in message.parts:
            match part:
                case Text(text=text):
                    texts.append(text)
                case ToolCall():
                    texts.append(f"called {part.name} {part.arguments}")
                case ToolResult():
                    texts.append(part.text)
                case _:
                    pass
    return "\n".join(texts)


async def _filled(talk: Conversation, turns: int) -> None:
    for turn in range(turns):
        group = _group(f"old{turn}", [f"berth {turn}\n" * 200])
        await talk.append(said("user", f"question {turn}"), *group, said("assistant", f"answer {turn}"))
        await talk.end_turn()


@pytest.mark.parametrize("turns", [0, 12])
@pytest.mark.parametrize("offered", [False, True])
@pytest.mark.parametrize("kind", GROUPS)
@pytest.mark.parametrize("preset", PRESETS)
async def test_the_next_step_sees_the_call_and_both_ends_of_its_result(
    preset: str, kind: str, offered: bool, turns: int
) -> None:
    group, ends = GROUPS[kind]
    async with palimpsest.open(":memory:", preset=preset, **ROOM) as engine:
        talk = engine.conversation("a")
        tools = [READ, *(tool.definition for tool in talk.tools())] if offered else [READ]
        await _filled(talk, turns)
        await talk.append(said("user", "read the log and tell me the first error"))
        await talk.request(system="You read logs.", tools=tools)
        await talk.append(*group)
        await talk.end_step()
        request = await talk.request()
        await engine.idle()
        shown = _everything(request)
        print(preset, kind, offered, turns, request.tokens, request.budget.capacity_tokens)
        assert request.tokens <= request.budget.capacity_tokens
        assert "read the log and tell me the first error" in shown
        assert "called read_log" in shown
        for end in ends:
            assert end in shown
        if (await talk.window()).window.items[-1].id != request.messages[-1]:
            pass
        for name in re.findall(r"whole as (m\d+)|(m\d+) holds the whole", shown):
            assert (await talk.expand([name[0] or name[1]]))[0].parts
        assert ("with include_results=true" in shown.replace("include_results=true gives", "")) <= offered
