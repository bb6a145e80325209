"""The ledger of money over real sessions: what it adds up is what their providers reported, to the last token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

import palimpsest
from palimpsest.costs.report import spent_of
from palimpsest.formats.transcripts import Source, Transcript, read
from palimpsest.record.message import Message
from palimpsest.record.spending import Spent
from tests.engine.test_cost_tracker_replay import Provider, use_of
from tests.engine.transcripts import DATA, needs_data

pytestmark = needs_data


def transcripts() -> Iterator[Transcript]:
    """Real sessions that report what their calls used."""
    for agent in ("claude-code", "codex", "pi"):
        for file in sorted((DATA / agent).glob("*.jsonl")):
            for transcript in read(Source(str(file), file.read_bytes())).transcripts:
                current = transcript.paths[-1] if transcript.paths else ()
                if len(spent_of((current,))) >= 30:
                    yield transcript


async def test_the_ledger_of_real_sessions_sums_to_what_their_providers_reported() -> None:
    seen = 0
    for transcript in transcripts():
        spent, counted = await paid(transcript.paths[-1][:300])
        told = spent_of((counted,))
        assert [use_of(one) for one in spent] == [use_of(one) for one in told]
        assert sum(one.cost for one in spent) == pytest.approx(sum(one.cost for one in told), rel=1e-9)
        seen += len(counted)
    assert seen > 300


async def paid(history: Sequence[Message]) -> tuple[list[Spent], list[Message]]:
    """What the ledger holds of a history that reports its usage, and the replies that did."""
    provider = Provider()
    counted: list[Message] = []
    async with palimpsest.open(":memory:", clock=lambda: provider.now_s, window_tokens=1_000_000) as engine:
        talk = engine.conversation("a")
        for place, message in enumerate(history):
            provider.now_s = message.time_s or provider.now_s
            if place and message.role == "assistant" and message.usage and message.usage.input_tokens:
                request = await talk.request(model=message.model)
                await talk.record_usage(message.usage, request)
                counted.append(message)
            await talk.append(message)
        return await engine.store.spent("me", "a"), counted
