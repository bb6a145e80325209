"""The clients over HTTP: what they send, how they fail, when they try again, and that no key gets out."""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from dataclasses import replace
from typing import Any, cast

import pytest

from palimpsest.complete.anthropic import AnthropicModel
from palimpsest.complete.gemini import GeminiModel
from palimpsest.complete.http import Patience
from palimpsest.complete.openai import OpenAIModel
from palimpsest.complete.provider_client import HttpModel
from palimpsest.complete.responses import ResponsesModel
from palimpsest.errors import FailureReason, ModelError
from palimpsest.formats.anthropic import betas_of
from palimpsest.record.completion import (
    Completion,
    CompletionRequest,
    Delta,
    Retrying,
    TextDelta,
    reply_message,
)
from palimpsest.record.message import Message, Text, ToolCall, ToolDef, ToolResult
from tests.wire.replies import Fail, FailKind, Reply, Say, Wire
from tests.wire.server import WireServer

KEY = "sk-live-0123456789abcdef"
QUICK = Patience(total_s=60, connect_s=60, silence_s=60, retries=2, first_wait_s=0.02, longest_wait_s=0.5)
REQUEST = CompletionRequest((Message("user", (Text("Hello?"),)),), system="Be brief.", max_output_tokens=100)
READ = ToolDef("read", "Reads.", '{"type":"object","properties":{"path":{"type":"string"}}}')
WIRES: tuple[Wire, ...] = ("openai", "responses", "anthropic", "gemini")
SIZED: tuple[Wire, ...] = ("openai", "anthropic", "gemini")
"""Those whose refusal of a long prompt says how long it may be."""
CLIENTS: dict[Wire, type[HttpModel]] = {
    "openai": OpenAIModel,
    "responses": ResponsesModel,
    "anthropic": AnthropicModel,
    "gemini": GeminiModel,
}


def client(wire: Wire, server: WireServer, **options: Any) -> HttpModel:
    """Our client of a wire form, quick to give up."""
    return CLIENTS[wire]("m", **{"base_url": server.url_for(wire), "key": KEY, "patience": QUICK, **options})


async def pieces(model: HttpModel, request: CompletionRequest = REQUEST) -> list[Delta | Completion]:
    """A stream to its end."""
    return [piece async for piece in model.stream(request)]


async def failure(
    model: HttpModel, request: CompletionRequest = REQUEST, *, stream: bool = False
) -> ModelError:
    """The error a call ends in."""
    with pytest.raises(ModelError) as caught:
        await (pieces(model, request) if stream else model(request))
    await model.close()
    return caught.value


async def broken(model: HttpModel) -> tuple[list[Delta | Completion], ModelError]:
    """What a stream told before the error that it ends in, and the error."""
    told: list[Delta | Completion] = []
    try:
        async for piece in model.stream(REQUEST):
            told.append(piece)  # noqa: PERF401 - what was told before the error counts
    except ModelError as error:
        return told, error
    finally:
        await model.close()
    raise AssertionError("the stream ended well")


@pytest.mark.parametrize("stream", [False, True], ids=["at once", "streamed"])
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "kind,reason,tries",
    [
        ("bad_request", "bad_request", 1),
        ("auth", "auth", 1),
        ("quota", "quota", 1),
        ("forbidden", "auth", 1),
        ("not_found", "not_found", 1),
        ("too_large", "context_overflow", 1),
        ("overflow", "context_overflow", 1),
        ("rate_limit", "rate_limit", 3),
        ("server", "server", 3),
        ("unavailable", "overloaded", 3),
        ("overloaded", "overloaded", 3),
        ("html", "server", 3),
    ],
)
async def test_each_failure_is_told_by_its_reason_and_tried_again_only_where_that_can_help(
    wire: Wire, kind: FailKind, reason: FailureReason, tries: int, stream: bool
) -> None:
    with WireServer([Fail(kind)], window_tokens=1_000 if kind == "overflow" else 0) as server:
        found = await failure(client(wire, server), stream=stream)
        assert (found.reason, len(server.asked)) == (reason, tries)
        assert found.status >= 400


