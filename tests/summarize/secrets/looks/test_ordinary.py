"""Sentences, code and labels that only look as if a secret stood in them: not a sign of them is taken out."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import redact

TWELVE_WORDS = (
    "fix bug where otters cannot save their draft when harbour mode kicks",
    "never run tests against harbour since they delete real otter data there",
    "only touch code under kelp because another team owns every other folder",
    "please always write unit tests before code since that catches bugs early",
    "bitte niemals direkt auf main pushen weil das schon mal schief ging",
    "nunca borres datos sin antes hacer una copia porque luego faltan cosas",
    "pas plus que trois lignes par page sinon cela devient trop long",
    "select insert update delete create drop alter grant revoke commit rollback begin",
    "make build test lint format check clean install deploy release push pull",
)
NUMBERS = (
    "Your zip code is 94107",
    "your postal code is 75001",
    "your error code 40013",
    "your country code 0049",
    "your product code is 49201",
    "votre code postal est 75001",
    "tu código postal es 28013",
    "tu código de error es 10054",
    "ваш почтовый код 101000",
    "codice di errore: 10054",
    "código de error: 10054",
    "the pin header is 2540 mils",
    "pin compatible is 1234",
    "pin the version: 2024",
    "pin kelp to the version: 2024",
    "tan is 123456",
    "Your ZIP code is 94107",
    "Your Zip code is 94107",
    "Your Error Code is 40013",
    "GPIO pin: 4821",
    "otp library is 4096",
    "authentication code uses 2048",
    "unlock code path is 4096",
    "security code 1200",
)
SENTENCES = (
    "HMAC256 is the key",
    "Curve25519 is the default key exchange",
    "ChaCha20 is the token cipher",
    "RTX4090 is the key component",
    "kelp99 is the key",
    "password of Otter12 changed",
    "password change on Monday12",
    "wrong password on Router12",
    "the password of the Router12 is rotated",
    "password to be user-defined-value",
)
CODE = (
    'assertEquals("token", "token12")',
    '("password", "validators12")',
    'bind("token", "tokenArg1")',
    'getLocalizedString("password", "labelPassword2")',
    'field("password", "Password1")',
    "password,string12",
    "token,count12",
    "name,value\npassword,string12\nhost,x",
)
LABELS = (
    '"password": "Die neuen Zeichen sind falsch"',
    '"password": "Nueva contraseña para ti"',
    'Passwort: "das ist ein Test"',
    '"password": "Tu clave nueva para entrar"',
    '"password": "Wpisz swoje hasło tutaj teraz"',
    '"password": "Пароль не может быть пустым"',
    '"password": "Vul je wachtwoord hier in"',
    '"password": "El campo es obligatorio"',
    '"password": "Das Feld darf nicht leer sein"',
)


@pytest.mark.parametrize("text", TWELVE_WORDS)
@pytest.mark.parametrize("frame", ["%s", "Rules:\n  %s\nThat is all.", 'He said "%s".', "> %s"])
def test_a_line_of_twelve_words_is_no_wallet(frame: str, text: str) -> None:
    assert redact(frame % text) == frame % text


@pytest.mark.parametrize("text", NUMBERS)
def test_a_number_that_proves_nothing_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("text", SENTENCES)
def test_a_thing_with_a_number_is_no_password(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("text", CODE)
def test_a_name_of_code_beside_a_name_of_a_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("text", LABELS)
def test_what_a_label_says_of_a_password_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "value", ["beta2024", "stage1234", "alpha77", "control99", "enabled123", "rollout22", "treatment55"]
)
@pytest.mark.parametrize(
    "text",
    [
        "password: {}",
        "the password is {}",
        "my pw is {}",
        "密码是 {}",
        "Passwort ist {}",
        "The password was changed to {}.",
        "login anna / {}",
        "DB_PASSWORD={}",
        "FEATURE_FLAGS_DB_PASSWORD={}",
        "I changed the password from {} to harbour77.",
        "密码从 {} 改成 harbour77",
        "The password for the feature flags is {}",
    ],
)
def test_a_word_and_a_number_are_a_password(text: str, value: str) -> None:
    assert value not in redact(text.format(value))


@pytest.mark.parametrize(
    "text",
    [
        "FEATURE_PASSWORD_RESET=rollout50\nFEATURE_TOKEN_V2=enabled25\n",
        '{"flags": {"new-token": "control12", "password-reset": "treatment20"}}',
        "feature_flags:\n  password_reset: rollout25\n  new_token: beta12\n",
        "API_KEY_UI=stage3\nAPI_TOKEN_V2=variant2\n",
    ],
)
def test_the_stage_of_a_flag_is_no_password(text: str) -> None:
    assert redact(text) == text
