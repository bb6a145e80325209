"""The local server refuses what providers refuse, and says why in their words."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from tests.wire.forms import pieces
from tests.wire.replies import WORDS, Fail, FailKind, Say, Wire, failure_body
from tests.wire.server import WireServer

WIRES: tuple[Wire, ...] = ("openai", "responses", "anthropic", "gemini")
SIZED: tuple[Wire, ...] = ("openai", "anthropic", "gemini")
HELLO: dict[Wire, dict[str, Any]] = {
    "openai": {"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_completion_tokens": 50},
    "responses": {"model": "m", "input": [{"role": "user", "content": "hi"}], "max_output_tokens": 50},
    "anthropic": {"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 50},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
}
PATHS: dict[Wire, str] = {
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
}


def post(server: WireServer, wire: Wire, **changes: Any) -> httpx2.Response:
    """A small valid request, with changes."""
    return httpx2.post(server.url + PATHS[wire], json=HELLO[wire] | changes, headers={"x-api-key": "k"})


def test_a_valid_request_is_answered_and_remembered() -> None:
    with WireServer([Say("one"), "two"]) as server:
        replies = [post(server, wire).text for wire in WIRES]
        assert ["one" in replies[0], *("two" in reply for reply in replies[1:])] == [True] * len(WIRES)
        assert [asked.wire for asked in server.asked] == list(WIRES)
        assert all(asked.prompt_tokens > 0 and asked.model == "m" for asked in server.asked)
        assert server.breaches == []


@pytest.mark.parametrize(
    "wire,changes",
    [
        ("openai", {"bogus": 1}),
        ("openai", {"messages": []}),
        ("openai", {"messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]}),
        ("openai", {"max_tokens": "many"}),
        ("responses", {"bogus": 1}),
        ("responses", {"input": []}),
        ("responses", {"input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]}),
        ("responses", {"max_output_tokens": "many"}),
        ("anthropic", {"bogus": 1}),
        ("anthropic", {"max_tokens": None}),
        (
            "anthropic",
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "x", "bogus": 1}]}]},
        ),
        ("anthropic", {"messages": [{"role": "assistant", "content": "x"}]}),
        ("gemini", {"contents": [{"role": "user", "parts": [{"txt": "x"}]}]}),
        ("gemini", {"contents": [{"role": "model", "parts": [{"functionCall": {"name": "f"}}]}]}),
        ("gemini", {"generationConfig": {"bogus": 1}}),
        ("gemini", {"bogus": 1}),
    ],
)
def test_a_request_that_a_provider_refuses_is_refused(wire: Wire, changes: dict[str, Any]) -> None:
    with WireServer([Say("never")]) as server:
        refused = post(server, wire, **changes)
        assert refused.status_code == 400
        assert server.breaches
        assert "never" not in refused.text


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("kind", [kind for kind in WORDS if kind not in ("garbage", "html", "overflow")])
def test_each_failure_has_its_status_and_the_providers_body(wire: Wire, kind: FailKind) -> None:
    with WireServer([Fail(kind, retry_after_s=7)]) as server:
        failed = post(server, wire)
        assert failed.status_code == WORDS[kind].status
        assert failed.json() == failure_body(wire, kind, retry_after_s=7)


@pytest.mark.parametrize("wire", SIZED)
def test_a_prompt_over_the_window_is_refused_with_its_sizes(wire: Wire) -> None:
    with WireServer(["fits"], window_tokens=60) as server:
        assert post(server, wire).status_code == 200
        long = {"role": "user", "content": "word " * 100}
        content = {"contents": [{"role": "user", "parts": [{"text": "word " * 100}]}]}
        refused = post(server, wire, **(content if wire == "gemini" else {"messages": [long]}))
        assert refused.status_code == 400
        assert "60" in refused.text
        assert str(server.asked[-1].prompt_tokens) in refused.text
        assert server.overflows == 1


def test_only_the_right_key_and_the_known_addresses_are_served() -> None:
    with WireServer(["secret"], key="right") as server:
        assert post(server, "anthropic").status_code == 401
        assert httpx2.post(f"{server.url}/v1/unknown").status_code == 404
        headers = {"authorization": "Bearer right"}
        assert httpx2.post(
            f"{server.openai_url}/chat/completions", json=HELLO["openai"], headers=headers
        ).is_success


def test_a_script_may_be_a_function_of_what_was_asked() -> None:
    with WireServer(lambda asked: Say(f"{asked.wire} {asked.number}")) as server:
        assert [str(number) in post(server, "openai").text for number in (1, 2)] == [True, True]


def test_a_stream_comes_in_pieces_and_can_be_cut() -> None:
    asked = HELLO["openai"] | {"stream": True}
    with WireServer([Say("a long enough text"), Say("a long enough text", ending="cut", after=2)]) as server:
        whole = httpx2.post(f"{server.openai_url}/chat/completions", json=asked).text
        assert whole.count("data: ") == len(pieces("a long enough text")) + 3
        assert whole.endswith("data: [DONE]\n\n")
        with pytest.raises(httpx2.RemoteProtocolError):
            httpx2.post(f"{server.openai_url}/chat/completions", json=asked)


def test_a_server_closes_at_once_even_while_a_reply_stalls() -> None:
    with (
        WireServer([Say("never ends", ending="stall", after=1)]) as server,
        httpx2.Client(timeout=60) as client,
    ):
        request = json.dumps(HELLO["openai"] | {"stream": True})
        with client.stream("POST", f"{server.openai_url}/chat/completions", content=request) as response:
            assert next(response.iter_text()).startswith("data: ")
    assert not server.running
