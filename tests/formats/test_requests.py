"""Laws of a rendered request, for every provider: it is accepted, loses nothing, and only grows at its end."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats import anthropic, bedrock, gemini, openai, parse_any
from palimpsest.formats.rules import (
    anthropic_breaches,
    bedrock_breaches,
    gemini_breaches,
    openai_breaches,
    responses_breaches,
)
from palimpsest.formats.wire_fields import EMPTY, clean_text
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolDef, ToolResult
from tests.strategies import PNG, anthropic_dicts, bedrock_dicts, gemini_dicts, histories, openai_dicts

Render = Callable[[Sequence[str], Sequence[Message], Sequence[ToolDef]], dict[str, Any]]
Judge = Callable[[dict[str, Any]], tuple[str, ...]]

SYSTEM = ("You are a careful engineer.", "", "Answer in short.")
TOOLS = (
    ToolDef("read_file", "Reads a file.", '{"type":"object","properties":{"path":{"type":"string"}}}'),
    ToolDef("名前"),
)
WITH_MESSAGES = [(openai.render_request, openai_breaches), (anthropic.render_request, anthropic_breaches)]
IN_USER_TEXT = partial(anthropic.render_request, model="claude-sonnet-4-5")
"""For a model that accepts no system message among the messages."""
PROVIDERS = pytest.mark.parametrize(
    "render, judge",
    [
        *WITH_MESSAGES,
        (IN_USER_TEXT, anthropic_breaches),
        (gemini.render_request, gemini_breaches),
        (openai.render_responses, responses_breaches),
        (bedrock.render_request, bedrock_breaches),
    ],
    ids=["openai", "anthropic", "anthropic-older", "gemini", "responses", "bedrock"],
)


def messages_of(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a rendered request."""
    return request["messages"]


def strings_of(value: object) -> list[str]:
    """Every string in a JSON value, keys included."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in strings_of(one)]
    return [text for one in value for text in strings_of(one)] if isinstance(value, list) else []


def said(history: Sequence[Message]) -> list[str]:
    """Every text in a history, as words that can be looked for."""
    texts: list[str] = []
    for message in history:
        for part in message.parts:
            if isinstance(part, Text):
                texts.append(part.text)
            elif isinstance(part, ToolResult):
                texts.extend(inner.text for inner in part.content if isinstance(inner, Text))
            elif isinstance(part, ToolCall):
                texts.append(part.name if part.name in ("bash", "search") else "")
    return [clean_text(text).strip() for text in texts]


def shown(history: Sequence[Message]) -> list[str]:
    """Addresses and sizes of all media in a history: each is shown or named."""
    found: list[Media] = []
    for message in history:
        for part in message.parts:
            content = part.content if isinstance(part, ToolResult) else (part,)
            found.extend(one for one in content if isinstance(one, Media))
    return [one.uri if one.uri and not one.uri.startswith("data:") else one.media_type for one in found]


def steps(request: dict[str, Any]) -> list[str]:
    """A request as one line per block, so that merged messages compare like single ones. Cache marks are left out."""
    lines: list[str] = []
    lines += map(json.dumps, request.get("input", ()))
    for message in request.get("messages") or request.get("contents", ()):
        content = message.get("content", message.get("parts"))
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or [{}]
        rest = {key: value for key, value in message.items() if key not in ("content", "parts", "role")}
        for block in blocks:
            kept = {key: value for key, value in block.items() if key not in ("cache_control", "cachePoint")}
            lines.append(json.dumps([message["role"], kept], default=repr))
        if "tool_calls" in rest or "tool_call_id" in rest:
            lines.append(json.dumps([message["role"], rest]))
    return lines


def closed_cuts(history: Sequence[Message]) -> list[int]:
    """Where a history can be cut so that nothing before the cut waits for what follows: no call is open there."""
    cuts: list[int] = []
    waiting: list[str] = []
    for index, message in enumerate(history):
        if message.role == "assistant":
            waiting = [call.id for call in message.calls]
        for result in message.results:
            if result.call_id in waiting:
                waiting.remove(result.call_id)
        if not waiting or (index + 1 < len(history) and history[index + 1].role == "assistant"):
            cuts.append(index + 1)
    return [cut for cut in cuts if any(map(is_shown, history[:cut]))]


def is_shown(message: Message) -> bool:
    """Whether a message alone makes a request: an assistant's without words and calls is left out."""
    spoken = message.calls or message.results or message.text.strip()
    return message.role in ("user", "tool") or (message.role == "assistant" and bool(spoken))


