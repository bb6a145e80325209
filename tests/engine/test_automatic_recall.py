"""Recall without being asked: what is injected, what it may cost, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

import palimpsest
from palimpsest.budget.assemble import Request
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.engine.retrieval.automatic_recall import HEADING
from palimpsest.record.recall_mark import RECALLED

FACT = "The berth of the red ferry is NB-204, at the old pier."
QUESTION = "Which berth does the red ferry have at the old pier?"


async def filled(engine: Engine, name: str = "harbour", messages: int = 30) -> Conversation:
    """A conversation whose fact has left the window, and whose newest message asks for it."""
    talk = engine.conversation(name)
    await talk.append({"role": "user", "content": FACT}, {"role": "assistant", "content": "Noted."})
    for place in range(messages):
        role = "assistant" if place % 2 else "user"
        await talk.append({"role": role, "content": f"Entry {place}: buoys were counted and painted. " * 12})
    await talk.compact(until_under_tokens=3_000)
    await talk.append({"role": "user", "content": QUESTION})
    return talk


def recalled(request: Request) -> str:
    """The text that was recalled for a request, "" for none."""
    return next((text for text in request.injections if text.startswith(RECALLED)), "")


async def test_what_left_the_window_is_recalled_for_the_newest_request_with_its_id(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600) as engine:
        talk = await filled(engine)
        request = await talk.request()
        assert recalled(request).startswith(HEADING)
        assert "NB-204" in recalled(request)
        assert "[m1" in recalled(request)
        assert request.all_messages[-1].text == recalled(request)
        assert 0 < request.regions.injections <= 600
        assert request.tokens <= request.budget.capacity_tokens


async def test_what_answers_much_less_well_than_the_best_is_left_out(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=2_000) as engine:
        talk = engine.conversation("harbour")
        for place in range(20):
            await talk.append(
                {"role": "user", "content": f"The old bicycle number {place} was painted green."}
            )
            await talk.append({"role": "assistant", "content": f"Entry {place}: buoys were counted. " * 12})
        await talk.append({"role": "user", "content": FACT}, {"role": "assistant", "content": "Noted."})
        for place in range(12):
            await talk.append({"role": "user", "content": f"Go on with day {place}."})
            await talk.append({"role": "assistant", "content": f"Day {place}: buoys were counted. " * 60})
        await talk.compact(until_under_tokens=3_000)
        await talk.append({"role": "user", "content": QUESTION})
        shown = recalled(await talk.request())
        assert "NB-204" in shown
        assert shown.count("bicycle") <= 2


async def test_nothing_is_recalled_unless_it_is_asked_for(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000) as engine:
        assert recalled(await (await filled(engine)).request()) == ""


async def test_what_is_recalled_is_never_stored_and_leaves_the_prefix_as_it_is(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600) as engine:
        talk = await filled(engine)
        stored = (await engine.stats()).messages
        first = await talk.request()
        await talk.append({"role": "assistant", "content": "Let me look."})
        second = await talk.request()
        assert second.messages[: len(first.messages)] == first.messages
        assert recalled(second) == recalled(first) != ""
        assert second.mark == first.mark
        assert (await engine.stats()).messages == stored + 1


async def test_what_the_window_shows_is_not_repeated(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=64_000, auto_recall_tokens=600) as engine:
        talk = engine.conversation("short")
        await talk.append({"role": "user", "content": FACT}, {"role": "assistant", "content": "Noted."})
        await talk.append({"role": "user", "content": QUESTION})
        assert recalled(await talk.request()) == ""


async def test_what_was_said_twice_is_recalled_once(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600) as engine:
        talk = engine.conversation("harbour")
        await talk.append({"role": "user", "content": FACT}, {"role": "assistant", "content": "Noted."})
        again = await filled(engine)
        assert recalled(await again.request()).count(FACT) == 1
        await again.append({"role": "assistant", "content": FACT}, {"role": "user", "content": QUESTION})
        assert FACT not in recalled(await again.request())


async def test_what_is_pinned_is_not_repeated(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600) as engine:
        talk = await filled(engine)
        before = recalled(await talk.request())
        await talk.pin("m1")
        await talk.append({"role": "user", "content": QUESTION})
        request = await talk.request()
        assert "[m1 " in before
        assert "[m1 " not in recalled(request)
        assert f"\n{FACT}\n" in "".join(message.text for message in request.all_messages)


async def test_what_was_edited_away_is_not_recalled(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600) as engine:
        talk = engine.conversation("edited")
        await talk.sync([{"role": "user", "content": FACT}, {"role": "assistant", "content": "Noted."}])
        await talk.sync([{"role": "user", "content": "Let us start again."}])
        await talk.append({"role": "assistant", "content": "Gladly."}, {"role": "user", "content": QUESTION})
        assert recalled(await talk.request()) == ""


@pytest.mark.parametrize("by", ["the same engine", "another"])
async def test_what_was_forgotten_is_recalled_no_more(tmp_path: Path, by: str) -> None:
    async with (
        palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600) as engine,
        palimpsest.open(tmp_path / "a.db") as other,
    ):
        talk = await filled(engine)
        assert "NB-204" in recalled(await talk.request())
        await (other if by == "another" else engine).forget("harbour", "m1")
        assert "NB-204" not in str((await talk.request()).openai())


async def test_a_greeting_recalls_nothing(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600) as engine:
        talk = await filled(engine)
        await talk.append({"role": "assistant", "content": "NB-204."}, {"role": "user", "content": "?!"})
        assert recalled(await talk.request()) == ""
        await talk.append(
            {"role": "assistant", "content": "Yes?"}, {"role": "user", "content": "ok, thanks a lot"}
        )
        assert recalled(await talk.request()) == ""


async def test_small_talk_recalls_nothing_where_there_is_an_embedder_either(tmp_path: Path) -> None:
    def embed(text: str) -> list[float]:
        return [1.0, float(len(text) % 7), float(len(text) % 5)]

    async with palimpsest.open(
        tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600, embed=embed
    ) as engine:
        talk = await filled(engine)
        await engine.embed()
        assert "NB-204" in recalled(await talk.request())
        await talk.append(
            {"role": "assistant", "content": "Yes?"}, {"role": "user", "content": "ok, thanks a lot"}
        )
        assert recalled(await talk.request()) == ""


@pytest.mark.parametrize("limit_tokens", [1, 40, 80, 120, 200, 5_000])
async def test_no_request_grows_beyond_what_is_allowed_or_fits(tmp_path: Path, limit_tokens: int) -> None:
    async with palimpsest.open(
        tmp_path / "a.db", window_tokens=8_000, max_tokens=1_000, auto_recall_tokens=limit_tokens
    ) as engine:
        talk = await filled(engine)
        for system in ("", "a rule to keep. " * 700, "a rule to keep. " * 1_100):
            request = await talk.request(system=system)
            assert request.regions.injections <= limit_tokens
            assert request.tokens <= request.budget.capacity_tokens


async def test_nothing_of_another_conversation_or_owner_is_recalled(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", owner="ann", window_tokens=16_000) as hers:
        await filled(hers)
    async with palimpsest.open(
        tmp_path / "a.db", owner="bob", window_tokens=16_000, auto_recall_tokens=600
    ) as his:
        await his.conversation("other").append({"role": "user", "content": FACT})
        talk = his.conversation("harbour")
        await talk.append({"role": "user", "content": QUESTION})
        assert recalled(await talk.request()) == ""


async def test_a_refused_request_is_made_again_without_what_was_recalled(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600) as engine:
        talk = await filled(engine)
        assert recalled(await talk.request()) != ""
        again = await talk.recover(RuntimeError("prompt is too long: context_length_exceeded"))
        assert recalled(again) == ""


async def test_chinese_is_recalled_too(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000, auto_recall_tokens=600) as engine:
        talk = engine.conversation("港口")
        await talk.append({"role": "user", "content": "红色渡轮的泊位是 NB-204，在旧码头。"})
        for place in range(40):
            role = "user" if place % 2 else "assistant"
            await talk.append({"role": role, "content": f"第{place}条：今天数了浮标，天气很好。" * 20})
        await talk.compact(until_under_tokens=3_000)
        await talk.append({"role": "user", "content": "红色渡轮在旧码头的泊位是哪个？"})
        assert "NB-204" in recalled(await talk.request())