@pytest.mark.parametrize("wire", WIRES)
async def test_a_failure_that_passes_is_not_seen_but_for_its_retrying(wire: Wire) -> None:
    with WireServer(
        [Fail("overloaded"), Fail("rate_limit", retry_after_s=0.05), Say("at last"), Fail("server")]
    ) as server:
        model = client(wire, server)
        first, second, *rest = await pieces(model)
        assert isinstance(first, Retrying)
        assert isinstance(second, Retrying)
        assert (first.attempt, second.attempt) == (1, 2)
        assert second.wait_s >= 0.05
        assert "answered 429" in second.message
        assert isinstance(rest[-1], Completion)
        assert rest[-1].text == "at last"
        await model.close()


@pytest.mark.parametrize("wire", SIZED)
async def test_an_overflow_brings_the_sizes_the_provider_speaks_of(wire: Wire) -> None:
    long = replace(REQUEST, messages=(Message("user", (Text("word " * 500),)),))
    with WireServer(["never"], window_tokens=300) as server:
        found = await failure(client(wire, server), long)
        assert (found.reason, found.limit_tokens) == ("context_overflow", 300)
        assert found.prompt_tokens == server.asked[0].prompt_tokens


async def test_a_wait_that_is_asked_for_is_kept_and_one_too_long_is_not_waited_for() -> None:
    with WireServer([Fail("rate_limit", retry_after_s=0.2), Say("there")]) as server:
        model = client("openai", server)
        begun_s = time.monotonic()
        assert (await model(REQUEST)).text == "there"
        assert time.monotonic() - begun_s >= 0.2  # it may only be more
        await model.close()
    with WireServer([Fail("rate_limit", retry_after_s=60)]) as server:
        found = await failure(client("anthropic", server))
        assert (found.retry_after_s, len(server.asked)) == (60.0, 1)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_that_breaks_is_tried_again_and_what_came_of_it_is_void(wire: Wire) -> None:
    with WireServer([Say("a first try that breaks", ending="cut", after=3), Say("a whole one")]) as server:
        model = client(wire, server)
        told = await pieces(model)
        at = next(at for at, piece in enumerate(told) if isinstance(piece, Retrying))
        assert isinstance(told[-1], Completion)
        assert (
            "".join(piece.text for piece in told[at:] if isinstance(piece, TextDelta))
            == told[-1].text
            == "a whole one"
        )
        await model.close()


@pytest.mark.parametrize(
    "reply,reason",
    [
        (Say("it stalls in the middle", ending="stall", after=2), "timeout"),
        (Say("it breaks in the middle", ending="cut", after=2), "connection"),
        (Say("it fails in the middle", ending="error", after=2), "overloaded"),
        (Say("the first byte is late", delay_s=3_600.0), "timeout"),
        (Fail("garbage"), "server"),
    ],
    ids=["stall", "cut", "error", "late", "garbage"],
)
@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_that_never_ends_well_fails_with_its_reason(
    wire: Wire, reply: Reply, reason: FailureReason
) -> None:
    with WireServer([reply]) as server:
        silence_s = 0.25 if reason == "timeout" else QUICK.silence_s
        model = client(wire, server, patience=replace(QUICK, retries=1, silence_s=silence_s))
        told, error = await broken(model)
        # A second try may take up the connection that was cut before it is known to be dead: nobody reads it then.
        read = (1, 2) if reason == "connection" else (2,)
        assert error.reason == reason
        assert sum(isinstance(piece, Retrying) for piece in told) == 1
        assert len(server.asked) in read


@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_that_ends_before_the_reply_does_is_a_lost_connection(wire: Wire) -> None:
    with WireServer([Say("it just ends between two events", ending="end", after=3)]) as server:
        found = await failure(client(wire, server), stream=True)
        assert (found.reason, len(server.asked)) == ("connection", 3)


@pytest.mark.parametrize(
    "reply", [Say("slow", delay_s=3_600.0), Say("half a reply", ending="stall")], ids=["late", "stall"]
)
@pytest.mark.parametrize("wire", WIRES)
async def test_a_call_is_over_when_its_time_is(wire: Wire, reply: Reply) -> None:
    with WireServer([reply]) as server:
        found = await failure(client(wire, server), replace(REQUEST, timeout_s=0.2))
        assert found.reason == "timeout"


