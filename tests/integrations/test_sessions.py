"""Sessions of 200 calls in a small window: valid, inside the window, only growing, complete, and charged as counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integrations.driver import OUTPUT_TOKENS, WINDOW_TOKENS, BaseDriver
from tests.integrations.model import calling, lines_in, part, ten_calls
from tests.integrations.suite import account, counted, needs, playing, unexplained

TURNS, CALLS = 20, 200
MOST_COMPACTIONS = 25
ASKING_TURN = 12


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_session_of_200_calls_fits_only_grows_is_kept_and_is_charged_as_counted(
    kind: type[BaseDriver], stream: bool, tmp_path: Path
) -> None:
    needs(kind, "streamed" if stream else "session")
    async with playing(kind, tmp_path) as played:
        for turn in range(TURNS):
            says = ten_calls(turn * 10 + 1)
            if turn == ASKING_TURN:
                says.append(calling("short_grep", "call_recall", pattern="quillon7731"))
            words = "My berth quillon7731 is at pier sableford." if turn == 0 else "Read the next ten parts."
            answer = await played.turn("one", "ann", says, words, stream=stream)
            assert played.done("one", "ann") in answer
        asked, stored = played.world.model.accepted("ann/one"), await account(played.driver, "one", "ann")
        sizes = [one.seen.tokens for one in asked]
        print(f"{len(asked)} requests, {max(sizes)} tokens at most, {len(stored.compacted_s)} compactions")
        assert played.world.model.errors == []
        assert len(asked) == TURNS * (len(ten_calls(1)) + 1) + 1
        assert {bool(one.seen.body.get("stream")) for one in asked} == {stream}
        assert max(sizes) <= WINDOW_TOKENS - OUTPUT_TOKENS
        assert unexplained(asked, stored.compacted_s) == []
        assert 0 < sum(bool(one.seen.law_break) for one in asked) <= MOST_COMPACTIONS
        assert [one.unseen for one in asked if one.unseen] == []
        assert all("short_grep" in json.dumps(one.seen.body["tools"]) for one in asked)

        history = played.histories["one", "ann"][-1]
        whole = json.dumps(history).replace("\\", "")
        assert played.rewritten("one", "ann") == []
        assert [number for number in range(1, CALLS + 1) if not lines_in(part(number), whole)] == []
        assert sum("sableford" in one for one in history) == 2
        kept = "".join(stored.messages)
        assert [number for number in range(1, CALLS + 1) if not lines_in(part(number), kept)] == []

        use, cost = counted(asked, played.driver.price_name)
        assert use.cached > use.fresh
        assert stored.unreported == 0
        assert stored.use.prompt == pytest.approx(use.prompt, rel=0.05)
        assert stored.use.cached == pytest.approx(use.cached, rel=0.05)
        assert stored.use.output == pytest.approx(use.output, rel=0.05)
        assert stored.cost == pytest.approx(cost, rel=0.05)
