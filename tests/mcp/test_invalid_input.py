"""A line that cannot be read is answered where it says whose it is, and nobody else's request is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.mcp.stdio import id_of, refusal_of

DIGITS = "9" * 5_000
DEEP = "[" * 300 + "]" * 300


def call(number: int | str, pattern: str) -> str:
    """A request as a client writes it, its pattern as JSON text."""
    arguments = f'{{"id": "m12", "pattern": {pattern}}}'
    params = f'{{"name": "grep", "arguments": {arguments}}}'
    return f'{{"method":"tools/call","params":{params},"jsonrpc":"2.0","id":{json.dumps(number)}}}'


@pytest.mark.parametrize("number", [7, -1, "seven", "m12"])
@pytest.mark.parametrize("pattern", [DIGITS, DEEP, "[" * 200_000 + "]" * 200_000, "1e", "nothing", "'x'"])
def test_what_cannot_be_read_is_refused_under_its_own_id(number: int | str, pattern: str) -> None:
    refused = refusal_of(call(number, pattern))
    assert refused is not None
    assert (refused.id, refused.error.code) == (number, -32700)
    assert len(refused.error.message) < 300


@pytest.mark.parametrize(
    "line, number",
    [
        ('{"id": 8, "method": "ping"}', 8),
        ('{"jsonrpc": "1.0", "method": "ping", "id": "a"}', "a"),
        ('{"jsonrpc": "2.0", "id": 3, "method": 5}', 3),
    ],
)
def test_what_is_json_but_no_request_is_told_apart(line: str, number: int | str) -> None:
    refused = refusal_of(line)
    assert refused is not None
    assert (refused.id, refused.error.code) == (number, -32600)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "not json",
        "5",
        "[]",
        '{"params": {"id": 5}, "method": 1}',
        '{"method": "x", "params": "cut, \\"id\\": 5, ',
        '{"id": 1.5, "method": "ping"}',
        f'{{"id": {DIGITS}, "method": "ping"}}',
        '{"id": null}',
        '{"a": "id", "b": {"id": 4}}}}',
        '{"id": "cut',
        call(1, '"fine"'),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
    ],
)
def test_nothing_is_answered_to_what_is_fine_or_says_no_id(line: str) -> None:
    assert refusal_of(line) is None


@given(
    st.recursive(
        st.none() | st.integers(-9, 9) | st.text('id":{}[]\\', max_size=6),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "x"]), inner),
        max_leaves=8,
    ),
    st.integers(-(10**12), 10**12) | st.text(max_size=9),
    st.booleans(),
)
def test_the_id_is_that_of_the_outermost_object(params: object, number: int | str, first: bool) -> None:
    said = {"id": number, "params": params} if first else {"params": params, "id": number}
    assert id_of(json.dumps(said)) == number


@pytest.mark.slow
def test_the_process_answers_and_goes_on(tmp_path: Path) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a client", "version": "1"},
    }
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(1, DIGITS),
        "no JSON",
        call(2, DEEP),
        call(3, '"buoy"'),
    ]
    command = [sys.executable, "-m", "palimpsest", "mcp", "--db", str(tmp_path / "p.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(4)]
        process.stdin.close()
    assert {one["id"]: "error" in one for one in answers} == {0: False, 1: True, 2: True, 3: False}
