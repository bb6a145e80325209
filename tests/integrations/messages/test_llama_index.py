"""LlamaIndex's messages: sent as they came, rebuilt where the engine changed them, valid in every kind of call."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index")

from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ImageBlock,
    LLMMetadata,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.bridge.pydantic import BaseModel, PrivateAttr
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.memory import ChatMemoryBuffer

from palimpsest.errors import UsageError
from palimpsest.integrations.llama_index import LlamaIndexCodec, PalimpsestLLM, PalimpsestLLMs
from palimpsest.integrations.shared.threads import Piece

CODEC = LlamaIndexCodec("claude-opus-5-5")
PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
WORDS = st.text("abcäß 🐚", min_size=1, max_size=12).filter(str.strip)
VALUES = st.dictionaries(WORDS, st.one_of(st.integers(0, 9), WORDS, st.lists(WORDS, max_size=2)), max_size=2)
TEXT = st.builds(lambda text: TextBlock(text=text), WORDS)
IMAGE = st.just(PIXEL).map(lambda data: ImageBlock(image=data))
CALL = st.builds(
    lambda of, given: ToolCallBlock(tool_call_id=of, tool_name="read_log", tool_kwargs=given), WORDS, VALUES
)
THOUGHT = st.builds(
    lambda text, mark: ThinkingBlock(content=text, additional_information={"signature": mark}), WORDS, WORDS
)
USERS = st.builds(
    lambda blocks: ChatMessage(role="user", blocks=blocks), st.lists(TEXT | IMAGE, min_size=1, max_size=3)
)
REPLIES = st.builds(
    lambda thought, texts, calls: ChatMessage(role="assistant", blocks=[*thought, *texts, *calls]),
    st.lists(THOUGHT, max_size=1), st.lists(TEXT, max_size=1), st.lists(CALL, min_size=1, max_size=2),
)  # fmt: skip
RESULTS = st.builds(
    lambda of, blocks: ChatMessage(role="tool", blocks=blocks, additional_kwargs={"tool_call_id": of}),
    WORDS, st.lists(TEXT | IMAGE, min_size=1, max_size=2),
)  # fmt: skip
HISTORIES = st.lists(st.one_of(USERS, REPLIES, RESULTS), max_size=6)


def read(history: Sequence[ChatMessage]) -> list[Piece]:
    return [piece for one in history for piece in CODEC.read(one)]


@given(HISTORIES)
def test_what_is_shown_unchanged_is_sent_as_the_very_object(history: list[ChatMessage]) -> None:
    assert [id(one) for one in CODEC.write(read(history))] == [id(one) for one in history]


@given(HISTORIES)
def test_what_is_written_anew_says_the_same(history: list[ChatMessage]) -> None:
    written = CODEC.write([Piece(one.message) for one in read(history)])
    assert [one.model_dump() for one in written] == [one.model_dump() for one in history]


@given(st.one_of(USERS, REPLIES).filter(lambda one: not any(isinstance(b, ImageBlock) for b in one.blocks)))
def test_a_copy_of_a_message_is_not_read_again(message: ChatMessage) -> None:
    copy = ChatMessage.model_validate_json(message.model_dump_json())
    assert CODEC.fields(message) == CODEC.fields(copy)


@given(st.recursive(st.none() | st.integers() | st.text(max_size=9), lambda one: st.lists(one, max_size=3)))
def test_nothing_beside_the_blocks_raises(garbage: Any) -> None:
    message = ChatMessage("Hm.", role="assistant", additional_kwargs={"tool_calls": garbage})
    assert CODEC.write(read([message])) == [message]
    assert CODEC.fields(message)


def test_calls_beside_the_blocks_are_read() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_log", "arguments": '{"page":3}'}}
    message = ChatMessage(role="assistant", additional_kwargs={"tool_calls": [call]})
    assert [(one.id, one.name, one.arguments) for one in read([message])[0].message.calls] == [
        ("c1", "read_log", '{"page":3}')
    ]


class Scripted(FunctionCallingLLM):
    """A model that says what it is given: texts, lists of calls as (name, arguments), or errors."""

    _replies: list[Any] = PrivateAttr()
    _seen: list[Any] = PrivateAttr(default_factory=list)

    def __init__(self, *replies: Any) -> None:
        super().__init__()
        self._replies = list(replies)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=True, is_function_calling_model=True, model_name="scripted")

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        self._seen.append((list(messages), kwargs))
        said = self._replies.pop(0)
        if isinstance(said, Exception):
            raise said
        calls = [] if isinstance(said, str) else said
        blocks = [
            ToolCallBlock(tool_call_id=f"c{len(self._seen)}{at}", tool_name=name, tool_kwargs=arguments)
            for at, (name, arguments) in enumerate(calls)
        ]
        text = [TextBlock(text=said)] if isinstance(said, str) else []
        return ChatResponse(message=ChatMessage(role="assistant", blocks=[*text, *blocks]))

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self.chat(messages, **kwargs)

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Iterator[ChatResponse]:  # type: ignore[override]
        yield self.chat(messages, **kwargs)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        async def stream() -> AsyncIterator[ChatResponse]:
            yield self.chat(messages, **kwargs)

        return stream()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        return f"completed {prompt}"

    acomplete = stream_complete = astream_complete = complete  # type: ignore[assignment]

    def _prepare_chat_with_tools(
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **given: Any
    ) -> Any:  # type: ignore[override]
        asked = [ChatMessage(user_msg, role="user")] if isinstance(user_msg, str) else []
        return {"messages": [*(chat_history or ()), *asked], "names": [one.metadata.name for one in tools]}

    def _validate_chat_with_tools_response(
        self, response: Any, tools: Any, allow_parallel_tool_calls: bool = False, **given: Any
    ) -> Any:  # type: ignore[override]
        kept = response.message.blocks if allow_parallel_tool_calls else response.message.blocks[:1]
        response.message.blocks = kept
        return response

    def get_tool_calls_from_response(self, response: Any, **given: Any) -> list[ToolSelection]:  # type: ignore[override]
        calls = [one for one in response.message.blocks if isinstance(one, ToolCallBlock)]
        return [
            ToolSelection(tool_id=one.tool_call_id, tool_name=one.tool_name, tool_kwargs=one.tool_kwargs)
            for one in calls
        ]


def kept_of(folder: Path, *replies: Any) -> tuple[PalimpsestLLMs, Scripted, PalimpsestLLM]:
    kept, model = PalimpsestLLMs(folder / "agent.db", window_tokens=16_000), Scripted(*replies)
    return kept, model, kept.llm(model, "t", owner="ann")


def texts(kept: PalimpsestLLMs) -> list[str]:
    talk = kept.host.engine.conversation_for("t", owner="ann")
    return [one.message.text for one in talk.messages()]


def asks(text: str) -> ChatMessage:
    return ChatMessage(text, role="user")


def test_synchronous_chats_are_stored_whole_and_streamed(tmp_path: Path) -> None:
    kept, _, llm = kept_of(tmp_path, "Pier 3.", "Yes.", "Really.")
    history = [asks("Which pier?"), llm.chat([asks("Which pier?")]).message, asks("Sure?")]
    history += [*[one.message for one in llm.stream_chat(history)], asks("Really?")]
    assert [one.message.content for one in llm.stream_chat(history)] == ["Really."]
    assert texts(kept) == ["Which pier?", "Pier 3.", "Sure?", "Yes.", "Really?", "Really."]
    kept.host.close()


def test_completions_and_predictions_are_no_part_of_the_conversation(tmp_path: Path) -> None:
    kept, model, llm = kept_of(tmp_path, "Pier 3.")
    llm.chat([asks("Which pier?")])
    assert llm.complete("a tale") == "completed a tale"  # type: ignore[comparison-overlap]
    assert len(model._seen) == 1
    assert texts(kept) == ["Which pier?", "Pier 3."]
    kept.host.close()


def test_of_several_calls_only_those_are_stored_that_the_model_lets_through(tmp_path: Path) -> None:
    kept, _, llm = kept_of(tmp_path, [("read_log", {"page": 1}), ("read_log", {"page": 2})])
    reply = llm.chat_with_tools(llm.recall_tools, user_msg="Read.", allow_parallel_tool_calls=False)
    assert len(reply.message.blocks) == 1
    stored = kept.host.engine.conversation_for("t", owner="ann").messages()
    assert [len(one.message.calls) for one in stored] == [0, 1]
    kept.host.close()


@pytest.mark.parametrize("streaming", [False, True])
async def test_the_model_reads_back_through_a_tool_of_the_llm(tmp_path: Path, streaming: bool) -> None:
    kept, model, llm = kept_of(tmp_path, [("short_grep", {"pattern": "Sableford"})], "Yes.")
    agent = FunctionAgent(llm=llm, tools=llm.recall_tools, streaming=streaming)
    assert str(await agent.run("The Sableford is late.")) == "Yes."
    assert "Sableford" in str(model._seen[1][0][-1].content)
    assert model._seen[0][1] == {"names": [one.metadata.name for one in llm.recall_tools]}
    assert (await asyncio.to_thread(texts, kept))[-1] == "Yes."
    await kept.host.aclose()


async def test_agents_that_hand_over_share_a_conversation(tmp_path: Path) -> None:
    given = {"to_agent": "clerk", "reason": "His books."}
    kept, _, llm = kept_of(tmp_path, [("handoff", given)], "Pier 3.")
    agents = [
        FunctionAgent(name=name, description=name, llm=llm, tools=llm.recall_tools, streaming=False)
        for name in ("keeper", "clerk")
    ]
    flow = AgentWorkflow(agents=agents, root_agent="keeper")  # type: ignore[arg-type]
    assert str(await flow.run("Which pier?")) == "Pier 3."
    found = await asyncio.to_thread(texts, kept)
    assert (found[0], found[-1]) == ("Which pier?", "Pier 3.")
    await kept.host.aclose()


async def test_an_agent_that_reasons_in_text_goes_on_over_turns(tmp_path: Path) -> None:
    acts = 'Thought: I look.\nAction: short_grep\nAction Input: {"pattern": "Sableford"}'
    answers = "Thought: I can answer without using any more tools.\nAnswer: Pier {}."
    kept, model, llm = kept_of(tmp_path, acts, answers.format(3), answers.format(4))
    agent, memory = ReActAgent(llm=llm, tools=llm.recall_tools), ChatMemoryBuffer.from_defaults()
    assert str(await agent.run("Where is the Sableford?", memory=memory)) == "Pier 3."
    assert str(await agent.run("And now?", memory=memory)) == "Pier 4."
    assert "Where is the Sableford?" in str([one.content for one in model._seen[-1][0]])
    await kept.host.aclose()


async def test_structured_output_is_asked_of_the_model_itself(tmp_path: Path) -> None:
    class Berth(BaseModel):
        pier: int

    kept, _, llm = kept_of(tmp_path, "Pier 3.", [("Berth", {"pier": 3})])
    agent = FunctionAgent(llm=llm, tools=llm.recall_tools, output_cls=Berth, streaming=False)
    done = await agent.run("Which pier?")
    assert done.structured_response == {"pier": 3}
    assert await asyncio.to_thread(texts, kept) == ["Which pier?", "Pier 3."]
    await kept.host.aclose()


def test_an_error_of_the_model_is_raised_as_it_is(tmp_path: Path) -> None:
    kept, _, llm = kept_of(tmp_path, ValueError("the crane is broken"))
    with pytest.raises(ValueError, match="the crane is broken"):
        llm.chat([asks("Lift it.")])
    kept.host.close()


def test_a_model_without_a_thread_is_an_error_that_says_where_to_give_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"kept\.llm"):
        PalimpsestLLMs(tmp_path / "agent.db").llm(Scripted())
    fixed = PalimpsestLLMs(tmp_path / "agent.db", thread="notes")
    assert fixed.llm(Scripted("Yes.")).chat([asks("Dry?")]).message.content == "Yes."
    fixed.host.close()
