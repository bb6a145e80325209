"""A system prompt given as blocks, and requests without the system prompt."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.budget.assemble import Request
from palimpsest.formats.openai.other_servers import SYSTEM_ROLES
from palimpsest.formats.rules import anthropic_breaches, bedrock_breaches
from palimpsest.record.message import Message, Text
from tests.effort import examples
from tests.strategies import histories

MARK = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
POINT = {"cachePoint": {"type": "default"}}
KEYS = {
    "anthropic": "system",
    "gemini": "systemInstruction",
    "responses": "instructions",
    "converse": "system",
}
MODELS = ("", "claude-opus-5-5", "claude-sonnet-4-5", "qwen3.5-35b", "kimi-k2.6")


async def request_for(*history: Message | dict[str, Any], model: str = "", **fields: Any) -> Request:
    async with palimpsest.open(":memory:", window_tokens=200_000) as engine:
        talk = engine.conversation("a")
        await talk.append(*history)
        return await talk.request(model=model, **fields)


USER: dict[str, Any] = {"role": "user", "content": "When is high tide?"}


@examples(20)
@given(history=histories(4), model=st.sampled_from(MODELS), system=st.sampled_from((None, "Be brief.")))
async def test_a_request_without_the_system_prompt_is_the_rest_of_the_whole_one(
    history: list[Message], model: str, system: str | None
) -> None:
    said = [*history, Message("user", (Text("Go on."),)), Message("system", (Text("Later."),))]
    request = await request_for(*said, model=model, system=system, memory="M")
    for form, key in KEYS.items():
        whole = getattr(request, form)()
        assert getattr(request, form)(system=False) == {
            name: one for name, one in whole.items() if name != key
        }
        assert "Later." in repr(getattr(request, form)(system=False))
    whole, rest = request.openai(), request.openai(system=False)
    leading = len(whole["messages"]) - len(rest["messages"])  # type: ignore[arg-type]
    assert rest == {**whole, "messages": whole["messages"][leading:]}  # type: ignore[index]
    assert {one["role"] for one in whole["messages"][:leading]} <= set(SYSTEM_ROLES)  # type: ignore[index]
    assert rest["messages"][0]["role"] == "user"  # type: ignore[index]
    assert "Later." in repr(rest)


BLOCKS: dict[str, Any] = {
    "Anthropic": [
        {"type": "text", "text": "You know the tides.", **MARK},
        {"type": "text", "text": "Be brief."},
    ],
    "Converse": [{"text": "You know the tides."}, POINT, {"text": "Be brief."}],
    "strings": ["You know the tides.", "Be brief."],
    "mixed": [{"type": "text", "text": "You know the tides."}, "Be brief."],
    "OpenAI": [{"type": "input_text", "text": "You know the tides."}, {"type": "text", "text": "Be brief."}],
    "Gemini": {"parts": [{"text": "You know the tides."}, {"text": "Be brief."}]},
    "message": {
        "role": "developer",
        "content": [{"type": "text", "text": "You know the tides.\n\nBe brief."}],
    },
    "one block": {"type": "text", "text": "You know the tides.\n\nBe brief."},
    "blank ones": [{"text": " "}, {"text": "You know the tides."}, {"text": ""}, {"text": "Be brief."}],
}


@pytest.mark.parametrize("name", BLOCKS)
async def test_blocks_of_every_form_are_one_system_prompt(name: str) -> None:
    request = await request_for(USER, system=BLOCKS[name], memory="It rains.")
    assert request.system == "You know the tides.\n\nBe brief."
    assert request.openai()["messages"][0]["content"] == request.system  # type: ignore[index]
    assert request.responses()["instructions"] == f"{request.system}\n\nIt rains."
    for body, breaches in ((request.anthropic(), anthropic_breaches), (request.converse(), bedrock_breaches)):
        assert breaches(body) == ()
        texts = [block["text"] for block in body["system"] if "text" in block]  # type: ignore[attr-defined]
        assert "\n\n".join(texts) == f"{request.system}\n\nIt rains."
        assert "system" not in request.anthropic(system=False)


async def test_the_clients_cache_marks_stay_on_its_blocks() -> None:
    request = await request_for(USER, system=BLOCKS["Anthropic"], memory="It rains.")
    assert request.anthropic()["system"] == [*BLOCKS["Anthropic"], {"type": "text", "text": "It rains."}]
    request = await request_for(USER, system=BLOCKS["Converse"])
    assert request.converse()["system"] == BLOCKS["Converse"]
    assert request.anthropic()["system"] == [{"type": "text", "text": one} for one in BLOCKS["strings"]]


async def test_googles_own_content_is_a_system_prompt() -> None:
    from google.genai import types

    content = types.Content(parts=[types.Part(text="You know the tides."), types.Part(text="Be brief.")])
    assert (await request_for(USER, system=content)).system == "You know the tides.\n\nBe brief."


async def test_a_system_prompt_as_blocks_is_the_conversations_own_until_another_comes() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("a")
        await talk.append(USER)
        first = await talk.request(system=BLOCKS["Anthropic"])
        assert (await talk.request()).anthropic() == first.anthropic()
        assert (await talk.request(system="Other.")).anthropic()["system"] == [
            {"type": "text", "text": "Other."}
        ]
        assert (await talk.request(system=[])).system == ""


@pytest.mark.parametrize("model", ["claude-opus-5", "claude-opus-5-5"])
async def test_the_same_prompt_in_other_blocks_or_as_a_text_does_not_change_what_was_sent(model: str) -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("a")
        await talk.append(USER)
        first = await talk.request(system=BLOCKS["Anthropic"], model=model)
        moved = [
            {"type": "text", "text": "You know the tides."},
            {"type": "text", "text": "Be brief.", **MARK},
        ]
        assert (await talk.request(system=first.system)).anthropic() == first.anthropic()
        assert (await talk.request(system=[first.system])).anthropic() == first.anthropic()
        assert (await talk.request(system=moved)).anthropic()["system"] == moved


async def test_a_bound_prompt_keeps_its_blocks_when_the_caller_gives_another() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("a")
        await talk.append(USER)
        first = await talk.request(system=BLOCKS["Anthropic"], model="claude-opus-5-5")
        for number in range(30):
            request = await talk.request(system=[f"The time is {number}."])
        assert request.anthropic()["system"] == first.anthropic()["system"]
        assert "The time is 29." in repr(request.anthropic()["messages"])


@pytest.mark.parametrize(
    "system",
    [
        3,
        b"text",
        [3],
        {"text": 3},
        {"a": "b"},
        [{"novel": "a"}],
        [{"type": "tool_addition", "text": "a"}],
        [{"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}],
        [{"image": {"format": "png", "source": {"bytes": b"1"}}}],
        {"parts": [{"functionCall": {"name": "ls"}}]},
        [{"text": "a" * 60_000_000}],
    ],
    ids=lambda value: repr(value)[:40],
)
async def test_anything_but_texts_is_refused_with_what_to_give(system: object) -> None:
    with pytest.raises(palimpsest.UsageError, match="system") as caught:
        await request_for(USER, system=system)
    assert "list of text blocks" in caught.value.hint
