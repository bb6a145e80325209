"""What a compaction reports of the exact strings that gave way: true of the next request, and the same on record."""

from __future__ import annotations

import re
from typing import Any

import pytest

import palimpsest
from palimpsest.engine.background_pauses import give_way
from palimpsest.engine.compacting.automatic_compaction import policy_of
from palimpsest.engine.compacting.commit_effects import CompactionStatistics, text_of
from palimpsest.engine.conversation import Conversation, runtime_of, state_of
from palimpsest.engine.reports import Report
from palimpsest.plan.policies import MAX_PASSES
from palimpsest.record.log import Compaction
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.window_items import MessageItem, StubItem
from palimpsest.summarize.retained_strings import Evidence, survival
from tests.effort import sampled
from tests.engine.drawing import bulk, said
from tests.engine.test_fifty import shown
from tests.summarize.indexing import index_of

PRESETS = ["default", "hierarchical", "hermes", "crabtalk", "picoclaw", "openclaw", "drop-middle"]
OPTIONS: dict[str, Any] = {"window_tokens": 24_000, "max_tokens": 1_000}
SMALL = 3_500
"""A size in which most tickets have no room."""


def tickets(number: int) -> str:
    """The tickets that one result names."""
    return " ".join(f"TIDE-{number + 100}{part:02}" for part in range(16))


def voyage(turns: int, first: int = 0) -> list[Message]:
    """A session that reads a log of each pier, with tickets that nothing else names, and says what it found."""
    return [
        one
        for number in range(first, first + turns)
        for one in (
            said("user", f"How is pier {number}?"),
            Message(
                "assistant", (ToolCall(f"c{number}", "Bash", f'{{"command": "cat logs/pier{number}.log"}}'),)
            ),
            Message(
                "tool", (ToolResult(f"c{number}", (Text(f"{tickets(number)}\n{bulk(2_000, number)}"),)),)
            ),
            said("assistant", f"Pier {number} has planks/plank{number}.toml. {bulk(900, number)}"),
        )
    ]


async def records(talk: Conversation) -> list[Compaction]:
    return list(await talk.compactions())


def counts(evidence: tuple[Evidence, ...]) -> tuple[tuple[str, int, int], ...]:
    return tuple((one.kind, one.kept, one.left) for one in evidence)


@sampled("preset", PRESETS, ["default", "picoclaw"])
@pytest.mark.parametrize("under_tokens", [None, 3_500])
async def test_the_last_record_of_a_call_says_what_its_report_says(
    preset: str, under_tokens: int | None
) -> None:
    async with palimpsest.open(":memory:", preset=preset, **OPTIONS) as engine:
        talk = engine.conversation("a")
        for first in (0, 30):
            await talk.append(*voyage(30, first))
            report = await talk.compact(under_tokens)
            assert report is not None
            last = (await records(talk))[-1]
            assert report.evidence_kept + report.evidence_left > 0
            assert last.evidence == counts(report.evidence)
            assert (last.evidence_kept, last.evidence_left) == (report.evidence_kept, report.evidence_left)


@sampled("preset", PRESETS, ["default", "hermes"])
async def test_what_is_told_of_the_tickets_is_true_of_the_next_request(preset: str) -> None:
    async with palimpsest.open(":memory:", preset=preset, **OPTIONS) as engine:
        talk = engine.conversation("a")
        await talk.append(*voyage(40))
        report = await talk.compact(SMALL if preset == "default" else None)
        assert report is not None
        request = shown(await talk.request())
        identifiers = next(one for one in report.evidence if one.kind == "identifiers")
        named = {one for number in range(40) for one in tickets(number).split()}
        away = {one for one in named if not re.search(rf"\b{one}\b", request)}
        assert identifiers.left == len(away) > 100
        assert away.issuperset(identifiers.gone)
        assert len(set(identifiers.gone)) == 100


async def test_what_was_counted_step_by_step_is_what_counting_at_once_gives() -> None:
    async with palimpsest.open(":memory:", preset="hermes", **OPTIONS) as engine:
        talk = engine.conversation("a")
        await talk.append(*voyage(40))
        await talk.pin(text="Mind TIDE-10303.")
        tally = CompactionStatistics()
        asked = policy_of(state_of(talk)).asked
        await runtime_of(talk).compactor.carry_out(
            state_of(talk), lambda state: asked(state, None), rounds=MAX_PASSES, statistics=tally
        )
        window = (await talk.window()).window
        ledger = (await records(talk))[-1].ledger
        index = await give_way(index_of([ledger, "Mind TIDE-10303.", *map(text_of, window.items)]))
        assert len(await records(talk)) > 10
        assert tally.evidence == await give_way(survival(tally.strings, index))
        assert tally.evidence


async def test_a_record_of_a_step_in_between_counts_what_was_replaced_until_then() -> None:
    async with palimpsest.open(":memory:", preset="hermes", **OPTIONS) as engine:
        talk = engine.conversation("a")
        await talk.append(*voyage(40))
        await talk.compact()
        sums = [one.evidence_kept + one.evidence_left for one in await records(talk)]
        assert len(sums) > 10
        assert sums == sorted(sums)


async def test_a_summary_that_left_before_counts_as_one_and_its_messages_are_told_apart() -> None:
    async with palimpsest.open(":memory:", preset="default", **OPTIONS) as engine:
        talk = engine.conversation("a")
        await talk.append(*voyage(40))
        first = await talk.compact()
        assert first is not None
        items = (await talk.window()).window.items
        stood = sum(isinstance(item, MessageItem | StubItem) for item in items)
        assert (first.replaced_messages > 100, first.replaced_summaries) == (True, 0)
        second = await talk.compact(first.after_tokens // 3)
        assert second is not None
        assert 0 < second.replaced_messages <= stood
        assert 0 < second.replaced_summaries <= len(first.summaries)
        assert second.omitted - second.omitted_summarized <= stood


async def test_what_is_dropped_without_a_summary_is_told_as_that() -> None:
    async with palimpsest.open(":memory:", preset="drop-middle", **OPTIONS) as engine:
        talk = engine.conversation("a")
        reports = list[Report]()
        for first in (0, 40, 80):
            await talk.append(*voyage(40, first))
            report = await talk.compact()
            assert report is not None
            reports.append(report)
    assert [one.omitted_summarized for one in reports] == [0, 0, 0]
    assert 0 < sum(one.omitted for one in reports) <= 3 * 160


async def test_what_left_is_named_without_secrets() -> None:
    secret, apart = "ghp_abcdEFGH1234abcdEFGH1234abcdEFGH1234", "ieGqlOmF77+kH_7ZOY99"
    async with palimpsest.open(":memory:", preset="default", **OPTIONS) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", f"The token is {secret}.\nSMTP_PASS={apart}\n"), *voyage(40))
        report = await talk.compact(SMALL)
        assert report is not None
        assert any(one.gone for one in report.evidence)
        assert [part for part in (secret, *apart.split("+")) if part in str(report)] == []


async def test_a_call_that_commits_nothing_reports_nothing() -> None:
    async with palimpsest.open(":memory:", preset="default", **OPTIONS) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Hello."), said("assistant", "Hello to you."))
        assert await talk.compact() is None
        assert await records(talk) == []
