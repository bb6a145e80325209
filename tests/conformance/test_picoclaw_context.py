"""PicoClaw context: what fills the window, how the space is divided, and three paths of compression."""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import palimpsest
from palimpsest import Media, Message, Reasoning, Text, ToolCall, ToolResult
from palimpsest.budget.token_counts import (
    MEDIA_TOKENS,
    estimate_message_tokens,
    estimate_tool_defs_tokens,
    is_over_context_budget,
)
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.opening import Opening
from palimpsest.errors import DoesNotFit, ModelError
from palimpsest.plan.turns import find_safe_boundary, parse_turn_boundaries
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.message import ToolDef
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, SummaryItem

OVERFLOW = ModelError("prompt is too long: 9000 tokens > 8000 maximum", reason="context_overflow")
TOOLS = [
    {
        "type": "function",
        "function": {"name": "read", "description": "Reads.", "parameters": {"type": "object"}},
    }
]


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


async def talk_for(talk: Conversation, turns: int, words: int = 40) -> None:
    for turn in range(turns):
        await talk.append(
            user(f"question {turn} " + "alpha beta " * words), assistant(f"answer {turn} " + "gamma " * words)
        )


def picoclaw(**settings: Any) -> Opening:
    return palimpsest.open(":memory:", preset="picoclaw", **settings)


async def test_the_regions_fill_the_window() -> None:
    """Four regions fill the window: the system prompt, the summary, the session history and the tool definitions."""
    async with picoclaw(window_tokens=8_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 12)
        await talk.end_turn()
        await engine.idle()
        regions = (await talk.request(system="Be brief.", tools=TOOLS)).regions
        assert min(regions.system, regions.summaries, regions.history, regions.tools) > 0
        assert regions.total == regions.system + regions.summaries + regions.history + regions.tools


async def test_the_output_limit_is_reserved_from_the_window() -> None:
    """MaxTokens, the longest reply, is reserved from the total: history_budget = window - system - summary - tools -
    MaxTokens (less our margin for the estimate's error).
    """
    async with picoclaw(window_tokens=20_000, max_tokens=3_000) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 2)
        budget = (await talk.request(system="Be brief.", tools=TOOLS)).budget
        fixed = budget.regions.system + budget.regions.summaries + budget.regions.tools
        assert budget.history_budget_tokens == 20_000 - 3_000 - budget.margin_tokens - fixed


async def test_window_and_output_limit_are_different_settings() -> None:
    """ContextWindow and MaxTokens serve different purposes; raising one does not move the other."""
    async with picoclaw(window_tokens=50_000, max_tokens=10_000) as engine:
        talk = engine.conversation("a")
        await talk.append(user("hello"))
        request = await talk.request()
        assert (request.budget.window_tokens, request.budget.output_reserve_tokens) == (50_000, 10_000)
        assert request.completion().max_output_tokens == 10_000


async def test_the_window_is_four_times_the_output_limit_when_nothing_else_is_known() -> None:
    """When not explicitly configured, ContextWindow = MaxTokens * 4."""
    async with picoclaw(max_tokens=6_000) as engine:
        talk = engine.conversation("a")
        await talk.append(user("hello"))
        assert (await talk.request()).budget.window_tokens == 24_000


async def test_history_holds_user_assistant_and_tool_messages_only() -> None:
    """Session history stores user, assistant (with tool calls) and tool messages; no system prompt and no summary."""
    async with picoclaw(window_tokens=4_000, max_tokens=500) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "system", "content": "You are Ada."}, user("hi"))
        await talk_for(talk, 12)
        await talk.end_turn()
        await engine.idle()
        assert any(isinstance(item, SummaryItem) for item in (await talk.window()).window.items)
        assert {stored.message.role for stored in await talk.messages()} == {"user", "assistant"}
        assert (await talk.request()).system == "You are Ada."


async def test_the_summary_is_kept_apart_and_injected_into_the_system_prompt() -> None:
    """The summary is stored separately from the history and put into the system prompt when a request is built."""
    async with picoclaw(
        window_tokens=8_000, max_tokens=500, complete=ScriptedModel(["THE SUMMARY"])
    ) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 12)
        await talk.end_turn()
        await engine.idle()
        request = await talk.request(system="Be brief.")
        sent: Any = request.openai()["messages"]
        assert "THE SUMMARY" in request.summaries
        assert any("THE SUMMARY" in message["content"] for message in sent if message["role"] == "system")
        assert not any("THE SUMMARY" in message.text for message in request.messages)


