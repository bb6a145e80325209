"""The tools for models: definitions for every provider, and answers that fit, say what they are and how to go on."""

from __future__ import annotations

import json
import random
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import palimpsest
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.engine.reports import Hits
from palimpsest.engine.tools.answers import hits_text, runs
from palimpsest.formats.tool_definitions import parse_tools
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolResult
from palimpsest.record.recall_mark import RECALL_TOOLS, RECALLED
from palimpsest.sync import open as open_sync
from tests.effort import examples
from tests.engine.drawing import bulk, said

LOG = "\n".join(f"line {number} of the log: berth {number * 7}" for number in range(1_500))
CURSOR = re.compile(r'short_expand\(cursor="([^"]+)"\)')


@pytest.fixture
async def talk() -> AsyncIterator[Conversation]:
    """A conversation that was compacted, with a large result in it."""
    async with palimpsest.open(
        ":memory:", preset="hierarchical", window_tokens=16_000, fresh_tail_count=4
    ) as engine:
        talk = engine.conversation("harbour")
        await talk.append(
            said("user", "The night ferry leaves from berth NB-204."),
            Message("assistant", (Text("I look."), ToolCall("c1", "read_file", '{"path": "var/boot.log"}'))),
            Message(
                "tool", (ToolResult("c1", (Text(LOG), Media("image/png", uri="https://example.org/a.png"))),)
            ),
            *(said("assistant", bulk(1_500, number)) for number in range(12)),
            said("user", "泊位 NB-204 在哪里？"),
        )
        await talk.compact(until_under_tokens=4_000)
        yield talk


async def read_on(talk: Conversation, answer_tokens: int, **arguments: object) -> list[str]:
    """The answers of short_expand, page by page."""
    tools = talk.tools(answer_tokens)
    told = [await tools.call("short_expand", arguments)]
    while found := CURSOR.search(told[-1]):
        told.append(await tools.call("short_expand", {"cursor": found[1]}))
        assert len(told) < 1_000
    return told


async def test_the_definitions_are_those_of_each_provider(talk: Conversation) -> None:
    tools = talk.tools()
    assert [one.name for one in tools] == list(RECALL_TOOLS)
    forms: list[list[dict[str, Any]]] = [tools.openai(), tools.anthropic(), tools.gemini()]
    for form in forms:
        read = [tool for one in form for tool in parse_tools(one)]
        assert [(one.name, one.description) for one in read] == [(one.name, one.description) for one in tools]
        assert [json.loads(one.schema) for one in read] == [one.parameters for one in tools]


async def test_strict_definitions_require_every_argument_and_let_it_be_null(talk: Conversation) -> None:
    for one in talk.tools().openai(strict=True):
        function: Any = one["function"]
        properties = function["parameters"]["properties"]
        assert function["strict"] is True
        assert function["parameters"]["required"] == list(properties)
        assert function["parameters"]["additionalProperties"] is False
    nulls = dict.fromkeys(("scope", "role", "last", "since", "before", "all_conversations", "limit"))
    assert "NB-204" in await talk.tools().call("short_grep", {"pattern": "berth", **nulls})


async def test_the_tools_of_all_conversations_do_not_ask_whether_to_cross(talk: Conversation) -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        await engine.conversation("a").append(said("user", "a gull"))
        await engine.conversation("b").append(said("user", "another gull"))
        tools = engine.tools()
        assert all("all_conversations" not in one.parameters["properties"] for one in tools)  # type: ignore[operator]
        assert "all_conversations" not in await tools.call("short_grep")
        told = await tools.call("short_grep", {"pattern": "gull", "all_conversations": "true"})
        assert "in a" in told
        assert "in b" in told
        assert "another" not in await engine.tools("a").call("short_grep", {"pattern": "gull"})


async def test_a_hit_says_what_it_is_and_what_reading_it_costs(talk: Conversation) -> None:
    told = await talk.tools().call("short_grep", {"pattern": "NB-204 AND ferry", "scope": "messages"})
    assert re.search(r"^m1, user, \S+Z, \d+ tokens, rank -[\d.e-]+$", told, re.MULTILINE)
    assert 'short_expand(message_ids=["m1"])' in told


async def test_what_stands_in_the_window_comes_after_what_left_it(talk: Conversation) -> None:
    await talk.append(
        said("user", "Which berth has the night ferry?"),
        said("assistant", "Let me think about the night ferry's berth again."),
    )
    asked = "berth of the night ferry"
    before = [one.id for one in await talk.search(asked)]
    told = await talk.tools().call("short_search", {"question": asked})
    found = re.findall(r"^\[([ms]\d+)", told, re.MULTILINE)
    stands = {item.id for item in (await talk.window()).window.items}
    assert before.index("m1") > found.index("m1") == 0
    assert not stands.isdisjoint(found)
    assert [one in stands for one in found] == sorted(one in stands for one in found)


