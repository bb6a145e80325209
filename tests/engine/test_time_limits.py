"""How long a summarizer is waited for: by its silence where it streams, in all where it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import replace

import pytest

from palimpsest.complete.model_adapter import as_complete
from palimpsest.complete.openai import OpenAIModel
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.compacting.model_calls import TimeLimited, attempt, default_timeout_s, drive
from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest, Retrying, TextDelta
from palimpsest.record.summary import Draft, SummaryCall

REQUEST = CompletionRequest((), timeout_s=0.05, purpose="summary")


async def test_a_reply_that_goes_on_may_take_longer_than_any_silence() -> None:
    pieces = [TextDelta("on "), 0.3] * 5
    reply = await attempt(TimeLimited(ScriptedModel([pieces])), replace(REQUEST, timeout_s=1.2))
    assert isinstance(reply, Completion)
    assert reply.text == "on " * 5


async def test_a_model_that_falls_silent_is_given_up() -> None:
    for silent in (
        [TextDelta("on "), 60.0],
        [60.0],
        [Retrying(1, 0.0, "again"), 0.04, Retrying(2, 0.0, "again"), 0.04],
    ):
        reply = await attempt(TimeLimited(ScriptedModel([silent])), REQUEST)
        assert reply == CompletionFailure("timed_out", "no piece of a reply for 0.05 s", "timeout")


async def test_a_reply_that_never_ends_is_given_up_after_ten_times_as_long() -> None:
    model = ScriptedModel([[TextDelta("on "), 0.01] * 10_000])
    reply = await attempt(TimeLimited(model), replace(REQUEST, timeout_s=0.2))
    assert reply == CompletionFailure("timed_out", "no end of the reply within 2 s", "timeout")
    assert (model.requests[0].silence_s, model.requests[0].timeout_s) == (0.2, 2.0)


async def test_a_callable_that_does_not_stream_is_bounded_in_all_and_told_how_long_it_has() -> None:
    told: list[object] = []

    async def slow(prompt: str, options: dict[str, object]) -> str:
        told.append(options["timeout_s"])
        await asyncio.sleep(60)
        return ""

    reply = await attempt(TimeLimited(as_complete(slow)), REQUEST)
    assert reply == CompletionFailure("timed_out", "no reply within 0.05 s", "timeout")
    assert told == [0.05]


async def test_a_timeout_of_the_clients_own_is_told_in_its_words() -> None:
    reply = await attempt(TimeLimited(ScriptedModel([TimeoutError("the pool is full")])), REQUEST)
    assert reply == CompletionFailure("timed_out", "the pool is full", "timeout")


async def test_giving_up_a_stream_closes_it() -> None:
    closed: list[bool] = []

    class Held(ScriptedModel):
        async def stream(self, request: CompletionRequest, /):
            try:
                await asyncio.sleep(60)
                yield TextDelta("")
            finally:
                closed.append(True)

    await attempt(TimeLimited(Held([""])), REQUEST)
    assert closed == [True]


@pytest.mark.parametrize(
    "address, usual", [("http://127.0.0.1:1/v1", 600.0), ("https://api.openai.com/v1", 60.0)]
)
def test_a_self_hosted_server_has_ten_times_as_long(address: str, usual: float) -> None:
    assert default_timeout_s(OpenAIModel("m", base_url=address)) == usual


async def test_a_draft_says_how_long_each_of_its_calls_took() -> None:
    def steps() -> Generator[CompletionRequest, Completion | CompletionFailure, Draft]:
        yield REQUEST
        yield REQUEST
        return Draft("made", "aggressive", "", (SummaryCall("normal", 1, 1), SummaryCall("aggressive", 1, 1)))

    model = ScriptedModel([[0.4, Completion("a")], "b"])
    first, second = (call.took_s for call in (await drive(steps(), model)).calls)
    assert first >= 0.4 > second
