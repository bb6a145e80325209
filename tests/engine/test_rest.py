"""What starts of itself and what does not: thresholds, and the rest after compactions that did not help."""

from __future__ import annotations

import palimpsest
from palimpsest.budget.compaction_effect import Effect
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.reports import Event
from palimpsest.errors import ModelError
from palimpsest.record.completion import Completion, CompletionRequest
from tests.engine.drawing import said
from tests.engine.laws import assert_lawful, assert_request_lawful
from tests.engine.test_rolling import BRIEFING, CRAB, step


async def test_without_a_threshold_nothing_starts_of_itself_but_requests_and_demands_do() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=1_000, preset="crabtalk", compact_threshold=None
    ) as engine:
        talk = engine.conversation("a")
        history = [said("user", "go"), *(one for place in range(20) for one in step(place, 3_000))]
        await talk.append(*history)
        assert await talk.end_step() is None
        assert await talk.end_turn() is None
        await engine.idle()
        assert (await engine.stats()).compactions == 0
        assert_request_lawful(await talk.request(), 7_000)
        assert (await engine.stats()).compactions >= 1
        await talk.append(*step(90, 4_000))
        assert await talk.compact() is not None
        await assert_lawful(talk, [*history, *step(90, 4_000)])


async def test_an_absolute_threshold_above_the_window_is_capped_and_the_record_says_so() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=1_000, preset="crabtalk"
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "go"), *(one for place in range(9) for one in step(place, 3_000)))
        report = await talk.end_step()
        assert report is not None
        (record,) = await engine.store.compactions("me", "a")
        numbers = dict(record.numbers)
        assert numbers["capped"] == 1
        assert numbers["trigger_tokens"] == 100_000
        assert numbers["used_tokens"] > int(numbers["capacity_tokens"] * 0.9)
        assert dict(report.numbers).items() <= numbers.items()


class Counting:
    """Answers with a briefing and counts how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        self.calls += 1
        return Completion(BRIEFING)


async def _step_of(talk: Conversation, number: int, prompt_tokens: int) -> None:
    """A step whose request the provider counted at so many tokens."""
    await talk.append(*step(number, 6_000))
    await talk.end_step()
    request = await talk.request()
    await talk.record_usage({"prompt_tokens": prompt_tokens, "completion_tokens": 5}, request)


async def test_two_compactions_that_do_not_help_stop_the_first_path_only_and_say_so() -> None:
    model = Counting()
    async with palimpsest.open(
        ":memory:", window_tokens=100_000, max_tokens=1_000, complete=model, **CRAB
    ) as engine:
        talk = engine.conversation("a")
        heard: list[Event] = []
        queue = engine._background.subscribe()
        await talk.append(said("user", "go"))
        await talk.record_usage({"prompt_tokens": 5_000, "completion_tokens": 5}, await talk.request())
        await _step_of(talk, 1, 5_000)
        await _step_of(talk, 2, 5_000)
        assert model.calls == 2
        while not queue.empty():
            event = queue.get_nowait()
            assert event is not None
            heard.append(event)
        assert [event.kind for event in heard] == ["paused"]
        assert "5,500" in heard[0].message
        await talk.append(*step(3, 1_200))
        assert await talk.end_step() is None
        assert await talk.end_turn() is None
        await engine.idle()
        assert model.calls == 2
        assert await talk.compact() is not None
        assert model.calls == 3
        await talk.append(*(one for place in range(4, 12) for one in step(place, 9_000)))
        assert await talk.end_step() is not None


async def test_the_second_and_third_path_work_while_the_first_rests() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000, **CRAB) as engine:
        talk = engine.conversation("a")
        state_of(talk).engine_state.effect = Effect(20_000, "a", strikes=2, rest_until_tokens=22_000)
        history = [said("user", "go"), *(one for place in range(20) for one in step(place, 3_000))]
        await talk.append(*history)
        assert (await talk.window()).budget.used_tokens > 15_000
        assert await talk.end_step() is None
        assert await talk.end_turn() is None
        await engine.idle()
        request = await talk.request()
        assert request.tokens <= request.budget.capacity_tokens
        later = [one for place in range(30, 32) for one in step(place, 1_000)]
        await talk.append(*later)
        again = await talk.recover(ModelError("too long", reason="context_overflow"))
        assert_request_lawful(again, 15_000)
        await assert_lawful(talk, [*history, *later])