def test_turns_begin_at_user_messages() -> None:
    """A turn is a user message, the model's iterations with their tool calls, and the final reply; its boundaries are
    the user-role messages, and nothing assumes a system message in the history.
    """
    history = [Message("user"), Message("assistant"), Message("tool"), Message("assistant"), Message("user")]
    assert parse_turn_boundaries(history) == [0, 4]
    assert parse_turn_boundaries(history[1:]) == [3]


def test_a_cut_snaps_to_the_nearest_turn() -> None:
    """findSafeBoundary snaps a target cut to the nearest turn boundary."""
    history = [Message(role) for role in ("user", "assistant", "user", "assistant", "assistant", "user")]
    assert [find_safe_boundary(history, target) for target in (1, 2, 3, 4, 5)] == [2, 2, 2, 5, 5]


async def test_compression_cuts_between_turns() -> None:
    """The turn is the atomic unit of compression, so that no tool call is parted from its results."""
    async with picoclaw(window_tokens=20_000, max_tokens=500, summarize_message_threshold=10) as engine:
        talk = engine.conversation("a")
        for turn in range(6):
            await talk.append(user(f"do {turn} " + "please " * 60))
            call = {"id": f"c{turn}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
            await talk.append({"role": "assistant", "content": None, "tool_calls": [call]})
            await talk.append(
                {"role": "tool", "tool_call_id": f"c{turn}", "content": "text " * 60}, assistant("done")
            )
        await talk.end_turn()
        await engine.idle()
        items = (await talk.window()).window.items
        assert isinstance(items[0], SummaryItem)
        assert isinstance(items[1], MessageItem)
        assert items[1].stored.message.role == "user"


async def test_the_first_path_runs_in_the_background_after_a_turn() -> None:
    """After each turn a background task summarizes the oldest messages when there are more than a threshold; the turn
    does not wait for it.
    """
    model = ScriptedModel(["a summary"])
    release = asyncio.Event()

    async def slow(request: CompletionRequest) -> palimpsest.Completion:
        await release.wait()
        return await model(request)

    async with picoclaw(window_tokens=50_000, max_tokens=500, complete=slow) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 10)
        assert await talk.end_turn() is None
        assert not [item for item in (await talk.window()).window.items if isinstance(item, SummaryItem)]
        await talk_for(talk, 1)
        await talk.end_turn()
        release.set()
        await engine.idle()
        assert isinstance((await talk.window()).window.items[0], SummaryItem)


async def test_the_first_path_also_starts_at_a_share_of_the_window() -> None:
    """Or it starts when the tokens exceed a percentage of the window, however few the messages are."""
    async with picoclaw(window_tokens=4_000, max_tokens=500, summarize_message_threshold=1_000) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 6, words=150)
        await talk.end_turn()
        await engine.idle()
        assert isinstance((await talk.window()).window.items[0], SummaryItem)


def test_the_proactive_check_uses_the_whole_formula() -> None:
    """isOverContextBudget: message tokens + tool tokens + MaxTokens > ContextWindow."""
    messages, tools = [Message("user", (Text("x" * 1_000),))], [ToolDef("read", "Reads.", "{}")]
    used = estimate_message_tokens(messages[0]) + estimate_tool_defs_tokens(tools)
    assert not is_over_context_budget(used + 100, messages, tools, 100)
    assert is_over_context_budget(used + 99, messages, tools, 100)


async def test_the_second_path_compresses_before_the_call_is_made() -> None:
    """Over budget before a call, the history is compressed and the messages rebuilt, so that no call is wasted."""
    async with picoclaw(window_tokens=4_000, max_tokens=500, compact_threshold=None) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 30)
        request = await talk.request(system="Be brief.", tools=TOOLS)
        assert request.tokens <= request.budget.capacity_tokens
        assert len(await talk.messages(1, 100)) == 60


async def test_the_third_path_drops_the_oldest_half_of_the_turns() -> None:
    """When the provider refuses the context all the same, about half of the turns, the oldest, are dropped."""
    async with picoclaw(window_tokens=50_000, max_tokens=500) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 10)
        await talk.append(user("and now?"))
        await talk.request()
        request = await talk.recover(OVERFLOW)
        kept = [
            message for message in request.messages if message.role == "user" and "question" in message.text
        ]
        assert [message.text[:10] for message in kept] == [f"question {turn}" for turn in range(5, 10)]


