"""Secrets in the places where tools and people leave them: none is shown, and what stands around them is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.record.message import Message, Text, ToolCall
from palimpsest.summarize.secrets.looks.forms import Form
from palimpsest.summarize.secrets.places import FILLED, FORMS, find_secrets
from palimpsest.summarize.secrets.redact import placeholder, protect, redact
from palimpsest.summarize.source import render_source
from tests.summarize.dialogues import assistant, leaf, result
from tests.summarize.secrets.planted import PLANTED, ran

LONG = "Kd83Lq02mZx7Pw93RtKd83Lq02"
SHORT = "Kq82mZs1"
HEX = "3f9a1c7e5b2d8046" * 4
PLACED = {
    "https://maps.example.dev/api?key=%s&q=pier": LONG,
    "https://app.example.dev/back?code=%s&state=xyz": "4/0AX4XfWh7Kd83Lq02mZx7Pw93Rt",
    "SESSION_KEY=%s": LONG,
    "FERNET_KEY=%s": "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYg==",
    "APP_KEY=%s": "base64:Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmE=",
    "DEVOPS_EXT_PAT=%s": LONG.lower(),
    "user:\n    client-key-data: %s\n": "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlF",
    "postgres://app:%s@db:5432/x": "p@ssw0rd9",
    "postgresql+asyncpg://app:%s@db:5432/x?sslmode=require": "p/ssw0rd9",
    'network={ ssid="x"\n psk="%s"\n}': "Kq82mZs1Lw93",
    'variable "db_password" {\n  default = "%s"\n}': "Kq82mZs1Lw93",
    "ansible_become_pass: %s": SHORT,
    "CREATE USER app IDENTIFIED BY '%s';": SHORT,
    "kim:%s": "$apr1$Kq82mZs1$abcdefghijklmnopqrstu.",
    "root:%s:19000:0:99999:7:::": "$6$Kq82mZs1$abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOP",
    "hash %s": "$2b$12$Kq82mZs1Kq82mZs1Kq82muabcdefghijklmnopqrstuvwxyz01234",
    "openssl enc -pass pass:%s -in x": SHORT,
    "unzip -P %s a.zip": SHORT,
    "ldapsearch -w %s -D cn=admin": SHORT,
    "keytool -storepass %s -alias x": "changeit9",
    "echo '%s' | docker login --password-stdin": SHORT,
    "echo %s | sudo -S apt update": SHORT,
    'ConvertTo-SecureString "%s" -AsPlainText': SHORT,
    "refresh token %s": "1//0gKd83Lq02mZx7Pw93RtKKd83Lq02",
    "auth=('kim', '%s')": "Kq82mZs1!x",
    "define('DB_PASSWORD', '%s');": "Kq82mZs1!x",
    "const k = process.env.API_KEY || '%s'": "Kq82mZs1Lw93",
    "password    %s": SHORT,
    "password=%s": "P@ss;word9",
    "Server=pier;Password=%s;Port=5432": SHORT,
    "PASSWORD=%s;sleep 5": SHORT,
    '<add key="ApiKey" value="%s"/>': "Kq82mZs1Lw93",
    "user,password\nkim,%s\n": SHORT,
    "| user | password | host |\n|---|---|---|\n| kim | %s | db-1 |": SHORT,
    'tokens = ["%s"]': "Kq82mZs1Lw93Kq82mZs1",
    "passwords:\n  - %s\n": "Kq82mZs1Lw93",
    "my api key:\n```\n%s\n```": "Kq82mZs1Lw93Kq82",
    "비밀번호는 %s 입니다": "Seestern99",
    "CVV %s": "482",
    "your verification code is %s": "482913",
    "private key: %s": f"0x{HEX}",
    "X-Auth-Key: %s": f"{HEX[:32]}abcde",
    "Authorization: AWS4-HMAC-SHA256 Credential=kim/2026, Signature=%s": HEX,
    "bearer %s": "AAAAAAAAAAAAAAAAAAAAAKq82mZs1Lw93%2FKq82mZs1Lw93",
    "kubectl create secret generic db --from-literal=user=kim --from-literal=pw=%s": "marmalade9",
}
LEFT_ALONE = [
    "def read(api_key: _AzureApiKeyT | None, client_secret: ClientSecret) -> RSAPrivateKey:\n    _verify_all(x)",
    'tokens = {"claude-opus-4-20250514": 8192}; tokens: ["hello", "wor1d", "pier"]; is_password: FilterOrBool = False',
    "'week_password', 'x509', 'year_month',\n'password',\n'quad2d',\n'rgb2hsv',\n",
    "| field | type |\n|---|---|\n| password | string |\n| token | text4 |",
    "CACHE_KEY=berths:list:2026-01-31:page2 PRIMARY_KEY=berth_id_20260131x",
    "Load a library identified by 'name'. user/role: identified by 'kind'",
    "https://shop.example.dev/?code=SUMMER24&key=name&id=550e8400-e29b-41d4-a716-446655440000",
    "error code 40412, exit code 137, zip code 90210, confirmation code K1NW8N",
    '"integrity": "sha512-9Qx3mZk2Lw93Kq82mZs1Lw93Kq82mZs1Lw93Kq82mZs1==", "resolved": "https://r.example/a-1.2.3.tgz"',
    "tHtmuHtCNnBawAiuwh-r8_LnzXEaWG8jd9X2onrfxOOkgN4eAplMnaaeQwMOOSI1vQqUVKPcdyBN8KTEw1BqRE",
    "echo done | tee out.txt; printf '%s' x | sudo tee /etc/hosts",
]


@pytest.mark.parametrize("frame", PLACED)
def test_a_secret_is_found_in_its_place_and_nothing_else_changes(frame: str) -> None:
    secret = PLACED[frame]
    assert redact(frame % secret) == frame % placeholder(secret)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_names_in_code_and_columns_of_other_things_stay(text: str) -> None:
    assert redact(text) == text


def test_every_value_of_a_column_and_of_a_list_is_found() -> None:
    values = [f"q{number}X{number * 37}kd0{number}Lz" for number in range(5)]
    table = "\n".join(["id;password;role", *(f"{value[:2]};{value};pilot" for value in values), "", "done"])
    listed = f'API_KEYS = ["{values[0]}aaB2", "{values[1]}aaB2"]'
    shown = redact(f"{table}\n{listed}")
    assert [value for value in values if value in shown] == []
    assert shown.count("[secret:") == 7
    assert shown.count(";pilot") == 5


@pytest.mark.parametrize("end", ["\n", "\r\n", "\\\n", "\n+", "\n    "])
def test_a_signed_token_across_lines_is_found_to_its_end(end: str) -> None:
    parts = [
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwi",
        "bmFtZSI6IktpbSIsImlhdCI6MTUxNjIzOTAyMn0.SflKxwRJSMeKKF2QT4fwpMeJf36P",
        "Ok6yJV_adQssw5c",
    ]
    shown = redact(f"token: {end.join(parts)}\nThe tide turns at noon.")
    assert [part for part in parts if part in shown] == []
    assert shown.endswith("\nThe tide turns at noon.")


def test_what_a_tool_is_called_is_shown_without_its_keys() -> None:
    key = PLANTED["github"]
    source = leaf(
        [
            assistant("", ToolCall("a", f"push.{key}", f'{{"{key}": 1}}')),
            result("a", "pushed"),
            Message("user", (Text("Go on."),), name=f"kim {key}"),
        ]
    )
    shown, _ = ran(protect(source))
    assert key not in render_source(shown)


@pytest.mark.parametrize(
    "form, sign", [(form, form.sign) for form in FORMS if form.sign], ids=lambda one: str(one)[:40]
)
@settings(max_examples=20)
@given(data=st.data())
def test_the_sign_of_a_form_stands_in_whatever_it_matches(
    form: Form, sign: re.Pattern[str], data: st.DataObject
) -> None:
    text = data.draw(st.from_regex(form.pattern.pattern, alphabet=st.characters(codec="utf-8")))
    spans = [match.span() for match in form.pattern.finditer(text)]
    assert [text[start:end] for start, end in spans if not sign.search(text, start, end)] == []


@pytest.mark.parametrize(
    "word", [word for form in FORMS if form.begins and not form.judged for word in form.words]
)
@settings(max_examples=3)
@given(data=st.data())
def test_a_form_is_found_by_how_its_word_begins(word: str, data: st.DataObject) -> None:
    form = next(form for form in FORMS if word in form.words and form.begins and not form.judged)
    text = data.draw(st.from_regex(form.pattern.pattern, alphabet=st.characters(codec="ascii")))[:6_000]
    found = ran(find_secrets(text))
    held = {place for start, end in found for place in range(start, end)}
    spans = [match.span(match.lastindex or 0) for match in form.pattern.finditer(text)]
    spans = [span for span in spans if not FILLED.fullmatch(text, *span)]
    told = any(one in text.lower() for one in form.words)
    assert [text[start:end] for start, end in spans if told and not held.issuperset(range(start, end))] == []
