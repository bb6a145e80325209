"""Where reading begins in a message that is larger than an answer."""

from __future__ import annotations

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