def standing(part: list[str], whole: list[str]) -> list[str]:
    """The lines of an Anthropic request that stand when the history grows to `whole`.

    A system message stays behind the user's messages of its turn until the reply, so lines of a turn with one stand
    once the reply is there.
    """
    turn = next((at for at in range(len(part), 0, -1) if part[at - 1].startswith('["assistant"')), 0)
    waits = any(line.startswith('["system"') or anthropic.SYSTEM_HEADER in line for line in part[turn:])
    replied = len(whole) > len(part) and whole[len(part)].startswith('["assistant"')
    return part[:turn] if waits and not replied else part


@PROVIDERS
@given(history=histories())
def test_any_history_renders_to_a_request_the_provider_accepts(
    render: Render, judge: Judge, history: list[Message]
) -> None:
    assert judge(render(SYSTEM, history, TOOLS)) == ()


@PROVIDERS
@given(
    dicts=st.lists(
        openai_dicts() | anthropic_dicts() | gemini_dicts() | bedrock_dicts(), min_size=1, max_size=6
    )
)
def test_dicts_of_any_provider_render_to_an_accepted_request(
    render: Render, judge: Judge, dicts: list[dict[str, object]]
) -> None:
    history = [message for raw in dicts for message in parse_any(raw)]
    assert judge(render((), history, ())) == judge(render((), history, TOOLS)) == ()


@pytest.mark.parametrize("render, judge", WITH_MESSAGES, ids=["openai", "anthropic"])
@given(history=histories())
def test_every_text_of_a_history_occurs_in_the_request(
    render: Render, judge: Judge, history: list[Message]
) -> None:
    text = "\n".join(strings_of(render((), history, ())))
    assert [words for words in said(history) if words not in text] == []


@PROVIDERS
@given(history=histories())
def test_every_media_part_of_a_history_is_shown_or_named(
    render: Render, judge: Judge, history: list[Message]
) -> None:
    text = "\n".join(strings_of(render((), history, ())))
    assert [name for name in shown(history) if name.removeprefix("audio/") not in text] == []


@PROVIDERS
@given(history=histories())
def test_a_longer_history_only_adds_to_the_end_of_the_request(
    render: Render, judge: Judge, history: list[Message]
) -> None:
    whole = steps(render((), history, ()))
    for cut in closed_cuts(history):
        part = steps(render((), history[:cut], ()))
        part = standing(part, whole) if render is anthropic.render_request else part
        assert part == whole[: len(part)]


@PROVIDERS
def test_a_request_without_messages_is_still_accepted(render: Render, judge: Judge) -> None:
    assert judge(render((), (), ())) == ()


@PROVIDERS
def test_rendering_leaves_the_messages_as_they_were(render: Render, judge: Judge) -> None:
    call = ToolCall("a b", "x.y", '{"s":"\\ud800"}')
    history = (Message("assistant", (call,), wire="openai", extra='{"x":{"y":["\\ud800"]}}'),)
    assert render((), history, ()) == render((), history, ())


def test_an_image_in_a_result_follows_the_group_for_openai() -> None:
    history = (
        Message("assistant", (ToolCall("a", "shot"), ToolCall("b", "shot"))),
        Message("tool", (ToolResult("a", (Text("the screen"), Media("image/png", data=PNG))),)),
        Message("tool", (ToolResult("b", (Text("done"),)),)),
        Message("user", (Text("and?"),)),
    )
    messages = messages_of(openai.render_request((), history))
    assert [one["role"] for one in messages] == ["user", "assistant", "tool", "tool", "user", "user"]
    assert messages[4]["content"][1]["image_url"]["url"] == f"data:image/png;base64,{PNG}"
    assert messages[2]["content"][1]["text"].startswith("[image/png: shown")