async def test_what_is_not_found_says_what_else_to_try(talk: Conversation) -> None:
    for name in ("short_grep", "short_search"):
        told = await talk.tools().call(name, {"query": "xylophone"})
        assert told.startswith(f"{RECALLED} nothing]")
        assert "all_conversations=true" in told


async def test_what_is_to_be_known_of_an_answer_besides_its_hits_is_told(talk: Conversation) -> None:
    told = await talk.tools().call("short_grep", {"pattern": "berth zyzzyva"})
    assert "[found nowhere: zyzzyva]" in told
    told = await talk.tools().call("short_grep", {"pattern": "berth", "before": "2001-01-01"})
    assert "each word occurs, but not together, or not there and then" in told
    short = Hits(3_000, (await talk.grep("berth")).hits, complete=False, weighed=2_000)
    lines = hits_text(short, "harbour", "harbour", 1_000)
    assert all(f"[{note}]" in lines for note in short.notes)
    assert len(short.notes) == 2


@pytest.mark.parametrize(
    "last", ["6h", "24 hours", "a week", "the last 2 weeks", "3 mo", "past 1 month", "1y", "a year"]
)
async def test_a_stretch_of_time_is_taken_in_words(talk: Conversation, last: str) -> None:
    tools = talk.tools()
    assert "m1, user" in await tools.call("short_grep", {"pattern": "ferry", "last": last})
    assert "m1, user" in await tools.call("short_grep", {"pattern": "ferry", "since": f"{last} ago"})


@pytest.mark.parametrize("last", ["30 minutes", "may", "decade", "7", "soon"])
async def test_what_is_no_stretch_of_time_is_refused_with_those_there_are(
    talk: Conversation, last: str
) -> None:
    told = await talk.tools().call("short_grep", {"pattern": "ferry", "last": last})
    assert "6h, 7d, 2w or 1m" in told.partition("]")[2]


async def test_results_are_left_out_unless_they_are_asked_for(talk: Conversation) -> None:
    tools = talk.tools()
    without = await tools.call("short_expand", {"message_ids": ["m3"]})
    with_results = await tools.call("short_expand", {"message_ids": ["m3"], "include_results": "true"})
    assert re.search(r"results left out, about [\d,]+ tokens: include_results=true", without)
    assert "line 3 of the log" not in without
    assert "line 3 of the log" in with_results


@pytest.mark.parametrize(
    "name, asked",
    [
        ("short_grep", {"pattern": '"line 1403"'}),
        ("short_search", {"question": "what is on line 1403 of the log?"}),
    ],
)
async def test_of_what_is_larger_than_an_answer_the_part_around_the_match_is_one_call_away(
    talk: Conversation, name: str, asked: dict[str, str]
) -> None:
    tools = talk.tools(2_000)
    told = await tools.call(name, asked)
    assert count_text(told) <= 2_000
    (cursor,) = CURSOR.findall(told)
    assert f'around the match in m3: short_expand(cursor="{cursor}")' in told.splitlines()[-1]
    read = await tools.call("short_expand", {"cursor": cursor})
    assert "line 1403 of the log: berth 9821" in read
    assert "line 1300 of" not in read
    assert count_text(read) <= 2_000
    assert count_text(await talk.tools(200).call(name, asked)) <= 200


@pytest.mark.parametrize("answer_tokens", [200, 700, 4_000])
async def test_a_large_result_is_read_in_pages_that_each_fit(talk: Conversation, answer_tokens: int) -> None:
    told = await read_on(talk, answer_tokens, message_ids=["m2-m4"], include_results=True)
    assert max(map(count_text, told)) <= answer_tokens
    whole = "".join(told)
    read = set(re.findall(r"\d+", whole))
    assert {str(number * 7) for number in range(0, 1_500, 100)} <= read
    assert "https://example.org/a.png" in whole
    assert bulk(1_500, 0)[:200] in whole


@pytest.mark.parametrize("name", RECALL_TOOLS)
@pytest.mark.parametrize("answer_tokens", [200, 1_000])
async def test_no_answer_is_larger_than_its_budget(talk: Conversation, name: str, answer_tokens: int) -> None:
    tools = talk.tools(answer_tokens)
    told = await tools.call(
        name, {"query": "reader OR berth", "ids": ["s1", "m1-m15"], "id": "s1", "limit": 100}
    )
    assert told.startswith(RECALLED)
    assert count_text(told) <= answer_tokens


