"""What happens to a turn: cancelled, resumed, rewritten, with a tool that fails, too long, with thinking."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.integrations.driver import OUTPUT_TOKENS, WINDOW_TOKENS, BaseDriver
from tests.integrations.model import lines_in, part, ten_calls
from tests.integrations.suite import Played, account, needs, playing, unexplained
from tests.patience import until

SMALLER_TOKENS = 9_000
TOO_LONG = ("maximum context length", "too long", "exceeds the maximum number of tokens")


def parts_missing(texts: tuple[str, ...] | list[str], last: int, without: int = 0) -> list[int]:
    """The numbers of the parts that these texts do not show in full."""
    whole = json.dumps(texts).replace("\\", "")
    return [one for one in range(1, last + 1) if one != without and not lines_in(part(one), whole)]


async def cancelled(played: Played, text: str, *, stream: bool, stopped: Callable[[], bool]) -> None:
    """Run a turn until something has happened, and cancel it."""
    running = asyncio.create_task(played.driver.turn("one", "ann", text, stream=stream))
    await until(stopped)
    running.cancel()
    played.world.released.set()
    with suppress(asyncio.CancelledError, Exception):
        await running


async def test_a_turn_goes_on_after_one_that_was_cancelled_in_a_tool_call(
    kind: type[BaseDriver], tmp_path: Path
) -> None:
    needs(kind, "interrupted")
    async with playing(kind, tmp_path) as played:
        await played.turn("one", "ann", ten_calls(1))
        played.world.held = 13
        text = played.world.ask("one", "ann", ten_calls(11))
        await cancelled(played, text, stream=False, stopped=played.world.reached.is_set)
        answer = await played.turn("one", "ann", ten_calls(21))
        again = await played.turn("one", "ann", ten_calls(31))
        assert played.world.model.errors == []
        assert "turn 3" in answer
        assert "turn 4" in again
        kept = (await account(played.driver, "one", "ann")).messages
        assert set(parts_missing(kept, 40)) <= set(range(11, 21))


async def test_a_turn_goes_on_after_one_that_was_cancelled_in_a_stream(
    kind: type[BaseDriver], tmp_path: Path
) -> None:
    needs(kind, "interrupted_stream")
    async with playing(kind, tmp_path) as played:
        await played.turn("one", "ann", ten_calls(1), stream=True)
        says = ten_calls(11)
        says[3] = replace(says[3], ending="stall")
        text = played.world.ask("one", "ann", says)
        await cancelled(played, text, stream=True, stopped=played.world.model.stopped.is_set)
        answer = await played.turn("one", "ann", ten_calls(21), stream=True)
        again = await played.turn("one", "ann", ten_calls(31), stream=True)
        assert played.world.model.errors == []
        assert "turn 3" in answer
        assert "turn 4" in again
        kept = (await account(played.driver, "one", "ann")).messages
        assert set(parts_missing(kept, 40)) <= set(range(11, 21))


async def test_a_conversation_is_resumed_where_it_was(kind: type[BaseDriver], tmp_path: Path) -> None:
    needs(kind, "resumed")
    async with playing(kind, tmp_path) as played:
        for turn in range(4):
            await played.turn("one", "ann", ten_calls(turn * 10 + 1))
        before = await account(played.driver, "one", "ann")
        await played.restart()
        assert await played.driver.history("one", "ann") == played.histories["one", "ann"][-1]
        for turn in range(4, 7):
            answer = await played.turn("one", "ann", ten_calls(turn * 10 + 1))
            assert played.done("one", "ann") in answer
        after = await account(played.driver, "one", "ann")
        asked = played.world.model.accepted("ann/one")
        assert played.world.model.errors == []
        assert unexplained(asked, after.compacted_s) == []
        assert played.rewritten("one", "ann") == []
        assert after.messages[: len(before.messages)] == before.messages
        assert after.left_behind == ()
        assert parts_missing(after.messages, 70) == []


async def test_an_edited_history_makes_a_fork_and_overwrites_nothing(
    kind: type[BaseDriver], tmp_path: Path
) -> None:
    needs(kind, "edited")
    async with playing(kind, tmp_path) as played:
        await played.turn("one", "ann", ten_calls(1), "My boat is the Sableford.")
        await played.turn("one", "ann", ten_calls(11), "My berth is at pier Quillon.")
        await played.driver.edit("one", "ann", "pier Quillon", "pier Ostrava")
        await played.turn("one", "ann", ten_calls(21))
        stored = await account(played.driver, "one", "ann")
        newest = played.world.model.accepted("ann/one")[-1]
        assert played.world.model.errors == []
        assert "Sableford" in newest.raw
        assert "pier Ostrava" in newest.raw
        assert "pier Quillon" not in newest.raw
        assert "pier Ostrava" in "".join(stored.messages)
        assert "pier Quillon" not in "".join(stored.messages)
        assert "pier Quillon" in "".join(stored.left_behind)
        assert parts_missing(stored.messages, 30) == []


async def test_a_tool_that_raises_ends_no_conversation(kind: type[BaseDriver], tmp_path: Path) -> None:
    needs(kind, "tool_error")
    async with playing(kind, tmp_path) as played:
        await played.turn("one", "ann", ten_calls(1))
        played.world.torn.add(13)
        text = played.world.ask("one", "ann", ten_calls(11))
        with suppress(Exception):
            await played.driver.turn("one", "ann", text, stream=False)
        answer = await played.turn("one", "ann", ten_calls(21))
        again = await played.turn("one", "ann", ten_calls(31))
        assert played.world.model.errors == []
        assert "turn 3" in answer
        assert "turn 4" in again
        kept = (await account(played.driver, "one", "ann")).messages
        assert set(parts_missing(kept, 40)) <= set(range(11, 21))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_request_that_the_provider_finds_too_long_is_made_smaller(
    kind: type[BaseDriver], stream: bool, tmp_path: Path
) -> None:
    needs(kind, "overflow")
    needs(kind, "streamed" if stream else "session")
    async with playing(kind, tmp_path, server_tokens=SMALLER_TOKENS) as played:
        for turn in range(5):
            answer = await played.turn("one", "ann", ten_calls(turn * 10 + 1), stream=stream)
            assert played.done("one", "ann") in answer
        errors = played.world.model.errors
        assert 0 < len(errors) <= 4
        assert all(any(words in one for words in TOO_LONG) for one in errors)
        assert max(one.seen.tokens for one in played.world.model.accepted()) <= SMALLER_TOKENS
        assert parts_missing((await account(played.driver, "one", "ann")).messages, 50) == []
        assert played.rewritten("one", "ann") == []


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_signed_thinking_stays_valid_over_compactions(
    kind: type[BaseDriver], stream: bool, tmp_path: Path
) -> None:
    needs(kind, "thinking")
    needs(kind, "streamed" if stream else "session")
    async with playing(kind, tmp_path, wire="anthropic") as played:
        for turn in range(7):
            answer = await played.turn("one", "ann", ten_calls(turn * 10 + 1), stream=stream)
            assert played.done("one", "ann") in answer
        asked, stored = played.world.model.accepted("ann/one"), await account(played.driver, "one", "ann")
        shown = [one.seen.thinking_shown for one in asked]
        print(f"{len(stored.compacted_s)} compactions, thinking shown {sum(shown) / len(shown):.1f}")
        assert played.world.model.errors == []
        assert max(one.seen.tokens for one in asked) <= WINDOW_TOKENS - OUTPUT_TOKENS
        assert unexplained(asked, stored.compacted_s) == []
        assert stored.compacted_s
        assert [one.seen.dropped for one in asked if one.seen.dropped] == []
        assert sum(shown) / len(shown) > 3
