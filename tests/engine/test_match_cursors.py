"""Where reading begins in a message that is larger than an answer."""

from __future__ import annotations

import json
import re

import palimpsest
from tests.engine.drawing import said

LOG = "\n".join(f"\x1b[2mline\x1b[0m {number} of the log" for number in range(1_500))
CURSOR = re.compile(r'short_expand\(cursor="([^"]+)"\)')


async def test_the_part_around_a_match_is_found_in_the_colours_of_a_terminal() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("harbour")
        await talk.append(said("user", LOG.replace(" 1403 ", " \x1b[31mred\x1b[0m lamp ")))
        tools = talk.tools(2_000)
        (cursor,) = CURSOR.findall(await tools.call("short_grep", {"pattern": '"red lamp"'}))
        read = await tools.call("short_expand", {"cursor": cursor})
        assert "lamp of the log" in read
        assert " 1200 of the log" not in read


async def test_the_part_around_a_match_is_found_in_a_result_that_is_json_text() -> None:
    page = {"output": LOG.replace(" 1403 ", ' "red" lamp '), "metadata": {"exit_code": 0}}
    calls = [{"id": "c", "type": "function", "function": {"name": "log", "arguments": "{}"}}]
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("harbour")
        await talk.append({"role": "assistant", "tool_calls": calls})
        await talk.append({"role": "tool", "tool_call_id": "c", "content": json.dumps(page)})
        tools = talk.tools(2_000)
        answer = await tools.call("short_grep", {"pattern": '"line red lamp"'})
        (cursor,) = CURSOR.findall(answer)
        assert "\\" not in answer
        read = await tools.call("short_expand", {"cursor": cursor})
        assert '\\"red\\" lamp of the log\\n' in read
        assert " 1200 of the log" not in read
        assert " 1402 of the log" in read
