"""Secrets in sentences are known by the noun near them; what sentences of passwords name besides stays as it is."""

from __future__ import annotations

import random
import string

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

SIGNS = string.ascii_letters + string.digits
DRAWN = [
    "q" + "".join(random.Random(seed).choices(SIGNS, k=size)) + "7Xk" for seed, size in ((5, 9), (6, 26))
]
CHOSEN = ["Sunshine2031", "hunter4217", "Tr0ub4dor7"]
TOLD = """the password should be {}
the password for prod is now {}
password equals {}
the default password ({}) still works
{} is the password
{} is the admin password
"{}" is the new password for staging
changed it to {} (the password)
use {} when it asks for the passphrase
take {} as your new password
verwende {} wenn nach dem Passwort gefragt wird
hey so the wifi password's {} lol
Мой пароль {}, никому не говори
yönetici şifresi {}, teşekkürler
das Passwort für den Server lautet {}
Passwort vom WLAN: {}
le mot de passe du serveur est {}
mon mot de passe c'est {}
la contraseña del servidor es {}
la password del server è {}
hasło do serwera to {}
पासवर्ड है {}""".splitlines()
GIVEN = """the default password, {}, still works
the password, which is {}, must be rotated
it's {} - that's the password
we leaked {} (the db password) yesterday
pass is {}
auth with ann:{}
ann:{} are the credentials
sign in using ann@example.com / {}
the token {} expired yesterday
github token {}
the PDF is protected with {}
SSID HomeNet key {}
stripe key {}
the OpenAI key is {}
identifiants : ann / {}
пароль от сервера {}
şifrem {}""".splitlines()
ORDINARY = """Fix password reset flow (3f2a9c1e77aa001122334455667788990011aabb)
The password reset was requested by user Ab3xK9mQ2z yesterday.
password reset email sent, request req_011CSHoEeqs5C35K2UUqR7Fy
The token refresh failed for client Ab3xK9mQ2zPq in eu-west-1.
password check moved to PasswordService2 and TokenStoreV3
The password policy requires Argon2id and SHA256 hashing
Password hashing uses bcrypt2b with cost 12 (see RFC2898)
the password for user admin42 was reset by ann17
token budget is 128k for GPT4oMini
the token count was 48213 at step17
The secret to speed is caching in Redis7
the secret manager is HashiCorp2 vault
The password field has id input4Password2
change password on Windows11 or Ubuntu2204
login as user42 on web01 with your password
log in to host db01prod with ssh
signed in as ann17 from Chrome126
the credentials file is at ~/.aws/credentials2
credentials for staging2 are in 1Password
password must contain A-Z, a-z, 0-9 and !@#
the password is at least 12 characters
password was introduced in v2.14.3-rc1
token, see issue ENG-1423 and PR4821
password validation: test_password_rejects_abc123 passes
Your token expires in 3600s at 2026-01-05T10:11:12Z
api key rotation is described in docs/keys2.md
the api key header is X-API-Key2
Password strength meter: zxcvbn4
password protected zip file report2024Q3final
The wallet password prompt appears in MetaMask11
secret scanning found 3 results in run 8f7Gh2Kd9Lm3
Passwort vergessen? Klicken Sie auf Button2Links
das Passwort von Nutzer max1987 wurde geändert
mot de passe oublié pour le compte marie75
la contraseña del usuario juan2000 caducó
пользователь ivan1985 сменил пароль
the password was rotated on 2026-01-05 by bot7
the password is stored in table UserCredentials2
the password is in K8s secret db2
Password (optional), Username (required), Port5432
a password is needed for S3Bucket2Upload
token type is JWT2 or PASETOv4
The access token lives in localStorage2
the key is ed25519 and the token is JWT
use SHA256 as the key and UTF8 for the token
toolu_01A09q90qw90lq917835lq9 returned the password form
message msg_01XFDUDYJgAACzvnptvVoYEL: asks for the password
call_8f7Gh2Kd9Lm3Np5Qr7St1Uv: password reset page
chunk 7Xk29aLq0Zp1 is not the password page
the password page is rendered by Login2FAView
password: see Login2FAView and PwdResetV2View
commit 9f3d2ab: add password to login2 form
passwords, tokens and keys: see AWS4Signer, OAuth2Client
the password of ann is known to bob99
"password" in Base64Url form, "token" in JWE5 form
the gmail password dialog opens in Tab2Window
enter your password in Step2 of the wizard
password auth for SSHv2 is disabled on port2222
the postgres password is read from PGPASSFILE2
session token is rotated by Lambda2Edge every 24h
the bot token belongs to bot TideBoard42
use Scenario3 when the password form opens
the password's SHA256 is in the log
Take Pier12Board for the token count
Пароль неверный для ledger.
パスワードが間違っています（marker）。
FAILED tests/test_route.py::TestApiKey::test_engine_key - AssertionError""".splitlines()


@pytest.mark.parametrize("value", [*DRAWN, *CHOSEN])
@pytest.mark.parametrize("frame", TOLD)
def test_a_password_is_known_by_its_noun_and_how_it_is_told(frame: str, value: str) -> None:
    assert redact(frame.format(value)) == frame.format(placeholder(value))


@pytest.mark.parametrize("value", DRAWN)
@pytest.mark.parametrize("frame", GIVEN)
def test_what_no_sentence_has_is_known_by_a_noun_near_it(frame: str, value: str) -> None:
    assert redact(frame.format(value)) == frame.format(placeholder(value))


@pytest.mark.parametrize("text", ORDINARY)
def test_what_a_sentence_of_passwords_names_besides_stays(text: str) -> None:
    assert redact(text) == text


def test_a_page_that_writes_quotes_as_entities_is_read_without_them() -> None:
    secret = DRAWN[0]
    shown = f"<pre>{{&quot;apiKey&quot;: &quot;{secret}&quot;, &#39;a&#39;: 1}}</pre>"
    assert redact(shown) == shown.replace(secret, placeholder(secret))
    assert redact("<p>&quot;password&quot; and &amp;nbsp; &#39;x&#39;</p>") == (
        "<p>&quot;password&quot; and &amp;nbsp; &#39;x&#39;</p>"
    )


def test_curly_quotes_are_quotes() -> None:
    secret = DRAWN[0]
    assert redact(f"“apiKey”: “{secret}”, ok") == f"“apiKey”: “{placeholder(secret)}”, ok"


@pytest.mark.parametrize(
    "unit", ["password a1B2c3D4 ", "the token of ", "is the password x7Yz9Qw2 ", "(the pw a1b2C3d4) "]
)
def test_sentences_without_number_cost_their_length(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert len(redact(text)) > 20_000
