"""The engine and the replay of `price` over many sessions, drawn ones and real ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.cost_replay import replay
from palimpsest.costs.replay import ECONOMIC
from palimpsest.costs.session import read_session
from tests.engine.replaying import RATES, drawn, live
from tests.engine.test_replays import CAPACITY_TOKENS, TERMS, assert_only_grows, session_of, with_prefix
from tests.engine.transcripts import DATA, needs_data, transcripts

LONG = 40
MEAN_SHARE = 0.015


async def test_over_many_sessions_the_differences_even_out() -> None:
    ratios: list[float] = []
    for seed in range(4):
        for gaps in (False, True):
            history = drawn(seed, gaps=gaps)
            session = session_of(history)
            lived = await live(history, session)
            told = replay(with_prefix(lived, session), replace(ECONOMIC, terms=TERMS), RATES, CAPACITY_TOKENS)
            ratios.append(lived.bill / told.bill)
    assert sum(ratios) / len(ratios) == pytest.approx(1.0, abs=MEAN_SHARE)


@needs_data
async def test_on_real_transcripts_they_agree_as_well_and_no_prefix_breaks_unplanned() -> None:
    checked = 0
    for folder in ("claude-code",):
        for path in sorted((DATA / folder).rglob("*.jsonl")):
            for transcript in transcripts(path):
                history = tuple(
                    replace(one, usage=None) for one in transcript.paths[-1] if one.role != "system"
                )
                session = read_session(history, path.stem, folder)
                if session is None or len(session.calls) < LONG:
                    continue
                session = session_of(history)
                lived = await live(history, session)
                told = replay(
                    with_prefix(lived, session), replace(ECONOMIC, terms=TERMS), RATES, CAPACITY_TOKENS
                )
                assert lived.bill == pytest.approx(told.bill, rel=0.06), path.name
                assert_only_grows(lived)
                checked += 1
    assert checked >= 3
