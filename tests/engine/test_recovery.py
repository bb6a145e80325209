"""After a provider refused a request as too long: what goes, what stays, what is learnt, and when it ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.budget.model_limits import observed_limits
from palimpsest.engine.compacting.request_fit import MAX_RETRIES, window_at_most
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.errors import DoesNotFit, ModelError
from palimpsest.record.message import Media, Message, Text
from palimpsest.record.window_items import MessageItem, OmittedItem
from palimpsest.settings import make_settings
from tests.engine.drawing import bulk, said, tool_group
from tests.engine.laws import assert_lawful, assert_request_lawful
from tests.engine.test_rolling import ROLLING, step

TOOLS = [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}]
REFUSED = ModelError("the prompt is too long", reason="context_overflow", status=400)


def turns(count: int, size_chars: int = 3_000) -> list[list[Message]]:
    """So many turns, each with a tool group."""
    return [
        [said("user", f"question {number}"), *step(number, size_chars), said("assistant", f"answer {number}")]
        for number in range(count)
    ]


def flat(grouped: list[list[Message]]) -> list[Message]:
    return [one for group in grouped for one in group]


@pytest.fixture
async def talk() -> AsyncIterator[Conversation]:
    """A conversation of eight turns in a window that holds them all, by our estimate."""
    async with palimpsest.open(
        ":memory:", preset="hierarchical", window_tokens=40_000, max_tokens=2_000
    ) as engine:
        made = engine.conversation("a")
        await made.append(*flat(turns(8)))
        yield made


class Refusal(Exception):
    """An error as a provider's client raises it."""

    def __init__(self, status: int, words: str, code: str = "") -> None:
        super().__init__(words)
        self.status_code = status
        self.body = {"error": {"message": words, "code": code}}
        self.message = words


OVERFLOWS = [
    ModelError("too long", reason="context_overflow"),
    Refusal(
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "context_length_exceeded",
    ),
    Refusal(400, "prompt is too long: 210000 tokens > 200000 maximum"),
    Refusal(400, "The input token count (40000) exceeds the maximum number of tokens allowed (32768)."),
    {"error": {"code": "context_length_exceeded", "message": "Your input exceeds the context window."}},
]
OTHERS = [
    (TimeoutError("timed out while the context window was read"), "timeout"),
    (Refusal(429, "rate limit reached: too many tokens per minute", "rate_limit_exceeded"), "rate_limit"),
    (Refusal(401, "invalid api key"), "auth"),
    (ConnectionResetError("connection reset"), "connection"),
    (ModelError("no", reason="refused"), "refused"),
]


@pytest.mark.parametrize("error", OVERFLOWS)
async def test_an_overflow_of_any_client_drops_the_older_half_of_the_turns(
    talk: Conversation, error: object
) -> None:
    before = await talk.request(system="Be brief.", tools=TOOLS, memory="The user is Ann.")
    request = await talk.recover(error)
    assert request.regions.total < before.regions.total
    words = str(request.openai())
    assert "question 7" in words
    assert "question 0" not in words
    assert "question 1" not in words
    first = (await talk.window()).window.items[0]
    assert isinstance(first, OmittedItem)
    assert first.note in words
    await assert_lawful(talk, flat(turns(8)))


@pytest.mark.parametrize("error, reason", OTHERS)
async def test_any_other_error_is_raised_with_its_reason_and_nothing_is_dropped(
    talk: Conversation, error: object, reason: str
) -> None:
    await talk.request()
    with pytest.raises(ModelError) as raised:
        await talk.recover(error)
    assert raised.value.reason == reason
    items = (await talk.window()).window.items
    assert [type(item) for item in items] == [MessageItem] * 32
    assert state_of(talk).recoveries == 0


