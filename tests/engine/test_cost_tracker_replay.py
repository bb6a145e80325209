"""The ledger of money against a replay: what the till adds up as a session runs and is compacted is what a replay of
the very prompts that were sent comes to, to the last unit; and what providers reported, to the last token.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

import palimpsest
from palimpsest import samples
from palimpsest.budget.assemble import Request
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.formats.transcripts import Source, read
from palimpsest.price.request import Part, Use, chain, cost, use
from palimpsest.price.table import find_price
from palimpsest.record.message import Message, Usage
from palimpsest.record.spending import Account, Spent

MODEL = "claude-sonnet-4-5"
SETTINGS: dict[str, Any] = {"preset": "economic", "window_tokens": 60_000, "max_tokens": 8_000}


@dataclass(slots=True)
class Provider:
    """Counts and caches prompts as one with cache marks does, by what was truly sent."""

    before: tuple[Part, ...] = ()
    now_s: float = 0.0
    last_s: float | None = None
    sent: list[tuple[tuple[Part, ...], float | None, int]] = field(
        default_factory=list[tuple[tuple[Part, ...], float | None, int]]
    )

    def answer(self, request: Request, output_tokens: int) -> Usage:
        """What it reports of a request."""
        parts = rendered(request)
        gap_s = None if self.last_s is None else self.now_s - self.last_s
        told = use(self.before, parts, gap_s, find_price(MODEL).rates, output_tokens, marked=True)
        self.sent.append((parts, gap_s, output_tokens))
        self.before, self.last_s = parts, self.now_s
        return Usage(told.prompt, output_tokens, told.cached, told.written)


def rendered(request: Request) -> tuple[Part, ...]:
    """The prompt's parts as they are sent: system, then each message; a mark stands behind the last two."""
    body = request.anthropic()
    messages = body["messages"]
    assert isinstance(messages, list)
    texts = [json.dumps(one).encode() for one in (body.get("system", ""), *messages)]
    plain = [text.replace(b', "cache_control": {"type": "ephemeral"}', b"") for text in texts]
    return chain(((text, 1 + len(text) // 4) for text in plain), frozenset({len(plain) - 1, len(plain) - 2}))


def replayed(provider: Provider) -> list[Use]:
    """What the prompts come to, reckoned once more from the first to the last."""
    rates = find_price(MODEL).rates
    before: tuple[Part, ...] = ()
    found: list[Use] = []
    for parts, gap_s, output_tokens in provider.sent:
        found.append(use(before, parts, gap_s, rates, output_tokens, marked=True))
        before = parts
    return found


async def play(talk: Conversation, history: tuple[Message, ...], provider: Provider, calls: int) -> None:
    """The session, with a request before every reply."""
    made = 0
    for message in history:
        provider.now_s = message.time_s or provider.now_s
        if message.role == "assistant":
            if made == calls:
                return
            made += 1
            request = await talk.request(model=MODEL)
            reply_tokens = message.usage.output_tokens if message.usage else 50
            await talk.record_usage(provider.answer(request, reply_tokens), request)
        await talk.append(message)


@pytest.mark.slow
async def test_the_sums_of_the_ledger_are_those_of_a_replay_of_the_prompts_that_were_sent() -> None:
    (transcript, *_) = read(Source(samples.NAME, samples.path().read_bytes())).transcripts
    provider = Provider()
    async with palimpsest.open(":memory:", clock=lambda: provider.now_s, **SETTINGS) as engine:
        talk = engine.conversation("a")
        await play(talk, transcript.paths[-1], provider, calls=110)
        account: Account = state_of(talk).costs.account
        spent = await engine.store.spent("me", "a")
        compactions = await engine.store.compactions("me", "a")
        (total,) = await engine.store.spending("me")
    uses = replayed(provider)
    rates = find_price(MODEL, time_s=provider.now_s).rates
    assert len(compactions) >= 3
    assert [use_of(one) for one in spent] == uses
    assert account.meter.bill == pytest.approx(sum(cost(one, rates.relative) for one in uses), abs=1e-3)
    assert account.cost == pytest.approx(sum(cost(one, rates) for one in uses), rel=1e-12)
    assert total.cost == pytest.approx(account.cost, rel=1e-12)
    assert total.input_tokens == sum(one.prompt for one in uses)
    assert any(one.cached for one in uses)
    assert account.cost < account.never_cost


def use_of(spent: Spent) -> Use:
    fresh = spent.input_tokens - spent.cached_tokens - spent.written_tokens
    return Use(spent.cached_tokens, spent.written_tokens, fresh, spent.output_tokens)
