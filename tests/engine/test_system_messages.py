"""System and developer messages among the others: stored, found, rendered in their places, and the newest kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.formats.rules import anthropic_breaches, bedrock_breaches, gemini_breaches, openai_breaches
from palimpsest.record.message import DEVELOPER, Message, Text, is_developer
from palimpsest.record.window_items import OmittedItem, SummaryItem
from palimpsest.settings import PRESETS
from tests.effort import examples
from tests.engine.drawing import bulk, plain_sessions, said
from tests.engine.laws import assert_lawful, tried


def told(text: str, *, developer: bool = False) -> Message:
    return Message("system", (Text(text),), wire="openai", extra=DEVELOPER if developer else "")


def newest_texts(history: list[Message]) -> list[str]:
    """The text of the newest system message and of the newest developer message."""
    return list({is_developer(one): one.text for one in history if one.role == "system"}.values())


async def shown(talk: Conversation) -> list[str]:
    """The requests of all providers, once each has been found valid; none if nothing fits."""
    request, refusal = await tried(talk.request(model="claude-opus-5"))
    if request is None:
        assert refusal is not None
        return []
    bodies = (
        (request.openai(), openai_breaches),
        (request.anthropic(), anthropic_breaches),
        (request.gemini(), gemini_breaches),
        (request.converse(), bedrock_breaches),
    )
    for body, breaches in bodies:
        assert breaches(body) == ()
    return [json.dumps(body) for body, _ in bodies]


@st.composite
def told_sessions(draw: st.DrawFn) -> list[list[Message]]:
    """Turns with system and developer messages at any place but the first, each with its own text."""
    turns = draw(plain_sessions(8))
    for number, turn in enumerate(turns):
        for count in range(draw(st.integers(0, 2))):
            words = f"Rule {number}.{count}: " + "be careful with the harbour lamp. " * draw(
                st.sampled_from((1, 8))
            )
            place = draw(st.integers(1, len(turn)))
            turn.insert(place, told(words.strip(), developer=draw(st.booleans())))
    return turns


@pytest.mark.parametrize("preset", list(PRESETS))
@given(turns=told_sessions())
@examples(12)
async def test_the_newest_of_each_kind_is_in_every_request_after_any_compaction(
    preset: str, turns: list[list[Message]]
) -> None:
    async with palimpsest.open(":memory:", preset=preset, window_tokens=9_000, max_tokens=900) as engine:
        talk = engine.conversation("a")
        history: list[Message] = []
        for turn in turns:
            await talk.append(*turn)
            history += turn
            await talk.end_turn()
            await engine.idle()
            bodies = await shown(talk)
            assert all(json.dumps(text)[1:-1] in body for text in newest_texts(history) for body in bodies)
        await tried(talk.compact())
        await tried(talk.compact(until_under_tokens=2_000))
        await assert_lawful(talk, history)
        bodies = await shown(talk)
        assert all(json.dumps(text)[1:-1] in body for text in newest_texts(history) for body in bodies)


@pytest.mark.parametrize("preset", list(PRESETS))
async def test_older_system_messages_are_compacted_with_what_stands_around_them(preset: str) -> None:
    async with palimpsest.open(":memory:", preset=preset, window_tokens=16_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        for number in range(40):
            await talk.append(said("user", f"Round {number}. " + bulk(900, number)), told(f"Rule {number}."))
            await talk.append(said("assistant", bulk(900, number)))
            await talk.end_turn()
        await engine.idle()
        await talk.request()
        window = (await talk.window()).window
        hidden = [item for item in window.items if isinstance(item, SummaryItem | OmittedItem)]
        assert sum(item.last - item.first + 1 for item in hidden) > 30
        assert any("Rule 39." in body for body in await shown(talk))


async def test_a_later_system_message_is_stored_found_and_sent_in_its_place() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("a")
        history: list[dict[str, Any]] = [
            {"role": "system", "content": "You are Ada."},
            {"role": "user", "content": "Trim the lamp."},
            {"role": "developer", "content": "The zircon lamp is off limits."},
            {"role": "assistant", "content": "Understood."},
        ]
        await talk.sync(history)
        assert (await talk.request()).system == "You are Ada."
        assert [one.message.role for one in await talk.messages()] == ["user", "system", "assistant"]
        assert [hit.role for hit in (await talk.grep("zircon")).hits] == ["system"]
        assert [hit.role for hit in (await talk.grep("zircon", role="system")).hits] == ["system"]
        found = await talk.search("Which lamp is off limits?")
        assert any("zircon" in one.text for one in found.passages)
        request = await talk.request(model="claude-opus-5")
        assert [one["role"] for one in request.openai()["messages"]][1:] == ["user", "developer", "assistant"]  # type: ignore[attr-defined]
        assert [one["role"] for one in request.anthropic()["messages"]] == ["user", "system", "assistant"]  # type: ignore[attr-defined]
        older = await talk.request(model="claude-sonnet-4-5")
        assert [one["role"] for one in older.anthropic()["messages"]] == ["user", "assistant"]  # type: ignore[attr-defined]
        assert request.regions.history > 0


async def test_a_resent_history_matches_its_system_messages_and_an_edited_one_is_a_branch() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("a")
        history: list[dict[str, Any]] = [
            {"role": "system", "content": "You are Ada."},
            {"role": "user", "content": "Trim the lamp."},
            {"role": "system", "content": "Be brief."},
            {"role": "assistant", "content": "Done."},
        ]
        assert (await talk.sync(history)).added == 3
        again = [
            {"role": "system", "content": "You are Bea."},
            *history[1:],
            {"role": "user", "content": "And?"},
        ]
        done = await talk.sync(again)
        assert (done.added, done.forked, (await talk.request()).system) == (1, False, "You are Bea.")
        again[2] = {"role": "system", "content": "Be loud."}
        assert (await talk.sync(again)).forked


async def test_an_append_of_only_a_system_message_is_the_prompt_until_the_first_message() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("a")
        for text in ("A", "B"):
            assert await talk.append({"role": "system", "content": text}) == []
        await talk.append({"role": "user", "content": "hi"})
        assert (await talk.request()).system == "B"
        (stored,) = await talk.append({"role": "system", "content": "C"})
        assert (stored.message.role, (await talk.request()).system) == ("system", "B")


async def test_a_chunk_of_a_resent_history_begins_with_a_system_message_that_is_no_prompt() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("a")
        history = [
            {"role": "user" if place % 2 else "assistant", "content": f"say {place}"}
            for place in range(1, 65)
        ]
        await talk.sync(history)
        history += [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "go on"}]
        assert (await talk.sync(history)).added == 2
        assert (await talk.sync([*history, {"role": "assistant", "content": "yes"}])).added == 1
        assert (await talk.request()).system == ""
        assert len(state_of(talk).sent_history.chunks) == 2


async def test_an_export_brings_system_messages_back(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    async with palimpsest.open(tmp_path / "one.db") as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "hi"), told("Be brief.", developer=True), said("assistant", "yes"))
        before = [one.message for one in await talk.messages()]
        await engine.export_all(file)
    async with palimpsest.open(tmp_path / "two.db") as engine:
        await engine.import_all(file)
        assert [one.message for one in await engine.conversation("a").messages()] == before
        assert (await engine.verify()).faults == ()
