"""Who may use the proxy."""

from __future__ import annotations

import pytest

from palimpsest.errors import SettingsError, UsageError
from palimpsest.proxy.access import Access
from palimpsest.proxy.addresses import Upstreams
from palimpsest.proxy.launch import ProxySettings, serve
from tests.proxy.kit import running
from tests.proxy.raw import RawProvider, ask

TOKEN = "a-token-of-some-length"
NAMES = frozenset((b"127.0.0.1:80", b"localhost:80"))


def admitted(path: bytes = b"/v1", token: str = "", **headers: str) -> str:
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Access(NAMES, token).admit(path, given)[1]


def test_only_its_own_names_and_origins_are_admitted_without_a_token() -> None:
    assert admitted(host="127.0.0.1:80") == admitted(host="LOCALHOST:80", origin="http://localhost:80") == ""
    assert "host" in admitted(host="evil.example:80")
    assert "host" in admitted()
    assert "origins" in admitted(host="localhost:80", origin="http://evil.example")
    assert "origins" in admitted(host="localhost:80", origin="null")


def test_with_a_token_every_request_needs_it() -> None:
    assert admitted(token=TOKEN, host="other", x_palimpsest_token=TOKEN) == ""
    assert "token" in admitted(token=TOKEN, host="127.0.0.1:80")
    assert "token" in admitted(token=TOKEN, host="127.0.0.1:80", x_palimpsest_token="wrong")
    assert Access(NAMES, TOKEN).admit(f"/palimpsest/{TOKEN}/v1/x".encode(), []) == (b"/v1/x", "")
    assert Access(NAMES, TOKEN).admit(b"/palimpsest/wrong/v1/x", [])[1]


async def test_a_token_never_reaches_the_provider() -> None:
    async with RawProvider() as provider, running(provider, token=TOKEN) as served:
        assert b" 403 " in (await ask(served.url, b"", path="/v1/x"))[:20]
        assert (
            b" 200 "
            in (await ask(served.url, b"", path="/v1/x", more=f"x-palimpsest-token: {TOKEN}\r\n"))[:20]
        )
        assert b" 200 " in (await ask(served.url, b"", path=f"/palimpsest/{TOKEN}/v1/x"))[:20]
        assert (
            b" 200 "
            in (await ask(served.url, b"", path=f"/palimpsest/{TOKEN}/palimpsest/health", method="GET"))[:20]
        )
        assert len(provider.seen) == 2
        assert all(
            TOKEN not in f"{one.line}{one.headers}" and one.line.split()[1] == "/v1/x"
            for one in provider.seen
        )


async def test_an_address_that_others_reach_needs_a_token() -> None:
    async with RawProvider() as provider, running(provider) as served:
        with pytest.raises(SettingsError, match="token is needed"):
            await serve(served.engine, ProxySettings("0.0.0.0", 0))
        with pytest.raises(UsageError, match="not an IP address"):
            await serve(served.engine, ProxySettings("example.org", 0))
        async with await serve(served.engine, ProxySettings("0.0.0.0", 0, TOKEN)) as other:
            port = other.url.rpartition(":")[2]
            assert (
                b" 403 "
                in (await ask(f"http://127.0.0.1:{port}", b"", path="/v1/x", host="any.example"))[:20]
            )


async def test_a_web_page_is_refused_and_health_is_told() -> None:
    async with RawProvider() as provider, running(provider) as served:
        assert b" 403 " in (await ask(served.url, b"{}", path="/v1/messages", host="evil.example"))[:20]
        got = await ask(served.url, b"", path="/v1/messages", more="origin: https://evil.example\r\n")
        assert b"permission_error" in got
        assert provider.seen == []
        health = await ask(served.url, b"", path="/palimpsest/health", method="GET")
        assert b'"status": "ok"' in health


@pytest.mark.parametrize(
    "path,headers,expected",
    [
        ("/v1/messages", {}, "https://a/v1/messages"),
        ("/v1/models", {"anthropic-version": "1"}, "https://a/v1/models"),
        ("/v1/models", {"authorization": "Bearer x"}, "https://o/api/v1/models"),
        ("/v1/chat/completions", {}, "https://o/api/v1/chat/completions"),
        ("/chat/completions", {}, "https://o/api/v1/chat/completions"),
        ("/v1beta/models/m:generateContent", {}, "https://g/v1beta/models/m:generateContent"),
        ("/upload/v1beta/files", {}, "https://g/upload/v1beta/files"),
    ],
)
def test_each_address_goes_to_its_provider(path: str, headers: dict[str, str], expected: str) -> None:
    assert Upstreams("https://a", "https://o/api/v1/", "https://g").url(path, "", headers) == expected
