"""LangChain's messages: sent as they came, rebuilt where the engine changed them; and agents within agents."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("langchain")

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from palimpsest.errors import UsageError
from palimpsest.integrations.langchain import LangChainCodec, PalimpsestMiddleware, _definition, _inner_agent
from palimpsest.integrations.shared.threads import Piece
from palimpsest.record.message import Media, Reasoning, ToolCall
from tests.wire.replies import Say
from tests.wire.server import WireServer

CODEC = LangChainCodec()
WORDS = st.text("abcäß 🐚", min_size=1, max_size=12).filter(str.strip)
PNG = "iVBORw0KGgo="
IMAGES = st.sampled_from(
    [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/pier.png"}},
        {"type": "image", "source_type": "base64", "data": PNG, "mime_type": "image/png"},
        {"type": "image", "base64": PNG, "mime_type": "image/png"},
        {"type": "image", "url": "https://example.com/pier.png"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
    ]
)
TEXTS = WORDS.map(lambda text: {"type": "text", "text": text})
CONTENT = WORDS | st.lists(TEXTS | IMAGES, min_size=1, max_size=3)
CALLS = st.builds(
    lambda call, given: {"id": call, "name": "read_log", "args": given, "type": "tool_call"},
    WORDS,
    st.dictionaries(WORDS, st.integers(0, 9) | WORDS, max_size=2),
)
MESSAGES = st.one_of(
    CONTENT.map(HumanMessage),
    WORDS.map(SystemMessage),
    st.builds(lambda text, calls: AIMessage(text, tool_calls=calls), WORDS, st.lists(CALLS, max_size=2)),
    st.builds(
        lambda text, call, status: ToolMessage(text, tool_call_id=call, status=status),
        WORDS, WORDS, st.sampled_from(["success", "error"]),
    ),
)  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("type text image image_url source data thinking summary extras id".split()),
            inner | st.sampled_from("text image thinking reasoning tool_use".split()),
            max_size=4,
        )
    ),
    max_leaves=9,
)


def read(history: list[Any]) -> list[Piece]:
    return [piece for one in history for piece in CODEC.read(one)]


@given(st.lists(MESSAGES, max_size=5))
def test_what_is_shown_unchanged_is_sent_as_the_very_object(history: list[Any]) -> None:
    assert [id(one) for one in CODEC.write(read(history))] == [id(one) for one in history]


@given(st.lists(MESSAGES.filter(lambda one: one.type != "system"), max_size=5))
def test_what_is_written_anew_says_the_same(history: list[Any]) -> None:
    pieces = read(history)
    again = read(CODEC.write([Piece(one.message) for one in pieces]))
    assert [one.message.role for one in again] == [one.message.role for one in pieces]
    assert [one.message.text for one in again] == [one.message.text for one in pieces]
    assert [[(c.id, c.name, json.loads(c.arguments)) for c in one.message.calls] for one in again] == [
        [(c.id, c.name, json.loads(c.arguments)) for c in one.message.calls] for one in pieces
    ]
    assert [one.message.results for one in again] == [one.message.results for one in pieces]


@given(IMAGES)
def test_an_image_of_any_form_is_media(block: dict[str, Any]) -> None:
    (piece,) = CODEC.read(HumanMessage([block]))
    (part,) = piece.message.parts
    assert isinstance(part, Media)
    assert part.data == PNG or part.uri == "https://example.com/pier.png"


@given(st.lists(st.dictionaries(st.text(max_size=5), ANYTHING, max_size=4) | st.text(max_size=5), max_size=4))
def test_any_content_is_read(content: list[Any]) -> None:
    for native in (HumanMessage(content), AIMessage(content), ToolMessage(content, tool_call_id="c1")):
        assert len(CODEC.read(native)) == 1


def test_signed_thinking_is_bound_to_its_provider_and_model() -> None:
    blocks = [
        {"type": "thinking", "thinking": "The tide.", "signature": "c2lnbg=="},
        {"type": "redacted_thinking", "data": "b3BhcXVl"},
        {"type": "text", "text": "It is low."},
        {"type": "tool_use", "id": "c1", "name": "read_log", "input": {}},
    ]
    calls = [{"id": "c1", "name": "read_log", "args": {}}]
    native = AIMessage(blocks, tool_calls=calls, response_metadata={"model_name": "claude-opus-5-5"})
    (piece,) = CODEC.read(native)
    message = piece.message
    assert (message.wire, message.model, message.text) == ("anthropic", "claude-opus-5-5", "It is low.")
    assert [type(part) for part in message.parts].count(ToolCall) == 1
    thinking = [part for part in message.parts if isinstance(part, Reasoning)]
    assert [(one.text, one.signature, one.redacted) for one in thinking] == [
        ("The tide.", "c2lnbg==", False),
        ("b3BhcXVl", "", True),
    ]
    (made,) = CODEC.write([Piece(message)])
    assert made.content[:3] == blocks[:3]
    assert made.tool_calls[0]["id"] == "c1"


@pytest.mark.parametrize(
    "namespace, place",
    [
        ("", ""),
        ("model:0f3a", ""),
        ("keeper:0f3a|model:77", "keeper"),
        ("tools:0f3a|model:77", "tools:0f3a"),
        ("harbour:1|tools:2|keeper:3|model:4", "harbour/tools:2/keeper"),
    ],
)
def test_an_agent_within_a_graph_has_a_place_that_lasts(namespace: str, place: str) -> None:
    assert _inner_agent(namespace) == place


async def test_subagents_that_run_at_once_have_conversations_of_their_own() -> None:
    deepagents: Any = pytest.importorskip("deepagents")
    openai: Any = pytest.importorskip("langchain_openai")
    tasks = [
        ToolCall(
            f"c{number}", "task", json.dumps({"description": f"Look at {what}.", "subagent_type": "helper"})
        )
        for number, what in enumerate(("the pier", "the tide"))
    ]
    says = [Say("", tuple(tasks)), Say("It is empty."), Say("It is low."), Say("All is fine.")]
    kept = PalimpsestMiddleware(":memory:", window_tokens=60_000)
    helper = {"name": "helper", "description": "Looks.", "system_prompt": "You look.", "middleware": [kept]}
    with WireServer(says) as server:
        model = openai.ChatOpenAI(model="gpt-5", base_url=server.openai_url, api_key="any")
        agent = deepagents.create_deep_agent(model=model, middleware=[kept], subagents=[helper])
        config = {"configurable": {"thread_id": "harbour-42", "user_id": "ann"}}
        state = await agent.ainvoke({"messages": [("user", "Look at the pier and the tide.")]}, config)
        assert not server.breaches
    assert state["messages"][-1].text == "All is fine."
    stored = {one.id: one.messages for one in kept.host.engine.for_owner("ann").conversations()}
    assert stored.pop("harbour-42") == len(state["messages"])
    assert sorted(stored.values()) == [2, 2]
    assert all(name.startswith("harbour-42/tools:") for name in stored)
    await kept.host.aclose()


BUILT_IN: list[tuple[dict[str, Any], str, str]] = [
    ({"type": "web_search_preview"}, "web_search_preview", '{"type":"web_search_preview"}'),
    ({"type": "web_search_20250305", "name": "web_search", "max_uses": 3}, "web_search", ""),
    ({"type": "image_generation", "quality": "low"}, "image_generation", "low"),
    ({"retrieval": {}}, "tool", "retrieval"),
]


@pytest.mark.parametrize("tool, name, said", BUILT_IN, ids=lambda one: str(one)[:20])
def test_a_tool_that_the_provider_runs_is_planned(tool: dict[str, Any], name: str, said: str) -> None:
    made = _definition(tool)
    assert made.name == name
    assert said in made.schema


def test_an_inner_agent_of_a_run_without_a_thread_fails_as_any_other_does() -> None:
    kept = PalimpsestMiddleware(":memory:")
    place = {"configurable": {"checkpoint_ns": "researcher:1|model:2", "user_id": 0}}
    with pytest.raises(UsageError, match="belongs to no thread"):
        kept._thread(place)
    thread = kept._thread({"configurable": {**place["configurable"], "thread_id": 7}})
    assert (thread.name, thread.owner) == ("7/researcher", "0")
