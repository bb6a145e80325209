"""Secrets that are made of words, where a variable, a key or a sentence says that they are; other words stay."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message, Text
from palimpsest.summarize.secrets.looks.known import is_telling
from palimpsest.summarize.secrets.redact import Redactor, placeholder, protect, redact
from palimpsest.summarize.source import MessageEntry, Source

WORDED = ["harbour-lantern-42", "super-secret-token-12345", "dbpass_9921x", "TIDE-SECRET-VALUE-001"]
FRAMES = [
    "API_KEY={}",
    "AUTH_TOKEN={}",
    "export GITHUB_TOKEN={}",
    "api_key: {}",
    "client_secret={}",
    '"apiKey": "{}"',
    "access_token: {}",
    '"refreshToken": "{}"',
]
SAID = {
    "The password is {}.": "swordfish",
    "the password for the staging db is {}": "swordfish",
    "deploy --password {} --user ann": "swordfish",
    "AUTH_TOKEN={}": "swordfish",
    '"token": "{}"': "harbour-secret-4217",
    "the token is {}": "harbour-token-4217",
    "password: {}": "my-password-4217",
    "TOKEN={}": "Ferry2031x",
    "deploy --token {} now": "Ferry2031x",
    '"encryptionKey": "{}"': "GUnNS?WQQM!5",
    "and s.{} stood there": "1a2b3c4d5e6f7g8h9i0jklmn",
}
ORDINARY = [
    "secret: db-creds-v2, secretName: my-app-secret-2024, SECRET=db-creds-v2",
    "EOS_TOKEN=endoftext, PAD_TOKEN=padding, NEXT_TOKEN=cursor-12",
    "The password is required. The password is visible",
    "the password is secure\nthe password is different\nthe passphrase is optional",
    "use --password option or --password flag, and --password prompts",
    "api_key: string, access_token: str, accessToken: AccessTokenType, auth_token = get_auth_token()",
    "accessToken = response.data.accessToken; const authToken = useAuthToken2();",
    "KeyError: 'access_token'\nkey=9mcy7n&page=2",
    "password: your-password-123",
    "encryptionKey: arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
    "--token-file a1.txt, --token string, --max-token 4096",
]


@pytest.mark.parametrize("value", WORDED)
@pytest.mark.parametrize("frame", FRAMES)
def test_words_with_a_number_are_a_secret_where_they_are_assigned(frame: str, value: str) -> None:
    assert redact(frame.format(value)) == frame.format(placeholder(value))


@pytest.mark.parametrize("frame", SAID)
def test_a_word_is_a_secret_where_a_sentence_ends_with_it(frame: str) -> None:
    value = f"s.{SAID[frame]}" if "s.{}" in frame else SAID[frame]
    frame = frame.replace("s.{}", "{}")
    assert redact(frame.format(value)) == frame.format(placeholder(value))


@pytest.mark.parametrize("text", ORDINARY)
def test_words_stay_where_nothing_makes_them_a_secret(text: str) -> None:
    assert redact(text) == text


def test_letters_that_change_as_in_no_name_are_known_everywhere() -> None:
    secret = "KqzWnRxTbvLmPd"
    redactor = Redactor()
    redactor.know(secret)
    assert secret not in redactor.redact(f"again with {secret}, as before")
    names = ["getUserTokenFromHeader", "passwordResetRequest", "internationalization", "swordfish"]
    assert [name for name in names if is_telling(name)] == []


def _source(*texts: str) -> Source:
    return Source(
        "leaf",
        tuple(MessageEntry(f"m{n}", Message("user", (Text(text),)), 9) for n, text in enumerate(texts)),
    )


def _shown(*texts: str) -> list[str]:
    steps = protect(_source(*texts))
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            source, _ = stop.value
            break
    return [entry.message.text for entry in source.entries if isinstance(entry, MessageEntry)]


@pytest.mark.parametrize("secret", ["swordfish", "kelp-ferry-lantern-dune", "hunter2"])
def test_a_weak_password_is_hidden_wherever_the_conversation_says_it(secret: str) -> None:
    shown = _shown(f"again: {secret} was used there", f"password: {secret}", f"- {secret}, as before")
    assert not [text for text in shown if secret in text]


def test_a_word_that_the_conversation_is_about_is_hidden_only_where_it_is_the_password() -> None:
    about = "the lighthouse is on the pier, and a lighthouse it was; the lighthouse, the old lighthouse"
    assert _shown(about, "password: lighthouse") == [about, f"password: {placeholder('lighthouse')}"]