async def test_a_slow_stream_that_goes_on_speaking_is_waited_for() -> None:
    with WireServer([Say("word by word by word", piece_s=0.3)]) as server:
        model = client("anthropic", server, patience=replace(QUICK, silence_s=2.0))
        begun_s = time.monotonic()
        assert isinstance((await pieces(model))[-1], Completion)
        assert time.monotonic() - begun_s > 2.0  # longer than any silence
        await model.close()


async def test_nobody_listening_is_a_lost_connection() -> None:
    with WireServer(["x"]) as server:
        url = server.openai_url
    found = await failure(OpenAIModel("m", base_url=url, key=KEY, patience=QUICK))
    assert (found.reason, found.status) == ("connection", 0)


async def test_cancelling_a_stream_leaves_the_client_usable() -> None:
    with WireServer([Say("this one stalls", ending="stall", after=2), Say("fine")]) as server:
        model = client("openai", server, patience=QUICK)
        task = asyncio.create_task(pieces(model))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await model(REQUEST)).text == "fine"
        await model.close()


def test_a_client_can_be_used_in_one_loop_after_another() -> None:
    with WireServer(["one", "two"]) as server:
        model = client("openai", server)

        async def ask() -> str:
            text = (await model(REQUEST)).text
            await model.close()
            return text

        assert asyncio.run(ask()) == "one"
        assert asyncio.run(ask()) == "two"


@pytest.mark.parametrize("wire", WIRES)
async def test_the_key_is_sent_and_never_told(wire: Wire) -> None:
    with WireServer(["yes"], key=KEY) as server:
        model = client(wire, server)
        assert (await model(REQUEST)).text == "yes"
        assert KEY not in repr(model)
        assert KEY not in json.dumps(server.asked[0].body)
        assert isinstance(model, HttpModel)
    for message in (f"Incorrect API key provided: {KEY}", KEY, f"url?key={KEY}"):
        with WireServer([Fail("auth", message=message)]) as server:
            found = await failure(client(wire, server))
            assert KEY not in "".join(traceback.format_exception(found))
    await model.close()


async def test_a_key_that_no_header_can_carry_is_not_told_either() -> None:
    with WireServer(["x"]) as server:
        found = await failure(client("openai", server, key="secret\nvalue-of-a-key"))
        assert "value-of-a-key" not in "".join(traceback.format_exception(found))


async def test_further_headers_and_fields_are_sent() -> None:
    with WireServer(["x"]) as server:
        options: dict[str, Any] = {"temperature": 0.5, "stream_options": None, "max_tokens": 7}
        model = client("openai", server, headers={"x-team": "harbour"}, extra=options)
        await pieces(model)
        asked = server.asked[0]
        assert asked.headers["x-team"] == "harbour"
        assert (asked.body["temperature"], asked.body["max_tokens"]) == (0.5, 7)
        assert "stream_options" not in asked.body
        await model.close()
    with WireServer(["x"]) as server:
        thinking: dict[str, Any] = {"generationConfig": {"temperature": 0.5}}
        model = client("gemini", server, extra=thinking)
        await model(REQUEST)
        assert server.asked[0].body["generationConfig"] == {"maxOutputTokens": 100, "temperature": 0.5}
        await model.close()


def test_the_output_limit_has_the_name_that_the_server_knows() -> None:
    own, other = OpenAIModel("m"), OpenAIModel("m", base_url="http://127.0.0.1:9/v1")
    assert own.body(REQUEST)["max_completion_tokens"] == other.body(REQUEST)["max_tokens"] == 100
    unlimited = replace(REQUEST, max_output_tokens=0)
    assert {"max_tokens", "max_completion_tokens"}.isdisjoint(own.body(unlimited))
    assert AnthropicModel("m").body(unlimited)["max_tokens"] == 8_192
    assert AnthropicModel("m", max_output_tokens=9).body(unlimited)["max_tokens"] == 9
    assert "generationConfig" not in GeminiModel("m").body(unlimited)


