"""Requests: they fit or say why not, they only grow between two compactions, and they remember what they were told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.budget.assemble import PREFACE, RECALL_PREFACE
from palimpsest.budget.regions import PREFACE_TOKENS
from palimpsest.engine.compacting.request_fit import does_not_fit
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.errors import DoesNotFit, FormatError, UsageError
from palimpsest.record.decision import Budget, Regions
from palimpsest.record.message import Message
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem
from tests.effort import examples, size
from tests.engine.drawing import bulk, plain_sessions, said, tool_group
from tests.engine.laws import assert_lawful, assert_request_lawful, exact_tokens

Body = dict[str, object]


def _messages(body: Body) -> list[Body]:
    found = body["messages"]
    assert isinstance(found, list)
    return found


def _is_prefix(before: list[Body], after: list[Body], *, merging: bool) -> bool:
    """Whether `after` is `before` plus more; with `merging`, the last message may have grown at its end."""
    if after[: len(before)] == before:
        return True
    last = len(before) - 1
    if not merging or after[:last] != before[:last] or after[last]["role"] != before[last]["role"]:
        return False
    old, new = before[last]["content"], after[last]["content"]
    blocks = old if isinstance(old, list) else [{"type": "text", "text": old}]
    return isinstance(new, list) and new[: len(blocks)] == blocks


@given(plain_sessions(9), st.booleans())
@examples(60)
def test_between_two_compactions_a_request_is_the_previous_one_plus_what_was_appended(
    turns: list[list[Message]], quick: bool
) -> None:
    asyncio.run(_growing(turns, quick=quick))


async def _growing(turns: list[list[Message]], *, quick: bool) -> None:
    small: dict[str, Any] = {
        "fresh_tail_count": 4,
        "leaf_min_fanout": 3,
        "leaf_chunk_tokens": 1_000,
        "condensed_min_fanout": 2,
    }
    async with palimpsest.open(
        ":memory:", window_tokens=9_000, max_tokens=500, preset="hierarchical", **small
    ) as engine:
        talk = engine.conversation("a")
        before: tuple[Body, Body] = ({"messages": []}, {"messages": []})
        mark, replaced = "", -1
        for turn in turns:
            await talk.append(*turn)
            request = await talk.request(system="Be brief.")
            after = (request.openai(), request.anthropic())
            done = len(await state_of(talk).store.compactions("me", "a"))
            same = done == replaced
            grown = [
                _is_prefix(_messages(old), _messages(new), merging=at == 1)
                for at, (old, new) in enumerate(zip(before, after, strict=True))
            ]
            assert not same or grown == [True, True]
            assert (request.mark == mark) == same
            before, mark, replaced = after, request.mark, done
            if not quick:
                await talk.end_turn()
                await engine.idle()
                replaced = done if len(await state_of(talk).store.compactions("me", "a")) == done else -1


async def test_the_rendered_bytes_are_the_same_for_the_same_window() -> None:
    async with palimpsest.open(
        ":memory:", preset="hierarchical", fresh_tail_count=2, leaf_min_fanout=2
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Go"), *(said("assistant", bulk(900, number)) for number in range(9)))
        await talk.compact()
        first, second = await talk.request(), await engine.conversation("a").request()
        assert first == second
        assert first.openai() == second.openai()
        assert first.anthropic() == second.anthropic()


def _room(window_tokens: int = 3_000, max_tokens: int = 500, **changes: Any):
    return palimpsest.open(
        ":memory:", window_tokens=window_tokens, max_tokens=max_tokens, preset="hierarchical", **changes
    )


async def test_a_newest_request_that_alone_does_not_fit_is_named_and_nothing_is_lost() -> None:
    async with _room() as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "first"), said("assistant", bulk(2_000)), said("user", bulk(40_000)))
        with pytest.raises(DoesNotFit) as caught:
            await talk.request()
        assert caught.value.parts[0][0] == "newest request m3"
        assert caught.value.capacity_tokens < 2_500
        assert [one.message.text for one in await talk.messages()] == ["first", bulk(2_000), bulk(40_000)]
        assert [item.first for item in (await talk.window()).window.items] == [1, 2, 3]
        await talk.append(said("user", "shorter now"))
        assert (await talk.request()).messages[-1].text == "shorter now"


@pytest.mark.parametrize(
    "named, given_parts",
    [
        ("system prompt", {"system": bulk(20_000)}),
        ("memory", {"memory": bulk(20_000)}),
        (
            "tools",
            {"tools": [{"name": "t", "description": bulk(20_000), "input_schema": {"type": "object"}}]},
        ),
    ],
)
async def test_a_fixed_part_that_does_not_fit_is_named_first(named: str, given_parts: dict[str, Any]) -> None:
    async with _room() as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "hello"))
        with pytest.raises(DoesNotFit, match="no request fits") as caught:
            await talk.request(**given_parts)
        assert caught.value.parts[0][0] == named
        assert (await talk.request(system="", memory="", tools=[])).messages[-1].text == "hello"


async def test_what_the_provider_counts_more_is_a_part_of_what_does_not_fit() -> None:
    async with _room() as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "first"), said("assistant", bulk(2_000)), said("user", bulk(2_000)))
        request = await talk.request(system="Be brief.")
        await talk.record_usage({"prompt_tokens": request.tokens + 600}, request)
        await talk.append(said("assistant", "well"), said("user", bulk(40_000)))
        with pytest.raises(DoesNotFit) as caught:
            await talk.request()
        parts = dict(caught.value.parts)
        assert parts["what the provider counts more"] > 600
        assert sum(parts.values()) > caught.value.capacity_tokens


@given(st.builds(Regions, *[st.integers(0, 10**6)] * 8), st.integers(-(10**6), 10**6))
def test_the_parts_of_what_does_not_fit_add_up_to_a_request_without_its_ledger(
    regions: Regions, correction_tokens: int
) -> None:
    budget = Budget(regions, 10_000, 1_000, 100, correction_tokens)
    error = does_not_fit(Window(), budget)
    assert sum(tokens for _, tokens in error.parts) == budget.used_tokens - regions.ledger


@pytest.mark.sampled
async def test_a_history_far_larger_than_the_window_is_made_to_fit_by_one_request() -> None:
    async with _room(window_tokens=8_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        history = [said("user", "Go on until it works.")]
        for number in range(size(60, 400)):
            history += tool_group([f"c{number}"], [9_000], [0], 1, "Next.")
        await talk.append(*history)
        request = await talk.request(system="Be brief.")
        assert_request_lawful(request, 7_000)
        await assert_lawful(talk, history)
        omitted = [
            record
            for record in await state_of(talk).store.compactions("me", "a")
            if record.item_kind == "omitted"
        ]
        assert omitted == []


@pytest.mark.sampled
async def test_one_round_is_enough_to_fit_when_no_more_are_allowed() -> None:
    async with _room(window_tokens=8_000, max_tokens=1_000, max_rounds=1) as engine:
        talk = engine.conversation("a")
        history = [
            said("user", "Go"),
            *(said("assistant", bulk(8_000, number)) for number in range(size(40, 120))),
        ]
        await talk.append(*history)
        assert_request_lawful(await talk.request(), 7_000)
        await assert_lawful(talk, history)


async def test_a_report_of_usage_that_a_compaction_outdates_does_not_hinder_the_next_request() -> None:
    async with _room(window_tokens=6_000, max_tokens=500) as engine:
        talk = engine.conversation("a")
        history = [said("user", "Go")]
        await talk.append(*history)
        for number in range(30):
            request = await talk.request()
            reported = request.regions.total - 200 if number % 2 else request.regions.total + 600
            await talk.record_usage({"prompt_tokens": reported, "completion_tokens": 5}, request)
            more = said("assistant" if number % 2 else "user", bulk(1_500, number))
            await talk.append(more)
            history.append(more)
        assert_request_lawful(await talk.request(), 5_500)
        await assert_lawful(talk, history)


async def test_reported_usage_corrects_what_follows_also_in_another_process(tmp_path: object) -> None:
    path = f"{tmp_path}/a.db"
    async with palimpsest.open(path, preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", bulk(2_000)))
        first = await talk.request()
        await talk.record_usage({"prompt_tokens": first.tokens + 250, "completion_tokens": 5}, first)
        assert (await talk.request()).tokens == first.tokens + 250
        await talk.append(said("assistant", "done"))
        grown = (await talk.request()).tokens
        assert first.tokens + 250 < grown < first.tokens + 280
    async with palimpsest.open(path, preset="hierarchical") as engine:
        assert (await engine.conversation("a").request()).tokens == grown
        edited = await engine.conversation("a").sync([said("user", "something else")])
        assert edited.forked
        assert (await engine.conversation("a").request()).tokens < 50


async def test_a_goal_above_the_capacity_is_the_capacity() -> None:
    async with _room(window_tokens=4_000, max_tokens=500) as engine:
        talk = engine.conversation("a")
        await talk.append(
            said("user", "Go"), *(said("assistant", bulk(1_200, number)) for number in range(30))
        )
        report = await talk.compact(until_under_tokens=1_000_000)
        assert report is not None
        assert (await talk.request()).tokens <= 3_500


async def test_a_goal_that_cannot_be_reached_is_named_and_nothing_is_replaced() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(said("assistant", bulk(9_000)), said("user", bulk(3_000)))
        before = (await talk.window()).window
        with pytest.raises(DoesNotFit, match="no request fits 50 tokens \\(asked for\\)"):
            await talk.compact(until_under_tokens=50)
        assert (await talk.window()).window == before
        with pytest.raises(UsageError):
            await talk.compact(until_under_tokens=0)


async def test_compacting_when_nothing_is_to_do_says_so() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        assert await talk.compact() is None
        await talk.append(said("user", "hello"))
        assert await talk.compact() is None
        assert await talk.end_turn() is None
        assert (await talk.plan_compact()).steps == ()


async def test_a_dry_run_changes_nothing_and_names_what_would_be_done_first() -> None:
    async with _room(fresh_tail_count=2, leaf_min_fanout=2) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Go"), *(said("assistant", bulk(800, number)) for number in range(8)))
        before = (await talk.window()).window
        decision = await talk.plan_compact()
        assert (await talk.window()).window == before
        report = await talk.compact()
        assert report is not None
        assert decision.reason == report.reason.partition(";")[0]


async def test_a_request_before_the_first_message_is_refused() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        with pytest.raises(UsageError, match="has no messages"):
            await engine.conversation("a").request()


async def test_after_a_message_that_cannot_be_read_nothing_of_the_append_is_stored() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        with pytest.raises(FormatError, match="message 1"):
            await talk.append({"role": "user", "content": "fine"}, {"role": "nobody"})
        with pytest.raises(FormatError, match=r"message 0.* is a int"):
            await talk.append(3)
        assert await talk.messages() == []
        await talk.append({"role": "user", "content": "fine"})
        assert [one.message.text for one in await talk.messages()] == ["fine"]


async def test_the_same_key_stores_once_and_returns_the_first_messages() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        first = await talk.append(said("user", "one"), key="k")
        await talk.append(said("assistant", "two"), key="other")
        again = await talk.append(said("user", "another one"), key="k")
        assert again == first
        assert [one.message.text for one in await talk.messages()] == ["one", "two"]
        assert (await talk.request()).messages[-1].text == "two"
        elsewhere = await engine.conversation("b").append(said("user", "three"), key="k")
        assert [one.message.text for one in elsewhere] == ["three"]


async def test_leading_system_messages_are_the_prompt_and_later_ones_are_messages() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "developer", "content": "Z"})
        await talk.append({"role": "system", "content": "A"}, {"role": "user", "content": "hi"}, key="k")
        assert (await talk.request()).system == "A"
        await talk.append({"role": "developer", "content": "B"}, {"role": "assistant", "content": "yes"})
        assert (await talk.request()).system == "A"
        assert (await talk.request(system="C")).system == "C"
        assert (await talk.request()).system == "C"
        await talk.append({"role": "system", "content": "A"}, {"role": "user", "content": "hi"}, key="k")
        assert [one.message.role for one in await talk.messages()] == ["user", "system", "assistant"]
        sent = (await talk.request()).openai()["messages"]
        assert [message["role"] for message in sent] == ["system", "user", "developer", "assistant"]  # type: ignore[attr-defined]


async def test_a_system_prompt_stored_by_another_engine_is_seen(tmp_path: object) -> None:
    path = f"{tmp_path}/a.db"
    async with (
        palimpsest.open(path, preset="hierarchical") as first,
        palimpsest.open(path, preset="hierarchical") as second,
    ):
        mine, yours = first.conversation("a"), second.conversation("a")
        await mine.append({"role": "system", "content": "A"}, {"role": "user", "content": "hi"})
        assert (await yours.request()).system == "A"
        await mine.sync([{"role": "system", "content": "B"}, {"role": "user", "content": "hi"}])
        await mine.append({"role": "user", "content": "and more"})
        assert (await yours.request()).system == "B"


async def test_tools_are_remembered_and_memory_is_not() -> None:
    tool = {"name": "read", "description": "Reads.", "input_schema": {"type": "object"}}
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "hi"))
        first = await talk.request(system="S", memory="M", tools=[tool])
        assert first.system_texts == ("S", "M")
        second = await talk.request()
        assert (second.system_texts, second.tools) == (("S",), first.tools)
        assert (await talk.request(tools=[])).tools == ()


async def test_the_regions_of_a_request_add_up_to_its_tokens() -> None:
    async with palimpsest.open(
        ":memory:", preset="hierarchical", fresh_tail_count=2, leaf_min_fanout=2
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Go"), *(said("assistant", bulk(900, number)) for number in range(9)))
        await talk.compact()
        request = await talk.request(system="Be brief.")
        assert request.regions.total == request.tokens
        assert min(request.regions.system, request.regions.summaries, request.regions.history) > 0


def test_the_preface_is_counted() -> None:
    assert max(exact_tokens(text + "\n\n") for text in (PREFACE, RECALL_PREFACE)) <= PREFACE_TOKENS


async def _forked(talk: Conversation) -> None:
    await talk.append(said("user", "one"), said("assistant", "two"), said("user", "three"))
    done = await talk.sync([said("user", "one"), said("assistant", "another two")])
    assert done.forked


async def test_an_edited_history_forks_and_the_old_one_can_be_taken_up_again() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await _forked(talk)
        assert [message.text for message in (await talk.request()).messages] == ["one", "another two"]
        back = await talk.sync([said("user", "one"), said("assistant", "two"), said("user", "three")])
        assert (back.added, back.forked, back.messages) == (0, False, 3)
        assert [message.text for message in (await talk.request()).messages] == ["one", "two", "three"]


async def test_a_history_is_resolved_to_the_conversation_that_holds_it() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        await engine.conversation("a").append(said("user", "one"), said("assistant", "two"))
        await engine.conversation("b").append(said("user", "other"))
        found = await engine.resolve([said("user", "one"), said("assistant", "two"), said("user", "new")])
        assert found is not None
        assert found.id == "a"
        assert await engine.resolve([said("user", "unknown")]) is None
        assert await engine.resolve([]) is None


async def test_an_empty_history_sent_again_is_an_empty_conversation() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("a")
        assert (await talk.sync([])).messages == 0
        await talk.append(said("user", "one"))
        assert (await talk.sync([])).messages == 0
        await talk.append(said("user", "two"))
        assert [
            item.stored.message.text
            for item in (await talk.window()).window.items
            if isinstance(item, MessageItem)
        ] == ["two"]
