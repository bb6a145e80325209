"""Weak values under a key that says that they are secret: hidden in every kind of file, and nothing ordinary is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.secrets.looks.ordinary import is_ordinary
from palimpsest.summarize.secrets.redact import placeholder, redact

LITERALS = [
    '{"user": "kim", "%s": "%s"}',
    "cfg = {'host': 'db1', '%s': '%s'}",
    '%s = "%s"\nport = 5432\n',
    "client = Client(host='db1', %s='%s', timeout=3)",
    "cfg['%s'] = '%s'",
    "self.%s = '%s'",
    '%s: str = "%s"',
    'private readonly %s: string = "%s";',
    '%s := "%s"',
    'let %s = "%s".to_string();',
    "return ['host' => 'db1', '%s' => '%s'];",
    'public string %s { get; set; } = "%s";',
    'config.set_%s("%s");',
    '<db host="db1" %s="%s"/>',
    '[{"name": "%s", "value": "%s"}]',
    "- %s: `%s`",
]
BARE = [
    "db:\n  %s: %s\n  port: 5432\n",
    "[client]\nuser = kim\n%s = %s\nhost = db1\n",
    "app.host=db1\napp.%s=%s\n",
    "<db>\n  <%s>%s</%s>\n</db>",
    "GET https://api.example.com/v1?user=kim&%s=%s&limit=5 HTTP/1.1",
    "deploy --%s %s --region eu-west-1",
    "deploy --%s=%s --region eu-west-1",
    "helm upgrade app ./chart --set app.%s=%s --wait",
    "10:00:01 DEBUG db: connect host=db1 %s=%s user=kim",
    "ERROR Login[user=kim, %s=%s, host=db1] failed",
    "curl -H 'X-%s: %s' https://api.example.com",
    "db:\n  %s: >-\n    %s\n  port: 1\n",
    "env:\n  - name: %s\n    value: %s\n  - name: TZ\n    value: UTC\n",
    "--- a/app.yml\n+++ b/app.yml\n@@ -1,3 +1,3 @@\n db:\n-  %s: ${OLD}\n+  %s: %s\n   host: db1\n",
    "     1\tdb:\n     2\t  %s: %s\n     3\t  port: 1\n",
    "- **%s:** %s\n- **host:** db1\n",
]
KEYS = [
    "password",
    "smtp_password",
    "client_secret",
    "api_key",
    "auth_token",
    "signing_key",
    "admin_pass",
    "db-password",
]
WEAK = ["swordfish", "hunter2", "correct-horse-battery-staple", "Sommer2024!", "kelp.dune.38", "monkey_123"]
ORDINARY = [
    "required", "null", "string", "optional", "<your-token>", "${API_KEY}", "{{ vault_key }}", "changeme", "xxxxxxxx",
    "********", "[REDACTED]", "your_api_key_here", "my-secret-token", "/run/secrets/db", "vault:kv/data/app#key",
    "enabled", "placeholder", "API_KEY", "apiKey", "https://auth.example.com/token", "%(password)s", "...",
]  # fmt: skip
POINTERS = {
    "max_tokens": "4096",
    "token_type": "bearer",
    "secret_name": "db-creds",
    "token_url": "https://auth.example.com/oauth/token",
    "api_key_header": "X-Api-Key",
    "tokenizer": "p50k_base",
    "api_key_id": "k12ab34cd",
    "public_key": "harbour2",
    "next_token": "cursor2041",
    "password_changed_at": "2024-01-01",
    "secret": "db-creds",
    "existing_secret": "harbour-tls",
    "token": "gray-100",
    "pass_rate": "0.92",
    "username": "hunter2",
}


def fill(frame: str, key: str, value: str) -> str:
    places = frame.count("%s")
    return frame % ((key, value, key) if "</%s>" in frame else (key,) * (places - 1) + (value,))


@pytest.mark.parametrize("frame", LITERALS + BARE)
@pytest.mark.parametrize("value", WEAK)
def test_a_weak_value_is_hidden_under_every_key_that_says_what_it_is(frame: str, value: str) -> None:
    for key in KEYS:
        assert redact(fill(frame, key, value)) == fill(frame, key, placeholder(value)), key


@pytest.mark.parametrize("frame", LITERALS + BARE)
def test_what_manuals_and_forms_put_there_stays(frame: str) -> None:
    for key in KEYS:
        for value in ORDINARY:
            assert redact(fill(frame, key, value)) == fill(frame, key, value), (key, value)


@pytest.mark.parametrize(
    "frame", [frame for frame in LITERALS + BARE if "%s" in frame and "--set" not in frame]
)
def test_what_a_key_only_points_to_stays(frame: str) -> None:
    for key, value in POINTERS.items():
        assert redact(fill(frame, key, value)) == fill(frame, key, value), key


@pytest.mark.parametrize(
    "text",
    [
        "password = swordfish\nconnect(host, password)",
        "connect(host, api_key=credentials)\nconnect(\n    host,\n    api_key=entry\n)",
        "interface Options {\n  apiKey: string\n  token: TokenSource\n  secret: Buffer\n}",
        "const { password: entered } = form;\nlogin({ token: current })",
        "password = os.environ['DB_PASSWORD']\napi_key = settings.API_KEY\ntoken = get_token()",
        "SMTP_PASSWORD=your-password\nPORT=8080\n",
        "imagePullSecrets:\n  - name: harbour\nvolumes:\n  - secret: harbour-tls\n",
        '{"token": "the", "logprob": -0.1}, {"token": "comment", "foreground": "gray"}',
        "| password | string | what a user types |\n| token | required | none |",
        "--password option or --api-key flag",
        "user_pass = '%s:%s' % (a, b)",
        'auth_token = "csrftoken"',
        '{"SigningSecret": ".signingsecret"}',
        "license-key: Apache-2.0\n",
        "spec:\n  secret: app-tls-2024\n",
        "our secret is simple, really",
        "account key: customer\nrecovery key: escape\n",
        "api key: ask-ops\nbot token: discord\n",
        "password-policy: strict",
        '{"password": "パスワード", "passwd": "Пароль"}',
        "TimeStampToken = rfc3161.TimeStampToken",
        'Token: "#ddd0c0",',
        '{"auth_token": "urn:ietf:params:oauth:token-type:jwt"}',
        "errors.password = 'required'; t('password') === 'Passwort'",
    ],
)
def test_names_of_variables_types_and_states_stay(text: str) -> None:
    assert redact(text) == text


ENDED = [
    '{"name": "STRIPE_SECRET_KEY_LIVE_EU", "value": "%s"}',
    '{"name": "GITHUB_TOKEN_CI", "value": "%s"}',
    '{"name": "API_KEY_V2", "value": "%s"}',
    "- name: DB_PASSWORD_REPLICA\n  value: %s",
    "- name: DB_PASSWORD_FILE2\n  value: %s",
    '<input name="password_confirm" value="%s">',
    '<input id="api_key" type="text" value="%s">',
    '<property name="tokenSecretOld" value="%s"/>',
    '<param name="passwordEncrypted1" value="%s"/>',
    "DB_PASSWORD_RO=%s",
    "JWT_SECRET_OLD=%s",
    "spring.apiKeyBerlin = '%s'",
]


@pytest.mark.parametrize("frame", ENDED)
def test_a_key_may_end_with_whose_it_is_or_which_of_them(frame: str) -> None:
    for value in ("Zx81kQpw92Lm", "q7harb0ur"):
        assert redact(frame % value) == frame % placeholder(value)


@pytest.mark.parametrize(
    "ending",
    "_id _name _file _check CheckValue _ttl _length _policy _count _expiry _hint Name Url Length Field".split(),
)
def test_a_key_that_ends_with_what_only_points_to_it_or_measures_it_has_no_secret(ending: str) -> None:
    for key in ("password", "client_secret", "api_key"):
        for frame in ('<add key="%s" value="%s"/>', '%s = "%s"', "app:\n  %s: %s\n"):
            text = fill(frame, key + ending, "q7harb0ur")
            assert redact(text) == text
            words = fill(frame, f"{key}_of{ending}", "harbour-side")
            assert redact(words) == words


@pytest.mark.parametrize(
    "text",
    [
        '{"client_secret": "%s"}|topsecret',
        '{"api_key": "%s"}|harbour-4.2b',
        "api key: %s|q7harb0ur",
        "license-key: %s|harbour2041",
        "пароль: %s|swordfish",
        '{"password": "%s"}|#ddd0c0',
        '{"password": "%s"}|кракатау7',
    ],
)
def test_what_only_looks_like_a_version_a_color_or_a_translation_is_hidden(text: str) -> None:
    frame, value = text.split("|")
    assert redact(frame % value) == frame % placeholder(value)


def test_a_quote_that_is_written_twice_does_not_end_a_value() -> None:
    value = "it''s1secret"
    assert redact(f"PASSWORD='{value}'") == f"PASSWORD='{placeholder(value)}'"


@given(
    st.sampled_from(LITERALS),
    st.sampled_from(KEYS),
    st.from_regex(r"[a-z]{4,9}[0-9]{2,5}[a-z]{3,8}", fullmatch=True),
)
def test_no_value_of_letters_and_digits_is_told_under_such_a_key(frame: str, key: str, value: str) -> None:
    assert value not in redact(fill(frame, key, value))


@given(st.sampled_from(KEYS), st.sampled_from(WEAK))
def test_a_value_in_the_arguments_of_a_call_is_hidden_and_they_stay_json(key: str, value: str) -> None:
    for content in (f"db:\n  {key}: {value}\n", f"{key.upper()}={value}", f'{{"{key}": "{value}"}}'):
        text = redact(json.dumps({"path": "a.yml", "content": content}))
        assert value not in text
        assert json.loads(text)["path"] == "a.yml"


@given(
    st.lists(
        st.sampled_from("my api key secret password token test example db user".split()),
        min_size=1,
        max_size=5,
    )
)
def test_words_that_only_say_what_is_wanted_are_ordinary_however_they_are_joined(words: list[str]) -> None:
    joined = [
        "-".join(words),
        "_".join(words),
        "".join(word.title() for word in words),
        "_".join(words).upper(),
    ]
    assert all(is_ordinary(one) for one in joined)
    assert not is_ordinary("-".join([*words, "seagull"]))