def test_a_request_may_name_another_model_with_or_without_its_provider() -> None:
    model = OpenAIModel("m", provider="ollama", base_url="http://127.0.0.1:9/v1")
    names = ("", "ollama:qwen3:8b", "qwen3:8b")
    bodies = [model.body(replace(REQUEST, model=name)) for name in names]
    assert [body["model"] for body in bodies] == ["m", "qwen3:8b", "qwen3:8b"]


@pytest.mark.parametrize("stream", [False, True], ids=["at once", "streamed"])
@pytest.mark.parametrize("wire", WIRES)
async def test_thinking_and_calls_go_back_with_the_signature_they_came_with(wire: Wire, stream: bool) -> None:
    calls = (ToolCall("call_a", "read", '{"path": "a"}'), ToolCall("call_b", "read", '{"path": "b"}'))
    script = [Say("Reading.", calls, "I must read.", "c2lnbmF0dXJl"), Say("Done.")]
    with WireServer(script) as server:
        model = client(wire, server)
        request = replace(REQUEST, tools=(READ,))
        last = (await pieces(model, request))[-1] if stream else await model(request)
        assert isinstance(last, Completion)
        results = [Message("tool", (ToolResult(call.id, (Text("x"),)),)) for call in reversed(last.calls)]
        messages = (*request.messages, reply_message(last), *results)
        assert (await model(replace(request, messages=messages))).text == "Done."
        assert server.breaches == []
        sent = json.dumps(server.asked[1].body)
        assert "I must read." in sent
        assert ("c2lnbmF0dXJl" in sent) == (wire != "openai")
        await model.close()


def test_reasoning_of_others_is_not_sent_to_openai_itself() -> None:
    said = Message(
        "assistant", (Text("Yes."),), wire="openai", extra='{"reasoning_content":"hm","refusal":null}'
    )
    request = replace(REQUEST, messages=(*REQUEST.messages, said))
    own: Any = OpenAIModel("m").body(request)
    other: Any = OpenAIModel("m", base_url="http://127.0.0.1:9/v1").body(request)
    assert "reasoning_content" not in own["messages"][-1]
    assert other["messages"][-1]["reasoning_content"] == "hm"


def test_anthropics_prompt_is_marked_up_to_what_is_injected() -> None:
    told = (*REQUEST.messages, Message("assistant", (Text("Yes?"),)), Message("user", (Text("Go on."),)))
    recalled = Message("user", (Text("Recalled: the pier is 3."),))
    request = replace(REQUEST, messages=(*told, recalled), memory="Memory.", injected=1)
    body: Any = AnthropicModel("m").body(request)
    assert [bool(block.get("cache_control")) for block in body["system"]] == [True, False]
    assert [bool(block.get("cache_control")) for block in body["messages"][-1]["content"]] == [True, False]
    plain: Any = AnthropicModel("m", cache=False).body(request)
    assert "cache_control" not in json.dumps(plain)
    hour: Any = AnthropicModel("m", ttl="1h").body(request)
    assert hour["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


async def test_a_server_that_does_not_stream_is_understood() -> None:
    with WireServer(["at once"]) as server:
        model = client("openai", server, extra={"stream": None, "stream_options": None})
        told = await pieces(model)
        assert told[0] == TextDelta("at once")
        assert cast("Completion", told[-1]).text == "at once"
        await model.close()


def test_thinking_that_does_not_fit_can_be_left_out_by_the_provider() -> None:
    request = CompletionRequest((Message("user", (Text("Hello?"),)),))
    body: Any = AnthropicModel("claude-opus-5-5", drop_block=True).body(request)
    assert body["thinking"]["block_binding"] == {"prefix_mismatch_behavior": "drop_block"}
    assert betas_of(body) == ("thinking-binding-controls-2026-08-01",)
    for plain in (AnthropicModel("claude-opus-5", drop_block=True), AnthropicModel("claude-opus-5-5")):
        assert "thinking" not in plain.body(request)
