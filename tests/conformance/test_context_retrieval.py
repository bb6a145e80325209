"""PicoClaw context compression, its store and its tools: nothing is lost, and what left the window is found again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Media, Message, Text, ToolCall, ToolResult, make_agent
from palimpsest.cli import main
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.conversation import Conversation
from palimpsest.record.recall_mark import RECALL_TOOLS
from palimpsest.record.window_items import MessageItem
from tests.cli.surroundings import nothing_configured, variables
from tests.conformance.harbour import WORDS, assistant, seahorse, turns, user
from tests.formats.agents import SEAHORSE, database
from tests.formats.test_transcripts_databases import seahorse_rows

NOW_S = datetime(2026, 3, 31, 12, tzinfo=UTC).timestamp()


def dated(text: str, days_ago: float, role: Any = "user") -> Message:
    return Message(role, (Text(text),), time_s=NOW_S - days_ago * 86_400)


async def test_everything_is_kept_and_indexed_in_one_store() -> None:
    """Every message, original or summarized, and every summary is kept in SQLite with full-text indexing on both."""
    async with seahorse(["The lighthouse was painted."]) as engine:
        talk = engine.conversation("a")
        await turns(talk, 20)
        await talk.end_turn()
        assert len(await talk.messages(1, 100)) == 40
        assert [hit.kind for hit in (await talk.grep("lighthouse")).hits] == ["summary"]
        assert [hit.id for hit in (await talk.grep('"question 3"', scope="message")).hits] == ["m7"]


async def test_the_tools_are_registered_with_the_agent_by_themselves() -> None:
    """short_grep and short_expand are registered with the agent's tools automatically."""
    model = ScriptedModel(["Hello."])
    async with seahorse() as engine:
        await make_agent(engine, model).answer("a", "Hello")
    names = [tool.name for tool in model.requests[0].tools]
    assert {"short_grep", "short_expand"} <= set(names) <= set(RECALL_TOOLS)


async def test_short_grep_takes_the_arguments_of_the_page() -> None:
    """short_grep(pattern, scope?, role?, last?, since?, before?, all_conversations?, limit?)."""
    async with seahorse() as engine:
        tool: Any = next(one for one in engine.conversation("a").tools() if one.name == "short_grep")
    assert list(tool.parameters["properties"]) == [
        "pattern", "scope", "role", "last", "since", "before", "all_conversations", "limit",
    ]  # fmt: skip
    assert tool.parameters["required"] == ["pattern"]


async def said_of_ferries(talk: Conversation) -> None:
    await talk.append(
        dated("The ferry was late, a timeout at the pier.", 90),
        dated("We retry the booking after a timeout.", 20, "assistant"),
        dated("No backoff for the ferry.", 3),
        dated("Rebooking works.", 0.1, "assistant"),
    )


@pytest.mark.parametrize(
    "pattern, found",
    [
        ("ferry", {"m1", "m3"}),
        ("ferry timeout", {"m1"}),
        ("ferry AND timeout", {"m1"}),
        ("backoff OR timeout", {"m1", "m2", "m3"}),
        ("timeout NOT ferry", {"m2"}),
        ("%book%", {"m2", "m4"}),
    ],
)
async def test_patterns_are_words_operators_and_fuzzy_wildcards(pattern: str, found: set[str]) -> None:
    """A pattern is words, AND / OR / NOT, and %fuzzy% wildcards."""
    async with seahorse(clock=lambda: NOW_S) as engine:
        talk = engine.conversation("a")
        await said_of_ferries(talk)
        assert {hit.id for hit in (await talk.grep(pattern)).hits} == found


@pytest.mark.parametrize(
    "bounds, found",
    [
        ({"role": "assistant"}, {"m2", "m4"}),
        ({"role": "user"}, {"m1", "m3"}),
        ({"last": "6h"}, {"m4"}),
        ({"last": "7d"}, {"m3", "m4"}),
        ({"last": "4w"}, {"m2", "m3", "m4"}),
        ({"last": "1m"}, {"m2", "m3", "m4"}),
        ({"since": "2026-03-20T00:00:00Z"}, {"m3", "m4"}),
        ({"before": "2026-01-31"}, {"m1"}),
        ({"since": "2026-03-01T00:00:00+02:00", "before": "2026-03-30T00:00:00Z"}, {"m2", "m3"}),
    ],
)
async def test_a_search_is_bounded_by_role_and_time(bounds: dict[str, Any], found: set[str]) -> None:
    """role filters by user or assistant; last is a relative window (6h, 7d, 2w, 1m), since and before are ISO 8601."""
    async with seahorse(clock=lambda: NOW_S) as engine:
        talk = engine.conversation("a")
        await said_of_ferries(talk)
        assert {hit.id for hit in (await talk.grep("ferry OR timeout OR rebooking", **bounds)).hits} == found


async def test_scope_is_summaries_or_messages_or_both() -> None:
    """scope is summary, message, or both, which is the default."""
    async with seahorse(["All of the questions were answered."]) as engine:
        talk = engine.conversation("a")
        await turns(talk, 20)
        await talk.end_turn()
        kinds = {
            scope: {
                hit.kind for hit in (await talk.grep("questions OR question", scope=scope, limit=100)).hits
            }
            for scope in ("summary", "message", "both")
        }
        assert kinds == {"summary": {"summary"}, "message": {"message"}, "both": {"summary", "message"}}
        assert {hit.kind for hit in (await talk.grep("questions OR question", limit=100)).hits} == kinds[
            "both"
        ]


