"""ADK's contents: sent as they came, rebuilt where the engine changed them; agents of one session apart."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk")

from google.adk.agents import LlmAgent, ParallelAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.integrations.google_adk import ADKCodec, PalimpsestPlugin
from palimpsest.integrations.shared.threads import Piece

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
CODEC = ADKCodec("gemini-2.5-flash")
WORDS = st.text("abcäß 🐚", min_size=1, max_size=12).filter(str.strip)
VALUES = st.dictionaries(WORDS, st.one_of(st.integers(0, 9), WORDS), max_size=2)
IMAGE = st.builds(
    lambda data: types.Part(inline_data=types.Blob(data=data, mime_type="image/png")),
    st.binary(min_size=1, max_size=9),
)
CALL = st.builds(
    lambda name, args, sign: types.Part(
        function_call=types.FunctionCall(name=name, args=args), thought_signature=sign
    ),
    WORDS, VALUES, st.none() | st.binary(min_size=1, max_size=9),
)  # fmt: skip
ANSWER = st.builds(
    lambda name, found: types.Part(function_response=types.FunctionResponse(name=name, response=found)),
    WORDS, VALUES,
)  # fmt: skip
TEXT = st.builds(lambda text: types.Part(text=text), WORDS)
THOUGHT = st.builds(lambda text: types.Part(text=text, thought=True), WORDS)
USERS = st.builds(
    lambda parts: types.Content(role="user", parts=parts),
    st.lists(st.one_of(TEXT, IMAGE, ANSWER), min_size=1, max_size=4),
)
MODELS = st.builds(
    lambda before, parts: types.Content(role="model", parts=[*before, *parts]),
    st.lists(THOUGHT, max_size=1), st.lists(st.one_of(TEXT, CALL), min_size=1, max_size=3),
)  # fmt: skip


def read(history: list[Any]) -> list[Piece]:
    return [piece for one in history for piece in CODEC.read(one)]


@given(st.lists(st.tuples(USERS, MODELS), max_size=3))
def test_what_is_shown_unchanged_is_sent_as_the_very_object(turns: list[Any]) -> None:
    history = [one for turn in turns for one in turn]
    assert [id(one) for one in CODEC.write(read(history))] == [id(one) for one in history]


@given(st.lists(st.tuples(USERS, MODELS), max_size=3))
def test_what_is_written_anew_says_the_same(turns: list[Any]) -> None:
    messages = [one.message for turn in turns for content in turn for one in read([content])]
    again = read(CODEC.write([Piece(one) for one in messages]))
    said = [(one.role, part) for one in messages for part in one.parts]
    assert [(one.message.role, part) for one in again for part in one.message.parts] == said


@given(USERS)
def test_a_copy_of_a_content_is_not_read_again(content: Any) -> None:
    copied = content.model_copy()
    copied.parts = [part.model_copy() for part in content.parts]
    old, new = CODEC.fields(content), CODEC.fields(copied)
    assert [id(one) for one in old] == [id(one) for one in new]


def test_a_content_that_no_form_knows_is_kept_as_text() -> None:
    content = types.Content(role="narrator", parts=[types.Part(text="fog")])
    assert "fog" in CODEC.read(content)[0].message.text


class Scripted(BaseLlm):
    replies: list[Any]
    seen: list[Any]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.seen.append(llm_request)
        yield LlmResponse(content=types.Content(role="model", parts=[self.replies.pop(0)]))


def says(*replies: Any) -> Scripted:
    parts = [types.Part(text=one) if isinstance(one, str) else one for one in replies]
    return Scripted(model="scripted", replies=parts, seen=[])


def calls(name: str, **args: Any) -> Any:
    return types.Part(function_call=types.FunctionCall(name=name, args=args))


async def run(kept: PalimpsestPlugin, agent: Any, *questions: str) -> dict[str, list[str]]:
    """What each conversation has after these questions: the roles and texts of its messages."""
    runner = InMemoryRunner(app=App(name="harbour", root_agent=agent, plugins=[kept]))
    for question in questions:
        await runner.run_debug(question, user_id="ann", session_id="s", quiet=True)

    async def all_stored() -> dict[str, list[str]]:
        engine: Any = kept.host._engine
        found = await engine.for_owner("ann").conversations()
        return {
            one.id: [
                f"{m.message.role}: {m.message.text}"
                for m in await engine.conversation_for(one.id, owner="ann").messages()
            ]
            for one in found
        }

    stored = await kept.host.run(all_stored)
    await runner.close()
    return stored


def keeping(folder: Path, **settings: Any) -> PalimpsestPlugin:
    return PalimpsestPlugin(folder / "agent.db", window_tokens=16_000, **settings)


async def test_agents_of_one_session_have_conversations_of_their_own(tmp_path: Path) -> None:
    agents: list[Any] = [LlmAgent(name=name, model=says(f"{name} is free.")) for name in ("north", "south")]
    stored = await run(keeping(tmp_path), ParallelAgent(name="both", sub_agents=agents), "Which pier?")
    assert sorted(one.split("/")[2] for one in stored) == ["north", "south"]
    assert all(messages[0] == "user: Which pier?" and len(messages) == 2 for messages in stored.values())


async def test_an_agent_used_as_a_tool_has_a_session_of_its_own(tmp_path: Path) -> None:
    inner = LlmAgent(name="inner", model=says("Pier 3."))
    outer = LlmAgent(
        name="outer",
        model=says(calls("inner", request="Which pier?"), "It is pier 3."),
        tools=[AgentTool(inner)],
    )
    stored = await run(keeping(tmp_path), outer, "Ask.")
    assert [one.partition(":")[0] for one in stored["harbour/s/outer"]] == [
        "user", "assistant", "tool", "assistant"
    ]  # fmt: skip
    assert len(stored) == 2


async def test_the_model_reads_back_through_a_tool_of_the_plugin(tmp_path: Path) -> None:
    model = says(calls("short_grep", pattern="Sableford"), "Yes.")
    await run(keeping(tmp_path), LlmAgent(name="keeper", model=model), "The Sableford is late.")
    assert "Sableford" in str(model.seen[1].contents[-1].parts[-1].function_response.response)


@pytest.mark.parametrize("recall", [True, False])
async def test_no_recall_tools_are_offered_beside_an_output_schema_or_where_they_are_not_wanted(
    recall: bool, tmp_path: Path
) -> None:
    model = says('{"pier": 3}', '{"pier": 3}')
    agent = LlmAgent(name="keeper", model=model, output_schema=dict[str, int] if recall else None)
    await run(keeping(tmp_path, recall=recall), agent, "Which pier?")
    assert not model.seen[0].config.tools


async def test_an_error_of_the_model_is_raised_as_it_is(tmp_path: Path) -> None:
    class Broken(Scripted):
        async def generate_content_async(self, *_: Any, **__: Any) -> AsyncGenerator[LlmResponse, None]:
            raise ValueError("the crane is broken")
            yield

    agent = LlmAgent(name="keeper", model=Broken(model="broken", replies=[], seen=[]))
    with pytest.raises(ValueError, match="the crane is broken"):
        await run(keeping(tmp_path), agent, "Lift it.")