async def test_a_single_turn_keeps_only_its_request() -> None:
    """A history of one turn without a safe split keeps only the most recent user message, as a last resort."""
    async with picoclaw(window_tokens=50_000, max_tokens=500) as engine:
        talk = engine.conversation("a")
        call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        await talk.append(
            user("read all of it"), {"role": "assistant", "content": None, "tool_calls": [call]}
        )
        await talk.append({"role": "tool", "tool_call_id": "c", "content": "words " * 4_000})
        await talk.request()
        request = await talk.recover(OVERFLOW)
        assert [(message.role, message.text) for message in request.messages] == [("user", "read all of it")]


async def test_the_note_of_what_was_dropped_is_no_history() -> None:
    """The compression note is kept with the summary, not among the messages, and stands in the next system prompt."""
    async with picoclaw(window_tokens=50_000, max_tokens=500) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 10)
        before = len(await talk.messages(1, 100))
        await talk.request()
        request = await talk.recover(OVERFLOW)
        notes = [item.note for item in (await talk.window()).window.items if isinstance(item, OmittedItem)]
        assert len(notes) == 1
        assert notes[0] in request.summaries
        assert len(await talk.messages(1, 100)) == before


def test_tokens_are_two_fifths_of_the_characters() -> None:
    """The heuristic: 2.5 characters a token, over content, reasoning, tool call ids, types, names, arguments, and
    result ids, with an overhead for each message.
    """
    parts = (Text("a" * 50), Reasoning("b" * 50), ToolCall("i" * 10, "n" * 10, "g" * 30))
    assert (
        estimate_message_tokens(Message("assistant", parts))
        == (50 + 50 + 10 + len("function") + 10 + 30 + 12) * 2 // 5
    )
    result = Message("tool", (ToolResult("i" * 10, (Text("r" * 40),)),))
    assert estimate_message_tokens(result) == (10 + 40 + 12) * 2 // 5


def test_characters_are_counted_and_not_bytes() -> None:
    """Content counts in characters, so that multibyte text is not counted several times."""
    assert estimate_message_tokens(Message("user", (Text("日本語の文" * 10),))) == (50 + 12) * 2 // 5


def test_media_cost_a_flat_number_of_tokens() -> None:
    """A media item adds a flat estimate outside the character rule."""
    plain, seen = (
        Message("user", (Text("look"),)),
        Message("user", (Text("look"), Media("image/png", data="A" * 9_000))),
    )
    assert estimate_message_tokens(seen) - estimate_message_tokens(plain) == MEDIA_TOKENS


def test_tool_definitions_count_with_name_description_and_schema() -> None:
    """Tool definitions count with name, description and the JSON schema of the parameters."""
    assert estimate_tool_defs_tokens([ToolDef("n" * 10, "d" * 30, "s" * 40)]) == (10 + 30 + 40 + 20) * 2 // 5


def test_budget_functions_depend_on_no_runtime() -> None:
    """The budget functions are pure: messages and numbers in, a value out, without the agent loop or the engine."""
    for module in ("palimpsest.plan.turns", "palimpsest.budget.token_counts", "palimpsest.budget.regions"):
        spec = importlib.util.find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
        imported = {
            node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
        }
        assert not {name for name in imported if name.startswith(("palimpsest.engine", "palimpsest.agent"))}
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]


def test_one_place_assembles_the_request() -> None:
    """There is a sole assembler of what is sent: requests are made in one place only."""
    root = Path(palimpsest.__file__).parent
    made = re.compile(r"(?<!\w)Request\(")
    makers = [path.name for path in root.rglob("*.py") if made.search(path.read_text(encoding="utf-8"))]
    assert makers == ["conversation.py"]


async def test_the_background_trigger_uses_the_full_formula() -> None:
    """A known gap, closed: the trigger of the first path counts the system prompt and the tools too."""
    async with picoclaw(window_tokens=10_000, max_tokens=500, summarize_message_threshold=1_000) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 6)
        await talk.request(system="Be brief.")
        await talk.end_turn()
        await engine.idle()
        assert not [item for item in (await talk.window()).window.items if isinstance(item, SummaryItem)]
        await talk.request(system="Rule: be careful. " * 860)
        await talk.end_turn()
        await engine.idle()
        assert [item for item in (await talk.window()).window.items if isinstance(item, SummaryItem)]


async def test_reported_usage_corrects_the_estimate() -> None:
    """A known gap, closed: what the provider reports anchors the estimates that follow."""
    async with picoclaw(window_tokens=50_000, max_tokens=500) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 3)
        request = await talk.request()
        await talk.record_usage({"prompt_tokens": request.tokens * 2, "completion_tokens": 1}, request)
        assert (await talk.request()).tokens == pytest.approx(request.tokens * 2, rel=0.01)


