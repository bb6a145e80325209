"""What surrounds the log: names and titles, leases, noted work, reported usage, counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.budget.calibration import Calibration
from palimpsest.errors import NotFound
from palimpsest.ports import ReportedUsage, Store
from palimpsest.record.message import Usage
from tests.contract.kit import (
    ANN,
    NOW_S,
    TALK,
    TOKENS,
    append,
    commit,
    compact,
    counted,
    dialogue,
    numbered,
    omitted,
    say,
    stubbed,
    sync,
    window_of,
)


async def test_a_conversation_is_titled_by_what_its_user_first_said(store: Store) -> None:
    await append(store, [say("the model spoke", "assistant"), say("  \n ")])
    await append(store, [say("\n  Fix the login\nplease " + "x" * 200)])
    await append(store, [say("something else")])
    (row,) = await store.conversations(ANN)
    assert row.title == "Fix the login"


async def test_what_an_agent_added_is_no_title(store: Store) -> None:
    reminder = "<system-reminder>\nToday is Sunday.\n</system-reminder>"
    await append(store, [say(reminder), say("noted", "assistant")])
    assert (await store.conversations(ANN))[0].title == ""
    await append(store, [say(f"{reminder}\nRead the tide table.")])
    assert (await store.conversations(ANN))[0].title == "Read the tide table."


async def test_a_title_shows_no_secret(store: Store) -> None:
    secret = "ghp_" + "aZ4kQ9xT2mB7" * 3
    await append(store, [say(f"Clone it with {secret} please.")])
    (row,) = await store.conversations(ANN)
    assert row.title.startswith("Clone it with [secret:")
    assert row.title.endswith("] please.")


async def test_a_title_is_short_and_whole(store: Store) -> None:
    await append(store, [say("\ud800 half " + "long " * 100)])
    (row,) = await store.conversations(ANN)
    assert row.title.startswith("\ufffd half long")
    assert len(row.title) <= 80


async def test_what_is_said_about_a_conversation_is_kept_and_none_changes_nothing(store: Store) -> None:
    await append(store, [say("first words")])
    await store.describe_conversation(ANN, TALK, title="Title", parent="main", now_s=NOW_S + 1)
    await store.describe_conversation(ANN, TALK, system="be \ud800 brief", now_s=NOW_S + 2)
    await store.describe_conversation(ANN, TALK, now_s=NOW_S)
    (row,) = await store.conversations(ANN)
    assert (row.title, row.parent, row.system, row.updated_s) == (
        "Title",
        "main",
        "be \ufffd brief",
        NOW_S + 2,
    )
    loaded = await store.load_window(ANN, TALK)
    assert loaded is not None
    assert loaded.system == "be \ufffd brief"


async def test_a_conversation_can_be_described_before_its_first_message(store: Store) -> None:
    await store.describe_conversation(ANN, TALK, title="Empty", now_s=NOW_S)
    assert await store.load_window(ANN, TALK) is None
    (row,) = await store.conversations(ANN)
    assert (row.name, row.title, row.messages, row.tokens, row.window_tokens) == (TALK, "Empty", 0, 0, 0)
    await append(store, [say("words")])
    (row,) = await store.conversations(ANN)
    assert (row.title, row.messages) == ("Empty", 1)


async def test_conversations_are_listed_newest_change_first(store: Store) -> None:
    for talk, now_s in (("a", 10.0), ("b", 30.0), ("c", 20.0), ("d", 20.0), ("a", 25.0), ("b", 5.0)):
        await store.append(ANN, talk, counted([say("x")]), now_s=now_s)
    assert [(row.name, row.updated_s) for row in await store.conversations(ANN)] == [
        ("b", 30.0), ("a", 25.0), ("d", 20.0), ("c", 20.0)
    ]  # fmt: skip


async def test_a_listed_conversation_counts_its_current_branch_and_window(store: Store) -> None:
    await sync(store, numbered(1, 10))
    await compact(store, 1, 4, tokens=10)
    await commit(store, stubbed(await window_of(store), 6, tokens=5))
    await commit(store, omitted(await window_of(store), 8, 9, tokens=3))
    (row,) = await store.conversations(ANN)
    assert (row.messages, row.tokens, row.window_tokens) == (10, 10 * TOKENS, 10 + 5 + 3 + 3 * TOKENS)
    assert row.window_tokens == (await window_of(store)).tokens
    await sync(store, [*numbered(1, 6), say("x")])
    (row,) = await store.conversations(ANN)
    assert (row.messages, row.tokens, row.window_tokens) == (7, 7 * TOKENS, (await window_of(store)).tokens)


async def test_each_of_several_listed_conversations_counts_its_own_window(store: Store) -> None:
    for talk in ("a", TALK, "c"):
        await store.append(ANN, talk, counted(numbered(1, 10)), now_s=NOW_S)
    await compact(store, 1, 4, tokens=10)
    await sync(store, [*numbered(1, 6), say("x")])
    await commit(store, stubbed(await window_of(store), 6, tokens=5))
    await store.describe_conversation(ANN, "empty", title="Empty", now_s=NOW_S)
    await store.append("bob", TALK, counted(numbered(1, 3)), now_s=NOW_S)
    listed = {row.name: row.window_tokens for row in await store.conversations(ANN)}
    assert listed.pop("empty") == 0
    assert listed == {talk: (await window_of(store, talk=talk)).tokens for talk in ("a", TALK, "c")}
    assert listed["a"] == listed["c"] == 10 * TOKENS > listed[TALK]


async def test_a_lease_keeps_others_out_until_it_expires(store: Store) -> None:
    assert await store.lease("job", "one", ttl_s=10, now_s=100)
    assert not await store.lease("job", "two", ttl_s=10, now_s=105)
    assert await store.lease("other job", "two", ttl_s=10, now_s=105)
    assert not await store.lease("job", "two", ttl_s=10, now_s=109.9)
    assert await store.lease("job", "two", ttl_s=10, now_s=110)
    assert not await store.lease("job", "one", ttl_s=10, now_s=111)


async def test_a_lease_is_renewed_by_its_holder(store: Store) -> None:
    assert await store.lease("job", "one", ttl_s=10, now_s=100)
    assert await store.lease("job", "one", ttl_s=10, now_s=108)
    assert not await store.lease("job", "two", ttl_s=10, now_s=112)
    assert await store.lease("job", "two", ttl_s=10, now_s=118)


async def test_a_lease_is_given_up_by_its_holder_only(store: Store) -> None:
    await store.release("job", "one")
    assert await store.lease("job", "one", ttl_s=10, now_s=100)
    await store.release("job", "two")
    assert not await store.lease("job", "two", ttl_s=10, now_s=101)
    await store.release("job", "one")
    assert await store.lease("job", "two", ttl_s=10, now_s=101)


async def test_work_is_noted_once_and_done_in_order(store: Store) -> None:
    for talk in ("a", "b"):
        await append(store, [say("x")], talk=talk)
    noted = [await store.enqueue(ANN, talk, kind, now_s=NOW_S) for talk, kind in (
        ("b", "leaf"), ("a", "leaf"), ("b", "leaf"), ("b", "condense"))]  # fmt: skip
    assert noted == [True, True, False, True]
    assert await store.pending(ANN) == [("b", "leaf"), ("a", "leaf"), ("b", "condense")]
    await store.finish(ANN, "b", "leaf")
    await store.finish(ANN, "b", "leaf")
    assert await store.enqueue(ANN, "b", "leaf", now_s=NOW_S)
    assert await store.pending(ANN) == [("a", "leaf"), ("b", "condense"), ("b", "leaf")]


async def test_work_for_an_unknown_conversation_is_refused(store: Store) -> None:
    with pytest.raises(NotFound):
        await store.enqueue(ANN, "unknown", "leaf", now_s=NOW_S)
    with pytest.raises(NotFound):
        await store.finish(ANN, "unknown", "leaf")
    with pytest.raises(NotFound):
        await store.record_usage(ANN, "unknown", 1, ReportedUsage(Usage(), 0, ""))
    assert await store.last_usage(ANN, "unknown", 1) is None
    assert await store.conversations(ANN) == []


async def test_the_last_reported_usage_is_kept_for_each_branch(store: Store) -> None:
    first = await sync(store, dialogue("a", "b"))
    second = await sync(store, dialogue("x"))
    assert await store.last_usage(ANN, TALK, first.branch.id) is None
    reported = ReportedUsage(Usage(1000, 20, 300, 40), 990, "mark", 2, "model-\u00e9")
    await store.record_usage(ANN, TALK, first.branch.id, replace(reported, window_mark="older"))
    await store.record_usage(ANN, TALK, first.branch.id, reported)
    await store.record_usage(ANN, TALK, 99, reported)
    assert await store.last_usage(ANN, TALK, first.branch.id) == reported
    assert await store.last_usage(ANN, TALK, second.branch.id) is None
    assert await store.last_usage(ANN, TALK, 99) is None


async def test_what_reports_taught_is_kept_for_each_model_across_conversations(store: Store) -> None:
    taught = Calibration((1.5, 0.0, 3.0, 4.0, 5.0, 6.0), (7.0, 0.0, 9.0, 10.0, 11.0, 1e5))
    assert await store.calibration(ANN, "m") is None
    first = await sync(store, dialogue("a", "b"))
    await append(store, [say("x")], talk="other")
    for model, learnt in (("m", Calibration()), ("m", taught), ("", Calibration()), ("half \ud800", taught)):
        await store.record_usage(
            ANN, TALK, first.branch.id, ReportedUsage(Usage(9, 1), 9, "mark", 2, model), learnt
        )
    await store.record_usage(ANN, TALK, first.branch.id, ReportedUsage(Usage(9, 1), 9, "mark", 2, "m"))
    await store.record_usage(ANN, TALK, 99, ReportedUsage(Usage(9, 1), 9, "mark", 2, "n"), taught)
    assert await store.calibration(ANN, "m") == taught
    assert await store.calibration(ANN, "") == Calibration()
    assert await store.calibration(ANN, "half \ud800") == taught
    assert await store.calibration(ANN, "n") is None
    assert await store.calibration("nobody", "m") is None


async def test_counts_add_up_over_conversations_and_branches(store: Store) -> None:
    await sync(store, numbered(1, 8))
    await compact(store, 1, 3)
    await compact(store, 4, 6)
    await compact(store, 1, 6, tokens=15)
    await commit(store, stubbed(await window_of(store), 7))
    await sync(store, dialogue("x"))
    await append(store, numbered(1, 2), talk="other")
    stats = await store.stats(ANN)
    assert (stats.messages, stats.tokens, stats.conversations) == (11, 11 * TOKENS, 2)
    assert (stats.summaries_by_depth, stats.compactions) == (((0, 2), (1, 1)), 4)
    assert stats.size_bytes >= 0
