"""Limits on what is read back and on what a summarizer may cost; those on messages stand in `test_hostile_messages`."""

from __future__ import annotations

import ast

import pytest

import palimpsest
from palimpsest import limits
from palimpsest.errors import UsageError
from palimpsest.limits import MAX_EXPANSION_CHARS, MAX_IDS, MAX_PATTERN_CHARS, MAX_SUMMARY_CALLS
from palimpsest.record.completion import Completion, CompletionRequest
from tests.house.tree import ROOT

HUGE = "harbour " * (MAX_EXPANSION_CHARS // 24)


async def test_what_is_read_back_without_a_budget_ends_with_a_cursor_and_loses_nothing() -> None:
    async with palimpsest.open(":memory:", window_tokens=100_000) as engine:
        talk = engine.conversation("talk")
        for _ in range(4):
            await talk.append({"role": "user", "content": HUGE})
        first = await talk.expand(["m1-m4"])
        rest = await talk.expand(cursor=first.cursor)
    assert [entry.id for entry in first] == ["m1", "m2", "m3"]
    assert [entry.id for entry in rest] == ["m4"]
    assert rest.cursor == ""


@pytest.mark.parametrize("ids", [[f"m{n}" for n in range(MAX_IDS + 1)]], ids=["ids"])
async def test_more_ids_than_one_call_takes_are_refused(ids: list[str]) -> None:
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(UsageError, match="1,001 ids"):
            await engine.expand(ids)
        with pytest.raises(UsageError, match="characters"):
            await engine.grep("x" * (MAX_PATTERN_CHARS + 1))


class Prolific:
    """A summarizer that always answers, and counts what it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        self.calls += 1
        return Completion("## Goal\nThe harbour.")


@pytest.mark.slow
async def test_a_backlog_larger_than_the_calls_of_one_window_is_finished_without_the_model() -> None:
    model = Prolific()
    async with palimpsest.open(
        ":memory:", window_tokens=200_000, complete=model, leaf_min_fanout=1, leaf_chunk_tokens=60,
        fresh_tail_count=0, ledger_tokens=0, summarize_message_threshold=0, context_threshold_share=1.0,
    ) as engine:  # fmt: skip
        talk = engine.conversation("talk")
        said = [
            {"role": "user", "content": f"part {n} " + "harbour light " * 30}
            for n in range(MAX_SUMMARY_CALLS + 60)
        ]
        await talk.append(*said)
        report = await talk.compact()
    assert report is not None
    assert MAX_SUMMARY_CALLS <= model.calls < MAX_SUMMARY_CALLS + 10
    assert {one.method for one in report.summaries[-20:]} == {"extractive"}


def test_every_limit_is_used_and_said_in_the_documents() -> None:
    names = [name for name in vars(limits) if name.isupper()]
    code = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py") if path.name != "limits.py"
    )
    used = {
        node.id
        for node in ast.walk(ast.parse(code.replace("from __future__ import annotations", "")))
        if isinstance(node, ast.Name)
    }
    document = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert names
    assert [name for name in names if name not in used] == []
    assert [name for name in names if f"`{name}`" not in document] == []
