"""Pydantic AI's messages: sent as they came, rebuilt where the engine changed them, valid in every kind of run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai import Agent, BinaryContent, DeferredToolRequests, DeferredToolResults, ImageUrl, ModelRetry
from pydantic_ai import messages as ai
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset

from palimpsest.integrations.pydantic_ai import PalimpsestCapability, PydanticAICodec
from palimpsest.integrations.shared.threads import Piece

CODEC = PydanticAICodec()
WORDS = st.text(min_size=1, max_size=12)
FILES = st.one_of(
    st.builds(BinaryContent, st.binary(min_size=1, max_size=9), media_type=st.just("image/png")),
    st.just(ImageUrl("https://harbour.example/berth.png")),
)
ASKED = st.one_of(
    st.builds(ai.UserPromptPart, WORDS),
    st.builds(ai.UserPromptPart, st.lists(st.one_of(WORDS, FILES), min_size=1, max_size=3)),
    st.builds(
        ai.ToolReturnPart, WORDS, st.one_of(WORDS, FILES, st.dictionaries(WORDS, st.integers())), WORDS
    ),
    st.builds(
        ai.ToolReturnPart, WORDS, WORDS, WORDS, outcome=st.sampled_from(["success", "failed", "retried"])
    ),
)
SAID = st.one_of(
    st.builds(ai.TextPart, WORDS),
    st.builds(ai.ThinkingPart, WORDS, signature=WORDS, provider_name=st.just("anthropic")),
    st.builds(ai.ToolCallPart, WORDS, st.just('{"page": 3}'), WORDS),
    st.builds(
        ai.NativeToolCallPart, WORDS, st.just({"query": "tide"}), WORDS, provider_name=st.just("openai")
    ),
)
REQUESTS = st.builds(ai.ModelRequest, st.lists(ASKED, min_size=1, max_size=4))
RESPONSES = st.builds(ai.ModelResponse, st.lists(SAID, min_size=1, max_size=4))
HISTORIES = st.lists(st.one_of(REQUESTS, RESPONSES), max_size=6)


def read(history: list[Any]) -> list[Piece]:
    return [piece for one in history for piece in CODEC.read(one)]


@given(HISTORIES)
def test_what_is_shown_unchanged_is_sent_as_the_very_object(history: list[Any]) -> None:
    written = CODEC.write(read(history))
    assert [id(one) for one in written] == [id(one) for one in history]


@given(REQUESTS, st.data())
def test_a_request_shown_in_part_has_the_very_parts(request: ai.ModelRequest, data: st.DataObject) -> None:
    pieces = read([request])
    some = data.draw(st.integers(0, len(pieces)))
    written = CODEC.write(pieces[some:])
    assert [id(part) for one in written for part in one.parts] == [id(one) for one in request.parts[some:]]


@given(HISTORIES)
def test_what_is_written_anew_says_the_same(history: list[Any]) -> None:
    messages = [one.message for one in read(history)]
    written = CODEC.write([Piece(one) for one in messages])
    again = [one.message for one in read(written)]
    assert [(one.role, one.parts) for one in again] == [(one.role, one.parts) for one in messages]


def keeping(folder: Path, **settings: Any) -> PalimpsestCapability:
    return PalimpsestCapability(folder / "agent.db", window_tokens=16_000, **settings)


def answering(*replies: Any, seen: list[Any] | None = None) -> FunctionModel:
    left = list(replies)

    def reply(messages: list[ai.ModelMessage], info: AgentInfo) -> ai.ModelResponse:
        if seen is not None:
            seen.append((messages, info))
        return ai.ModelResponse([left.pop(0)])

    return FunctionModel(reply)


async def stored(kept: PalimpsestCapability, thread: str, owner: str | None = None) -> list[Any]:
    talk = kept.host.thread(thread, owner, where="").talk
    return [one.message for one in await kept.host.run(talk.messages)]


async def test_a_tool_that_asks_for_another_try_is_answered_and_stored(tmp_path: Path) -> None:
    kept = keeping(tmp_path)

    def berth(number: int) -> str:
        if number == 1:
            raise ModelRetry("berth 1 is closed")
        return "free"

    calls = [ai.ToolCallPart("berth", {"number": number}, f"c{number}") for number in (1, 2)]
    agent = Agent(answering(*calls, ai.TextPart("Take 2.")), tools=[berth], capabilities=[kept])
    done = await agent.run("Which berth?", conversation_id="c")
    assert done.output == "Take 2."
    results = [one.results[0].text for one in await stored(kept, "c") if one.results]
    assert results == ["berth 1 is closed", "free"]
    await kept.host.aclose()


async def test_results_of_tools_that_run_elsewhere_go_on_with_the_turn(tmp_path: Path) -> None:
    kept = keeping(tmp_path)
    tools = ExternalToolset([ToolDefinition(name="crane")])
    model = answering(ai.ToolCallPart("crane", {}, "c1"), ai.TextPart("Lifted."))
    agent = Agent(model, output_type=[str, DeferredToolRequests], toolsets=[tools], capabilities=[kept])
    first = await agent.run("Lift it.", conversation_id="c")
    assert isinstance(first.output, DeferredToolRequests)
    results = DeferredToolResults(calls={"c1": "done"})
    second = await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
    assert second.output == "Lifted."
    assert [one.role for one in await stored(kept, "c")] == ["user", "assistant", "tool", "assistant"]
    await kept.host.aclose()


async def test_the_thread_and_the_owner_can_be_functions_of_the_context(tmp_path: Path) -> None:
    kept = keeping(tmp_path, thread=lambda ctx: ctx.deps["room"], owner=lambda ctx: ctx.deps["user"])
    agent = Agent(answering(ai.TextPart("Yes."), ai.TextPart("No.")), capabilities=[kept])
    for user in ("ann", "ben"):
        await agent.run(f"I am {user}.", deps={"room": "pier", "user": user})
    assert [one.text for one in await stored(kept, "pier", "ben")] == ["I am ben.", "No."]
    await kept.host.aclose()


async def test_the_model_reads_back_through_a_tool_of_the_capability(tmp_path: Path) -> None:
    kept, seen = keeping(tmp_path), []
    call = ai.ToolCallPart("short_grep", {"pattern": "Sableford"}, "c1")
    agent = Agent(answering(call, ai.TextPart("Yes."), seen=seen), capabilities=[kept])
    await agent.run("The Sableford is late.", conversation_id="c")
    assert "short_grep" in [one.name for one in seen[0][1].function_tools]
    assert "Sableford" in str(seen[1][0][-1].parts[0].content)
    await kept.host.aclose()


async def test_an_agent_that_a_tool_runs_has_a_conversation_of_its_own(tmp_path: Path) -> None:
    kept = keeping(tmp_path)
    inner = Agent(answering(ai.TextPart("inner answer")), capabilities=[kept])

    async def ask() -> str:
        return (await inner.run("inner question")).output

    outer = Agent(
        answering(ai.ToolCallPart("ask", {}, "c1"), ai.TextPart("Done.")), tools=[ask], capabilities=[kept]
    )
    await outer.run("Go.", conversation_id="c")
    assert "inner question" not in str(await stored(kept, "c"))
    assert len(await kept.host.run(kept.host._engine.conversations)) == 2
    await kept.host.aclose()


async def test_a_thread_that_a_function_does_not_know_is_an_error_that_says_where_to_give_it(
    tmp_path: Path,
) -> None:
    kept = keeping(tmp_path, thread=lambda ctx: None)
    with pytest.raises(Exception, match="belongs to no thread"):
        await Agent(answering(ai.TextPart("Yes.")), capabilities=[kept]).run("Hello.")
    await kept.host.aclose()
