"""Secrets in base64, in hexadecimal digits and behind percent signs: hidden, and what reads as nothing else stays."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.secrets.encoded import encoded_in, read_as
from palimpsest.summarize.secrets.redact import Redactor, placeholder, redact
from tests.summarize.pace import is_in_proportion

SECRET = "dunlin7"
HELD = [
    json.dumps({"user": "kim", "password": SECRET}),
    f"DB_PASSWORD={SECRET}\nPORT=5432\n",
    f"db:\n  api_key: {SECRET}\n",
    f"https://kim:{SECRET}@db1.example.com/app",
]


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def lines_of(text: str, size: int) -> str:
    return "\n".join(text[at : at + size] for at in range(0, len(text), size))


@pytest.mark.parametrize("text", HELD)
def test_a_run_that_reads_as_a_text_with_a_secret_is_hidden_as_a_whole(text: str) -> None:
    for run in (
        base64_of(text),
        base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
        text.encode().hex(),
    ):
        assert redact(f"payload: {run} end") == f"payload: {placeholder(run)} end"
        command = json.dumps({"command": f"echo {run} | base64 -d > .env"})
        assert run not in redact(command)
    broken = lines_of(base64_of(text), 24)
    assert redact(f"data\n{broken}\n\nend") == f"data\n{placeholder(broken)}\n\nend"


@pytest.mark.parametrize("text", HELD)
def test_a_secret_behind_percent_signs_is_hidden_in_its_place(text: str) -> None:
    shown = redact(f"GET /cb?state={quote(text, safe='')}&page=2")
    assert SECRET not in shown
    assert shown.startswith("GET /cb?state=")
    assert shown.endswith("&page=2")


def test_an_escape_at_the_end_of_a_secret_goes_with_it() -> None:
    assert (
        redact("body: password%3DSommer2024%21&page=2")
        == f"body: password%3D{placeholder('Sommer2024%21')}&page=2"
    )


def test_what_a_run_reads_is_known_where_it_is_said_plainly() -> None:
    redactor = Redactor()
    manifest = f"kind: Secret\ndata:\n  any: {base64_of('harbour-kelp7')}\n"
    for text in (manifest, f"got {base64_of(HELD[0])} from it"):
        list(redactor.learn(text))
    told = redactor.redact(f"harbour-kelp7 and {SECRET} were used")
    assert "harbour-kelp7" not in told
    assert SECRET not in told


def test_a_known_secret_is_found_in_a_run_that_does_not_name_it() -> None:
    redactor = Redactor()
    redactor.know("harbour-kelp7")
    run = base64_of("kim and harbour-kelp7 and more")
    assert redactor.redact(f"sent {run} to it") == f"sent {placeholder(run)} to it"


@pytest.mark.parametrize(
    "text",
    [
        f"sent {base64_of('nothing but a greeting to all who read it')}",
        base64_of('{"password": null, "max_tokens": 4096}'),
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA" + "B4" * 40,
        "see /usr/lib/python3/dist-packages/requests/adapters for it",
        "GET /cb?state=%7B%22next%22%3A%22%2Fhome%22%2C%22page%22%3A2%7D",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 of main",
        "sha512-" + base64.b64encode(bytes(range(64))).decode(),
    ],
)
def test_runs_without_a_secret_stay(text: str) -> None:
    assert redact(text) == text


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=12, max_size=300))
def test_whatever_people_write_is_read_back(text: str) -> None:
    assert read_as(base64_of(text)) == text
    assert [read for _, read in encoded_in(f"run {base64_of(text)} end")] == [text]


@given(st.binary(min_size=12, max_size=200))
def test_bytes_that_nobody_writes_read_as_nothing(data: bytes) -> None:
    run = base64.b64encode(data + b"\x00").decode()
    assert not read_as(run)


@pytest.mark.parametrize("unit", ["a", "YWJj", "YWJjZGVmZ2hpamts\n", "%3D"])
def test_long_runs_cost_what_is_in_proportion(unit: str) -> None:
    chars = 1_000_000 // len(unit)
    assert is_in_proportion(lambda many: list(encoded_in(unit * many)), chars // 10, chars)
