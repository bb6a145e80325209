"""Keys of services that nobody here knows, told in chat; and keys of tables, keyboards and caches, which stay."""

from __future__ import annotations

import re

import pytest

from palimpsest.summarize.secrets.redact import redact

HELD = re.compile(r"\[secret:[0-9a-f]{6}\]")
DRAWN = (
    "kq3Zt7Vm1pXw9Bd2LhR8sY4c",
    "GOB74KHGJMK6AQCX6C8SEW0AGZ73J51L",
    "d905e82d-a7f7-dbf9-2001-cdc73915e10b:fx",
)
DIGEST = "3a4297683df54d9606347d6ee59eabc5"


@pytest.mark.parametrize("secret", DRAWN)
@pytest.mark.parametrize(
    "sentence",
    [
        "Here is the tide tiles key you need: {} (valid until May)",
        "Sign in to the portal with the harbour key {}.",
        "I got a new API key from the vendor, {}, can you try it?",
        "The weather key I was given yesterday, {}, gives me a 401",
        "It says invalid API key, I used {}",
        "with the ferry token set to {} it works",
        "does {} look like a valid API key?",
        "Please store the radar key {} in the vault",
    ],
)
def test_a_key_of_anything_goes(sentence: str, secret: str) -> None:
    assert HELD.sub("{}", redact(sentence.format(secret))) == sentence


def test_a_digest_goes_where_the_key_is_said_to_be_somebodys() -> None:
    assert DIGEST not in redact(f"Our radar key is {DIGEST}. It is for tests.")


@pytest.mark.parametrize(
    "text",
    [
        f"the cache key is {DIGEST}",
        f"the boards key is {DIGEST} in that map",
        "the sort key is harbour#2026-11-26T10:04:12Z",
        "press the escape key, F12Alt7Shift stays",
        "the next token is kq3Zt7Vm1pXw9Bd2LhR8sY4c",
        "The order key of the row, pier-48213-a, is unique",
        "GPG_KEY=A035C8C19219BA821ECEA86B64E628F8D684696D\nPYTHON_VERSION=3.12.7",
        '{"flags": {"new-token-picker": "control1", "password-reset": "treatment2"}}',
        "TOKEN_V2=beta2\nAPI_KEY_UI=stage3\nFEATURE_TOKEN_V2=enabled25",
        "does that look like a valid key? I used the old one",
    ],
)
def test_other_keys_stay(text: str) -> None:
    assert redact(text) == text
