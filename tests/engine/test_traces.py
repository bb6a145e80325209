"""Where the lines of a summary come from that its model repeats from what was shown before its part."""

from __future__ import annotations

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.record.completion import CompletionRequest

FIRST = "- Step 0: module m0 is read."
TOLD = "- The modules m0, m1 and m2 are all read."


def reply(request: CompletionRequest) -> str:
    """A summary that repeats what the first part says, in each later one."""
    return f"## Goal\n- Read the modules of the pier.\n## Progress\n{FIRST}\n{TOLD}"


async def test_a_line_from_before_a_leaf_leads_there_and_not_into_the_leaf() -> None:
    async with palimpsest.open(
        ":memory:", preset="hierarchical", window_tokens=24_000, complete=ScriptedModel([reply])
    ) as engine:
        talk = engine.conversation("pier")
        await talk.append({"role": "user", "content": "Read the modules of the pier."})
        for step in range(400):
            said = f"Step {step}: module m{step} is read. " + f"tide gauge crane pilot buoy {step} " * 10
            await talk.append({"role": "assistant", "content": said})
        report = await talk.compact(until_under_tokens=8_000)
        assert report
        earlier, later = [(await talk.trace(one.id)).lines for one in report.summaries]
        said_in = {one.line: one.messages for one in earlier}
        assert said_in[FIRST] == ("m2",)
        assert {"m2", "m3", "m4"} <= {*said_in[TOLD]}
        repeated_from = {one.line: one.messages for one in later}
        assert repeated_from[FIRST] == ("m2",)
        assert repeated_from[TOLD] == (report.summaries[0].id,)
