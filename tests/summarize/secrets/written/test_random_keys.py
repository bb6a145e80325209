"""Keys that look as if drawn by lot are known by what stands before them; names, digests and ids stay."""

from __future__ import annotations

import random
import string

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

SIGNS = string.ascii_letters + string.digits
VALUES = [
    "q" + "".join(random.Random(seed).choices(SIGNS, k=size)) + "7Xk"
    for seed, size in ((1, 12), (2, 28), (3, 36))
]
NAMED = [
    "application_key: {}",
    '"applicationKey": "{}",',
    "consumerKey = '{}'",
    "SDK key is {}",
    "sdk_key={}",
    "license key: {}",
    "the recovery key is {}, keep it",
    "storageAccountKey: {}",
    "encryptionKey: '{}'",
    "master key: {}",
    "hmac key {}",
    "write_key => {}",
    '{{"username": "ann", "key": "{}"}}',
    "PAT: {}",
    "my PAT is {}.",
    "Authorization: {}",
    '"Authorization": "{}"',
    "the key is {}",
    "Use this key: {}",
    "bot token {}",
    "sas token {}",
    "the token is {}",
    "I rotated the tide board api key to {} this morning.",
    "We replaced the old deploy token with {} yesterday",
    "You can use {} as the tide board api key.",
    "use {} for the api token of the board",
    "Take `{}` as API key",
    "unlock the vault with {}",
]
FROM = ["airtable = {}", "DATADOG={}", '"algolia": "{}",', 'const sentry = "{}";', "mistral_prod: {}"]
ORDINARY = [
    "cache_key: user-profile-8f7d6c5b4a39",
    '"cacheKey": "3f2a9c1e77aa001122334455667788990011aabb"',
    "sort key: createdAt2026Desc, partition key: tenant42Region7",
    '"Key": "artifacts/build/3f2a9c1e77aa0011/bundle.js"',
    "idempotency_key: 550e8400-e29b-41d4-a716-446655440000",
    "the key is app:theme:v2 and the key is sha256OfTheFile",
    "use 3f2a9c1e77aa001122334455667788990011aabb for the release, as the last good commit",
    "use resnet50v2pretrained as the backbone, and base64encoded1 for the payload",
    "changed the api version to 2024-10-01-preview, and moved the key handling to auth2Handler.ts",
    "Authorization: AWS4-HMAC-SHA256 Credential=<redacted>",
    'openrouter: "openai/gpt-5.1-codex-mini", fastly: cache-fra-eddf8230671-FRA, sentry: 7.114.0-beta.12',
    '"discord.js": "^14.15.2", heroku: 550e8400-e29b-41d4-a716-446655440000, linear: ENG-14231',
    "connect with Postgres15Client2 and log in with OAuth2Provider",
    "PAT handling was added; pat: see docs; the PAT is read from the keyring",
]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("frame", NAMED)
def test_a_key_is_known_by_what_it_is_for(frame: str, value: str) -> None:
    assert redact(frame.format(value)) == frame.format(placeholder(value))


@pytest.mark.parametrize("value", VALUES[1:])
@pytest.mark.parametrize("frame", FROM)
def test_a_token_is_known_by_whom_it_is_from(frame: str, value: str) -> None:
    assert redact(frame.format(value)) == frame.format(placeholder(value))


def test_a_key_alone_is_one_where_no_name_or_id_is_so_long_and_mixed() -> None:
    assert redact(f"mail:\n  key: {VALUES[1]}\n") == f"mail:\n  key: {placeholder(VALUES[1])}\n"
    assert redact(f"mail:\n  key: {VALUES[0]}\n") == f"mail:\n  key: {VALUES[0]}\n"


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_no_key_stays(text: str) -> None:
    assert redact(text) == text


def test_a_number_is_a_key_only_where_it_is_assigned_to_one() -> None:
    assert redact("CLOUDINARY_API_KEY=697493093198485").endswith(placeholder("697493093198485"))
    assert redact("api_key: 1200, secret: 1722948123000") == "api_key: 1200, secret: 1722948123000"


@pytest.mark.parametrize(
    "unit", ["a1B2c3D4e5F6 ", "key: a1b2c3d4e5f6g7 ", "use a1B2c3D4e5F6 as the x ", "a1-"]
)
def test_values_without_number_cost_their_length(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert len(redact(text)) > 100_000