async def test_all_conversations_searches_beyond_the_current_one() -> None:
    """all_conversations searches beyond the current conversation."""
    async with seahorse() as engine:
        here, there = engine.conversation("here"), engine.conversation("there")
        await here.append(user("a gull"))
        await there.append(user("another gull"))
        assert [hit.conversation for hit in (await here.grep("gull")).hits] == ["here"]
        everywhere = await here.grep("gull", all_conversations=True)
        assert {hit.conversation for hit in everywhere.hits} == {"here", "there"}


async def test_results_have_ranks_and_summaries_their_depth() -> None:
    """Results include BM25 ranks, lower (more negative) being better, and a depth on summaries: 0 is a leaf, higher is
    condensed.
    """
    async with seahorse([f"A leaf about gulls. {WORDS * 20}"]) as engine:
        talk = engine.conversation("a")
        await talk.append(user("gulls gulls gulls"), assistant(f"gulls {WORDS * 20}"))
        hits = (await talk.grep("gulls", scope="message")).hits
        assert [hit.id for hit in hits] == ["m1", "m2"]
        assert hits[0].rank < hits[1].rank < 0
        await turns(talk, 12)
        for _ in range(5):
            await turns(talk, 4)
            await talk.end_turn()
        await talk.compact(until_under_tokens=3_000)
        depths = {hit.depth for hit in (await talk.grep("gulls", scope="summary", limit=100)).hits}
        assert {0, 1} <= depths


async def test_short_expand_recovers_full_messages_by_bare_ids() -> None:
    """short_expand(message_ids: ["10", "25", ...]) recovers what a snippet only shows the beginning of."""
    async with seahorse() as engine:
        talk = engine.conversation("a")
        await turns(talk, 15)
        told = await talk.tools().call("short_expand", {"message_ids": ["10", "25"]})
        assert f"answer 4 {WORDS * 8}".strip() in told
        assert f"question 12 {WORDS * 8}".strip() in told


async def test_structured_parts_come_back_and_results_are_left_out() -> None:
    """It returns the full text and structured parts (text, tool_use arguments, media URIs); tool_result payloads are
    omitted on purpose, because they can be large.
    """
    async with seahorse() as engine:
        talk = engine.conversation("a")
        await talk.append(
            Message("user", (Text("Look at this."), Media("image/png", uri="https://example.org/pier.png"))),
            Message(
                "assistant", (Text("I read it."), ToolCall("c1", "read_file", '{"path": "var/tides.csv"}'))
            ),
            Message("tool", (ToolResult("c1", (Text("07:40;3.1;PAYLOAD"),)),)),
        )
        told = await talk.tools().call("short_expand", {"message_ids": ["1", "2", "3"]})
        entries = await talk.expand(["1", "2", "3"], include_results=False)
    for kept in ("Look at this.", "https://example.org/pier.png", "I read it.", '{"path": "var/tides.csv"}'):
        assert kept in told
    assert "PAYLOAD" not in told
    assert "results left out" in told
    assert [type(part).__name__ for entry in entries for part in entry.parts] == [
        "Text", "Media", "Text", "ToolCall", "ToolResult",
    ]  # fmt: skip


async def test_compaction_throws_nothing_away() -> None:
    """Compaction shrinks what the model sees and throws no information away: the originals can be searched and
    recovered.
    """
    async with seahorse(["Nothing of note."], window_tokens=16_000, max_tokens=2_000) as engine:
        talk = engine.conversation("a")
        await talk.append(user("The old berth is NB-204."))
        await turns(talk, 60)
        await talk.compact(until_under_tokens=3_000)
        assert not any(
            isinstance(item, MessageItem) and item.stored.seq == 1
            for item in (await talk.window()).window.items
        )
        (hit,) = (await talk.grep("NB-204", scope="message")).hits
        assert (await talk.expand([hit.id]))[0].text == "The old berth is NB-204."


def test_the_store_is_in_the_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The store is <workspace>/sessions/seahorse.db where PicoClaw's configuration is used; a database of PicoClaw's
    own there is imported and never written.
    """
    path, place = tmp_path / "config.json", tmp_path / "sessions" / "seahorse.db"
    path.write_text(json.dumps({"agents": {"defaults": {"workspace": str(tmp_path)}}}), encoding="utf-8")
    theirs, _ = database(SEAHORSE, seahorse_rows())

    def run(*words: str) -> Any:
        assert main([*words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    with nothing_configured(tmp_path), variables(PALIMPSEST_CONFIG=str(path)):
        assert run("config", "show")["db"]["value"] == str(place)
        place.parent.mkdir()
        place.write_bytes(theirs)
        run("import", str(place))
        assert {one["id"] for one in run("list")["conversations"]} == {"agent:main:1", "agent:main:2"}
    assert place.read_bytes() == theirs
    assert place.with_name("palimpsest.db").is_file()


async def test_the_tools_of_the_page_are_offered_in_small_windows_too() -> None:
    """short_grep and short_expand are offered in windows of 8,000 tokens and more."""
    model = ScriptedModel(["Good morning."])
    async with seahorse(window_tokens=8_000, max_tokens=1_000) as engine:
        await make_agent(engine, model).answer("a", "hello")
    names = {tool.name for tool in model.requests[0].tools}
    assert {"short_grep", "short_expand"} <= names
