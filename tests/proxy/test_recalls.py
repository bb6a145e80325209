"""Recall tools: those of the client's own server are named, and those that the proxy offers are answered by it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.proxy.histories import plain_history
from palimpsest.proxy.recalls import Hidden, chain_of, expand
from palimpsest.record.message import Message, ToolCall
from tests.proxy.kit import CLIENTS, WIRES, AnthropicClient, running
from tests.wire.replies import Say
from tests.wire.strict.probe import TOOL
from tests.wire.strict.refusal import Fields
from tests.wire.strict.scripts import call_of
from tests.wire.strict.server import StrictServer

CALLS, FACT = 16, "Kestrel-88"


def asking(n: int, body: Fields) -> Say:
    """A model that reads parts, and in between asks what the type of the lamp was: alone, twice, and beside a part."""
    answers = json.dumps(body).count("[recalled:")
    recall = ToolCall(f"call_recall_{n}", "short_grep", json.dumps({"pattern": "Kestrel"}))
    part = sum(
        f"call_part_{number}" in json.dumps(body) or f'"number": {number}}}' in json.dumps(body)
        for number in range(1, 99)
    )
    if part == 3 and answers < 2:
        return Say("", (recall,), "I look it up.")
    if part == 6 and answers < 3:
        return Say("Both.", (call_of(7), recall), "I look it up and read on.")
    if part >= CALLS:
        return Say(f"It is {FACT}." if answers else "unknown")
    return Say("", (call_of(part + 1),), f"Part {part + 1} comes next.")


@pytest.mark.parametrize("stream", [False, True], ids=["at once", "streamed"])
@pytest.mark.parametrize("wire", WIRES)
async def test_the_proxy_answers_its_own_tools_and_the_client_never_sees_it(wire: str, stream: bool) -> None:
    with StrictServer(asking) as upstream:
        async with running(upstream, inject_tools=True, window_tokens=100_000) as served:
            client = CLIENTS[wire](served.url, stream)
            assert await client.run(CALLS + 2) == f"It is {FACT}."
            await served.proxy.settle()
            counts = served.proxy.counts
            stored = await served.texts("proxy-one")
            assert await served.names() == ["proxy-one"]
            assert await served.abandoned("proxy-one") == 0
        assert upstream.errors == []
        assert (counts.recalls, counts.faults) == (3, 0)
        assert "short_" not in str(client.history)
        assert "recalled" not in str(client.history)
        assert sum("[recalled:" in one for one in stored) == 3
        assert sum("of the harbour log." in one and one.startswith("tool") for one in stored) == CALLS
        assert json.dumps(upstream.main()[-1].body).count("[recalled:") == 3


@pytest.mark.parametrize("wire", ["anthropic", "chat"])
async def test_the_hidden_calls_stay_in_a_window_that_is_compacted(wire: str) -> None:
    read = 0

    def script(n: int, body: Fields) -> Say:
        nonlocal read
        if n % 5 == 0:
            return Say(
                "", (ToolCall(f"call_recall_{n}", "short_grep", '{"pattern": "Kestrel"}'),), "I look it up."
            )
        read += 1
        return (
            Say(f"It is {FACT}.") if read > CALLS else Say("", (call_of(read),), f"Part {read} comes next.")
        )

    with StrictServer(script, window_tokens=12_000) as upstream:
        async with running(upstream, inject_tools=True) as served:
            client = CLIENTS[wire](served.url, lines=40)
            assert await client.run(CALLS) == f"It is {FACT}."
            counts = served.proxy.counts
            assert (counts.faults, counts.recalls) == (0, 4)
            assert await served.compactions() > 0
        assert upstream.errors == []
        assert "short_search" in json.dumps(upstream.main()[-1].body["messages"])


async def test_without_a_recall_tool_no_window_mentions_one_and_the_clients_own_is_named() -> None:
    for prefix, names in (("", ()), ("mcp__palimpsest__", ("search", "expand", "grep"))):
        with StrictServer(lambda n, body: Say("", (call_of(n),)), window_tokens=12_000) as upstream:
            async with running(upstream) as served:
                client = WithTools(served.url, lines=40)
                client.more = [{**TOOL, "name": prefix + name} for name in names]
                client.say("Read all parts.")
                for _ in range(CALLS):
                    await client.ask()
            newest = json.dumps(upstream.main()[-1].body["messages"])
            assert "CONTEXT COMPACTION" in newest
            assert "short_" not in newest
            assert ("mcp__palimpsest__search" in newest) == bool(names)


class WithTools(AnthropicClient):
    """A client with more tools."""

    more: list[Any]

    async def ask(self) -> tuple[str, int]:
        self.given = [TOOL, *self.more]
        return await super().ask()


@given(st.lists(st.booleans(), max_size=8), st.integers(0, 3))
def test_hidden_messages_stand_where_they_were_however_the_history_grows(
    replies: list[bool], more: int
) -> None:
    history: list[Any] = []
    hidden: list[Hidden] = []
    expected: list[Any] = []
    for number, hides in enumerate(replies):
        asked = {"role": "user", "content": str(number)}
        history.append(asked)
        expected.append(asked)
        said = {"role": "assistant", "content": str(number)}
        if hides:
            inside = (Message("assistant"), Message("tool"), Message("assistant"))
            hidden.append(Hidden(len(history), chain_of(_digests(history)), inside))
            expected += inside
        else:
            expected.append(said)
        history.append(said)
    tail = [{"role": "user", "content": "more"}] * more
    assert expand([*history, *tail], _digests([*history, *tail]), hidden) == [*expected, *tail]
    changed = [{"role": "user", "content": "other"}, *history]
    assert expand(changed, _digests(changed), hidden) == changed


def _digests(history: list[Any]) -> tuple[bytes, ...]:
    return plain_history(history).digests
