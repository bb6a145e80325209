"""Until a window has changed, the provider and the client see what they would have seen without the proxy."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.proxy.wires import read_call
from tests.proxy.kit import running
from tests.proxy.raw import JSON, RawProvider, Request, ask, chunked, whole

BODY = (
    b'{ "model":"claude-opus-5-5",  "max_tokens": 1e2, "stop":"\\u00e9", "tools":[{"name":"a"}],'
    b' "messages":[ {"role" : "user","content":"hi"} ],"x":null }'
)
REPLY = (
    b'{"type":"message","role":"assistant","content":[ {"type":"text","text":"ho"}],"stop_reason":"end_turn"}'
)


async def sent(
    body: bytes, path: str = "/v1/messages?beta=true&x=%2F", more: str = "", **options: Any
) -> tuple[Request, bytes]:
    """The request that the provider got, and the response that the client got."""
    answer = options.pop("answer", whole(REPLY))
    async with RawProvider(lambda _: answer) as provider:
        async with running(provider) as served:
            got = await ask(served.url, body, path=path, more=more, **options)
            assert served.proxy.counts.faults == (b"[7, null" in body and path.startswith("/v1/messages?"))
        return provider.seen[0], got


@pytest.mark.parametrize("path", ["/v1/messages?beta=true&x=%2F", "/v1/messages/count_tokens", "/v1/other"])
@pytest.mark.parametrize(
    "body", [BODY, b"no json {", b"", b"[1]", b'{"messages": 7}', b'{"messages": [7, null, {}]}']
)
async def test_a_body_goes_on_as_it_came_byte_for_byte(path: str, body: bytes) -> None:
    request, got = await sent(body, path)
    assert request.body == body
    assert request.line == f"POST {path} HTTP/1.1"
    assert got.endswith(b"\r\n\r\n" + REPLY)


async def test_headers_go_on_except_those_of_the_connection() -> None:
    request, _ = await sent(
        BODY,
        more="x-api-key: sk-1\r\nx-two: a\r\nx-two: b\r\ntraceparent: 00-aa-bb-01\r\n"
        "te: trailers\r\nexpect: 100-continue\r\n",
    )
    assert request.all("x-api-key") == ["sk-1"]
    assert request.all("x-two") == ["a", "b"]
    assert request.all("traceparent") == ["00-aa-bb-01"]
    assert request.all("te") == request.all("expect") == []
    assert request.all("user-agent") == request.all("accept") == []
    assert request.all("host")[0].startswith("127.0.0.1")


@pytest.mark.parametrize(
    "status",
    ["200 OK", "401 Unauthorized", "429 Too Many Requests", "529 Overloaded", "302 Found", "204 No Content"],
)
async def test_a_response_comes_back_with_its_status_and_headers(status: str) -> None:
    headers = (
        JSON
        + b"retry-after: 7\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nrequest-id: r1\r\nlocation: /x\r\nserver: p\r\n"
    )
    body = b"" if status.startswith("204") else b'{"error":{"message":"no"}}'
    answer = whole(body, status, headers) if body else b"HTTP/1.1 204 No Content\r\n" + headers + b"\r\n"
    _, got = await sent(BODY, answer=answer)
    head, _, data = got.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0].split(b" ")[1] == status.split(" ", maxsplit=1)[0].encode()
    for line in headers.strip().split(b"\r\n"):
        assert line in lines
    assert data == body


async def test_a_stream_comes_back_byte_for_byte() -> None:
    events = [b"event: ping\ndata: {}\n\n", b"data: \xff\xfe\n\n", b"data: [DONE]\n\n"]
    _, got = await sent(BODY, answer=chunked(*events))
    body = got.partition(b"\r\n\r\n")[2]
    found = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        found, body = found + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    assert found == b"".join(events)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
async def test_other_methods_and_addresses_pass(method: str) -> None:
    request, got = await sent(b"x" if method == "PUT" else b"", "/v1/files/a%20b?q=1", method=method)
    assert request.line == f"{method} /v1/files/a%20b?q=1 HTTP/1.1"
    assert got.endswith(REPLY)


async def test_a_body_without_known_length_goes_on_and_a_request_for_a_websocket_is_refused() -> None:
    request, _ = await sent(BODY)
    assert request.all("content-length") == [str(len(BODY))]
    async with RawProvider() as provider, running(provider) as served:
        got = await ask(served.url, b"", path="/v1/responses", method="GET", more="upgrade: websocket\r\n")
        assert b" 426 " in got.split(b"\r\n", maxsplit=1)[0]
        assert provider.seen == []


@given(
    st.binary(max_size=300)
    | st.recursive(
        st.none() | st.integers() | st.text(),
        lambda one: (
            st.lists(one)
            | st.dictionaries(
                st.sampled_from(["messages", "model", "tools", "role", "content", "stream"]), one
            )
        ),
    ).map(lambda one: json.dumps(one).encode())
)
def test_any_body_is_read_or_left_alone(body: bytes) -> None:
    for path in ("/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1beta/models/m:generateContent"):
        call = read_call("POST", path, body)
        assert call is None or json.loads(call.changed()) == json.loads(body)
