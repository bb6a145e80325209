"""Questions asked of a conversation and of an owner."""

from __future__ import annotations

from pathlib import Path

import pytest

import palimpsest
from palimpsest.errors import UsageError


async def test_a_question_finds_what_left_the_window(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000) as engine:
        talk = engine.conversation("harbour")
        await talk.append({"role": "user", "content": "Which pier is the 07:40 ferry at?"})
        await talk.append({"role": "assistant", "content": "Pier 3, berth NB-204."})
        for place in range(60):
            await talk.append({"role": "user", "content": f"Entry {place}: the buoys were counted. " * 12})
        await talk.compact()
        found = await talk.search("where does the morning ferry leave from, which pier?", limit=3)
        assert "berth NB-204" in found.text
        assert found.tokens <= 2_000
        assert [one.score for one in found.passages] == sorted(
            (one.score for one in found.passages), reverse=True
        )
        assert len(await talk.search("ferry pier", budget_tokens=40)) <= 1


async def test_nothing_of_another_owner_is_found(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", owner="ann") as hers:
        await hers.conversation("one").append({"role": "user", "content": "the ferry is at pier 3"})
        assert [one.conversation for one in (await hers.search("which pier?")).passages] == ["one"]
    async with palimpsest.open(tmp_path / "a.db", owner="bob") as his:
        assert len(await his.search("which pier is the ferry at?")) == 0
        assert len(await his.conversation("one").search("which pier?")) == 0


@pytest.mark.parametrize(
    "asked", [{"question": "?"}, {"question": "a b", "limit": 0}, {"question": "ab", "budget_tokens": 3}]
)
async def test_what_cannot_be_asked_is_refused(asked: dict[str, str | int]) -> None:
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(UsageError) as caught:
            await engine.search(**asked)  # pyright: ignore[reportArgumentType]
        assert caught.value.hint
