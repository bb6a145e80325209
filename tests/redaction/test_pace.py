"""Texts made to be slow take time in proportion to their length, in small steps."""

from __future__ import annotations

import pytest

from palimpsest.redaction.detector import SLICE_CHARS, find_secrets
from tests.effort import size
from tests.patience import LIMIT_S
from tests.redaction.planted import ran

UNITS = [
    "password ",
    "password=",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqMIIEvQIBADANBgkq\n",
    "a://b:c",
    "://a:",
    "cookie: sid",
    "curl -u a",
    "mysql -p",
    "echo a | ",
    "machine a login b ",
    "eyJhbGciOiJI.",
    "PuTTY-User-Key-File-3 ",
    "AKIA",
    "sk-a-",
    "\\",
    "\\\\n",
    '{"key": "',
    "api_key_",
    "token" + " " * 40,
    'secret"{',
    "a:b:5432:",
    "$2b$12$",
    "x" * 100,
    "A1b2",
    "htpasswd -b a ",
    "docker login -p '",
    "authorization: ",
    "password: " + "aB" * 190 + "! ",
    "api_key=" + "word" * 90 + "7! ",
    "token=" + "a/" * 190 + "7! ",
    "x=Bearer " + "A.a" * 1_300 + "7 ",
]


@pytest.mark.sampled
@pytest.mark.timeout(LIMIT_S)  # what it would take beyond its length is far more
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: ascii(unit[:20]))
def test_a_text_made_to_be_slow_costs_its_length(unit: str) -> None:
    text = unit * (size(100_000, 2_000_000) // len(unit))
    assert len(ran(find_secrets(text))) <= len(text)


def test_a_long_line_is_searched_in_steps() -> None:
    line = '{"content": "' + "password: a1 and API_KEY=b2, " * 70_000 + '"}'
    steps = sum(1 for _ in find_secrets(line))
    assert steps > len(line) // SLICE_CHARS
