"""A reply that cannot be used concerns its own summary; only what lasts keeps the model from being asked again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import palimpsest
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.engine.reports import Report
from palimpsest.errors import ModelError
from tests.engine.drawing import bulk, said

SUMMARY = "## Progress\n- The parser of module alpha reads src/app/reader.py and fails at line 4711."
LEAVES: dict[str, Any] = {"fresh_tail_count": 2, "leaf_min_fanout": 2, "leaf_chunk_tokens": 1_500}


async def compacted(replies: Sequence[Reply]) -> tuple[Report, ScriptedModel]:
    """What one compaction into several leaves does with these replies."""
    model = ScriptedModel(replies)
    async with palimpsest.open(
        ":memory:", complete=model, preset="hierarchical", window_tokens=16_000, max_tokens=1_000, **LEAVES
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(
            said("user", "Read it all."), *(said("assistant", bulk(3_000, n)) for n in range(14))
        )
        report = await talk.compact(until_under_tokens=5_000)
    assert report is not None
    return report, model


async def test_a_refused_reply_leaves_the_next_summary_to_the_model() -> None:
    report, _ = await compacted(["", "", SUMMARY])
    assert [one.method for one in report.summaries[:2]] == ["truncated", "normal"]
    assert [(call.level, call.refused) for call in report.asked[:3]] == [
        ("normal", "empty"), ("aggressive", "empty"), ("normal", ""),
    ]  # fmt: skip
    assert report.calls == len(report.asked)


@pytest.mark.parametrize("reply", ["Sure! " * 2_000, "I will do that right away. " * 3])
async def test_a_model_that_is_never_taken_is_asked_about_each_summary(reply: str) -> None:
    report, model = await compacted([reply])
    assert len(model.requests) > 2 * len(report.summaries) - 2 > 2


async def test_a_model_that_gives_no_reply_to_two_summaries_is_asked_no_more() -> None:
    report, model = await compacted([RuntimeError("down")])
    assert len(report.summaries) > 2
    assert len(model.requests) == 4


async def test_a_failure_that_lasts_ends_the_asking_at_once_and_leaves_what_still_fits() -> None:
    report, model = await compacted([ModelError("no valid key", reason="auth")])
    assert (report.failure, report.summaries) == ("raised: no valid key", ())
    assert len(model.requests) == 2  # once for what the policy decides, once for the goal
