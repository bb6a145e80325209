"""Calls of one conversation that are under way at once: what is paid for, and what is not."""

from __future__ import annotations

import palimpsest
from palimpsest.engine.conversation import state_of
from palimpsest.record.message import Usage

MODEL = "claude-sonnet-4-5"


async def test_calls_that_are_under_way_at_once_are_all_paid_for_and_none_twice() -> None:
    async with palimpsest.open(":memory:", window_tokens=200_000) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "make all the parts"})
        first = await talk.request(system="Be brief.", model=MODEL)
        await talk.append({"role": "user", "content": "and paint them"})
        second = await talk.request(model=MODEL)
        third = await talk.request(model=MODEL)
        for _ in range(2):
            for request, output_tokens in ((second, 20), (first, 10), (third, 30)):
                await talk.record_usage(Usage(request.tokens, output_tokens), request)
        await state_of(talk).costs.save()
        spent = await engine.store.spent("me", "a")
    assert [one.output_tokens for one in spent] == [20, 10, 30]
    assert state_of(talk).costs.account.prompt_tokens == third.tokens


async def test_a_call_that_failed_is_not_paid_for_when_the_next_one_is() -> None:
    async with palimpsest.open(":memory:", window_tokens=200_000) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "make all the parts"})
        await talk.request(system="Be brief.", model=MODEL)
        again = await talk.request(model=MODEL)
        await talk.record_usage(Usage(again.tokens, 10), again)
        await talk.request(model=MODEL)
        await talk.append({"role": "assistant", "content": "part 1 is made"})
        await state_of(talk).costs.save()
        assert [one.reported for one in await engine.store.spent("me", "a")] == [True]
