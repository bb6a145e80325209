"""Limits on what is read back and on what a summarizer may cost; those on messages stand in `test_hostile_messages`."""

from __future__ import annotations

import re

import pytest

import palimpsest
from palimpsest import limits
from palimpsest.complete.model_adapter import as_complete
from palimpsest.engine.compacting.compactor import _affordable
from palimpsest.engine.compacting.report import CommittedStep
from palimpsest.errors import UsageError
from palimpsest.limits import MAX_EXPANSION_CHARS, MAX_IDS, MAX_PATTERN_CHARS, MAX_SUMMARY_CALLS
from palimpsest.record.summary import SummaryCall
from palimpsest.record.window_items import OmittedItem
from tests.house.tree import ROOT

HUGE = "harbour " * (MAX_EXPANSION_CHARS // 32)


async def test_what_is_read_back_without_a_budget_ends_with_a_cursor_and_loses_nothing() -> None:
    async with palimpsest.open(":memory:", window_tokens=100_000) as engine:
        talk = engine.conversation("talk")
        await talk.append({"role": "user", "content": HUGE})
        first = await talk.expand(["m1"] * 6)
        rest = await talk.expand(cursor=first.cursor)
    assert [entry.id for entry in first] == ["m1"] * 4
    assert [entry.id for entry in rest] == ["m1"] * 2
    assert rest.cursor == ""


@pytest.mark.parametrize("ids", [[f"m{n}" for n in range(MAX_IDS + 1)]], ids=["ids"])
async def test_more_ids_than_one_call_takes_are_refused(ids: list[str]) -> None:
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(UsageError, match="1,001 ids"):
            await engine.expand(ids)
        with pytest.raises(UsageError, match="characters"):
            await engine.grep("x" * (MAX_PATTERN_CHARS + 1))


async def test_what_is_no_text_is_refused_and_one_id_by_itself_is_read() -> None:
    async with palimpsest.open(":memory:") as engine:
        await engine.conversation("talk").append({"role": "user", "content": "The ferry leaves at noon."})
        assert (await engine.expand("m1"))[0].id == "m1"
        for call in (engine.grep, engine.search, engine.describe, lambda one: engine.expand([one])):
            for wrong in (None, 7, b"m1", ["m1"]):
                with pytest.raises(UsageError, match="is a "):
                    await call(wrong)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="the cursor is a int"):
            await engine.expand(["m1"], cursor=7)  # type: ignore[arg-type]


def test_a_summarizer_is_asked_until_it_has_cost_one_window_its_calls() -> None:
    model = as_complete(lambda request: "shorter")
    item = OmittedItem("x1", 1, 2, "", 10)
    done = [CommittedStep(item, "m1", "m2", (SummaryCall("normal", 1, 1),) * (MAX_SUMMARY_CALLS // 4))] * 4
    assert _affordable(model, done[:3]) is model
    assert _affordable(model, done) is None


def test_every_limit_is_used_and_said_in_the_documents() -> None:
    names = [name for name in vars(limits) if name.isupper()]
    code = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py") if path.name != "limits.py"
    )
    document = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert names
    assert [name for name in names if not re.search(rf"\b{name}\b", code)] == []
    assert [name for name in names if f"`{name}`" not in document] == []
