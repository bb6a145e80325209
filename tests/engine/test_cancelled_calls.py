"""A person stops the agent in the middle of its calls: whatever the group holds, the next request fits, and a late
answer finds its call.
"""

from __future__ import annotations

import json

import pytest

import palimpsest
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from tests.engine.drawing import bulk, said
from tests.engine.laws import assert_request_lawful

WRITE = ToolCall("w", "Write", json.dumps({"file_path": "src/app.py", "content": bulk(400_000)}))
READS = (ToolCall("r", "Read", '{"path": "a"}'), ToolCall("s", "Read", '{"path": "b"}'))
ANSWER = Message("tool", (ToolResult("r", (Text(bulk(400_000)),)),))
GROUPS = {
    "a call with long arguments": ([Message("assistant", (WRITE,))], "w"),
    "a long result beside a call without one": ([Message("assistant", READS), ANSWER], "s"),
    "a call behind a very long text": ([Message("assistant", (Text(bulk(400_000)), READS[0]))], "r"),
}


@pytest.mark.parametrize("preset", ["default", "hermes", "crabtalk", "picoclaw", "sliding-window"])
@pytest.mark.parametrize("kind", GROUPS)
async def test_a_request_fits_after_calls_that_were_stopped_and_a_late_answer_is_valid(
    kind: str, preset: str
) -> None:
    group, late = GROUPS[kind]
    async with palimpsest.open(":memory:", preset=preset, window_tokens=24_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Write the app."), *group, said("user", "Stop. Read the plan first."))
        request = await talk.request()
        assert_request_lawful(request, request.budget.capacity_tokens)
        assert request.messages[-1].text == "Stop. Read the plan first."
        calls = [call for message in request.messages for call in message.calls]
        assert [call.id for call in calls] == [call.id for call in group[0].calls]
        assert [set(json.loads(call.arguments)) for call in calls] == [
            set(json.loads(call.arguments)) for call in group[0].calls
        ]
        await talk.append(
            Message("tool", (ToolResult(late, (Text("late"),)),)), said("assistant", "I read the plan.")
        )
        assert_request_lawful(await talk.request(), request.budget.capacity_tokens)
        whole = await talk.messages(start=2, limit=len(group))
        assert [one.message.calls for one in whole] == [one.calls for one in group]
        assert [one.message.results for one in whole] == [one.results for one in group]


async def test_what_stands_before_a_stopped_call_is_not_dropped_for_it() -> None:
    async with palimpsest.open(":memory:", window_tokens=24_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Write the app."), said("assistant", "The port is 8443."))
        await talk.append(said("user", "Go on."), Message("assistant", (WRITE,)), said("user", "Stop."))
        request = await talk.request()
        assert "dropped" not in "".join(request.system_texts).lower()
        assert "8443" in "\n".join([*request.system_texts, *(one.text for one in request.messages)])


@pytest.mark.parametrize(
    "preset", ["default", "hierarchical", "hermes", "crabtalk", "picoclaw", "drop-middle"]
)
async def test_a_room_that_went_on_talking_behind_a_call_that_was_never_answered_is_no_dead_end(
    preset: str,
) -> None:
    async with palimpsest.open(":memory:", preset=preset, window_tokens=16_000, max_tokens=1_000) as engine:
        talk = engine.conversation("room")
        await talk.append(said("user", "Read the plan."), Message("assistant", READS))
        for number in range(60):
            await talk.append(said("user", f"Remark {number}: {bulk(5_000)}"))
        await talk.append(said("user", "Are you there?"))
        request = await talk.request()
        assert_request_lawful(request, request.budget.capacity_tokens)
        assert request.messages[-1].text == "Are you there?"
        await talk.append(Message("tool", (ToolResult("r", (Text("late"),)),)), said("assistant", "I am."))
        again = await talk.request()
        assert_request_lawful(again, again.budget.capacity_tokens)
        shown = [one.text for one in again.messages]
        shown += [answer.text for one in again.messages for answer in one.results]
        assert "late" in "".join(shown)
        assert [one.message.calls for one in await talk.messages(start=2, limit=1)] == [READS]