@pytest.fixture
async def crowd() -> AsyncIterator[Engine]:
    """Conversations with long names; messages of many calls, of Chinese, of one long word, and of little."""
    rng = random.Random(7)
    async with palimpsest.open(":memory:", window_tokens=16_000, preset="hierarchical") as engine:
        for number in range(8):
            calls = tuple(
                ToolCall(f"c{number}-{each}", "read_the_register_of_berths", '{"berth": 1}')
                for each in range(20)
            )
            results = tuple(ToolResult(one.id, (Text("ferry " * rng.randint(0, 40)),)) for one in calls)
            noise = "".join(rng.choice("0123456789abcdef") for _ in range(2_000))
            await engine.conversation(f"2026/november/{rng.getrandbits(128):032x}").append(
                said("user", "泊位在哪里？渡轮今晚从泊位出发。" * rng.randint(1, 30)),
                said("user", f"ferry berth {noise}"),
                Message("assistant", (Text("berth"), *calls)),
                Message("tool", results),
                *(said("user", f"berth {each}") for each in range(12)),
            )
        yield engine


@pytest.mark.parametrize("answer_tokens", [200, 300, 1_000])
async def test_no_answer_over_all_conversations_is_larger_than_its_budget(
    crowd: Engine, answer_tokens: int
) -> None:
    rng = random.Random(answer_tokens)
    ids = rng.sample([f"m{number}" for number in range(1, 129)], 90)
    for tools in (crowd.tools(answer_tokens=answer_tokens), crowd.tools("elsewhere", answer_tokens)):
        asked: list[tuple[str, dict[str, object]]] = [
            ("short_search", {"question": "where is the ferry's berth?", "limit": 100}),
            ("short_search", {"question": "泊位在哪里", "limit": 100}),
            ("short_grep", {"pattern": "berth", "limit": 100}),
            ("short_grep", {"pattern": "泊位", "limit": 100}),
            ("short_grep", {"pattern": "unheard of words " * 12}),
            ("short_expand", {"message_ids": ids}),
            ("short_expand", {"message_ids": ids, "include_results": True}),
        ]
        for name, arguments in asked:
            told = await tools.call(name, {**arguments, "all_conversations": True})
            assert count_text(told) <= answer_tokens
            found = CURSOR.search(told)
            if found is not None:
                told = await tools.call(name, {"cursor": found[1], "all_conversations": True})
            assert count_text(told) <= answer_tokens


async def test_a_cursor_that_names_too_many_ids_goes_on_with_the_first_and_says_so(crowd: Engine) -> None:
    ids = [f"m{number}" for number in range(1, 128, 3)]
    told = await crowd.tools(answer_tokens=200).call("short_expand", {"message_ids": ids})
    found = CURSOR.search(told)
    assert found is not None
    assert found[1].startswith("m4~")
    assert told.endswith("goes on; then ask again for m7 and what you named after it]")