async def test_everything_but_the_history_is_as_in_the_refused_request(talk: Conversation) -> None:
    image = Message("user", (Text("what is this?"), Media("image/png", data="aGk=", size_bytes=2)))
    await talk.append(image)
    before = await talk.request(
        system="Be brief.", memory="The user is Ann.", tools=TOOLS, model="m-1", inject=["It is noon."]
    )
    after = await talk.recover(REFUSED)
    assert (after.system, after.memory, after.tools, after.injections, after.model) == (
        before.system, before.memory, before.tools, before.injections, before.model
    )  # fmt: skip
    assert after.messages[-1] == before.messages[-1]
    assert "aGk=" in str(after.openai())
    assert "aGk=" in str(after.anthropic())
    assert "It is noon." in str(after.openai())
    assert after.regions.fixed == before.regions.fixed
    assert_request_lawful(after, 38_000)


async def test_after_two_recoveries_in_a_row_the_error_is_told(talk: Conversation) -> None:
    await talk.request()
    for _ in range(MAX_RETRIES):
        await talk.recover(REFUSED)
    with pytest.raises(ModelError, match="after 2 retries") as raised:
        await talk.recover(REFUSED)
    assert (raised.value.reason, raised.value.status) == ("context_overflow", 400)
    assert raised.value.hint


async def test_a_request_that_was_taken_starts_the_count_again(talk: Conversation) -> None:
    await talk.request()
    await talk.recover(REFUSED)
    request = await talk.recover(REFUSED)
    await talk.record_usage({"prompt_tokens": request.tokens, "completion_tokens": 5}, request)
    await talk.append(*flat(turns(4)))
    assert_request_lawful(await talk.recover(REFUSED), 38_000)


