"""Sessions of many calls in a small window: valid, inside it, only growing, complete, and charged as counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integrations.driver import OUTPUT_TOKENS, WINDOW_TOKENS, BaseDriver
from tests.integrations.model import LARGE_EVERY, calling, lines_in, part, ten_calls
from tests.integrations.suite import Played, account, counted, needs, playing, unexplained

TURNS, SHORT_TURNS = 20, 6
MOST_COMPACTIONS_A_TURN = 1.2
"""A compaction makes room for a dozen parts, of which one is large."""


async def play(played: Played, turns: int, *, stream: bool) -> None:
    """A session of ten calls a turn, in whose middle the model looks for what the user said in the beginning."""
    for turn in range(turns):
        says = ten_calls(turn * 10 + 1)
        if turn == turns // 2:
            says.append(calling("short_grep", "call_recall", pattern="quillon7731"))
        words = "My berth quillon7731 is at pier sableford." if turn == 0 else "Read the next ten parts."
        answer = await played.turn("one", "ann", says, words, stream=stream)
        assert played.done("one", "ann") in answer


def beside_large(turns: int) -> set[str]:
    """The parts that are read together with a large one."""
    return {f"part {number - 1}" for number in range(LARGE_EVERY, turns * 10 + 1, LARGE_EVERY)}


async def check_requests(played: Played, turns: int, *, stream: bool) -> None:
    """Each request was valid, fitted, showed what was new, and was the one before plus additions."""
    asked, stored = played.world.model.accepted("ann/one"), await account(played.driver, "one", "ann")
    sizes, broken = [one.seen.tokens for one in asked], [one for one in asked if one.seen.law_break]
    print(
        f"{played.world.wire}: {len(asked)} requests, {max(sizes)} tokens at most, {len(broken)} compactions"
    )
    assert played.world.model.errors == []
    assert len(asked) == turns * (len(ten_calls(1)) + 1) + 1
    assert {bool(one.seen.body.get("stream")) for one in asked} == {stream}
    assert max(sizes) <= WINDOW_TOKENS - OUTPUT_TOKENS
    assert unexplained(asked, stored.compacted_s) == []
    assert 0 < len(broken) <= turns * MOST_COMPACTIONS_A_TURN
    cut = beside_large(turns) if "results_apart" in played.driver.cannot else set[str]()
    assert [one.unseen for one in asked if set(one.unseen) - cut] == []
    assert all("short_grep" in json.dumps(one.seen.body["tools"]) for one in asked)


async def check_history(played: Played, turns: int) -> None:
    """The framework and the engine have everything, and the framework's history only grew."""
    history, stored = played.histories["one", "ann"][-1], await account(played.driver, "one", "ann")
    assert played.rewritten("one", "ann") == []
    assert sum("sableford" in one for one in history) == 2
    for texts in (history, stored.messages):
        whole = json.dumps(texts).replace("\\", "")
        assert [number for number in range(1, turns * 10 + 1) if not lines_in(part(number), whole)] == []


async def check_costs(played: Played) -> None:
    """The engine charged what the provider counted."""
    stored = await account(played.driver, "one", "ann")
    use, cost = counted(played.world.model.accepted("ann/one"), played.driver.price_name)
    assert use.cached > use.fresh
    assert stored.unreported == 0
    assert stored.use.prompt == pytest.approx(use.prompt, rel=0.05)
    assert stored.use.cached == pytest.approx(use.cached, rel=0.05)
    assert stored.use.output == pytest.approx(use.output, rel=0.05)
    assert stored.cost == pytest.approx(cost, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_session_of_200_calls_fits_only_grows_is_kept_and_is_charged_as_counted(
    kind: type[BaseDriver], stream: bool, tmp_path: Path
) -> None:
    needs(kind, "streamed" if stream else "session")
    async with playing(kind, tmp_path) as played:
        await play(played, TURNS, stream=stream)
        await check_requests(played, TURNS, stream=stream)
        await check_history(played, TURNS)
        if not stream or "streamed_costs" not in kind.cannot:
            await check_costs(played)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3])
async def test_a_short_session_over_each_further_provider_is_as_good(
    kind: type[BaseDriver], number: int, tmp_path: Path
) -> None:
    if number >= len(kind.wires):
        pytest.skip("the framework is driven through no further provider here")
    stream = "streamed" not in kind.cannot
    async with playing(kind, tmp_path, wire=kind.wires[number]) as played:
        await play(played, SHORT_TURNS, stream=stream)
        await check_requests(played, SHORT_TURNS, stream=stream)
        await check_history(played, SHORT_TURNS)
        await check_costs(played)
