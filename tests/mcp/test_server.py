"""The tools and resources as a client meets them, the SDK's own, over a server in this process."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference, TextResourceContents

import palimpsest
from palimpsest.budget.token_estimator import count_text
from palimpsest.mcp.resources import RESOURCE_TOKENS
from palimpsest.record.recall_mark import is_recalled
from tests.mcp.kit import WORDS, connected, fill, filled, text_of

TOOLS = {"search", "grep", "describe", "expand", "status"}


async def test_five_tools_are_offered_and_all_only_read() -> None:
    async with filled() as engine, connected(engine) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.annotations is not None
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, False)
        assert tool.input_schema["type"] == "object"
        assert "short_" not in f"{tool.description}{tool.title}{tool.input_schema}"


async def test_what_was_said_is_found_and_read_back() -> None:
    async with filled() as engine, connected(engine) as client:
        found = text_of(await client.call_tool("search", {"question": "when were the buoys painted?"}))
        hits = text_of(await client.call_tool("grep", {"pattern": '"NB-204"'}))
        read = text_of(await client.call_tool("expand", {"message_ids": ["m2"]}))
        outline = text_of(await client.call_tool("describe", {"id": "m2"}))
    assert WORDS in found
    assert "m2" in hits
    assert "short_" not in hits
    assert WORDS in read
    assert "m2" in outline


async def test_chinese_is_found() -> None:
    async with filled() as engine, connected(engine) as client:
        hits = text_of(await client.call_tool("grep", {"pattern": "渡船"}))
    assert "m4" in hits


async def test_every_answer_bears_the_mark_of_what_was_read_back() -> None:
    calls: list[tuple[str, dict[str, object]]] = [
        ("search", {"question": "buoys"}),
        ("grep", {"pattern": "buoys"}),
        ("expand", {"message_ids": ["m1"]}),
        ("describe", {"id": "m1"}),
        ("describe", {"id": "s77"}),
        ("status", {}),
    ]
    async with filled() as engine, connected(engine) as client:
        answers = [text_of(await client.call_tool(name, arguments)) for name, arguments in calls]
    assert [answer for answer in answers if not is_recalled(answer)] == []


async def test_a_conversation_can_be_named_by_its_beginning_or_as_the_last() -> None:
    async with filled() as engine, connected(engine) as client:
        await fill(engine, "another")
        one = text_of(await client.call_tool("grep", {"pattern": "painted", "conversation": "har"}))
        last = text_of(await client.call_tool("grep", {"pattern": "painted", "conversation": "last"}))
        meant = text_of(await client.call_tool("grep", {"pattern": "painted", "session_id": "har"}))
        wrong = await client.call_tool("grep", {"pattern": "painted", "conversation": "nowhere"})
        strange = await client.call_tool("grep", {"pattern": "painted", "conversation": [7]})
    assert "m2" in one
    assert "m6" not in one
    assert "m6" in last
    assert wrong.is_error
    assert meant == one
    assert "no conversation 'nowhere'" in text_of(wrong)
    assert "no conversation '[7]'" in text_of(strange)


@pytest.mark.parametrize(
    "name, arguments, told",
    [
        ("grep", {"pattern": "quokka"}, "or without `conversation`."),
        ("search", {"question": "quokka?"}, "Try other words, or without `conversation`."),
        (
            "expand",
            {"message_ids": ["m6"]},
            "Ask without `conversation`: m6 is in another conversation, ",
        ),
        ("expand", {"message_ids": ["m6", "m1"]}, "ask without `conversation`: m6 is in another"),
        ("expand", {}, ", conversation?."),
    ],
)
async def test_from_one_conversation_the_way_to_the_others_is_told_as_it_is_here(
    name: str, arguments: dict[str, object], told: str
) -> None:
    async with filled() as engine, connected(engine) as client:
        await fill(engine, "another")
        answer = text_of(await client.call_tool(name, {**arguments, "conversation": "harbour"}))
    assert told in answer
    assert "all_conversations" not in answer


@pytest.mark.parametrize(
    "name,arguments",
    [
        ("expand", {"message_ids": ["m999999"]}),
        ("describe", {"id": "s1"}),
        ("grep", {"pattern": ""}),
        ("search", {"question": "?"}),
        ("search", {}),
        ("expand", {}),
    ],
)
async def test_what_a_model_gets_wrong_is_an_error_that_it_can_read(
    name: str, arguments: dict[str, object]
) -> None:
    async with filled() as engine, connected(engine) as client:
        result = await client.call_tool(name, arguments)
    assert result.is_error
    assert len(text_of(result)) > 30


async def test_a_pattern_of_a_hundred_kilobytes_is_answered() -> None:
    async with filled() as engine, connected(engine) as client:
        for pattern in ('AND OR NOT ( "', "x" * 100_000, "buoys " * 16_000, '"' * 100_000, "(" * 100_000):
            result = await client.call_tool("grep", {"pattern": pattern})
            assert len(text_of(result)) < 20_000


async def test_an_unknown_tool_is_refused_with_the_names_of_those_there_are() -> None:
    async with filled() as engine, connected(engine) as client:
        with pytest.raises(MCPError, match="search, grep"):
            await client.call_tool("forget", {})


async def test_one_owner_never_sees_what_another_said(tmp_path: Path) -> None:
    db = tmp_path / "p.db"
    async with palimpsest.open(db, owner="ann") as engine:
        await fill(engine)
    async with palimpsest.open(db, owner="bob") as engine, connected(engine) as client:
        answers = [
            text_of(await client.call_tool(name, arguments))
            for name, arguments in (
                ("search", {"question": "buoys painted Kobbness"}),
                ("grep", {"pattern": "buoys"}),
                ("grep", {"pattern": "buoys", "conversation": "harbour"}),
                ("expand", {"message_ids": ["m1", "m2"]}),
                ("describe", {"id": "m2"}),
                ("status", {}),
            )
        ]
        assert (await client.list_resources()).resources == []
        with pytest.raises(MCPError):
            await client.read_resource("palimpsest://conversation/harbour")
    assert [answer for answer in answers if "Kobbness" in answer or "NB-204" in answer] == []


async def test_many_calls_at_once_are_all_answered() -> None:
    async with filled() as engine, connected(engine) as client:
        results = await asyncio.gather(
            *(client.call_tool("grep", {"pattern": "buoys"}) for _ in range(40)),
            *(client.call_tool("search", {"question": f"painted {place}"}) for place in range(20)),
        )
    assert [result for result in results if result.is_error] == []


async def test_a_cancelled_call_leaves_the_server_answering() -> None:
    async with filled() as engine, connected(engine) as client:
        calls = [asyncio.ensure_future(client.call_tool("search", {"question": "buoys"})) for _ in range(8)]
        await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert "m2" in text_of(await client.call_tool("grep", {"pattern": "painted"}))


async def test_status_says_what_is_stored_as_text_and_as_fields() -> None:
    async with filled() as engine, connected(engine) as client:
        result = await client.call_tool("status", {})
    assert "1 conversation, 4 messages" in text_of(result)
    fields = result.structured_content
    assert (fields["conversations"], fields["messages"], fields["following"]) == (1, 4, None)
    assert is_recalled(json.dumps(fields, separators=(",", ":")))
    assert fields["newest"][0]["id"] == "harbour"


async def test_conversations_are_listed_page_by_page_and_each_can_be_read() -> None:
    async with palimpsest.open(":memory:") as engine, connected(engine) as client:
        for place in range(120):
            await engine.conversation(f"bay {place}/東").append({"role": "user", "content": f"tide {place}"})
        uris: list[str] = []
        cursor = None
        for _ in range(3):
            page = await client.list_resources(cursor=cursor)
            uris += [one.uri for one in page.resources]
            cursor = page.next_cursor
        content = (await client.read_resource(uris[-1])).contents[0]
    assert cursor is None
    assert len(set(uris)) == 120
    assert isinstance(content, TextResourceContents)
    assert "tide 0" in content.text


async def test_a_long_conversation_is_read_in_bounded_pieces_that_lead_through_all_of_it() -> None:
    async with palimpsest.open(":memory:") as engine, connected(engine) as client:
        texts = [f"{place}: {'the tide of the bay rises slowly ' * 60}" for place in range(120)]
        await engine.conversation("long").append(*({"role": "user", "content": text} for text in texts))
        seen: set[str] = set()
        uri: str | None = "palimpsest://conversation/long?start=1"
        pieces = 0
        while uri is not None and pieces < 120:
            content = (await client.read_resource(uri)).contents[0]
            assert isinstance(content, TextResourceContents)
            assert count_text(content.text) < RESOURCE_TOKENS + 500
            seen |= {line.split(":")[0] for line in content.text.splitlines() if line[:1].isdigit()}
            following = [line for line in content.text.splitlines() if line.startswith("what follows: ")]
            uri = following[0].removeprefix("what follows: ") if following else None
            pieces += 1
    assert seen == {str(place) for place in range(120)}
    assert pieces > 2


async def test_of_short_messages_a_resource_holds_as_many_as_fit() -> None:
    async with palimpsest.open(":memory:") as engine, connected(engine) as client:
        texts = [f"{place}: the tide rises slowly" for place in range(1_000)]
        await engine.conversation("short").append(*({"role": "user", "content": text} for text in texts))
        for uri, first in (
            ("palimpsest://conversation/short", "999:"),
            ("palimpsest://conversation/short?start=1", "0:"),
        ):
            content = (await client.read_resource(uri)).contents[0]
            assert isinstance(content, TextResourceContents)
            assert RESOURCE_TOKENS * 0.9 < count_text(content.text) < RESOURCE_TOKENS + 500
            assert first in content.text


async def test_a_summary_is_a_resource_and_leads_to_its_conversation() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000) as engine, connected(engine) as client:
        talk = engine.conversation("long")
        for place in range(60):
            await talk.append(
                {"role": "user", "content": f"What of berth {place}? " + "It is wet. " * 40},
                {"role": "assistant", "content": f"Berth {place} is closed until May. " + "Rain. " * 40},
            )
        report = await talk.compact(until_under_tokens=6_000)
        assert report is not None
        made = report.summaries[-1].id
        content = (await client.read_resource(f"palimpsest://summary/{made}")).contents[0]
    assert isinstance(content, TextResourceContents)
    assert "palimpsest://conversation/long?start=" in content.text
    assert "made from:" in content.text


@pytest.mark.parametrize(
    "uri",
    [
        "palimpsest://conversation/none",
        "palimpsest://summary/m1",
        "palimpsest://summary/s9",
        "palimpsest://other/1",
        "palimpsest://conversation/",
        "palimpsest://conversation/a/b",
        "file:///etc/passwd",
        "palimpsest://[",
        "nothing",
    ],
)
async def test_a_resource_that_is_not_there_is_an_error(uri: str) -> None:
    async with filled() as engine, connected(engine) as client:
        with pytest.raises(MCPError, match="no "):
            await client.read_resource(uri)


async def test_ids_are_completed() -> None:
    async with filled() as engine, connected(engine) as client:
        reference = ResourceTemplateReference(uri="palimpsest://conversation/{id}{?start}")
        done = await client.complete(reference, {"name": "id", "value": "har"})
        templates = (await client.list_resource_templates()).resource_templates
    assert done.completion.values == ["harbour"]
    assert len(templates) == 2