def test_an_image_in_a_failed_result_follows_the_results_for_anthropic() -> None:
    history = (
        Message("assistant", (ToolCall("a", "shot"), ToolCall("b", "shot"))),
        Message("tool", (ToolResult("a", (Text("broken"), Media("image/png", data=PNG)), is_error=True),)),
        Message("tool", (ToolResult("b", (Media("image/png", data=PNG),)),)),
        Message("user", (Text("and?"),)),
    )
    messages = messages_of(anthropic.render_request((), history))
    kinds = [block["type"] for block in messages[2]["content"]]
    assert kinds == ["tool_result", "tool_result", "image", "text"]
    assert [block["type"] for block in messages[2]["content"][1]["content"]] == ["image"]


def test_anthropic_gets_a_new_id_for_a_call_id_used_again_and_openai_the_same() -> None:
    group = (Message("assistant", (ToolCall("c", "ls"),)), Message("tool", (ToolResult("c", (Text("a"),)),)))
    messages = messages_of(anthropic.render_request((), group * 3))
    uses = [block["id"] for message in messages[1::2] for block in message["content"]]
    answers = [block["tool_use_id"] for message in messages[2::2] for block in message["content"]]
    assert uses == answers == ["c", "c_2", "c_3"]
    same = messages_of(openai.render_request((), group * 3))
    assert {message["tool_call_id"] for message in same[2::2]} == {"c"}


def test_arguments_that_are_no_object_are_put_into_one() -> None:
    history = (Message("assistant", (ToolCall("c", "ls", '{"a":'),)),)
    anthropic_messages = messages_of(anthropic.render_request((), history))
    openai_messages = messages_of(openai.render_request((), history))
    assert anthropic_messages[1]["content"][0]["input"] == {"_raw": '{"a":'}
    assert openai_messages[1]["tool_calls"][0]["function"]["arguments"] == r'{"_raw":"{\"a\":"}'


def test_a_tool_and_the_calls_to_it_are_renamed_alike() -> None:
    history = (Message("assistant", (ToolCall("c", "files.read"), ToolCall("d", "files_read"))),)
    request: dict[str, Any] = openai.render_request(
        (), history, (ToolDef("files.read"), ToolDef("files_read"))
    )
    calls = [call["function"]["name"] for call in messages_of(request)[1]["tool_calls"]]
    assert [tool["function"]["name"] for tool in request["tools"]] == calls
    assert len(set(calls)) == 2


def test_a_long_call_id_is_shortened_for_openai() -> None:
    def ids(wire: str) -> list[str]:
        history = (
            Message("assistant", (ToolCall("t" * 60, "ls"),), wire=wire),
            Message("tool", (ToolResult("t" * 60),), wire=""),
        )
        _, call, answer = messages_of(openai.render_request((), history))
        return [call["tool_calls"][0]["id"], answer["tool_call_id"]]

    assert ids("openai") == ids("anthropic")
    assert [len(one) for one in ids("anthropic")] == [40, 40]
    assert len(set(ids("anthropic"))) == 1


def test_a_call_of_the_first_openai_api_becomes_a_tool_call_in_a_request() -> None:
    dicts = (
        {"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{}"}},
        {"role": "function", "name": "ls", "content": "a.txt"},
    )
    history = [message for raw in dicts for message in openai.parse_message(raw)]
    _, call, answer = messages_of(openai.render_request((), history))
    assert call["tool_calls"][0]["function"]["name"] == "ls"
    assert (answer["role"], answer["tool_call_id"], answer["content"]) == ("tool", "ls", "a.txt")