async def test_where_nothing_is_left_to_drop_it_is_said() -> None:
    async with palimpsest.open(":memory:", window_tokens=40_000, preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", bulk(30_000)))
        await talk.request()
        with pytest.raises(ModelError, match="nothing is left to drop"):
            await talk.recover(REFUSED)
        with pytest.raises(ModelError, match="nothing is left to drop"):
            await engine.conversation("none").recover(REFUSED)


async def test_the_window_that_a_refusal_names_is_the_models_from_then_on(talk: Conversation) -> None:
    before = await talk.request()
    assert before.budget.window_tokens == 40_000
    error = ModelError("too long", reason="context_overflow", limit_tokens=4_000, prompt_tokens=before.tokens)
    request = await talk.recover(error)
    assert request.budget.window_tokens == 4_000
    assert request.budget.output_reserve_tokens == 2_000
    assert request.tokens <= request.budget.capacity_tokens <= 2_000
    await talk.append(*flat(turns(3)))
    assert (await talk.request()).budget.window_tokens == 4_000
    assert (await talk.window()).budget.window_tokens == 4_000


async def test_a_window_no_larger_than_the_reply_leaves_room_for_a_prompt(talk: Conversation) -> None:
    await talk.request()
    error = ModelError("too long", reason="context_overflow", limit_tokens=2_000)
    request = await talk.recover(error)
    assert (request.budget.window_tokens, request.budget.output_reserve_tokens) == (2_000, 500)
    assert request.tokens <= request.budget.capacity_tokens


async def test_a_larger_window_than_was_thought_changes_nothing(talk: Conversation) -> None:
    await talk.request()
    request = await talk.recover(
        ModelError("too long", reason="context_overflow", limit_tokens=200_000, prompt_tokens=210_000)
    )
    assert request.budget.window_tokens == 40_000


async def test_a_prompt_that_counts_more_than_we_thought_corrects_the_estimate(talk: Conversation) -> None:
    before = await talk.request()
    error = ModelError(
        "too long", reason="context_overflow", limit_tokens=12_000, prompt_tokens=2 * before.tokens
    )
    request = await talk.recover(error)
    assert request.budget.correction_tokens >= 0.9 * request.regions.total
    assert 2 * request.regions.total <= 12_000


async def test_a_prompt_alone_shows_that_the_window_is_smaller_than_it_and_the_reply(
    talk: Conversation,
) -> None:
    await talk.request()
    request = await talk.recover(
        ModelError("too long", reason="context_overflow", prompt_tokens=7_000, status=400)
    )
    assert request.budget.window_tokens == 8_999
    assert request.tokens < 7_000


async def test_a_larger_prompt_that_is_taken_refutes_the_window_that_was_learnt(talk: Conversation) -> None:
    await talk.request()
    request = await talk.recover(ModelError("too long", reason="context_overflow", limit_tokens=5_000))
    assert request.budget.window_tokens == 5_000
    await talk.record_usage({"prompt_tokens": 5_000, "completion_tokens": 5}, request)
    assert (await talk.request()).budget.window_tokens == 5_000
    await talk.record_usage({"prompt_tokens": 5_001, "completion_tokens": 5}, request)
    assert (await talk.request()).budget.window_tokens == 40_000


async def test_what_is_learnt_is_of_one_model_and_ends_with_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    error = ModelError("too long", reason="context_overflow", limit_tokens=9_000)
    async with palimpsest.open(path, window_tokens=40_000, max_tokens=2_000) as engine:
        talk = engine.conversation("a")
        await talk.append(*flat(turns(8)))
        await talk.request(model="m-1")
        assert (await talk.recover(error)).budget.window_tokens == 9_000
        assert (await talk.request(model="m-2")).budget.window_tokens == 40_000
        assert (await talk.request(model="m-1")).budget.window_tokens == 9_000
    async with palimpsest.open(path, window_tokens=40_000, max_tokens=2_000) as engine:
        again = await engine.conversation("a").request(model="m-1")
        assert again.budget.window_tokens == 40_000


async def test_a_window_too_small_for_the_fixed_parts_is_said_to_be_so(talk: Conversation) -> None:
    await talk.request(system=bulk(12_000))
    with pytest.raises(DoesNotFit) as refused:
        await talk.recover(ModelError("too long", reason="context_overflow", limit_tokens=3_000))
    assert refused.value.parts[0][0] == "system prompt"
    await assert_lawful(talk, flat(turns(8)))


@pytest.mark.parametrize("preset", [{}, *ROLLING.values()])
async def test_a_single_turn_keeps_its_request_and_both_sides_of_its_groups_or_neither(
    preset: dict[str, Any],
) -> None:
    async with palimpsest.open(":memory:", window_tokens=60_000, max_tokens=2_000, **preset) as engine:
        talk = engine.conversation("a")
        history = [said("user", "read them all"), *tool_group(["a", "b"], [9_000, 9_000], [1, 0], 2)]
        await talk.append(*history)
        before = await talk.request()
        request = await talk.recover(REFUSED)
        assert "read them all" in str(request.openai())
        by_the_page = engine.settings.cuts_at == "turns"
        assert ("tool_calls" in str(request.openai())) == (not by_the_page)
        assert (str(request.openai()).count("stored as m") == 2) == (not by_the_page)
        assert request.tokens < before.tokens / 3
        assert_request_lawful(request, 58_000)
        await assert_lawful(talk, history)


@pytest.mark.parametrize("preset", ROLLING)
async def test_after_a_recovery_the_policy_goes_on_and_everything_can_be_read_back(preset: str) -> None:
    settings = {**ROLLING[preset], "compact_threshold": 4_000}
    async with palimpsest.open(":memory:", window_tokens=20_000, max_tokens=2_000, **settings) as engine:
        talk = engine.conversation("a")
        history = flat(turns(6))
        await talk.append(*history)
        await talk.request()
        await talk.recover(REFUSED)
        more = flat(turns(12, 900))
        await talk.append(*more)
        await talk.end_step()
        await talk.end_turn()
        await engine.idle()
        await assert_lawful(talk, [*history, *more])
        assert (await engine.stats()).summaries_by_depth
        assert_request_lawful(await talk.request(), 18_000)


@given(*(st.integers(0, 300_000) for _ in range(3)), st.integers(1, 300_000))
def test_a_refusal_never_widens_the_window_and_always_leaves_one(
    limit_tokens: int, prompt_tokens: int, reply_tokens: int, window_tokens: int
) -> None:
    most = window_at_most(limit_tokens, prompt_tokens, reply_tokens, window_tokens)
    assert 0 <= most <= window_tokens
    made = observed_limits(make_settings(window_tokens=window_tokens), "", most)
    assert 0 < made.window_tokens <= window_tokens
    assert made.window_tokens == (most or window_tokens)
    assert made.max_tokens < made.window_tokens
