"""Rolling summaries in the engine: presets picoclaw and crabtalk, through any history and with any model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.budget.token_estimator import count_text
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.token_calibration import TokenCalibration
from palimpsest.errors import DoesNotFit
from palimpsest.record.completion import Completion
from palimpsest.record.message import Media, Message, Reasoning, Text
from palimpsest.record.summary import IN_PROGRESS, without_progress
from palimpsest.record.window_items import MessageItem, SummaryItem
from palimpsest.settings import make_settings
from tests.effort import examples, size
from tests.engine.drawing import Deed, beginnings, bulk, deeds, said, tool_group
from tests.engine.laws import assert_lawful, assert_request_lawful, essence
from tests.engine.models import BEHAVIOURS, HeldModel
from tests.engine.test_random_histories import live

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")

ROOMS = ((2_000, 300), (4_000, 500), (8_000, 1_000))
CRAB: dict[str, Any] = {"preset": "crabtalk", "compact_threshold": 1_500, "rolling_target_tokens": 300}
ROLLING: dict[str, dict[str, Any]] = {
    "crabtalk": {**CRAB, "fresh_tail_count": 0},
    "picoclaw": {"preset": "picoclaw", "rolling_target_tokens": 300, "summarize_message_threshold": 12},
}
MANY = size(15, 50)
BRIEFING = "The user wants the parser fixed; src/app/reader.py was read."


@pytest.mark.parametrize("preset", ROLLING)
@given(
    first=beginnings(),
    todo=st.lists(deeds(), max_size=8),
    room=st.sampled_from(ROOMS),
    behaviour=st.sampled_from(BEHAVIOURS),
)
@examples(30)
def test_the_laws_hold_over_any_history_whatever_the_model_does(
    preset: str, first: list[Message], todo: list[Deed], room: tuple[int, int], behaviour: str
) -> None:
    asked = asyncio.run(live(first, todo, behaviour, room, **ROLLING[preset]))
    assert asked <= 2_000


def step(number: int, size_chars: int = 1_500) -> list[Message]:
    """A step of a turn: a reply that calls a tool, and its result."""
    return tool_group([f"c{number}"], [size_chars], [0], 1, f"Step {number}.")


async def standing_summary(talk: Conversation) -> SummaryItem:
    """The only item of the window."""
    (item,) = (await talk.window()).window.items
    assert isinstance(item, SummaryItem)
    return item


@pytest.mark.sampled
async def test_many_compactions_in_a_row_do_not_grow_and_their_depth_is_honest() -> None:
    model = ScriptedModel([Completion(BRIEFING * 4)])
    async with palimpsest.open(
        ":memory:", window_tokens=16_000, max_tokens=1_000, complete=model, **CRAB
    ) as engine:
        talk = engine.conversation("a")
        history = [said("user", "Fix the parser, and say what you did.")]
        await talk.append(*history)
        sizes: list[int] = []
        for number in range(MANY):
            added = [one for place in range(4) for one in step(10 * number + place, 3_000)]
            await talk.append(*added)
            history += added
            report = await talk.end_step()
            assert report is not None
            item = await standing_summary(talk)
            sizes.append(item.tokens)
            assert item.summary.depth == number
            assert item.quoted is not None
            assert essence(item.quoted.message) == essence(history[0])
        assert max(sizes) <= max(sizes[:5]) + 30
        assert len(model.requests) == MANY
        entries = await talk.expand([(await standing_summary(talk)).id], to_messages=True)
        assert len(entries) == len(history)
        await assert_lawful(talk, history)


@pytest.mark.sampled
async def test_many_compactions_without_a_model_stay_within_their_target() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000, **CRAB) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Fix the parser."))
        sizes: list[int] = []
        for number in range(MANY):
            await talk.append(*(one for place in range(4) for one in step(10 * number + place, 3_000)))
            assert await talk.end_step() is not None
            item = await standing_summary(talk)
            in_progress = item.summary.text.removeprefix(without_progress(item.summary.text))
            assert IN_PROGRESS in in_progress
            sizes.append(item.tokens - count_text(in_progress))
        assert max(sizes) <= 300 * 1.5 + 150


@pytest.mark.sampled
@pytest.mark.parametrize("preset", ROLLING)
async def test_a_single_turn_of_many_tool_calls_stays_within_a_small_window(preset: str) -> None:
    model = ScriptedModel([Completion(BRIEFING)])
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=1_000, complete=model, **ROLLING[preset]
    ) as engine:
        talk = engine.conversation("a")
        history = [said("user", "Read every file and say which one is wrong.")]
        await talk.append(*history)
        for number in range(size(50, 200)):
            request = await talk.request(system="Be brief.")
            assert request.tokens <= request.budget.capacity_tokens
            assert history[0].text in str(request.openai())
            added = step(number, 900)
            await talk.append(*added)
            history += added
            await talk.end_step()
        await talk.end_turn()
        await engine.idle()
        assert_request_lawful(await talk.request(), 7_000)
        await assert_lawful(talk, history)


@pytest.mark.parametrize("preset", ROLLING)
async def test_a_request_larger_than_half_the_window_stands_whole_with_what_came_before_shortened(
    preset: str,
) -> None:
    model = ScriptedModel([Completion(BRIEFING)])
    async with palimpsest.open(
        ":memory:", window_tokens=6_000, max_tokens=500, complete=model, **ROLLING[preset]
    ) as engine:
        talk = engine.conversation("a")
        before = [one for number in range(12) for one in (said("user", bulk(900, number)), *step(number))]
        large = Message("user", (Text(bulk(9_500, 7)), Media("image/png", data="aGk=", size_bytes=2)))
        await talk.append(*before, large)
        request = await talk.request()
        assert large.text in str(request.openai())
        assert "aGk=" in str(request.anthropic())
        assert_request_lawful(request, 5_500)
        await talk.append(*step(90, 4_000))
        await talk.end_step()
        later = await talk.request()
        assert large.text in str(later.openai())
        assert "aGk=" in str(later.openai())
        assert_request_lawful(later, 5_500)
        await assert_lawful(talk, [*before, large, *step(90, 4_000)])


async def test_a_summary_gives_way_where_the_request_it_quotes_leaves_it_no_room() -> None:
    model = ScriptedModel([Completion(BRIEFING * 40), Completion(BRIEFING)])
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=1_000, complete=model, preset="crabtalk"
    ) as engine:
        talk = engine.conversation("a")
        history = [said("user", bulk(12_000, 1)), *(one for place in range(3) for one in step(place, 3_000))]
        await talk.append(*history)
        await talk.compact()
        whole = await standing_summary(talk)
        request = await talk.request(system=bulk(8_400, 3))
        assert history[0].text in str(request.openai())
        first = (await talk.window()).window.items[0]
        assert isinstance(first, SummaryItem)
        assert first.tokens < whole.tokens
        assert first.summary.quotes == 1
        assert_request_lawful(request, 7_000)
        await assert_lawful(talk, history)


@pytest.mark.parametrize("preset", ROLLING)
async def test_a_group_at_the_end_that_is_larger_than_the_window_is_shortened(preset: str) -> None:
    async with palimpsest.open(":memory:", window_tokens=4_000, max_tokens=500, **ROLLING[preset]) as engine:
        talk = engine.conversation("a")
        history = [said("user", "go"), said("assistant", "I go."), said("user", "read it"), *step(1, 60_000)]
        await talk.append(*history)
        request = await talk.request()
        assert "read it" in str(request.openai())
        assert_request_lawful(request, 3_500)
        await assert_lawful(talk, history)


@pytest.mark.parametrize("preset", ROLLING)
async def test_a_history_of_many_windows_is_summarized_in_calls_that_each_fit_one(preset: str) -> None:
    model = ScriptedModel([Completion(BRIEFING)])
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=1_000, complete=model, **ROLLING[preset]
    ) as engine:
        talk = engine.conversation("a")
        history = [
            one for number in range(40) for one in (said("user", bulk(600, number)), *step(number, 2_500))
        ]
        await talk.append(*history)
        report = await talk.compact()
        assert report is not None
        assert len(model.requests) >= 4
        assert max(len(str(request.messages)) for request in model.requests) < 4 * 8_000
        assert all(made.method == "normal" for made in report.summaries)
        await assert_lawful(talk, history)


async def test_a_preset_may_change_over_a_window_that_another_made() -> None:
    history = [said("user", "go"), *(one for place in range(12) for one in step(place, 3_000))]
    async with palimpsest.open(":memory:", window_tokens=9_000, max_tokens=1_000, **CRAB) as engine:
        talk = engine.conversation("a")
        await talk.append(*history)
        assert await talk.compact() is not None
        for preset in ("default", "picoclaw", "seahorse", "crabtalk", "default"):
            other = make_settings(preset, window_tokens=9_000, max_tokens=1_000)
            state = state_of(talk)
            state.settings = other
            state.calibration = TokenCalibration(state.store, state.owner, talk.id, other)
            added = [
                said("user", f"now {preset}"),
                *step(len(history), 9_000),
                *step(len(history) + 1, 9_000),
            ]
            await talk.append(*added)
            history += added
            assert_request_lawful(await talk.request(), 8_000)
            await talk.compact()
            await talk.end_turn()
            await engine.idle()
            await assert_lawful(talk, history)


async def test_thinking_of_before_a_compaction_is_not_sent_again_and_that_of_after_is() -> None:
    def thought(number: int) -> list[Message]:
        call, answer = step(number, 3_000)
        return [Message("assistant", (Reasoning(f"hm {number}", "sig"), *call.parts)), answer]

    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000, **CRAB) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "old"), said("assistant", "done"), said("user", "go"))
        await talk.append(*thought(1), *thought(2), *thought(3))
        assert await talk.end_step() is not None
        loaded = await state_of(talk).store.load_window("me", "a")
        assert loaded is not None
        assert loaded.window.thinking_from == 3
        await talk.append(*thought(4))
        sent = str((await talk.request()).messages)
        assert "hm 4" in sent
        assert "hm 3" not in sent


async def test_what_is_said_while_a_summary_is_made_stands_behind_it_and_is_the_newest_request() -> None:
    model = HeldModel()
    async with palimpsest.open(
        ":memory:", window_tokens=40_000, max_tokens=1_000, complete=model, **CRAB
    ) as engine:
        talk = engine.conversation("a")
        history = [said("user", "go"), *step(1, 6_000)]
        await talk.append(*history)
        assert await talk.end_step() is not None
        await talk.append(*step(2, 6_000))
        slow = asyncio.create_task(talk.end_step())
        await model.held.wait()
        later = [said("user", "no, wait"), *step(3, 3_000)]
        await talk.append(*later)
        history = [*history, *step(2, 6_000), *later]
        assert_request_lawful(await talk.request(), 39_000)
        model.release.set()
        assert await slow is not None
        first, second, *_ = (await talk.window()).window.items
        assert isinstance(first, SummaryItem)
        assert (first.first, first.last, first.summary.quotes) == (1, 5, 1)
        assert isinstance(second, MessageItem)
        assert second.stored.message.text == "no, wait"
        await assert_lawful(talk, history)
        await talk.compact()
        assert (await standing_summary(talk)).summary.quotes == 6
        await assert_lawful(talk, history)


async def test_a_picoclaw_summary_stands_behind_the_system_prompt_and_the_window_begins_with_the_user() -> (
    None
):
    model = ScriptedModel([Completion(BRIEFING)])
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=1_000, complete=model, **ROLLING["picoclaw"]
    ) as engine:
        talk = engine.conversation("a")
        turns = [
            (said("user", f"question {number}"), *step(number, 900), said("assistant", f"answer {number}"))
            for number in range(12)
        ]
        await talk.append(*(one for turn in turns for one in turn))
        assert await talk.end_turn() is None
        await engine.idle()
        request = await talk.request(system="You are Pico.")
        assert BRIEFING in request.summaries
        assert request.openai()["messages"][0]["role"] == "system"  # type: ignore[index]
        assert request.messages[0].text == "question 11"
        assert [type(item) for item in (await talk.window()).window.items] == [
            SummaryItem,
            *[MessageItem] * 4,
        ]


async def test_what_cannot_shrink_is_named_with_the_request_that_a_summary_quotes() -> None:
    async with palimpsest.open(":memory:", window_tokens=8_000, max_tokens=1_000, **CRAB) as engine:
        talk = engine.conversation("a")
        (asked, *_) = await talk.append(
            said("user", bulk(16_000, 1)), *(one for place in range(4) for one in step(place, 3_000))
        )
        assert await talk.compact() is not None
        with pytest.raises(DoesNotFit) as refused:
            await talk.request(system=bulk(16_000, 2))
        names = dict(refused.value.parts)
        assert names[f"newest request {asked.id}"] == asked.tokens
        assert len((await talk.window()).window.items) == 1


@pytest.mark.parametrize("preset", ["picoclaw", "crabtalk"])
async def test_a_result_larger_than_the_window_cuts_nothing_down_that_came_before_it(preset: str) -> None:
    goal = "Find out why the log server drops every second line of the night ferry."
    rule = "Do not restart the log server."
    async with palimpsest.open(":memory:", preset=preset, window_tokens=16_000, max_tokens=2_000) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", f"{goal} {rule}"), said("assistant", "I begin."))
        for number in range(2):
            await talk.append(
                said("user", f"Look at part {number}."), *tool_group([f"t{number}"], [3_000], [0], 1)
            )
            await talk.append(said("assistant", bulk(900, number)))
        await talk.append(said("user", "Look at the whole log."), *tool_group(["all"], [400_000], [0], 1))
        await talk.append(said("assistant", "It ends at midnight."))
        await talk.end_step()
        await talk.end_turn()
        await engine.idle()
        request = await talk.request()
        text = str(request.openai())
        assert request.tokens <= request.budget.capacity_tokens
        assert goal in text
        assert rule in text