async def test_the_budget_is_that_of_the_settings_and_an_eighth_of_a_small_window() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=64_000, recall_tool_tokens=1_000, preset="hierarchical"
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", bulk(60_000)))
        assert 700 < count_text(await talk.tools().call("short_expand", {"id": 1})) <= 1_000
    async with palimpsest.open(":memory:", window_tokens=4_000, preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", bulk(60_000)))
        assert 300 < count_text(await talk.tools().call("short_expand", {"id": 1})) <= 500


async def test_describe_says_what_lies_under_a_summary(talk: Conversation) -> None:
    told = await talk.tools().call("short_describe", {"summary_id": "s1"})
    assert "summary of depth 0" in told
    (messages, results) = re.findall(r"\d+ messages: ([\d,]+) tokens, ([\d,]+) of them results", told)[0]
    assert "var/boot.log" in told
    left_out = [one.left_out_tokens for one in await talk.expand(["s1"], include_results=False)]
    assert (int(results.replace(",", "")), max(left_out)) == (sum(left_out), sum(left_out))
    assert int(messages.replace(",", "")) > sum(left_out) > 1_000


async def test_a_call_with_the_cursor_alone_fits_the_schema_that_asks_for_ids(talk: Conversation) -> None:
    (expand,) = (one for one in talk.tools(200) if one.name == "short_expand")
    assert expand.parameters["required"] == []
    first = await expand.handler({"message_ids": ["m2-m4"]})
    (cursor,) = CURSOR.findall(first)
    assert "read back" in await expand.handler({"cursor": cursor})
    assert "message_ids is missing" in await expand.handler({})


async def test_one_id_is_asked_for_as_a_text(talk: Conversation) -> None:
    (describe,) = (one for one in talk.tools() if one.name == "short_describe")
    assert describe.parameters["properties"]["id"]["type"] == "string"  # type: ignore[index]


@pytest.mark.parametrize(
    "name, words", [("short_grep", "line AND berth"), ("short_search", "what is line 900 of the log?")]
)
async def test_the_way_to_read_a_hit_in_full_gives_what_a_tool_returned(
    talk: Conversation, name: str, words: str
) -> None:
    tools = talk.tools(30_000)
    told = (await tools.call(name, {"query": words})).splitlines()[-1]
    ids, results = re.findall(r"short_expand\(message_ids=(\[.*?\]), include_results=(true)\)", told)[0]
    read = await tools.call("short_expand", {"message_ids": ids, "include_results": results})
    assert "m3, tool" in read
    assert "left out" not in read
    said = (await tools.call(name, {"query": "night ferry", "limit": 1})).splitlines()[-1]
    assert said == '[in full: short_expand(message_ids=["m1"])]'


async def test_an_unknown_id_beside_known_ones_is_named_and_the_others_are_answered(
    talk: Conversation,
) -> None:
    tools = talk.tools()
    for name in ("short_expand", "short_describe"):
        told = await tools.call(name, {"ids": "m1, m999, m2"})
        head = told.splitlines()[0]
        assert head.startswith(f"{RECALLED} 2 ")
        assert "no message or summary m999" in head
        assert {"m1", "m2"} <= {line.split(",")[0] for line in told.splitlines()}
        refused = await tools.call(name, {"ids": "m998, m999"})
        assert refused.startswith(f"{RECALLED} nothing, an error] no message or summary m99")


async def test_a_summary_opens_one_level_or_down_to_its_messages() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=16_000, fresh_tail_count=2, leaf_chunk_tokens=1_000, preset="hierarchical"
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(
            said("user", "Go."), *(said("assistant", bulk(1_200, number)) for number in range(40))
        )
        await talk.compact(until_under_tokens=2_500)
        top = max((await talk.grep("parser", scope="summary", limit=100)).hits, key=lambda hit: hit.depth)
        one_down = await talk.tools().call("short_expand", {"id": top.id})
        down = await talk.tools().call("short_expand", {"id": top.id, "to_messages": True})
    assert top.depth > 0
    assert re.search(r"^s\d+, summary of depth", one_down, re.MULTILINE)
    assert not re.search(r"^s\d+, summary of depth", down, re.MULTILINE)
    assert re.search(r"^m\d+, assistant", down, re.MULTILINE)


async def test_an_unknown_tool_is_answered_with_those_there_are(talk: Conversation) -> None:
    told = await talk.tools().call("short_forget", {})
    assert all(name in told for name in RECALL_TOOLS)


async def test_a_request_takes_the_tools_as_they_are(talk: Conversation) -> None:
    tools = talk.tools()
    request = await talk.request(tools=tools)
    assert request.tools == tuple(one.definition for one in tools)
    assert (await talk.request(tools=tools.anthropic())).tools[0].name == request.tools[0].name


def test_a_synchronous_program_calls_them_too(tmp_path: Path) -> None:
    with open_sync(tmp_path / "a.db") as engine:
        talk = engine.conversation("a")
        talk.append({"role": "user", "content": "The ferry leaves at noon."})
        tools = talk.tools()
        assert "at noon" in tools.call("short_grep", {"pattern": "ferry"})
        assert len(tools.openai()) == len(RECALL_TOOLS)


@pytest.mark.parametrize(
    "ids, shown",
    [
        ([], []),
        (["m3"], ["m3"]),
        (["m1", "m2", "m3", "s4", "m5", "m7", "m8"], ["m1-m3", "s4", "m5", "m7-m8"]),
        (["m2", "m1"], ["m2", "m1"]),
    ],
)
def test_neighbours_are_named_as_a_range(ids: list[str], shown: list[str]) -> None:
    assert runs(ids) == shown


strange = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
arguments = st.dictionaries(
    st.sampled_from(
        ("pattern", "question", "message_ids", "id", "cursor", "last", "since", "role", "limit", "scope")
    ),
    strange,
)


@examples(60, lenient=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(RECALL_TOOLS), arguments | strange)
async def test_whatever_a_model_sends_is_answered_and_never_raised(
    talk: Conversation, name: str, sent: object
) -> None:
    told = await talk.tools().call(name, sent)
    assert told.startswith(RECALLED)
    assert count_text(told) <= 4_000
