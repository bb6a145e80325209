"""Real conversations through the loop, in small windows and under every preset: every request is valid and fits, the
newest message of the user is in each, and nothing is lost.
"""

from __future__ import annotations

from itertools import cycle, islice

import pytest

from palimpsest.errors import DoesNotFit
from palimpsest.formats.transcripts import Transcript
from tests.agent.recorded import Played, airline, played
from tests.effort import HOURS
from tests.engine.transcripts import needs_data, paths, transcripts

pytestmark = [needs_data, pytest.mark.slow]

PRESETS = ("default", "seahorse", "picoclaw", "crabtalk", "economic")

LONG_SESSION = 100
SESSIONS = 5
LEAST_SHARE_OF_ROOM = 0.6
"""What a refusal names has to take so much of the room, counted as the estimate counts."""


def judged(one: Played) -> None:
    """What holds for every conversation."""
    assert one.faults == ()
    assert one.stored == one.expected
    assert [refusal for refusal in one.refusals if not founded(refusal)] == []


def founded(refusal: DoesNotFit) -> bool:
    """Whether the parts that are named leave hardly any room."""
    return sum(tokens for _, tokens in refusal.parts) > LEAST_SHARE_OF_ROOM * refusal.capacity_tokens


def sessions() -> list[tuple[str, Transcript]]:
    """The long coding sessions, by agent and place."""
    found = [
        (f"{path.parent.name} {path.name[:30]} {number}", one)
        for path in paths()
        for number, one in enumerate(transcripts(path))
        if one.paths and len(one.paths[-1]) >= LONG_SESSION
    ]
    return sorted(found, key=lambda pair: (len(pair[1].paths[-1]), pair[0]))


@pytest.mark.parametrize("window_tokens", [4_000, 8_000, 32_000])
@pytest.mark.parametrize("preset", PRESETS)
async def test_conversations_at_an_airlines_desk_in_a_window_of(window_tokens: int, preset: str) -> None:
    every = list(airline())
    step = 1 if HOURS else 12
    requests = refusals = compactions = 0
    for number, (system, messages) in enumerate(every[PRESETS.index(preset) :: step]):
        one = await played(
            system, messages, window_tokens=window_tokens, preset=preset, reports=number % 2 == 0
        )
        judged(one)
        requests, refusals = requests + one.requests, refusals + len(one.refusals)
        compactions += one.compactions
    print(
        f"airline {preset} {window_tokens}: {requests} requests, {refusals} refusals, {compactions} compactions"
    )
    assert requests > 5 * len(every) // step // 2


@pytest.mark.parametrize("window_tokens", [4_000, 8_000, 32_000])
async def test_long_coding_sessions_in_a_window_of(window_tokens: int) -> None:
    found = sessions()
    assert len(found) >= 6
    presets = cycle(PRESETS)
    for name, one in found if HOURS else found[:SESSIONS]:
        for preset in PRESETS if HOURS else islice(presets, 2):
            done = await played(
                one.system or "You help with code.", one.paths[-1], window_tokens=window_tokens, preset=preset
            )
            judged(done)
            print(
                f"{name} {preset} {window_tokens}: {done.requests} requests, {len(done.refusals)} refusals, "
                f"{done.compactions} compactions, largest {done.largest_tokens}"
            )
            assert done.requests > 0
