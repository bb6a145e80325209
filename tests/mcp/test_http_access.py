"""Who may ask over HTTP: addresses of this machine, and those who hold the token."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.config.local_server import bind, read_address, take_token
from palimpsest.errors import SettingsError, UsageError
from palimpsest.mcp.http import TOKEN_VARIABLE, Guarded
from tests.cli.surroundings import nothing_configured
from tests.mcp.kit import Notes

TOKEN = "a-token-of-some-length"


def test_an_address_is_a_port_or_a_host_and_a_port() -> None:
    assert read_address("0") == ("127.0.0.1", 0)
    assert read_address("localhost:99") == ("127.0.0.1", 99)
    assert read_address("[::1]:99") == ("::1", 99)


@pytest.mark.parametrize("given", ["x", "70000", "-1", "8377:", "1.5", "٣", ":"])
def test_what_is_no_port_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="port"):
        read_address(given)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", "", "127.0.0.1.example"])
def test_only_addresses_of_this_machine_are_bound(host: str) -> None:
    for refuse in (lambda: bind(host, 0), lambda: read_address(f"{host}:99")):
        with pytest.raises(UsageError, match="not a loopback address"):
            refuse()


def test_a_port_that_is_taken_is_told() -> None:
    first = bind("localhost", 0)
    try:
        with pytest.raises(UsageError, match="cannot listen"):
            bind("127.0.0.1", first.getsockname()[1])
    finally:
        first.close()


def test_a_token_is_made_kept_and_taken_again(tmp_path: Path) -> None:
    said = Notes()
    path = tmp_path / "token"
    made = take_token(path, TOKEN_VARIABLE, said)
    assert take_token(path, TOKEN_VARIABLE, said) == made
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(said.lines) == 1
    assert made not in said.lines[0]


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes here")
def test_a_file_that_others_can_read_is_told_of(tmp_path: Path) -> None:
    said = Notes()
    path = tmp_path / "token"
    path.write_text(TOKEN)
    path.chmod(0o644)
    assert take_token(path, TOKEN_VARIABLE, said) == TOKEN
    assert said.lines == [f"{path} is readable by other users of this machine: use `chmod 600`"]


def test_a_token_comes_from_the_environment_or_is_told(tmp_path: Path) -> None:
    said = Notes()
    with nothing_configured(tmp_path):
        made = take_token(None, TOKEN_VARIABLE, said)
        assert said.lines == [f"token for this run: {made}"]
        os.environ[TOKEN_VARIABLE] = TOKEN
        assert take_token(None, TOKEN_VARIABLE, said) == TOKEN
        os.environ[TOKEN_VARIABLE] = ""
        with pytest.raises(SettingsError, match=TOKEN_VARIABLE):
            take_token(None, TOKEN_VARIABLE, said)


@pytest.mark.parametrize(
    "held", ["", "short", "with a blank in the middle", "слово-слово-слово", "one-line\nanother-line"]
)
def test_a_token_that_cannot_be_used_is_refused(tmp_path: Path, held: str) -> None:
    path = tmp_path / "token"
    path.write_text(held, encoding="utf-8")
    with pytest.raises(SettingsError):
        take_token(path, TOKEN_VARIABLE, Notes())
    assert path.read_text(encoding="utf-8") == held


async def status_for(headers: list[tuple[bytes, bytes]]) -> int:
    """The status that a request with these headers gets from an application that answers 200."""
    sent: list[MutableMapping[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    await Guarded(app, TOKEN)({"type": "http", "headers": headers}, receive, send)
    return sent[0]["status"]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
async def test_the_token_lets_in(scheme: str) -> None:
    assert await status_for([(b"host", b"x"), (b"authorization", f"{scheme} {TOKEN}".encode())]) == 200


@given(st.lists(st.binary(max_size=40), max_size=3))
async def test_nothing_else_lets_in(values: list[bytes]) -> None:
    assert await status_for([(b"authorization", value) for value in values]) == 401


@pytest.mark.parametrize(
    "values",
    [
        [f"Basic {TOKEN}"],
        [TOKEN],
        [f"Bearer {TOKEN} "],
        ["Bearer "],
        [f"Bearer {TOKEN}", f"Bearer {TOKEN}"],
        [],
    ],
)
async def test_almost_the_token_does_not(values: list[str]) -> None:
    assert await status_for([(b"authorization", value.encode()) for value in values]) == 401
