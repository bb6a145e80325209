"""Strands' messages: sent as they came, rebuilt where the engine changed them, valid in every kind of run."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands")

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from strands import Agent
from strands.agent.conversation_manager import NullConversationManager
from strands.middleware import InvokeModelStage
from strands.models import Model

from palimpsest.integrations.shared.threads import Piece
from palimpsest.integrations.strands import PalimpsestPlugin, StrandsCodec

CODEC = StrandsCodec("gpt-5")
WORDS = st.text("abcäß 🐚", min_size=1, max_size=12).filter(str.strip)
VALUES = st.dictionaries(WORDS, st.one_of(st.integers(0, 9), WORDS), max_size=2)
TEXT = st.fixed_dictionaries({"text": WORDS})
IMAGE = st.builds(
    lambda data: {"image": {"format": "png", "source": {"bytes": data}}}, st.binary(min_size=1, max_size=9)
)
RESULT = st.builds(
    lambda call, content, status: {"toolResult": {"toolUseId": call, "status": status, "content": content}},
    WORDS, st.lists(st.one_of(TEXT, IMAGE), max_size=2), st.sampled_from(["success", "error"]),
)  # fmt: skip
CALL = st.builds(
    lambda call, given: {"toolUse": {"toolUseId": call, "name": "read_log", "input": given}}, WORDS, VALUES
)
USERS = st.builds(
    lambda content: {"role": "user", "content": content},
    st.lists(st.one_of(TEXT, IMAGE, RESULT), min_size=1, max_size=4),
)
REPLIES = st.builds(
    lambda content: {"role": "assistant", "content": content},
    st.lists(st.one_of(TEXT, CALL), min_size=1, max_size=3),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.binary(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "toolUse", "toolResult", "image", "content", "source", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=9,
)


def read(history: list[Any]) -> list[Piece]:
    return [piece for one in history for piece in CODEC.read(one)]


@given(st.lists(st.tuples(USERS, REPLIES), max_size=3))
def test_what_is_shown_unchanged_is_sent_as_the_very_object(turns: list[Any]) -> None:
    history = [one for turn in turns for one in turn]
    assert [id(one) for one in CODEC.write(read(history))] == [id(one) for one in history]


@given(st.lists(st.tuples(USERS, REPLIES), max_size=3))
def test_what_is_written_anew_says_the_same(turns: list[Any]) -> None:
    history = [one for turn in turns for one in turn]
    written = CODEC.write([Piece(one.message) for one in read(history)])
    assert [block for one in written for block in one["content"]] == [
        block for one in history for block in one["content"]
    ]


@given(USERS)
def test_a_copy_of_a_message_is_not_read_again(message: Any) -> None:
    old, new = CODEC.fields(message), CODEC.fields(copy.deepcopy(message))
    assert [id(one) for one in old] == [id(one) for one in new]


@given(st.fixed_dictionaries({"role": ANYTHING, "content": ANYTHING}))
def test_nothing_in_a_message_raises(message: Any) -> None:
    assert CODEC.write(read([message])) is not None


class Scripted(Model):
    """A model that says what it is given: texts, or calls as pairs of a name and the JSON of its input."""

    def __init__(self, *replies: Any) -> None:
        self.replies, self.seen = list(replies), []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return {"model_id": "scripted"}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: Any = None, **given: Any
    ) -> AsyncIterator[Any]:
        self.seen.append(
            {"messages": copy.deepcopy(messages), "tools": tool_specs, "system": system_prompt, **given}
        )
        said = self.replies.pop(0)
        if isinstance(said, Exception):
            raise said
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(said, str):
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": said}}}
        else:
            call = {"toolUse": {"name": said[0], "toolUseId": f"c{len(self.seen)}"}}
            yield {"contentBlockStart": {"start": call}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": said[1]}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(said, str) else "tool_use"}}


def agent_of(folder: Path, model: Model, **given: Any) -> tuple[PalimpsestPlugin, Agent]:
    kept = PalimpsestPlugin(folder / "agent.db", window_tokens=16_000)
    plugins = [kept, *given.pop("plugins", ())]
    manager = NullConversationManager()
    agent = Agent(
        model,
        plugins=plugins,
        callback_handler=None,
        conversation_manager=manager,
        retry_strategy=None,
        **given,
    )
    return kept, agent


async def texts(kept: PalimpsestPlugin, thread: str, owner: str | None = None) -> list[str]:
    talk = kept.host.thread(thread, owner, where="").talk
    return [one.message.text for one in await kept.host.run(talk.messages)]


async def test_the_model_reads_back_through_a_tool_of_the_plugin(tmp_path: Path) -> None:
    model = Scripted(("short_grep", '{"pattern": "Sableford"}'), "Yes.")
    kept, agent = agent_of(tmp_path, model)
    await agent.invoke_async("The Sableford is late.", invocation_state={"thread_id": "t", "user_id": "ann"})
    assert "Sableford" in str(model.seen[1]["messages"][-1]["content"])
    assert (await texts(kept, "t", "ann"))[-1] == "Yes."
    await kept.host.aclose()


async def test_a_run_without_a_thread_is_an_error_that_says_where_to_give_it(tmp_path: Path) -> None:
    kept, agent = agent_of(tmp_path, Scripted("Yes."))
    with pytest.raises(Exception, match="session_manager"):
        await agent.invoke_async("Hello.")
    await kept.host.aclose()


def test_a_synchronous_run_is_stored_and_an_agent_with_a_name_has_its_own_conversation(
    tmp_path: Path,
) -> None:
    kept, agent = agent_of(tmp_path, Scripted("Pier 3."), name="keeper")
    agent("Which pier?", invocation_state={"thread_id": "t"})
    talk = kept.host.engine.conversation_for("t/keeper", owner=kept.host.engine.owner)
    assert [one.message.text for one in talk.messages()] == ["Which pier?", "Pier 3."]
    kept.host.close()


async def test_text_added_for_one_call_is_sent_and_not_stored(tmp_path: Path) -> None:
    def with_tide(context: Any) -> Any:
        *rest, last = context.messages
        added = {**last, "content": [*last["content"], {"text": "[tide 4.2 m]"}]}
        return context.replace(messages=[*rest, added], dynamic_trailing_blocks=1)

    model = Scripted("Pier 3.", "Yes.")
    kept, agent = agent_of(tmp_path, model)
    agent.add_middleware(InvokeModelStage.Input, with_tide)
    for question in ("Which pier?", "Sure?"):
        await agent.invoke_async(question, invocation_state={"thread_id": "t"})
    assert [str(one["messages"]).count("tide 4.2") for one in model.seen] == [1, 1]
    assert await texts(kept, "t") == ["Which pier?", "Pier 3.", "Sure?", "Yes."]
    await kept.host.aclose()


async def test_the_blocks_of_a_system_prompt_stay(tmp_path: Path) -> None:
    model, blocks = Scripted("Pier 3."), [{"text": "Be short."}, {"cachePoint": {"type": "default"}}]
    kept, agent = agent_of(tmp_path, model, system_prompt=blocks)
    await agent.invoke_async("Which pier?", invocation_state={"thread_id": "t"})
    assert model.seen[0]["system_prompt_content"] == blocks
    await kept.host.aclose()


async def test_structured_output_goes_through_the_window(tmp_path: Path) -> None:
    class Berth(BaseModel):
        pier: int

    kept, agent = agent_of(tmp_path, Scripted(("Berth", '{"pier": 3}')))
    done = await agent.invoke_async(
        "Which pier?", structured_output_model=Berth, invocation_state={"thread_id": "t"}
    )
    assert done.structured_output == Berth(pier=3)
    assert (await texts(kept, "t"))[0] == "Which pier?"
    await kept.host.aclose()


async def test_an_error_of_the_model_is_raised_as_it_is(tmp_path: Path) -> None:
    kept, agent = agent_of(tmp_path, Scripted(ValueError("the crane is broken")))
    with pytest.raises(Exception, match="the crane is broken"):
        await agent.invoke_async("Lift it.", invocation_state={"thread_id": "t"})
    await kept.host.aclose()
