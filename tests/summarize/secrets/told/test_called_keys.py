"""Keys in sentences that name ids, hashes and pages besides stay hidden; what a sentence only calls a key, or looks
like a setting or a code, stays.
"""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import redact

DIGEST, IDENTIFIER = "9c41f07be2d85a3164f0b7c92e58d1a3", "4be91d7c-83a2-4f16-9d05-b7c2e6a83f10"
DRAWN = "q9wMxEhh2FDEEtfjgVvVqE1SkHbn88HxjSI6bWHt"


@pytest.mark.parametrize(
    "frame",
    [
        "twilio account id AC12 auth token: {h}",
        "client id 4711 client secret = {h}",
        "client id abc client secret {h}",
        "key id 12 secret key: {h}",
        "app id 12 and secret {h}",
        "username x id 12 password: {h}",
        "user id 12 password {h}",
        "id foo token = {h}",
        "commit the token: {h}",
        "commit this api key: {h}",
        "our hash salt secret is {h}",
        "access key for the s3 bucket: {d}",
        "secret for the build: {h}",
        "api-key for the hash service: {h}",
        "secret for the commit hook: {h}",
        "token for the ids service: {h}",
        "api key with id 4711 is {d}",
        "previous token: {d}",
        "resume token: {d}",
        "Facebook page token: {d}",
        "landing page token: {d}",
        "Status page api key: {h}",
        "web page secret: Kranich-Hafen7",
        "please use token {d} for the upload",
        "put token {d} into vault",
        "api key as follows {d}",
        'password " Kranich-Hafen7"',
        'password = " Kranich-Hafen7"',
        "kind: Secret\nstringData:\n  root-login: hunter22x\n",
    ],
)
def test_a_key_is_hidden_whatever_it_is_for(frame: str) -> None:
    told = frame.format(h=DIGEST, d=DRAWN)
    shown = redact(told)
    assert shown != told
    assert DIGEST not in shown
    assert DRAWN not in shown


@pytest.mark.parametrize(
    "frame",
    [
        "The key {u} already exists in users",
        "KeyError: the key {u} was not found",
        "NoSuchKey: The key {h} does not exist",
        "Look up the key {u} in the table",
        "the old key {u} maps to customer 42",
        "join the tables on this key ({u})",
        "key: {u}",
        "{u} is the key of the row",
        "{h} is where the token broke",
        "{h} is the key commit here.",
        "{h} (token) fix refresh",
        "{h} (api key) rotate",
        "see {h} (new key)",
        "The release is signed with the key {h}",
        "git tag -s with signing key {h}",
        "The api key owner is {u}",
        "The api key belongs to {u}",
        "The product key is WIDGET-2024-BLUE-XL10",
        "Key: PLAN-MAIN-JOB1",
        "The master key node is node-7f8d9c6b5a-xk2lp",
        "キーは {u} です",
        "token 是 {h} 这个版本加的",
        "トークンは {h} で追加された",
    ],
)
def test_what_is_only_called_a_key_stays(frame: str) -> None:
    told = frame.format(h=DIGEST, u=IDENTIFIER)
    assert redact(told) == told


@pytest.mark.parametrize(
    "text",
    [
        "the code is 200000 iterations",
        "the code is 100000 times faster",
        "the code is 404040 in hex",
        "the code is 400100 for invalid input",
        "Der Code ist 100000 Zeilen lang",
        "Le code est 123456 lignes",
        "El código es 200000 líneas",
        "404040 is the code in the enum",
        "123456 is the code it returns on timeout",
        "The authenticator says 123456 users were enrolled",
        "Me llegó el código 5000 veces",
        "use PIN 1234 on the header",
        "with pin 1024 the board resets",
        "Connect the sensor with pin 4012 of the chip",
        "mit PIN 4017 am Stecker",
        "enable secret rotation",
        "enable password authentication",
        "enable password validation",
        "snmp-server community support",
        "vault write auth/x token_ttl=3600s",
        "vault kv put secret/app api_key_name=production",
        "Das Passwort wurde auf Produktion geändert.",
        "Passwort auf Windows geändert",
        "Passwort auf Github geändert",
        "wachtwoord gewijzigd naar github",
        "Heslo změnil na githubu",
        " api_key | uuid4\n",
        " token | bpchar2\n",
        "{Token:IDENT12 Literal:foo}",
        "{token:string2}",
        '"token": {"value": "spacing-large-16px"}',
        '"password": {"value": "passwordField3"}',
        "password: changed 2 days ago\nlast_login: x",
        "Passwort: mindestens 8 Zeichen\nName: x",
        "password: bcrypt cost 12 rounds\nuser: x",
        '"the" * "cache" * "build"',
        "PASSWORD length = 12345",
        "Backup codes, see docs: page12345",
        '"Azure.Core/1.25": {"sha512": "' + 43 * "Kf" + '==", "type": "package"}',
    ],
)
def test_what_looks_like_a_code_or_a_setting_stays(text: str) -> None:
    assert redact(text) == text