async def test_media_survive_the_reactive_retry() -> None:
    """A known gap, closed: after the third path the request is rebuilt with media, tools, memory and the rest."""
    image = {"type": "image_url", "image_url": {"url": "https://example.com/plan.png"}}
    async with picoclaw(window_tokens=50_000, max_tokens=500) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 6)
        await talk.append({"role": "user", "content": [{"type": "text", "text": "what is this?"}, image]})
        await talk.request(system="S", memory="M", tools=TOOLS, inject=["recalled"])
        request = await talk.recover(OVERFLOW)
        assert any(isinstance(part, Media) for part in request.messages[-1].parts)
        assert (request.system, request.memory, request.injections) == ("S", "M", ("recalled",))
        assert [tool.name for tool in request.tools] == ["read"]


async def test_there_is_no_loop_when_the_context_is_exceeded_for_good() -> None:
    """The last resort avoids a context-exceeded loop: two retries, then an error; and fixed parts that alone are too
    large are named at once.
    """
    async with picoclaw(window_tokens=4_000, max_tokens=500) as engine:
        talk = engine.conversation("a")
        await talk_for(talk, 8)
        await talk.request()
        await talk.recover(OVERFLOW)
        await talk_for(talk, 8)
        await talk.recover(OVERFLOW)
        await talk_for(talk, 8)
        with pytest.raises(ModelError, match="2 retries"):
            await talk.recover(OVERFLOW)
        with pytest.raises(DoesNotFit) as caught:
            await talk.request(system="word " * 5_000)
        assert caught.value.parts[0][0] == "system prompt"


def whole_turns(items: Sequence[Item]) -> bool:
    """Whether the messages of a window begin with a request and every request has all of its turn of four."""
    roles = [item.stored.message.role for item in items if isinstance(item, MessageItem)]
    return roles == ["user", "assistant", "tool", "assistant"] * (len(roles) // 4)


@pytest.mark.parametrize("threshold", [None, 0])
async def test_turns_stay_whole_where_the_history_exceeds_the_capacity(threshold: int | None) -> None:
    """No path splits a turn, also where the history is larger than the capacity; only the last resort does."""
    async with picoclaw(window_tokens=6_000, max_tokens=500, compact_threshold=threshold) as engine:
        talk = engine.conversation("a")
        call = {"type": "function", "function": {"name": "read", "arguments": "{}"}}
        for turn in range(30):
            await talk.append(user(f"do {turn} " + "please " * 40))
            await talk.append(
                {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{turn}", **call}]}
            )
            await talk.append({"role": "tool", "tool_call_id": f"c{turn}", "content": f"row {turn} " * 160})
            await talk.append(assistant("done " * 40))
            if turn % 9 == 8:
                await talk.request()
            await talk.end_turn()
            await engine.idle()
            view = await talk.window()
            assert turn % 9 < 8 or view.budget.used_tokens <= view.budget.capacity_tokens
            assert whole_turns(view.window.items)
        assert len((await talk.window()).window.items) < 60


async def test_a_turn_of_two_messages_falls_back_to_its_request() -> None:
    """A single turn of a request and a huge reply falls back to the request, before a call and after a refusal."""
    for refused in (False, True):
        async with picoclaw(window_tokens=8_000, max_tokens=500) as engine:
            talk = engine.conversation("a")
            await talk.append(user("tell me all of it"), assistant("words " * (2_000 if refused else 20_000)))
            request = await talk.request()
            request = await talk.recover(OVERFLOW) if refused else request
            assert [message.text for message in request.messages] == ["tell me all of it"]


async def test_the_proactive_check_is_what_the_product_runs() -> None:
    """isOverContextBudget runs before each call. Where it finds a request too large that fits by our estimate, the
    oldest half of the turns is dropped (`seahorse` makes leaves past the fresh tail); our estimate says what fits.
    """
    for preset in ("picoclaw", "seahorse"):
        async with palimpsest.open(
            ":memory:", preset=preset, window_tokens=8_000, max_tokens=1_000
        ) as engine:
            talk = engine.conversation("a")
            await talk_for(talk, 8, words=140)
            before = (await talk.window()).window
            messages = [item.stored.message for item in before.items if isinstance(item, MessageItem)]
            assert is_over_context_budget(8_000, messages, (), 1_000)
            assert before.tokens < 6_000
            request = await talk.request()
            assert not is_over_context_budget(8_000, request.messages, request.tools, 1_000)
            reasons = [one.reason for one in await engine.store.compactions(engine.owner, "a")]
            assert reasons
            assert reasons[0].startswith("over: ")
            assert ("half of the turns" in reasons[0]) == (preset == "picoclaw")
