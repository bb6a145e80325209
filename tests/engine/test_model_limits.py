"""A conversation keeps to the limits of the model that its requests are made for."""

from __future__ import annotations

from pathlib import Path

import palimpsest
from palimpsest import Message, Text


def said(role: str, text: str, model: str = "") -> Message:
    return Message(role, (Text(text),), model=model)  # type: ignore[arg-type]


async def test_the_model_of_a_request_decides_the_window_from_then_on() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("harbour")
        await talk.append({"role": "user", "content": "Which pier?"})
        assert (await talk.request()).budget.window_tokens == 32_768
        assert (await talk.request(model="claude-sonnet-4-5")).budget.window_tokens == 200_000
        assert (await talk.window()).budget.window_tokens == 200_000
        assert (await talk.request()).budget.window_tokens == 200_000
        assert (await talk.request(model="gpt-4o")).budget.window_tokens == 128_000


async def test_without_a_name_the_model_of_the_newest_reply_counts_across_a_compaction(
    tmp_path: Path,
) -> None:
    async with palimpsest.open(tmp_path / "a.db") as engine:
        talk = engine.conversation("harbour")
        for number in range(60):
            await talk.append(said("user", f"Buoy {number}?"), said("assistant", "Serviced. " * 60, "gpt-4o"))
        await talk.append(
            said("assistant", "Berth NB-204.", "claude-haiku-4-5"), said("assistant", "x", "<synthetic>")
        )
        assert (await talk.window()).budget.window_tokens == 200_000
    async with palimpsest.open(tmp_path / "a.db") as engine:
        talk = engine.conversation("harbour")
        assert await talk.compact() is not None
        assert (await talk.window()).budget.window_tokens == 200_000


async def test_a_configured_model_counts_before_that_of_a_transcript() -> None:
    async with palimpsest.open(":memory:", model="gpt-4o") as engine:
        talk = engine.conversation("harbour")
        await talk.append(said("user", "Which?"), said("assistant", "NB-204.", "claude-haiku-4-5"))
        assert (await talk.window()).budget.window_tokens == 128_000


async def test_a_window_that_is_set_holds_for_every_model() -> None:
    async with palimpsest.open(":memory:", window_tokens=20_000) as engine:
        talk = engine.conversation("harbour")
        await talk.append(said("user", "Which pier?"), said("assistant", "NB-204.", "claude-haiku-4-5"))
        budget = (await talk.request(model="gpt-5")).budget
        assert (budget.window_tokens, budget.output_reserve_tokens) == (20_000, 5_000)
