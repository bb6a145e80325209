"""The tool group in progress stays in view: in every preset, whatever is too large in it, with reading tools or not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import palimpsest
from palimpsest.engine.conversation import Conversation
from palimpsest.record.message import Message, Text, ToolCall, ToolDef, ToolResult
from palimpsest.record.summary import IN_PROGRESS
from palimpsest.record.window_items import SummaryItem
from palimpsest.settings import PRESETS
from tests.effort import sampled
from tests.engine.observed import said

ROOM: dict[str, Any] = {"window_tokens": 16_000, "max_tokens": 2_000}
ASKED = "read the log and tell me the first error"
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
    "parallel": (
        _group("d", [LOG, "ok", CJK, "short\nanswer"]),
        (LOG[:12], LOG[-12:], "ok", CJK[:12], CJK[-12:], "short\nanswer"),
    ),
    "arguments": (
        _group("e", ["written"], json.dumps({"path": "app.log", "content": LOG})),
        ("app.log", "line 0: buoy", LOG[-12:], "written"),
    ),
}  # fmt: skip


def _everything(request: palimpsest.Request) -> str:
    """All that the model is shown, as text."""
    texts = list(request.system_texts)
    for message in request.all_messages:
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


async def _begun(
    talk: Conversation, group: Sequence[Message], turns: int = 0, *, offered: bool = False
) -> None:
    """A conversation whose newest turn has come to these calls and results."""
    tools = [READ, *(tool.definition for tool in talk.tools())] if offered else [READ]
    await _filled(talk, turns)
    await talk.append(said("user", ASKED))
    await talk.request(system="You read logs.", tools=tools)
    await talk.append(*group)
    await talk.end_step()


CASES = list(product(PRESETS, GROUPS, (False, True), (0, 12)))
SAMPLE = [case for place, case in enumerate(CASES) if case[0] == "default" or place % 17 == 0]
"""All of the default, and one or two of each other preset."""


@sampled("preset, kind, offered, turns", CASES, SAMPLE)
async def test_the_next_step_sees_the_call_and_both_ends_of_its_result(
    preset: str, kind: str, offered: bool, turns: int
) -> None:
    group, ends = GROUPS[kind]
    async with palimpsest.open(":memory:", preset=preset, **ROOM) as engine:
        talk = engine.conversation("a")
        await _begun(talk, group, turns, offered=offered)
        request = await talk.request()
        shown = _everything(request)
        assert request.tokens <= request.budget.capacity_tokens
        assert [end for end in (ASKED, "called read_log", *ends) if end not in shown] == []
        named = re.findall(r"stored as (m\d+)", shown)
        group_ids = {one.id for one in (await talk.messages(limit=500))[-len(group) :]}
        assert group_ids & set(named)
        assert ("and include_results=true" in shown) == offered


@pytest.mark.parametrize("preset", PRESETS)
async def test_a_model_that_waits_for_a_result_sees_it_at_its_next_step(preset: str) -> None:
    async with palimpsest.open(":memory:", preset=preset, **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", ASKED))
        steps = 0
        while LOG[-12:] not in _everything(await talk.request(system="s", tools=[READ])):
            steps += 1
            assert steps <= 1
            await talk.append(*_group(f"c{steps}", [LOG]))
            await talk.end_step()
        assert steps == 1


UNGATED = [name for name, settings in PRESETS.items() if name != "economic"]


FILLED = [(preset, turns) for preset in UNGATED for turns in (0, 12)]


@sampled("preset, turns", FILLED, [*FILLED[:2], *FILLED[3::4]])
async def test_a_large_result_has_the_room_that_the_rest_leaves(preset: str, turns: int) -> None:
    async with palimpsest.open(":memory:", preset=preset, **ROOM) as engine:
        talk = engine.conversation("a")
        await _begun(talk, _group("a", [LOG]), turns)
        request = await talk.request()
        rows = sum(line.startswith("line ") for line in _everything(request).splitlines())
        assert rows >= 90  # of 17 tokens each: a good tenth of the capacity, beside a history that fills it


@pytest.mark.parametrize("preset", UNGATED)
async def test_a_group_that_fits_once_older_messages_are_compacted_stays_whole(preset: str) -> None:
    part = "\n".join(LOG.splitlines()[:300])
    async with palimpsest.open(":memory:", preset=preset, **ROOM) as engine:
        talk = engine.conversation("a")
        await _begun(talk, _group("a", [part]), 12)
        assert part in _everything(await talk.request())


async def test_the_one_summary_of_everything_shows_the_group_until_a_reply_follows_it() -> None:
    part = "\n".join(LOG.splitlines()[:400])
    async with palimpsest.open(":memory:", preset="crabtalk", compact_threshold=6_000, **ROOM) as engine:
        talk = engine.conversation("a")
        await _begun(talk, _group("a", [part]), 6)
        (item,) = (await talk.window()).window.items
        assert isinstance(item, SummaryItem)
        shown = item.summary.text.partition(IN_PROGRESS)[2]
        assert "called read_log" in shown
        assert (part[:12] in shown, part[-12:] in shown) == (True, True)
        assert len((await talk.request()).messages) == 1
        small = await talk.request(system="word " * 11_000)
        (shorter,) = (await talk.window()).window.items
        assert shorter.tokens < item.tokens
        assert (part[:12] in _everything(small), part[-12:] in _everything(small)) == (True, True)
        await talk.append(said("assistant", "I see."), *_group("b", ["short"]))
        await talk.compact()
        (item,) = (await talk.window()).window.items
        assert isinstance(item, SummaryItem)
        assert part[-12:] not in item.summary.text.partition(IN_PROGRESS)[2]
        assert "short" in item.summary.text.partition(IN_PROGRESS)[2]


async def test_no_secret_of_a_result_stands_in_the_summary_that_shows_it() -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    async with palimpsest.open(":memory:", preset="crabtalk", **ROOM) as engine:
        talk = engine.conversation("a")
        await _begun(talk, _group("a", [f"GITHUB_TOKEN={key}\n{LOG}"]))
        (item,) = (await talk.window()).window.items
        assert isinstance(item, SummaryItem)
        assert "GITHUB_TOKEN=" in item.summary.text
        assert key not in item.summary.text


async def test_what_was_shortened_for_a_turn_gives_way_when_the_next_needs_the_room() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **ROOM) as engine:
        talk = engine.conversation("a")
        await _begun(talk, _group("a", [LOG]))
        await talk.request()
        await talk.append(*_group("b", [LOG.replace("line", "row")]))
        shown = _everything(await talk.request())
        assert (LOG[-12:] in shown, "row 2999" in shown) == (True, True)


async def test_a_shortened_group_reads_the_same_until_it_is_replaced_and_after_a_restart(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "a.db")
    async with palimpsest.open(path, **ROOM) as engine:
        talk = engine.conversation("a")
        await _begun(talk, GROUPS["arguments"][0])
        before = (await talk.request()).openai()["messages"]
    async with palimpsest.open(path, **ROOM) as engine:
        again = await engine.conversation("a").request(system="You read logs.")
        assert again.openai()["messages"] == [{"role": "system", "content": "You read logs."}, *before[1:]]  # type: ignore[index]