def test_the_result_of_a_server_tool_without_its_call_becomes_text_for_anthropic() -> None:
    result = {
        "type": "web_search_tool_result",
        "tool_use_id": "s",
        "content": [{"url": "https://example.org"}],
    }
    history = parse_any({"role": "assistant", "content": [result]})
    request = anthropic.render_request((), history)
    assert anthropic_breaches(request) == ()
    assert messages_of(request)[1]["content"][0]["type"] == "text"
    assert "https://example.org" in messages_of(request)[1]["content"][0]["text"]


def test_only_the_newest_four_cache_marks_stay() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    dicts = [{"role": "user", "content": [{"type": "text", "text": f"note {n}", **mark}]} for n in range(7)]
    history = [message for raw in dicts for message in parse_any(raw)]
    (message,) = messages_of(anthropic.render_request((), history))
    assert [("cache_control" in block) for block in message["content"]] == [False] * 3 + [True] * 4


def test_system_messages_at_the_start_join_the_prompt_and_later_ones_stay_in_place() -> None:
    history = [Message("system", (Text(text),)) for text in ("first", "later")]
    history.insert(1, Message("user", (Text("hello"),)))
    request = anthropic.render_request(("prompt",), history)
    assert request["system"] == [{"type": "text", "text": "prompt"}, {"type": "text", "text": "first"}]
    assert [text for text in strings_of(request["messages"]) if text in ("hello", "later")] == [
        "hello",
        "later",
    ]


def test_plain_messages_keep_the_form_they_came_in() -> None:
    dicts: list[dict[str, object]] = [
        {"role": "user", "content": "Fix the failing test."},
        {"role": "assistant", "content": "Which one?", "x_note": 1},
        {"role": "user", "content": [{"type": "text", "text": "test_login", "x": 2}]},
    ]
    history = [message for raw in dicts for message in parse_any(raw)]
    assert messages_of(openai.render_request((), history)) == dicts
    assert messages_of(anthropic.render_request((), history)) == dicts


def test_of_a_whole_reply_only_what_a_request_takes_goes_back() -> None:
    chat: dict[str, object] = {"role": "assistant", "content": "Pier 3.", "refusal": None, "annotations": []}
    chat |= {"function_call": None, "audio": {"id": "audio_1", "data": "AAAA", "transcript": "Pier 3."}}
    reply: dict[str, object] = {"role": "assistant", "content": [{"type": "text", "text": "Pier 3."}]}
    whole = {**reply, "id": "msg_1", "type": "message", "model": "m-1", "stop_reason": "end_turn"}
    asked: dict[str, object] = {"role": "user", "content": "Which pier?"}
    spoken = [one for raw in (asked, chat, asked) for one in parse_any(raw)]
    history = [
        one for raw in (asked, whole | {"usage": {"input_tokens": 4}}, asked) for one in parse_any(raw)
    ]
    said = {"role": "assistant", "content": "Pier 3.", "audio": {"id": "audio_1"}}
    assert messages_of(openai.render_request((), spoken)) == [asked, said, asked]
    assert messages_of(anthropic.render_request((), history)) == [asked, reply, asked]
    assert openai_breaches({"messages": [asked, chat]}) == (
        "messages[1] has annotations of a reply",
        "messages[1] has function_call of a reply",
        "messages[1] has refusal of a reply",
    )
    assert "messages[1] is a reply" in " ".join(anthropic_breaches({"messages": [asked, whole]}))


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_who_says_nothing_has_a_turn_nevertheless(blank: str) -> None:
    told = [
        Message("user", (Text("Hi"),)),
        Message("assistant", (Text("Hello!"),)),
        Message("user", (Text(blank),)),
    ]
    asked = messages_of(anthropic.render_request((), told))
    assert asked == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": EMPTY},
    ]
    assert str(gemini.render_request((), told)["contents"]).count("'role': 'user'") == 2
    more = messages_of(anthropic.render_request((), [*told, Message("assistant", (Text("Yes?"),))]))
    assert more == [*asked, {"role": "assistant", "content": "Yes?"}]
