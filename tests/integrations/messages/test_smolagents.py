"""smolagents' messages: sent as they came, rebuilt where the engine changed them, valid in every kind of run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("smolagents")

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from smolagents import ChatMessage, CodeAgent, LogLevel, MessageRole, Model, TokenUsage, ToolCallingAgent
from smolagents.memory import ActionStep, TaskStep, ToolCall
from smolagents.models import ChatMessageStreamDelta, get_clean_message_list
from smolagents.monitoring import Timing
from smolagents.utils import AgentError

from palimpsest.errors import UsageError
from palimpsest.integrations.shared.threads import Piece
from palimpsest.integrations.smolagents import PalimpsestModels, SmolagentsCodec, _steps

CODEC = SmolagentsCodec()
PIXEL = Image.new("RGB", (1, 1))
WORDS = st.text("abcäß 🐚'\"", min_size=1, max_size=12).filter(str.strip)
VALUES = st.dictionaries(WORDS, st.one_of(st.integers(0, 9), WORDS, st.lists(WORDS, max_size=2)), max_size=2)
CALLS = st.lists(st.builds(ToolCall, WORDS, st.one_of(VALUES, WORDS), WORDS), min_size=1, max_size=3)
TASKS = st.builds(TaskStep, WORDS, st.one_of(st.none(), st.just([PIXEL])))
FAILED = st.builds(lambda text: AgentError(text, _Silent()), WORDS)
STEPS = st.builds(
    lambda said, calls, seen, images, error: ActionStep(
        1, Timing(0.0), tool_calls=calls, error=error, model_output=said, observations=seen,
        observations_images=images,
    ),
    st.none() | WORDS, st.none() | CALLS, st.none() | WORDS, st.none() | st.just([PIXEL]), st.none() | FAILED,
)  # fmt: skip
MEMORIES = st.lists(st.one_of(TASKS, STEPS), max_size=5)
KEYS = st.sampled_from(["type", "text", "image", "image_url", "url"])
ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(max_size=9) | st.binary(max_size=9),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(KEYS, one, max_size=3),
    max_leaves=9,
)  # fmt: skip


class _Silent:
    """A logger that an error of smolagents writes to."""

    def log_error(self, *_: Any) -> None: ...


def messages_of(memory: list[Any]) -> list[ChatMessage]:
    return [message for step in memory for message in step.to_messages()]


def read(messages: list[ChatMessage]) -> list[Piece]:
    return [piece for one in _steps(messages) for piece in CODEC.read(one)]


def sent(steps: list[Any]) -> list[Any]:
    """Texts as a provider gets them, whatever messages they come in."""
    clean = get_clean_message_list([one for step in steps for one in step], flatten_messages_as_text=False)
    return [
        (str(one["role"]), [block.get("text") for block in one["content"] if "text" in block])
        for one in clean
    ]


@given(MEMORIES)
def test_what_is_shown_unchanged_is_sent_as_the_very_object(memory: list[Any]) -> None:
    messages = messages_of(memory)
    written = [id(one) for step in CODEC.write(read(messages)) for one in step]
    silent = [
        id(one) for one in messages if not any(one.get("text") or "image" in one for one in one.content)
    ]
    assert written == [id(one) for one in messages if id(one) not in silent]


@given(MEMORIES)
def test_a_memory_that_is_written_out_again_is_not_read_again(memory: list[Any]) -> None:
    old, new = ([CODEC.fields(one) for one in _steps(messages_of(memory))] for _ in range(2))
    assert old == new


@given(CALLS, WORDS)
def test_calls_with_what_they_returned_are_read_and_written_anew(calls: list[ToolCall], seen: str) -> None:
    step = ActionStep(1, Timing(0.0), tool_calls=calls, observations=seen).to_messages()
    reply, results = (one.message for one in read(step))
    assert [(one.id, one.name) for one in reply.calls] == [(one.id, one.name) for one in calls]
    assert [one.text for one in results.results[-1].content] == [seen]  # type: ignore[union-attr]
    assert len(results.results) == len(calls)
    assert sent(CODEC.write([Piece(reply), Piece(results)])) == sent([step])


@given(st.sampled_from(MessageRole), st.lists(ANYTHING, max_size=3) | st.text(max_size=9) | st.none())
def test_nothing_in_a_message_raises(role: MessageRole, content: Any) -> None:
    messages = [ChatMessage(role, content), ChatMessage(MessageRole.TOOL_RESPONSE, content)]
    assert [CODEC.fields(one) for one in _steps(messages)]
    assert CODEC.write([Piece(one.message) for one in read(messages)]) is not None


@pytest.mark.parametrize(
    "text", ["", "[", "[1]", "[{}]", "(" * 9_000, "[{'id': 1, 'function': {}}]", "{1: 2}", "None"]
)
def test_a_text_that_is_no_list_of_calls_stays_a_text(text: str) -> None:
    shown = f"Calling tools:\n{text}"
    messages = [
        ChatMessage(MessageRole.TOOL_CALL, [{"type": "text", "text": shown}]),
        ChatMessage(MessageRole.TOOL_RESPONSE, [{"type": "text", "text": "Observation:\nWet."}]),
    ]
    pieces = read(messages)
    assert [(one.message.role, one.message.text) for one in pieces] == [
        ("assistant", shown),
        ("user", "Observation:\nWet."),
    ]
    assert CODEC.write(pieces) == [tuple(messages)]


class Scripted(Model):
    """A model that says what it is given: texts, or errors."""

    def __init__(self, *replies: Any) -> None:
        super().__init__(model_id="scripted")
        self.replies, self.seen = list(replies), []

    def generate(self, messages: Any, stop_sequences: Any = None, **given: Any) -> ChatMessage:
        self.seen.append("\n".join(str(one.content) for one in messages))
        said = self.replies.pop(0)
        if isinstance(said, Exception):
            raise said
        return ChatMessage(MessageRole.ASSISTANT, said, token_usage=TokenUsage(10, 5))


class Streaming(Scripted):
    def generate_stream(self, messages: Any, **given: Any) -> Iterator[ChatMessageStreamDelta]:
        for word in (self.generate(messages).content or "").split(" "):
            yield ChatMessageStreamDelta(f"{word} ")


def kept_of(folder: Path, model: Model) -> tuple[PalimpsestModels, Any]:
    kept = PalimpsestModels(folder / "agent.db", window_tokens=32_000)
    return kept, kept.model(model, "t", owner="ann")


def stored(kept: PalimpsestModels, thread: str = "t") -> list[Any]:
    return [one.message for one in kept.host.engine.conversation_for(thread, owner="ann").messages()]


def code(text: str) -> str:
    return f"Thought: so.\n<code>\n{text}\n</code>"


@pytest.mark.parametrize("model", [Scripted, Streaming])
def test_code_reads_back_through_a_tool_of_the_model(tmp_path: Path, model: type[Scripted]) -> None:
    inner = model(code("print(short_grep('Sableford', limit=3))"), code("final_answer('Yes.')"))
    kept, shown = kept_of(tmp_path, inner)
    agent = CodeAgent(
        shown.recall_tools, shown, verbosity_level=LogLevel.OFF, stream_outputs=model is Streaming
    )
    assert agent.run("The Sableford is late.") == "Yes."
    assert "Sableford is late" in inner.seen[1].rpartition("Execution logs:")[2]
    assert [one.role for one in stored(kept)] == ["user", "assistant", "assistant", "tool"]
    kept.host.close()


def test_a_model_that_cannot_stream_is_not_asked_to(tmp_path: Path) -> None:
    kept, shown = kept_of(tmp_path, Scripted())
    assert not hasattr(shown, "generate_stream")
    assert hasattr(kept_of(tmp_path, Streaming())[1], "generate_stream")
    kept.host.close()


def test_calls_in_text_are_those_that_the_model_itself_reads(tmp_path: Path) -> None:
    call = '{"name": "final_answer", "arguments": {"answer": "Pier 3."}}'
    kept, shown = kept_of(tmp_path, Scripted(call))
    agent = ToolCallingAgent(shown.recall_tools, shown, verbosity_level=LogLevel.OFF)
    assert agent.run("Which pier?") == "Pier 3."
    kept.host.close()


def test_plans_are_made_in_a_conversation_of_their_own(tmp_path: Path) -> None:
    inner = Scripted("1. Look.", code("final_answer('Pier 3.')"))
    kept, shown = kept_of(tmp_path, inner)
    agent = CodeAgent(shown.recall_tools, shown, verbosity_level=LogLevel.OFF, planning_interval=3)
    assert agent.run("Which pier?") == "Pier 3."
    assert "1. Look." in stored(kept)[1].text
    assert "Which pier?" in stored(kept, "t/plan")[0].text
    kept.host.close()


def test_the_memory_of_an_agent_is_as_without_the_window(tmp_path: Path) -> None:
    says = [code("print(1)"), code("final_answer('Pier 3.')")]
    kept, shown = kept_of(tmp_path, Scripted(*says))
    agents = [CodeAgent([], model, verbosity_level=LogLevel.OFF) for model in (shown, Scripted(*says))]
    ours, plain = (
        [one.content for one in agent.write_memory_to_messages()]
        for agent in agents
        if agent.run("Which pier?")
    )
    assert ours == plain
    kept.host.close()


def test_an_error_of_the_model_is_raised_as_it_is(tmp_path: Path) -> None:
    kept, shown = kept_of(tmp_path, Scripted(ValueError("the crane is broken")))
    with pytest.raises(ValueError, match="the crane is broken"):
        shown([{"role": "user", "content": "Lift it."}])
    kept.host.close()


def test_a_model_without_a_thread_is_an_error_that_says_where_to_give_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"kept\.model"):
        PalimpsestModels(tmp_path / "agent.db").model(Scripted())
    fixed = PalimpsestModels(tmp_path / "agent.db", thread="notes")
    assert fixed.model(Scripted("Yes.")).generate([ChatMessage(MessageRole.USER, "Dry?")]).content == "Yes."
    fixed.host.close()
