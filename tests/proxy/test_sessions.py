"""Which conversation a request belongs to: sessions, subagents, side requests, clients that compact."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.proxy.histories import plain_history
from palimpsest.proxy.threads import (
    Session,
    Thread,
    place_of,
    quoted_through,
    same_tools,
    session_of,
)
from palimpsest.proxy.wires import MAX_MARKS, read_call
from tests.proxy.kit import AnthropicClient, ChatClient, ResponsesClient, running
from tests.wire.replies import Say
from tests.wire.strict.probe import BINDING_MODEL, PLAIN_MODEL, TOOL
from tests.wire.strict.scripts import call_of, part_text, reading
from tests.wire.strict.server import StrictServer

SUMMARY = "\n".join(
    f"Part {number} of the harbour log names the mooring {number * 7} and the keeper of its lantern."
    for number in range(4)
)
TOOLS = frozenset(("read", "write", "run"))


def summing_up(calls: int) -> Any:
    """A model that reads parts, and sums up if it is asked to."""

    def script(n: int, body: Any) -> Say:
        asked = json.dumps(body.get("messages") or body.get("input"))[-400:]
        if "Sum up" in asked:
            return Say(SUMMARY)
        return reading(calls)(n, body)

    return script


class SideServer(StrictServer):
    """The server, whose answers to side requests are those of the script as well."""

    def _reply(self, seen: Any) -> Say:
        say = super()._reply(seen)
        return self.replies(0, seen.body) if seen.side else say


async def test_moving_cache_marks_change_nothing_and_are_never_too_many() -> None:
    with StrictServer(reading(24), window_tokens=12_000) as upstream:
        async with running(upstream) as served:
            client = AnthropicClient(served.url, lines=20)
            client.say("Read all parts.")
            mark = {"cache_control": {"type": "ephemeral"}}
            client.system = [{"type": "text", "text": "Read.", **mark}]
            called = 1
            while called:
                for message in client.history:
                    for block in message["content"] if isinstance(message["content"], list) else ():
                        block.pop("cache_control", None)
                for message in client.history[-3:]:
                    if isinstance(message["content"], list) and message["role"] == "user":
                        message["content"][-1].update(mark)
                _, called = await client.ask()
            await served.proxy.settle()
            assert await served.names() == ["proxy-one"]
            assert len(await served.texts("proxy-one")) == 50
            assert served.proxy.counts.rewritten > 0
        assert upstream.errors == []
        for one in upstream.main():
            assert one.body["system"] == [{"type": "text", "text": "Read.", **mark}]
            assert json.dumps(one.body).count("cache_control") <= MAX_MARKS
        newest: Any = upstream.main()[-1].body["messages"]
        assert json.dumps(newest[-1]).count("cache_control") == 1


async def test_subagents_of_a_session_stay_apart() -> None:
    with StrictServer(reading(6)) as upstream:
        async with running(upstream) as served:
            clients = [AnthropicClient(served.url) for _ in range(4)]
            for number, client in enumerate(clients):
                client.headers = {**client.headers, "x-conversation": str(number)}
                client.say("Read all parts." if number > 1 else f"Task {number}.")
                client.read = lambda part, lines, number=number: part_text(100 * number + part, lines)
            for _ in range(7):
                for client in clients:
                    await client.ask()
            await served.proxy.settle()
            names = await served.names()
            found = [await served.texts(name) for name in names]
            assert [len(one) for one in found] == [14] * 4
            assert served.proxy.counts.faults == 0
        assert upstream.errors == []


async def test_a_side_request_is_no_branch_and_sees_the_window() -> None:
    with SideServer(summing_up(30), window_tokens=12_000) as upstream:
        async with running(upstream) as served:
            client = ChatClient(served.url, lines=20)
            client.say("Read all parts.")
            for _ in range(25):
                await client.ask()
            history = list(client.history)
            side = ChatClient(
                served.url, tools=False, history=[{"role": "user", "content": "Write a title."}]
            )
            await side.ask()
            looking = ChatClient(
                served.url, tools=False, history=[*history, {"role": "user", "content": "Who is next?"}]
            )
            await looking.ask()
            assert await client.run(30) == "All 30 parts are read."
            await served.proxy.settle()
            assert await served.names() == ["proxy-one"]
            assert len(await served.texts("proxy-one")) == 62
            assert await served.abandoned("proxy-one") == 0
            assert served.proxy.counts.looks == 1
        sent: Any = [one.body["messages"] for one in upstream.seen if one.side]
        assert len(sent[1]) < len(history)
        assert sent[1][-1]["content"] == "Who is next?"
        assert upstream.errors == []


async def test_a_look_that_goes_on_becomes_the_conversation() -> None:
    with StrictServer(reading(2)) as upstream:
        async with running(upstream) as served:
            client = AnthropicClient(served.url)
            client.model = PLAIN_MODEL
            await client.run(2)
            client.tools = False
            for text in ("Thanks.", "And now?", "Go on."):
                client.say(text)
                await client.ask()
            await served.proxy.settle()
            assert "user: Go on." in await served.texts("proxy-one")
            assert await served.names() == ["proxy-one"]


@pytest.mark.parametrize("way", ["claude", "codex", "opencode"])
async def test_a_client_that_compacts_by_itself_is_followed(way: str) -> None:
    kind = ResponsesClient if way == "codex" else AnthropicClient if way == "claude" else ChatClient
    with SideServer(summing_up(20)) as upstream:
        async with running(upstream, window_tokens=100_000) as served:
            client = kind(served.url)
            client.say("Read all parts.")
            for _ in range(8):
                await client.ask()
            history = list(client.history)
            client.say("Sum up what was done, as text only.")
            client.tools = way == "claude"
            assert (await client.ask())[0] == SUMMARY
            client.tools = True
            told = {"role": "user", "content": f"The session goes on from this summary:\n\n{SUMMARY}"}
            client.history = {
                "claude": [told],
                "codex": [{"role": "user", "content": "Read all parts."}, told],
                "opencode": [
                    {"role": "user", "content": "What did we do so far?"},
                    {"role": "assistant", "content": SUMMARY},
                    {"role": "user", "content": "Continue if you have next steps."},
                ],
            }[way]
            await client.run(20)
            await served.proxy.settle()
            assert await served.names() == ["proxy-one"]
            stored = await served.texts("proxy-one")
            assert served.proxy.counts.followed == 1
            assert len(stored) >= len(history)
            assert sum("Part 3 of the harbour log." in one for one in stored) == 1
            assert await served.abandoned("proxy-one") == 0
            assert served.proxy.counts.faults == 0
        assert all("bound" in one for one in upstream.errors)


async def test_counting_sees_the_window_and_stores_nothing() -> None:
    from anthropic import AsyncAnthropic

    with StrictServer(reading(24), window_tokens=12_000) as upstream:
        async with running(upstream) as served:
            client = AnthropicClient(served.url, lines=20)
            await client.run(24)
            await served.proxy.settle()
            before = await served.texts("proxy-one")
            tool: Any = TOOL
            async with AsyncAnthropic(
                base_url=served.url, api_key="any", default_headers=client.headers
            ) as counting:
                counted = await counting.beta.messages.count_tokens(
                    model=BINDING_MODEL, messages=client.history, system="Read.", tools=[tool]
                )
                await counting.messages.count_tokens(
                    model=BINDING_MODEL, messages=[{"role": "user", "content": "x"}]
                )
            assert counted.input_tokens < 12_000
            assert await served.texts("proxy-one") == before
            assert await served.names() == ["proxy-one"]
        assert upstream.errors == []


async def test_a_single_question_is_passed_and_a_conversation_without_tools_is_kept() -> None:
    with StrictServer(reading(1)) as upstream:
        async with running(upstream) as served:
            client = AnthropicClient(served.url, tools=False, headers={})
            client.say("How deep is the harbour?")
            await client.ask()
            await served.proxy.settle()
            assert await served.names() == []
            client.say("And the quay?")
            await client.ask()
            await served.proxy.settle()
            assert len(await served.texts((await served.names())[0])) == 4


async def test_an_edited_history_is_a_branch_of_the_same_conversation() -> None:
    with StrictServer(lambda n, body: Say("", (call_of(n),))) as upstream:
        async with running(upstream) as served:
            client = AnthropicClient(served.url)
            client.say("Read.")
            for _ in range(6):
                await client.ask()
            client.history = [*client.history[:9], {"role": "assistant", "content": "Enough."}]
            client.say("Something else.")
            await client.ask()
            await served.proxy.settle()
            assert await served.names() == ["proxy-one"]
            assert await served.abandoned("proxy-one") > 0


@given(
    st.text(max_size=300),
    st.dictionaries(st.sampled_from(["metadata", "prompt_cache_key"]), st.text() | st.integers()),
)
def test_any_session_name_can_be_stored(name: str, body: dict[str, Any]) -> None:
    call = read_call("POST", "/v1/messages", json.dumps({"messages": [], **body}).encode())
    assert call is not None
    found = session_of({"x-session-id": name}, call)
    assert len(found) <= 120
    assert found.isprintable()
    assert session_of({"x-session-id": name}, call) == found


@given(st.lists(st.integers(0, 4), max_size=12), st.lists(st.integers(0, 4), max_size=12))
def test_a_grown_history_belongs_to_its_thread(first: list[int], more: list[int]) -> None:
    digests = _digests([0, *first])
    thread = Thread("a", TOOLS, digests)
    session = Session([Thread("b", TOOLS, _digests([9])), thread])
    place = place_of(session, _digests([0, *first, *more]), TOOLS, list, named=True)
    assert place.thread is thread
    assert not place.looks
    assert place_of(session, _digests([0, *first, *more]), frozenset(), list, named=True).looks


def test_tools_are_those_of_a_thread_if_most_are() -> None:
    assert same_tools(TOOLS, TOOLS | {"new"})
    assert same_tools(None, TOOLS)
    assert not same_tools(TOOLS, frozenset())
    assert not same_tools(TOOLS, frozenset(("title",)))


def test_a_summary_is_known_by_its_long_lines() -> None:
    assert quoted_through(SUMMARY, ["a", f"x\n{SUMMARY}", "b"]) == 2
    assert quoted_through("short", ["short"]) == 0
    assert quoted_through(SUMMARY, ["something else"]) == 0


def _digests(history: list[Any]) -> tuple[bytes, ...]:
    return plain_history(history).digests
